//! A model, its state, and the settings of its step.

use super::FrameReport;
use super::accept::{Policy, Verdict};
use super::attempt::{Accepted, Attempt, Candidate};
use super::start::StepStart;
use super::watch::{Watch, Watcher};
use crate::config::StepConfig;
use crate::constraints::StepConstraints;
use crate::contact::FeatureContact;
use crate::error::StepError;
use crate::model::{Materials, Model};
use crate::report::{Phases, StepReport};
use crate::solve::Workspace;
use crate::solve::dump::{SystemDump, SystemRecorder};
use crate::solve::form::Form;
use crate::state::State;
use glam::DVec3;
use std::sync::Arc;
use std::time::Instant;
use toile_numerics::par;

/// A running simulation.
pub struct Simulation {
    model: Arc<Model>,
    /// What the model was made of when it was last looked at.
    materials: Arc<Materials>,
    pub(super) state: State,
    config: StepConfig,
    constraints: StepConstraints,
    features: Option<FeatureContact>,
    work: Workspace,
    watcher: Watcher,
    candidate: Candidate,
    /// When the last step tried to end, s.
    tried_time_s: f64,
    /// Keeps the linear system that is asked for.
    recorder: Option<SystemRecorder>,
    /// What the last frame's steps did so far.
    pub(super) frame: FrameReport,
}

impl Simulation {
    /// Starts `model` from its initial state.
    pub fn new(model: Arc<Model>, config: StepConfig) -> Self {
        let has_contact = config.contact.is_some() || !model.bodies.is_empty();
        Self {
            materials: model.materials.clone(),
            state: State::start(&model),
            constraints: StepConstraints::default(),
            features: has_contact.then(|| FeatureContact::new(&model, &config)),
            work: Workspace::new(&model, &config),
            watcher: Watcher::default(),
            candidate: Candidate::default(),
            tried_time_s: 0.0,
            recorder: None,
            frame: FrameReport::default(),
            model,
            config,
        }
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// What the model is made of at the end of the last step.
    pub(super) fn materials(&self) -> &Materials {
        &self.materials
    }

    /// The state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Settings of the step.
    pub fn config(&self) -> &StepConfig {
        &self.config
    }

    /// Continues from another state of the same model, such as a checkpoint's.
    pub fn restore(&mut self, state: State) {
        self.state = state;
        if let Some(features) = &mut self.features {
            features.restart();
        }
    }

    /// What is done from now on about triangles that meet at the end of a step.
    pub fn watch(&mut self, watch: Watch) {
        self.watcher.watch = watch;
    }

    /// Where the last step tried to put the particles: the state if it was taken, and if it failed,
    /// what it failed with. Empty before the first step.
    pub fn tried_positions(&self) -> &[DVec3] {
        bytemuck::cast_slice(&self.candidate.scratch.x)
    }

    /// When the last step tried to end, s.
    pub fn tried_time_s(&self) -> f64 {
        self.tried_time_s
    }

    /// Keeps the linear system of one step, counted from 1, for [`Simulation::take_dump`].
    pub fn dump_step(&mut self, step: u64) {
        self.record_residuals(true);
        self.recorder = Some(SystemRecorder::of_step(step));
    }

    /// The system of the step asked for, once that step is done.
    pub fn take_dump(&mut self) -> Option<SystemDump> {
        self.recorder.as_mut()?.kept.take()
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

    /// Advances by exactly one step, which is taken as it is or not at all: on failure the state is untouched.
    /// [`Simulation::advance`] takes shorter steps where one has seen too little, and where one fails.
    pub fn step(&mut self, step_s: f64) -> Result<StepReport, StepError> {
        self.take(step_s, &Policy::AS_IT_IS)
    }

    /// Tries one step; the state becomes its end if that is accepted, and stays as it is if not.
    pub(super) fn take(&mut self, step_s: f64, policy: &Policy) -> Result<StepReport, StepError> {
        let clock = Instant::now();
        self.work.phases = Phases::default();
        let mut tried = self.attempt(step_s, policy);
        if let Err(reason) = &tried
            && policy.verdict(reason) == Verdict::LetThrough
        {
            tried = self.attempt(step_s, &policy.letting_through());
        }
        let taken = tried.map(|accepted| self.commit(step_s, accepted));
        self.work.phases.total_s = clock.elapsed().as_secs_f64();
        let report = taken?;
        Ok(StepReport {
            phases: self.work.phases,
            ..report
        })
    }

    /// Where the time of the last step went, whether it was taken or not.
    pub(super) fn last_phases(&self) -> &Phases {
        &self.work.phases
    }

    /// Tries one step.
    fn attempt(&mut self, step_s: f64, policy: &Policy) -> Result<Accepted, StepError> {
        if !(step_s.is_finite() && step_s > 0.0) {
            return Err(StepError::BadStep { step_s });
        }
        let (form, _) = Form::of(&self.model, &self.config);
        form.takes(&self.model.layout)?;
        let end_s = self.state.time_s + step_s;
        let materials = self.materials.at(&self.model, end_s);
        self.materials = materials.map_err(|_| StepError::BadMaterial { time_s: end_s })?;
        self.tried_time_s = end_s;
        let number = self.state.steps + 1;
        let mut recorder = self.recorder.as_mut().filter(|own| own.step == number);
        if let Some(recorder) = &mut recorder {
            recorder.kept = None;
        }
        let attempt = Attempt {
            start: StepStart {
                model: &self.model,
                materials: &self.materials,
                state: &self.state,
                step_s,
                is_solved: !self.config.integrator.has_limit(),
            },
            config: &self.config,
            policy,
            constraints: &mut self.constraints,
            features: self.features.as_mut(),
            step_contacts: None,
            work: &mut self.work,
            recorder,
            impulse_forces_n: Vec::new(),
            square_s2: None,
            solves: Default::default(),
            limited: Default::default(),
        };
        attempt.run(&mut self.candidate, &mut self.watcher)
    }

    /// Makes the candidate the state: its scratch vectors are the guarded end that was accepted.
    fn commit(&mut self, step_s: f64, accepted: Accepted) -> StepReport {
        let Candidate { scratch, past, .. } = &mut self.candidate;
        let layout = self.model.layout;
        let positions = layout.vectors(&scratch.x);
        let velocities = layout.vectors(&scratch.v);
        let state = &mut self.state;
        // First: what touches tells a blow by the velocities that the state still has.
        let is_blow = match (&mut self.features, accepted.step_contacts) {
            (Some(features), Some(contacts)) => {
                let (stencils, end) = (self.work.contacts.stencils(), (positions, velocities));
                features.finish(contacts, stencils, end, state)
            }
            _ => false,
        };
        state.bonds = (self.constraints.bonds).finish(&self.model, positions, step_s);
        par::copy(positions, &mut state.positions);
        par::copy(velocities, &mut state.velocities);
        self.materials.remember(&state.positions, &mut state.memory);
        // The past is no guide to what comes after a blow.
        let remembers = self.config.integrator.remembers_past() && !is_blow;
        let before = state.history.take().unwrap_or_default();
        state.history = remembers.then(|| std::mem::replace(past, before));
        if self.config.integrator.remembers_acceleration() {
            state.acceleration = Some(layout.vectors(&scratch.acceleration).to_vec());
        }
        state.contacts = accepted.on_colliders;
        state.rates = accepted.rates;
        state.time_s += step_s;
        state.steps += 1;
        StepReport {
            touches: state.touches.len() + accepted.report.touches,
            bonds: state.bonds.len(),
            ..accepted.report
        }
    }

    /// Does work that is made of steps with the attention of all threads, where that is worth it.
    pub(super) fn attentively<R: Send>(&mut self, work: impl FnOnce(&mut Self) -> R + Send) -> R {
        if self.model.deserves_attention() {
            par::attentively(|| work(self))
        } else {
            work(self)
        }
    }
}
