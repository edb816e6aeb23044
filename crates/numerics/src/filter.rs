//! Per-particle projections: the solver's side of pins and contacts.

use crate::operator::Filter;
use glam::{DMat3, DVec3};

/// The directions in which one particle is held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Hold {
    /// In every direction.
    Fixed,
    /// Along this unit normal only: the particle may move in the plane.
    Normal(DVec3),
    /// In every direction but this unit axis.
    Axis(DVec3),
}

impl Hold {
    /// The part of `v` that is free.
    pub fn free_part(&self, v: DVec3) -> DVec3 {
        match *self {
            Self::Fixed => DVec3::ZERO,
            Self::Normal(n) => v - v.dot(n) * n,
            Self::Axis(a) => v.dot(a) * a,
        }
    }

    /// The projection onto what is free, as a matrix.
    pub fn projection(&self) -> DMat3 {
        let [x, y, z] = DVec3::AXES.map(|axis| self.free_part(axis));
        DMat3::from_cols(x, y, z)
    }

    /// The part of `v` that is held.
    pub fn held_part(&self, v: DVec3) -> DVec3 {
        v - self.free_part(v)
    }
}

/// Projection of all held particles, in ascending order of index.
#[derive(Clone, Debug, Default)]
pub struct ParticleFilter {
    holds: Vec<(u32, Hold)>,
}

impl ParticleFilter {
    /// Forgets all holds, keeping the memory.
    pub fn clear(&mut self) {
        self.holds.clear();
    }

    /// Adds a hold; particles must come in ascending order, each once.
    pub fn push(&mut self, particle: u32, hold: Hold) {
        debug_assert!(self.holds.last().is_none_or(|&(last, _)| last < particle));
        self.holds.push((particle, hold));
    }

    /// The held particles.
    pub fn holds(&self) -> &[(u32, Hold)] {
        &self.holds
    }
}

impl ParticleFilter {
    /// Calls `f(particle, what is taken from it)` for every one, and takes it.
    fn project_each(&self, v: &mut [f64], mut f: impl FnMut(usize, DVec3)) {
        let v: &mut [DVec3] = bytemuck::cast_slice_mut(v);
        for &(particle, hold) in &self.holds {
            let particle = particle as usize;
            let free = hold.free_part(v[particle]);
            let taken = v[particle] - free;
            v[particle] = free;
            f(particle, taken);
        }
    }
}

impl Filter<f64> for ParticleFilter {
    fn project(&self, v: &mut [f64]) {
        self.project_each(v, |_, _| {});
    }

    fn project_beside(&self, v: &mut [f64], w: &[f64]) -> f64 {
        let w: &[DVec3] = bytemuck::cast_slice(w);
        let mut change = 0.0;
        self.project_each(v, |particle, taken| change -= taken.dot(w[particle]));
        change
    }
}
