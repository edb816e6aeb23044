//! Incomplete LU factors without fill, ILU(0), in 3×3 blocks: `P = L U` with `L` and `U` where `A`
//! is, `L` with unit diagonal.
//!
//! - Cost: twice the work and memory of IC(0), for it knows nothing of symmetry. On a symmetric
//!   matrix it finds `U = D Lᵀ`, the same preconditioner up to rounding; the source tried both.
//! - Breakdown: as for IC(0), a growing shift of the diagonal.
//! - Source: Meijerink and van der Vorst (1977); Saad, *Iterative Methods for Sparse Linear Systems*,
//!   algorithm 10.4.

use super::pivot;
use crate::operator::Preconditioner;
use crate::{BlockCsr, Pattern};
use glam::{DMat3, DVec3};
use std::sync::Arc;

/// Incomplete LU factors.
#[derive(Clone, Debug, Default)]
pub struct IncompleteLu {
    pattern: Option<Arc<Pattern>>,
    /// `L` left of the diagonal, `U` from there on.
    factors: Vec<DMat3>,
    /// Inverses of the diagonal blocks of `U`.
    inverse: Vec<DMat3>,
    shift: f64,
}

impl IncompleteLu {
    /// Factors `matrix`, reusing this object's memory.
    pub fn refresh(&mut self, matrix: &BlockCsr) {
        self.pattern = Some(matrix.pattern().clone());
        self.inverse.resize(matrix.pattern().rows(), DMat3::ZERO);
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
        self.factors.clear();
        self.factors.extend_from_slice(matrix.blocks());
        let mut sound = true;
        for row in 0..pattern.rows() {
            let (range, diagonal) = (pattern.row(row), pattern.diagonal(row));
            let own = matrix.diagonal_block(row).diagonal();
            self.factors[diagonal] += DMat3::from_diagonal(self.shift * own);
            for place in range.start..diagonal {
                let above = pattern.column(place) as usize;
                let multiplier = self.factors[place] * self.inverse[above];
                self.factors[place] = multiplier;
                let mut target = place + 1;
                for source in pattern.diagonal(above) + 1..pattern.row(above).end {
                    let column = pattern.column(source);
                    while target < range.end && pattern.column(target) < column {
                        target += 1;
                    }
                    if target == range.end {
                        break;
                    }
                    if pattern.column(target) == column {
                        let product = multiplier * self.factors[source];
                        self.factors[target] -= product;
                    }
                }
            }
            let block = self.factors[diagonal];
            let is_sound = pivot::cholesky(&block).is_some();
            sound &= is_sound;
            self.inverse[row] = if is_sound {
                block.inverse()
            } else {
                DMat3::from_diagonal(own.abs().recip())
            };
        }
        sound
    }
}

impl Preconditioner<f64> for IncompleteLu {
    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        z.copy_from_slice(r);
        let z: &mut [DVec3] = bytemuck::cast_slice_mut(z);
        let Some(pattern) = &self.pattern else {
            return;
        };
        for row in 0..z.len() {
            let mut sum = z[row];
            for place in pattern.row(row).start..pattern.diagonal(row) {
                sum -= self.factors[place] * z[pattern.column(place) as usize];
            }
            z[row] = sum;
        }
        for row in (0..z.len()).rev() {
            let mut sum = z[row];
            for place in pattern.diagonal(row) + 1..pattern.row(row).end {
                sum -= self.factors[place] * z[pattern.column(place) as usize];
            }
            z[row] = self.inverse[row] * sum;
        }
    }
}
