//! Membranes given as laws of Green's strain, on triangles: `measured`.
//!
//! - Energy: per area, `W(e)`, `e = (½(w_u·w_u − 1), ½(w_v·w_v − 1), w_u·w_v)`.
//! - Force: by the stress `P_u = S_uu w_u + S_uv w_v`, `P_v = S_uv w_u + S_vv w_v`, `S = ∂W/∂e`.
//! - Jacobian: `Σ_ij T_ij g_i g_jᵀ` with the law's tangent T and the strains' gradients
//!   `g = (w_u, 0), (0, w_v), (w_v, w_u)`, plus the stress `S` on every component of the axes. Unless
//!   `exact`, both are projected to what is positive.
//! - Dampers: on the rates of the three strains.
//! - Units: as the law.
//! - Degenerate cases: none of its own; strains are polynomials of the axes.
//! - Source: St. Venant–Kirchhoff's kinematics; see [`super::measured`] for the law.
//! - Verified by: `tests/triangles.rs`.

use super::measured::Measured;
use super::triangle::{Axes, Membrane, Response, Strained, outer};
use crate::assembly::links::Jacobian;
use glam::{DMat2, DMat3, DVec2, DVec3};

/// A measured law on triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredMembrane {
    /// The law.
    pub law: Measured,
    /// What it is multiplied by.
    pub factor: f64,
    /// Viscosity of the three strains, N·s/m.
    pub viscosity_n_s_per_m: f64,
    /// What the matrix keeps.
    pub jacobian: Jacobian,
}

/// Green's strain `e_uu, e_vv, 2e_uv`.
fn strain(w: Axes) -> DVec3 {
    DVec3::new(
        0.5 * (w[0].length_squared() - 1.0),
        0.5 * (w[1].length_squared() - 1.0),
        w[0].dot(w[1]),
    )
}

/// Gradients of the three strains by the two axes.
fn gradients(w: Axes) -> [Axes; 3] {
    [[w[0], DVec3::ZERO], [DVec3::ZERO, w[1]], [w[1], w[0]]]
}

impl Membrane for MeasuredMembrane {
    const SYMMETRIC: bool = false;

    fn respond(&self, at: &Strained) -> Response {
        let w = at.w;
        let strain = strain(w);
        let exact = self.jacobian == Jacobian::Exact;
        let law = match exact {
            true => self.law.exact(strain),
            false => self.law.respond(strain),
        };
        let stress = self.factor * law.stress_n_per_m;
        let tangent = self.factor * law.tangent_n_per_m;
        let g = gradients(w);
        let mut hessian = [DMat3::ZERO; 3];
        for (i, g_i) in g.iter().enumerate() {
            let mut image = [DVec3::ZERO; 2];
            for (j, g_j) in g.iter().enumerate() {
                let t = tangent.col(j)[i];
                image[0] += t * g_j[0];
                image[1] += t * g_j[1];
            }
            hessian[0] += outer(g_i[0], image[0]);
            hessian[1] += outer(g_i[0], image[1]);
            hessian[2] += outer(g_i[1], image[1]);
        }
        let mut held = DMat2::from_cols_array(&[stress.x, stress.z, stress.z, stress.y]);
        if !exact {
            held = semidefinite(held);
        }
        for (block, share) in hessian
            .iter_mut()
            .zip([held.x_axis.x, held.x_axis.y, held.y_axis.y])
        {
            *block += DMat3::from_diagonal(DVec3::splat(share));
        }
        let mut response = Response {
            energy: self.factor * law.energy_j_per_m2,
            dissipation: 0.0,
            stress: [
                stress.x * w[0] + stress.z * w[1],
                stress.z * w[0] + stress.y * w[1],
            ],
            hessian: hessian.map(|h| at.weights.stiffness_s2 * h),
        };
        if self.has_dampers() {
            for gradient in g {
                response.damp(at, gradient, self.viscosity_n_s_per_m);
            }
        }
        response
    }

    fn energy(&self, w: Axes) -> f64 {
        self.factor * self.law.exact(strain(w)).energy_j_per_m2
    }

    fn dissipation(&self, w: Axes, rates: Axes) -> f64 {
        let rate = |[a, b]: Axes| a.dot(rates[0]) + b.dot(rates[1]);
        let squares = gradients(w).map(|gradient| rate(gradient).powi(2));
        0.5 * self.viscosity_n_s_per_m * squares.iter().sum::<f64>()
    }

    fn has_dampers(&self) -> bool {
        self.viscosity_n_s_per_m > 0.0
    }

    fn is_definite(&self) -> bool {
        self.jacobian != Jacobian::Exact
    }
}

/// A symmetric matrix without its negative eigenvalues.
fn semidefinite(a: DMat2) -> DMat2 {
    let (mean, half) = (
        0.5 * (a.x_axis.x + a.y_axis.y),
        0.5 * (a.x_axis.x - a.y_axis.y),
    );
    let radius = half.hypot(a.x_axis.y);
    let [low, high] = [mean - radius, mean + radius];
    if low >= 0.0 {
        return a;
    }
    if high <= 0.0 {
        return DMat2::ZERO;
    }
    // The projector onto the eigenvector of the positive one.
    let projector = (a - low * DMat2::IDENTITY) * (1.0 / (high - low));
    let [x, y] = [projector.x_axis, projector.y_axis].map(|column| high * column);
    DMat2::from_cols(x, DVec2::new(x.y, y.y))
}
