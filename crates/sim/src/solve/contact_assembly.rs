//! Contacts of cloth with cloth and bodies in the equations of a step.
//!
//! The stencils found for a step, the active set among them, and what these add to forces, to the matrix and to
//! its right-hand side. A solve that is made once keeps the cloth as linearised and updates the active set where
//! it has led ([`ClothSystem::update_active_contacts`]); Newton's iterations linearise both.

use crate::config::Solve;
use crate::contact::active::ActiveContacts;
use crate::contact::potential::ContactPotential;
use crate::contact::tuning::TUNING;
use crate::contact::{ContactStencil, first_guess};
use crate::solve::system::ClothSystem;
use glam::{DMat3, DVec3};
use toile_geometry::distance::between;
use toile_numerics::{Coupling, Filter, par};

/// The contacts of a step, and what they add to its linear system.
#[derive(Default)]
pub struct ContactAssembly {
    /// What was found for the step, as far as the solver is to know.
    pub(crate) stencils: Vec<ContactStencil>,
    /// Which of it acts.
    pub(crate) active: ActiveContacts,
    /// Their force on every particle where the solve starts, as last linearised, N.
    pub(crate) forces: Vec<DVec3>,
    /// What they add to the matrix off its diagonal, three coordinates a particle; ties of what sticks come first.
    pub(crate) couplings: Vec<Coupling<f64>>,
    /// The blocks on the diagonal without them, while there are any.
    diagonal_apart: Vec<DMat3>,
    /// Where the last solve with them led.
    solution: Option<LinearSolution>,
}

impl ContactAssembly {
    /// Takes contacts just found, which nobody has linearised.
    pub fn begin(&mut self, stencils: Vec<ContactStencil>) {
        self.stencils = stencils;
        self.active.clear();
        self.solution = None;
    }

    /// The contacts that the solver knows of.
    pub fn stencils(&self) -> &[ContactStencil] {
        &self.stencils
    }
}

/// Where a linear solve has led, and what the contacts had to answer there.
struct LinearSolution {
    p: Vec<DVec3>,
    /// Their forces there, as linearised, N.
    answers: Vec<DVec3>,
}

impl LinearSolution {
    /// Goes only a share of the way from `before`.
    fn mix(&mut self, before: &Self, share: f64) {
        let fields = [
            (&mut self.p, &before.p),
            (&mut self.answers, &before.answers),
        ];
        for (now, before) in fields {
            for (now, before) in now.iter_mut().zip(before) {
                *now = before.lerp(*now, share);
            }
        }
    }
}

impl ClothSystem<'_> {
    /// Prepares for contacts to be linearised at `x`, and returns where: one that nobody has linearised is seen
    /// where the particles go with the velocities `v`. Nothing where there are none.
    pub(crate) fn begin_contacts(&mut self, x: &[DVec3], v: &[DVec3]) -> Option<Vec<DVec3>> {
        self.couple_ties();
        let work = &mut *self.work;
        let contacts = &mut work.contacts;
        if contacts.stencils.is_empty() {
            return None;
        }
        work.diagonal.resize(self.model.particles(), DMat3::ZERO);
        contacts.diagonal_apart.clone_from(&work.diagonal);
        contacts.solution = None;
        // A single solve starts where the step does, but friction must be seen where cloth is carried: as
        // if it had all slid, it could not be held.
        let step_s = self.constraints.step_s;
        let is_single = self.config.solve.in_step(step_s) != Solve::Newton;
        Some(match contacts.active.is_unseen() && is_single {
            true => x.iter().zip(v).map(|(x, v)| *x + step_s * *v).collect(),
            false => x.to_vec(),
        })
    }

    /// Updates the active set where the last solve led, from `x` by `p`; what contacts do there replaces, in the
    /// matrix and in its right-hand side `b`, what they were expected to do. Returns whether that makes a
    /// difference.
    ///
    /// The cloth as linearised and the contacts together have a convex potential. Of the way from the
    /// place before to the new one, which may be wrong about contacts, only as much is taken as brings
    /// it down.
    pub(crate) fn update_active_contacts(
        &mut self,
        x: &[DVec3],
        p: &mut [DVec3],
        b: &mut [DVec3],
    ) -> bool {
        if self.work.contacts.stencils.is_empty() {
            return false;
        }
        let before = self.work.contacts.solution.take();
        let mut solution = LinearSolution {
            answers: self.linear_contact_forces(p),
            p: p.to_vec(),
        };
        if let Some(before) = before {
            let share = self.share_down(x, &before, &solution);
            solution.mix(&before, share);
            p.copy_from_slice(&solution.p);
        }
        let at: Vec<DVec3> = x.iter().zip(&*p).map(|(x, p)| *x + *p).collect();
        let work = &mut *self.work;
        work.diagonal.clone_from(&work.contacts.diagonal_apart);
        let contacts = &mut work.contacts;
        contacts.solution = Some(solution);
        let before = std::mem::take(&mut contacts.forces);
        let change = contacts.active.linearise(&contacts.stencils, x, &at);
        self.couple_ties();
        self.assemble_contacts();
        let square_s2 = self.weights.stiffness_s2;
        let changes = before.iter().zip(&self.work.contacts.forces);
        for (b, (before, now)) in b.iter_mut().zip(changes) {
            *b += square_s2 * (*now - *before);
        }
        change.changed
    }

    /// Sums the forces of what acts, as linearised, and adds its blocks and couplings.
    pub(crate) fn assemble_contacts(&mut self) {
        let square_s2 = self.weights.stiffness_s2;
        let work = &mut *self.work;
        let ContactAssembly {
            stencils,
            active,
            forces,
            couplings,
            ..
        } = &mut work.contacts;
        forces.clear();
        forces.resize(self.model.particles(), DVec3::ZERO);
        for (stencil, record) in active.acting(stencils) {
            let block = square_s2 * record.stiffness_n_per_m;
            for (k, particle) in stencil.particles() {
                let weight = stencil.weights[k];
                forces[particle] += weight * record.push_n;
                work.diagonal[particle] += (weight * weight) * block;
            }
            couplings.push(coupling(stencil, &block));
        }
    }

    /// The contacts' forces after the way `p`, as linearised. Where a solve has led they are the answer
    /// to all other forces and to inertia.
    pub(crate) fn linear_contact_forces(&self, p: &[DVec3]) -> Vec<DVec3> {
        let mut forces = vec![DVec3::ZERO; p.len()];
        let contacts = &self.work.contacts;
        for (stencil, record) in contacts.active.acting(&contacts.stencils) {
            let force = record.linear_force_n(stencil.way_of(p));
            for (k, particle) in stencil.particles() {
                forces[particle] += stencil.weights[k] * force;
            }
        }
        forces
    }

    /// The share of the way between two places along which the potential falls.
    fn share_down(&self, x: &[DVec3], from: &LinearSolution, to: &LinearSolution) -> f64 {
        let way: Vec<DVec3> = to.p.iter().zip(&from.p).map(|(b, a)| *b - *a).collect();
        let along = |forces: &[DVec3]| par::sum(way.len(), |i| forces[i].dot(way[i]));
        let (at_start, at_end) = (along(&from.answers), along(&to.answers));
        let slope = |share: f64| {
            let at: Vec<DVec3> = (0..way.len())
                .map(|i| x[i] + from.p[i] + share * way[i])
                .collect();
            let pushes = self.pressed_contacts(&at);
            let pushes = pushes.map(|(stencil, at)| at.force_n.dot(stencil.way_of(&way)));
            (1.0 - share) * at_start + share * at_end - pushes.sum::<f64>()
        };
        if slope(1.0) <= 0.0 {
            return 1.0;
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..TUNING.active_bisections {
            let middle = 0.5 * (low + high);
            if slope(middle) <= 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }

    /// The contacts whose points are inside the distance kept with the particles at `x`, and what they do there.
    /// What has come apart holds nothing, not even by the friction that lags.
    fn pressed_contacts<'b>(
        &'b self,
        x: &'b [DVec3],
    ) -> impl Iterator<Item = (&'b ContactStencil, ContactPotential)> {
        let contacts = &self.work.contacts;
        let all = contacts.active.lagged(&contacts.stencils);
        all.filter_map(|(stencil, lagged_n)| {
            let at = stencil.at(x);
            let is_pressed = stencil.depth_m(&at) > 0.0;
            is_pressed.then(|| (stencil, ContactPotential::at(stencil, &at, lagged_n)))
        })
    }

    /// Makes the couplings those of cloth that sticks to cloth, and no others.
    fn couple_ties(&mut self) {
        let square_s2 = self.weights.stiffness_s2;
        let couplings = &mut self.work.contacts.couplings;
        couplings.clear();
        couplings.extend(
            self.constraints
                .ties
                .iter()
                .map(|tie| tie.coupling(square_s2)),
        );
    }

    /// Moves the points of contacts apart in a first guess `p` of the way from `x`. A guess that passes
    /// through would leave forces many times those that matter.
    pub(crate) fn separate_contacts(&self, x: &[DVec3], p: &mut [DVec3]) {
        let stencils = &self.work.contacts.stencils;
        if stencils.is_empty() {
            return;
        }
        let mut ahead: Vec<DVec3> = x.iter().zip(&*p).map(|(x, p)| *x + *p).collect();
        first_guess::separate(stencils, &mut ahead);
        for ((p, x), ahead) in p.iter_mut().zip(x).zip(&ahead) {
            *p = *ahead - *x;
        }
    }

    /// How far the bodies that cloth at `x` lies on move in this step, on the mean of the forces with
    /// which they carry it; nothing if it lies on none.
    ///
    /// Friction holds cloth within micrometres: a solve that starts from free flight begins with all of
    /// it sliding, and then there is little that a linear solve can tell of what sticks.
    pub(crate) fn carried_by_bodies(&self, x: &[DVec3]) -> Option<DVec3> {
        let (mut moment, mut total_n) = (DVec3::ZERO, 0.0);
        for stencil in &self.work.contacts.stencils {
            let own: f64 = stencil.particles().map(|(k, _)| stencil.weights[k]).sum();
            let before = &stencil.before;
            if !stencil.is_on_body() || own == 0.0 || before.normal_force_n <= 0.0 {
                continue;
            }
            let change = between(&stencil.weights, &stencil.at(x)) - before.apart;
            moment -= (before.normal_force_n / own) * change;
            total_n += before.normal_force_n;
        }
        (total_n > 0.0).then(|| moment / total_n)
    }

    /// Norm of the right-hand side `b` without the contacts' part, as the solver's measure; where the active set
    /// is updated, that of what they carry. Forces are all that is left to find there, and `b` has the
    /// way that the cloth goes in any case: beside that, friction of what slides fast counts for nothing.
    pub(crate) fn reference_without_contacts(&self, b: &[f64]) -> Option<f64> {
        let contacts = &self.work.contacts;
        // Of the couplings, those that are not ties are contacts.
        if contacts.couplings.len() == self.constraints.ties.len() {
            return None;
        }
        let b: &[DVec3] = bytemuck::cast_slice(b);
        let square_s2 = self.weights.stiffness_s2;
        let mut rest: Vec<DVec3> = b.to_vec();
        for (rest, force) in rest.iter_mut().zip(&contacts.forces) {
            *rest -= square_s2 * *force;
        }
        self.constraints
            .filter
            .project(bytemuck::cast_slice_mut(&mut rest));
        let norm = |all: &[DVec3]| par::sum(all.len(), |i| all[i].length_squared()).sqrt();
        let solution = contacts.solution.as_ref();
        let carried = solution.map_or(f64::INFINITY, |solution| {
            square_s2 * norm(&solution.answers)
        });
        Some(norm(&rest).min(carried))
    }

    /// Adds the contacts' forces at `x`.
    pub(crate) fn add_contact_forces(&self, x: &[DVec3], force: &mut [DVec3]) {
        for (stencil, at) in self.pressed_contacts(x) {
            for (k, particle) in stencil.particles() {
                force[particle] += stencil.weights[k] * at.force_n;
            }
        }
    }

    /// The contacts' potential at `x`, with friction as last linearised.
    pub(crate) fn contact_potential(&self, x: &[DVec3]) -> f64 {
        let contacts = &self.work.contacts;
        let all = contacts.active.lagged(&contacts.stencils);
        all.map(|(stencil, lagged_n)| {
            ContactPotential::at(stencil, &stencil.at(x), lagged_n).value_j
        })
        .sum()
    }
}

fn coupling(stencil: &ContactStencil, block: &DMat3) -> Coupling<f64> {
    let [x, y, z] = [block.x_axis, block.y_axis, block.z_axis];
    // Vertices of bodies are no unknowns.
    let (mut places, mut weights) = ([0; 4], [0.0; 4]);
    for (k, particle) in stencil.particles() {
        (places[k], weights[k]) = (3 * particle as u32, stencil.weights[k]);
    }
    Coupling {
        places,
        strides: [1; 4],
        weights,
        block: [x.x, x.y, x.z, y.y, y.z, z.z],
    }
}

/// What contacts add to the product `A p` off the diagonal, particle by particle; empty where there
/// are none.
pub(crate) fn product(couplings: &[Coupling<f64>], p: &[DVec3]) -> Vec<DVec3> {
    if couplings.is_empty() {
        return Vec::new();
    }
    let mut sums = vec![DVec3::ZERO; p.len()];
    let p: &[f64] = bytemuck::cast_slice(p);
    for coupling in couplings {
        for (k, place) in coupling.places.iter().enumerate() {
            sums[*place as usize / 3] += DVec3::from_array(coupling.row(p, k));
        }
    }
    sums
}
