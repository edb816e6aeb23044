//! A two-sided spring, for comparison: what cloth models used before buckling was let happen.
//!
//! - Energy: `E = ½ k (r − L)²`.
//! - Force: tension `T = k (r − L)`, a push where `r < L`.
//! - Jacobian: exactly `k nnᵀ + k (1 − L/r)(I − nnᵀ)`; the transverse part is negative wherever the
//!   spring is compressed, and unbounded as `r → 0`. This is the instability that the immediately
//!   buckling model avoids.
//! - Units: k in N/m, lengths in m.
//! - Degenerate cases: `r → 0` leaves the matrix without its transverse part.
//! - Source: *Stable but Responsive Cloth*, section 2.
//! - Verified by: `tests/hookean.rs`.

use crate::assembly::links::{AxialLaw, Response};

/// Parameters of one class of springs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HookeanLink {
    /// Stiffness k, N/m.
    pub stiffness_n_per_m: f64,
    /// Rest length L, m.
    pub rest_length_m: f64,
}

impl AxialLaw for HookeanLink {
    const PUSHES: bool = true;

    fn rest_length_m(&self) -> f64 {
        self.rest_length_m
    }

    fn respond(&self, length_m: f64) -> Response {
        let k = self.stiffness_n_per_m;
        let extension = length_m - self.rest_length_m;
        Response {
            energy_j: 0.5 * k * extension * extension,
            tension_n: k * extension,
            slope_n_per_m: k,
            slack_stiffness_n_per_m: 0.0,
        }
    }
}
