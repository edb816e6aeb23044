//! All forces in the equations of a step but those of elements and contacts: weight, friction, air, soft pins,
//! what sticks, and impulses.

use crate::forces::air;
use crate::solve::system::ClothSystem;
use crate::solve::workspace::Workspace;
use glam::{DMat3, DVec3};
use toile_numerics::integrate::Weights;
use toile_numerics::par;

/// Particles of a plain update that are worth a task.
const PARTICLE_GRAIN: usize = 2048;

impl ClothSystem<'_> {
    /// Freezes what the air does at `(x, v)`.
    pub(crate) fn freeze(&mut self, x: &[DVec3], v: &[DVec3]) {
        let now = air::Instant {
            positions: x,
            velocities: v,
            time_s: self.constraints.time_s(self.instant),
        };
        let air = &mut self.work.air;
        self.model.air.freeze(self.model, &now, air);
    }

    /// Adds all forces at `(x, v)` but those of elements, with the air as frozen.
    pub(crate) fn add_other_forces(&self, x: &[DVec3], v: &[DVec3], out: &mut [DVec3]) {
        self.add_external(out);
        for ((force, drag), v) in out.iter_mut().zip(&self.work.air.drags).zip(v) {
            *force += drag.force(*v);
        }
        for spring in &self.constraints.springs {
            let i = spring.particle as usize;
            out[i] += spring.force(x[i], self.instant);
        }
        for tie in &self.constraints.ties {
            tie.add_forces(x, out);
        }
    }

    fn add_external(&self, forces: &mut [DVec3]) {
        let (masses, gravity) = (&self.model.masses, self.model.gravity_m_per_s2);
        par::for_each_leaf(forces, PARTICLE_GRAIN, |first, leaf| {
            for (force, mass) in leaf.iter_mut().zip(&masses[first..]) {
                *force += *mass * gravity;
            }
        });
        for &(particle, friction) in &self.constraints.friction {
            forces[particle as usize] += friction;
        }
        for (force, impulse) in forces.iter_mut().zip(self.impulse_forces_n) {
            *force += *impulse;
        }
    }

    /// All of the potential but the elastic energy: weight, friction, soft pins, what sticks, and
    /// what the air dissipates.
    pub(crate) fn other_potential(&self, x: &[DVec3], v: &[DVec3], velocity_s: f64) -> f64 {
        let gravity = self.model.gravity_m_per_s2;
        let weight = par::sum(x.len(), |i| -self.model.masses[i] * gravity.dot(x[i]));
        let friction = self.constraints.friction.iter();
        let friction: f64 = friction
            .map(|&(particle, force)| -force.dot(x[particle as usize]))
            .sum();
        let drags = &self.work.air.drags;
        let air = par::sum(drags.len(), |i| drags[i].potential(v[i]));
        let springs = self.constraints.springs.iter();
        let springs: f64 = springs
            .map(|s| s.energy(x[s.particle as usize], self.instant))
            .sum();
        let ties: f64 = self.constraints.ties.iter().map(|tie| tie.energy(x)).sum();
        let impulses = self.impulse_forces_n.iter().zip(x);
        let impulses: f64 = impulses.map(|(force, x)| -force.dot(*x)).sum();
        weight + friction + impulses + springs + ties + velocity_s * air
    }

    /// Sets the diagonal to what air, soft pins and what sticks add to it.
    pub(crate) fn refresh_diagonal(&mut self, weights: &Weights) {
        let Workspace { air, diagonal, .. } = &mut *self.work;
        diagonal.clear();
        diagonal.extend(
            air.drags
                .iter()
                .map(|drag| weights.damping_s * drag.resistance),
        );
        if !(self.constraints.springs.is_empty() && self.constraints.ties.is_empty()) {
            diagonal.resize(self.model.particles(), DMat3::ZERO);
        }
        for spring in &self.constraints.springs {
            diagonal[spring.particle as usize] += weights.stiffness_s2 * spring.stiffness();
        }
        for tie in &self.constraints.ties {
            let stiffness = weights.stiffness_s2 * tie.stiffness_n_per_m;
            for (i, weight) in tie.particles.iter().zip(&tie.weights) {
                let own = DVec3::splat(weight * weight * stiffness);
                diagonal[*i as usize] += DMat3::from_diagonal(own);
            }
        }
    }
}
