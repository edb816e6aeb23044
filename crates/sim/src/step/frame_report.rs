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
    /// Adaptive steps that did too much and could not be any shorter.
    pub over_tolerance: u32,
    /// What integrator and solver did.
    pub solver: SolverWork,
    /// What was in contact.
    pub contact: ContactCounts,
    /// What the guard against passing through did.
    pub guard: GuardWork,
    /// What met at the end of a step, where somebody looked.
    pub crossings: Crossings,
    /// Where the time went.
    pub phases: Phases,
}

/// Work of integrator and solver.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolverWork {
    /// Linear solves.
    pub solves: u32,
    /// Iterations of all solves.
    pub iterations: u64,
    /// Iterations of the longest solve.
    pub iterations_max: u32,
    /// Solves that missed their tolerance.
    pub unconverged_solves: u32,
    /// Steps taken again because a linear solve found no answer.
    pub failed_solves: u32,
    /// The longest step asked for as a share of the longest stable one, 0 where every step is
    /// stable; above 1 it was taken in halves.
    pub share_of_limit_max: f64,
    /// The longest step as a share of the longest that is wise on cloth that folds, 0 where there
    /// is none.
    pub share_of_advice_max: f64,
}

/// What was in contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactCounts {
    /// Most particles in contact with colliders after a step.
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
}

/// Work of the guard: sums over steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GuardWork {
    /// Pairs it had to keep apart.
    pub caught: usize,
    /// Vertices it moved.
    pub touched: usize,
    /// Vertices it stopped altogether.
    pub stopped: usize,
    /// Motion it changed, m: the sum over vertices.
    pub change_m: f64,
    /// All motion it looked at, m: the sum over vertices.
    pub motion_m: f64,
    /// Kinetic energy it took, J.
    pub energy_j: f64,
    /// Momentum it took or gave, N s: the sum of its length.
    pub momentum_n_s: f64,
}

/// Pairs of triangles that met at the end of a step; nothing if nobody looked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Crossings {
    /// Most pairs of cloth.
    pub cloth_max: Option<usize>,
    /// Those at the end of the last step.
    pub cloth_last: Option<usize>,
    /// Most pairs of a triangle of cloth and one of a body.
    pub bodies_max: Option<usize>,
    /// Those at the end of the last step.
    pub bodies_last: Option<usize>,
}

impl FrameReport {
    /// Adds what a step did, whether it is kept or not.
    pub(super) fn add(&mut self, step: &StepReport) {
        self.solver.add(step);
        self.contact.add(step);
        self.guard.add(step);
        self.crossings.add(step);
        self.phases += &step.phases;
    }

    /// Counts a step that is refused for `reason` and taken again.
    pub(super) fn add_retry(&mut self, reason: StepError) {
        self.retries += 1;
        match reason {
            StepError::Solver(_) => self.solver.failed_solves += 1,
            StepError::Unstable {
                step_s, limit_s, ..
            } => {
                let share = &mut self.solver.share_of_limit_max;
                *share = share.max(step_s / limit_s);
            }
            _ => {}
        }
    }
}

impl SolverWork {
    fn add(&mut self, step: &StepReport) {
        let done = &step.integration;
        self.solves += done.solves;
        self.iterations += u64::from(done.linear_iterations);
        self.iterations_max = self.iterations_max.max(done.linear_iterations_max);
        self.unconverged_solves += done.unconverged_solves;
        self.share_of_limit_max = self.share_of_limit_max.max(step.share_of_limit);
        self.share_of_advice_max = self.share_of_advice_max.max(step.share_of_advice);
    }
}

impl ContactCounts {
    fn add(&mut self, step: &StepReport) {
        self.contacts_max = self.contacts_max.max(step.contacts);
        self.pairs_max = self.pairs_max.max(step.guarded.pairs);
        self.touches_max = self.touches_max.max(step.touches);
        self.pinched_max = self.pinched_max.max(step.pinched);
        self.let_through_max = self.let_through_max.max(step.let_through);
        self.impacts += step.struck.impacts;
    }
}

impl GuardWork {
    fn add(&mut self, step: &StepReport) {
        self.caught += step.guarded.caught;
        self.touched += step.guarded.touched;
        self.stopped += step.guarded.stopped;
        self.change_m += step.guarded.change_m;
        self.motion_m += step.guarded.motion_m;
        self.energy_j += step.guard_took.energy_j;
        self.momentum_n_s += step.guard_took.momentum_n_s;
    }
}

impl Crossings {
    fn add(&mut self, step: &StepReport) {
        self.cloth_max = self.cloth_max.max(step.crossings);
        self.cloth_last = step.crossings;
        self.bodies_max = self.bodies_max.max(step.body_crossings);
        self.bodies_last = step.body_crossings;
    }
}
