//! Boxes in single precision, compared four numbers at a time.

use glam::{DVec3, Vec3A};

/// An axis-aligned box; empty when `min > max` in any axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cuboid {
    pub min: Vec3A,
    pub max: Vec3A,
}

impl Cuboid {
    /// Contains nothing, and overlaps nothing.
    pub const EMPTY: Self = Self {
        min: Vec3A::INFINITY,
        max: Vec3A::NEG_INFINITY,
    };

    /// Around two points and `pad` further. Rounding is monotonic, so boxes that overlap before it
    /// do so after it.
    #[inline]
    pub fn around(p: DVec3, q: DVec3, pad: f64) -> Self {
        Self {
            min: (p.min(q) - pad).as_vec3a(),
            max: (p.max(q) + pad).as_vec3a(),
        }
    }

    /// A single point.
    #[inline]
    pub fn at(p: Vec3A) -> Self {
        Self { min: p, max: p }
    }

    /// The smallest box around both.
    #[inline]
    pub fn union(self, other: Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    /// What it passes through if it moves by any of these ways, or by a part of them.
    #[inline]
    pub fn along(self, ways: Self) -> Self {
        Self {
            min: self.min + ways.min.min(Vec3A::ZERO),
            max: self.max + ways.max.max(Vec3A::ZERO),
        }
    }

    /// All differences of a point of it and one of the other.
    #[inline]
    pub fn minus(self, other: Self) -> Self {
        Self {
            min: self.min - other.max,
            max: self.max - other.min,
        }
    }

    /// Whether they have a point in common.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        (self.min.cmple(other.max) & other.min.cmple(self.max)).all()
    }

    /// Whether it holds all of the other.
    #[inline]
    pub fn contains(&self, other: &Self) -> bool {
        (self.min.cmple(other.min) & other.max.cmple(self.max)).all()
    }
}
