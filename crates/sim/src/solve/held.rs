//! Holds of particles in single precision, wherever a layout puts their components.

use glam::Vec3;
use toile_numerics::Hold;
use toile_numerics::operator::Filter;

/// A held particle.
#[derive(Clone, Copy)]
pub struct HeldPlace {
    /// Where its first component is.
    pub place: usize,
    /// How far its further components are.
    pub stride: usize,
    /// How it is held.
    pub hold: Hold,
}

/// All of them.
#[derive(Default)]
pub struct HeldPlaces {
    holds: Vec<HeldPlace>,
}

impl HeldPlaces {
    /// Forgets all holds, keeping the memory.
    pub fn clear(&mut self) {
        self.holds.clear();
    }

    /// Adds one.
    pub fn push(&mut self, held: HeldPlace) {
        self.holds.push(held);
    }

    /// Calls `f(particle, what is taken from it)` for every one, and takes it.
    fn project_each(&self, v: &mut [f32], mut f: impl FnMut(&HeldPlace, Vec3)) {
        for held in &self.holds {
            let value = held.at(v);
            let free = match held.hold {
                Hold::Fixed => Vec3::ZERO,
                hold => hold.free_part(value.as_dvec3()).as_vec3(),
            };
            for (axis, free) in free.to_array().into_iter().enumerate() {
                v[held.place + axis * held.stride] = free;
            }
            f(held, value - free);
        }
    }
}

impl HeldPlace {
    fn at(&self, v: &[f32]) -> Vec3 {
        let Self { place, stride, .. } = *self;
        Vec3::new(v[place], v[place + stride], v[place + 2 * stride])
    }
}

impl Filter<f32> for HeldPlaces {
    fn project(&self, v: &mut [f32]) {
        self.project_each(v, |_, _| {});
    }

    fn project_beside(&self, v: &mut [f32], w: &[f32]) -> f64 {
        let mut change = 0.0;
        self.project_each(v, |held, taken| {
            change -= taken.as_dvec3().dot(held.at(w).as_dvec3());
        });
        change
    }
}
