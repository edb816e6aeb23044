//! Cylinder with flat ends and round rims: all points within `e` of the core, a cylinder smaller by
//! `e`. In the half plane of the distance ρ from the axis and the height y along it from the
//! middle, with `q = (ρ, |y|) − core`, φ = |max(q, 0)| − e outside the core and max(q) − e in it.
//! Exact everywhere.
//!
//! Degenerate cases: on the axis every direction across it leads away, and one is taken.

use super::{Surface, about};
use glam::{DVec2, DVec3};

/// Where it is and how large.
pub(super) struct Cylinder {
    pub from: DVec3,
    pub to: DVec3,
    pub radius_m: f64,
    pub edge_radius_m: f64,
}

pub(super) fn surface(cylinder: &Cylinder, point: DVec3) -> Surface {
    let half = 0.5 * (cylinder.to - cylinder.from);
    let half_length = half.length();
    let axis = half / half_length;
    let from_middle = point - (cylinder.from + half);
    let (height, radius, outward) = about(axis, from_middle);
    let endward = 1.0_f64.copysign(height) * axis;
    let core = DVec2::new(cylinder.radius_m, half_length) - cylinder.edge_radius_m;
    let beyond = DVec2::new(radius, height.abs()) - core;
    let outside = beyond.max(DVec2::ZERO);
    let length = outside.length();
    let (distance, normal) = if length > 0.0 {
        let normal = outside.x * outward + outside.y * endward;
        (length, normal / length)
    } else if beyond.x >= beyond.y {
        (beyond.x, outward)
    } else {
        (beyond.y, endward)
    };
    Surface {
        distance_m: distance - cylinder.edge_radius_m,
        normal,
    }
}
