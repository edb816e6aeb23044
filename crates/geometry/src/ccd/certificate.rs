//! Proofs, valid in spite of rounding, that two primitives do not meet in a piece of time.
//!
//! u = 2⁻⁵³ is the unit of rounding; terms of second order are covered by rounding the factors up.

use super::motion::{Motion, Pose};
use glam::DVec3;

/// Below this a direction is too short for the products it enters to keep their relative error.
const SHORTEST_DIRECTION: f64 = 1e-90;

/// Covers what is lost of products of three coordinates at the small end of the range of numbers.
const LEAST_ERROR: f64 = 1e-250;

impl<const FIRST: usize> Motion<FIRST> {
    /// Whether the primitives stay more than the separation apart along `direction` while they move
    /// from the pose `from` to the pose `to`.
    ///
    /// Each of the distances of a corner of one to a corner of the other along a fixed direction is
    /// linear in time, so it is enough that all are large enough at both ends.
    ///
    /// A dot product with a pose errs by 3 u for its own rounding and 4.1 u for that of the pose,
    /// times `reach` and the sum `s` of the direction's magnitudes; the difference of two of them,
    /// of at most 2 `reach` s, adds 2 u: 16.2 u in all, and 24 u are asked for.
    #[inline]
    pub fn apart_along(&self, direction: DVec3, from: &Pose, to: &Pose) -> bool {
        let sum = direction.abs().element_sum();
        let slack = 12.0 * f64::EPSILON * self.reach * sum;
        let enough = if self.separation > 0.0 {
            slack + self.separation * direction.length() * (1.0 + 8.0 * f64::EPSILON)
        } else {
            slack
        };
        let [above, below] = gaps::<FIRST>(direction, from);
        let [above_later, below_later] = gaps::<FIRST>(direction, to);
        // A direction or a reach that is not finite asks for more than there can be.
        sum > SHORTEST_DIRECTION
            && (above.min(above_later) > enough || below.min(below_later) > enough)
    }
}

/// How far the first primitive lies above the second along `direction`, and how far below.
#[inline]
fn gaps<const FIRST: usize>(direction: DVec3, pose: &Pose) -> [f64; 2] {
    let [a, b, c] = pose.map(|corner| direction.dot(corner));
    if FIRST == 1 {
        [-a.max(b).max(c), a.min(b).min(c)]
    } else {
        let (low, high) = (b.min(c), b.max(c));
        [a.min(0.0) - high, low - a.max(0.0)]
    }
}

/// The signed volume spanned by the four corners, a cubic in time.
pub(super) struct Volume {
    /// Its Bernstein coefficients on \[0, 1\].
    pub coefficients: [f64; 4],
    /// Bound on the error of these coefficients, and of those on any piece of \[0, 1\].
    pub error: f64,
}

impl Volume {
    /// The volume of the corners of `motion`.
    ///
    /// With a, b, c the largest coordinates of the three corners, a component of a cross product is at
    /// most 2ab and errs by 8 u ab; the sum of two by 20 u ab. Their dot products with the third
    /// corner err by 48 u and 108 u abc, and three times a middle coefficient, the sum of both, by
    /// 174 u abc: 58 u, and no more than 60 u after the division. Three convex combinations on the way
    /// to a piece of \[0, 1\], of numbers of at most 6abc, add at most 3 · 3 · 6 u: 114 u in all,
    /// and 128 u are allowed for.
    #[inline]
    pub fn of<const FIRST: usize>(motion: &Motion<FIRST>) -> Self {
        let (a, b, c) = (
            (motion.start[0], motion.end[0]),
            (motion.start[1], motion.end[1]),
            (motion.start[2], motion.end[2]),
        );
        let first = a.0.cross(b.0);
        let middle = a.0.cross(b.1) + a.1.cross(b.0);
        let last = a.1.cross(b.1);
        let largest = |x: (DVec3, DVec3)| x.0.abs().max(x.1.abs()).max_element();
        Self {
            coefficients: [
                first.dot(c.0),
                (first.dot(c.1) + middle.dot(c.0)) / 3.0,
                (middle.dot(c.1) + last.dot(c.0)) / 3.0,
                last.dot(c.1),
            ],
            error: 64.0 * f64::EPSILON * largest(a) * largest(b) * largest(c) + LEAST_ERROR,
        }
    }

    /// The coefficients on the piece of time from `from` to `to`.
    #[inline]
    pub fn on(&self, from: f64, to: f64) -> [f64; 4] {
        let mix = |x: f64, y: f64, t: f64| (1.0 - t) * x + t * y;
        let [a, b, c, d] = self.coefficients;
        // The polar form with some arguments at `from` and the others at `to`.
        let step = |t: f64| [mix(a, b, t), mix(b, c, t), mix(c, d, t)];
        let at = |x: [f64; 3], t: f64| [mix(x[0], x[1], t), mix(x[1], x[2], t)];
        let ([early, late], both) = ([step(from), step(to)], at(step(from), to));
        let (early, late) = (at(early, from), at(late, to));
        [
            mix(early[0], early[1], from),
            mix(early[0], early[1], to),
            mix(both[0], both[1], to),
            mix(late[0], late[1], to),
        ]
    }

    /// Whether the volume with these `coefficients` keeps its sign: a cubic lies in the hull of its
    /// Bernstein coefficients.
    #[inline]
    pub fn keeps_its_sign(&self, coefficients: [f64; 4]) -> bool {
        let [a, b, c, d] = coefficients;
        a.min(b).min(c).min(d) > self.error || a.max(b).max(c).max(d) < -self.error
    }

    /// Whether the volume with these `coefficients` certainly changes its sign.
    #[inline]
    pub fn changes_its_sign(&self, coefficients: [f64; 4]) -> bool {
        let (first, last) = (coefficients[0], coefficients[3]);
        first.min(last) < -self.error && first.max(last) > self.error
    }
}
