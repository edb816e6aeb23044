//! Contact of cloth with cloth and bodies as stages of a step: what touches before it, and the guard
//! after it.
//!
//! All lists here hold the particles and after them the vertices of bodies.

use crate::bodies;
use crate::config::{Response, StepConfig};
use crate::constraints::{End, StepConstraints};
use crate::contact::balance::balance;
use crate::contact::collect::proximity;
use crate::contact::collect::proximity::Ahead;
use crate::contact::impulses;
use crate::contact::impulses::{Impulses, Struck};
use crate::contact::{
    ContactStencil, Crushed, FrictionTable, Guard, Guarded, Listing, Movable, Particles, Surfaces,
    Untangler,
};
use crate::error::StepError;
use crate::model::Model;
use crate::state::State;
use crate::step::StepStart;
use glam::DVec3;
use toile_geometry::FacePair;
use toile_geometry::distance::between;

/// The surfaces of a model, and scratch memory of the stages.
pub struct FeatureContact {
    rubbing: FrictionTable,
    gravity_m_per_s2: f64,
    surfaces: Surfaces,
    listing: Listing,
    guard: Guard,
    /// What frees cloth that starts crossed, if that is wanted.
    untangler: Option<Untangler>,
    /// What answers contact instead of the solver, if that is wanted.
    impulses: Option<Impulses>,
    /// What the solver knows of contact of cloth with cloth instead of features, if that is wanted.
    particles: Option<Particles>,
    struck: Struck,
    is_blow: bool,
    /// Whether cloth that bodies press into something is let through: when nothing else has helped.
    pub yields: bool,
    /// Whether nothing is led in the step: neither bodies and colliders, nor pins.
    is_still: bool,
    /// Where the step begins, and where bodies are at its end.
    start: Vec<DVec3>,
    body_ends: Vec<DVec3>,
    expected: Vec<DVec3>,
    /// The end that the guard makes safe.
    safe: Vec<DVec3>,
    inverse_masses: Vec<f64>,
    free: Vec<bool>,
    arriving: Vec<bool>,
    stopped: Vec<bool>,
    supports: Vec<DVec3>,
    /// Where the step has got so far on a safe way.
    reached: Vec<DVec3>,
}

impl FeatureContact {
    /// For `model`; without contact in `config`, cloth meets bodies alone.
    pub fn new(model: &Model, config: &StepConfig) -> Self {
        let contact = config.contact;
        let surfaces = Surfaces::new(model, contact.is_none());
        let on_cloth = contact.map_or(0.0, |contact| contact.friction);
        let mut start = model.start_positions.clone();
        bodies::place_all(&model.bodies, 0.0, &mut start);
        Self {
            rubbing: FrictionTable::new(model, on_cloth),
            gravity_m_per_s2: model.gravity_m_per_s2.length(),
            listing: Listing::new(&surfaces, &start),
            particles: (config.response == Response::Particles && contact.is_some())
                .then(|| Particles::new(&surfaces)),
            surfaces,
            guard: Guard::default(),
            untangler: config.untangle.then(Untangler::default),
            impulses: match config.response {
                Response::Solver | Response::Particles => None,
                Response::Impulses { restitution } => Some(Impulses::new(restitution)),
            },
            struck: Struck::default(),
            is_blow: false,
            yields: false,
            is_still: false,
            start: Vec::new(),
            body_ends: Vec::new(),
            expected: Vec::new(),
            safe: Vec::new(),
            inverse_masses: Vec::new(),
            free: Vec::new(),
            arriving: Vec::new(),
            stopped: Vec::new(),
            supports: Vec::new(),
            reached: Vec::new(),
        }
    }

    /// The next step goes on from a state that does not follow from the last one.
    pub fn restart(&mut self) {
        if let Some(untangler) = &mut self.untangler {
            untangler.forget();
        }
    }

    /// Particles that are pinched between bodies and colliders in the last step.
    pub fn pinched(&self) -> usize {
        self.listing.pinches.pinched
    }

    /// Particles that are let through bodies in the last step, as there is no room for them.
    pub fn let_through(&self) -> usize {
        self.listing.pinches.let_through()
    }

    /// Whether cloth may be in bodies at the end of the last step: it was where the step began, or is let
    /// through.
    pub fn is_in_bodies(&self) -> bool {
        let untangler = self.untangler.as_ref();
        let began = untangler.is_some_and(|untangler| !untangler.in_bodies().is_empty());
        began || self.listing.pinches.is_busy()
    }

    /// Pairs of triangles that crossed where the step begins and are being freed.
    pub fn crossings(&self) -> usize {
        let untangler = self.untangler.as_ref();
        untangler.map_or(0, |untangler| untangler.crossings)
    }

    /// Finds what touches in a step of `step_s` from `state`.
    pub fn begin(
        &mut self,
        step: &StepStart<'_>,
        holds: &mut StepConstraints,
        touches: &mut Vec<ContactStencil>,
    ) -> Result<(), StepError> {
        let StepStart {
            model,
            state,
            step_s,
            ..
        } = *step;
        if model.friction.iter().any(|pair| pair.friction.changes()) {
            self.rubbing.refresh(model, step.materials);
        }
        let fall = step_s * step_s * model.gravity_m_per_s2;
        let vertices = self.surfaces.thickness_m.len();
        self.start.clear();
        self.start.extend_from_slice(&state.positions);
        bodies::place_all(&model.bodies, state.time_s, &mut self.start);
        self.body_ends.clear();
        bodies::place_all(&model.bodies, state.time_s + step_s, &mut self.body_ends);
        self.is_still = self.start[model.particles()..] == self.body_ends && !holds.leads();
        self.inverse_masses.clear();
        self.inverse_masses
            .extend(model.masses.iter().map(|m| m.recip()));
        self.inverse_masses.resize(vertices, 0.0);
        self.supports.clear();
        self.supports.resize(vertices, DVec3::ZERO);
        self.expected.clear();
        let free = state.positions.iter().zip(&state.velocities);
        self.expected
            .extend(free.map(|(x, v)| *x + step_s * *v + fall));
        self.expected.extend_from_slice(&self.body_ends);
        self.free.clear();
        self.free.resize(model.particles(), true);
        self.free.resize(vertices, false);
        self.arriving.clear();
        self.arriving.resize(model.particles(), false);
        for particle in holds.colliders.arriving() {
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
        self.reached.extend_from_slice(&self.start);
        touches.clear();
        self.guard.caught.clear();
        let mut in_bodies: &[FacePair] = &[];
        if let Some(untangler) = &mut self.untangler {
            untangler.begin(&self.surfaces, &self.start, state.steps)?;
            self.listing.loose.clear();
            self.listing.loose.extend_from_slice(untangler.loose());
            in_bodies = untangler.in_bodies();
        }
        let pinches = &mut self.listing.pinches;
        pinches.begin(&self.surfaces, &self.start, &self.body_ends, in_bodies)?;
        self.find(state, step_s, touches);
        let pinches = &mut self.listing.pinches;
        pinches.squeeze(model, state, step_s, &self.start, touches);
        if let (true, Some(untangler)) = (pinches.is_busy(), &mut self.untangler) {
            untangler.doubt();
        }
        self.refuse_fast_bodies(touches)?;
        self.stopped.clear();
        self.stopped.resize(vertices, false);
        self.release_stopped(holds, touches);
        (self.struck, self.is_blow) = Default::default();
        if let Some(impulses) = &mut self.impulses {
            // The solver is not to know.
            impulses.begin(touches);
            touches.clear();
        }
        Ok(())
    }

    /// Contacts are looked for where the step begins: a body that moves by several edges meets other
    /// features than those, and would tear cloth along with it instead of pushing it.
    fn refuse_fast_bodies(&self, touches: &[ContactStencil]) -> Result<(), StepError> {
        let limit_m = MOST_APPROACH * self.surfaces.shortest_edge_m;
        let on_body = |touch: &&ContactStencil| touch.on_bodies.iter().any(Option::is_some);
        let approach = |touch: &ContactStencil| {
            let ends = touch.pair.of(&self.expected);
            (between(&touch.weights, &ends) - touch.start).length()
        };
        let fastest = touches.iter().filter(on_body).map(approach);
        let motion_m = fastest.fold(0.0, f64::max);
        if motion_m > limit_m {
            return Err(StepError::TooFast { motion_m, limit_m });
        }
        Ok(())
    }

    /// Lets go of particles that cloth stops before they reach a collider. One contact with what lies
    /// between is enough, however much presses from the other side.
    fn release_stopped(&mut self, holds: &mut StepConstraints, touches: &[ContactStencil]) {
        self.support(holds);
        self.stopped.fill(false);
        for touch in touches.iter().filter(|touch| touch.expected) {
            for (&vertex, &weight) in touch.pair.vertices.iter().zip(&touch.weights) {
                let i = vertex as usize;
                self.stopped[i] |= weight * touch.normal.dot(self.supports[i]) > 0.0;
            }
        }
        holds.release_arriving(|particle| self.stopped[particle as usize]);
        self.support(holds);
    }

    /// Notes what rests on colliders, or arrives there.
    fn support(&mut self, holds: &StepConstraints) {
        self.supports.fill(DVec3::ZERO);
        for (particle, normal) in holds.colliders.supported() {
            self.supports[particle as usize] = normal;
        }
    }

    /// Finds what touches where the step has got so far.
    fn find(&mut self, state: &State, step_s: f64, touches: &mut Vec<ContactStencil>) {
        let ahead = Ahead {
            start: &self.start,
            positions: &self.reached,
            expected: &self.expected,
            body_ends: &self.body_ends,
            inverse_masses: &self.inverse_masses,
            free: &self.free,
            remembered: &state.touches,
            step_s,
            gravity_m_per_s2: self.gravity_m_per_s2,
            rubbing: &self.rubbing,
            is_solved: self.impulses.is_none(),
            caught: &self.guard.caught,
        };
        proximity::find(&self.surfaces, &ahead, &mut self.listing, touches);
        if let Some(particles) = &mut self.particles {
            particles.find(&self.surfaces, &ahead, touches);
        }
        if let Some(untangler) = &self.untangler {
            untangler.calm(touches);
        }
        if self.is_still && self.impulses.is_none() && self.particles.is_none() {
            balance(&self.surfaces, &state.touches, touches);
        }
    }

    /// Goes on from where the guard stopped the way: finds what touches there. Returns that place, for
    /// the solver to begin from.
    pub fn collect_again(
        &mut self,
        step: &StepStart<'_>,
        holds: &mut StepConstraints,
        touches: &mut Vec<ContactStencil>,
    ) -> &[DVec3] {
        self.find(step.state, step.step_s, touches);
        self.release_stopped(holds, touches);
        &self.reached[..self.surfaces.particles()]
    }

    /// Whether the guard changed the way so much that the step should be solved again from there.
    pub fn wants_another_look(&self, guarded: &Guarded) -> bool {
        // A solver that knows nothing of contacts would do the same again.
        self.impulses.is_none()
            && self.particles.is_none()
            && guarded.largest_change_m > LARGE_CHANGE * self.surfaces.shortest_edge_m
    }

    /// Changes the end of a step as solved: ends the approach of what impulses have left to meet. Colliders come
    /// after it: what it leads into one is put out.
    pub fn settle(&mut self, step_s: f64, end: &mut End<'_>) {
        self.answer(step_s, end, Impulses::settle);
    }

    /// Changes the end of a step: leads out what is crossed, and carries what is pinched.
    pub fn respond(&mut self, step_s: f64, end: &mut End<'_>) {
        let movable = Movable {
            inverse_masses: &self.inverse_masses,
            supports: &self.supports,
        };
        if let Some(untangler) = &mut self.untangler {
            let particles = self.surfaces.particles();
            let ways = self.body_ends.iter().zip(&self.start[particles..]);
            let ways = ways.map(|(end, start)| *end - *start);
            untangler.push(&self.surfaces, &movable, ways, step_s, end);
        }
        let pinches = &self.listing.pinches;
        pinches.push(&movable, &self.start, step_s, end);
    }

    /// Changes the end of a step by the impulses of what meets on the way there, where contact is not the
    /// solver's business. Returns whether there were any.
    pub fn strike(&mut self, step_s: f64, end: &mut End<'_>) -> bool {
        self.answer(step_s, end, Impulses::respond)
    }

    /// Has impulses, if there are any, answer what meets on the way to the end of a step; returns whether
    /// that changed it.
    fn answer(
        &mut self,
        step_s: f64,
        end: &mut End<'_>,
        how: impl FnOnce(
            &mut Impulses,
            &Surfaces,
            &mut Listing,
            &impulses::Step<'_>,
            &mut End<'_>,
        ) -> Struck,
    ) -> bool {
        let Some(impulses) = &mut self.impulses else {
            return false;
        };
        let step = impulses::Step {
            movable: Movable {
                inverse_masses: &self.inverse_masses,
                supports: &self.supports,
            },
            rubbing: &self.rubbing,
            start: &self.start,
            body_ends: &self.body_ends,
            step_s,
            gravity_m_per_s2: self.gravity_m_per_s2,
        };
        let struck = how(impulses, &self.surfaces, &mut self.listing, &step, end);
        self.is_blow |= Impulses::is_blow(&struck, &step);
        self.struck.add(&struck);
        struck.hardest_m_per_s > 0.0
    }

    /// Whether contact is answered by impulses.
    pub fn uses_impulses(&self) -> bool {
        self.impulses.is_some()
    }

    /// Whether impulses of this step are a blow.
    pub fn is_struck(&self) -> bool {
        self.is_blow
    }

    /// What impulses did in the last step.
    pub fn struck(&self) -> Struck {
        self.struck
    }

    /// Keeps apart what would pass through each other on the way from where the step has got so far to
    /// its end.
    pub fn guard(&mut self, step_s: f64, end: &mut End<'_>) -> Result<Guarded, StepError> {
        let movable = Movable {
            inverse_masses: &self.inverse_masses,
            supports: &self.supports,
        };
        let guarded = loop {
            self.expected.clear();
            self.expected.extend_from_slice(end.positions);
            self.expected.extend_from_slice(&self.body_ends);
            self.safe.clone_from(&self.expected);
            let done = self.guard.keep_apart(
                &self.surfaces,
                &mut self.listing,
                &movable,
                &self.reached,
                &mut self.safe,
            );
            match done {
                Ok(guarded) => break guarded,
                Err(Crushed { pair }) => {
                    let pinches = &mut self.listing.pinches;
                    let is_new = self.yields
                        && pinches.let_go(&pair, &movable, &self.start, &self.body_ends);
                    if !is_new {
                        let vertices = pair.vertices;
                        return Err(StepError::Crushed { vertices });
                    }
                    pinches.push(&movable, &self.start, step_s, end);
                    if let Some(untangler) = &mut self.untangler {
                        untangler.doubt();
                    }
                }
            }
        };
        if guarded.touched > 0 {
            for i in 0..end.positions.len() {
                let (before, safe) = (self.expected[i], self.safe[i]);
                if safe != before {
                    end.jump(i, (safe - before) / step_s, safe - before);
                    // Sums round: only the very place that was proved safe is.
                    end.positions[i] = safe;
                }
            }
        }
        self.reached.copy_from_slice(&self.safe);
        Ok(guarded)
    }

    /// Takes over into `state` what the next step must know of the contacts. Returns whether there was a
    /// blow: a change of velocity by contact that no multistep scheme may take for an acceleration that
    /// goes on.
    pub fn finish(
        &mut self,
        touches: &[ContactStencil],
        step_s: f64,
        (positions, velocities): (&[DVec3], &[DVec3]),
        state: &mut State,
    ) -> bool {
        state.touches.clear();
        let gentle_m_per_s = GENTLE * step_s * self.gravity_m_per_s2;
        let mut blow = self.is_blow;
        for touch in touches {
            let Some(contact) = touch.remember(&touch.at(positions)) else {
                continue;
            };
            state.touches.push(contact);
            let gained: DVec3 = touch
                .particles()
                .map(|(k, i)| touch.weights[k] * (velocities[i] - state.velocities[i]))
                .sum();
            blow |= touch.normal.dot(gained) > gentle_m_per_s;
        }
        blow
    }
}

/// The most by which a body and cloth may come together in a step, in shortest edges.
const MOST_APPROACH: f64 = 1.0;
/// A change of the way by this much, in shortest edges, stretches cloth.
const LARGE_CHANGE: f64 = 0.02;
/// Changes of velocity up to this many times those of free fall are no blows.
const GENTLE: f64 = 2.0;
