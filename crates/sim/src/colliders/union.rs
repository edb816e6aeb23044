//! Several shapes as one, with fillets where they meet: the quadratic smooth minimum. Two
//! distances that differ by less than the blend length `k` are joined to
//! `min(a, b) − k h²/4` with `h = 1 − |a − b|/k`, shape after shape.
//!
//! - The result is at most the smallest distance, and its slope is nowhere more than 1, so it is a
//!   lower bound of the distance to its own zero set. Away from fillets it is exact outside.
//! - Gradient: that of the formula, `(1 − h/2) ∇a + h/2 ∇b` for `a ≤ b`, made a unit vector.
//! - Degenerate cases: where the gradients cancel, half way between two shapes that are nearer to
//!   each other than the blend, that of the nearest shape is taken. Without shapes there is
//!   nothing, infinitely far away.

use super::{Shape, Surface};
use glam::DVec3;

pub(super) fn surface(blend_m: f64, of: &[Shape], point: DVec3) -> Surface {
    let mut nearest = Surface {
        distance_m: f64::INFINITY,
        normal: DVec3::Y,
    };
    // The normal of what is joined so far is the gradient itself, of any length up to 1.
    let mut joined = nearest;
    for shape in of {
        let next = shape.surface(point);
        if next.distance_m < nearest.distance_m {
            nearest = next;
        }
        joined = join(blend_m, joined, next);
    }
    Surface {
        distance_m: joined.distance_m,
        normal: joined.normal.try_normalize().unwrap_or(nearest.normal),
    }
}

fn join(blend_m: f64, a: Surface, b: Surface) -> Surface {
    let (near, far) = if a.distance_m <= b.distance_m {
        (a, b)
    } else {
        (b, a)
    };
    let apart = far.distance_m - near.distance_m;
    if apart >= blend_m {
        return near;
    }
    let share = 1.0 - apart / blend_m;
    Surface {
        distance_m: near.distance_m - 0.25 * blend_m * share * share,
        normal: near.normal.lerp(far.normal, 0.5 * share),
    }
}
