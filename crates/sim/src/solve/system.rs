//! The model as the integrator sees it.

use crate::config::StepConfig;
use crate::constraints::StepConstraints;
use crate::constraints::strain_limit;
use crate::error::StepError;
use crate::forces::{At, air};
use crate::model::{Materials, Model};
use crate::solve::active_contacts;
use crate::solve::damping::Dampers;
use crate::solve::dump::SystemDump;
use crate::solve::workspace::{Linear, Workspace};
use glam::{DMat3, DVec3};
use std::time::Instant;
use toile_numerics::integrate::{ImplicitSystem, LinearInfo, Stage, System, Weights};
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
    pub holds: &'a StepConstraints,
    /// Scratch memory.
    pub work: &'a mut Workspace,
    /// What elements remember of the last committed step; empty before the first.
    memory: &'a [f64],
    /// Impulses of this step as a force on every particle, N; empty where there are none.
    impulse_forces_n: &'a [DVec3],
    /// Weights of the last linearisation.
    pub(crate) weights: Weights,
    /// The share of the step at which time-dependent forces are taken.
    instant: f64,
}

impl<'a> ClothSystem<'a> {
    /// `model` in the step that `holds` were made for.
    pub fn new(
        model: &'a Model,
        config: &'a StepConfig,
        holds: &'a StepConstraints,
        work: &'a mut Workspace,
    ) -> Self {
        Self {
            model,
            materials: &model.materials,
            config,
            holds,
            work,
            memory: &[],
            impulse_forces_n: &[],
            weights: Weights::default(),
            instant: 1.0,
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

    /// `A = M − α D − s K` at `(x, v)`, assembled whatever the solver uses.
    pub fn assembled_matrix(&mut self, x: &[DVec3], v: &[DVec3], weights: &Weights) -> BlockCsr {
        self.freeze(x, v);
        self.refresh_diagonal(weights);
        self.weights = *weights;
        self.linearise_elements(x, v);
        self.work.assembled_matrix(self.model, self.materials)
    }

    /// The vectors of all particles in flat slices.
    fn vectors<'b, const N: usize>(&self, flat: [&'b [f64]; N]) -> [&'b [DVec3]; N] {
        flat.map(|flat| self.model.layout.vectors(flat))
    }

    fn add_external(&self, forces: &mut [DVec3]) {
        let (masses, gravity) = (&self.model.masses, self.model.gravity_m_per_s2);
        par::for_each_leaf(forces, PARTICLE_GRAIN, |first, leaf| {
            for (force, mass) in leaf.iter_mut().zip(&masses[first..]) {
                *force += *mass * gravity;
            }
        });
        for &(particle, friction) in &self.holds.friction {
            forces[particle as usize] += friction;
        }
        for (force, impulse) in forces.iter_mut().zip(self.impulse_forces_n) {
            *force += *impulse;
        }
    }

    /// Freezes what the air does at `(x, v)`.
    fn freeze(&mut self, x: &[DVec3], v: &[DVec3]) {
        let now = air::Instant {
            positions: x,
            velocities: v,
            time_s: self.holds.time_s(self.instant),
        };
        let Workspace { panels, drags, .. } = &mut *self.work;
        self.model.air.freeze(self.model, &now, panels, drags);
    }

    /// Linearises every element at `(x, v)` into the workspace's terms.
    fn linearise_elements(&mut self, x: &[DVec3], v: &[DVec3]) {
        let at = self.at(x, v);
        for (family, terms) in self.materials.families().zip(&mut self.work.terms) {
            family.linearise(&at, terms);
        }
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
            padding: self.work.padding,
        }
    }

    /// Adds the elements' forces as linearised.
    fn add_element_forces(&self, out: &mut [DVec3]) {
        for (family, terms) in self.materials.families().zip(&self.work.terms) {
            family.add_forces(terms, out);
        }
    }

    /// The elements' potential where they were linearised.
    fn linearised_potential(&self) -> f64 {
        let families = self.materials.families().zip(&self.work.terms);
        families
            .map(|(family, terms)| family.linearised_potential(terms, self.weights.velocity_s))
            .sum()
    }

    /// Adds all forces at `(x, v)` but those of elements, with the air as frozen.
    fn add_other_forces(&self, x: &[DVec3], v: &[DVec3], out: &mut [DVec3]) {
        self.add_external(out);
        for ((force, drag), v) in out.iter_mut().zip(&self.work.drags).zip(v) {
            *force += drag.force(*v);
        }
        for spring in &self.holds.springs {
            let i = spring.particle as usize;
            out[i] += spring.force(x[i], self.instant);
        }
        for tie in &self.holds.ties {
            tie.add_forces(x, out);
        }
    }

    fn refresh_diagonal(&mut self, weights: &Weights) {
        let Workspace {
            drags, diagonal, ..
        } = &mut *self.work;
        diagonal.clear();
        diagonal.extend(drags.iter().map(|drag| weights.damping_s * drag.resistance));
        if !(self.holds.springs.is_empty() && self.holds.ties.is_empty()) {
            diagonal.resize(self.model.particles(), DMat3::ZERO);
        }
        for spring in &self.holds.springs {
            diagonal[spring.particle as usize] += weights.stiffness_s2 * spring.stiffness();
        }
        for tie in &self.holds.ties {
            let stiffness = weights.stiffness_s2 * tie.stiffness_n_per_m;
            for (i, weight) in tie.particles.iter().zip(&tie.weights) {
                let own = DVec3::splat(weight * weight * stiffness);
                diagonal[*i as usize] += DMat3::from_diagonal(own);
            }
        }
    }

    /// Makes the matrix of the elements as linearised, the diagonal and the couplings as they are, and
    /// what is held.
    fn refresh_matrix(&mut self) {
        let Workspace {
            linear,
            terms,
            diagonal,
            couplings,
            ..
        } = &mut *self.work;
        match linear {
            Linear::Assembled(assembled) => {
                assembled.assemble((self.model, self.materials), terms, diagonal);
                assembled.invert(self.holds);
            }
            Linear::Mesh(mesh) => {
                mesh.refresh(self.model, diagonal, self.holds);
                mesh.couple(couplings);
            }
            Linear::Fast(fast) => {
                fast.refresh(diagonal, self.holds);
                fast.couple(couplings);
            }
        }
    }

    /// All of the potential but the elastic energy: weight, friction, soft pins, what sticks, and
    /// what the air dissipates.
    fn other_potential(&self, x: &[DVec3], v: &[DVec3], velocity_s: f64) -> f64 {
        let gravity = self.model.gravity_m_per_s2;
        let weight = par::sum(x.len(), |i| -self.model.masses[i] * gravity.dot(x[i]));
        let friction = self.holds.friction.iter();
        let friction: f64 = friction
            .map(|&(particle, force)| -force.dot(x[particle as usize]))
            .sum();
        let drags = &self.work.drags;
        let air = par::sum(drags.len(), |i| drags[i].potential(v[i]));
        let springs = self.holds.springs.iter();
        let springs: f64 = springs
            .map(|s| s.energy(x[s.particle as usize], self.instant))
            .sum();
        let ties: f64 = self.holds.ties.iter().map(|tie| tie.energy(x)).sum();
        let impulses = self.impulse_forces_n.iter().zip(x);
        let impulses: f64 = impulses.map(|(force, x)| -force.dot(*x)).sum();
        weight + friction + impulses + springs + ties + velocity_s * air
    }

    /// The potential without contacts.
    fn potential_apart(&mut self, x: &[DVec3], v: &[DVec3], velocity_s: f64) -> f64 {
        let elements = match &mut self.work.linear {
            Linear::Fast(fast) => fast.potential(self.materials, x, v, velocity_s),
            Linear::Assembled(_) | Linear::Mesh(_) => {
                let families = self.materials.families().zip(&self.work.terms);
                families
                    .map(|(family, terms)| family.potential(terms, x, v, velocity_s))
                    .sum()
            }
        };
        elements + self.other_potential(x, v, velocity_s)
    }

    /// How far the cloth moves as a whole: with its centre of mass if nothing is held, with what is
    /// held if all of that moves alike, with the bodies it lies on; else not at all.
    fn translation(&self, x: &[DVec3], target: &[DVec3], square_s2: f64) -> DVec3 {
        let mut moves = self.holds.targets.iter().map(|target| {
            (target.hold == Hold::Fixed).then(|| target.position - x[target.particle as usize])
        });
        match moves.next() {
            Some(Some(first)) if moves.all(|other| other == Some(first)) => first,
            Some(_) => DVec3::ZERO,
            None if let Some(carried) = self.carried_by_bodies(x) => carried,
            None => {
                let masses = &self.model.masses;
                let moment: DVec3 = (0..x.len()).map(|i| masses[i] * (target[i] - x[i])).sum();
                let fall = square_s2 * self.model.gravity_m_per_s2;
                moment / masses.iter().sum::<f64>() + fall
            }
        }
    }

    /// `r = (A p − b)/s` where something is held that asks for it.
    fn find_reactions(&mut self, b: &[f64], p: &[f64]) {
        let [b, p] = self.vectors([b, p]);
        let work = &mut *self.work;
        par::fill(&mut work.reactions, |_| DVec3::ZERO);
        let touching = active_contacts::product(&work.couplings, p);
        for target in self.holds.answering(p) {
            let i = target.particle as usize;
            let image = work.row_product((self.model, self.materials), i, p);
            let image = image + touching.get(i).copied().unwrap_or_default();
            let reaction = (image - b[i]) / self.weights.stiffness_s2;
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
        let [x, v] = self.vectors([x, v]);
        let out = self.model.layout.vectors_mut(out);
        let clock = Instant::now();
        self.freeze(x, v);
        out.fill(DVec3::ZERO);
        if let Linear::Fast(fast) = &mut self.work.linear {
            let at = At {
                x,
                v,
                memory: self.memory,
                weights: Weights::default(),
                padding: 1.0,
            };
            fast.linearise(self.materials, &at, out);
        } else {
            self.linearise_elements(x, v);
            self.add_element_forces(out);
        }
        self.add_touching_forces(x, out);
        self.add_other_forces(x, v, out);
        // Without a solve, what holds a particle takes up the force on it; a solve knows better.
        for target in &self.holds.targets {
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
        for target in &self.holds.targets {
            let i = target.particle as usize;
            p[i] = target.hold.free_part(p[i]) + target.hold.held_part(target.position - x[i]);
        }
    }

    fn prescribe_velocity(&self, x: &[f64], step_s: f64, v: &mut [f64]) {
        let [x] = self.vectors([x]);
        let v = self.model.layout.vectors_mut(v);
        for target in &self.holds.targets {
            let i = target.particle as usize;
            let mean = (target.position - x[i]) / step_s;
            v[i] = target.hold.free_part(v[i]) + target.hold.held_part(mean);
        }
    }

    fn project(&self, a: &mut [f64]) {
        self.holds.filter.project(a);
    }

    fn filter_velocity(&mut self, _stage: Stage, from: &[f64], step_s: f64, v: &mut [f64]) -> bool {
        let Some(limit) = &self.config.strain_limit else {
            return false;
        };
        let work = &mut *self.work;
        let limited = strain_limit::project(
            limit,
            (&self.model.masses, self.materials),
            self.holds,
            (self.model.layout.vectors(from), step_s),
            self.model.layout.vectors_mut(v),
            &mut work.limiting,
        );
        work.limited += limited;
        limited.projections > 0
    }

    fn solve_damped(
        &mut self,
        x: &[f64],
        damping_s: f64,
        b: &[f64],
        p: &mut [f64],
    ) -> Result<LinearInfo, StepError> {
        let clock = Instant::now();
        let Workspace { damping, drags, .. } = &mut *self.work;
        damping.freeze(self.materials, self.model.layout.vectors(x), self.memory);
        let max_iterations = self.config.linear_max_iterations;
        let info = damping.solve(
            &Dampers {
                model: self.model,
                materials: self.materials,
                drags,
                filter: &self.holds.filter,
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
    ) -> f64 {
        let clock = Instant::now();
        self.weights = *weights;
        let [x, v] = self.vectors([x, v]);
        self.freeze(x, self.model.layout.vectors(frozen_v));
        self.refresh_diagonal(weights);
        let force = self.model.layout.vectors_mut(force);
        par::fill(force, |_| DVec3::ZERO);
        if self.work.needs_terms() {
            self.linearise_elements(x, v);
        }
        let touching = self.linearise_touches(x, self.model.layout.vectors(frozen_v), force);
        let at = self.at(x, v);
        let Workspace { linear, terms, .. } = &mut *self.work;
        let elements = match linear {
            Linear::Assembled(_) => {
                self.add_element_forces(force);
                self.linearised_potential()
            }
            Linear::Mesh(mesh) => {
                mesh.linearise(self.materials, &at, terms);
                self.add_element_forces(force);
                self.linearised_potential()
            }
            Linear::Fast(fast) => fast.linearise(self.materials, &at, force),
        };
        self.refresh_matrix();
        self.add_other_forces(x, v, force);
        let apart = elements + self.other_potential(x, v, weights.velocity_s);
        self.work.potential_apart_j = apart;
        self.work.phases.assembly_s += clock.elapsed().as_secs_f64();
        apart + touching
    }

    fn set_matrix_only_stiffness(&mut self, share: f64) {
        self.work.padding = share;
    }

    fn potential(&mut self, x: &[f64], v: &[f64], velocity_s: f64) -> f64 {
        let [x, v] = self.vectors([x, v]);
        self.potential_apart(x, v, velocity_s) + self.touching_potential(x)
    }

    fn linearisation_error_j(
        &mut self,
        (x, v): (&[f64], &[f64]),
        p: &[f64],
        b: &[f64],
        inertia_j: f64,
    ) -> f64 {
        let [x, v] = self.vectors([x, v]);
        let square_s2 = self.weights.stiffness_s2;
        let straight = par::dot(b, p) / square_s2;
        let [p] = self.vectors([p]);
        let held = par::sum(p.len(), |i| self.work.reactions[i].dot(p[i]));
        let touching = if self.work.touches.is_empty() {
            0.0
        } else {
            let end = self.linear_touching_forces(p);
            let start = &self.work.touching_forces;
            par::sum(p.len(), |i| (start[i] + end[i]).dot(p[i]))
        };
        let predicted = 0.5 * (held + touching - straight);
        let before = self.work.potential_apart_j;
        let after = self.potential_apart(x, v, self.weights.velocity_s);
        after - before + inertia_j - predicted
    }

    fn carry(&self, x: &[f64], target: &[f64], square_s2: f64, p: &mut [f64]) {
        let [x, target] = self.vectors([x, target]);
        let translation = self.translation(x, target, square_s2);
        let p = self.model.layout.vectors_mut(p);
        par::fill(p, |_| translation);
    }

    fn update_active_set(&mut self, x: &[f64], p: &mut [f64], b: &mut [f64]) -> bool {
        let clock = Instant::now();
        let changed = self.reconsider_touches(
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
        self.part_touching(
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
            reference: self.reference_without_touching(b),
            max_iterations: self.config.linear_max_iterations,
            // With all its padding the fast operator is a sum of squares. With less, a failure tells
            // Newton that it was too little.
            definite: self.work.is_single() && self.work.padding == 1.0,
        };
        let is_rough = slack > 1.0;
        let held = self.holds.held_parts(self.model.layout.vectors(p));
        let is_far = self.leads_far(p);
        let mut info = self.work.solve(self.holds, b, p, &params, is_rough)?;
        // Single precision lets held directions slip by its rounding: put them back.
        self.holds
            .restore_held(&held, self.model.layout.vectors_mut(p));
        if is_far {
            self.refine(b, p, &params, &mut info)?;
        }
        self.find_reactions(b, p);
        self.work.phases.solve_s += clock.elapsed().as_secs_f64();
        // The first of a step's systems, where there are several, is that of the step as it starts.
        if let Some(step) = self.work.keep_system_of
            && self.work.kept_system.is_none()
        {
            self.work.kept_system = Some(SystemDump {
                step,
                alpha_s: self.weights.damping_s,
                stiffness_s2: self.weights.stiffness_s2,
                matrix: self.work.assembled_matrix(self.model, self.materials),
                rhs: b.to_vec(),
                solution: p.to_vec(),
                holds: self.holds.filter.holds().to_vec(),
                residuals: self.work.residuals().to_vec(),
            });
        }
        Ok(LinearInfo {
            iterations: info.iterations,
            relative_residual: info.relative_residual,
            converged: info.converged,
        })
    }
}
