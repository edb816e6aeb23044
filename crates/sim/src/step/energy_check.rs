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

use super::accept::HALVINGS_ON_TRIAL;
use super::attempt::Attempt;
use super::corrections::Solved;
use crate::config::Solve;
use crate::constraints::End;
use crate::error::StepError;
use crate::report::{Energy, kinetic_j};
use glam::DVec3;

/// The most that a step may gain, as a share of the energy of motion and strain at its start.
const MOST_GAIN: f64 = 1e-3;
/// Moves too short to matter, in shortest links.
const SHORT_MOVE: f64 = 1e-3;

/// The end of a step as the last solve left it.
#[derive(Default)]
pub(crate) struct EndAsSolved {
    positions: Vec<DVec3>,
    velocities: Vec<DVec3>,
    /// Work of holds that no surface can do, J.
    drawn_j: f64,
}

impl EndAsSolved {
    /// Makes it this one, if the step is held to it.
    pub fn keep(&mut self, step: &Attempt<'_>, Solved(end): &Solved<'_>) {
        if !is_held_to_it(step) {
            return;
        }
        self.positions.clear();
        self.positions.extend_from_slice(end.positions);
        self.velocities.clear();
        self.velocities.extend_from_slice(end.velocities);
        let way = (&step.start.state.positions[..], &*end.positions);
        self.drawn_j = (step.constraints.colliders).drawn_j(&step.work.reactions, way);
    }

    /// Refuses an `end` in which contact gave too much.
    pub fn refuse_gain(&self, step: &Attempt<'_>, end: &End<'_>) -> Result<(), StepError> {
        match is_held_to_it(step).then(|| self.gained_j(step, end)) {
            Some(Some(gained_j)) => Err(StepError::Gained { gained_j }),
            _ => Ok(()),
        }
    }

    /// What contact gave from the start of the step to its `end`, J, if that is too much.
    fn gained_j(&self, step: &Attempt<'_>, end: &End<'_>) -> Option<f64> {
        let (model, state) = (step.start.model, step.start.state);
        let least_j = MOST_GAIN * kinetic_j(model, &state.velocities);
        let short_m = SHORT_MOVE * model.shortest_link_m;
        if self.is_about(end.positions, short_m) && self.drawn_j <= least_j {
            return None;
        }
        let energy = |x, v| Energy::at((model, step.start.materials), x, v, &state.memory);
        let solved = energy(&self.positions, &self.velocities);
        let end = energy(end.positions, end.velocities);
        let stopped_j = (solved.kinetic_j - end.kinetic_j).max(0.0);
        let moved_j = end.potential_j() - solved.potential_j() - stopped_j;
        let start = energy(&state.positions, &state.velocities);
        let gained_j = (moved_j + self.drawn_j).min(end.total_j() - start.total_j());
        (gained_j > MOST_GAIN * (start.kinetic_j + start.elastic_j)).then_some(gained_j)
    }

    /// Whether nothing has moved from there by more than this.
    fn is_about(&self, end: &[DVec3], short_m: f64) -> bool {
        let mut moves = end.iter().zip(&self.positions);
        moves.all(|(end, solved)| end.distance_squared(*solved) <= short_m * short_m)
    }
}

/// Other settings of `solve` than `auto` ask for a fixed amount of work a step.
fn is_held_to_it(step: &Attempt<'_>) -> bool {
    step.policy.can_shorten
        && step.policy.shortened < HALVINGS_ON_TRIAL
        && step.config.solve == Solve::Auto
        && !step.config.integrator.has_limit()
}
