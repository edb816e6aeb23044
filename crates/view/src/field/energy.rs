//! Elastic energy of a deformed sheet.
//!
//! Per area of the pattern, with strains ε along warp, weft and the two diagonals between them:
//! `W = ½ k_warp ε_warp² + ½ k_weft ε_weft² + k_shear (ε₊² + ε₋²)`.
//!
//! That is what links along the sides and diagonals of square cells store in a uniform
//! deformation. It leaves bending out, and is an estimate where cells are not square.

use super::Gradient;

/// Stiffness of a sheet in its plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stiffness {
    /// Along warp, N/m.
    pub warp_n_per_m: f64,
    /// Along weft, N/m.
    pub weft_n_per_m: f64,
    /// Along the diagonals, N/m.
    pub shear_n_per_m: f64,
    /// Whether it resists compression too, or buckles without resistance.
    pub pushes: bool,
}

impl Stiffness {
    /// Elastic energy per area of the pattern, J/m², without bending.
    pub fn density_j_per_m2(&self, gradient: &Gradient) -> f64 {
        let Gradient { warp, weft } = *gradient;
        let square = |length: f64| {
            let strain = length - 1.0;
            let counts = self.pushes || strain > 0.0;
            if counts { strain * strain } else { 0.0 }
        };
        let diagonal = |v: glam::DVec3| square(v.length() * std::f64::consts::FRAC_1_SQRT_2);
        0.5 * self.warp_n_per_m * square(warp.length())
            + 0.5 * self.weft_n_per_m * square(weft.length())
            + self.shear_n_per_m * (diagonal(warp + weft) + diagonal(warp - weft))
    }
}
