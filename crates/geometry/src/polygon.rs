//! Polygons cut into triangles.

use glam::{DVec2, DVec3};

/// The corners of the triangles that make up a polygon, each by its place in `corners`; as many as
/// there are corners less two.
///
/// A convex quadrilateral is cut from its first corner, so that the cuts of a grid all run one way.
/// Other polygons lose their best ear, one after the other: a corner whose triangle holds no further
/// corner, as seen along the polygon's mean normal. Where no ear is left, because the outline
/// crosses itself, the next corner is taken for one. Takes time with the third power of the number
/// of corners.
pub fn triangulate(corners: &[DVec3]) -> Vec<[usize; 3]> {
    let outline = flat(corners);
    let mut left: Vec<usize> = (0..corners.len()).collect();
    if let [a, b, c, d] = outline[..]
        && shape([a, b, c]) > 0.0
        && shape([a, c, d]) > 0.0
    {
        return vec![[0, 1, 2], [0, 2, 3]];
    }
    let mut triangles = Vec::with_capacity(corners.len().saturating_sub(2));
    while left.len() >= 3 {
        let mut best = (0.0, 1);
        for k in 0..left.len() {
            let shape = shape(around(&left, k).map(|corner| outline[corner]));
            if shape > best.0 && is_free(&outline, &left, k) {
                best = (shape, k);
            }
        }
        triangles.push(around(&left, best.1));
        left.remove(best.1);
    }
    triangles
}

/// A corner of what is left, between the ones before and after it.
fn around(left: &[usize], k: usize) -> [usize; 3] {
    let count = left.len();
    [
        left[(k + count - 1) % count],
        left[k],
        left[(k + 1) % count],
    ]
}

/// Height over longest side; not positive for a corner that points inwards.
fn shape([a, b, c]: [DVec2; 3]) -> f64 {
    let longest = [b - a, c - b, a - c].map(DVec2::length_squared);
    let longest = longest.into_iter().fold(f64::MIN_POSITIVE, f64::max);
    (b - a).perp_dot(c - a) / longest
}

/// Whether no other corner lies in the triangle of a corner.
fn is_free(outline: &[DVec2], left: &[usize], k: usize) -> bool {
    let corners = around(left, k);
    let [a, b, c] = corners.map(|corner| outline[corner]);
    let is_inside = |p: DVec2| {
        [(a, b), (b, c), (c, a)]
            .iter()
            .all(|(from, to)| (to - from).perp_dot(p - from) >= 0.0)
    };
    let mut others = left.iter().filter(|corner| !corners.contains(corner));
    // Outlines of holes touch themselves: a corner at the same place is not in the way.
    !others.any(|&other| {
        let p = outline[other];
        p != a && p != b && p != c && is_inside(p)
    })
}

/// The polygon seen against its mean normal, counter-clockwise.
fn flat(corners: &[DVec3]) -> Vec<DVec2> {
    let first = corners.first().copied().unwrap_or_default();
    let next = corners.iter().cycle().skip(1);
    let normal: DVec3 = { corners.iter().zip(next) }
        .map(|(p, q)| (p - first).cross(q - first))
        .sum();
    let normal = normal.normalize_or(DVec3::Z);
    let (u, v) = normal.any_orthonormal_pair();
    // The pair must be right-handed with the normal.
    let v = if u.cross(v).dot(normal) < 0.0 { -v } else { v };
    let place = |p: &DVec3| DVec2::new((p - first).dot(u), (p - first).dot(v));
    corners.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(corners: &[DVec3], triangles: &[[usize; 3]]) -> f64 {
        let signed = |t: &[usize; 3]| {
            let [a, b, c] = t.map(|k| corners[k]);
            0.5 * (b - a).cross(c - a).z
        };
        assert!(triangles.iter().all(|t| signed(t) > 0.0));
        triangles.iter().map(signed).sum()
    }

    fn outline(points: &[(f64, f64)]) -> Vec<DVec3> {
        let place = |(x, y): &(f64, f64)| DVec3::new(*x, *y, 0.01 * x * y);
        points.iter().map(place).collect()
    }

    #[test]
    fn convex_quadrilaterals_are_cut_from_their_first_corner() {
        let corners = outline(&[(0.0, 0.0), (2.0, 0.0), (9.0, 3.0), (0.0, 2.0)]);
        assert_eq!(triangulate(&corners), [[0, 1, 2], [0, 2, 3]]);
        assert!(triangulate(&corners[..2]).is_empty());
    }

    #[test]
    fn corners_on_a_side_make_no_flat_triangles() {
        let on_side = [
            (0.0, 0.0),
            (1.0, 0.0),
            (2.0, 0.0),
            (3.0, 0.0),
            (3.0, 2.0),
            (0.0, 2.0),
        ];
        for turn in 0..6 {
            let mut corners = on_side.map(|(x, y)| DVec3::new(x, y, 0.0));
            corners.rotate_left(turn);
            assert_eq!(area(&corners, &triangulate(&corners)), 6.0);
        }
    }

    #[test]
    fn a_notch_is_left_out() {
        // A fan from the first corner would cover the notch.
        let arrow = outline(&[(1.0, 0.0), (2.0, 2.0), (1.0, 1.0), (0.0, 2.0)]);
        for turn in 0..4 {
            let mut corners = arrow.clone();
            corners.rotate_left(turn);
            let triangles = triangulate(&corners);
            assert_eq!(triangles.len(), 2);
            assert!((area(&corners, &triangles) - 1.0).abs() < 1e-12);
        }
        let comb: Vec<(f64, f64)> = (0..10)
            .map(|k| (f64::from(k), if k % 2 == 0 { 3.0 } else { 1.0 }))
            .rev()
            .chain([(0.0, 0.0), (9.0, 0.0)])
            .collect();
        let corners = outline(&comb);
        let triangles = triangulate(&corners);
        assert_eq!(triangles.len(), comb.len() - 2);
        // Ten teeth ends of mean height 2, nine wide.
        assert!((area(&corners, &triangles) - 18.0).abs() < 1e-12);
    }

    #[test]
    fn outlines_that_make_no_sense_still_end() {
        let crossed = outline(&[(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0)]);
        assert_eq!(triangulate(&crossed).len(), 2);
        assert_eq!(triangulate(&[DVec3::ZERO; 6]).len(), 4);
        assert_eq!(triangulate(&[DVec3::NAN; 5]).len(), 3);
    }
}
