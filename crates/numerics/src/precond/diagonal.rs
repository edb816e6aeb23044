//! The diagonal: `P = diag(A)`, Jacobi's preconditioner.
//!
//! - Cost: a division a coordinate to build, a product to apply; parallel. It depends on the choice
//!   of axes, which the 3×3 blocks do not.
//! - Source: classical; the baseline of *Stable but Responsive Cloth*, section 4.

use crate::operator::Preconditioner;
use crate::{BlockCsr, par};
use glam::DVec3;

/// Inverse of the diagonal.
#[derive(Clone, Debug, Default)]
pub struct Diagonal {
    inverse: Vec<DVec3>,
}

impl Diagonal {
    /// Takes the diagonal of `matrix`, reusing this object's memory.
    pub fn refresh(&mut self, matrix: &BlockCsr) {
        self.inverse.resize(matrix.pattern().rows(), DVec3::ZERO);
        par::fill(&mut self.inverse, |row| {
            let block = matrix.diagonal_block(row);
            DVec3::new(block.x_axis.x, block.y_axis.y, block.z_axis.z).recip()
        });
    }
}

impl Preconditioner<f64> for Diagonal {
    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        let r: &[DVec3] = bytemuck::cast_slice(r);
        let z: &mut [DVec3] = bytemuck::cast_slice_mut(z);
        let inverse = &self.inverse;
        par::fill(z, |row| inverse[row] * r[row]);
    }
}
