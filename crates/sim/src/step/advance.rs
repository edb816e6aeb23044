//! Advancing by a frame: one driver, which takes step after step at a pace, and shorter ones where one is refused.

use super::FrameReport;
use super::accept::{Policy, Verdict};
use super::adaptive::{self, AdaptiveSteps, Control};
use super::simulation::Simulation;
use crate::error::StepError;
use crate::state::State;

/// Times that a refused step is halved before the frame is given up.
const MAX_HALVINGS: u32 = 6;

/// A step that is to be tried.
#[derive(Clone, Copy)]
pub(super) struct Next {
    /// Its length, s.
    pub step_s: f64,
    /// What it is held to.
    pub policy: Policy,
}

/// What becomes of a step that was accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Judgement {
    /// It stays.
    Kept,
    /// It stays, as it cannot be any shorter, though it did too much.
    KeptThoughTooMuch,
    /// It did too much, and is taken again shorter.
    TooMuch,
}

/// What decides how long steps are.
pub(super) trait Pace: Send {
    /// The next step from `state`, if there is one.
    fn next(&mut self, state: &State) -> Option<Next>;

    /// What must not become too large in a step, if anything.
    fn control(&self) -> Option<Control> {
        None
    }

    /// What becomes of a step that did `done` of what is controlled and ended in `state`.
    fn judge(&mut self, _step: &Next, _done: f64, _state: &mut State) -> Judgement {
        Judgement::Kept
    }

    /// A step was put back to its start `state`: as it did too much, or was refused for a reason.
    fn shorten(&mut self, step: &Next, reason: Option<StepError>, state: &mut State);
}

impl Simulation {
    /// Advances by `duration_s` in equal steps no longer than `max_step_s`. A step that is refused is
    /// halved; if that does not help either, the error is returned and the state is
    /// that of the last good step. A step more than twice too long for its scheme is a mistake of
    /// whoever asked for it, and not retried. With [`crate::StepConfig::adaptive`] the steps are
    /// shorter where that is needed.
    pub fn advance(&mut self, duration_s: f64, max_step_s: f64) -> Result<FrameReport, StepError> {
        self.frame = FrameReport::default();
        let mut even;
        let mut adaptive;
        let pace: &mut dyn Pace = match self.config().adaptive {
            None => {
                even = EvenSteps::new(duration_s, max_step_s);
                &mut even
            }
            Some(chosen) => {
                let end_s = self.state.time_s + duration_s;
                adaptive = AdaptiveSteps::new(chosen, end_s, max_step_s);
                &mut adaptive
            }
        };
        // Between steps threads would fall asleep, and each waking costs tens of microseconds.
        self.attentively(|simulation| simulation.drive(pace))?;
        Ok(self.frame)
    }

    /// What the last [`Simulation::advance`] did, as far as it came: where it failed, too.
    pub fn last_frame(&self) -> &FrameReport {
        &self.frame
    }

    /// Takes step after step. Here alone does a simulation go back to a state that it has left; error control also
    /// swaps it, to compare ends.
    fn drive(&mut self, pace: &mut dyn Pace) -> Result<(), StepError> {
        while let Some(step) = pace.next(&self.state) {
            let before = pace.control().map(|_| self.state.clone());
            let steps = self.state.steps;
            let done = self.take_controlled(&step, pace.control());
            let judged = done.map(|done| pace.judge(&step, done, &mut self.state));
            if let Ok(Judgement::Kept | Judgement::KeptThoughTooMuch) = judged {
                let is_too_much = judged == Ok(Judgement::KeptThoughTooMuch);
                self.frame.over_tolerance += u32::from(is_too_much);
                self.frame.steps += (self.state.steps - steps) as u32;
                continue;
            }
            if let Some(before) = before {
                self.state = before;
            }
            let reason = judged.err();
            match reason {
                Some(reason) if step.policy.verdict(&reason) != Verdict::Shorten => {
                    return Err(reason);
                }
                Some(reason) => self.frame.add_retry(reason),
                None => self.frame.retries += 1,
            }
            pace.shorten(&step, reason, &mut self.state);
        }
        Ok(())
    }

    /// Takes a step and says how much of what is controlled it did; 0 where nothing is.
    fn take_controlled(&mut self, step: &Next, control: Option<Control>) -> Result<f64, StepError> {
        let Some(control) = control else {
            return self.take_counted(step.step_s, &step.policy).map(|()| 0.0);
        };
        let before = self.state.clone();
        self.take_counted(step.step_s, &step.policy)?;
        match control {
            Control::Strain => Ok(adaptive::change_of_strain(self, &before.positions)),
            Control::Error => {
                let whole = std::mem::replace(&mut self.state, before);
                for _ in 0..2 {
                    self.take_counted(0.5 * step.step_s, &step.policy)?;
                }
                Ok(adaptive::error(self, &whole.positions))
            }
        }
    }

    /// Takes a step that is counted in the frame: what it did, or, where it is refused, the time that it took.
    fn take_counted(&mut self, step_s: f64, policy: &Policy) -> Result<(), StepError> {
        match self.take(step_s, policy) {
            Ok(report) => {
                self.frame.add(&report);
                Ok(())
            }
            Err(reason) => {
                let phases = *self.last_phases();
                self.frame.phases += &phases;
                Err(reason)
            }
        }
    }
}

/// Equal steps, and halves of those that are refused.
struct EvenSteps {
    step_s: f64,
    left: u64,
    /// Parts of a step that was refused, the next one last.
    parts: Vec<Next>,
}

impl EvenSteps {
    fn new(duration_s: f64, max_step_s: f64) -> Self {
        // A duration that is a whole number of steps but for rounding is not split once more.
        let steps = (duration_s / max_step_s * (1.0 - 1e-9)).ceil().max(1.0);
        Self {
            step_s: duration_s / steps,
            left: steps as u64,
            parts: Vec::new(),
        }
    }
}

impl Pace for EvenSteps {
    fn next(&mut self, _state: &State) -> Option<Next> {
        self.parts.pop().or_else(|| {
            self.left = self.left.checked_sub(1)?;
            Some(Next {
                step_s: self.step_s,
                policy: Policy::FIRST,
            })
        })
    }

    fn shorten(&mut self, step: &Next, reason: Option<StepError>, _state: &mut State) {
        let policy = step.policy.shorter(reason);
        let half = Next {
            step_s: 0.5 * step.step_s,
            policy: Policy {
                can_shorten: policy.shortened < MAX_HALVINGS,
                ..policy
            },
        };
        self.parts.extend([half; 2]);
    }
}
