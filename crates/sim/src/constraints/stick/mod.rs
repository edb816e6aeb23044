//! Cloth that sticks to things and lets go of them, and cloth that is fastened to them for good.
//!
//! - **Attaching.** An adhering particle that comes within reach of a sticky surface is bonded to the
//!   place it is at in the surface's own frame: that of a collider, or of a triangle of cloth, of a body
//!   or of a level set. Several triangles within reach may share it; it is then drawn to the mean of their places.
//! - **Holding.** The bond is a stiff spring in the implicit solve, towards where the place will be at
//!   the end of the step: [`Spring`] on what moves as prescribed, [`Tie`] on cloth, which feels the
//!   opposite force.
//! - **Letting go.** A bond that is stretched too far, or switched off, fades: its stiffness falls
//!   exponentially in time, its force never rises above that of the stretch at which it lets go, and it
//!   ends in a step in which what is left of it changes no velocity by more than
//!   [`QUIET_M_PER_S`]. So the step that releases a particle does not jerk it. A stiffness that falls
//!   with the stretch alone would: a light particle passes the last of the stretch within a step.
//! - Afterwards the particle may stick again, anywhere.
//! - Something fastened is a bond that is made at the start and never lets go.
//!
//! Linear momentum is exchanged between cloths exactly. Angular momentum is not where a particle is
//! bonded at a height above a triangle: the force acts at both ends of the height.
//!
//! Source: *Simulation of Clothing with Folds and Wrinkles*, section 6; the fading is our own.
//! Verified by: `tests/sticking.rs`, `tests/fastening.rs`.

mod acquire;
mod build;
mod place;
mod spec;
mod tie;

pub use place::{Place, Places, vertices};
pub use spec::{AttachSpec, StickSpec};
pub use tie::Tie;

use super::pin::{SAME_TIME_S, Spring};
use crate::model::Model;
use crate::model::spec::Thing;
use crate::state::State;
use glam::DVec3;
use toile_geometry::Bounds;

pub(crate) use build::add_all;

/// What is left of a bond when it ends changes velocities by no more than this, m/s.
pub const QUIET_M_PER_S: f64 = 0.01;

/// Particles that stick to surfaces, all in the same way; or those of one fastening.
#[derive(Clone, Debug, PartialEq)]
pub struct Stick {
    /// Adhering particles, ascending; none of a fastening, whose bonds are all made at the start.
    pub particles: Vec<u32>,
    /// What they stick to.
    pub to: Vec<Thing>,
    /// The part of it that is sticky, by where it starts; `None` is all of it.
    pub to_box: Option<Bounds>,
    /// Of each of them, the triangles that are sticky, ascending; `None` is all of them.
    pub to_faces: Option<Vec<Vec<u32>>>,
    /// Places that a particle may be bonded to at a time.
    pub places: usize,
    /// Distance within which a particle attaches, beyond that which it keeps in any case, m.
    pub reach_m: f64,
    /// Stretch at which it lets go, m; infinite if never.
    pub release_m: f64,
    /// Force by stretch, N/m.
    pub stiffness_n_per_m: f64,
    /// Time in which the stiffness of what lets go falls to 1/e, s.
    pub fade_s: f64,
    /// From when to when it is switched on, s; empty is always.
    pub active_s: Vec<[f64; 2]>,
}

impl Stick {
    /// Whether it is switched on at a time.
    pub fn is_active(&self, time_s: f64) -> bool {
        let within =
            |[from, to]: &[f64; 2]| time_s >= from - SAME_TIME_S && time_s < to - SAME_TIME_S;
        self.active_s.is_empty() || self.active_s.iter().any(within)
    }
}

/// A particle that sticks to a place, as remembered from one step to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bond {
    /// The particle.
    pub particle: u32,
    /// How it sticks, as an index into [`Model::sticks`].
    pub stick: u32,
    /// Where.
    pub place: Place,
    /// Share of the stiffness that is left.
    pub share: f64,
    /// Whether it is fading.
    pub letting_go: bool,
}

impl Bond {
    fn new(particle: u32, stick: u32, place: Place) -> Self {
        Self {
            particle,
            stick,
            place,
            share: 1.0,
            letting_go: false,
        }
    }

    fn key(&self) -> (u32, u32) {
        (self.particle, self.stick)
    }
}

/// What a bond is in the equations of a step.
#[derive(Clone, Copy, Debug)]
enum Pull {
    /// To a place whose motion is known.
    Known(Spring),
    /// To a place on cloth.
    Cloth(Tie),
}

impl Pull {
    /// The largest change of a velocity that it makes in a step that ends at `x`, m/s.
    fn velocity_change(&self, masses: &[f64], x: &[DVec3], step_s: f64) -> f64 {
        match self {
            Self::Known(spring) => {
                let i = spring.particle as usize;
                step_s / masses[i] * spring.force(x[i], 1.0).length()
            }
            Self::Cloth(tie) => {
                let force_n = tie.force(x).length();
                let shares = tie.particles.iter().zip(&tie.weights);
                let lightest = shares.map(|(i, weight)| weight.abs() / masses[*i as usize]);
                step_s * force_n * lightest.fold(0.0, f64::max)
            }
        }
    }
}

/// The bonds during a step.
#[derive(Clone, Debug, Default)]
pub struct Bonds {
    /// Ascending by particle, those of a particle and a stick next to each other.
    bonds: Vec<Bond>,
    /// One for each of them.
    pulls: Vec<Pull>,
}

impl Bonds {
    /// Decides which bonds there are in a step of `step_s` from `state`, and how strong they are.
    pub fn begin(&mut self, model: &Model, state: &State, step_s: f64) {
        self.bonds.clear();
        self.pulls.clear();
        if model.sticks.is_empty() {
            return;
        }
        let places = Places::new(model, state, step_s);
        self.bonds.extend_from_slice(&state.bonds);
        acquire::add(model, state, &places, &mut self.bonds);
        for group in self.bonds.chunk_by_mut(|a, b| a.key() == b.key()) {
            let stick = &model.sticks[group[0].stick as usize];
            let count = group.len() as f64;
            let mean_m = |stretch: &dyn Fn(&Bond) -> DVec3| {
                group.iter().map(stretch).sum::<DVec3>().length() / count
            };
            let stretch_m = mean_m(&|bond| places.stretch_at_start(bond));
            let ahead_m = mean_m(&|bond| places.stretch_ahead(bond)).max(stretch_m);
            let letting_go = group[0].letting_go
                || stretch_m > stick.release_m
                || !stick.is_active(state.time_s);
            let mut stiffness_n_per_m = stick.stiffness_n_per_m / count;
            if letting_go && ahead_m > stick.release_m {
                stiffness_n_per_m *= stick.release_m / ahead_m;
            }
            for bond in group {
                if letting_go {
                    bond.letting_go = true;
                    bond.share *= (-step_s / stick.fade_s).exp();
                }
                let stiffness_n_per_m = bond.share * stiffness_n_per_m;
                self.pulls.push(places.pull(bond, stiffness_n_per_m));
            }
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.bonds.len()
    }

    /// Those to places whose motion is known.
    pub fn springs(&self) -> impl Iterator<Item = Spring> {
        self.pulls.iter().filter_map(|pull| match pull {
            Pull::Known(spring) => Some(*spring),
            Pull::Cloth(_) => None,
        })
    }

    /// Those between cloth and cloth.
    pub fn ties(&self) -> impl Iterator<Item = Tie> {
        self.pulls.iter().filter_map(|pull| match pull {
            Pull::Known(_) => None,
            Pull::Cloth(tie) => Some(*tie),
        })
    }

    /// The bonds that are left after a step of `step_s` that ends at `positions`.
    pub fn finish(&self, model: &Model, positions: &[DVec3], step_s: f64) -> Vec<Bond> {
        let mut left = Vec::with_capacity(self.bonds.len());
        let mut pulls = self.pulls.iter();
        for group in self.bonds.chunk_by(|a, b| a.key() == b.key()) {
            let pulls = pulls.by_ref().take(group.len());
            let changes = pulls.map(|p| p.velocity_change(&model.masses, positions, step_s));
            let change_m_per_s: f64 = changes.sum();
            if !(group[0].letting_go && change_m_per_s <= QUIET_M_PER_S) {
                left.extend_from_slice(group);
            }
        }
        left
    }
}
