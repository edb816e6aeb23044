//! A model, its state, and the step.

use crate::config::{Integrator, StepConfig};
use crate::constraints::step_constraints::{ColliderContact, End, StepConstraints};
use crate::contact::feature_contact::WhenCrushed;
use crate::contact::tuning::TUNING;
use crate::contact::{FeatureContact, Guarded, StepContacts};
use crate::error::StepError;
use crate::model::Model;
use crate::report::{Phases, StepReport, Took};
use crate::solve::Workspace;
use crate::solve::dump::SystemDump;
use crate::state::State;
use crate::step::advance::{FrameReport, Halved};
use crate::step::energy_check::Solved;
use crate::step::stretch;
use crate::step::watch::{Watch, Watcher};
use glam::DVec3;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;
use toile_numerics::integrate::Scratch;
use toile_numerics::integrate::bdf2::History;
use toile_numerics::par;

/// Particles from which on a step is worth the whole attention of all threads.
const ATTENTIVE_PARTICLES: usize = 2000;
/// Times that a step which stretches cloth is halved even if that does not help at first.
const LEAST_HALVINGS: u32 = 2;

/// A running simulation.
pub struct Simulation {
    pub(crate) model: Arc<Model>,
    pub(crate) state: State,
    pub(crate) config: StepConfig,
    pub(crate) work: Workspace,
    pub(crate) scratch: Scratch,
    pub(crate) holds: StepConstraints,
    stages: Option<FeatureContact>,
    /// Contact in the step that is being taken.
    step_contacts: Option<StepContacts>,
    /// What becomes in it of cloth that solids press into each other.
    when_crushed: WhenCrushed,
    watch: Watch,
    watcher: Watcher,
    before_guard: Vec<DVec3>,
    /// Memory for the past that the next step is to leave.
    spare_past: History,
    tried_time_s: f64,
    dump_step: Option<u64>,
    pub(crate) solved: Solved,
    /// The step that the next one is part of; if none, it may do as it will.
    pub(crate) halved: Option<Halved>,
    /// What the last frame's steps did so far.
    pub(crate) frame: FrameReport,
}

impl Simulation {
    /// Starts `model` from its initial state.
    pub fn new(model: Arc<Model>, config: StepConfig) -> Self {
        let state = State::start(&model);
        Self {
            work: Workspace::new(&model, &config),
            scratch: Scratch::default(),
            holds: StepConstraints::default(),
            stages: (config.contact.is_some() || !model.bodies.is_empty())
                .then(|| FeatureContact::new(&model, &config)),
            step_contacts: None,
            when_crushed: WhenCrushed::Refuse,
            watch: Watch::Off,
            watcher: Watcher::default(),
            before_guard: Vec::new(),
            spare_past: History::default(),
            tried_time_s: 0.0,
            dump_step: None,
            solved: Solved::default(),
            halved: None,
            frame: FrameReport::default(),
            model,
            state,
            config,
        }
    }

    /// The model, with materials as they are now.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Continues from another state of the same model, such as a checkpoint's.
    pub fn restore(&mut self, state: State) {
        // Where that fails, the next step says so.
        let _ = self.set_time(state.time_s);
        self.state = state;
        if let Some(stages) = &mut self.stages {
            stages.restart();
        }
    }

    /// What is done from now on about triangles that meet at the end of a step.
    pub fn watch(&mut self, watch: Watch) {
        self.watch = watch;
    }

    /// Where the last step tried to put the particles: the state if it was taken, and if it failed,
    /// what it failed with. Empty before the first step.
    pub fn tried_positions(&self) -> &[DVec3] {
        bytemuck::cast_slice(&self.scratch.x)
    }

    /// When the last step tried to end, s.
    pub fn tried_time_s(&self) -> f64 {
        self.tried_time_s
    }

    /// Keeps the linear system of one step, counted from 1, for [`Simulation::take_dump`].
    pub fn dump_step(&mut self, step: u64) {
        self.record_residuals(true);
        self.dump_step = Some(step);
    }

    /// The system of the step asked for, once that step is done.
    pub fn take_dump(&mut self) -> Option<SystemDump> {
        self.work.kept_system.take()
    }

    /// From now on, every linear solve keeps its residuals, or not.
    pub fn record_residuals(&mut self, record: bool) {
        self.work.record_residuals(record);
    }

    /// Relative residual of the last linear solve at its start and after every iteration; empty
    /// unless recorded.
    pub fn residuals(&self) -> &[f64] {
        self.work.residuals()
    }

    /// Settings of the step.
    pub fn config(&self) -> &StepConfig {
        &self.config
    }

    /// Does work that is made of steps with the attention of all threads, where that is worth it.
    pub(crate) fn attentively<R: Send>(&mut self, work: impl FnOnce(&mut Self) -> R + Send) -> R {
        if self.model.particles() < ATTENTIVE_PARTICLES {
            work(self)
        } else {
            par::attentively(|| work(self))
        }
    }

    /// Advances by one step. On failure the state is untouched.
    pub fn step(&mut self, step_s: f64) -> Result<StepReport, StepError> {
        let clock = Instant::now();
        self.work.phases = Phases::default();
        if !(step_s.is_finite() && step_s > 0.0) {
            return Err(StepError::BadStep { step_s });
        }
        let start_s = self.state.time_s;
        let mut done = self
            .set_time(start_s + step_s)
            .and_then(|()| self.try_step(step_s));
        self.work.phases.total_s = clock.elapsed().as_secs_f64();
        match &mut done {
            Ok(report) => report.phases = self.work.phases,
            Err(_) => self.set_time(start_s)?,
        }
        done
    }

    /// Makes cloths of what they are made of at a time.
    fn set_time(&mut self, time_s: f64) -> Result<(), StepError> {
        if self.model.is_at(time_s) {
            return Ok(());
        }
        let set = Arc::make_mut(&mut self.model).set_time(time_s);
        set.map_err(|_| StepError::BadMaterial { time_s })
    }

    /// The step with materials as they are at its end.
    fn try_step(&mut self, step_s: f64) -> Result<StepReport, StepError> {
        let clock = Instant::now();
        self.work.limited = Default::default();
        let number = self.state.steps + 1;
        self.work.keep_system_of = self.dump_step.filter(|step| *step == number);
        if self.work.keep_system_of.is_some() {
            self.work.kept_system = None;
        }

        self.tried_time_s = self.state.time_s + step_s;
        self.work.blows_n.clear();
        self.work.square_s2 = None;
        self.holds.explicit = self.config.integrator.has_limit();
        self.holds.begin(&self.model, &self.state, step_s);
        self.refuse_fast_strikes()?;
        if let Some(stages) = &mut self.stages {
            let Self {
                model,
                state,
                holds,
                work,
                ..
            } = self;
            let searching = Instant::now();
            let begun = stages.begin(model, state, holds, step_s);
            work.phases.proximity_s = searching.elapsed().as_secs_f64();
            work.phases.contact_s = clock.elapsed().as_secs_f64();
            let (step, stencils) = begun?;
            work.contacts.begin(stencils);
            self.step_contacts = Some(step);
        }
        let rates = self.check_stability(step_s)?;
        self.work.phases.contact_s = clock.elapsed().as_secs_f64();
        let mut info = self.attentively(|simulation| simulation.integrate(step_s, None))?;
        for _ in 0..TUNING.impulse_most_solves {
            let responding = Instant::now();
            let is_struck = self.pass_on_impulses(step_s);
            self.work.phases.contact_s += responding.elapsed().as_secs_f64();
            if !is_struck {
                break;
            }
            info += self.attentively(|simulation| simulation.integrate(step_s, None))?;
        }
        let mut guarded = Guarded::default();
        let ended = loop {
            let integrated = Instant::now();
            let ended = self.finish(step_s, &mut guarded);
            let next_look = match &ended {
                Ok(_) => self.resolve_from_safe(&guarded),
                Err(_) => None,
            };
            self.work.phases.contact_s += integrated.elapsed().as_secs_f64();
            let ended = ended?;
            let Some(reached) = next_look else {
                break ended;
            };
            info += self.attentively(|simulation| simulation.integrate(step_s, Some(&reached)))?;
        };
        self.refuse_stretch()?;
        self.refuse_gain()?;
        let guard_took = ended.guard_took;
        let verifying = Instant::now();
        let x: &[DVec3] = bytemuck::cast_slice(&self.scratch.x);
        let end_s = self.tried_time_s;
        // What is let through crosses a body, and so may what was crossed where the step began.
        let stages = self.stages.as_ref();
        let watch = match stages.is_some_and(FeatureContact::is_in_bodies) {
            true => self.watch.for_cloth_alone(),
            false => self.watch,
        };
        let seen = self.watcher.look(watch, &self.model, x, end_s);
        self.work.phases.verify_s = verifying.elapsed().as_secs_f64();
        let seen = seen?;
        let contacts = self.step_contacts.as_ref();
        let struck = contacts.map_or_else(Default::default, |step| step.struck);
        self.commit(step_s, ended);
        self.state.rates = rates;
        let integrator = self.config.integrator;
        Ok(StepReport {
            contacts: self.state.contacts.len(),
            touches: self.state.touches.len() + struck.repelled,
            bonds: self.state.bonds.len(),
            guarded,
            guard_took,
            struck,
            pinched: self.stages.as_ref().map_or(0, FeatureContact::pinched)
                + self.holds.squeezed(),
            let_through: self.stages.as_ref().map_or(0, FeatureContact::let_through),
            tangled: self.stages.as_ref().map_or(0, FeatureContact::crossings),
            crossings: seen.crossings,
            body_crossings: seen.body_crossings,
            integration: info,
            limited: self.work.limited,
            share_of_limit: rates.map_or(0.0, |r| step_s / integrator.longest_step_s(&r)),
            share_of_advice: rates.map_or(0.0, |r| step_s / integrator.advised_step_s(&r)),
            // Known when the step is done.
            phases: Phases::default(),
        })
    }

    /// A collider that goes by several edges in a step meets all of the cloth in its way at once, and
    /// would draw it out along with it instead of pushing it.
    fn refuse_fast_strikes(&self) -> Result<(), StepError> {
        let motion_m = self.holds.longest_strike_m();
        let limit_m = TUNING.most_strike_edges * self.model.shortest_link_m;
        if motion_m > limit_m {
            return Err(StepError::TooFast { motion_m, limit_m });
        }
        Ok(())
    }

    /// A step that sees cloth slack at its beginning, and far beyond its length at its end, has seen
    /// nothing of what holds it back between.
    fn refuse_stretch(&self) -> Result<(), StepError> {
        let Some(halved) = self.halved else {
            return Ok(());
        };
        if self.config.integrator.has_limit() {
            return Ok(());
        }
        let (limit, before) = (self.config.max_stretch_step, &self.state.positions);
        let x = bytemuck::cast_slice(&self.scratch.x);
        let growth = stretch::growth_above(&self.model, before, x, limit);
        // Where shorter steps stretch as much as long ones, still shorter ones do not help. A blow may come
        // anywhere in a step, so that one half tells nothing yet.
        let may_help = growth < halved.growth || halved.times < LEAST_HALVINGS;
        if growth > limit && may_help {
            return Err(StepError::TooStretched { growth, limit });
        }
        Ok(())
    }

    /// The same where all shorter steps have failed with `error`: cloth that one solid presses into
    /// another is let through, and counted. Against a single one the error stands.
    pub(crate) fn step_yielding(&mut self, step_s: f64, error: StepError) -> Result<(), StepError> {
        let StepError::Crushed { .. } = error else {
            return Err(error);
        };
        self.when_crushed = WhenCrushed::LetThrough;
        let done = self.counted_step(step_s);
        self.when_crushed = WhenCrushed::Refuse;
        done
    }

    /// Checks the candidate, puts contacts in order and keeps apart what would meet.
    fn finish(&mut self, step_s: f64, guarded: &mut Guarded) -> Result<Ended, StepError> {
        let looks_at_gain = self.looks_at_gain();
        let Scratch { x, v, .. } = &mut self.scratch;
        if let Some(coordinate) = not_finite(x, v) {
            return Err(StepError::NotFinite {
                particle: (coordinate / 3) as u32,
            });
        }
        let mut history = (self.config.integrator == Integrator::Bdf2).then(|| {
            let mut past = std::mem::take(&mut self.spare_past);
            let State {
                positions,
                velocities,
                ..
            } = &self.state;
            past.set(
                bytemuck::cast_slice(positions),
                bytemuck::cast_slice(velocities),
                step_s,
            );
            past
        });
        let mut end = End {
            positions: bytemuck::cast_slice_mut(x),
            velocities: bytemuck::cast_slice_mut(v),
            history: history.as_mut(),
        };
        if looks_at_gain {
            let way = (&self.state.positions[..], &*end.positions);
            let drawn_j = self.holds.drawn_j(&self.work.reactions, way);
            self.solved.keep(end.positions, end.velocities, drawn_j);
        }
        if let (Some(stages), Some(contacts)) = (&mut self.stages, &mut self.step_contacts) {
            stages.settle(contacts, &mut end);
        }
        let contacts = self
            .holds
            .finish(&self.model, &self.work.reactions, step_s, &mut end);
        let mut guard_took = Took::default();
        if let (Some(stages), Some(contacts)) = (&mut self.stages, &mut self.step_contacts) {
            let guarding = Instant::now();
            stages.respond(contacts, &mut end);
            self.before_guard.clear();
            self.before_guard.extend_from_slice(end.velocities);
            let kept_apart = stages.guard(contacts, self.when_crushed, &mut end);
            self.work.phases.guard_s += guarding.elapsed().as_secs_f64();
            guarded.add(&kept_apart?);
            guard_took = Took::between(&self.model, &self.before_guard, end.velocities);
        }
        Ok(Ended {
            contacts,
            history,
            guard_took,
        })
    }

    /// Where impulses answer contact: adds those that the end of the last solve calls for to the forces
    /// of the next, so that cloth is not torn where it is struck. Returns whether there were any.
    fn pass_on_impulses(&mut self, step_s: f64) -> bool {
        let (Some(stages), Some(contacts)) = (&mut self.stages, &mut self.step_contacts) else {
            return false;
        };
        let Scratch { x, v, .. } = &mut self.scratch;
        let mut positions: Vec<DVec3> = bytemuck::cast_slice(x).to_vec();
        let before: &[DVec3] = bytemuck::cast_slice(v);
        let mut velocities = before.to_vec();
        let mut end = End {
            positions: &mut positions,
            velocities: &mut velocities,
            history: None,
        };
        if !stages.strike(contacts, &mut end) {
            return false;
        }
        // Where BDF2 goes on, a force moves less than what it accelerates would go in the step.
        let square_s2 = match self.work.square_s2 {
            Some(square_s2) if !self.is_struck() => square_s2,
            _ => step_s * step_s,
        };
        let per_kg = step_s / square_s2;
        let before: &[DVec3] = bytemuck::cast_slice(&self.scratch.v);
        let blows = &mut self.work.blows_n;
        blows.resize(before.len(), DVec3::ZERO);
        for (i, blow) in blows.iter_mut().enumerate() {
            *blow += per_kg * self.model.masses[i] * (velocities[i] - before[i]);
        }
        true
    }

    /// Whether impulses of this step, as known so far, are a blow, or were so in the step before, of
    /// which BDF2 then has no memory.
    pub(crate) fn is_struck(&self) -> bool {
        let State { history, steps, .. } = &self.state;
        let has_forgotten = *steps > 0 && history.is_none();
        let (Some(stages), Some(contacts)) = (&self.stages, &self.step_contacts) else {
            return false;
        };
        let was_struck = self.config.integrator == Integrator::Bdf2 && has_forgotten;
        stages.is_struck(contacts) || stages.uses_impulses() && was_struck
    }

    /// Where the guard has changed much, the step is solved again from the place that it found safe,
    /// with what touches there: returns that place.
    fn resolve_from_safe(&mut self, guarded: &Guarded) -> Option<Vec<DVec3>> {
        let stages = self.stages.as_mut()?;
        let contacts = self.step_contacts.as_mut()?;
        if guarded.looks >= TUNING.resolve_most_solves || !stages.wants_to_resolve(guarded) {
            return None;
        }
        let (holds, earlier) = (&mut self.holds, self.work.contacts.stencils());
        let found = stages.resolve_from_safe(contacts, &self.state, holds, earlier);
        self.work.contacts.begin(found);
        Some(contacts.reached().to_vec())
    }

    /// Makes the candidate the state.
    fn commit(&mut self, step_s: f64, ended: Ended) {
        let Ended {
            contacts,
            mut history,
            ..
        } = ended;
        let positions: &[DVec3] = bytemuck::cast_slice(&self.scratch.x);
        let velocities: &[DVec3] = bytemuck::cast_slice(&self.scratch.v);
        if let (Some(stages), Some(contacts)) = (&mut self.stages, self.step_contacts.take()) {
            let (stencils, end) = (self.work.contacts.stencils(), (positions, velocities));
            if stages.finish(contacts, stencils, end, &mut self.state) {
                // The past is no guide to what comes after a blow.
                history = None;
            }
        }
        self.state.bonds = self.holds.bonds.finish(&self.model, positions, step_s);
        par::copy(positions, &mut self.state.positions);
        par::copy(velocities, &mut self.state.velocities);
        self.model
            .remember(&self.state.positions, &mut self.state.memory);
        let before = std::mem::replace(&mut self.state.history, history);
        self.spare_past = before.unwrap_or_default();
        if self.config.integrator.remembers_acceleration() {
            let end: &[DVec3] = bytemuck::cast_slice(&self.scratch.acceleration);
            self.state.acceleration = Some(end.to_vec());
        }
        self.state.contacts = contacts;
        self.state.time_s += step_s;
        self.state.steps += 1;
    }
}

/// The first coordinate whose position or velocity is not a number, if there is one.
fn not_finite(x: &[f64], v: &[f64]) -> Option<usize> {
    let is_finite = |(x, v): (&f64, &f64)| (x + v).is_finite();
    let are_finite = |range: Range<usize>| {
        let both = x[range.clone()].iter().zip(&v[range]);
        both.fold(true, |all, one| all & is_finite(one))
    };
    if par::sum_leaves_with(x.len(), are_finite, |a, b| a && b) {
        return None;
    }
    x.iter().zip(v).position(|one| !is_finite(one))
}

/// The end of a step that may become the state.
struct Ended {
    /// Contacts with colliders.
    contacts: Vec<ColliderContact>,
    /// The past that the next step is to remember.
    history: Option<History>,
    guard_took: Took,
}
