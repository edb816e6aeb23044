//! Where vertices are at equal times, and on straight lines in between.

use crate::error::BuildError;
use glam::DVec3;
use std::sync::Arc;

/// Positions of all vertices at equal times.
#[derive(Clone, Debug, PartialEq)]
pub struct Frames {
    /// Frames per second; the first is at time 0, and after the last the body stays as it is.
    pub rate_hz: f64,
    /// The frames, all of them with the same vertices.
    pub positions: Arc<Vec<Vec<DVec3>>>,
}

impl Frames {
    /// Time from the first frame to the last, s.
    pub fn length_s(&self) -> f64 {
        (self.positions.len() - 1) as f64 / self.rate_hz
    }

    /// The last frame up to a time, and which share of the way to the next it has gone since; after the
    /// last frame, 0.
    pub fn at(&self, time_s: f64) -> (usize, f64) {
        let last = self.positions.len() - 1;
        let at = (time_s * self.rate_hz).clamp(0.0, last as f64);
        (at.floor() as usize, at.fract())
    }

    /// Appends where the vertices are at a time.
    pub fn place(&self, time_s: f64, out: &mut Vec<DVec3>) {
        let (from, share) = self.at(time_s);
        let before = &self.positions[from];
        // To the last bit on a frame.
        if share == 0.0 {
            return out.extend_from_slice(before);
        }
        let after = &self.positions[from + 1];
        let pairs = before.iter().zip(after);
        out.extend(pairs.map(|(p, q)| *p + share * (*q - *p)));
    }

    /// Velocities of the vertices in a frame, m/s: the mean of those before it and after it, and at
    /// either end of the motion the one there is.
    pub fn velocities(&self, frame: usize) -> Vec<DVec3> {
        let last = self.positions.len() - 1;
        let [before, after] = [frame.saturating_sub(1), (frame + 1).min(last)];
        let per_s = self.rate_hz / (after - before).max(1) as f64;
        let pairs = self.positions[before].iter().zip(&self.positions[after]);
        pairs.map(|(p, q)| per_s * (*q - *p)).collect()
    }

    /// Refuses what is no motion of `vertices` vertices.
    pub(crate) fn validate(&self, vertices: usize) -> Result<(), BuildError> {
        let error = |message: String| {
            Err(BuildError {
                key: "shape.mesh.frames".into(),
                message,
            })
        };
        if !(self.rate_hz.is_finite() && self.rate_hz > 0.0) {
            return error(format!(
                "expected a positive frame rate, found {}",
                self.rate_hz
            ));
        }
        if self.positions.is_empty() {
            return error("expected at least one frame".into());
        }
        for (k, frame) in self.positions.iter().enumerate() {
            if frame.len() != vertices {
                let found = frame.len();
                return error(format!(
                    "expected {vertices} vertices in every frame, found {found} in frame {k}"
                ));
            }
            if let Some(vertex) = frame.iter().position(|p| !p.is_finite()) {
                return error(format!(
                    "vertex {vertex} of frame {k} is not at a finite place"
                ));
            }
        }
        Ok(())
    }
}
