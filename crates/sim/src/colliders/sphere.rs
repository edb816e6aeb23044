//! Ball: φ(x) = |x − c| − r, ∇φ = (x − c)/|x − c|.
//!
//! Degenerate case: at the centre every direction leads out; up is taken.

use super::Surface;
use glam::DVec3;

pub(super) fn surface(center: DVec3, radius_m: f64, point: DVec3) -> Surface {
    let from_center = point - center;
    let length = from_center.length();
    Surface {
        distance_m: length - radius_m,
        normal: if length > 0.0 {
            from_center / length
        } else {
            DVec3::Y
        },
    }
}
