//! Cutting triangles where they leave the space that can be projected.

use crate::view::View;
use glam::Vec3;

/// No corner is projected farther from the middle of the picture than this, so that the
/// rasteriser's integers stay small.
const GUARD_PX: f32 = 16_384.0;

/// A triangle cut by five planes has at most eight corners.
const MOST: usize = 8;

/// The convex polygon left of a triangle.
pub struct Polygon {
    corners: [Vec3; MOST],
    count: usize,
}

impl Polygon {
    /// What is left of a triangle in front of the eye, in turned coordinates.
    pub fn visible(triangle: [Vec3; 3], view: &View) -> Self {
        let mut polygon = Self {
            corners: [Vec3::ZERO; MOST],
            count: 3,
        };
        polygon.corners[..3].copy_from_slice(&triangle);
        let slope = GUARD_PX / view.focal_px;
        polygon.cut(|p| p.z - view.near_m);
        polygon.cut(|p| slope * p.z - p.x);
        polygon.cut(|p| slope * p.z + p.x);
        polygon.cut(|p| slope * p.z - p.y);
        polygon.cut(|p| slope * p.z + p.y);
        polygon
    }

    /// The polygon as a fan of triangles.
    pub fn fan(&self) -> impl Iterator<Item = [Vec3; 3]> {
        let c = &self.corners[..self.count];
        (2..c.len()).map(|i| [c[0], c[i - 1], c[i]])
    }

    /// Keeps the part where `inside`, a linear function, is not negative.
    fn cut(&mut self, inside: impl Fn(Vec3) -> f32) {
        let old = self.corners;
        let old = &old[..self.count];
        if old.iter().all(|p| inside(*p) >= 0.0) {
            return;
        }
        self.count = 0;
        for (i, &p) in old.iter().enumerate() {
            let q = old[(i + 1) % old.len()];
            let (at_p, at_q) = (inside(p), inside(q));
            if at_p >= 0.0 {
                self.push(p);
            }
            if (at_p >= 0.0) != (at_q >= 0.0) {
                self.push(p + (q - p) * (at_p / (at_p - at_q)));
            }
        }
    }

    fn push(&mut self, p: Vec3) {
        if self.count < MOST {
            self.corners[self.count] = p;
            self.count += 1;
        }
    }
}
