//! Advancing by a frame: many steps, and smaller ones where a step fails.

use crate::error::StepError;
use crate::report::{Phases, StepReport};
use crate::step::simulation::Simulation;

/// Halvings of a failing step before the frame is given up.
const MAX_HALVINGS: u32 = 6;

/// A step that is taken in halves: what it was refused for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Halved {
    /// How often.
    pub times: u32,
    /// How much it stretched cloth, as a share of its length.
    pub growth: f64,
}

impl Halved {
    /// Not yet.
    const NEVER: Self = Self {
        times: 0,
        growth: f64::INFINITY,
    };

    /// Once more, as this has failed with `error`.
    fn again(self, error: StepError) -> Self {
        let growth = match error {
            StepError::TooStretched { growth, .. } => growth,
            _ => self.growth,
        };
        Self {
            times: self.times + 1,
            growth,
        }
    }
}

/// What a frame's steps did together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrameReport {
    /// Steps taken.
    pub steps: u32,
    /// Steps that failed, or did more than an adaptive step may, and were taken again shorter.
    pub retries: u32,
    /// Those of them whose linear solver found no answer.
    pub failed_solves: u32,
    /// Adaptive steps that did too much and could not be any shorter.
    pub over_tolerance: u32,
    /// Linear solves.
    pub solves: u32,
    /// Iterations of all solves.
    pub iterations: u64,
    /// Iterations of the longest solve.
    pub iterations_max: u32,
    /// Solves that missed their tolerance.
    pub unconverged_solves: u32,
    /// The longest step asked for as a share of the longest stable one, 0 where every step is
    /// stable; above 1 it was taken in halves.
    pub share_of_limit_max: f64,
    /// The longest step as a share of the longest that is wise on cloth that folds, 0 where there
    /// is none.
    pub share_of_advice_max: f64,
    /// Most particles in contact after a step.
    pub contacts_max: usize,
    /// Most pairs of cloth features that a step had to look at.
    pub pairs_max: usize,
    /// Most contacts of cloth with cloth after a step.
    pub touches_max: usize,
    /// Most particles that bodies or colliders pinched in a step.
    pub pinched_max: usize,
    /// Most particles that were let through bodies in a step.
    pub let_through_max: usize,
    /// Impacts that impulses answered.
    pub impacts: usize,
    /// Pairs the guard against passing through had to keep apart.
    pub caught: usize,
    /// Vertices it moved.
    pub guard_touched: usize,
    /// Vertices it stopped altogether.
    pub guard_stopped: usize,
    /// Motion it changed, and all motion, m: sums over vertices and steps.
    pub guard_change_m: f64,
    /// Sum of all motion it looked at, m.
    pub guard_motion_m: f64,
    /// Kinetic energy it took, J.
    pub guard_energy_j: f64,
    /// Momentum it took or gave, N s: the sum over steps of its length.
    pub guard_momentum_n_s: f64,
    /// Most pairs of triangles that met at the end of a step; nothing if nobody looked.
    pub crossings_max: Option<usize>,
    /// Those that met at the end of the last step.
    pub crossings_last: Option<usize>,
    /// Most pairs of a triangle of cloth and one of a body that met at the end of a step; nothing if
    /// nobody looked.
    pub body_crossings_max: Option<usize>,
    /// Those that met at the end of the last step.
    pub body_crossings_last: Option<usize>,
    /// Where the time went.
    pub phases: Phases,
}

impl FrameReport {
    /// Adds what a step did, whether it is kept or not.
    fn add(&mut self, step: &StepReport) {
        self.solves += step.integration.solves;
        self.iterations += u64::from(step.integration.linear_iterations);
        self.iterations_max = self
            .iterations_max
            .max(step.integration.linear_iterations_max);
        self.unconverged_solves += step.integration.unconverged_solves;
        self.share_of_limit_max = self.share_of_limit_max.max(step.share_of_limit);
        self.share_of_advice_max = self.share_of_advice_max.max(step.share_of_advice);
        self.contacts_max = self.contacts_max.max(step.contacts);
        self.pairs_max = self.pairs_max.max(step.guarded.pairs);
        self.touches_max = self.touches_max.max(step.touches);
        self.pinched_max = self.pinched_max.max(step.pinched);
        self.let_through_max = self.let_through_max.max(step.let_through);
        self.impacts += step.struck.impacts;
        self.caught += step.guarded.caught;
        self.guard_touched += step.guarded.touched;
        self.guard_stopped += step.guarded.stopped;
        self.guard_change_m += step.guarded.change_m;
        self.guard_motion_m += step.guarded.motion_m;
        self.guard_energy_j += step.guard_took.energy_j;
        self.guard_momentum_n_s += step.guard_took.momentum_n_s;
        self.crossings_max = self.crossings_max.max(step.crossings);
        self.crossings_last = step.crossings;
        self.body_crossings_max = self.body_crossings_max.max(step.body_crossings);
        self.body_crossings_last = step.body_crossings;
        self.phases += &step.phases;
    }

    /// Counts a step that has failed with `error` and is taken again.
    pub(crate) fn add_retry(&mut self, error: StepError) {
        self.retries += 1;
        self.failed_solves += u32::from(matches!(error, StepError::Solver(_)));
    }
}

impl Simulation {
    /// Advances by `duration_s` in equal steps no longer than `max_step_s`. A step that fails is
    /// halved and retried; if that does not help either, the error is returned and the state is
    /// that of the last good step. A step more than twice too long for its scheme is a mistake of
    /// whoever asked for it, and not retried. With [`crate::StepConfig::adaptive`] the steps are
    /// shorter where that is needed.
    pub fn advance(&mut self, duration_s: f64, max_step_s: f64) -> Result<FrameReport, StepError> {
        self.frame = FrameReport::default();
        // Between steps threads would fall asleep, and each waking costs tens of microseconds.
        self.attentively(|simulation| match simulation.config().adaptive {
            Some(adaptive) => simulation.advance_adaptively(&adaptive, duration_s, max_step_s),
            None => simulation.advance_evenly(duration_s, max_step_s),
        })?;
        Ok(self.frame)
    }

    /// What the last [`Simulation::advance`] did, as far as it came: where it failed, too.
    pub fn last_frame(&self) -> &FrameReport {
        &self.frame
    }

    fn advance_evenly(&mut self, duration_s: f64, max_step_s: f64) -> Result<(), StepError> {
        // A duration that is a whole number of steps but for rounding is not split once more.
        let steps = (duration_s / max_step_s * (1.0 - 1e-9)).ceil().max(1.0);
        for _ in 0..steps as u64 {
            self.advance_by(duration_s / steps, Halved::NEVER)?;
        }
        Ok(())
    }

    /// A step that is counted in the frame: what it did, or, where it is refused, the time that it took.
    pub(crate) fn counted_step(&mut self, step_s: f64) -> Result<(), StepError> {
        let done = self.step(step_s);
        match &done {
            Ok(step) => self.frame.add(step),
            Err(_) => self.frame.phases += &self.work.phases,
        }
        done.map(|_| ())
    }

    /// Advances by a step that is part of a `halved` one, or by two halves of it.
    fn advance_by(&mut self, step_s: f64, halved: Halved) -> Result<(), StepError> {
        // What stretches much even in the shortest step does so.
        self.halved = (halved.times < MAX_HALVINGS).then_some(halved);
        let done = self.counted_step(step_s);
        self.halved = None;
        match done {
            Ok(()) => {
                self.frame.steps += 1;
                Ok(())
            }
            // That something crossed is a fault, and not to be hidden by luck with another step.
            Err(error) if error.is_fault() => Err(error),
            Err(error) if halved.times == MAX_HALVINGS => {
                self.step_yielding(step_s, error)?;
                self.frame.steps += 1;
                Ok(())
            }
            Err(
                error @ StepError::Unstable {
                    step_s, limit_s, ..
                },
            ) if step_s > 2.0 * limit_s => Err(error),
            Err(error) => {
                if let StepError::Unstable {
                    step_s, limit_s, ..
                } = error
                {
                    let share = &mut self.frame.share_of_limit_max;
                    *share = share.max(step_s / limit_s);
                }
                self.frame.add_retry(error);
                let halved = halved.again(error);
                self.advance_by(0.5 * step_s, halved)?;
                self.advance_by(0.5 * step_s, halved)
            }
        }
    }
}
