//! A body that was animated elsewhere: frames of a file, played when a scene wants them.

use super::Frames;
use crate::error::BuildError;
use glam::DVec3;
use std::sync::Arc;
use toile_geometry::timing::{Repeat, Timing};

/// Frames and when they are played.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// The frames.
    pub frames: Frames,
    /// When they are played, and how fast.
    pub timing: Timing,
    /// Where the vertices are at rest, from which a scene that settles begins.
    pub rest: Option<Arc<Vec<DVec3>>>,
}

impl From<Frames> for Sequence {
    /// The frames as they are.
    fn from(frames: Frames) -> Self {
        Self {
            frames,
            timing: Timing::default(),
            rest: None,
        }
    }
}

impl Sequence {
    /// Appends where its vertices are at a time of the scene.
    pub fn place(&self, time_s: f64, out: &mut Vec<DVec3>) {
        let first = out.len();
        let played = self.timing.at(self.frames.length_s(), time_s);
        self.frames.place(played.since_s, out);
        let share = self.timing.share(time_s);
        if let (true, Some(rest)) = (share < 1.0, &self.rest) {
            let pairs = out[first..].iter_mut().zip(rest.iter());
            pairs.for_each(|(p, rest)| *p = *rest + share * (*p - *rest));
        }
    }

    /// Whether its frames are played as they are.
    pub fn is_plain(&self) -> bool {
        self.timing == Timing::default()
    }

    /// Where its vertices are at so many times of the scene from 0 on.
    pub fn sampled(&self, rate_hz: f64, count: usize) -> Frames {
        let frame = |k: usize| {
            let mut positions = Vec::with_capacity(self.frames.positions[0].len());
            self.place(k as f64 / rate_hz, &mut positions);
            positions
        };
        Frames {
            rate_hz,
            positions: Arc::new((0..count).map(frame).collect()),
        }
    }

    /// Refuses what is no motion of `vertices` vertices.
    pub(crate) fn validate(&self, vertices: usize) -> Result<(), BuildError> {
        self.frames.validate(vertices)?;
        let error = |message: &str| {
            Err(BuildError {
                key: "shape.mesh.frames".into(),
                message: message.into(),
            })
        };
        if !self.timing.is_finite() {
            return error("expected finite times and a finite speed");
        }
        if self.timing.repeat == Repeat::Travel {
            return error("vertices have no root that could travel");
        }
        match &self.rest {
            Some(rest) if rest.len() != vertices => error("expected the same vertices at rest"),
            Some(rest) if !rest.iter().all(|p| p.is_finite()) => {
                error("expected vertices at finite places at rest")
            }
            None if self.timing.settle_s > 0.0 => error("expected places at rest to settle from"),
            _ => Ok(()),
        }
    }
}
