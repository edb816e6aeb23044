//! The assembled form of the linear system, and all ways to solve it.

use crate::config::{Preconditioner as Choice, StepConfig};
use crate::constraints::StepConstraints;
use crate::forces::{Family, Terms};
use crate::model::Model;
use crate::solve::form::{Fallback, Form, LinearForm, Parts};
use glam::{DMat3, DVec3};
use toile_numerics::constrain::constrain;
use toile_numerics::direct::Direct;
use toile_numerics::operator::{Identity, Operator, Preconditioner};
use toile_numerics::precond::{BlockDiagonal, Diagonal, IncompleteCholesky, IncompleteLu};
use toile_numerics::{BlockCsr, Coupled, Coupling, pcg};

/// The matrix in block rows, what inverts it, and scratch memory.
pub struct AssembledForm {
    /// That of the last linearisation.
    matrix: BlockCsr,
    inverse: Inverse,
    projections: Vec<DMat3>,
    work: pcg::Workspace<f64>,
}

/// What inverts the matrix, nearly or exactly.
enum Inverse {
    Identity,
    Diagonal(Diagonal),
    BlockDiagonal(BlockDiagonal),
    /// With the matrix whose held directions are taken out.
    IncompleteCholesky(IncompleteCholesky, BlockCsr),
    IncompleteLu(IncompleteLu, BlockCsr),
    Direct(Box<Direct>),
}

/// The matrix made of its parts, with what couples particles besides.
pub fn matrix(parts: &Parts<'_>) -> BlockCsr {
    let mut matrix = BlockCsr::zeros(parts.model.matrix_pattern.clone());
    assemble(parts, &mut matrix);
    matrix.coupled(parts.couplings)
}

/// Forms `M − α D − s K` without couplings; every row gathers from its own particle's elements.
fn assemble(parts: &Parts<'_>, matrix: &mut BlockCsr) {
    let pattern = &*parts.model.matrix_pattern;
    matrix.for_each_row(|row, blocks| {
        blocks.fill(DMat3::ZERO);
        let diagonal = pattern.diagonal(row) - pattern.row(row).start;
        blocks[diagonal] = DMat3::from_diagonal(DVec3::splat(parts.model.masses[row]));
        if let Some(extra) = parts.diagonal.get(row) {
            blocks[diagonal] += *extra;
        }
        for (family, terms) in parts.materials.families().zip(parts.terms) {
            family.add_row(row, diagonal, terms, blocks);
        }
    });
}

impl AssembledForm {
    /// Prepares the solver for the matrix and what is held.
    fn invert(&mut self, constraints: &StepConstraints) {
        let (matrix, filter) = (&self.matrix, &constraints.filter);
        match &mut self.inverse {
            Inverse::Identity => {}
            Inverse::Diagonal(diagonal) => diagonal.refresh(matrix),
            Inverse::BlockDiagonal(blocks) => blocks.refresh(matrix),
            Inverse::IncompleteCholesky(factors, constrained) => {
                constrain(matrix, filter, &mut self.projections, constrained);
                factors.refresh(constrained);
            }
            Inverse::IncompleteLu(factors, constrained) => {
                constrain(matrix, filter, &mut self.projections, constrained);
                factors.refresh(constrained);
            }
            Inverse::Direct(direct) => direct.refresh(matrix, filter),
        }
    }
}

impl LinearForm for AssembledForm {
    fn supports(_model: &Model, _config: &StepConfig) -> Result<(), Fallback> {
        Ok(())
    }

    fn new(model: &Model, config: &StepConfig) -> Self {
        let matrix = BlockCsr::zeros(model.matrix_pattern.clone());
        let inverse = match config.preconditioner {
            Choice::None => Inverse::Identity,
            Choice::Diagonal => Inverse::Diagonal(Diagonal::default()),
            // Where the fast path cannot go, the reference does.
            Choice::BlockDiagonal | Choice::Multilevel => {
                Inverse::BlockDiagonal(BlockDiagonal::default())
            }
            Choice::IncompleteCholesky => {
                Inverse::IncompleteCholesky(IncompleteCholesky::default(), matrix.clone())
            }
            Choice::IncompleteLu => Inverse::IncompleteLu(IncompleteLu::default(), matrix.clone()),
            Choice::Direct => Inverse::Direct(Box::new(Direct::new(&matrix))),
        };
        Self {
            matrix,
            inverse,
            projections: Vec::new(),
            work: pcg::Workspace::default(),
        }
    }

    fn kind(config: &StepConfig) -> Form {
        match config.preconditioner {
            Choice::Direct => Form::Direct,
            _ => Form::Assembled,
        }
    }

    fn is_single(&self) -> bool {
        false
    }

    fn refresh(&mut self, parts: &Parts<'_>) {
        assemble(parts, &mut self.matrix);
        self.invert(parts.constraints);
    }

    fn solve(
        &mut self,
        parts: &Parts<'_>,
        b: &[f64],
        p: &mut [f64],
        params: &pcg::Params,
        _is_rough: bool,
    ) -> Result<pcg::Info, pcg::Error> {
        let (filter, couplings) = (&parts.constraints.filter, parts.couplings);
        let preconditioner: &mut dyn Preconditioner<f64> = match &mut self.inverse {
            Inverse::Identity => &mut Identity,
            Inverse::Diagonal(diagonal) => diagonal,
            Inverse::BlockDiagonal(blocks) => blocks,
            Inverse::IncompleteCholesky(factors, _) => factors,
            Inverse::IncompleteLu(factors, _) => factors,
            Inverse::Direct(direct) if couplings.is_empty() => {
                return direct.solve(&self.matrix, filter, b, p);
            }
            // Contacts come and go: the factors of the rest make short work of them.
            Inverse::Direct(direct) => &mut **direct,
        };
        let problem = pcg::Problem {
            operator: &Coupled {
                inner: &self.matrix,
                couplings,
            },
            filter,
            rhs: b,
            doubt: None,
        };
        pcg::solve(&problem, preconditioner, params, p, &mut self.work)
    }

    fn row_product(&self, parts: &Parts<'_>, row: usize, p: &[DVec3]) -> DVec3 {
        let families = parts.materials.families().zip(parts.terms);
        let product = |(family, terms): (&dyn Family, &Terms)| family.row_product(row, terms, p);
        parts.own_product(row, p) + families.map(product).sum::<DVec3>()
    }

    fn product(&mut self, couplings: &[Coupling<f64>], p: &[f64], image: &mut [f64]) {
        let operator = Coupled {
            inner: &self.matrix,
            couplings,
        };
        operator.apply(p, image);
    }

    fn record(&mut self, record: bool) {
        self.work.record(record);
    }

    fn residuals(&self) -> &[f64] {
        self.work.history()
    }
}
