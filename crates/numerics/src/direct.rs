//! Complete sparse Cholesky factors: the direct solver.
//!
//! - Cost: nested elimination of an n × n grid takes `O(n³)` time and `O(n² log n)` memory: about a
//!   second and 0.5 GB at n = 201, against some milliseconds for an iteration that converges. Its
//!   answer is exact to rounding whatever the condition, so it is the reference at huge steps.
//! - The symbolic part (ordering, fill) depends on the pattern alone and is done once. Held
//!   directions are taken out by [`constrain`], which leaves the pattern as it is.
//! - Determinism: sequential, so no result depends on threads.
//! - Source: approximate minimum degree and supernodal Cholesky of `faer`.

use crate::constrain::constrain;
use crate::operator::{Filter, Operator, Preconditioner};
use crate::pcg::{Error, Info};
use crate::{BlockCsr, ParticleFilter};
use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::{Llt, SymbolicLlt};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat};
use faer::{MatMut, Side};
use glam::DMat3;

/// Factors of a matrix and memory for the next ones.
pub struct Direct {
    constrained: BlockCsr,
    projections: Vec<DMat3>,
    /// The lower triangle by columns; equally the upper triangle by rows, since it is symmetric.
    columns: SymbolicSparseColMat<usize>,
    values: Vec<f64>,
    symbolic: Option<SymbolicLlt<usize>>,
    factors: Option<Llt<usize, f64>>,
}

impl Direct {
    /// Analyses the pattern of `matrix`.
    pub fn new(matrix: &BlockCsr) -> Self {
        let pattern = matrix.pattern();
        let n = 3 * pattern.rows();
        let mut starts = vec![0];
        let mut rows = Vec::new();
        for block in 0..pattern.rows() {
            for axis in 0..3 {
                rows.extend(3 * block + axis..3 * block + 3);
                for place in pattern.diagonal(block) + 1..pattern.row(block).end {
                    let first = 3 * pattern.column(place) as usize;
                    rows.extend(first..first + 3);
                }
                starts.push(rows.len());
            }
        }
        let values = vec![0.0; rows.len()];
        let columns = SymbolicSparseColMat::new_checked(n, n, starts, None, rows);
        // Only a lack of memory can make the analysis fail; `solve` then says so.
        let symbolic = SymbolicLlt::try_new(columns.as_ref(), Side::Lower).ok();
        Self {
            constrained: BlockCsr::zeros(pattern.clone()),
            projections: Vec::new(),
            columns,
            values,
            symbolic,
            factors: None,
        }
    }

    /// Factors `S A S + I − S`. A matrix without factors is reported by [`Direct::solve`].
    pub fn refresh(&mut self, matrix: &BlockCsr, filter: &ParticleFilter) {
        constrain(matrix, filter, &mut self.projections, &mut self.constrained);
        let pattern = self.constrained.pattern();
        let blocks = self.constrained.blocks();
        let mut values = self.values.iter_mut();
        let mut put = |numbers: &[f64]| {
            // The numbers come first: they end first, and no place is taken in vain.
            for (number, value) in numbers.iter().zip(values.by_ref()) {
                *value = *number;
            }
        };
        for row in 0..pattern.rows() {
            let own = pattern.diagonal(row);
            for axis in 0..3 {
                // Row `axis` of a block right of the diagonal is the column below it.
                put(&blocks[own].row(axis).to_array()[axis..]);
                for block in &blocks[own + 1..pattern.row(row).end] {
                    put(&block.row(axis).to_array());
                }
            }
        }
        let matrix = SparseColMatRef::new(self.columns.as_ref(), &self.values);
        self.factors = self
            .symbolic
            .clone()
            .and_then(|symbolic| Llt::try_new_with_symbolic(symbolic, matrix, Side::Lower).ok());
    }

    /// Solves `A x = b` for the free part of `x`; the held part stays.
    pub fn solve(
        &mut self,
        matrix: &BlockCsr,
        filter: &ParticleFilter,
        rhs: &[f64],
        x: &mut [f64],
    ) -> Result<Info, Error> {
        let n = matrix.len();
        for found in [rhs.len(), x.len()] {
            if found != n {
                return Err(Error::Length { expected: n, found });
            }
        }
        let Some(factors) = &self.factors else {
            return Err(Error::NoFactors);
        };
        let mut free = x.to_vec();
        filter.project(&mut free);
        for (x, free) in x.iter_mut().zip(&free) {
            *x -= free;
        }
        let residual = &mut free;
        matrix.apply(x, residual);
        for (r, b) in residual.iter_mut().zip(rhs) {
            *r = b - *r;
        }
        filter.project(residual);
        factors.solve_in_place(MatMut::from_column_major_slice_mut(residual, n, 1));
        filter.project(residual);
        if !residual.iter().all(|value| value.is_finite()) {
            return Err(Error::NonFinite { iteration: 1 });
        }
        for (x, y) in x.iter_mut().zip(&*residual) {
            *x += y;
        }
        Ok(Info {
            iterations: 1,
            relative_residual: 0.0,
            converged: true,
        })
    }
}

impl Preconditioner<f64> for Direct {
    /// The exact inverse; without factors, which refreshing reports, nothing at all.
    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        z.copy_from_slice(r);
        if let Some(factors) = &self.factors {
            factors.solve_in_place(MatMut::from_column_major_slice_mut(z, r.len(), 1));
        }
    }
}
