//! The model as the integrator sees it.

use crate::config::StepConfig;
use crate::constraints::StepConstraints;
use crate::constraints::strain_limit::{self, Limited};
use crate::error::StepError;
use crate::forces::{At, Terms};
use crate::model::{Materials, Model};
use crate::solve::assembled;
use crate::solve::contact_assembly;
use crate::solve::damping::Dampers;
use crate::solve::dump::SystemRecorder;
use crate::solve::form::{LinearForm, Parts};
use crate::solve::workspace::Workspace;
use glam::DVec3;
use std::time::Instant;
use toile_numerics::integrate::{ImplicitSystem, LinearInfo, Potential, Stage, System, Weights};
use toile_numerics::{BlockCsr, Filter, Hold, par, pcg};

/// Particles of a plain update that are worth a task.
const PARTICLE_GRAIN: usize = 2048;

/// A model during one step.
pub struct ClothSystem<'a> {
    /// What it is.
    pub model: &'a Model,
    /// What it is made of.
    pub materials: &'a Materials,
    /// How it is solved.
    pub config: &'a StepConfig,
    /// What is held.
    pub constraints: &'a StepConstraints,
    /// Scratch memory.
    pub work: &'a mut Workspace,
    /// What elements remember of the last committed step; empty before the first.
    memory: &'a [f64],
    /// Impulses of this step as a force on every particle, N; empty where there are none.
    pub(crate) impulse_forces_n: &'a [DVec3],
    /// Weights of the last linearisation.
    pub(crate) weights: Weights,
    /// The share of the step at which time-dependent forces are taken.
    pub(crate) instant: f64,
    /// Where the first linear system of the step is to be kept.
    recorder: Option<&'a mut SystemRecorder>,
    /// What the strain limit did.
    pub(crate) limited: Limited,
}

impl<'a> ClothSystem<'a> {
    /// `model` in the step that `holds` were made for.
    pub fn new(
        model: &'a Model,
        config: &'a StepConfig,
        constraints: &'a StepConstraints,
        work: &'a mut Workspace,
    ) -> Self {
        Self {
            model,
            materials: &model.materials,
            config,
            constraints,
            work,
            memory: &[],
            impulse_forces_n: &[],
            weights: Weights::default(),
            instant: 1.0,
            recorder: None,
            limited: Limited::default(),
        }
    }

    /// The same, with what elements remember of the last committed step.
    pub fn remembering(mut self, memory: &'a [f64]) -> Self {
        self.memory = memory;
        self
    }

    /// The same, with impulses as a force on every particle, N.
    pub fn pushed_by(mut self, impulse_forces_n: &'a [DVec3]) -> Self {
        self.impulse_forces_n = impulse_forces_n;
        self
    }

    /// The same, made of what it is made of at another time than the start.
    pub fn made_of(mut self, materials: &'a Materials) -> Self {
        self.materials = materials;
        self
    }

    /// The same, which keeps its first linear system if there is something to keep it in.
    pub fn recorded_by(mut self, recorder: Option<&'a mut SystemRecorder>) -> Self {
        self.recorder = recorder;
        self
    }

    /// The vectors of all particles in flat slices.
    fn vectors<'b, const N: usize>(&self, flat: [&'b [f64]; N]) -> [&'b [DVec3]; N] {
        flat.map(|flat| self.model.layout.vectors(flat))
    }

    /// `A = M − α D − s K` at `(x, v)`, assembled whatever the solver uses.
    pub fn assembled_matrix(&mut self, x: &[DVec3], v: &[DVec3], weights: &Weights) -> BlockCsr {
        self.freeze(x, v);
        self.refresh_diagonal(weights);
        self.weights = *weights;
        let at = self.at(x, v);
        let linearised = self.materials.families().map(|family| {
            let mut terms = Terms::default();
            family.linearise(&at, None, &mut terms);
            terms
        });
        let terms: Vec<Terms> = linearised.collect();
        let (_, parts) = self.form_and_parts();
        assembled::matrix(&Parts {
            terms: &terms,
            ..parts
        })
    }

    /// The form of the linear system, and what its matrix is made of.
    pub(crate) fn form_and_parts(&mut self) -> (&mut dyn LinearForm, Parts<'_>) {
        let what = (self.model, self.materials);
        self.work.form_and_parts(what, self.constraints)
    }

    fn at<'b>(&self, x: &'b [DVec3], v: &'b [DVec3]) -> At<'b>
    where
        'a: 'b,
    {
        At {
            x,
            v,
            memory: self.memory,
            weights: self.weights,
        }
    }

    /// Makes the matrix of the elements as linearised, the diagonal and the couplings as they are, and
    /// what is held.
    fn refresh_matrix(&mut self) {
        let (form, parts) = self.form_and_parts();
        form.refresh(&parts);
    }

    /// How far the cloth moves as a whole: with its centre of mass if nothing is held, with what is
    /// held if all of that moves alike, with the bodies it lies on; else not at all.
    fn translation(&self, x: &[DVec3], inertial: &[DVec3], square_s2: f64) -> DVec3 {
        let mut moves = self.constraints.targets.iter().map(|held| {
            (held.hold == Hold::Fixed).then(|| held.position - x[held.particle as usize])
        });
        match moves.next() {
            Some(Some(first)) if moves.all(|other| other == Some(first)) => first,
            Some(_) => DVec3::ZERO,
            None if let Some(carried) = self.carried_by_bodies(x) => carried,
            None => {
                let masses = &self.model.masses;
                let moment: DVec3 = (0..x.len()).map(|i| masses[i] * (inertial[i] - x[i])).sum();
                let fall = square_s2 * self.model.gravity_m_per_s2;
                moment / masses.iter().sum::<f64>() + fall
            }
        }
    }

    /// `r = (A p − b)/s` where something is held that asks for it.
    fn find_reactions(&mut self, b: &[f64], p: &[f64]) {
        let [b, p] = self.vectors([b, p]);
        par::fill(&mut self.work.reactions, |_| DVec3::ZERO);
        let contacts = contact_assembly::product(&self.work.contacts.couplings, p);
        for target in self.constraints.answering(p) {
            let i = target.particle as usize;
            let (form, parts) = self.form_and_parts();
            let image = form.row_product(&parts, i, p);
            let image = image + contacts.get(i).copied().unwrap_or_default();
            let reaction = (image - b[i]) / self.weights.stiffness_s2;
            self.work.reactions[i] = target.hold.held_part(reaction);
        }
    }
}

impl System for ClothSystem<'_> {
    type Error = StepError;

    fn coordinate_masses(&self) -> &[f64] {
        &self.model.coordinate_masses
    }

    fn force(&mut self, x: &[f64], v: &[f64], out: &mut [f64]) {
        let [x, v] = self.vectors([x, v]);
        let out = self.model.layout.vectors_mut(out);
        let clock = Instant::now();
        self.freeze(x, v);
        out.fill(DVec3::ZERO);
        let at = At {
            x,
            v,
            memory: self.memory,
            weights: Weights::default(),
        };
        let Workspace { form, terms, .. } = &mut *self.work;
        if form.linearise(self.materials, &at, out).is_none() {
            for (family, terms) in self.materials.families().zip(terms) {
                family.linearise(&at, None, terms);
                family.add_forces(terms, out);
            }
        }
        self.add_contact_forces(x, out);
        self.add_other_forces(x, v, out);
        // Without a solve, what holds a particle takes up the force on it; a solve knows better.
        for target in &self.constraints.targets {
            let i = target.particle as usize;
            self.work.reactions[i] = -target.hold.held_part(out[i]);
        }
        self.work.phases.assembly_s += clock.elapsed().as_secs_f64();
    }

    fn set_instant(&mut self, share: f64) {
        self.instant = share;
    }

    fn prescribe(&self, x: &[f64], p: &mut [f64]) {
        let [x] = self.vectors([x]);
        let p = self.model.layout.vectors_mut(p);
        for target in &self.constraints.targets {
            let i = target.particle as usize;
            p[i] = target.hold.free_part(p[i]) + target.hold.held_part(target.position - x[i]);
        }
    }

    fn prescribe_velocity(&self, x: &[f64], step_s: f64, v: &mut [f64]) {
        let [x] = self.vectors([x]);
        let v = self.model.layout.vectors_mut(v);
        for target in &self.constraints.targets {
            let i = target.particle as usize;
            let mean = (target.position - x[i]) / step_s;
            v[i] = target.hold.free_part(v[i]) + target.hold.held_part(mean);
        }
    }

    fn project(&self, a: &mut [f64]) {
        self.constraints.filter.project(a);
    }

    fn filter_velocity(&mut self, _stage: Stage, from: &[f64], step_s: f64, v: &mut [f64]) -> bool {
        let Some(limit) = &self.config.strain_limit else {
            return false;
        };
        let done = strain_limit::project(
            limit,
            (&self.model.masses, self.materials),
            self.constraints,
            (self.model.layout.vectors(from), step_s),
            self.model.layout.vectors_mut(v),
            &mut self.work.strain_limit,
        );
        self.limited += done;
        done.projections > 0
    }

    fn solve_damped(
        &mut self,
        x: &[f64],
        damping_s: f64,
        b: &[f64],
        p: &mut [f64],
    ) -> Result<LinearInfo, StepError> {
        let clock = Instant::now();
        let Workspace { damping, air, .. } = &mut *self.work;
        damping.freeze(self.materials, self.model.layout.vectors(x), self.memory);
        let max_iterations = self.config.linear_max_iterations;
        let info = damping.solve(
            &Dampers {
                model: self.model,
                materials: self.materials,
                drags: &air.drags,
                filter: &self.constraints.filter,
                damping_s,
            },
            b,
            p,
            max_iterations,
        )?;
        self.work.phases.solve_s += clock.elapsed().as_secs_f64();
        Ok(info)
    }
}

impl ImplicitSystem for ClothSystem<'_> {
    fn linearise(
        &mut self,
        x: &[f64],
        frozen_v: &[f64],
        v: &[f64],
        weights: &Weights,
        force: &mut [f64],
    ) -> Potential {
        let clock = Instant::now();
        self.weights = *weights;
        let [x, v] = self.vectors([x, v]);
        self.freeze(x, self.model.layout.vectors(frozen_v));
        self.refresh_diagonal(weights);
        let force = self.model.layout.vectors_mut(force);
        par::fill(force, |_| DVec3::ZERO);
        let contacts_j = match self.begin_contacts(x, self.model.layout.vectors(frozen_v)) {
            None => 0.0,
            Some(at) => {
                let contacts = &mut self.work.contacts;
                let change = contacts.active.linearise(&contacts.stencils, x, &at);
                self.assemble_contacts();
                for (force, contact) in force.iter_mut().zip(&self.work.contacts.forces) {
                    *force += *contact;
                }
                change.potential_j
            }
        };
        let at = self.at(x, v);
        if let Some(recorder) = &mut self.recorder {
            recorder.linearise(self.materials, &at);
        }
        let Workspace { form, terms, .. } = &mut *self.work;
        let elements = form
            .linearise(self.materials, &at, force)
            .unwrap_or_else(|| {
                let families = self.materials.families().zip(terms).enumerate();
                let potentials = families.map(|(k, (family, terms))| {
                    family.linearise(&at, form.blocks_of(k), terms);
                    family.add_forces(terms, force);
                    family.linearised_potential(terms, weights.velocity_s)
                });
                potentials.sum()
            });
        self.refresh_matrix();
        self.add_other_forces(x, v, force);
        let lasting = elements + self.other_potential(x, v, weights.velocity_s);
        self.work.phases.assembly_s += clock.elapsed().as_secs_f64();
        Potential {
            lasting_j: lasting,
            active_set_j: contacts_j,
        }
    }

    fn potential(&mut self, x: &[f64], v: &[f64], velocity_s: f64) -> f64 {
        let [x, v] = self.vectors([x, v]);
        let Workspace { form, terms, .. } = &mut *self.work;
        let elements = form
            .potential(self.materials, x, v, velocity_s)
            .unwrap_or_else(|| {
                let families = self.materials.families().zip(terms);
                families
                    .map(|(family, terms)| family.potential(terms, x, v, velocity_s))
                    .sum()
            });
        elements + self.other_potential(x, v, velocity_s)
    }

    fn active_set_potential(&self, x: &[f64]) -> f64 {
        self.contact_potential(self.model.layout.vectors(x))
    }

    fn predicted_change_j(&self, p: &[f64], b: &[f64]) -> Option<f64> {
        let square_s2 = self.weights.stiffness_s2;
        let straight = par::dot(b, p) / square_s2;
        let [p] = self.vectors([p]);
        let held = par::sum(p.len(), |i| self.work.reactions[i].dot(p[i]));
        let contacts = if self.work.contacts.stencils().is_empty() {
            0.0
        } else {
            let end = self.linear_contact_forces(p);
            let start = &self.work.contacts.forces;
            par::sum(p.len(), |i| (start[i] + end[i]).dot(p[i]))
        };
        Some(0.5 * (held + contacts - straight))
    }

    fn carry(&self, x: &[f64], target: &[f64], square_s2: f64, p: &mut [f64]) {
        let [x, target] = self.vectors([x, target]);
        let translation = self.translation(x, target, square_s2);
        let p = self.model.layout.vectors_mut(p);
        par::fill(p, |_| translation);
    }

    fn update_active_set(&mut self, x: &[f64], p: &mut [f64], b: &mut [f64]) -> bool {
        let clock = Instant::now();
        let changed = self.update_active_contacts(
            self.model.layout.vectors(x),
            self.model.layout.vectors_mut(p),
            self.model.layout.vectors_mut(b),
        );
        if changed {
            self.refresh_matrix();
        }
        self.work.phases.assembly_s += clock.elapsed().as_secs_f64();
        changed
    }

    fn improve_guess(&self, x: &[f64], p: &mut [f64]) {
        self.separate_contacts(
            self.model.layout.vectors(x),
            self.model.layout.vectors_mut(p),
        );
    }

    fn add_free_flight(&self, square_s2: f64, p: &mut [f64]) {
        let fall = square_s2 * self.model.gravity_m_per_s2;
        let p = self.model.layout.vectors_mut(p);
        par::for_each_leaf(p, PARTICLE_GRAIN, |_, leaf| {
            leaf.iter_mut().for_each(|p| *p += fall);
        });
    }

    fn solve(&mut self, b: &[f64], p: &mut [f64], slack: f64) -> Result<LinearInfo, StepError> {
        let clock = Instant::now();
        let params = pcg::Params {
            tolerance: slack * self.config.linear_tolerance,
            // Forces are resolved to a share of the weight they carry.
            least_reference: self.weights.stiffness_s2 * self.model.weight_norm_n,
            reference: self.reference_without_contacts(b),
            max_iterations: self.config.linear_max_iterations,
            // With all its matrix-only stiffness the operator is a sum of squares. With less, a failure tells
            // Newton that it was too little.
            definite: self.work.form.is_single() && self.weights.matrix_only_stiffness == 1.0,
        };
        let is_rough = slack > 1.0;
        let held = self.constraints.held_parts(self.model.layout.vectors(p));
        let is_far = self.leads_far(p);
        let (form, parts) = self.form_and_parts();
        let mut info = form.solve(&parts, b, p, &params, is_rough)?;
        // Single precision lets held directions slip by its rounding: put them back.
        self.constraints
            .restore_held(&held, self.model.layout.vectors_mut(p));
        if is_far {
            self.refine(b, p, &params, &mut info)?;
        }
        self.find_reactions(b, p);
        self.work.phases.solve_s += clock.elapsed().as_secs_f64();
        if let Some(recorder) = &mut self.recorder {
            let what = (self.model, self.materials);
            let (form, parts) = self.work.form_and_parts(what, self.constraints);
            recorder.keep(&self.weights, &parts, [b, p], form.residuals());
        }
        Ok(LinearInfo {
            iterations: info.iterations,
            relative_residual: info.relative_residual,
            converged: info.converged,
        })
    }
}
