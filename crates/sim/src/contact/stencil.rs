//! Contact of two features as a potential in the implicit solve: which points, and under which law.
//!
//! A stencil is made where a step begins, or where it is solved again from a safe place, and does not change
//! while it is solved. Its energy, force and Jacobian are those of [`crate::contact::potential`]; which stencils
//! act, and under which lagged normal force, is the business of [`crate::contact::active`].
//!
//! The weights `aᵢ` are those of the closest points where the pair was found, and the normal is that of the
//! plane that the two surfaces have in common there ([`crate::contact::common_normal`]). The distance kept is
//! the cloth's thickness, or what was left of it where contact was seen late ([`crate::contact::memory`]). The
//! stiffness is what stops the reduced mass of the two points within a step, or in the time of a fall through
//! that distance if that is shorter, several times over, so that it depends on no material; between cloths it
//! lasts when steps become longer again ([`crate::contact::memory`]).
//!
//! Features nearer than rounding have no normal and make no contact: the guard keeps them as they are.
//!
//! Verified by: `tests/touching.rs`.

use crate::contact::memory::Remembered;
use crate::contact::surfaces::Pair;
use glam::DVec3;
use toile_geometry::distance::{Weights, between};

/// A contact of a step.
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
    /// How its points act on each other.
    pub law: ContactLaw,
    /// What the step starts with.
    pub before: ContactStart,
    /// Distance of the points when they were found, m.
    pub gap_m: f64,
    /// How far each vertex moves along the normal when the points are moved apart by one metre; 0
    /// where it is held.
    pub give: [f64; 4],
    /// Whether what is known so far, at first free flight, would bring the points nearer than the distance kept.
    pub expected: bool,
}

/// The parameters of a contact's potential.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactLaw {
    /// Distance that is kept, m.
    pub distance_m: f64,
    /// `κ`, N/m.
    pub stiffness_n_per_m: f64,
    /// Coefficient of friction.
    pub friction: f64,
}

/// A contact where the step starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactStart {
    /// Where the points were to each other, m.
    pub apart: DVec3,
    /// Slip that they bring along, m.
    pub slip: DVec3,
    /// Normal force at the end of the step before, N.
    pub normal_force_n: f64,
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

    /// Whether a body has a part in it.
    pub fn is_on_body(&self) -> bool {
        self.on_bodies.iter().any(Option::is_some)
    }

    /// How far its two points go to each other when the particles go `ways`.
    pub fn way_of(&self, ways: &[DVec3]) -> DVec3 {
        let ways = self.particles().map(|(k, i)| self.weights[k] * ways[i]);
        ways.sum()
    }

    /// How far the points are inside the distance kept, m; negative outside.
    pub fn depth_m(&self, x: &[DVec3; 4]) -> f64 {
        self.law.distance_m - self.normal.dot(between(&self.weights, x))
    }

    /// The slip at `x`, m.
    pub fn slip_at(&self, x: &[DVec3; 4]) -> DVec3 {
        let moved = between(&self.weights, x) - self.before.apart;
        self.before.slip + moved.reject_from_normalized(self.normal)
    }

    /// What to remember of it after a step that ended at `x`; nothing if it has ended.
    pub fn remember(&self, x: &[DVec3; 4]) -> Option<Remembered> {
        let ContactLaw {
            distance_m,
            stiffness_n_per_m,
            friction,
        } = self.law;
        let depth_m = self.depth_m(x);
        let normal_force_n = stiffness_n_per_m * depth_m;
        let most_m = friction * normal_force_n / stiffness_n_per_m;
        (depth_m > 0.0).then(|| Remembered {
            pair: self.pair,
            slip: self.slip_at(x).clamp_length_max(most_m),
            normal_force_n,
            depth_m,
            distance_m,
        })
    }
}
