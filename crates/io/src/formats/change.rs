//! Frames in other axes, units and clocks.

use super::{Frame, Header, UpAxis};
use glam::Vec3;

/// From the source's axes and units to those of the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    turn: Turn,
    scale: f32,
    /// New frame rate over old.
    speed: f32,
}

#[derive(Clone, Copy, Debug)]
enum Turn {
    None,
    YToZ,
    ZToY,
}

impl Change {
    /// From one description of axes, units and clock to another, which says all of them.
    pub(super) fn between(source: &Header, target: &Header) -> Self {
        let unit = |header: &Header| header.metres_per_unit.unwrap_or(1.0);
        let rate = target.rate_hz();
        Self {
            turn: match (source.up.unwrap_or_default(), target.up.unwrap_or_default()) {
                (UpAxis::Y, UpAxis::Z) => Turn::YToZ,
                (UpAxis::Z, UpAxis::Y) => Turn::ZToY,
                _ => Turn::None,
            },
            scale: (unit(source) / unit(target)) as f32,
            speed: source.frame_rate_hz.map_or(1.0, |old| rate / old) as f32,
        }
    }

    /// The same, and everything so much larger.
    pub(super) fn enlarged(self, by: f64) -> Self {
        Self {
            scale: (f64::from(self.scale) * by) as f32,
            ..self
        }
    }

    fn direction(self, v: Vec3) -> Vec3 {
        match self.turn {
            Turn::None => v,
            Turn::YToZ => Vec3::new(v.x, -v.z, v.y),
            Turn::ZToY => Vec3::new(v.x, v.z, -v.y),
        }
    }

    pub(super) fn positions(self, positions: &mut [Vec3]) {
        for p in positions {
            *p = self.direction(*p) * self.scale;
        }
    }

    pub(super) fn frame(self, frame: &mut Frame) {
        self.positions(&mut frame.positions);
        for v in &mut frame.velocities {
            *v = self.direction(*v) * self.scale * self.speed;
        }
        for n in &mut frame.normals {
            *n = self.direction(*n);
        }
    }
}
