//! What the steps of a frame did together.

use crate::error::StepError;
use crate::report::{Phases, StepReport};

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
    pub(super) fn add(&mut self, step: &StepReport) {
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

    /// Counts a step that is refused for `reason` and taken again.
    pub(super) fn add_retry(&mut self, reason: StepError) {
        self.retries += 1;
        match reason {
            StepError::Solver(_) => self.failed_solves += 1,
            StepError::Unstable {
                step_s, limit_s, ..
            } => self.share_of_limit_max = self.share_of_limit_max.max(step_s / limit_s),
            _ => {}
        }
    }
}
