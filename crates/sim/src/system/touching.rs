//! Contacts of cloth with cloth and bodies in the equations of a step.

use super::ClothSystem;
use crate::contact::{Touch, part};
use glam::{DMat3, DVec3};
use toile_geometry::distance::between;
use toile_numerics::{Coupling, Filter, par};

impl ClothSystem<'_> {
    /// Adds the contacts' forces at `x`, and their share of the matrix to the diagonal and to the
    /// couplings; returns their potential.
    ///
    /// When first looked at, in a step, a contact that free flight would make counts as made: its
    /// force pulls where the points are still apart, and is right when they arrive. One linear solve
    /// then stops what it would otherwise not see coming.
    pub(super) fn linearise_touches(&mut self, x: &[DVec3], force: &mut [DVec3]) -> f64 {
        let square_s2 = self.weights.stiffness_s2;
        let work = &mut *self.work;
        work.couplings.clear();
        let first_look = std::mem::take(&mut work.first_look);
        if work.touches.is_empty() {
            return 0.0;
        }
        work.diagonal.resize(self.model.particles(), DMat3::ZERO);
        work.touching_forces.clear();
        work.touching_forces
            .resize(self.model.particles(), DVec3::ZERO);
        let mut potential = 0.0;
        for touch in &mut work.touches {
            let at = touch.at(x);
            let depth = touch.depth_m(&at);
            if depth <= 0.0 && !(first_look && touch.expected) {
                touch.normal_force_n = 0.0;
                continue;
            }
            let kappa = touch.stiffness_n_per_m;
            if !first_look {
                touch.normal_force_n = kappa * depth;
            }
            let drag = touch.drag(&at);
            potential += touch.energy_j(&at) + drag.potential_j;
            let push = kappa * depth * touch.normal + drag.force;
            let n = touch.normal;
            let across = DMat3::from_cols(n * n.x, n * n.y, n * n.z);
            let block = square_s2 * (kappa * across + drag.stiffness);
            for (k, particle) in touch.particles() {
                let weight = touch.weights[k];
                work.touching_forces[particle] += weight * push;
                work.diagonal[particle] += (weight * weight) * block;
            }
            work.couplings.push(coupling(touch, &block));
        }
        for (force, touching) in force.iter_mut().zip(&work.touching_forces) {
            *force += *touching;
        }
        potential
    }

    /// Moves the points of contacts apart in a first guess `p` of the way from `x`. A guess that passes through would leave forces many times those that matter.
    pub(super) fn part_touching(&self, x: &[DVec3], p: &mut [DVec3]) {
        if self.work.touches.is_empty() {
            return;
        }
        let mut ahead: Vec<DVec3> = x.iter().zip(&*p).map(|(x, p)| *x + *p).collect();
        part::part(&self.work.touches, &mut ahead);
        for ((p, x), ahead) in p.iter_mut().zip(x).zip(&ahead) {
            *p = *ahead - *x;
        }
    }

    /// How far the bodies that cloth at `x` lies on move in this step, on the mean of the forces with
    /// which they carry it; nothing if it lies on none.
    ///
    /// Friction holds cloth within micrometres: a solve that starts from free flight begins with all of
    /// it sliding, and then there is little that a linear solve can tell of what sticks.
    pub(super) fn carried_by_bodies(&self, x: &[DVec3]) -> Option<DVec3> {
        let (mut moment, mut total_n) = (DVec3::ZERO, 0.0);
        for touch in &self.work.touches {
            let own: f64 = touch.particles().map(|(k, _)| touch.weights[k]).sum();
            let is_on_body = touch.on_bodies.iter().any(Option::is_some);
            if !is_on_body || own == 0.0 || touch.force_before_n <= 0.0 {
                continue;
            }
            let change = between(&touch.weights, &touch.at(x)) - touch.start;
            moment -= (touch.force_before_n / own) * change;
            total_n += touch.force_before_n;
        }
        (total_n > 0.0).then(|| moment / total_n)
    }

    /// Norm of the right-hand side `b` without the contacts' part, as the solver's measure.
    pub(super) fn reference_without_touching(&self, b: &[f64]) -> Option<f64> {
        if self.work.couplings.is_empty() {
            return None;
        }
        let b: &[DVec3] = bytemuck::cast_slice(b);
        let square_s2 = self.weights.stiffness_s2;
        let touching = &self.work.touching_forces;
        let mut rest: Vec<DVec3> = b.to_vec();
        for (rest, force) in rest.iter_mut().zip(touching) {
            *rest -= square_s2 * *force;
        }
        self.holds
            .filter
            .project(bytemuck::cast_slice_mut(&mut rest));
        Some(par::sum(rest.len(), |i| rest[i].length_squared()).sqrt())
    }

    /// Adds the contacts' forces at `x`.
    pub(super) fn add_touching_forces(&self, x: &[DVec3], force: &mut [DVec3]) {
        for touch in &self.work.touches {
            let at = touch.at(x);
            let depth = touch.depth_m(&at);
            if depth <= 0.0 {
                continue;
            }
            let push = touch.stiffness_n_per_m * depth * touch.normal + touch.drag(&at).force;
            for (k, particle) in touch.particles() {
                force[particle] += touch.weights[k] * push;
            }
        }
    }

    /// The contacts' potential at `x`, with friction as last linearised.
    pub(super) fn touching_potential(&self, x: &[DVec3]) -> f64 {
        let touches = self.work.touches.iter();
        touches
            .map(|touch| {
                let at = touch.at(x);
                touch.energy_j(&at) + touch.drag(&at).potential_j
            })
            .sum()
    }
}

fn coupling(touch: &Touch, block: &DMat3) -> Coupling<f64> {
    let [x, y, z] = [block.x_axis, block.y_axis, block.z_axis];
    // Vertices of bodies are no unknowns.
    let (mut places, mut weights) = ([0; 4], [0.0; 4]);
    for (k, particle) in touch.particles() {
        (places[k], weights[k]) = (3 * particle as u32, touch.weights[k]);
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
pub(super) fn product(couplings: &[Coupling<f64>], p: &[DVec3]) -> Vec<DVec3> {
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
