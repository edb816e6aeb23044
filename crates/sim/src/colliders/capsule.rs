//! Capsule, all points within `r` of a segment: φ(x) = |x − s(x)| − r with `s` the nearest point of
//! the segment, ∇φ = (x − s)/|x − s|. Exact everywhere.
//!
//! Degenerate cases: on the segment every direction across it leads out, and one is taken; a
//! segment without length makes a ball.

use super::{Surface, sphere};
use glam::DVec3;

pub(super) fn surface(from: DVec3, to: DVec3, radius_m: f64, point: DVec3) -> Surface {
    let along = to - from;
    let length_squared = along.length_squared();
    let share = if length_squared > 0.0 {
        ((point - from).dot(along) / length_squared).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let nearest = from + share * along;
    if point == nearest && length_squared > 0.0 {
        return Surface {
            distance_m: -radius_m,
            normal: along.normalize().any_orthonormal_vector(),
        };
    }
    sphere::surface(nearest, radius_m, point)
}
