//! A body that a skeleton moves: posed anew for every time that is asked for.

use super::Frames;
use crate::error::BuildError;
use glam::DVec3;
use std::sync::Arc;
use toile_geometry::character::{Character, Playback, Scratch};

/// A character and how it plays its motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Puppet {
    /// The character; its rig's frame puts it into the world.
    pub character: Arc<Character>,
    /// What it does when.
    pub playback: Playback,
}

impl Puppet {
    /// Appends where its vertices are at a time.
    pub fn place(&self, time_s: f64, out: &mut Vec<DVec3>) {
        let mut scratch = Scratch::default();
        self.character
            .place_at(&self.playback, time_s, &mut scratch, out);
    }

    /// Where its vertices are at so many times from 0 on.
    pub fn frames(&self, rate_hz: f64, count: usize) -> Frames {
        let mut scratch = Scratch::default();
        let frame = |k: usize| {
            let mut positions = Vec::with_capacity(self.character.mesh.positions.len());
            let time_s = k as f64 / rate_hz;
            self.character
                .place_at(&self.playback, time_s, &mut scratch, &mut positions);
            positions
        };
        Frames {
            rate_hz,
            positions: Arc::new((0..count).map(frame).collect()),
        }
    }

    /// Refuses what is no motion of `vertices` vertices.
    pub(crate) fn validate(&self, vertices: usize) -> Result<(), BuildError> {
        let error = |message: String| BuildError {
            key: "shape.mesh.character".into(),
            message,
        };
        self.character
            .validate()
            .map_err(|e| error(e.to_string()))?;
        let found = self.character.mesh.positions.len();
        if found != vertices {
            let message = format!("expected {vertices} vertices, found {found}");
            return Err(error(message));
        }
        if !self.playback.timing.is_finite() {
            return Err(error("expected finite times and a finite speed".into()));
        }
        Ok(())
    }
}
