//! Stretch and shear of `triangle-buckling`: tension along warp, weft and both diagonals, and
//! nothing in compression, since a cloth buckles at once.
//!
//! - Energy: per area, `Σ_q ½ k_q (s_q − 1)²` over the directions with `s_q > 1`, where `s_q = |S_q|`,
//!   `S_q = q_u w_u + q_v w_v`, and q is u, v, (1, 1)/√2 and (−1, 1)/√2.
//! - Force: by the stress `∂ψ/∂w_r = Σ_q k_q (s_q − 1) q_r n`, `n = S_q/s_q`.
//! - Jacobian: `k_q q_r q_t (nnᵀ + (1 − 1/s_q)(I − nnᵀ))`: exact, and positive semidefinite because
//!   `s_q > 1` is asked of all four directions. The matrix alone keeps `σ k_q q_r q_t nnᵀ` of a slack
//!   direction.
//! - Small strains, all taut: `C₁₁ = k_u + k_d/2`, `C₁₂ = k_d/2`, `G = k_d/2`.
//! - Dampers: along each direction, slack or not.
//! - Units: k in N/m, viscosities in N·s/m.
//! - Degenerate cases: a direction shorter than 1e-9 of its rest length has none and is left out.
//! - Source: the fourth source, equations 2–4 with its footnote, whose rule holds for all of them.
//! - Verified by: `tests/triangles.rs`.

use super::triangle::{Axes, Membrane, Response, Strained};
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

/// A symmetric matrix `[xx, xy, xz, yy, yz, zz]`.
type Symmetric = [f64; 6];

/// `a + f b`.
fn plus(a: Symmetric, f: f64, b: Symmetric) -> Symmetric {
    std::array::from_fn(|i| a[i] + f * b[i])
}

fn full([xx, xy, xz, yy, yz, zz]: Symmetric) -> DMat3 {
    DMat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz])
}

impl Tension {
    fn image(q: [f64; 2], w: Axes) -> DVec3 {
        q[0] * w[0] + q[1] * w[1]
    }

    /// Adds one direction; returns its share of the matrix, `isotropic I + axial nnᵀ`.
    #[inline(always)]
    fn add(&self, k: usize, at: &Strained, slack: f64, response: &mut Response) -> Symmetric {
        let q = DIRECTIONS[k];
        let (stiffness, viscosity) = (self.stiffness_n_per_m[k], self.viscosity_n_s_per_m[k]);
        let Some((s, n)) = split(Self::image(q, at.w)) else {
            return [0.0; 6];
        };
        let rate = n.dot(Self::image(q, at.rates));
        let strain = (s - 1.0).max(0.0);
        let tension = stiffness * strain + viscosity * rate;
        response.energy += 0.5 * stiffness * strain * strain;
        response.dissipation += 0.5 * viscosity * rate * rate;
        response.stress[0] += (tension * q[0]) * n;
        response.stress[1] += (tension * q[1]) * n;
        let isotropic = at.weights.stiffness_s2 * stiffness * strain / s;
        let along = if s > 1.0 { 1.0 } else { slack };
        let axial = at.weights.stiffness_s2 * stiffness * along - isotropic
            + at.weights.damping_s * viscosity;
        let m = axial * n;
        [
            isotropic + m.x * n.x,
            m.x * n.y,
            m.x * n.z,
            isotropic + m.y * n.y,
            m.y * n.z,
            isotropic + m.z * n.z,
        ]
    }
}

impl Membrane for Tension {
    const SYMMETRIC: bool = true;

    #[inline]
    fn respond(&self, at: &Strained) -> Response {
        let slack = match self.jacobian {
            Jacobian::Exact => 0.0,
            Jacobian::DropOrthogonal | Jacobian::Projected => at.padding * self.slack_factor,
        };
        let mut response = Response::ZERO;
        // One by one, so that each knows its direction when it is compiled.
        let u = self.add(0, at, slack, &mut response);
        let v = self.add(1, at, slack, &mut response);
        let one = self.add(2, at, slack, &mut response);
        let other = self.add(3, at, slack, &mut response);
        // The diagonals have q_u² = q_v² = ½ and q_u q_v = ±½.
        let diagonals = plus(one, 1.0, other);
        response.hessian = [
            full(plus(u, 0.5, diagonals)),
            full(plus([0.0; 6], 0.5, plus(one, -1.0, other))),
            full(plus(v, 0.5, diagonals)),
        ];
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

    fn dissipation(&self, w: Axes, rates: Axes) -> f64 {
        let directions = DIRECTIONS.into_iter().zip(self.viscosity_n_s_per_m);
        directions
            .map(|(q, viscosity)| {
                let rate =
                    split(Self::image(q, w)).map_or(0.0, |(_, n)| n.dot(Self::image(q, rates)));
                0.5 * viscosity * rate * rate
            })
            .sum()
    }

    fn has_dampers(&self) -> bool {
        self.viscosity_n_s_per_m.iter().any(|c| *c > 0.0)
    }

    fn is_definite(&self) -> bool {
        true
    }
}
