//! What may not be approached: two points of a pair, or the solid that a vertex rests on.

use crate::contact::movable::Movable;
use glam::DVec3;

/// One row of the system; see the module above.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    vertices: [u32; 4],
    weights: [f64; 4],
    normal: DVec3,
    /// The least velocity along the normal that is allowed, m/s.
    least_m_per_s: f64,
    /// `Σ wᵢ aᵢ²`: the change of velocity by an impulse of 1 N s, 1/kg.
    pub lightness_per_kg: f64,
    /// The impulse so far, N s.
    pub impulse_n_s: f64,
    /// By how much it was too slow at first, m/s.
    pub begun_m_per_s: f64,
    /// One of its vertices that can move.
    pub member: u32,
}

impl Row {
    /// For a sum of vertices' velocities, which must not be against `normal`; nothing if none of them can
    /// move.
    pub fn new(
        vertices: [u32; 4],
        weights: [f64; 4],
        normal: DVec3,
        movable: &Movable,
    ) -> Option<Self> {
        let lightness = |k: usize| {
            let inverse = movable.inverse_masses[vertices[k] as usize];
            weights[k] * weights[k] * inverse
        };
        let moving = (0..4).find(|k| lightness(*k) > 0.0)?;
        Some(Self {
            vertices,
            weights,
            normal,
            least_m_per_s: 0.0,
            lightness_per_kg: (0..4).map(lightness).sum(),
            impulse_n_s: 0.0,
            begun_m_per_s: 0.0,
            member: vertices[moving],
        })
    }

    /// For a vertex that rests on something, which nobody may push deeper than it goes with `velocities`.
    pub fn of_support(vertex: u32, movable: &Movable, velocities: &[DVec3]) -> Option<Self> {
        let support = movable.supports[vertex as usize];
        let row = Self::new([vertex; 4], [1.0, 0.0, 0.0, 0.0], support, movable)?;
        Some(Self {
            least_m_per_s: support.dot(velocities[vertex as usize]),
            ..row
        })
    }

    /// The velocity at which its points part, m/s.
    pub fn parting_m_per_s(&self, velocities: &[DVec3]) -> f64 {
        let part = |k: usize| self.weights[k] * velocities[self.vertices[k] as usize];
        self.normal.dot(part(0) + part(1) + part(2) + part(3))
    }

    /// By how much that is too slow, m/s.
    pub fn lack_m_per_s(&self, velocities: &[DVec3]) -> f64 {
        self.least_m_per_s - self.parting_m_per_s(velocities)
    }

    /// Adds to `velocities` what an impulse along the normal does.
    pub fn push(&self, impulse_n_s: f64, movable: &Movable, velocities: &mut [DVec3]) {
        let along = impulse_n_s * self.normal;
        for (&vertex, &weight) in self.vertices.iter().zip(&self.weights) {
            let i = vertex as usize;
            velocities[i] += weight * movable.inverse_masses[i] * along;
        }
    }

    /// Gives it the impulse that it lacks, or takes back what it has too much of; returns by how much
    /// that changes the velocity of its points, m/s.
    pub fn answer(&mut self, movable: &Movable, velocities: &mut [DVec3]) -> f64 {
        let wanted = self.lack_m_per_s(velocities) / self.lightness_per_kg;
        let change = wanted.max(-self.impulse_n_s);
        if change != 0.0 {
            self.impulse_n_s += change;
            self.push(change, movable, velocities);
        }
        change.abs() * self.lightness_per_kg
    }

    /// Its vertices.
    pub fn vertices(&self) -> impl Iterator<Item = usize> + use<> {
        self.vertices.into_iter().map(|vertex| vertex as usize)
    }
}
