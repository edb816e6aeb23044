//! Box with its sides along the axes and round edges: all points within `r` of the core, which is
//! the box shrunk by `r`. With `q = |x − c| − core` taken axis by axis, φ(x) = |max(q, 0)| − r
//! outside the core and max(q) − r in it; ∇φ points away from the nearest side. Exact everywhere.
//!
//! Degenerate cases: where sides are equally near, as in the middle of a cube, the first is taken.

use super::Surface;
use glam::DVec3;

pub(super) fn surface(center: DVec3, size_m: DVec3, radius_m: f64, point: DVec3) -> Surface {
    let from_center = point - center;
    let towards = DVec3::ONE.copysign(from_center);
    let beyond = from_center.abs() - (0.5 * size_m - radius_m);
    let outside = beyond.max(DVec3::ZERO);
    let length = outside.length();
    if length > 0.0 {
        return Surface {
            distance_m: length - radius_m,
            normal: towards * outside / length,
        };
    }
    let nearest = beyond.max_position();
    Surface {
        distance_m: beyond[nearest] - radius_m,
        normal: towards * DVec3::AXES[nearest],
    }
}
