//! Directions along which two primitives may be apart.
//!
//! These are guesses: a bad one costs time and proves nothing, so rounding needs no care here.

use super::motion::Pose;
use glam::DVec3;

/// The direction of the shortest distance between the primitives, of any length; zero or near it
/// where they touch.
#[inline]
pub(super) fn closest<const FIRST: usize>(pose: &Pose) -> DVec3 {
    if FIRST == 1 {
        from_triangle(*pose)
    } else {
        between_edges(*pose)
    }
}

/// Directions that stay accurate where the primitives nearly touch: the normal of the plane both
/// lie in then, and those in that plane across each edge.
pub(super) fn of_near_contact<const FIRST: usize>(pose: &Pose) -> [DVec3; 7] {
    let [a, b, c] = *pose;
    if FIRST == 1 {
        let normal = (b - a).cross(c - a);
        // A triangle nearly without area has no normal worth the name; the plane through its
        // longest side and the point has.
        let sides = [b - a, c - b, a - c];
        let longest = longest(sides);
        let through_point = longest.cross(a);
        [
            normal,
            through_point,
            sides[0].cross(normal),
            sides[1].cross(normal),
            sides[2].cross(normal),
            longest.cross(through_point),
            longest,
        ]
    } else {
        let other = c - b;
        let normal = a.cross(other);
        // Nearly parallel edges: the plane through one of them and an end of the other.
        let longer = longest([a, other, DVec3::ZERO]);
        let through_end = longer.cross(b);
        [
            normal,
            through_end,
            a.cross(normal),
            other.cross(normal),
            a.cross(through_end),
            other.cross(through_end),
            longer,
        ]
    }
}

/// Whether the point where the primitives cross, if they nearly lie in one plane, is well inside both.
pub(super) fn is_well_inside<const FIRST: usize>(pose: &Pose) -> bool {
    const MARGIN: f64 = 1e-6;
    let [a, b, c] = *pose;
    if FIRST == 1 {
        let (ab, ac) = (b - a, c - a);
        let normal = ab.cross(ac);
        let square = normal.length_squared();
        square > MARGIN * ab.length_squared() * ac.length_squared()
            && [(a, b), (b, c), (c, a)]
                .into_iter()
                .all(|(p, q)| p.cross(q).dot(normal) > MARGIN * square)
    } else {
        let other = c - b;
        let (aa, ao, oo) = (a.length_squared(), a.dot(other), other.length_squared());
        let (ab, ob) = (a.dot(b), other.dot(b));
        let determinant = aa * oo - ao * ao;
        let inside = |x: f64| x > MARGIN * determinant && x < (1.0 - MARGIN) * determinant;
        determinant > MARGIN * aa * oo && inside(oo * ab - ao * ob) && inside(ao * ab - aa * ob)
    }
}

fn longest(vectors: [DVec3; 3]) -> DVec3 {
    let longer = |x: DVec3, y: DVec3| {
        if y.length_squared() > x.length_squared() {
            y
        } else {
            x
        }
    };
    longer(longer(vectors[0], vectors[1]), vectors[2])
}

/// Square of the sine of an angle at which a triangle is no more than its sides.
const THIN: f64 = 1e-24;

/// From the triangle `a b c` to the origin.
#[inline]
fn from_triangle([a, b, c]: Pose) -> DVec3 {
    let (ab, ac) = (b - a, c - a);
    let normal = ab.cross(ac);
    // On the outer side of which sides' upright planes does the origin lie?
    let beyond_ab = ab.cross(normal).dot(a) < 0.0;
    let beyond_bc = (c - b).cross(normal).dot(b) < 0.0;
    let beyond_ca = (-ac).cross(normal).dot(c) < 0.0;
    // Without area there are no such planes, and nearly without they lean anywhere.
    let is_thin = normal.length_squared() <= THIN * ab.length_squared() * ac.length_squared();
    if !(beyond_ab || beyond_bc || beyond_ca || is_thin) {
        return normal;
    }
    let mut nearest = a;
    for (beyond, p, q) in [(beyond_ab, a, b), (beyond_bc, b, c), (beyond_ca, c, a)] {
        if beyond || is_thin {
            let point = from_edge(p, q);
            if point.length_squared() < nearest.length_squared() {
                nearest = point;
            }
        }
    }
    nearest
}

/// The point of the edge `p q` nearest to the origin.
#[inline]
fn from_edge(p: DVec3, q: DVec3) -> DVec3 {
    let side = q - p;
    let (along, squared) = (-p.dot(side), side.length_squared());
    if along <= 0.0 || squared == 0.0 {
        p
    } else if along >= squared {
        q
    } else {
        p + (along / squared) * side
    }
}

/// From the edge from the origin to `a` to the edge `b c`.
#[inline]
fn between_edges([a, b, c]: Pose) -> DVec3 {
    let other = c - b;
    let (aa, ao, oo) = (a.length_squared(), a.dot(other), other.length_squared());
    let (ab, ob) = (a.dot(b), other.dot(b));
    let determinant = aa * oo - ao * ao;
    // Parameters of the closest points of the two lines, times the determinant.
    let (s, t) = (oo * ab - ao * ob, ao * ab - aa * ob);
    let inside = |x: f64| x > 0.0 && x < determinant;
    if determinant > 1e-12 * aa * oo && inside(s) && inside(t) {
        return a.cross(other);
    }
    // Otherwise an end of one of the edges is nearest to the other edge.
    let candidates = [
        from_edge(b, c),
        from_edge(b - a, c - a),
        from_edge(b, b - a),
        from_edge(c, c - a),
    ];
    let nearer = |x: DVec3, y: DVec3| {
        if y.length_squared() < x.length_squared() {
            y
        } else {
            x
        }
    };
    candidates.into_iter().fold(DVec3::INFINITY, nearer)
}
