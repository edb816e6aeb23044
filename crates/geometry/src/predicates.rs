//! Exact orientation tests.
//!
//! Every answer is the sign of the real-number determinant of the given coordinates, never of a
//! rounded one. The `robust` crate computes it adaptively: a plain evaluation with a proven error
//! bound first, longer expansions only when that cannot decide.
//!
//! The arithmetic is exact as long as it neither overflows nor underflows, which holds when every
//! coordinate is zero or has a magnitude from [`MIN_MAGNITUDE`] to [`MAX_MAGNITUDE`]. Below, the
//! error bound of the last filter, about 2⁻¹⁰¹ times a product of three coordinate bits of 2⁻³⁰²,
//! would no longer be a normal number; above, a product of three differences nears the largest.

use glam::{DVec2, DVec3};
use robust::{Coord, Coord3D};

/// The largest magnitude for which the tests are exact: 2³⁰⁰, about 2e90.
pub const MAX_MAGNITUDE: f64 = f64::from_bits((1023 + 300) << 52);

/// The smallest magnitude other than zero for which the tests are exact: 2⁻²⁵⁰, about 6e-76.
pub const MIN_MAGNITUDE: f64 = f64::from_bits((1023 - 250) << 52);

/// The sign of an exactly evaluated expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// Below zero.
    Negative,
    /// Exactly zero.
    Zero,
    /// Above zero.
    Positive,
}

impl Sign {
    /// The sign of `value`; not a number counts as zero.
    pub fn of(value: f64) -> Self {
        if value > 0.0 {
            Self::Positive
        } else if value < 0.0 {
            Self::Negative
        } else {
            Self::Zero
        }
    }
}

/// Which way `a → b → c` turns: positive counter-clockwise, negative clockwise, zero when the
/// three points lie on one line.
pub fn orient2d(a: DVec2, b: DVec2, c: DVec2) -> Sign {
    let coord = |p: DVec2| Coord { x: p.x, y: p.y };
    Sign::of(robust::orient2d(coord(a), coord(b), coord(c)))
}

/// Whether `d` lies inside the circle through the counter-clockwise `a b c`: positive inside,
/// negative outside, zero when the four points lie on one circle.
pub fn in_circle(a: DVec2, b: DVec2, c: DVec2, d: DVec2) -> Sign {
    let coord = |p: DVec2| Coord { x: p.x, y: p.y };
    Sign::of(robust::incircle(coord(a), coord(b), coord(c), coord(d)))
}

/// On which side of the plane `a b c` the point `d` lies: the sign of `(b−a) × (c−a) · (d−a)`.
///
/// Positive on the side from which `a b c` is seen counter-clockwise, zero when the four points
/// lie in one plane, as they always do when `a b c` lie on one line.
pub fn orient3d(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> Sign {
    // Cloth mostly starts in a plane across an axis, where all the rest would be needed to find zero.
    let across = a.cmpeq(b) & a.cmpeq(c) & a.cmpeq(d);
    if across.any() {
        return Sign::Zero;
    }
    let coord = |p: DVec3| Coord3D {
        x: p.x,
        y: p.y,
        z: p.z,
    };
    // `robust` counts below as positive.
    Sign::of(-robust::orient3d(coord(a), coord(b), coord(c), coord(d)))
}

/// A map from space to a coordinate plane that drops one coordinate, and so rounds nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Projection {
    /// Keeps y and z.
    AlongX,
    /// Keeps z and x.
    AlongY,
    /// Keeps x and y.
    AlongZ,
}

impl Projection {
    /// A projection that keeps the triangle `a b c` a triangle, and so is one-to-one on its
    /// plane; `None` when the three points lie on one line.
    pub fn of(a: DVec3, b: DVec3, c: DVec3) -> Option<Self> {
        [Self::AlongZ, Self::AlongX, Self::AlongY]
            .into_iter()
            .find(|projection| projection.turn(a, b, c) != Sign::Zero)
    }

    /// The projected point.
    pub fn apply(self, p: DVec3) -> DVec2 {
        match self {
            Self::AlongX => DVec2::new(p.y, p.z),
            Self::AlongY => DVec2::new(p.z, p.x),
            Self::AlongZ => DVec2::new(p.x, p.y),
        }
    }

    /// Which way the projected `a → b → c` turns.
    pub fn turn(self, a: DVec3, b: DVec3, c: DVec3) -> Sign {
        orient2d(self.apply(a), self.apply(b), self.apply(c))
    }
}
