//! Axis-aligned boxes.

use glam::DVec3;

/// An axis-aligned box; empty when `min > max` in any axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lowest corner.
    pub min: DVec3,
    /// Highest corner.
    pub max: DVec3,
}

impl Bounds {
    /// Contains nothing; the neutral element of [`Bounds::union`].
    pub const EMPTY: Self = Self {
        min: DVec3::INFINITY,
        max: DVec3::NEG_INFINITY,
    };

    /// The smallest box around `points`.
    pub fn of<'a>(points: impl IntoIterator<Item = &'a DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| b.including(*p))
    }

    /// Grown to include `point`.
    pub fn including(self, point: DVec3) -> Self {
        Self {
            min: self.min.min(point),
            max: self.max.max(point),
        }
    }

    /// The smallest box around both.
    pub fn union(self, other: Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    /// Whether nothing is inside.
    pub fn is_empty(&self) -> bool {
        self.min.cmpgt(self.max).any()
    }

    /// Whether `point` is inside or on the surface.
    pub fn contains(&self, point: DVec3) -> bool {
        self.min.cmple(point).all() && point.cmple(self.max).all()
    }

    /// Middle of the box.
    pub fn center(&self) -> DVec3 {
        0.5 * (self.min + self.max)
    }

    /// Edge lengths.
    pub fn size(&self) -> DVec3 {
        self.max - self.min
    }
}
