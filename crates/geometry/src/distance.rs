//! Closest points of a point and a triangle, and of two edges.
//!
//! Both answer with weights `a` of the four vertices such that `Σ aᵢ xᵢ` leads from the closest
//! point of the second feature to that of the first. The weights of each feature add up to ±1, so
//! `a` also turns velocities into the relative velocity of the two points.
//!
//! Degenerate features are their edges or points; parallel edges have one of their closest pairs.

use glam::DVec3;

/// Weights of four vertices; see the module's description.
pub type Weights = [f64; 4];

/// Which two features meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Vertex 0 and the triangle of vertices 1, 2, 3.
    PointTriangle,
    /// The edges of vertices 0, 1 and of vertices 2, 3.
    EdgeEdge,
}

impl Kind {
    /// Weights of the closest points.
    pub fn closest(self, x: &[DVec3; 4]) -> Weights {
        match self {
            Self::PointTriangle => point_triangle(x),
            Self::EdgeEdge => edge_edge(x),
        }
    }
}

/// `Σ aᵢ xᵢ`.
pub fn between(weights: &Weights, x: &[DVec3; 4]) -> DVec3 {
    weights[0] * x[0] + weights[1] * x[1] + weights[2] * x[2] + weights[3] * x[3]
}

/// Weights of the closest points of vertex 0 and the triangle of the others.
pub fn point_triangle(x: &[DVec3; 4]) -> Weights {
    let [p, a, b, c] = *x;
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let square = ab.length_squared() * ac.length_squared();
    if ab.cross(ac).length_squared() <= 1e-24 * square {
        return nearest_side(x);
    }
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    let corner = |k: usize| {
        let mut weights = [1.0, 0.0, 0.0, 0.0];
        weights[k] = -1.0;
        weights
    };
    if d1 <= 0.0 && d2 <= 0.0 {
        return corner(1);
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return corner(2);
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return corner(3);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let t = share(d1, d1 - d3);
        return [1.0, t - 1.0, -t, 0.0];
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let t = share(d2, d2 - d6);
        return [1.0, t - 1.0, 0.0, -t];
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let t = share(d4 - d3, (d4 - d3) + (d5 - d6));
        return [1.0, 0.0, t - 1.0, -t];
    }
    let sum = va + vb + vc;
    let (v, w) = (vb / sum, vc / sum);
    [1.0, v + w - 1.0, -v, -w]
}

/// The same for a triangle without area, which is its sides.
fn nearest_side(x: &[DVec3; 4]) -> Weights {
    let p = x[0];
    let to_side = |[i, j]: [usize; 2]| {
        let along = x[j] - x[i];
        let t = share(along.dot(p - x[i]), along.length_squared()).clamp(0.0, 1.0);
        let mut weights = [1.0, 0.0, 0.0, 0.0];
        weights[i] = t - 1.0;
        weights[j] -= t;
        weights
    };
    let sides = [[1, 2], [2, 3], [3, 1]].map(to_side);
    let distance = |weights: &Weights| between(weights, x).length_squared();
    let [first, rest @ ..] = sides;
    rest.into_iter().fold(first, |best, side| {
        if distance(&side) < distance(&best) {
            side
        } else {
            best
        }
    })
}

/// Weights of the closest points of the edges 0–1 and 2–3.
pub fn edge_edge(x: &[DVec3; 4]) -> Weights {
    let [p, p_end, q, q_end] = *x;
    let (d, e, r) = (p_end - p, q_end - q, p - q);
    let (dd, ee, de) = (d.length_squared(), e.length_squared(), d.dot(e));
    let (dr, er) = (d.dot(r), e.dot(r));
    // Lines first; then whichever parameter leaves its edge is clamped and the other follows.
    let area = dd * ee - de * de;
    let mut s = if area > 1e-12 * dd * ee {
        ((de * er - dr * ee) / area).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let mut t = share(de * s + er, ee);
    if !(0.0..=1.0).contains(&t) {
        t = t.clamp(0.0, 1.0);
        s = share(de * t - dr, dd).clamp(0.0, 1.0);
    } else if area <= 1e-12 * dd * ee {
        s = share(de * t - dr, dd).clamp(0.0, 1.0);
    }
    [1.0 - s, s, t - 1.0, -t]
}

/// `part / whole`, and 0 of nothing.
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = DVec3> {
        (-4_i32..=4, -4_i32..=4, -4_i32..=4)
            .prop_map(|(x, y, z)| DVec3::new(x.into(), y.into(), z.into()) / 4.0)
    }

    /// The nearest of many points of both features.
    fn sampled(kind: Kind, x: &[DVec3; 4]) -> f64 {
        let n = 24;
        let mut nearest = f64::INFINITY;
        for i in 0..=n {
            for j in 0..=n {
                let (s, t) = (f64::from(i) / f64::from(n), f64::from(j) / f64::from(n));
                let apart = match kind {
                    Kind::PointTriangle if s + t > 1.0 => continue,
                    Kind::PointTriangle => x[0] - x[1] - s * (x[2] - x[1]) - t * (x[3] - x[1]),
                    Kind::EdgeEdge => x[0].lerp(x[1], s) - x[2].lerp(x[3], t),
                };
                nearest = nearest.min(apart.length());
            }
        }
        nearest
    }

    #[test]
    fn a_triangle_with_two_corners_in_one_place_is_a_segment() {
        let corner = DVec3::new(0.75, -0.25, -0.25);
        let x = [DVec3::ZERO, corner, corner, DVec3::new(0.0, 0.0, -0.5)];
        let distance = between(&point_triangle(&x), &x).length();
        let exact = edge_edge(&[x[0], x[0], x[1], x[3]]);
        let exact = between(&exact, &[x[0], x[0], x[1], x[3]]).length();
        assert!((distance - exact).abs() < 1e-15, "{distance} {exact}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn nothing_is_closer(
            x in [vector(), vector(), vector(), vector()],
            edges in any::<bool>(),
        ) {
            let kind = if edges { Kind::EdgeEdge } else { Kind::PointTriangle };
            let weights = kind.closest(&x);
            let distance = between(&weights, &x).length();
            let nearest = sampled(kind, &x);
            prop_assert!(distance <= nearest + 1e-9, "{distance} > {nearest}");
            // Samples are at most a cell's diagonal from the closest points.
            prop_assert!(distance >= nearest - 0.3);
            prop_assert!((weights.iter().sum::<f64>()).abs() < 1e-12);
            let (first, second) = weights.split_at(if edges { 2 } else { 1 });
            prop_assert!(first.iter().all(|a| (-1e-12..=1.0 + 1e-12).contains(a)));
            prop_assert!(second.iter().all(|a| (-1.0 - 1e-12..=1e-12).contains(a)));
        }
    }
}
