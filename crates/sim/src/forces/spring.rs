//! A two-sided spring between two particles, with a length at rest of its own: what rods are made of.
//!
//! - Energy: that of [`HookeanLink`], `E = ½ k (r − L)²`.
//! - Force: `(T + k_d n·w) n` on the first particle and the opposite on the second, with the tension `T`, the
//!   direction `n` from the first to the second and the second's relative velocity `w`.
//! - Jacobian: `k nnᵀ + max(T/r, 0)(I − nnᵀ)`: the exact one wherever the spring pulls, and positive where it
//!   pushes. The damper's is `k_d nnᵀ`.
//! - Units: k in N/m, k_d in N·s/m.
//! - Degenerate cases: ends nearer than 1e-9 of the length at rest have no direction and feel nothing.
//! - Source: as [`HookeanLink`].
//! - Verified by: `tests/chain.rs`.

use super::hookean_link::HookeanLink;
use super::triangle::outer;
use crate::assembly::elements::{Element, Linearised, Local};
use crate::assembly::links::AxialLaw;
use glam::{DMat3, DVec3};

/// One spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Its law.
    pub law: HookeanLink,
    /// Damper along it, N·s/m.
    pub damping_n_s_per_m: f64,
}

impl Element<2> for Spring {
    type Pairs = [DMat3; 1];
    /// Its direction.
    type Frozen = DVec3;
    const SYMMETRIC: bool = true;

    fn energy(&self, [a, b]: [DVec3; 2], _memory: &[f64]) -> f64 {
        self.law.respond(a.distance(b)).energy_j
    }

    fn linearise(&self, local: &Local<'_, 2>) -> Linearised<[DMat3; 1], DVec3, 2> {
        let between = local.x[1] - local.x[0];
        let length_m = between.length();
        let response = self.law.respond(length_m);
        if length_m <= 1e-9 * self.law.rest_length_m {
            return Linearised {
                energy_j: response.energy_j,
                ..Linearised::default()
            };
        }
        let n = between / length_m;
        let rate = n.dot(local.v[1] - local.v[0]);
        let pull = (response.tension_n + self.damping_n_s_per_m * rate) * n;
        let weights = &local.weights;
        let transverse = weights.stiffness_s2 * response.tension_n.max(0.0) / length_m;
        let axial = weights.stiffness_s2 * response.slope_n_per_m
            + weights.damping_s * self.damping_n_s_per_m;
        let block =
            DMat3::from_diagonal(DVec3::splat(transverse)) + outer((axial - transverse) * n, n);
        Linearised {
            forces: [pull, -pull],
            pairs: [-block],
            energy_j: response.energy_j,
            dissipation_w: 0.5 * self.damping_n_s_per_m * rate * rate,
            frozen: n,
        }
    }

    fn energy_near(&self, _frozen: &DVec3, x: [DVec3; 2]) -> f64 {
        self.energy(x, &[])
    }

    fn dissipation(&self, n: &DVec3, v: [DVec3; 2]) -> f64 {
        0.5 * self.damping_n_s_per_m * n.dot(v[1] - v[0]).powi(2)
    }

    fn has_dampers(&self) -> bool {
        self.damping_n_s_per_m > 0.0
    }

    fn is_definite(&self) -> bool {
        true
    }
}
