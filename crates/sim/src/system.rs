//! The model as the integrator sees it.

use crate::config::StepConfig;
use crate::constraints::contact::Holds;
use crate::error::StepError;
use crate::forces::Term;
use crate::model::Model;
use glam::{DMat3, DVec3};
use std::time::{Duration, Instant};
use toile_numerics::integrate::{LinearInfo, System};
use toile_numerics::precond::BlockDiagonal;
use toile_numerics::{BlockCsr, Operator, par, pcg};

/// Scratch memory, reused from step to step; it carries nothing from one to the next.
pub struct Workspace {
    matrix: BlockCsr,
    preconditioner: BlockDiagonal,
    pcg: pcg::Workspace<f64>,
    terms: Vec<Vec<Term>>,
    image: Vec<f64>,
    /// Force that holds or contacts exert on each particle, N; zero where nothing is held.
    pub reactions: Vec<DVec3>,
    /// Time spent forming forces and matrices.
    pub assembly: Duration,
    /// Time spent in linear solves.
    pub solve: Duration,
}

impl Workspace {
    /// Memory for `model`.
    pub fn new(model: &Model) -> Self {
        Self {
            matrix: BlockCsr::zeros(model.matrix_pattern.clone()),
            preconditioner: BlockDiagonal::default(),
            pcg: pcg::Workspace::default(),
            terms: model.families().map(|_| Vec::new()).collect(),
            image: Vec::new(),
            reactions: vec![DVec3::ZERO; model.particles()],
            assembly: Duration::ZERO,
            solve: Duration::ZERO,
        }
    }

    /// The matrix of the last linearisation.
    pub fn matrix(&self) -> &BlockCsr {
        &self.matrix
    }
}

/// A model during one step.
pub struct ClothSystem<'a> {
    /// What it is.
    pub model: &'a Model,
    /// How it is solved.
    pub config: &'a StepConfig,
    /// What is held.
    pub holds: &'a Holds,
    /// Scratch memory.
    pub work: &'a mut Workspace,
    /// `α` of the last linearisation, s.
    pub alpha_s: f64,
}

impl ClothSystem<'_> {
    fn add_external(&self, forces: &mut [DVec3]) {
        for (force, mass) in forces.iter_mut().zip(&self.model.masses) {
            *force += *mass * self.model.gravity_m_per_s2;
        }
        for &(particle, friction) in &self.holds.friction {
            forces[particle as usize] += friction;
        }
    }

    fn assemble(&mut self, alpha_s: f64) {
        let Workspace { matrix, terms, .. } = &mut *self.work;
        let model = self.model;
        let pattern = model.matrix_pattern.clone();
        matrix.for_each_row(|row, blocks| {
            blocks.fill(DMat3::ZERO);
            let diagonal = pattern.diagonal(row) - pattern.row(row).start;
            blocks[diagonal] = DMat3::from_diagonal(DVec3::splat(model.masses[row]));
            for (family, terms) in model.families().zip(&*terms) {
                family.add_row(row, diagonal, terms, alpha_s, blocks);
            }
        });
    }

    /// `r = (A p − b)/α²` where something is held.
    fn find_reactions(&mut self, b: &[f64], p: &[f64]) {
        let work = &mut *self.work;
        work.reactions.fill(DVec3::ZERO);
        if self.holds.targets.is_empty() {
            return;
        }
        work.image.resize(b.len(), 0.0);
        work.matrix.apply(p, &mut work.image);
        let image: &[DVec3] = bytemuck::cast_slice(&work.image);
        let b: &[DVec3] = bytemuck::cast_slice(b);
        for target in &self.holds.targets {
            let i = target.particle as usize;
            let residual = (image[i] - b[i]) / (self.alpha_s * self.alpha_s);
            work.reactions[i] = target.hold.held_part(residual);
        }
    }
}

impl System for ClothSystem<'_> {
    type Error = StepError;

    fn coordinate_masses(&self) -> &[f64] {
        &self.model.coordinate_masses
    }

    fn force(&mut self, x: &[f64], v: &[f64], out: &mut [f64]) {
        let (x, v): (&[DVec3], &[DVec3]) = (bytemuck::cast_slice(x), bytemuck::cast_slice(v));
        let out: &mut [DVec3] = bytemuck::cast_slice_mut(out);
        out.fill(DVec3::ZERO);
        for (family, terms) in self.model.families().zip(&mut self.work.terms) {
            family.linearise(x, terms);
            family.add_forces(terms, v, out);
        }
        self.add_external(out);
    }

    fn linearise(
        &mut self,
        x: &[f64],
        _frozen_v: &[f64],
        v: &[f64],
        alpha_s: f64,
        force: &mut [f64],
    ) {
        let clock = Instant::now();
        self.alpha_s = alpha_s;
        self.force(x, v, force);
        self.assemble(alpha_s);
        self.work.preconditioner.refresh(&self.work.matrix);
        self.work.assembly += clock.elapsed();
    }

    fn potential(&mut self, x: &[f64], v: &[f64], alpha_s: f64) -> f64 {
        let (x, v): (&[DVec3], &[DVec3]) = (bytemuck::cast_slice(x), bytemuck::cast_slice(v));
        let gravity = self.model.gravity_m_per_s2;
        let weight = par::sum(x.len(), |i| -self.model.masses[i] * gravity.dot(x[i]));
        let friction: f64 = self
            .holds
            .friction
            .iter()
            .map(|&(particle, force)| -force.dot(x[particle as usize]))
            .sum();
        let families = self.model.families().zip(&self.work.terms);
        let elastic: f64 = families
            .map(|(family, terms)| family.energy(x) + alpha_s * family.dissipation(terms, v))
            .sum();
        weight + friction + elastic
    }

    fn prescribe(&self, x: &[f64], p: &mut [f64]) {
        let x: &[DVec3] = bytemuck::cast_slice(x);
        let p: &mut [DVec3] = bytemuck::cast_slice_mut(p);
        for target in &self.holds.targets {
            let i = target.particle as usize;
            p[i] = target.hold.free_part(p[i]) + target.hold.held_part(target.position - x[i]);
        }
    }

    fn solve(&mut self, b: &[f64], p: &mut [f64]) -> Result<LinearInfo, StepError> {
        let clock = Instant::now();
        let problem = pcg::Problem {
            operator: &self.work.matrix,
            filter: &self.holds.filter,
            rhs: b,
        };
        let params = pcg::Params {
            tolerance: self.config.linear_tolerance,
            max_iterations: self.config.linear_max_iterations,
        };
        let info = pcg::solve(
            &problem,
            &mut self.work.preconditioner,
            &params,
            p,
            &mut self.work.pcg,
        )?;
        self.find_reactions(b, p);
        self.work.solve += clock.elapsed();
        Ok(LinearInfo {
            iterations: info.iterations,
            relative_residual: info.relative_residual,
            converged: info.converged,
        })
    }
}
