//! The same question in whole numbers of any length: slow, exact, and independent of the fast answer.
//!
//! Corners that move on straight lines have coordinates that are linear in time. Whether a point
//! and a triangle, or two edges, have a point in common is a matter of the signs of a few
//! polynomials in time: the volume of the four corners, areas of three of them in the coordinate
//! planes, differences of coordinates. The first contact is at time 0 or where one of these changes
//! its sign, and the signs at such a root are decided by the common factors of the polynomials.

mod dyadic;
mod polynomial;
mod root;

use dyadic::Dyadic;
use glam::DVec3;
use polynomial::Polynomial;
use root::Root;
use std::cmp::Ordering;

/// A time known exactly: a number with finitely many binary digits, or the root of a polynomial.
#[derive(Clone, Debug)]
pub struct Moment(Root);

impl Moment {
    /// Whether the floating-point time `t` is not later.
    pub fn is_no_earlier_than(&self, t: f64) -> bool {
        Dyadic::exactly(t).is_some_and(|t| self.0.compare_with(&t) != Ordering::Less)
    }

    /// The same time in floating point, to a few units in the last place.
    pub fn rounded(&self) -> f64 {
        self.0.rounded()
    }

    /// A floating-point number that is not later, within a few units in the last place.
    pub fn rounded_down(&self) -> f64 {
        let mut time = self.rounded();
        while time > 0.0 && !self.is_no_earlier_than(time) {
            time = time.next_down();
        }
        time
    }
}

/// The first time in \[0, 1\] at which the point `x[0]` touches the triangle `x[1] x[2] x[3]`.
/// Coordinates must be finite, or there is no answer.
pub fn point_triangle(start: &[DVec3; 4], end: &[DVec3; 4]) -> Option<Moment> {
    first_contact(&Paths::new(start, end)?, meets_triangle)
}

/// The first time in \[0, 1\] at which the edge `x[0] x[1]` touches the edge `x[2] x[3]`.
/// Coordinates must be finite, or there is no answer.
pub fn edge_edge(start: &[DVec3; 4], end: &[DVec3; 4]) -> Option<Moment> {
    first_contact(&Paths::new(start, end)?, meets_edge)
}

/// The earliest candidate at which the primitives meet.
fn first_contact(paths: &Paths, meet: fn(&Paths, &mut Root) -> bool) -> Option<Moment> {
    let volume = paths.volume();
    if !volume.is_zero() {
        let mut roots = Root::all_in_unit_interval(&volume);
        return roots.drain(..).find_map(|mut root| {
            let met = meet(paths, &mut root);
            met.then_some(Moment(root))
        });
    }
    // In one plane all the time: what happens there begins where three corners come to lie on a
    // line, or two at the same height in some coordinate.
    let mut start = Root::Dyadic(Dyadic::ZERO);
    if meet(paths, &mut start) {
        return Some(Moment(start));
    }
    let mut first: Option<Root> = None;
    for polynomial in paths.planar_events() {
        for mut root in Root::all_in_unit_interval(&polynomial) {
            let earlier = |first: &mut Root| root.clone().compare(first) == Ordering::Less;
            if first.as_mut().is_none_or(earlier) && meet(paths, &mut root) {
                first = Some(root);
            }
        }
    }
    first.map(Moment)
}

/// The coordinates of four corners as linear polynomials.
struct Paths([[Polynomial; 3]; 4]);

impl Paths {
    fn new(start: &[DVec3; 4], end: &[DVec3; 4]) -> Option<Self> {
        let exactly = |p: &DVec3| -> Option<Vec<Dyadic>> {
            let coordinates = p.to_array().into_iter();
            coordinates
                .map(|x| Some(Dyadic::exactly(x)?.reduced()))
                .collect()
        };
        let exact: Vec<_> = start
            .iter()
            .chain(end)
            .map(exactly)
            .collect::<Option<_>>()?;
        // Contact does not depend on the unit of length: one in which all coordinates are whole.
        let bits = exact.iter().flatten().map(|x| x.bits).max()?;
        let path = |i: usize, k: usize| {
            Polynomial::linear(exact[i][k].over(bits), exact[i + 4][k].over(bits))
        };
        let corner = |i| std::array::from_fn(|k| path(i, k));
        Some(Self(std::array::from_fn(corner)))
    }

    /// Coordinate `k` of corner `j` less that of corner `i`.
    fn difference(&self, i: usize, j: usize, k: usize) -> Polynomial {
        &self.0[j][k] - &self.0[i][k]
    }

    /// Twice the area of the corners `i j l` seen along the axis `k`.
    fn area(&self, [i, j, l]: [usize; 3], k: usize) -> Polynomial {
        let (p, q) = ((k + 1) % 3, (k + 2) % 3);
        &(&self.difference(i, j, p) * &self.difference(i, l, q))
            - &(&self.difference(i, j, q) * &self.difference(i, l, p))
    }

    /// Six times the signed volume of all four.
    fn volume(&self) -> Polynomial {
        let terms = [0, 1, 2].map(|k| &self.area([0, 1, 2], k) * &self.difference(0, 3, k));
        &(&terms[0] + &terms[1]) + &terms[2]
    }

    /// The polynomials without which nothing changes for corners that stay in one plane.
    fn planar_events(&self) -> Vec<Polynomial> {
        let axes = 0..3;
        let areas = axes
            .clone()
            .flat_map(|k| TRIPLES.map(|triple| self.area(triple, k)));
        let differences = axes.flat_map(|k| PAIRS.map(|[i, j]| self.difference(i, j, k)));
        areas.chain(differences).filter(|p| !p.is_zero()).collect()
    }

    fn area_sign(&self, triple: [usize; 3], axis: usize, t: &mut Root) -> i32 {
        t.sign_of(&self.area(triple, axis))
    }

    /// Whether the intervals of the coordinates of the corners `a` and of the corners `b` overlap on
    /// every axis.
    fn boxes_overlap(&self, a: &[usize], b: &[usize], t: &mut Root) -> bool {
        let mut reaches = |a: &[usize], b: &[usize], k: usize| {
            (a.iter()).any(|&i| b.iter().any(|&j| t.sign_of(&self.difference(i, j, k)) >= 0))
        };
        (0..3).all(|k| reaches(a, b, k) && reaches(b, a, k))
    }
}

const TRIPLES: [[usize; 3]; 4] = [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]];
const PAIRS: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// Whether corner 0 lies in the triangle of the others at time `t`, when all lie in one plane.
fn meets_triangle(paths: &Paths, t: &mut Root) -> bool {
    for axis in 0..3 {
        let turn = paths.area_sign([1, 2, 3], axis, t);
        if turn != 0 {
            return [[0, 2, 3], [1, 0, 3], [1, 2, 0]]
                .into_iter()
                .all(|side| paths.area_sign(side, axis, t) * turn >= 0);
        }
    }
    // The triangle is a segment or a point.
    let mut collinear = |triple| (0..3).all(|axis| paths.area_sign(triple, axis, t) == 0);
    collinear([0, 1, 2])
        && collinear([0, 1, 3])
        && collinear([0, 2, 3])
        && paths.boxes_overlap(&[0], &[1, 2, 3], t)
}

/// Whether the edges 0 1 and 2 3 have a point in common at time `t`, when all lie in one plane.
fn meets_edge(paths: &Paths, t: &mut Root) -> bool {
    for axis in 0..3 {
        let turns = TRIPLES.map(|triple| paths.area_sign(triple, axis, t));
        if turns != [0; 4] {
            // Each edge has the ends of the other on different sides, or on itself.
            let [from_first_2, from_first_3, end_0, end_1] = turns;
            return from_first_2 * from_first_3 <= 0 && end_0 * end_1 <= 0;
        }
    }
    paths.boxes_overlap(&[0, 1], &[2, 3], t)
}
