//! Making a field cover its surface.
//!
//! Between nodes a field is interpolated, and over what bulges the distance is then too large: by `h²/4r`
//! where both radii of curvature are `r`, by a good part of the cell `h` at a sharp edge. What keeps to such a field
//! gets into the surface there. So nodes around places of the surface that the field would have too far outside
//! are lowered by as much. A little is left to the margin that cloth keeps, so that fields of smooth solids stay
//! smooth, and octrees of them small.

use super::lattice::trilinear;
use super::{Grid, Solid};
use glam::DVec3;

/// Distance of the places of the surface that are looked at, in cells, at most.
const SPACING: f64 = 0.5;
/// Places may be this far outside, in cells: half of the tenth that cloth keeps away. The other half is what
/// octrees may miss.
const ALLOWED: f64 = 0.05;
/// More places along a side of a triangle are not looked at.
const MOST: usize = 64;

impl Grid {
    /// The field of `solid`, whose vertices are at `positions`, lowered until no place of the surface that
    /// was looked at is too far outside.
    pub(super) fn covering(mut self, solid: &Solid, positions: &[DVec3]) -> Self {
        let mut lowered = vec![0.0_f32; self.values.len()];
        let spacing_m = SPACING * self.lattice.cell_m();
        for face in solid.faces() {
            let [a, b, c] = face.map(|v| positions[v as usize]);
            let longest_m = a.distance(b).max(b.distance(c)).max(c.distance(a));
            let parts = ((longest_m / spacing_m).ceil() as usize).clamp(1, MOST);
            for i in 0..=parts {
                for j in 0..=parts - i {
                    let [u, v] = [i, j].map(|k| k as f64 / parts as f64);
                    self.lower(&mut lowered, a + u * (b - a) + v * (c - a));
                }
            }
        }
        for (value, by) in self.values.iter_mut().zip(lowered) {
            *value -= by;
        }
        self
    }

    /// Notes how much the nodes around a point of the surface are to be lowered.
    fn lower(&self, lowered: &mut [f32], point: DVec3) {
        let place = self.lattice.place(point);
        let corners = self.corners(place.cell);
        let outside = trilinear(&corners.map(|c| f64::from(self.values[c])), place.within);
        let by = (outside - ALLOWED * self.lattice.cell_m()) as f32;
        for corner in corners {
            lowered[corner] = lowered[corner].max(by);
        }
    }
}
