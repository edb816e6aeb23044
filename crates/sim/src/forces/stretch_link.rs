//! Type 1: stretch and shear links between neighbours and along cell diagonals. Cloth pulls; it
//! does not push.
//!
//! - Energy: `E = ½ k (r − L)²` for `r ≥ L`, else 0.
//! - Force: tension `T = k (r − L)` for `r ≥ L`, else 0.
//! - Jacobian: exact and positive semidefinite when taut, `k nnᵀ + k (1 − L/r)(I − nnᵀ)`. When
//!   slack the exact block is zero; the matrix keeps `σ k nnᵀ`, which for backward Euler is a
//!   damper along the slack link. It changes no force, but without it a particle that goes slack
//!   flies freely within one linear solve, snaps back in the next, and never settles at large
//!   steps.
//! - Units: k in N/m, lengths in m.
//! - Degenerate cases: `r → 0` is slack, so nothing is divided by it.
//! - Source: *Stable but Responsive Cloth*, equations 1–3; σ is ours.
//! - Verified by: `tests/derivatives.rs`, `tests/pins.rs`.

use crate::assembly::lanes::{Lanes, LawLanes};
use crate::assembly::links::{AxialLaw, Response};

/// Parameters of one class of stretch or shear links.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StretchLink {
    /// Stiffness k, N/m.
    pub stiffness_n_per_m: f64,
    /// Rest length L, m.
    pub rest_length_m: f64,
    /// Share σ of the axial stiffness kept in the matrix when slack.
    pub slack_factor: f64,
}

impl AxialLaw for StretchLink {
    const PUSHES: bool = false;

    fn rest_length_m(&self) -> f64 {
        self.rest_length_m
    }

    #[inline]
    fn respond_lanes(&self, lengths_m: Lanes) -> LawLanes {
        let (k, rest) = (
            Lanes::splat(self.stiffness_n_per_m),
            Lanes::splat(self.rest_length_m),
        );
        let taut = lengths_m.simd_ge(rest);
        let extension = (lengths_m - rest).max(Lanes::ZERO);
        LawLanes {
            energy_j: k * extension * extension * 0.5,
            tension_n: k * extension,
            slope_n_per_m: taut & k,
            slack_stiffness_n_per_m: taut.select(Lanes::ZERO, k * self.slack_factor),
        }
    }

    fn respond(&self, length_m: f64) -> Response {
        let k = self.stiffness_n_per_m;
        let taut = length_m >= self.rest_length_m;
        let extension = (length_m - self.rest_length_m).max(0.0);
        Response {
            energy_j: 0.5 * k * extension * extension,
            tension_n: k * extension,
            slope_n_per_m: if taut { k } else { 0.0 },
            slack_stiffness_n_per_m: if taut { 0.0 } else { self.slack_factor * k },
        }
    }
}
