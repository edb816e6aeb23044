//! Steps that choose their own length.
//!
//! - Error: a step is taken once whole and once in two halves, which are kept; the largest distance
//!   between the two ends is its error. That holds for every scheme and every constraint, at half
//!   again the price. A tolerance of `τ` allows `τ` times the shortest link.
//! - Strain: no link may change its strain by more than the tolerance in a step. Costs nothing.
//!
//! A step that fails or does too much is taken back and tried again shorter; the next one is longer
//! if there was room, by at most the ratio that two-step schemes bear. Steps divide what is left of
//! the frame evenly, so the last one ends on it.

use crate::error::StepError;
use crate::step::simulation::Simulation;
use crate::step::stretch;
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

impl Simulation {
    /// Advances by `duration_s` in steps no longer than `max_step_s`.
    pub(crate) fn advance_adaptively(
        &mut self,
        adaptive: &Adaptive,
        duration_s: f64,
        max_step_s: f64,
    ) -> Result<(), StepError> {
        let end_s = self.state.time_s + duration_s;
        let shortest_s = adaptive.min_step_s.min(max_step_s);
        loop {
            let left_s = end_s - self.state.time_s;
            let wish_s = self.state.next_step_s.unwrap_or(max_step_s);
            let steps = (left_s / wish_s.clamp(shortest_s, max_step_s) * (1.0 - 1e-9))
                .ceil()
                .max(1.0);
            let step_s = left_s / steps;
            // There is nothing between it and the shortest step that is worth a try.
            let is_shortest = 0.5 * step_s < shortest_s;
            let before = self.state.clone();
            let done = match self.tried(adaptive.control, step_s) {
                Ok(done) => done / adaptive.tolerance,
                Err(error) if is_shortest || error.is_fault() => {
                    self.state = before;
                    return Err(error);
                }
                Err(error) => {
                    self.frame.add_retry(error);
                    f64::INFINITY
                }
            };
            let ratio = match adaptive.control {
                // The error of a step grows with its square at the least.
                Control::Error => SAFETY / done.sqrt(),
                Control::Strain => SAFETY / done,
            };
            let next_step_s = step_s * ratio.clamp(MIN_RATIO, MAX_RATIO);
            if done > 1.0 && !is_shortest {
                // What has failed is counted already.
                self.frame.retries += u32::from(done.is_finite());
                self.state = before;
                self.state.next_step_s = Some(next_step_s.min(SAFETY * step_s));
                continue;
            }
            self.frame.steps += (self.state.steps - before.steps) as u32;
            self.frame.over_tolerance += u32::from(done > 1.0);
            self.state.next_step_s = Some(next_step_s);
            if steps == 1.0 {
                self.state.time_s = end_s;
                return Ok(());
            }
        }
    }

    /// Takes the step and says how much it did, in the tolerance's unit.
    fn tried(&mut self, control: Control, step_s: f64) -> Result<f64, StepError> {
        let before = self.state.clone();
        match control {
            Control::Strain => {
                self.counted_step(step_s)?;
                let model = self.model();
                Ok(stretch::largest_change(
                    model,
                    &before.positions,
                    &self.state.positions,
                ))
            }
            Control::Error => {
                self.counted_step(step_s)?;
                let whole = std::mem::replace(&mut self.state, before);
                for _ in 0..2 {
                    self.counted_step(0.5 * step_s)?;
                }
                let error_m = largest_distance(&whole.positions, &self.state.positions);
                Ok(error_m / self.model().shortest_link_m)
            }
        }
    }
}

fn largest_distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    let between = a.iter().zip(b).map(|(a, b)| a.distance_squared(*b));
    between.fold(0.0, f64::max).sqrt()
}
