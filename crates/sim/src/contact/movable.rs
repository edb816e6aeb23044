//! Who may be moved by what keeps features apart, and how.

use crate::constraints::StepConstraints;
use glam::DVec3;

/// Who may be moved, and how: particles, and after them the vertices of bodies.
#[derive(Clone, Debug, Default)]
pub struct Movable {
    /// Inverse mass of every vertex, 1/kg; 0 where its motion is prescribed.
    pub inverse_masses: Vec<f64>,
    /// The way out of what a vertex rests on, which it must not be pushed against; zero elsewhere.
    pub supports: Vec<DVec3>,
}

impl Movable {
    /// The part of a change of a vertex's motion that would push it against what it rests on: to be taken off.
    #[inline]
    pub fn into_support(&self, vertex: usize, change: DVec3) -> DVec3 {
        let support = self.supports[vertex];
        change.dot(support).min(0.0) * support
    }

    /// Takes over what rests on colliders, or arrives there.
    pub fn rest_on(&mut self, constraints: &StepConstraints) {
        self.supports.fill(DVec3::ZERO);
        for (particle, normal) in constraints.colliders.supported() {
            self.supports[particle as usize] = normal;
        }
    }
}
