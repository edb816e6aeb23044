//! Stretch and shear of `triangle-buckling`: tension along warp, weft and both diagonals, and
//! nothing in compression, since a cloth buckles at once.
//!
//! - Energy per area: `Σ_q ½ k_q (s_q − 1)²` over the directions with `s_q > 1`, where `s_q = |S_q|`,
//!   `S_q = q_u w_u + q_v w_v`, and q is u, v, (1, 1)/√2 and (−1, 1)/√2.
//! - Stress: `∂ψ/∂w_r = Σ_q k_q (s_q − 1) q_r n`, `n = S_q/s_q`.
//! - Jacobian: `k_q q_r q_t (nnᵀ + (1 − 1/s_q)(I − nnᵀ))`: exact, and positive semidefinite because
//!   `s_q > 1` is asked of all four directions. The matrix alone keeps `σ k_q q_r q_t nnᵀ` of a slack
//!   direction.
//! - Small strains, all taut: `C₁₁ = k_u + k_d/2`, `C₁₂ = k_d/2`, `G = k_d/2`.
//! - Dampers: along each direction, slack or not.
//! - Units: k in N/m, viscosities in N·s/m.
//! - Degenerate cases: a direction shorter than 1e-9 of its rest length has none and is left out.
//! - Source: the fourth source, equations 2–4 with its footnote, whose rule holds for all of them.
//! - Verified by: `tests/triangles.rs`.

use super::triangle::{Axes, DAMPERS, Membrane, Response, outer};
use crate::forces::Jacobian;
use glam::{DMat3, DVec3};
use std::f64::consts::FRAC_1_SQRT_2;

/// Warp, weft and the two diagonals, in pattern coordinates.
pub const DIRECTIONS: [[f64; 2]; 4] = [
    [1.0, 0.0],
    [0.0, 1.0],
    [FRAC_1_SQRT_2, FRAC_1_SQRT_2],
    [-FRAC_1_SQRT_2, FRAC_1_SQRT_2],
];

/// The tension-only law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tension {
    /// Stiffness along each direction, N/m.
    pub stiffness_n_per_m: [f64; 4],
    /// Viscosity along each direction, N·s/m.
    pub viscosity_n_s_per_m: [f64; 4],
    /// Share of a slack direction's stiffness kept in the matrix.
    pub slack_factor: f64,
    /// What the matrix keeps.
    pub jacobian: Jacobian,
}

/// Length and direction of an image, if it has any.
pub(super) fn split(image: DVec3) -> Option<(f64, DVec3)> {
    let length = image.length();
    (length > 1e-9).then(|| (length, image / length))
}

impl Tension {
    fn image(q: [f64; 2], w: Axes) -> DVec3 {
        q[0] * w[0] + q[1] * w[1]
    }
}

impl Membrane for Tension {
    fn respond(&self, w: Axes, padding: f64) -> Response {
        let padding = match self.jacobian {
            Jacobian::Exact => 0.0,
            Jacobian::DropOrthogonal | Jacobian::Projected => padding,
        };
        let mut response = Response::ZERO;
        for (q, k) in DIRECTIONS.into_iter().zip(self.stiffness_n_per_m) {
            let Some((s, n)) = split(Self::image(q, w)) else {
                continue;
            };
            let kept = if s > 1.0 {
                let strain = s - 1.0;
                response.energy += 0.5 * k * strain * strain;
                response.stress[0] += (k * strain * q[0]) * n;
                response.stress[1] += (k * strain * q[1]) * n;
                let transverse = k * strain / s;
                DMat3::from_diagonal(DVec3::splat(transverse)) + outer((k - transverse) * n, n)
            } else {
                outer((padding * self.slack_factor * k) * n, n)
            };
            response.hessian[0] += (q[0] * q[0]) * kept;
            response.hessian[1] += (q[0] * q[1]) * kept;
            response.hessian[2] += (q[1] * q[1]) * kept;
        }
        response
    }

    fn energy(&self, w: Axes) -> f64 {
        let directions = DIRECTIONS.into_iter().zip(self.stiffness_n_per_m);
        directions
            .map(|(q, k)| {
                let strain = (Self::image(q, w).length() - 1.0).max(0.0);
                0.5 * k * strain * strain
            })
            .sum()
    }

    fn dampers(&self, w: Axes) -> [Axes; DAMPERS] {
        std::array::from_fn(|k| {
            let q = DIRECTIONS[k];
            split(Self::image(q, w)).map_or([DVec3::ZERO; 2], |(_, n)| {
                let n = self.viscosity_n_s_per_m[k].sqrt() * n;
                [q[0] * n, q[1] * n]
            })
        })
    }

    fn has_dampers(&self) -> bool {
        self.viscosity_n_s_per_m.iter().any(|c| *c > 0.0)
    }

    fn is_definite(&self) -> bool {
        true
    }
}
