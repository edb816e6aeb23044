//! Contact of cloth with cloth as stages of a step: what touches before it, and the guard after it.

use super::proximity::{self, Ahead};
use super::{Guard, Guarded, Listing, Movable, Surfaces, Touch};
use crate::config::ClothContact;
use crate::constraints::contact::{End, Holds};
use crate::error::StepError;
use crate::model::Model;
use crate::state::State;
use glam::DVec3;
use toile_geometry::distance::between;

/// The surfaces of a model, and scratch memory of the stages.
pub struct Stages {
    contact: ClothContact,
    gravity_m_per_s2: f64,
    surfaces: Surfaces,
    listing: Listing,
    guard: Guard,
    expected: Vec<DVec3>,
    inverse_masses: Vec<f64>,
    free: Vec<bool>,
    arriving: Vec<bool>,
    pushes: Vec<DVec3>,
    supports: Vec<DVec3>,
    /// Where the step has got so far on a safe way.
    reached: Vec<DVec3>,
}

impl Stages {
    /// For `model`.
    pub fn new(model: &Model, contact: ClothContact) -> Self {
        let mut thickness_m = Vec::with_capacity(model.particles());
        for cloth in &model.cloths {
            // Neighbours at rest must not be in contact with each other.
            let most = MOST_OF_EDGE * model.shortest_link_m;
            let thickness = cloth.thickness_m.min(most);
            thickness_m.extend(std::iter::repeat_n(thickness, cloth.particles.len()));
        }
        let surfaces = Surfaces {
            faces: model.faces.clone(),
            thickness_m,
            shortest_edge_m: model.shortest_link_m,
        };
        Self {
            contact,
            gravity_m_per_s2: model.gravity_m_per_s2.length(),
            listing: Listing::new(&surfaces),
            surfaces,
            guard: Guard::default(),
            expected: Vec::new(),
            inverse_masses: Vec::new(),
            free: Vec::new(),
            arriving: Vec::new(),
            pushes: Vec::new(),
            supports: Vec::new(),
            reached: Vec::new(),
        }
    }

    /// Finds what touches in a step of `step_s` from `state`.
    pub fn begin(
        &mut self,
        model: &Model,
        state: &State,
        holds: &mut Holds,
        step_s: f64,
        touches: &mut Vec<Touch>,
    ) {
        let fall = step_s * step_s * model.gravity_m_per_s2;
        self.inverse_masses.clear();
        self.inverse_masses
            .extend(model.masses.iter().map(|m| m.recip()));
        self.supports.clear();
        self.supports.resize(model.particles(), DVec3::ZERO);
        self.expected.clear();
        let free = state.positions.iter().zip(&state.velocities);
        self.expected
            .extend(free.map(|(x, v)| *x + step_s * *v + fall));
        self.free.clear();
        self.free.resize(model.particles(), true);
        self.arriving.clear();
        self.arriving.resize(model.particles(), false);
        for particle in holds.arriving() {
            self.arriving[particle as usize] = true;
        }
        for target in &holds.targets {
            let i = target.particle as usize;
            // Cloth may be in the way to where it would arrive.
            if self.arriving[i] {
                continue;
            }
            self.free[i] = false;
            let (x, hold) = (state.positions[i], target.hold);
            let free = hold.free_part(self.expected[i] - x);
            self.expected[i] = x + free + hold.held_part(target.position - x);
        }
        for particle in holds.pinned() {
            self.inverse_masses[particle as usize] = 0.0;
        }
        self.reached.clear();
        self.reached.extend_from_slice(&state.positions);
        touches.clear();
        self.guard.caught.clear();
        self.find(state, step_s, touches);
        self.pushes.clear();
        self.pushes.resize(model.particles(), DVec3::ZERO);
        self.release_stopped(holds, touches);
    }

    /// Lets go of particles that cloth stops before they reach a collider.
    fn release_stopped(&mut self, holds: &mut Holds, touches: &[Touch]) {
        self.pushes.fill(DVec3::ZERO);
        for touch in touches.iter().filter(|touch| touch.expected) {
            for (&vertex, &weight) in touch.pair.vertices.iter().zip(&touch.weights) {
                self.pushes[vertex as usize] += weight * touch.normal;
            }
        }
        let pushes = &self.pushes;
        holds.release_arriving(|particle, out| pushes[particle as usize].dot(out) > 0.0);
        self.supports.fill(DVec3::ZERO);
        for (particle, normal) in holds.supported() {
            self.supports[particle as usize] = normal;
        }
    }

    /// Finds what touches where the step has got so far.
    fn find(&mut self, state: &State, step_s: f64, touches: &mut Vec<Touch>) {
        let ahead = Ahead {
            start: &state.positions,
            positions: &self.reached,
            expected: &self.expected,
            inverse_masses: &self.inverse_masses,
            free: &self.free,
            remembered: &state.touches,
            step_s,
            gravity_m_per_s2: self.gravity_m_per_s2,
            friction: self.contact.friction,
            caught: &self.guard.caught,
        };
        proximity::find(&self.surfaces, &ahead, &mut self.listing, touches);
    }

    /// Goes on from where the guard stopped the way: finds what touches there. Returns that place, for
    /// the solver to begin from.
    pub fn look_again(
        &mut self,
        state: &State,
        holds: &mut Holds,
        step_s: f64,
        touches: &mut Vec<Touch>,
    ) -> &[DVec3] {
        self.find(state, step_s, touches);
        self.release_stopped(holds, touches);
        &self.reached
    }

    /// Whether the guard changed the way so much that the step should be solved again from there.
    pub fn wants_another_look(&self, guarded: &Guarded) -> bool {
        guarded.largest_change_m > LARGE_CHANGE * self.surfaces.shortest_edge_m
    }

    /// Keeps apart what would pass through each other on the way from where the step has got so far to
    /// its end.
    pub fn guard(&mut self, step_s: f64, end: &mut End<'_>) -> Result<Guarded, StepError> {
        let movable = Movable {
            inverse_masses: &self.inverse_masses,
            supports: &self.supports,
        };
        self.expected.clear();
        self.expected.extend_from_slice(end.positions);
        let guarded = self
            .guard
            .keep_apart(
                &self.surfaces,
                &mut self.listing,
                &movable,
                &self.reached,
                end.positions,
            )
            .map_err(|crushed| StepError::Crushed {
                vertices: crushed.pair.vertices,
            })?;
        if guarded.touched > 0 {
            for (i, before) in self.expected.iter().enumerate() {
                let safe = end.positions[i];
                if safe != *before {
                    end.positions[i] = *before;
                    end.jump(i, (safe - *before) / step_s, safe - *before);
                    // Sums round: only the very place that was proved safe is.
                    end.positions[i] = safe;
                }
            }
        }
        self.reached.copy_from_slice(end.positions);
        Ok(guarded)
    }

    /// Takes over into `state` what the next step must know of the contacts. Returns whether there was a
    /// blow: a change of velocity by contact that no multistep scheme may take for an acceleration that
    /// goes on.
    pub fn finish(
        &mut self,
        touches: &[Touch],
        step_s: f64,
        (positions, velocities): (&[DVec3], &[DVec3]),
        state: &mut State,
    ) -> bool {
        state.touches.clear();
        let gentle_m_per_s = GENTLE * step_s * self.gravity_m_per_s2;
        let mut blow = false;
        for touch in touches {
            let Some(contact) = touch.remember(&touch.pair.of(positions)) else {
                continue;
            };
            state.touches.push(contact);
            let [now, before] = [velocities, &state.velocities].map(|v| touch.pair.of(v));
            let gained = between(&touch.weights, &now) - between(&touch.weights, &before);
            blow |= touch.normal.dot(gained) > gentle_m_per_s;
        }
        blow
    }
}

/// Largest thickness as a share of the shortest edge.
const MOST_OF_EDGE: f64 = 0.5;
/// A change of the way by this much, in shortest edges, stretches cloth.
const LARGE_CHANGE: f64 = 0.02;
/// Changes of velocity up to this many times those of free fall are no blows.
const GENTLE: f64 = 2.0;
