//! The full field: one number a node of a uniform grid.

use super::band::{self, Posed};
use super::lattice::{Lattice, trilinear};
use super::{Field, LevelSetError, Solid, march};
use crate::Bounds;
use glam::DVec3;

/// How a field is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Distance of neighbouring nodes, m.
    pub cell_m: f64,
    /// Distances up to so many cells are exact; the rest is marched. At least 1.
    pub band_cells: f64,
    /// How far around the solid the grid goes, in cells; at least as far as the band.
    pub margin_cells: f64,
    /// Marching ends at this distance, and the field is constant beyond; infinite to go everywhere.
    pub reach_m: f64,
    /// Fields that need more memory than this, while they are made, are refused.
    pub limit_bytes: u64,
}

impl Settings {
    /// Exact within three cells, marched everywhere, and at most 1 GiB.
    pub fn new(cell_m: f64) -> Self {
        Self {
            cell_m,
            band_cells: 3.0,
            margin_cells: 5.0,
            reach_m: f64::INFINITY,
            limit_bytes: 1 << 30,
        }
    }

    /// The nodes of a field around `bounds`, of a solid that moves or not, if it may have as many.
    pub fn lattice(&self, bounds: &Bounds, moves: bool) -> Result<Lattice, LevelSetError> {
        self.validate()?;
        // Value and trial value; the velocity.
        let node_bytes = 8 + if moves { 12 } else { 0 };
        Lattice::around(
            bounds,
            self.margin_cells * self.cell_m,
            self.cell_m,
            (node_bytes, self.limit_bytes),
        )
    }

    fn validate(&self) -> Result<(), LevelSetError> {
        let error = |name, value, expected| {
            Err(LevelSetError::Setting {
                name,
                value,
                expected,
            })
        };
        if !(self.cell_m.is_finite() && self.cell_m > 0.0) {
            return error("cell_m", self.cell_m, "more than 0");
        }
        if !(self.band_cells.is_finite() && self.band_cells >= 1.0) {
            return error("band_cells", self.band_cells, "at least 1");
        }
        if !(self.margin_cells.is_finite() && self.margin_cells >= self.band_cells) {
            return error("margin_cells", self.margin_cells, "at least band_cells");
        }
        if self.reach_m.is_nan() || self.reach_m < self.band_cells * self.cell_m {
            return error("reach_m", self.reach_m, "at least the band's width");
        }
        Ok(())
    }
}

/// Signed distances on a uniform grid, interpolated linearly along each axis in between.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    pub(super) lattice: Lattice,
    pub(super) values: Vec<f32>,
    /// One a node, or none for what is still.
    pub(super) velocities: Vec<[f32; 3]>,
}

impl Grid {
    /// The field of a solid in a pose: where its vertices are, and how fast they move, if they do.
    pub fn build(
        solid: &Solid,
        positions: &[DVec3],
        velocities: Option<&[DVec3]>,
        settings: &Settings,
    ) -> Result<Self, LevelSetError> {
        let positions = solid.extended(positions)?;
        let velocities = velocities.map(|v| solid.extended(v)).transpose()?;
        let lattice = settings.lattice(&Bounds::of(&positions), velocities.is_some())?;
        let posed = Posed {
            positions: &positions,
            velocities: velocities.as_deref(),
            faces: solid.faces(),
        };
        let band_m = settings.band_cells * settings.cell_m;
        let mut band = band::find(&posed, &lattice, band_m);
        // A diagonal of the box is farther than anything in it.
        let reach_m = settings.reach_m.min(lattice.bounds().size().length());
        march::march(&lattice, &mut band.values, &mut band.velocities, reach_m);
        Ok(Self {
            lattice,
            values: band.values,
            velocities: band.velocities,
        })
    }

    /// Its nodes.
    pub fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// Signed distance at a node, m.
    pub fn value_m(&self, node: [usize; 3]) -> f64 {
        f64::from(self.values[self.lattice.index(node)])
    }

    /// Memory it takes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.values[..]) + size_of_val(&self.velocities[..]) + size_of::<Self>()
    }

    /// Places of the corners of a cell among all nodes.
    pub(super) fn corners(&self, cell: glam::USizeVec3) -> [usize; 8] {
        let [nx, ny, _] = self.lattice.counts();
        let first = self.lattice.index(cell.to_array());
        [0, 1, 2, 3, 4, 5, 6, 7].map(|c| first + (c & 1) + nx * (c >> 1 & 1) + nx * ny * (c >> 2))
    }
}

impl Field for Grid {
    fn bounds(&self) -> Bounds {
        self.lattice.bounds()
    }

    fn distance_m(&self, point: DVec3) -> f64 {
        let place = self.lattice.place(point);
        let corners = self.corners(place.cell).map(|c| f64::from(self.values[c]));
        trilinear(&corners, place.within) + place.beyond.length()
    }

    fn velocity(&self, point: DVec3) -> DVec3 {
        if self.velocities.is_empty() {
            return DVec3::ZERO;
        }
        let place = self.lattice.place(point);
        let corners = self.corners(place.cell).map(|c| self.velocities[c]);
        DVec3::from_array([0, 1, 2].map(|axis| {
            let of_axis = corners.map(|velocity| f64::from(velocity[axis]));
            trilinear(&of_axis, place.within)
        }))
    }

    fn cell_m(&self, _: DVec3) -> f64 {
        self.lattice.cell_m
    }
}
