//! One try of a step: everything that is known of it, and its phases in their order. How it is solved is in
//! [`super::scheme`].

use super::StepStart;
use super::accept::{self, Policy};
use super::corrections::{Guarded, Solved};
use super::energy_check::EndAsSolved;
use super::watch::{Seen, Watcher};
use crate::config::{Integrator, StepConfig};
use crate::constraints::strain_limit::Limited;
use crate::constraints::{End, StepConstraints};
use crate::contact::collider::ColliderContact;
use crate::contact::tuning::TUNING;
use crate::contact::{FeatureContact, GuardReport, StepContacts};
use crate::error::StepError;
use crate::report::{Phases, StepReport};
use crate::solve::Workspace;
use crate::solve::dump::SystemRecorder;
use glam::DVec3;
use std::time::Instant;
use toile_numerics::integrate::bdf2::History;
use toile_numerics::integrate::{Info, Rates, Scratch};

/// Where a try comes to. The memory is used by one try after the other, and carries nothing from one to the next.
#[derive(Default)]
pub(crate) struct Candidate {
    /// The end of the step, which all corrections change in place, and what integrators need on the way there.
    pub scratch: Scratch,
    /// The past that the next step is to remember.
    pub past: History,
    /// The end as the last solve left it.
    pub as_solved: EndAsSolved,
}

/// One try of a step: where it starts, what it is held to, and what its phases have made so far.
pub(crate) struct Attempt<'s> {
    pub start: StepStart<'s>,
    pub config: &'s StepConfig,
    pub policy: &'s Policy,
    /// What is held in the step.
    pub constraints: &'s mut StepConstraints,
    /// Contact of features, if there is any.
    pub features: Option<&'s mut FeatureContact>,
    /// What that knows of this step, once it is collected.
    pub step_contacts: Option<StepContacts>,
    /// The equations, and where the time goes.
    pub work: &'s mut Workspace,
    /// Keeps the first linear system, if that is asked for.
    pub recorder: Option<&'s mut SystemRecorder>,
    /// Impulses as forces on every particle, N; empty where there are none.
    pub impulse_forces_n: Vec<DVec3>,
    /// How far a force moves a mass in the last solve, m per N/kg, if a system was solved.
    pub square_s2: Option<f64>,
    /// All solves so far.
    pub solves: Info,
    /// What the strain limit did in them.
    pub limited: Limited,
}

/// What a try that is accepted leaves beside its end.
pub(crate) struct Accepted {
    /// Contact of features as the step left it.
    pub step_contacts: Option<StepContacts>,
    /// Contacts with colliders that go on.
    pub on_colliders: Vec<ColliderContact>,
    /// The fastest motions, for schemes with a limit or an advice.
    pub rates: Option<Rates>,
    /// What the step did.
    pub report: StepReport,
}

impl Attempt<'_> {
    /// The step, phase by phase. The state is left as it is: the end that may replace it is the candidate.
    pub fn run(
        mut self,
        candidate: &mut Candidate,
        watcher: &mut Watcher,
    ) -> Result<Accepted, StepError> {
        let Candidate {
            scratch,
            past,
            as_solved,
        } = candidate;
        self.timed(CONTACT, |step| step.constraints.begin(&step.start));
        accept::refuse_fast_colliders(&self.start, self.constraints)?;
        self.timed(CONTACT, Self::collect_contacts)?;
        let rates = self.check_stability()?;

        self.solve(scratch, None)?;
        for _ in 0..TUNING.impulse_most_solves {
            if !self.timed(CONTACT, |step| step.add_impulses(scratch)) {
                break;
            }
            self.solve(scratch, None)?;
        }
        let mut report = GuardReport::default();
        let guarded = loop {
            let solved = self.solved(scratch, past)?;
            as_solved.keep(&self, &solved);
            let guarded = self.timed(CONTACT, |step| step.correct(solved, &mut report))?;
            match self.timed(CONTACT, |step| step.resolve_from_safe(&report)) {
                Some(safe) => self.solve(scratch, Some(&safe))?,
                None => break guarded,
            }
        };

        let end = &guarded.end;
        accept::refuse_stretch(&self.start, self.config, self.policy, end.positions)?;
        as_solved.refuse_gain(&self, end)?;
        let seen = self.timed(VERIFY, |step| step.look(watcher, end))?;
        Ok(self.accepted(&guarded, report, rates, seen))
    }

    /// Finds what touches, or is about to.
    fn collect_contacts(&mut self) -> Result<(), StepError> {
        let Some(features) = &mut self.features else {
            return Ok(());
        };
        let clock = Instant::now();
        let begun = features.begin(&self.start, self.constraints);
        self.work.phases.proximity_s += clock.elapsed().as_secs_f64();
        let (contacts, stencils) = begun?;
        accept::refuse_fast_bodies(features, &contacts)?;
        self.work.contacts.begin(stencils);
        self.step_contacts = Some(contacts);
        Ok(())
    }

    /// Where impulses answer contact: adds those that the end of the last solve calls for to the forces
    /// of the next, so that cloth is not torn where it is struck. Returns whether there were any.
    fn add_impulses(&mut self, scratch: &Scratch) -> bool {
        let (layout, step_s) = (self.start.model.layout, self.start.step_s);
        let Some((features, contacts)) = self.features() else {
            return false;
        };
        let mut positions = layout.vectors(&scratch.x).to_vec();
        let before = layout.vectors(&scratch.v);
        let mut velocities = before.to_vec();
        let mut end = End {
            positions: &mut positions,
            velocities: &mut velocities,
            history: None,
        };
        if !features.strike(contacts, &mut end) {
            return false;
        }
        // Where BDF2 goes on, a force moves less than what it accelerates would go in the step.
        let square_s2 = match self.square_s2 {
            Some(square_s2) if !self.is_struck() => square_s2,
            _ => step_s * step_s,
        };
        let per_kg = step_s / square_s2;
        let forces = &mut self.impulse_forces_n;
        forces.resize(before.len(), DVec3::ZERO);
        for (i, force) in forces.iter_mut().enumerate() {
            *force += per_kg * self.start.model.masses[i] * (velocities[i] - before[i]);
        }
        true
    }

    /// Whether impulses of this step, as known so far, are a blow, or were so in the step before, of
    /// which BDF2 then has no memory.
    pub fn is_struck(&self) -> bool {
        let state = self.start.state;
        let has_forgotten = state.steps > 0 && state.history.is_none();
        let features = self.features.as_deref().zip(self.step_contacts.as_ref());
        features.is_some_and(|(features, contacts)| {
            let was_struck = self.config.integrator == Integrator::Bdf2 && has_forgotten;
            features.is_struck(contacts) || features.uses_impulses() && was_struck
        })
    }

    /// The end of the last solve, with the past that goes with it.
    fn solved<'c>(
        &self,
        scratch: &'c mut Scratch,
        past: &'c mut History,
    ) -> Result<Solved<'c>, StepError> {
        let Scratch { x, v, .. } = scratch;
        accept::refuse_infinite(x, v)?;
        let (state, layout) = (self.start.state, self.start.model.layout);
        let history = (self.config.integrator == Integrator::Bdf2).then(|| {
            past.set(
                bytemuck::cast_slice(&state.positions),
                bytemuck::cast_slice(&state.velocities),
                self.start.step_s,
            );
            past
        });
        Ok(Solved(End {
            positions: layout.vectors_mut(x),
            velocities: layout.vectors_mut(v),
            history,
        }))
    }

    /// Puts contacts in order and keeps apart what would meet.
    fn correct<'c>(
        &mut self,
        solved: Solved<'c>,
        report: &mut GuardReport,
    ) -> Result<Guarded<'c>, StepError> {
        let settled = solved.settle(self.features());
        let reactions = &self.work.reactions;
        let on_colliders = settled.put_on_colliders(&self.start, self.constraints, reactions);
        self.timed(GUARD, |step| {
            let (model, when_crushed) = (step.start.model, step.policy.when_crushed);
            on_colliders.guard(model, step.features(), when_crushed, report)
        })
    }

    /// Where the guard has changed much, the step is solved again from the place that it found safe,
    /// with what touches there: collects that, and returns the place.
    fn resolve_from_safe(&mut self, report: &GuardReport) -> Option<Vec<DVec3>> {
        let features = self.features.as_deref_mut()?;
        let contacts = self.step_contacts.as_mut()?;
        if report.solves_guarded >= TUNING.resolve_most_solves || !features.wants_to_resolve(report)
        {
            return None;
        }
        let (state, earlier) = (self.start.state, self.work.contacts.stencils());
        let found = features.resolve_from_safe(contacts, state, self.constraints, earlier);
        self.work.contacts.begin(found);
        Some(contacts.reached().to_vec())
    }

    /// Runs the exact test on the end. What is let through crosses a body, and so may what was crossed where the
    /// step began.
    fn look(&self, watcher: &mut Watcher, end: &End<'_>) -> Result<Seen, StepError> {
        let features = self.features.as_deref();
        let watch = match features.is_some_and(FeatureContact::is_in_bodies) {
            true => watcher.watch.for_cloth_alone(),
            false => watcher.watch,
        };
        watcher.look(watch, self.start.model, end.positions, self.start.end_s())
    }

    fn accepted(
        self,
        guarded: &Guarded<'_>,
        guard: GuardReport,
        rates: Option<Rates>,
        seen: Seen,
    ) -> Accepted {
        let features = self.features.as_deref();
        let (integrator, step_s) = (&self.config.integrator, self.start.step_s);
        let struck =
            (self.step_contacts.as_ref()).map_or_else(Default::default, |step| step.struck);
        let report = StepReport {
            contacts: guarded.on_colliders.len(),
            // Those of the state that this becomes are counted then.
            touches: struck.repelled,
            bonds: 0,
            guarded: guard,
            guard_took: guarded.took,
            struck,
            pinched: features.map_or(0, FeatureContact::pinched) + self.constraints.squeezed(),
            let_through: features.map_or(0, FeatureContact::let_through),
            tangled: features.map_or(0, FeatureContact::crossings),
            crossings: seen.crossings,
            body_crossings: seen.body_crossings,
            integration: self.solves,
            limited: self.limited,
            share_of_limit: rates.map_or(0.0, |r| step_s / integrator.longest_step_s(&r)),
            share_of_advice: rates.map_or(0.0, |r| step_s / integrator.advised_step_s(&r)),
            // Known when the step is done.
            phases: Phases::default(),
        };
        Accepted {
            step_contacts: self.step_contacts,
            on_colliders: guarded.on_colliders.clone(),
            rates,
            report,
        }
    }

    /// Contact of features in this step, if there is any.
    fn features(&mut self) -> Option<(&mut FeatureContact, &mut StepContacts)> {
        self.features
            .as_deref_mut()
            .zip(self.step_contacts.as_mut())
    }

    /// Counts the time that some work takes.
    pub fn timed<R>(&mut self, phase: Phase, work: impl FnOnce(&mut Self) -> R) -> R {
        let clock = Instant::now();
        let done = work(self);
        *phase(&mut self.work.phases) += clock.elapsed().as_secs_f64();
        done
    }
}

/// Where time is counted.
type Phase = fn(&mut Phases) -> &mut f64;
pub(crate) const CONTACT: Phase = |phases| &mut phases.contact_s;
const GUARD: Phase = |phases| &mut phases.guard_s;
const VERIFY: Phase = |phases| &mut phases.verify_s;
