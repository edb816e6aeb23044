//! Energy that contact gives to cloth behind the solver's back.
//!
//! - What a solve leads into a collider is put out of it afterwards, and what it leads into other cloth is
//!   kept apart by the guard. Such moves draw the cloth around them along, which no solve has seen. What
//!   counts is the potential energy that they give, less the motion that they stop. Motion that they give
//!   does not: that of a moving collider does as much, and rightly so.
//! - What is about to touch a collider is led to its surface, even if it then turns out that it would not
//!   have come: the hold pulls, and is released too late. What counts is its work.
//! - Friction of what slides is a force for the whole step, and drives back what it has stopped within it.
//!   What counts is the work that it does there.
//!
//! All of that may be as much as the step takes out. A step that gains more is taken in halves: the moves
//! become about four times as short with that, and their energy falls faster still.
//!
//! Verified by: `tests/falling_on_a_ball.rs`, `tests/contact.rs`.

use crate::config::Solve;
use crate::error::StepError;
use crate::model::Model;
use crate::report::{Energy, kinetic_j};
use crate::state::State;
use crate::step::simulation::Simulation;
use glam::DVec3;

/// The most that a step may gain, as a share of the energy of motion and strain at its start.
const MOST_GAIN: f64 = 1e-3;
/// Moves too short to matter, in shortest links.
const SHORT_MOVE: f64 = 1e-3;
/// Times that a step is halved for it. More do not help where it is prescribed motion that presses.
const MOST_HALVINGS: u32 = 2;

impl Simulation {
    /// Whether the next end of a step as solved is to be kept: where solves are counted, so is the time.
    pub(crate) fn looks_at_gain(&self) -> bool {
        let config = &self.config;
        let times = self.halved.map(|halved| halved.times);
        times.is_some_and(|times| times < MOST_HALVINGS)
            && config.solve == Solve::Auto
            && !config.integrator.has_limit()
    }

    /// Whether the step that was just tried gained too much.
    pub(crate) fn refuse_gain(&self) -> Result<(), StepError> {
        if !self.looks_at_gain() {
            return Ok(());
        }
        let [x, v] = [&self.scratch.x, &self.scratch.v].map(|all| bytemuck::cast_slice(all));
        match self.solved.gained_j(&self.model, &self.state, (x, v)) {
            Some(gained_j) => Err(StepError::Gained { gained_j }),
            None => Ok(()),
        }
    }
}

/// The end of a step as solved.
#[derive(Default)]
pub(crate) struct Solved {
    positions: Vec<DVec3>,
    velocities: Vec<DVec3>,
    drawn_j: f64,
}

impl Solved {
    /// Makes it this one, where holds that pull have done this work.
    pub fn keep(&mut self, positions: &[DVec3], velocities: &[DVec3], drawn_j: f64) {
        self.positions.clear();
        self.positions.extend_from_slice(positions);
        self.velocities.clear();
        self.velocities.extend_from_slice(velocities);
        self.drawn_j = drawn_j;
    }

    /// What contact gave in a step from `state` to `end`, J, if that is too much.
    fn gained_j(&self, model: &Model, state: &State, end: (&[DVec3], &[DVec3])) -> Option<f64> {
        let least_j = MOST_GAIN * kinetic_j(model, &state.velocities);
        if self.has_hardly_moved(model, end.0) && self.drawn_j <= least_j {
            return None;
        }
        let energy = |x, v| Energy::at(model, x, v, &state.memory);
        let solved = energy(&self.positions, &self.velocities);
        let end = energy(end.0, end.1);
        let stopped_j = (solved.kinetic_j - end.kinetic_j).max(0.0);
        let moved_j = end.potential_j() - solved.potential_j() - stopped_j;
        let start = energy(&state.positions, &state.velocities);
        let gained_j = (moved_j + self.drawn_j).min(end.total_j() - start.total_j());
        (gained_j > MOST_GAIN * (start.kinetic_j + start.elastic_j)).then_some(gained_j)
    }

    /// Whether the end is about where the solve led.
    fn has_hardly_moved(&self, model: &Model, end: &[DVec3]) -> bool {
        let short_m = SHORT_MOVE * model.shortest_link_m;
        let mut moves = end.iter().zip(&self.positions);
        moves.all(|(end, solved)| end.distance_squared(*solved) <= short_m * short_m)
    }
}
