//! Ambient occlusion: how much of its surroundings a place sees, judged from the depths around
//! it on the screen.

use crate::taps::Taps;
use glam::Vec3;

/// Reach of the estimate as a share of the distance to what the camera looks at.
const REACH: f32 = 0.065;

/// How dark full occlusion gets.
const STRENGTH: f32 = 1.9;

/// The estimate looks no farther than this, in texels.
const WIDEST: f32 = 64.0;

/// Depths on a regular grid, and how to find the place behind each.
pub struct Depths<'a> {
    pub width: usize,
    pub height: usize,
    /// Depth in metres; infinite where there is nothing.
    pub depth_m: &'a [f32],
    /// Slopes at texel 0, and the change to the next texel to the right and down.
    pub first: [f32; 2],
    pub step: f32,
}

impl Depths<'_> {
    /// The place seen at a texel, in turned coordinates.
    pub fn place(&self, x: usize, y: usize) -> Vec3 {
        let z = self.depth_m[y * self.width + x];
        Vec3::new(
            (self.first[0] + self.step * x as f32) * z,
            (self.first[1] - self.step * y as f32) * z,
            z,
        )
    }
}

pub struct Occlusion {
    taps: Taps,
    reach_m: f32,
}

impl Occlusion {
    pub fn new() -> Self {
        Self {
            taps: Taps::spiral(14, 1.0),
            reach_m: 0.1,
        }
    }

    pub fn set_focus(&mut self, focus_m: f32) {
        self.reach_m = REACH * focus_m;
    }

    /// How many texels the estimate looks away from a place of the given nearness.
    pub fn radius(&self, depths: &Depths, nearness: f32) -> f32 {
        (self.reach_m / depths.step * nearness).min(WIDEST)
    }

    /// Share of the surroundings that is seen from texel (`x`, `y`), in [0, 1].
    ///
    /// Each neighbour hides the more the higher it stands above the tangent plane, with a
    /// weight that falls to zero at the reach.
    pub fn openness(&self, depths: &Depths, x: usize, y: usize, normal: Vec3) -> f32 {
        let place = depths.place(x, y);
        let radius = self.radius(depths, 1.0 / place.z);
        if radius < 1.0 {
            return 1.0;
        }
        let square = self.reach_m * self.reach_m;
        // Neighbours barely above the plane are the surface's own roundness and rounding.
        let slack = 0.003 * self.reach_m + 2e-4 * place.z;
        let taps = self.taps.at(x, y);
        let mut hidden = 0.0;
        for [dx, dy] in taps {
            let tx = (x as f32 + 0.5 + dx * radius) as i32 as usize;
            let ty = (y as f32 + 0.5 + dy * radius) as i32 as usize;
            if tx >= depths.width || ty >= depths.height {
                continue;
            }
            let away = depths.place(tx, ty) - place;
            let distance = away.length_squared();
            if distance < square {
                let rise = (away.dot(normal) - slack).max(0.0);
                let weight = 1.0 - distance / square;
                hidden += weight * rise / (distance + 1e-3 * square).sqrt();
            }
        }
        (1.0 - STRENGTH * hidden / taps.len() as f32).clamp(0.0, 1.0)
    }
}
