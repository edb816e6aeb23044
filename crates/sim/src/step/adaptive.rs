//! Steps that choose their own length.
//!
//! - Error: a step is taken once whole and once in two halves, which are kept; the largest distance
//!   between the two ends is its error. That holds for every scheme and every constraint, at half
//!   again the price. A tolerance of `τ` allows `τ` times the shortest link.
//! - Strain: no link may change its strain by more than the tolerance in a step. Costs nothing.
//!
//! A step that is refused or does too much is taken back and tried again shorter; the next one is longer
//! if there was room, by at most the ratio that two-step schemes bear. Steps divide what is left of
//! the frame evenly, so the last one ends on it.

use super::accept::Policy;
use super::advance::{Judgement, Next, Pace};
use super::simulation::Simulation;
use super::stretch;
use crate::error::StepError;
use crate::state::State;
use glam::DVec3;

/// What must not become too large in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// The error, estimated by halving the step; its tolerance is a share of the shortest link.
    Error,
    /// The change of any link's strain.
    Strain,
}

/// How the length of a step is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adaptive {
    /// What decides.
    pub control: Control,
    /// The most of it that a step may do.
    pub tolerance: f64,
    /// Shortest step, s. It is taken whatever it does, and counted if that is too much.
    pub min_step_s: f64,
}

/// Room left for what the estimate misses.
const SAFETY: f64 = 0.9;
/// Smallest and largest ratio of a step to the one before. A whole step after two halves is twice
/// as long again, and 2.4 is what a two-step scheme bears.
const MIN_RATIO: f64 = 0.2;
const MAX_RATIO: f64 = 1.2;

/// A step whose length nobody asked for, and which was not shortened yet.
const CHOSEN: Policy = Policy {
    is_asked_for: false,
    ..Policy::FIRST
};

/// Steps up to the end of a frame.
pub(super) struct AdaptiveSteps {
    chosen: Adaptive,
    end_s: f64,
    max_step_s: f64,
    /// What the next step is held to.
    policy: Policy,
    /// How long the step that did too much should have been, s.
    wish_after_too_much_s: f64,
    /// Whether the step that is tried is the last one of the frame.
    is_last: bool,
    is_done: bool,
}

impl AdaptiveSteps {
    /// Up to `end_s`, in steps no longer than `max_step_s`.
    pub fn new(chosen: Adaptive, end_s: f64, max_step_s: f64) -> Self {
        Self {
            chosen,
            end_s,
            max_step_s,
            policy: CHOSEN,
            wish_after_too_much_s: max_step_s,
            is_last: false,
            is_done: false,
        }
    }

    /// How long a step should be after one of `step_s` that did `share` of what is allowed.
    fn wish_s(&self, step_s: f64, share: f64) -> f64 {
        let ratio = match self.chosen.control {
            // The error of a step grows with its square at the least.
            Control::Error => SAFETY / share.sqrt(),
            Control::Strain => SAFETY / share,
        };
        step_s * ratio.clamp(MIN_RATIO, MAX_RATIO)
    }
}

impl Pace for AdaptiveSteps {
    fn next(&mut self, state: &State) -> Option<Next> {
        if self.is_done {
            return None;
        }
        let shortest_s = self.chosen.min_step_s.min(self.max_step_s);
        let left_s = self.end_s - state.time_s;
        let wish_s = state.next_step_s.unwrap_or(self.max_step_s);
        let wish_s = wish_s.clamp(shortest_s, self.max_step_s);
        let steps = (left_s / wish_s * (1.0 - 1e-9)).ceil().max(1.0);
        let step_s = left_s / steps;
        self.is_last = steps == 1.0;
        Some(Next {
            step_s,
            policy: Policy {
                // There is nothing between it and the shortest step that is worth a try.
                can_shorten: 0.5 * step_s >= shortest_s,
                ..self.policy
            },
        })
    }

    fn control(&self) -> Option<Control> {
        Some(self.chosen.control)
    }

    fn judge(&mut self, step: &Next, done: f64, state: &mut State) -> Judgement {
        let share = done / self.chosen.tolerance;
        let wish_s = self.wish_s(step.step_s, share);
        if share > 1.0 && step.policy.can_shorten {
            self.wish_after_too_much_s = wish_s;
            return Judgement::TooMuch;
        }
        self.policy = CHOSEN;
        state.next_step_s = Some(wish_s);
        if self.is_last {
            state.time_s = self.end_s;
            self.is_done = true;
        }
        match share > 1.0 {
            true => Judgement::KeptThoughTooMuch,
            false => Judgement::Kept,
        }
    }

    fn shorten(&mut self, step: &Next, reason: Option<StepError>, state: &mut State) {
        self.policy = step.policy.shorter(reason);
        let wish_s = match reason {
            None => self.wish_after_too_much_s,
            Some(_) => MIN_RATIO * step.step_s,
        };
        state.next_step_s = Some(wish_s.min(SAFETY * step.step_s));
    }
}

/// The largest change of a strain from where a step began.
pub(super) fn change_of_strain(simulation: &Simulation, before: &[DVec3]) -> f64 {
    let materials = simulation.materials();
    stretch::largest_change(materials, before, &simulation.state().positions)
}

/// How far the end of a whole step is from that of its halves, in shortest links.
pub(super) fn error(simulation: &Simulation, whole: &[DVec3]) -> f64 {
    let ends = whole.iter().zip(&simulation.state().positions);
    let square = ends.map(|(a, b)| a.distance_squared(*b));
    square.fold(0.0, f64::max).sqrt() / simulation.model().shortest_link_m
}
