//! Contact of two features, as an energy in the implicit solve.
//!
//! - **Energy.** `E = κ/2 (h − d)²` where the distance `d = n·Σ aᵢ xᵢ` is below `h`, with the weights
//!   `aᵢ` of the closest points where the pair was found, and the normal `n` of the plane that the two
//!   surfaces have in common there ([`crate::contact::common_normal`]). Friction has the
//!   potential `κ|s|²/2`, and `F|s|` less a constant where that is steeper than `F = μ fₙ`, for the
//!   slip `s`: the tangential motion since the two points first met, as far as friction held it.
//!   `h` is the cloth's thickness, or what was left of it where contact was seen late
//!   ([`crate::contact::memory`]).
//! - **Force.** `aᵢ (κ(h − d) n − min(κ|s|, F) ŝ)` on vertex `i`.
//! - **Jacobian.** `−aᵢ aⱼ H` with `H = κ nnᵀ + κ (1 − nnᵀ)` sticking, and
//!   `H = κ nnᵀ + (F/|s|)(1 − nnᵀ − ŝŝᵀ)` sliding: positive semidefinite. The normal force in `F` lags
//!   by an iteration.
//! - **Units.** `κ` N/m, `h`, `d`, `s` m, `F` N.
//! - **Degenerate cases.** Features nearer than rounding have no normal and make no contact: the guard
//!   keeps them as they are. A slip of zero has no direction and no force.
//! - **Source.** Penalty contact with lagged Coulomb friction and an elastic slip that the cone
//!   bounds, as in the return mapping of plasticity. `κ` is what stops the reduced mass of the two
//!   points within a step, or in the time of a fall through `h` if that is shorter, several times over,
//!   so that it depends on no material; between cloths it lasts when steps become longer again
//!   ([`crate::contact::memory`]).
//! - **Verified by.** `tests/touching.rs`.

use crate::contact::memory::Remembered;
use crate::contact::surfaces::Pair;
use glam::{DMat3, DVec3};
use toile_geometry::distance::{Weights, between};

/// A contact during one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactStencil {
    /// What touches.
    pub pair: Pair,
    /// Weights of the closest points where the pair was found.
    pub weights: Weights,
    /// Where its vertices that belong to bodies are at the end of the step, m.
    pub on_bodies: [Option<DVec3>; 4],
    /// From the second point to the first.
    pub normal: DVec3,
    /// Distance that is kept, m.
    pub distance_m: f64,
    /// `κ`, N/m.
    pub stiffness_n_per_m: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// Distance of the points when they were found, m.
    pub gap_m: f64,
    /// Where the points were to each other at the start of the step, m.
    pub start: DVec3,
    /// Slip at the start, m.
    pub slip: DVec3,
    /// How far each vertex moves along the normal when the points are moved apart by one metre; 0
    /// where it is held.
    pub give: [f64; 4],
    /// Whether free flight would bring the points nearer than the distance kept.
    pub expected: bool,
    /// Normal force at the end of the step before, N.
    pub force_before_n: f64,
    /// Normal force when last looked at, N.
    pub normal_force_n: f64,
    /// Whether it was made when last looked at.
    pub is_made: bool,
    /// Friction on the first point when last looked at, N.
    pub drag_n: DVec3,
    /// Force on the first point as last linearised, N, at the start, and how it falls on the way, N/m.
    pub push_n: DVec3,
    /// See above.
    pub stiffness: DMat3,
}

/// What friction does at one slip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag {
    /// Force on the first point, N.
    pub force: DVec3,
    /// How it stiffens, N/m.
    pub stiffness: DMat3,
    /// Potential, J.
    pub potential_j: f64,
    /// Whether the points slide on each other.
    pub slides: bool,
}

impl ContactStencil {
    /// Where its vertices are when the particles are at `positions`.
    pub fn at(&self, positions: &[DVec3]) -> [DVec3; 4] {
        let place = |k: usize| {
            self.on_bodies[k].unwrap_or_else(|| positions[self.pair.vertices[k] as usize])
        };
        [0, 1, 2, 3].map(place)
    }

    /// Those of its vertices that are particles, each with its place in the pair.
    pub fn particles(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let all = (0..4).filter(|k| self.on_bodies[*k].is_none());
        all.map(|k| (k, self.pair.vertices[k] as usize))
    }

    /// How far the points are inside the distance kept, m; negative outside.
    pub fn depth_m(&self, x: &[DVec3; 4]) -> f64 {
        self.distance_m - self.normal.dot(between(&self.weights, x))
    }

    /// The slip at `x`, m.
    pub fn slip_at(&self, x: &[DVec3; 4]) -> DVec3 {
        let moved = between(&self.weights, x) - self.start;
        self.slip + moved.reject_from_normalized(self.normal)
    }

    /// Friction at `x`, with the normal force as last looked at.
    pub fn drag(&self, x: &[DVec3; 4]) -> Drag {
        let most = self.friction * self.normal_force_n;
        let none = Drag {
            force: DVec3::ZERO,
            stiffness: DMat3::ZERO,
            potential_j: 0.0,
            slides: false,
        };
        if most <= 0.0 {
            return none;
        }
        let kappa = self.stiffness_n_per_m;
        let slip = self.slip_at(x);
        let length = slip.length();
        let tangent = DMat3::IDENTITY - outer(self.normal, self.normal);
        if kappa * length <= most {
            Drag {
                force: -kappa * slip,
                stiffness: kappa * tangent,
                potential_j: 0.5 * kappa * length * length,
                slides: false,
            }
        } else {
            let along = slip / length;
            Drag {
                force: -most * along,
                stiffness: (most / length) * (tangent - outer(along, along)),
                potential_j: most * (length - 0.5 * most / kappa),
                slides: true,
            }
        }
    }

    /// Force on the first point at `x`, N, with the normal force of friction as last looked at.
    pub fn force(&self, x: &[DVec3; 4]) -> DVec3 {
        let depth = self.depth_m(x);
        if depth <= 0.0 {
            return DVec3::ZERO;
        }
        self.stiffness_n_per_m * depth * self.normal + self.drag(x).force
    }

    /// Energy of the normal contact at `x`, J.
    pub fn energy_j(&self, x: &[DVec3; 4]) -> f64 {
        0.5 * self.stiffness_n_per_m * self.depth_m(x).max(0.0).powi(2)
    }

    /// What to remember of it after a step that ended at `x`; nothing if it has ended.
    pub fn remember(&self, x: &[DVec3; 4]) -> Option<Remembered> {
        let depth = self.depth_m(x);
        let normal_force_n = self.stiffness_n_per_m * depth;
        (depth > 0.0).then(|| Remembered {
            pair: self.pair,
            slip: self
                .slip_at(x)
                .clamp_length_max(self.friction * normal_force_n / self.stiffness_n_per_m),
            normal_force_n,
            depth_m: depth,
            distance_m: self.distance_m,
        })
    }
}

/// `a bᵀ`.
fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}
