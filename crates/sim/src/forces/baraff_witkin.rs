//! `baraff-witkin`: the membrane everybody knows. Stretch along warp and weft in both senses, shear
//! by the angle between them.
//!
//! - Energy: per area, `½ k_u (|w_u| − 1)² + ½ k_v (|w_v| − 1)² + ½ k_s (w_u·w_v)²`. The original
//!   multiplies its conditions by the triangle's area and squares that too, which makes a cloth
//!   softer the finer it is cut; here the area enters once.
//! - Force: by the stress `k_u (|w_u| − 1) n_u + k_s c w_v` and the same with u and v exchanged, `c = w_u·w_v`.
//! - Jacobian: of stretch `k (nnᵀ + (1 − 1/s)(I − nnᵀ))`, indefinite when compressed; without
//!   `exact` its transverse part is then dropped. Of shear: `k_s (g gᵀ + c J)`, `g = (w_v, w_u)`,
//!   `J` exchanging the two axes; J has eigenvalues ±1, and without `exact` the half that c makes
//!   negative is dropped.
//! - Dampers: on the rates of the three conditions; the derivative of their direction is left out.
//! - Units: k in N/m, viscosities in N·s/m. For small strains `C₁₁ = k_u`, `C₁₂ = 0`, `G = k_s`.
//! - Degenerate cases: an axis shorter than 1e-9 has no direction and no stretch force.
//! - Source: Baraff and Witkin, *Large Steps in Cloth Simulation*, sections 4.2–4.5.
//! - Verified by: `tests/triangles.rs`.

use super::tension::split;
use super::triangle::{Axes, Membrane, Response, Strained, outer};
use crate::forces::Jacobian;
use glam::{DMat3, DVec3};

/// Two-sided stretch and angle shear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BaraffWitkin {
    /// Stretch stiffness along warp and weft, N/m.
    pub stretch_n_per_m: [f64; 2],
    /// Shear stiffness, N/m.
    pub shear_n_per_m: f64,
    /// Viscosity of the two stretches and the shear, N·s/m.
    pub viscosity_n_s_per_m: [f64; 3],
    /// What the matrix keeps.
    pub jacobian: Jacobian,
}

/// Gradients of the three conditions by the two axes.
fn gradients(w: Axes) -> [Axes; 3] {
    let direction = |axis: DVec3| split(axis).map_or(DVec3::ZERO, |(_, n)| n);
    [
        [direction(w[0]), DVec3::ZERO],
        [DVec3::ZERO, direction(w[1])],
        [w[1], w[0]],
    ]
}

impl Membrane for BaraffWitkin {
    const SYMMETRIC: bool = false;

    fn respond(&self, at: &Strained) -> Response {
        let (w, square) = (at.w, at.weights.stiffness_s2);
        let exact = self.jacobian == Jacobian::Exact;
        let mut response = Response::ZERO;
        for (axis, k) in self.stretch_n_per_m.into_iter().enumerate() {
            let Some((s, n)) = split(w[axis]) else {
                continue;
            };
            response.energy += 0.5 * k * (s - 1.0) * (s - 1.0);
            response.stress[axis] += k * (s - 1.0) * n;
            let transverse = k * (1.0 - 1.0 / s);
            let transverse = if exact {
                transverse
            } else {
                transverse.max(0.0)
            };
            response.hessian[2 * axis] +=
                DMat3::from_diagonal(DVec3::splat(transverse)) + outer((k - transverse) * n, n);
        }
        let (k, c) = (self.shear_n_per_m, w[0].dot(w[1]));
        response.energy += 0.5 * k * c * c;
        response.stress[0] += k * c * w[1];
        response.stress[1] += k * c * w[0];
        response.hessian[0] += outer(k * w[1], w[1]);
        response.hessian[1] += outer(k * w[1], w[0]);
        response.hessian[2] += outer(k * w[0], w[0]);
        let exchange = DMat3::from_diagonal(DVec3::splat(k * c));
        if exact {
            response.hessian[1] += exchange;
        } else {
            let kept = DMat3::from_diagonal(DVec3::splat(0.5 * (k * c).abs()));
            response.hessian[0] += kept;
            response.hessian[1] += 0.5 * exchange;
            response.hessian[2] += kept;
        }
        response.hessian = response.hessian.map(|h| square * h);
        for (gradient, viscosity) in gradients(w).into_iter().zip(self.viscosity_n_s_per_m) {
            if viscosity > 0.0 {
                response.damp(at, gradient, viscosity);
            }
        }
        response
    }

    fn energy(&self, w: Axes) -> f64 {
        let [u, v] = [0, 1].map(|k| self.stretch_n_per_m[k] * (w[k].length() - 1.0).powi(2));
        0.5 * (u + v + self.shear_n_per_m * w[0].dot(w[1]).powi(2))
    }

    fn dissipation(&self, w: Axes, rates: Axes) -> f64 {
        let dampers = gradients(w).into_iter().zip(self.viscosity_n_s_per_m);
        dampers
            .map(|([a, b], c)| 0.5 * c * (a.dot(rates[0]) + b.dot(rates[1])).powi(2))
            .sum()
    }

    fn has_dampers(&self) -> bool {
        self.viscosity_n_s_per_m.iter().any(|c| *c > 0.0)
    }

    fn is_definite(&self) -> bool {
        self.jacobian != Jacobian::Exact
    }
}
