//! Which contacts of a step act, and how they are linearised.
//!
//! A solve sees every contact that acts as a linear spring, and every other one not at all. Which act, and under
//! which normal force friction is bounded, is decided at each linearisation and holds until the next; the
//! stencils themselves do not change. Before the first one there is no such set: friction goes with the normal
//! force of the step before, and a contact that free flight would make counts as made. One linear solve then
//! stops what it would otherwise not see coming.
//!
//! Verified by: `tests/touching.rs`.

use crate::contact::potential::ContactPotential;
use crate::contact::stencil::ContactStencil;
use crate::contact::tuning::TUNING;
use glam::{DMat3, DVec3};
use toile_geometry::distance::between;

/// A contact as last linearised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActiveContact {
    /// Whether it acts.
    pub acts: bool,
    /// Normal force under which friction is bounded, N.
    pub normal_force_n: f64,
    /// Friction on the first point, N.
    pub friction_n: DVec3,
    /// Force on the first point where the solve starts, N.
    pub push_n: DVec3,
    /// How that falls on the way, N/m.
    pub stiffness_n_per_m: DMat3,
}

impl ActiveContact {
    /// One that has not been linearised in this step.
    fn remembered(stencil: &ContactStencil) -> Self {
        Self {
            acts: false,
            normal_force_n: stencil.before.normal_force_n,
            friction_n: DVec3::ZERO,
            push_n: DVec3::ZERO,
            stiffness_n_per_m: DMat3::ZERO,
        }
    }

    /// Force on the first point after the points went `way` to each other, N, as linearised.
    pub fn linear_force_n(&self, way: DVec3) -> DVec3 {
        self.push_n - self.stiffness_n_per_m * way
    }
}

/// What a linearisation found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ActiveSetChange {
    /// The potential of all contacts where they were linearised, J.
    pub potential_j: f64,
    /// Whether a contact acts or slides otherwise than at the linearisation before.
    pub changed: bool,
}

/// The active set: a record for each stencil, or none before the first linearisation.
#[derive(Clone, Debug, Default)]
pub struct ActiveContacts {
    records: Vec<ActiveContact>,
}

impl ActiveContacts {
    /// Makes it that of stencils just found, which nobody has linearised yet.
    pub fn clear(&mut self) {
        self.records.clear();
    }

    /// Whether nothing has been linearised yet.
    pub fn is_unseen(&self) -> bool {
        self.records.is_empty()
    }

    /// Linearises all `stencils` with the particles `at` some place, as seen from `x`.
    pub fn linearise(
        &mut self,
        stencils: &[ContactStencil],
        x: &[DVec3],
        at: &[DVec3],
    ) -> ActiveSetChange {
        let is_first = self.is_unseen();
        if is_first {
            let remembered = stencils.iter().map(ActiveContact::remembered);
            self.records.extend(remembered);
        }
        let mut change = ActiveSetChange::default();
        for (record, stencil) in self.records.iter_mut().zip(stencils) {
            let there = stencil.at(at);
            let depth_m = stencil.depth_m(&there);
            let acts = depth_m > 0.0 || is_first && stencil.expected;
            change.changed |= acts != record.acts;
            record.acts = acts;
            if !acts {
                record.normal_force_n = 0.0;
                record.friction_n = DVec3::ZERO;
                continue;
            }
            if !is_first {
                record.normal_force_n = stencil.law.stiffness_n_per_m * depth_m;
            }
            let potential = ContactPotential::acting(stencil, &there, record.normal_force_n);
            let most_n = stencil.law.friction * record.normal_force_n;
            let differs_n = potential.friction_n.distance(record.friction_n);
            change.changed |= potential.slides && differs_n > TUNING.active_same_friction * most_n;
            change.potential_j += potential.value_j;
            record.friction_n = potential.friction_n;
            let way = between(&stencil.weights, &there) - between(&stencil.weights, &stencil.at(x));
            record.stiffness_n_per_m = potential.hessian_n_per_m;
            record.push_n = potential.force_n + potential.hessian_n_per_m * way;
        }
        change
    }

    /// The stencils that act, each with its record.
    pub fn acting<'a>(
        &'a self,
        stencils: &'a [ContactStencil],
    ) -> impl Iterator<Item = (&'a ContactStencil, &'a ActiveContact)> {
        let all = stencils.iter().zip(&self.records);
        all.filter(|(_, record)| record.acts)
    }

    /// Every stencil with the normal force under which its friction is bounded, N.
    pub fn lagged<'a>(
        &'a self,
        stencils: &'a [ContactStencil],
    ) -> impl Iterator<Item = (&'a ContactStencil, f64)> {
        stencils.iter().enumerate().map(|(k, stencil)| {
            let record = self.records.get(k);
            let before_n = stencil.before.normal_force_n;
            (
                stencil,
                record.map_or(before_n, |record| record.normal_force_n),
            )
        })
    }
}
