//! A model, its state, and the step.

use crate::config::{Integrator, Solve, StepConfig};
use crate::constraints::contact::{End, Holds};
use crate::dump::SystemDump;
use crate::error::StepError;
use crate::model::Model;
use crate::report::{Phases, StepReport};
use crate::state::State;
use crate::system::{ClothSystem, Workspace};
use glam::DVec3;
use std::sync::Arc;
use std::time::Instant;
use toile_numerics::integrate::bdf2::{self, History};
use toile_numerics::integrate::implicit::{self, Coefficients, Start};
use toile_numerics::integrate::{Method, NewtonParams, Scratch, System, backward_euler};
use toile_numerics::par;

/// A running simulation.
pub struct Simulation {
    model: Arc<Model>,
    state: State,
    config: StepConfig,
    work: Workspace,
    scratch: Scratch,
    holds: Holds,
    dump_step: Option<u64>,
}

impl Simulation {
    /// Starts `model` from its initial state.
    pub fn new(model: Arc<Model>, config: StepConfig) -> Self {
        let state = State::start(&model);
        Self {
            work: Workspace::new(&model, &config),
            scratch: Scratch::default(),
            holds: Holds::default(),
            dump_step: None,
            model,
            state,
            config,
        }
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Continues from another state of the same model, such as a checkpoint's.
    pub fn restore(&mut self, state: State) {
        self.state = state;
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

    /// Advances by one step. On failure the state is untouched.
    pub fn step(&mut self, step_s: f64) -> Result<StepReport, StepError> {
        if !(step_s.is_finite() && step_s > 0.0) {
            return Err(StepError::BadStep { step_s });
        }
        let clock = Instant::now();
        (self.work.assembly, self.work.solve) = Default::default();
        self.work.limited = Default::default();
        let number = self.state.steps + 1;
        self.work.keep_system_of = self.dump_step.filter(|step| *step == number);

        self.holds.begin(&self.model, &self.state, step_s);
        let begun = clock.elapsed();

        let ghost = self.ghost_history(step_s);
        let history = ghost.as_ref().or(self.state.history.as_ref());
        let (coefficients, history) = self.coefficients(history, step_s);
        let start = Start {
            x: bytemuck::cast_slice(&self.state.positions),
            v: bytemuck::cast_slice(&self.state.velocities),
            history,
        };
        let method = self.method();
        let mut system = ClothSystem {
            model: &self.model,
            config: &self.config,
            holds: &self.holds,
            work: &mut self.work,
            alpha_s: 0.0,
        };
        let scratch = &mut self.scratch;
        let info = par::attentively(|| {
            implicit::step(&mut system, &start, step_s, coefficients, method, scratch)
        })?;

        let integrated = clock.elapsed();
        let contacts = self.commit(step_s)?;
        Ok(StepReport {
            contacts,
            integration: info,
            limited: self.work.limited,
            phases: Phases {
                contact_s: (begun + clock.elapsed() - integrated).as_secs_f64(),
                assembly_s: self.work.assembly.as_secs_f64(),
                solve_s: self.work.solve.as_secs_f64(),
                total_s: clock.elapsed().as_secs_f64(),
            },
        })
    }

    /// The past of a first BDF2 step: the one constant acceleration would have left, or none
    /// (a backward Euler start) where that acceleration would throw particles further than a
    /// link is long.
    fn ghost_history(&mut self, step_s: f64) -> Option<History> {
        if self.config.integrator != Integrator::Bdf2 || self.state.history.is_some() {
            return None;
        }
        let x: &[f64] = bytemuck::cast_slice(&self.state.positions);
        let v: &[f64] = bytemuck::cast_slice(&self.state.velocities);
        let mut acceleration = vec![0.0; x.len()];
        let mut system = ClothSystem {
            model: &self.model,
            config: &self.config,
            holds: &self.holds,
            work: &mut self.work,
            alpha_s: 0.0,
        };
        system.force(x, v, &mut acceleration);
        for (a, m) in acceleration.iter_mut().zip(&self.model.coordinate_masses) {
            *a /= m;
        }
        let vectors: &mut [DVec3] = bytemuck::cast_slice_mut(&mut acceleration);
        for target in &self.holds.targets {
            let i = target.particle as usize;
            vectors[i] = target.hold.free_part(vectors[i]);
        }
        // Falling together tears nothing apart, however far.
        let gravity = self.model.gravity_m_per_s2;
        let from_free_fall = |a: &DVec3| a.length().min((*a - gravity).length());
        let farthest = vectors.iter().map(from_free_fall).fold(0.0, f64::max);
        let gentle = 0.5 * step_s * step_s * farthest <= self.model.shortest_link_m;
        gentle.then(|| History::ghost(x, v, &acceleration, step_s))
    }

    fn coefficients<'a>(
        &self,
        history: Option<&'a History>,
        step_s: f64,
    ) -> (Coefficients, Option<&'a History>) {
        match (self.config.integrator, history) {
            (Integrator::Bdf2, Some(past)) if step_s / past.step_s <= bdf2::MAX_STEP_RATIO => {
                (bdf2::coefficients(step_s / past.step_s), Some(past))
            }
            _ => (backward_euler::COEFFICIENTS, None),
        }
    }

    fn method(&self) -> Method {
        match self.config.solve {
            Solve::Once => Method::Once,
            Solve::Newton => Method::Newton(NewtonParams {
                tolerance_m: self.config.newton_tolerance * self.model.shortest_link_m,
                max_move_m: 5.0 * self.model.shortest_link_m,
                max_iterations: self.config.newton_max_iterations,
            }),
        }
    }

    /// Checks the candidate, puts contacts in order, and makes it the state. Returns the number
    /// of particles in contact.
    fn commit(&mut self, step_s: f64) -> Result<usize, StepError> {
        let Scratch { x, v, .. } = &mut self.scratch;
        let bad = x.iter().zip(&*v).position(|(x, v)| !(x + v).is_finite());
        if let Some(coordinate) = bad {
            return Err(StepError::NotFinite {
                particle: (coordinate / 3) as u32,
            });
        }
        let mut history = (self.config.integrator == Integrator::Bdf2).then(|| History {
            positions: bytemuck::cast_slice(&self.state.positions).to_vec(),
            velocities: bytemuck::cast_slice(&self.state.velocities).to_vec(),
            step_s,
        });
        let mut end = End {
            positions: bytemuck::cast_slice_mut(x),
            velocities: bytemuck::cast_slice_mut(v),
            history: history.as_mut(),
        };
        let contacts = self
            .holds
            .finish(&self.model, &self.work.reactions, step_s, &mut end);
        par::copy(end.positions, &mut self.state.positions);
        par::copy(end.velocities, &mut self.state.velocities);
        self.state.history = history;
        self.state.contacts = contacts;
        self.state.time_s += step_s;
        self.state.steps += 1;
        Ok(self.state.contacts.len())
    }
}
