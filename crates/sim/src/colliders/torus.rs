//! Torus, all points within `t` of a circle: φ(x) = |x − s(x)| − t with `s` the nearest point of the
//! circle, ∇φ = (x − s)/|x − s|. Exact everywhere.
//!
//! Degenerate cases: on the axis all points of the circle are equally near, and one is taken; on
//! the circle the axis is taken as the way out.

use super::{Surface, about};
use glam::{DVec2, DVec3};

/// Where it is and how large; the axis is a unit vector.
pub(super) struct Torus {
    pub center: DVec3,
    pub axis: DVec3,
    pub ring_m: f64,
    pub tube_m: f64,
}

pub(super) fn surface(torus: &Torus, point: DVec3) -> Surface {
    let from_center = point - torus.center;
    let (height, radius, outward) = about(torus.axis, from_center);
    let from_circle = DVec2::new(radius - torus.ring_m, height);
    let distance = from_circle.length();
    Surface {
        distance_m: distance - torus.tube_m,
        normal: if distance > 0.0 {
            (from_circle.x * outward + from_circle.y * torus.axis) / distance
        } else {
            torus.axis
        },
    }
}
