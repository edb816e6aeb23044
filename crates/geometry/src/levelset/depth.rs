//! How deep points are in a solid, measured against its triangles and no field.
//!
//! A ray along x tells inside from outside: it leaves through as many fronts more than it enters as the
//! surface winds around the point. The depth is then the distance of the closest triangle. Where parts
//! overlap it may be one that is buried, and the depth is a lower bound.

use super::{LevelSetError, Solid};
use crate::bvh::face_boxes;
use crate::distance::{between, point_triangle};
use crate::{Bounds, BoxTree};
use glam::{DVec2, DVec3, Vec3Swizzles};

/// Radius of the first search for the closest triangle, as a share of the solid's size.
const FIRST_SEARCH: f64 = 1e-3;

/// A solid in a pose, to be asked for depths.
pub struct Depths<'a> {
    faces: &'a [[u32; 3]],
    positions: Vec<DVec3>,
    bounds: Bounds,
    tree: BoxTree,
}

impl<'a> Depths<'a> {
    /// Those in `solid` where its vertices are at `positions`.
    pub fn new(solid: &'a Solid, positions: &[DVec3]) -> Result<Self, LevelSetError> {
        let positions = solid.extended(positions)?;
        Ok(Self {
            faces: solid.faces(),
            bounds: Bounds::of(&positions),
            tree: BoxTree::build(&face_boxes(&positions, solid.faces())),
            positions,
        })
    }

    /// Depth of a point, m; 0 outside.
    pub fn depth_m(&self, point: DVec3) -> f64 {
        if self.is_inside(point) {
            self.distance_m(point)
        } else {
            0.0
        }
    }

    /// Whether the surface winds around a point.
    pub fn is_inside(&self, point: DVec3) -> bool {
        if !self.bounds.contains(point) {
            return false;
        }
        let ray = Bounds {
            min: point,
            max: point.with_x(self.bounds.max.x),
        };
        let through = self.tree.overlapping(&ray);
        through.map(|k| self.winding(k, point)).sum::<i32>() > 0
    }

    /// Distance of the closest triangle, m.
    pub fn distance_m(&self, point: DVec3) -> f64 {
        let mut radius = FIRST_SEARCH * self.bounds.size().length();
        loop {
            let around = Bounds {
                min: point - radius,
                max: point + radius,
            };
            let near = self.tree.overlapping(&around);
            let closest = near.map(|k| self.face_distance_m(k, point));
            let closest = closest.fold(f64::INFINITY, f64::min);
            // What is farther than the radius may be in no box that was found.
            if closest <= radius {
                return closest;
            }
            radius *= 2.0;
        }
    }

    fn face_distance_m(&self, face: u32, point: DVec3) -> f64 {
        let [a, b, c] = self.corners(face);
        let x = [point, a, b, c];
        between(&point_triangle(&x), &x).length()
    }

    fn corners(&self, face: u32) -> [DVec3; 3] {
        self.faces[face as usize].map(|v| self.positions[v as usize])
    }

    /// 1 where the ray leaves through a triangle, −1 where it enters, 0 where it misses it.
    fn winding(&self, face: u32, point: DVec3) -> i32 {
        let [a, b, c] = self.corners(face);
        let edges = [(a, b), (b, c), (c, a)];
        let passes = |(from, to): &(DVec3, DVec3)| is_above(from.yz(), to.yz(), point.yz());
        if edges.iter().filter(|edge| passes(edge)).count() != 1 {
            return 0;
        }
        let normal = (b - a).cross(c - a);
        // Along x, the plane is so far ahead.
        let ahead = (a - point).dot(normal) / normal.x;
        match ahead > 0.0 {
            true if normal.x > 0.0 => 1,
            true => -1,
            false => 0,
        }
    }
}

/// Whether an edge crosses the line upwards from a point of the plane. Edges own their lower end alone
/// and are taken the same way round by both their triangles, so no line slips through between two.
fn is_above(from: DVec2, to: DVec2, point: DVec2) -> bool {
    if (from.x <= point.x) == (to.x <= point.x) {
        return false;
    }
    let (low, high) = if from.x < to.x {
        (from, to)
    } else {
        (to, from)
    };
    (high - low).perp_dot(point - low) < 0.0
}
