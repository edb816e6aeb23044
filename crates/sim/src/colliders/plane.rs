//! Half space: φ(x) = n·x − offset, ∇φ = n.

use super::Surface;
use glam::DVec3;

pub(super) fn surface(normal: DVec3, offset_m: f64, point: DVec3) -> Surface {
    Surface {
        distance_m: normal.dot(point) - offset_m,
        normal,
    }
}
