//! Energy that a step gives to cloth behind the solver's back.
//!
//! What a solve leads into a collider is put out of it afterwards, and what it leads into other cloth is
//! kept apart by the guard. Such moves draw the cloth around them along, which no solve has seen, and the
//! next step finds that as energy. They are allowed as much of it as the solve took out.
//!
//! - What counts is the potential energy that the moves give, less the motion that they stop. Motion that
//!   they give does not: that of a moving collider does as much, and rightly so.
//! - A step that gains too much is taken in halves: moves become about four times as short with that, and
//!   their energy falls faster still.
//!
//! Verified by: `tests/falling_on_a_ball.rs`.

use crate::config::Solve;
use crate::error::StepError;
use crate::model::Model;
use crate::report::Energy;
use crate::simulation::Simulation;
use crate::state::State;
use glam::DVec3;

/// The most that a step may gain, as a share of the energy of motion and strain at its start.
const MOST_GAIN: f64 = 1e-3;
/// Moves too short to matter, in shortest links.
const SHORT_MOVE: f64 = 1e-3;
/// Times that a step is halved for it.
const MOST_HALVINGS: u32 = 2;
/// Where half a step gains more than this share of what the whole one does, shorter ones do not help: its
/// two halves gain as much together.
const LEAST_FALL: f64 = 0.5;

impl Simulation {
    /// Whether the next end of a step as solved is to be kept: where solves are counted, so is the time.
    pub(crate) fn looks_at_gain(&self) -> bool {
        let config = &self.config;
        let may_halve = self
            .halved
            .is_some_and(|halved| halved.times < MOST_HALVINGS);
        may_halve && config.solve == Solve::Auto && !config.integrator.has_limit()
    }

    /// Whether the step that was just tried gained too much.
    pub(crate) fn refuse_gain(&self) -> Result<(), StepError> {
        let Some(halved) = self.halved.filter(|_| self.looks_at_gain()) else {
            return Ok(());
        };
        let [x, v] = [&self.scratch.x, &self.scratch.v].map(|all| bytemuck::cast_slice(all));
        let gained_j = self.solved.gained_j(&self.model, &self.state, (x, v));
        if gained_j > 0.0 && gained_j < LEAST_FALL * halved.gained_j {
            return Err(StepError::Gained { gained_j });
        }
        Ok(())
    }
}

/// The end of a step as solved.
#[derive(Default)]
pub(crate) struct Solved {
    positions: Vec<DVec3>,
    velocities: Vec<DVec3>,
}

impl Solved {
    /// Makes it this one.
    pub fn keep(&mut self, positions: &[DVec3], velocities: &[DVec3]) {
        self.positions.clear();
        self.positions.extend_from_slice(positions);
        self.velocities.clear();
        self.velocities.extend_from_slice(velocities);
    }

    /// What the way from there to the end of a step from `state` gave, J; 0 if that is little.
    fn gained_j(&self, model: &Model, state: &State, end: (&[DVec3], &[DVec3])) -> f64 {
        let short_m = SHORT_MOVE * model.shortest_link_m;
        let mut moves = end.0.iter().zip(&self.positions);
        if moves.all(|(end, solved)| end.distance_squared(*solved) <= short_m * short_m) {
            return 0.0;
        }
        let energy = |x, v| Energy::at(model, x, v, &state.memory);
        let solved = energy(&self.positions, &self.velocities);
        let end = energy(end.0, end.1);
        let stopped_j = (solved.kinetic_j - end.kinetic_j).max(0.0);
        let given_j = end.potential_j() - solved.potential_j() - stopped_j;
        if given_j <= 0.0 {
            return 0.0;
        }
        let start = energy(&state.positions, &state.velocities);
        let gained_j = given_j.min(end.total_j() - start.total_j());
        let most_j = MOST_GAIN * (start.kinetic_j + start.elastic_j);
        if gained_j > most_j { gained_j } else { 0.0 }
    }
}
