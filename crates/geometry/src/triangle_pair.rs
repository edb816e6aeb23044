//! Whether two triangles have a point in common, decided exactly.
//!
//! Triangles are closed: touching counts as meeting. Where they share corners of one mesh, the
//! shared corner or edge itself does not count, anything else does. Only signs of exact
//! determinants and comparisons of coordinates are used, no tolerances, so the answer is right
//! for every input in the range of [`crate::predicates`]: triangles in one plane, touching at a
//! corner or an edge, or shrunk to a segment or a point.

use crate::predicates::{Projection, Sign, orient3d};
use glam::DVec3;

/// How two triangles meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Meeting {
    /// They lie in different planes and their insides pass through each other.
    Crossing,
    /// They lie in different planes and meet only where one of them ends.
    Touching,
    /// They lie in one plane, and overlap or touch in it.
    Coplanar,
    /// They have the same three corners.
    Duplicate,
}

/// The corners two triangles have in common, by position in each of them (0, 1 or 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shared {
    /// No corner.
    Nothing,
    /// One corner: `a` of the first triangle is `b` of the second.
    Corner {
        /// The shared corner in the first triangle.
        a: usize,
        /// The shared corner in the second triangle.
        b: usize,
    },
    /// Two corners; named are the ones that are not shared.
    Edge {
        /// The corner of the first triangle off the shared edge.
        a: usize,
        /// The corner of the second triangle off the shared edge.
        b: usize,
    },
    /// All three corners.
    All,
}

impl Shared {
    /// What two faces of one mesh share. A vertex is shared when both faces name its index;
    /// different vertices in the same place are not shared.
    pub fn of(face_a: [u32; 3], face_b: [u32; 3]) -> Self {
        let in_b = face_a.map(|v| face_b.iter().position(|&w| v == w));
        let off_a = || in_b.iter().position(Option::is_none);
        let off_b = || face_b.iter().position(|w| !face_a.contains(w));
        match in_b {
            [None, None, None] => Self::Nothing,
            [Some(b), None, None] => Self::Corner { a: 0, b },
            [None, Some(b), None] => Self::Corner { a: 1, b },
            [None, None, Some(b)] => Self::Corner { a: 2, b },
            _ => match (off_a(), off_b()) {
                (Some(a), Some(b)) => Self::Edge { a, b },
                _ => Self::All,
            },
        }
    }
}

/// Three corners, prepared for exact tests.
#[derive(Clone, Copy, Debug)]
pub struct Triangle {
    corners: [DVec3; 3],
    /// `None` for a triangle without area.
    projection: Option<Projection>,
}

impl Triangle {
    /// Takes the corners as they are; they may lie on one line or in one point.
    pub fn new(corners: [DVec3; 3]) -> Self {
        let [a, b, c] = corners;
        Self {
            corners,
            projection: Projection::of(a, b, c),
        }
    }

    /// Whether the area is exactly zero.
    pub fn is_degenerate(&self) -> bool {
        self.projection.is_none()
    }

    /// How this triangle meets `other`, beyond the corners they share; `None` when it does not.
    pub fn meets(&self, other: &Self, shared: Shared) -> Option<Meeting> {
        let meet = match shared {
            Shared::All => return Some(Meeting::Duplicate),
            Shared::Nothing => self.meets_anywhere(other),
            Shared::Corner { a, b } => self.meets_beyond_corner(a, other, b),
            Shared::Edge { a, b } => self.meets_beyond_edge(a, other, b),
        };
        meet.then(|| self.kind_of_meeting(other))
    }

    fn corner(&self, i: usize) -> DVec3 {
        self.corners[i % 3]
    }

    /// The edge opposite corner `i`.
    fn opposite(&self, i: usize) -> [DVec3; 2] {
        [self.corner(i + 1), self.corner(i + 2)]
    }

    fn edges(&self) -> [[DVec3; 2]; 3] {
        [self.opposite(0), self.opposite(1), self.opposite(2)]
    }

    /// On which side of this triangle's plane `p` lies; zero for all points if it has no plane.
    fn side(&self, p: DVec3) -> Sign {
        let [a, b, c] = self.corners;
        orient3d(a, b, c, p)
    }

    /// Two triangles that meet anywhere also meet on an edge of one of them.
    fn meets_anywhere(&self, other: &Self) -> bool {
        let sides = other.corners.map(|p| self.side(p));
        if let Some(plane) = self.common_plane(other, &sides) {
            return !self.has_edge_between(plane, other) && !other.has_edge_between(plane, self);
        }
        let edge_hits = |t: &Self, u: &Self| t.edges().iter().any(|&e| u.meets_segment(e));
        !strictly_one(&sides)
            && !strictly_one(&self.corners.map(|p| other.side(p)))
            && (edge_hits(self, other) || edge_hits(other, self))
    }

    /// Whether the triangles, which share a corner, have another point in common.
    ///
    /// Follow the ray from the corner through such a point: where it leaves the first of the two
    /// triangles it is still in the other, and a triangle is left through its far edge, or, when
    /// it has no area, at one of its far corners.
    fn meets_beyond_corner(&self, a: usize, other: &Self, b: usize) -> bool {
        let (far, other_far) = (self.opposite(a), other.opposite(b));
        let sides = other_far.map(|p| self.side(p));
        if let Some(plane) = self.common_plane(other, &sides) {
            // Of two overlapping wedges, one has a border in the other.
            return other_far.iter().any(|&p| self.opens_to(plane, a, p))
                || far.iter().any(|&p| other.opens_to(plane, b, p));
        }
        let far_hits = |t: &Self, i: usize, u: &Self| {
            if t.is_degenerate() {
                let mut ends = t.opposite(i).into_iter();
                ends.any(|p| p != t.corner(i) && u.contains(p))
            } else {
                u.meets_segment(t.opposite(i))
            }
        };
        !strictly_one(&sides)
            && !strictly_one(&far.map(|p| other.side(p)))
            && (far_hits(self, a, other) || far_hits(other, b, self))
    }

    /// Whether the triangles, which share an edge, have a point in common off that edge.
    fn meets_beyond_edge(&self, a: usize, other: &Self, b: usize) -> bool {
        let [u, v] = self.opposite(a);
        let (p, q) = (self.corner(a), other.corner(b));
        match (self.projection, other.projection) {
            // Folded flat: in one plane, and on the same side of the edge.
            (Some(plane), Some(_)) => {
                self.side(q) == Sign::Zero && plane.turn(u, v, p) == plane.turn(u, v, q)
            }
            // Segments of one line that reach beyond the same end of the edge.
            (None, None) => {
                let beyond = p.cmpgt(u.max(v)) & q.cmpgt(u.max(v));
                let before = p.cmplt(u.min(v)) & q.cmplt(u.min(v));
                Projection::of(u, p, q).is_none() && (beyond | before).any()
            }
            // A triangle has no more than its edge on the line of the segment.
            _ => false,
        }
    }

    /// A projection for both triangles, if both have area and `sides`, those of the other's
    /// corners, are all zero.
    fn common_plane(&self, other: &Self, sides: &[Sign]) -> Option<Projection> {
        let flat = sides.iter().all(|&s| s == Sign::Zero);
        other.projection.and(self.projection).filter(|_| flat)
    }

    /// Whether the line along an edge has this triangle on one side and `other`, in the same
    /// plane, strictly on the opposite one. Such an edge exists when triangles do not meet.
    fn has_edge_between(&self, plane: Projection, other: &Self) -> bool {
        (0..3).any(|i| {
            let [p, q] = self.opposite(i);
            let turns = other.corners.map(|r| plane.turn(p, q, r));
            strictly_one(&turns) && turns[0] != plane.turn(p, q, self.corner(i))
        })
    }

    /// Whether the wedge that opens from corner `i`, borders included, holds `p` of its plane.
    fn opens_to(&self, plane: Projection, i: usize, p: DVec3) -> bool {
        let (apex, [q, r]) = (self.corner(i), self.opposite(i));
        let turns = [
            plane.turn(apex, q, r),
            plane.turn(apex, q, p),
            plane.turn(apex, p, r),
        ];
        agree(turns)
    }

    /// Whether the point lies in the triangle or on its border.
    fn contains(&self, p: DVec3) -> bool {
        match self.projection {
            Some(plane) => self.side(p) == Sign::Zero && self.surrounds(plane, p),
            None => self.edges().iter().any(|&e| is_on_segment(p, e)),
        }
    }

    /// Whether the projected triangle contains the projection of `p`.
    fn surrounds(&self, plane: Projection, p: DVec3) -> bool {
        agree(self.edges().map(|[a, b]| plane.turn(a, b, p)))
    }

    /// Whether any point of the segment lies in the triangle or on its border.
    fn meets_segment(&self, segment: [DVec3; 2]) -> bool {
        let [p, q] = segment;
        let meets_an_edge = || self.edges().iter().any(|&e| segments_meet(segment, e));
        let Some(plane) = self.projection else {
            return meets_an_edge();
        };
        match (self.side(p), self.side(q)) {
            (Sign::Zero, Sign::Zero) => {
                self.surrounds(plane, p) || self.surrounds(plane, q) || meets_an_edge()
            }
            (Sign::Zero, _) => self.surrounds(plane, p),
            (_, Sign::Zero) => self.surrounds(plane, q),
            (s, t) if s == t => false,
            _ => agree(self.turns_around(segment)),
        }
    }

    /// Which way each edge passes the line through the segment.
    fn turns_around(&self, [p, q]: [DVec3; 2]) -> [Sign; 3] {
        self.edges().map(|[a, b]| orient3d(p, q, a, b))
    }

    /// Tells the kinds of meeting apart, for triangles that do meet.
    fn kind_of_meeting(&self, other: &Self) -> Meeting {
        let (sides, other_sides) = (
            self.corners.map(|p| other.side(p)),
            other.corners.map(|p| self.side(p)),
        );
        let all_zero = |signs: [Sign; 3]| signs.iter().all(|&s| s == Sign::Zero);
        if all_zero(sides) && all_zero(other_sides) {
            return Meeting::Coplanar;
        }
        let crossing = match (self.is_degenerate(), other.is_degenerate()) {
            (false, false) => insides_cross(self.corners, sides, other.corners, other_sides),
            (true, _) => self.edges().iter().any(|&e| other.is_pierced_by(e)),
            (_, true) => other.edges().iter().any(|&e| self.is_pierced_by(e)),
        };
        if crossing {
            Meeting::Crossing
        } else {
            Meeting::Touching
        }
    }

    /// Whether the inside of the segment passes through the inside of the triangle.
    fn is_pierced_by(&self, segment: [DVec3; 2]) -> bool {
        let [s, t] = segment.map(|p| self.side(p));
        let [a, b, c] = self.turns_around(segment);
        s != Sign::Zero && t != Sign::Zero && s != t && a != Sign::Zero && a == b && b == c
    }
}

/// Whether all signs are the same, and not zero.
fn strictly_one(signs: &[Sign]) -> bool {
    signs.iter().all(|&s| s == signs[0] && s != Sign::Zero)
}

/// Whether no two of the signs are opposite.
fn agree(signs: [Sign; 3]) -> bool {
    !(signs.contains(&Sign::Positive) && signs.contains(&Sign::Negative))
}

fn is_on_segment(p: DVec3, [a, b]: [DVec3; 2]) -> bool {
    a.min(b).cmple(p).all() && p.cmple(a.max(b)).all() && Projection::of(a, b, p).is_none()
}

/// Whether two closed segments have a point in common.
fn segments_meet(s: [DVec3; 2], t: [DVec3; 2]) -> bool {
    let ([a, b], [c, d]) = (s, t);
    if is_on_segment(a, t) || is_on_segment(b, t) || is_on_segment(c, s) || is_on_segment(d, s) {
        return true;
    }
    // No end lies on the other segment, so they can only cross inside both, and then no three of
    // the four ends lie on one line.
    let Some(plane) = Projection::of(a, b, c) else {
        return false;
    };
    let opposite = |u: Sign, v: Sign| u != Sign::Zero && v != Sign::Zero && u != v;
    orient3d(a, b, c, d) == Sign::Zero
        && opposite(plane.turn(a, b, c), plane.turn(a, b, d))
        && opposite(plane.turn(c, d, a), plane.turn(c, d, b))
}

/// Whether the insides of two triangles in different planes have a point in common.
///
/// `sides_a` says on which side of `b`'s plane the corners of `a` lie, and the other way round.
/// Both insides cut the line common to the planes in an open interval, empty unless the triangle
/// reaches to both sides; the order of the intervals' ends along the line is read off the
/// orientation of the edges that make them.
/// Guigue and Devillers, "Fast and robust triangle–triangle overlap test using orientation
/// predicates", Journal of Graphics Tools 8(1), 2003.
fn insides_cross(a: [DVec3; 3], sides_a: [Sign; 3], b: [DVec3; 3], sides_b: [Sign; 3]) -> bool {
    let (Some(lone_a), Some(lone_b)) = (lone_corner(sides_a), lone_corner(sides_b)) else {
        return false;
    };
    // The lone corner first, then the others; each triangle is turned over, if need be, so that
    // the lone corner of the other one is on its positive side.
    let arranged = |t: [DVec3; 3], lone: usize, seen_from: Sign| {
        let [q, r] = [t[(lone + 1) % 3], t[(lone + 2) % 3]];
        if seen_from == Sign::Positive {
            (t[lone], q, r)
        } else {
            (t[lone], r, q)
        }
    };
    let (p1, q1, r1) = arranged(a, lone_a, sides_b[lone_b]);
    let (p2, q2, r2) = arranged(b, lone_b, sides_a[lone_a]);
    orient3d(p1, q1, p2, q2) == Sign::Negative && orient3d(p1, r1, p2, r2) == Sign::Positive
}

/// The corner strictly on its side of a plane while the two others are not; `None` unless there
/// are corners strictly on both sides.
fn lone_corner(sides: [Sign; 3]) -> Option<usize> {
    let count = |sign| sides.iter().filter(|&&s| s == sign).count();
    let lone = match (count(Sign::Positive), count(Sign::Negative)) {
        (0, _) | (_, 0) => return None,
        (1, _) => Sign::Positive,
        _ => Sign::Negative,
    };
    sides.iter().position(|&s| s == lone)
}
