//! Where two triangles meet, as a point to look at.
//!
//! Whether they meet is decided exactly elsewhere; this is a place in floating point for messages
//! and pictures, and it is given for triangles that do not meet, too.

use crate::distance::Kind;
use glam::DVec3;

/// The sides of a triangle by its corners.
const SIDES: [[usize; 2]; 3] = [[0, 1], [1, 2], [2, 0]];

/// The middle of what two triangles have in common; where they only touch, or nearly, the middle
/// between their closest points.
pub fn meeting_place(a: &[DVec3; 3], b: &[DVec3; 3]) -> DVec3 {
    // Differences are small beside coordinates far from the origin.
    let origin = a[0];
    let [a, b] = [a, b].map(|corners| corners.map(|x| x - origin));
    let mut sum = DVec3::ZERO;
    let mut count = 0.0;
    for (sides, face) in [(&a, &b), (&b, &a)] {
        for ends in SIDES.map(|side| side.map(|k| sides[k])) {
            if let Some(point) = pierced(ends, face) {
                sum += point;
                count += 1.0;
            }
        }
    }
    let middle = match count {
        0.0 => between_closest(&a, &b),
        _ => sum / count,
    };
    origin + middle
}

/// Where a side passes through the inside of a face.
fn pierced([start, end]: [DVec3; 2], face: &[DVec3; 3]) -> Option<DVec3> {
    let [p, q, r] = *face;
    let normal = (q - p).cross(r - p);
    let [above, below] = [start, end].map(|x| normal.dot(x - p));
    if above * below >= 0.0 {
        return None;
    }
    let point = start.lerp(end, above / (above - below));
    let inside = SIDES.iter().all(|&[i, j]| {
        let inward = normal.cross(face[j] - face[i]);
        inward.dot(point - face[i]) >= 0.0
    });
    inside.then_some(point)
}

/// The middle between the closest points of the triangles' corners, sides and faces.
fn between_closest(a: &[DVec3; 3], b: &[DVec3; 3]) -> DVec3 {
    let corners = |points: &[DVec3; 3], face: &[DVec3; 3]| {
        let [p, q, r] = *face;
        points.map(|x| (Kind::PointTriangle, [x, p, q, r]))
    };
    let sides = SIDES.iter().flat_map(|&[i, j]| {
        let side = |&[k, l]: &[usize; 2]| (Kind::EdgeEdge, [a[i], a[j], b[k], b[l]]);
        SIDES.each_ref().map(side)
    });
    let pairs = corners(a, b).into_iter().chain(corners(b, a)).chain(sides);
    let mut best = (f64::INFINITY, 0.5 * (a[0] + b[0]));
    for (kind, x) in pairs {
        let weights = kind.closest(&x);
        // Weights of the second feature are negative.
        let (mut first, mut second) = (DVec3::ZERO, DVec3::ZERO);
        let own = if kind == Kind::PointTriangle { 1 } else { 2 };
        for (k, (weight, x)) in weights.iter().zip(x).enumerate() {
            if k < own {
                first += *weight * x;
            } else {
                second -= *weight * x;
            }
        }
        let distance = first.distance_squared(second);
        if distance < best.0 {
            best = (distance, 0.5 * (first + second));
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAT: [DVec3; 3] = [DVec3::ZERO, DVec3::X, DVec3::Y];

    #[test]
    fn triangles_that_cross_do_so_in_the_middle_of_a_segment() {
        let far = DVec3::new(100.0, -30.0, 7.0);
        let across = [
            DVec3::new(0.2, 0.1, -1.0),
            DVec3::new(0.2, 0.1, 1.0),
            DVec3::new(0.2, -3.0, 0.0),
        ];
        // From the side y = 0 of the flat one to the upright side of the other.
        let middle = DVec3::new(0.2, 0.05, 0.0);
        let place = meeting_place(&FLAT.map(|x| x + far), &across.map(|x| x + far));
        assert!(place.distance(middle + far) < 1e-12, "{place}");
        let place = meeting_place(&across, &FLAT);
        assert!(place.distance(middle) < 1e-15, "{place}");
    }

    #[test]
    fn triangles_that_touch_do_so_where_they_touch() {
        let corner = DVec3::new(0.25, 0.25, 0.0);
        let standing = [corner, corner + DVec3::Z, corner + DVec3::Z + DVec3::X];
        assert!(meeting_place(&FLAT, &standing).distance(corner) < 1e-15);
        let beside = FLAT.map(|x| x + DVec3::X);
        assert!(meeting_place(&FLAT, &beside).distance(DVec3::X) < 1e-15);
        let point = [corner; 3];
        assert!(meeting_place(&point, &FLAT).distance(corner) < 1e-15);
    }
}
