//! Gradients of a sampled field by finite differences over a length `η`.
//!
//! | stencil | samples | error |
//! |---|---|---|
//! | one-sided | 4 | O(η): `η/2` times the second derivative along each axis |
//! | central | 6 | O(η²): `η²/6` times the third derivative along each axis |
//! | simplex | 4 | O(η): the corners of a tetrahedron have no opposites, so second derivatives stay |
//!
//! The simplex has been called second order; it is not. Of a second derivative `H` it leaves
//! `3η/8 Σ dₖ (dₖ·H dₖ)`, which vanishes for pure second derivatives `∂²/∂x²` but not for mixed ones.
//!
//! Verified by: `tests/levelset_gradient.rs`.

use glam::DVec3;

/// How a gradient is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Stencil {
    /// The point and one neighbour an axis; first order.
    OneSided,
    /// Two neighbours an axis; second order.
    #[default]
    Central,
    /// The corners of a regular tetrahedron around the point; first order.
    Simplex,
}

impl Stencil {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::OneSided, Self::Central, Self::Simplex];

    /// Order of the error in the length.
    pub fn order(self) -> u32 {
        match self {
            Self::OneSided | Self::Simplex => 1,
            Self::Central => 2,
        }
    }

    /// Gradient of `field` at a point, with differences over `length_m`.
    pub fn gradient(self, length_m: f64, point: DVec3, field: impl Fn(DVec3) -> f64) -> DVec3 {
        match self {
            Self::OneSided => {
                let here = field(point);
                let along = |axis: DVec3| field(point + length_m * axis) - here;
                DVec3::new(along(DVec3::X), along(DVec3::Y), along(DVec3::Z)) / length_m
            }
            Self::Central => {
                let along =
                    |axis: DVec3| field(point + length_m * axis) - field(point - length_m * axis);
                DVec3::new(along(DVec3::X), along(DVec3::Y), along(DVec3::Z)) / (2.0 * length_m)
            }
            Self::Simplex => {
                const CORNERS: [DVec3; 4] = [
                    DVec3::new(1.0, 1.0, 1.0),
                    DVec3::new(1.0, -1.0, -1.0),
                    DVec3::new(-1.0, 1.0, -1.0),
                    DVec3::new(-1.0, -1.0, 1.0),
                ];
                // With corners of length √3, Σ d dᵀ = 4 I.
                let scale = length_m / 3.0_f64.sqrt();
                let sum: DVec3 = CORNERS
                    .iter()
                    .map(|corner| *corner * field(point + scale * *corner))
                    .sum();
                sum / (4.0 * scale)
            }
        }
    }
}
