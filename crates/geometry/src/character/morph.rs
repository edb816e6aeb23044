//! Morph targets: other shapes of the same vertices.

use super::CharacterError;
use glam::DVec3;

/// How some vertices differ from where they are bound, in a shape of its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Morph {
    /// Its name.
    pub name: String,
    /// How much of it there is at rest.
    pub weight: f64,
    /// Vertices that move, and how far.
    pub deltas: Vec<(u32, DVec3)>,
}

impl Morph {
    /// Adds `weight` times the difference to all positions.
    pub fn add(&self, weight: f64, positions: &mut [DVec3]) {
        if weight != 0.0 {
            for (vertex, delta) in &self.deltas {
                positions[*vertex as usize] += weight * *delta;
            }
        }
    }

    /// Refuses what is no morph of `vertices` vertices.
    pub(super) fn validate(&self, vertices: usize) -> Result<(), CharacterError> {
        let wrong =
            |(vertex, delta): &&(u32, DVec3)| *vertex as usize >= vertices || !delta.is_finite();
        match self.deltas.iter().find(wrong) {
            _ if !self.weight.is_finite() => Err(CharacterError::MorphWeight {
                morph: self.name.clone(),
            }),
            Some((vertex, _)) => Err(CharacterError::Morph {
                morph: self.name.clone(),
                vertex: *vertex,
            }),
            None => Ok(()),
        }
    }
}
