//! Incomplete Cholesky factors without fill, IC(0), in 3×3 blocks: `P = L Lᵀ` with `L` where the
//! lower triangle of `A` is.
//!
//! - Cost: about `m²/2` block products a row to build, `m` blocks a row (25 for a grid with bending
//!   links), and as much as a product with `A` to apply; the triangular solves are serial.
//! - Breakdown: dropped fill can leave an indefinite pivot. The factors are then built anew from
//!   `A + s diag(A)` with a growing shift `s`.
//! - Source: Meijerink and van der Vorst (1977); the shift is Manteuffel's (1980).

use super::pivot;
use crate::BlockCsr;
use crate::operator::Preconditioner;
use glam::{DMat3, DVec3};

/// Incomplete Cholesky factors.
#[derive(Clone, Debug, Default)]
pub struct IncompleteCholesky {
    /// Where each row's blocks left of the diagonal start.
    row_start: Vec<usize>,
    columns: Vec<u32>,
    lower: Vec<DMat3>,
    /// Inverses of the diagonal blocks of `L`.
    inverse: Vec<DMat3>,
    shift: f64,
}

impl IncompleteCholesky {
    /// Factors `matrix`, reusing this object's memory.
    pub fn refresh(&mut self, matrix: &BlockCsr) {
        let pattern = matrix.pattern();
        let rows = pattern.rows();
        self.inverse.resize(rows, DMat3::ZERO);
        if self.row_start.len() != rows + 1 {
            self.row_start = vec![0];
            self.columns.clear();
            for row in 0..rows {
                let left = pattern.row(row).start..pattern.diagonal(row);
                self.columns.extend(left.map(|place| pattern.column(place)));
                self.row_start.push(self.columns.len());
            }
            self.lower.resize(self.columns.len(), DMat3::ZERO);
        }
        for shift in pivot::SHIFTS {
            self.shift = shift;
            if self.factor(matrix) {
                break;
            }
        }
    }

    /// Share of the diagonal that had to be added; 0 when the matrix was factored as it is.
    pub fn shift(&self) -> f64 {
        self.shift
    }

    /// Whether all pivots were positive definite. One that is not takes the block's diagonal.
    fn factor(&mut self, matrix: &BlockCsr) -> bool {
        let pattern = matrix.pattern();
        let mut sound = true;
        for row in 0..pattern.rows() {
            let (start, end) = (self.row_start[row], self.row_start[row + 1]);
            let source = &matrix.blocks()[pattern.row(row)];
            let own = matrix.diagonal_block(row);
            let diagonal = DMat3::from_diagonal(own.diagonal());
            let mut pivot_block = own + self.shift * diagonal;
            for (k, from) in (start..end).zip(source) {
                let column = self.columns[k] as usize;
                let sum = self.product_of_rows(start..k, column);
                self.lower[k] = (*from - sum) * self.inverse[column].transpose();
                pivot_block -= self.lower[k] * self.lower[k].transpose();
            }
            let factor = pivot::cholesky(&pivot_block);
            sound &= factor.is_some();
            let fallback = || DMat3::from_diagonal(own.diagonal().abs().map(f64::sqrt));
            self.inverse[row] = factor.unwrap_or_else(fallback).inverse();
        }
        sound
    }

    /// `Σ L_ij L_kjᵀ` over the columns that part of row i (places `range`) and row `k` share.
    fn product_of_rows(&self, range: std::ops::Range<usize>, k: usize) -> DMat3 {
        let mut sum = DMat3::ZERO;
        let mut other = self.row_start[k];
        let other_end = self.row_start[k + 1];
        for place in range {
            let column = self.columns[place];
            while other < other_end && self.columns[other] < column {
                other += 1;
            }
            if other == other_end {
                break;
            }
            if self.columns[other] == column {
                sum += self.lower[place] * self.lower[other].transpose();
            }
        }
        sum
    }
}

impl Preconditioner<f64> for IncompleteCholesky {
    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        z.copy_from_slice(r);
        let z: &mut [DVec3] = bytemuck::cast_slice_mut(z);
        for row in 0..z.len() {
            let mut sum = z[row];
            for k in self.row_start[row]..self.row_start[row + 1] {
                sum -= self.lower[k] * z[self.columns[k] as usize];
            }
            z[row] = self.inverse[row] * sum;
        }
        for row in (0..z.len()).rev() {
            let value = self.inverse[row].transpose() * z[row];
            z[row] = value;
            for k in self.row_start[row]..self.row_start[row + 1] {
                z[self.columns[k] as usize] -= self.lower[k].transpose() * value;
            }
        }
    }
}
