//! What contact of features knows of one step, and of nothing else.
//!
//! All lists here hold the particles and after them the vertices of bodies.

use crate::bodies;
use crate::constraints::StepConstraints;
use crate::contact::friction_table::FrictionTable;
use crate::contact::impulses;
use crate::contact::impulses::Struck;
use crate::contact::movable::Movable;
use crate::contact::stencil::ContactStencil;
use crate::contact::surfaces::Pair;
use crate::contact::tuning::TUNING;
use crate::model::Model;
use crate::state::State;
use glam::DVec3;

/// Contact of features in one step: made by [`super::FeatureContact::begin`], and handed on from phase to phase.
#[derive(Clone, Debug, Default)]
pub struct StepContacts {
    /// Length of the step, s.
    pub step_s: f64,
    /// What is given beforehand.
    pub motion: StepMotion,
    /// How far the step has got.
    pub path: StepPath,
    /// Who may be moved, and how.
    pub movable: Movable,
    /// Pairs that the guard had to keep apart when the step was last solved, ascending.
    pub caught: Vec<Pair>,
    /// How far the fastest body and cloth would come together where they touch, m.
    pub body_approach_m: f64,
    /// What impulses did so far.
    pub struck: Struck,
}

/// Where a step begins, and what moves in it as prescribed.
#[derive(Clone, Debug, Default)]
pub struct StepMotion {
    /// Where it begins, m.
    pub start: Vec<DVec3>,
    /// Where the vertices of bodies are at its end, m.
    pub body_ends: Vec<DVec3>,
    /// Whether nothing at all holds a vertex.
    pub free: Vec<bool>,
    /// Whether something is led: bodies, colliders or pins.
    pub is_led: bool,
}

/// How far a step has got on a way that is known to be safe, and where it would go from there.
#[derive(Clone, Debug, Default)]
pub struct StepPath {
    /// Where the guard has let it come, m: at first where it begins.
    pub reached: Vec<DVec3>,
    /// Where what is known so far would lead, m: at first free flight, and what is prescribed; then the last
    /// solve.
    pub expected: Vec<DVec3>,
    /// The same as far as it is safe, m: what the guard is about to reach.
    pub safe: Vec<DVec3>,
}

impl StepContacts {
    /// Makes it that of a step of `step_s` from `state`.
    pub(crate) fn begin(
        &mut self,
        model: &Model,
        state: &State,
        constraints: &StepConstraints,
        step_s: f64,
    ) {
        self.step_s = step_s;
        self.caught.clear();
        self.struck = Struck::default();
        self.motion.begin(model, state, constraints, step_s);
        let StepMotion {
            start, body_ends, ..
        } = &self.motion;
        let vertices = start.len();
        let Movable {
            inverse_masses,
            supports,
        } = &mut self.movable;
        inverse_masses.clear();
        inverse_masses.extend(model.masses.iter().map(|m| m.recip()));
        inverse_masses.resize(vertices, 0.0);
        for particle in constraints.pinned() {
            inverse_masses[particle as usize] = 0.0;
        }
        supports.clear();
        supports.resize(vertices, DVec3::ZERO);
        let StepPath {
            reached, expected, ..
        } = &mut self.path;
        reached.clone_from(start);
        expected.clear();
        let fall = step_s * step_s * model.gravity_m_per_s2;
        let flight = state.positions.iter().zip(&state.velocities);
        expected.extend(flight.map(|(x, v)| *x + step_s * *v + fall));
        expected.extend_from_slice(body_ends);
        self.hold(state, constraints);
    }

    /// Leads what is held where it must end. What arrives at a collider is not: cloth may be in the way.
    fn hold(&mut self, state: &State, constraints: &StepConstraints) {
        let mut arriving = vec![false; state.positions.len()];
        for particle in constraints.colliders.arriving() {
            arriving[particle as usize] = true;
        }
        let held = constraints.targets.iter();
        for target in held.filter(|target| !arriving[target.particle as usize]) {
            let i = target.particle as usize;
            self.motion.free[i] = false;
            let (x, hold) = (state.positions[i], target.hold);
            let expected = &mut self.path.expected[i];
            let free = hold.free_part(*expected - x);
            *expected = x + free + hold.held_part(target.position - x);
        }
    }

    /// Lets go of particles that cloth stops before they reach a collider. One contact with what lies
    /// between is enough, however much presses from the other side.
    pub(crate) fn release_stopped(
        &mut self,
        constraints: &mut StepConstraints,
        stencils: &[ContactStencil],
    ) {
        let movable = &mut self.movable;
        movable.rest_on(constraints);
        let mut stopped = vec![false; movable.supports.len()];
        for stencil in stencils.iter().filter(|stencil| stencil.expected) {
            for (&vertex, &weight) in stencil.pair.vertices.iter().zip(&stencil.weights) {
                let i = vertex as usize;
                stopped[i] |= weight * stencil.normal.dot(movable.supports[i]) > 0.0;
            }
        }
        constraints.release_arriving(|particle| stopped[particle as usize]);
        movable.rest_on(constraints);
    }

    /// Where the particles are as far as the step has got, m.
    pub fn reached(&self) -> &[DVec3] {
        let particles = self.path.reached.len() - self.motion.body_ends.len();
        &self.path.reached[..particles]
    }

    /// The step as impulses see it.
    pub(crate) fn struck_by<'a>(
        &'a self,
        friction: &'a FrictionTable,
        gravity_m_per_s2: f64,
    ) -> impulses::Step<'a> {
        impulses::Step {
            movable: &self.movable,
            friction,
            start: &self.motion.start,
            body_ends: &self.motion.body_ends,
            step_s: self.step_s,
            gravity_m_per_s2,
        }
    }

    /// Changes of velocity by contact up to this are no blows, m/s.
    pub(crate) fn gentle_m_per_s(&self, gravity_m_per_s2: f64) -> f64 {
        TUNING.gentle_falls * self.step_s * gravity_m_per_s2
    }
}

impl StepMotion {
    fn begin(&mut self, model: &Model, state: &State, constraints: &StepConstraints, step_s: f64) {
        let Self {
            start,
            body_ends,
            free,
            is_led,
        } = self;
        start.clear();
        start.extend_from_slice(&state.positions);
        bodies::place_all(&model.bodies, state.time_s, start);
        body_ends.clear();
        bodies::place_all(&model.bodies, state.time_s + step_s, body_ends);
        *is_led = start[model.particles()..] != *body_ends || constraints.leads();
        free.clear();
        free.resize(model.particles(), true);
        free.resize(start.len(), false);
    }
}
