//! A model's forces and matrices at any state, outside of a step.

use crate::couple::Couple;
use glam::DVec3;
use std::sync::Arc;
use toile_numerics::integrate::{ImplicitSystem, Rates, Scratch, Start, System, Weights, rk4};
use toile_numerics::{BlockCsr, Hold};
use toile_sim::constraints::StepConstraints;
use toile_sim::solve::{ClothSystem, Workspace};
use toile_sim::{Model, Preconditioner, State, StepConfig, StepError};

/// Asks a model for forces and matrices.
pub struct Probe {
    /// Moments that act on it besides its own forces.
    pub couples: Vec<Couple>,
    model: Arc<Model>,
    config: StepConfig,
    holds: StepConstraints,
    work: Workspace,
}

impl Probe {
    /// A probe of `model` at its start: pins are where they begin.
    pub fn new(model: Arc<Model>) -> Self {
        let config = StepConfig {
            preconditioner: Preconditioner::BlockDiagonal,
            ..StepConfig::default()
        };
        let mut holds = StepConstraints::default();
        holds.begin(&toile_sim::step::StepStart::new(
            &model,
            &State::start(&model),
            1e-3,
        ));
        Self {
            work: Workspace::new(&model, &config),
            couples: Vec::new(),
            model,
            config,
            holds,
        }
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// What pins hold, particle by particle.
    pub fn held(&self) -> &[(u32, Hold)] {
        self.holds.filter.holds()
    }

    fn system(&mut self) -> ClothSystem<'_> {
        ClothSystem::new(&self.model, &self.config, &self.holds, &mut self.work)
    }

    /// Force on every particle, N.
    pub fn force(&mut self, x: &[DVec3], v: &[DVec3]) -> Vec<DVec3> {
        let mut force = vec![DVec3::ZERO; x.len()];
        self.system().force(
            bytemuck::cast_slice(x),
            bytemuck::cast_slice(v),
            bytemuck::cast_slice_mut(&mut force),
        );
        for couple in &self.couples {
            let pull = couple.force(x);
            force[couple.to] += pull;
            force[couple.from] -= pull;
        }
        force
    }

    /// The same at velocities `v`, with the air's coefficients frozen at `frozen_v`.
    pub fn frozen_force(&mut self, x: &[DVec3], frozen_v: &[DVec3], v: &[DVec3]) -> Vec<DVec3> {
        let mut force = vec![DVec3::ZERO; x.len()];
        self.system().linearise(
            bytemuck::cast_slice(x),
            bytemuck::cast_slice(frozen_v),
            bytemuck::cast_slice(v),
            &Weights::uniform(1.0),
            bytemuck::cast_slice_mut(&mut force),
        );
        force
    }

    /// The solver's matrix `M − α D − α² K`.
    pub fn matrix(&mut self, x: &[DVec3], v: &[DVec3], alpha_s: f64) -> BlockCsr {
        let mut matrix = self
            .system()
            .assembled_matrix(x, v, &Weights::uniform(alpha_s));
        for couple in &self.couples {
            couple.add_stiffness(x, alpha_s * alpha_s, &mut matrix);
        }
        matrix
    }

    /// The fastest motions around a state.
    pub fn rates(&mut self, x: &[DVec3], v: &[DVec3]) -> Rates {
        self.system()
            .rates(bytemuck::cast_slice(x), bytemuck::cast_slice(v))
    }

    /// A step of the classical Runge–Kutta method, however long: a simulation would refuse one
    /// above the limit of stability. Pins must stand still.
    pub fn rk4(&mut self, x: &mut [DVec3], v: &mut [DVec3], step_s: f64) -> Result<(), StepError> {
        let start = Start {
            x: bytemuck::cast_slice(x),
            v: bytemuck::cast_slice(v),
            history: None,
            acceleration: None,
            guess: None,
        };
        let mut end = Scratch::default();
        rk4::step(&mut self.system(), &start, step_s, &mut end)?;
        x.copy_from_slice(bytemuck::cast_slice(&end.x));
        v.copy_from_slice(bytemuck::cast_slice(&end.v));
        Ok(())
    }

    /// Elastic energy, that of height and that of couples, J.
    pub fn energy(&self, x: &[DVec3]) -> f64 {
        let couples: f64 = self.couples.iter().map(|couple| couple.energy(x)).sum();
        let elastic: f64 = self
            .model
            .materials
            .families()
            .map(|family| family.energy(x, &[]))
            .sum();
        let gravity = self.model.gravity_m_per_s2;
        let heights = x.iter().zip(&self.model.masses);
        elastic + couples - heights.map(|(x, m)| m * gravity.dot(*x)).sum::<f64>()
    }
}
