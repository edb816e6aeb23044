//! Where the unknowns of a model are in the flat slices of integrators.

use glam::DVec3;
use std::ops::Range;

/// Flat coordinates: three of each particle first, then single numbers such as the twists of rods.
///
/// ```
/// use toile_sim::model::Layout;
///
/// let layout = Layout { particles: 2, scalars: 1 };
/// let (positions, scalars) = layout.split(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
/// assert_eq!(positions[1].to_array(), [3.0, 4.0, 5.0]);
/// assert_eq!(scalars, [6.0]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// How many particles there are.
    pub particles: usize,
    /// How many numbers come after their positions: none so far.
    pub scalars: usize,
}

impl Layout {
    /// How many numbers there are in all.
    pub fn coordinates(&self) -> usize {
        3 * self.particles + self.scalars
    }

    /// Where the scalars are.
    pub fn scalar_range(&self) -> Range<usize> {
        3 * self.particles..self.coordinates()
    }

    /// The vectors of the particles, and the scalars behind.
    pub fn split<'a>(&self, flat: &'a [f64]) -> (&'a [DVec3], &'a [f64]) {
        debug_assert_eq!(flat.len(), self.coordinates());
        let (vectors, scalars) = flat.split_at(3 * self.particles);
        (bytemuck::cast_slice(vectors), scalars)
    }

    /// The same, to be changed.
    pub fn split_mut<'a>(&self, flat: &'a mut [f64]) -> (&'a mut [DVec3], &'a mut [f64]) {
        debug_assert_eq!(flat.len(), self.coordinates());
        let (vectors, scalars) = flat.split_at_mut(3 * self.particles);
        (bytemuck::cast_slice_mut(vectors), scalars)
    }

    /// The vectors of the particles.
    pub fn vectors<'a>(&self, flat: &'a [f64]) -> &'a [DVec3] {
        self.split(flat).0
    }

    /// The same, to be changed.
    pub fn vectors_mut<'a>(&self, flat: &'a mut [f64]) -> &'a mut [DVec3] {
        self.split_mut(flat).0
    }
}
