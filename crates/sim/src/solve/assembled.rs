//! The assembled form of the linear system, and all ways to solve it.

use crate::config::Preconditioner as Choice;
use crate::constraints::StepConstraints;
use crate::forces::Terms;
use crate::model::{Materials, Model};
use glam::{DMat3, DVec3};
use toile_numerics::constrain::constrain;
use toile_numerics::direct::Direct;
use toile_numerics::operator::{Identity, Preconditioner};
use toile_numerics::precond::{BlockDiagonal, Diagonal, IncompleteCholesky, IncompleteLu};
use toile_numerics::{BlockCsr, Coupled, Coupling, pcg};

/// The matrix in block rows, what inverts it, and scratch memory.
pub struct Assembled {
    /// The matrix of the last linearisation.
    pub matrix: BlockCsr,
    inverse: Inverse,
    projections: Vec<DMat3>,
    /// Scratch memory of the iteration.
    pub work: pcg::Workspace<f64>,
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

impl Assembled {
    /// Memory for `model`.
    pub fn new(model: &Model, choice: Choice) -> Self {
        let matrix = BlockCsr::zeros(model.matrix_pattern.clone());
        let inverse = match choice {
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

    /// Forms `M − α D − s K`; every row gathers from its own particle's elements.
    pub fn assemble(
        &mut self,
        (model, materials): (&Model, &Materials),
        terms: &[Terms],
        extra_diagonal: &[DMat3],
    ) {
        let pattern = &*model.matrix_pattern;
        self.matrix.for_each_row(|row, blocks| {
            blocks.fill(DMat3::ZERO);
            let diagonal = pattern.diagonal(row) - pattern.row(row).start;
            blocks[diagonal] = DMat3::from_diagonal(DVec3::splat(model.masses[row]));
            if let Some(extra) = extra_diagonal.get(row) {
                blocks[diagonal] += *extra;
            }
            for (family, terms) in materials.families().zip(terms) {
                family.add_row(row, diagonal, terms, blocks);
            }
        });
    }

    /// Prepares the solver for the matrix and what is held.
    pub fn invert(&mut self, holds: &StepConstraints) {
        let (matrix, filter) = (&self.matrix, &holds.filter);
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

    /// Solves `A p = b`; see [`pcg::solve`].
    pub fn solve(
        &mut self,
        holds: &StepConstraints,
        couplings: &[Coupling<f64>],
        b: &[f64],
        p: &mut [f64],
        params: &pcg::Params,
    ) -> Result<pcg::Info, pcg::Error> {
        let preconditioner: &mut dyn Preconditioner<f64> = match &mut self.inverse {
            Inverse::Identity => &mut Identity,
            Inverse::Diagonal(diagonal) => diagonal,
            Inverse::BlockDiagonal(blocks) => blocks,
            Inverse::IncompleteCholesky(factors, _) => factors,
            Inverse::IncompleteLu(factors, _) => factors,
            Inverse::Direct(direct) if couplings.is_empty() => {
                return direct.solve(&self.matrix, &holds.filter, b, p);
            }
            // Contacts come and go: the factors of the rest make short work of them.
            Inverse::Direct(direct) => &mut **direct,
        };
        let problem = pcg::Problem {
            operator: &Coupled {
                inner: &self.matrix,
                couplings,
            },
            filter: &holds.filter,
            rhs: b,
            doubt: None,
        };
        pcg::solve(&problem, preconditioner, params, p, &mut self.work)
    }
}
