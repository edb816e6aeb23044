//! The model as the integrator sees it.

use crate::config::{Preconditioner, StepConfig};
use crate::constraints::contact::Holds;
use crate::error::StepError;
use crate::fast::{self, FastSolver};
use crate::forces::{Jacobian, Term};
use crate::model::Model;
use glam::{DMat3, DVec3};
use std::time::{Duration, Instant};
use toile_numerics::integrate::{LinearInfo, System};
use toile_numerics::precond::BlockDiagonal;
use toile_numerics::{BlockCsr, par, pcg};

/// Scratch memory, reused from step to step; it carries nothing from one to the next.
pub struct Workspace {
    linear: Linear,
    terms: Vec<Vec<Term>>,
    /// Force that holds or contacts exert on each particle, N; zero where nothing is held.
    pub reactions: Vec<DVec3>,
    /// Time spent forming forces and matrices.
    pub assembly: Duration,
    /// Time spent in linear solves.
    pub solve: Duration,
}

/// The linear system in one of its forms.
enum Linear {
    /// Block rows: the reference.
    Assembled(Box<Assembled>),
    /// Matrix-free.
    Fast(Box<FastSolver>),
}

struct Assembled {
    matrix: BlockCsr,
    preconditioner: BlockDiagonal,
    work: pcg::Workspace<f64>,
}

impl Assembled {
    fn new(model: &Model) -> Self {
        Self {
            matrix: BlockCsr::zeros(model.matrix_pattern.clone()),
            preconditioner: BlockDiagonal::default(),
            work: pcg::Workspace::default(),
        }
    }

    /// Every row gathers from its own particle's links.
    fn refresh(&mut self, model: &Model, terms: &[Vec<Term>], alpha_s: f64) {
        let pattern = &*model.matrix_pattern;
        self.matrix.for_each_row(|row, blocks| {
            blocks.fill(DMat3::ZERO);
            let diagonal = pattern.diagonal(row) - pattern.row(row).start;
            blocks[diagonal] = DMat3::from_diagonal(DVec3::splat(model.masses[row]));
            for (family, terms) in model.families().zip(terms) {
                family.add_row(row, diagonal, terms, alpha_s, blocks);
            }
        });
        self.preconditioner.refresh(&self.matrix);
    }
}

impl Workspace {
    /// Memory for `model`, solved as `config` says.
    pub fn new(model: &Model, config: &StepConfig) -> Self {
        let definite = model
            .families()
            .all(|family| family.options().jacobian != Jacobian::Exact);
        let fast = config.preconditioner == Preconditioner::Multilevel
            && config.linear_tolerance >= fast::TIGHTEST_TOLERANCE
            && definite;
        Self {
            linear: if fast {
                Linear::Fast(Box::new(FastSolver::new(model)))
            } else {
                Linear::Assembled(Box::new(Assembled::new(model)))
            },
            terms: model.families().map(|_| Vec::new()).collect(),
            reactions: vec![DVec3::ZERO; model.particles()],
            assembly: Duration::ZERO,
            solve: Duration::ZERO,
        }
    }

    /// The matrix of the last linearisation, assembled whatever the solver uses.
    pub fn assembled_matrix(&self, model: &Model, alpha_s: f64) -> BlockCsr {
        let mut assembled = Assembled::new(model);
        assembled.refresh(model, &self.terms, alpha_s);
        assembled.matrix
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

    /// `r = (A p − b)/α²` where something is held.
    fn find_reactions(&mut self, b: &[f64], p: &[f64]) {
        let work = &mut *self.work;
        let (b, p): (&[DVec3], &[DVec3]) = (bytemuck::cast_slice(b), bytemuck::cast_slice(p));
        work.reactions.fill(DVec3::ZERO);
        for target in &self.holds.targets {
            let i = target.particle as usize;
            let mut image = self.model.masses[i] * p[i];
            for (family, terms) in self.model.families().zip(&work.terms) {
                image += family.row_product(i, terms, self.alpha_s, p);
            }
            let reaction = (image - b[i]) / (self.alpha_s * self.alpha_s);
            work.reactions[i] = target.hold.held_part(reaction);
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
        let Workspace { linear, terms, .. } = &mut *self.work;
        match linear {
            Linear::Assembled(assembled) => assembled.refresh(self.model, terms, alpha_s),
            Linear::Fast(fast) => fast.refresh(self.model, terms, self.holds, alpha_s),
        }
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

    fn add_free_flight(&self, alpha_s: f64, p: &mut [f64]) {
        let fall = alpha_s * alpha_s * self.model.gravity_m_per_s2;
        let p: &mut [DVec3] = bytemuck::cast_slice_mut(p);
        p.iter_mut().for_each(|p| *p += fall);
    }

    fn solve(&mut self, b: &[f64], p: &mut [f64]) -> Result<LinearInfo, StepError> {
        let clock = Instant::now();
        let params = pcg::Params {
            tolerance: self.config.linear_tolerance,
            max_iterations: self.config.linear_max_iterations,
        };
        let info = match &mut self.work.linear {
            Linear::Fast(fast) => fast.solve(b, p, &params)?,
            Linear::Assembled(assembled) => {
                let Assembled {
                    matrix,
                    preconditioner,
                    work,
                } = &mut **assembled;
                let problem = pcg::Problem {
                    operator: matrix,
                    filter: &self.holds.filter,
                    rhs: b,
                };
                pcg::solve(&problem, preconditioner, &params, p, work)?
            }
        };
        self.find_reactions(b, p);
        self.work.solve += clock.elapsed();
        Ok(LinearInfo {
            iterations: info.iterations,
            relative_residual: info.relative_residual,
            converged: info.converged,
        })
    }
}
