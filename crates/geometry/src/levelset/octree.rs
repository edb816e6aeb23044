//! The sparse field: small cells where the distance bends, large ones where it does not.
//!
//! A cell keeps 27 values, at its corners and halfway between them, and is quadratic along each axis:
//! where the surface is smooth, one cell does for many of a grid. Cells are divided into eight wherever
//! that would miss the full field by more than a tolerance, which grows with the distance from the
//! surface.
//!
//! Cells of different size meet, and a node of a small one may then lie on the side of a large one
//! without being one of its nodes: it hangs. Its value is not free: it is what the largest cell that
//! touches it says there. So both sides of every face interpolate the same numbers, and the field is
//! continuous up to the rounding of single precision.
//!
//! Verified by: `tests/levelset_octree.rs`.

mod build;

pub use build::Coarsening;

use super::Field;
use super::lattice::Lattice;
use crate::Bounds;
use glam::DVec3;

/// Nodes of a cell, three along each axis, x running fastest.
pub(super) const NODES: usize = 27;
/// Set in a cell's number if it is divided.
pub(super) const DIVIDED: u32 = 1 << 31;

/// Signed distances in cells of many sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct Octree {
    /// Nodes of a grid as fine as the smallest cells are; the largest cells fill it.
    pub(super) finest: Lattice,
    /// The largest cells are 2 to this power cells of the grid wide, the smallest 2.
    pub(super) levels: u32,
    /// The largest cells, then those they are divided into, and so on: the place of the first of its
    /// eight parts among these, with a mark, or that of its values among all.
    pub(super) cells: Vec<u32>,
    /// Of every cell that is not divided.
    pub(super) values: Vec<[f32; NODES]>,
    /// The same for velocities; none for what is still.
    pub(super) velocities: Vec<[[f32; 3]; NODES]>,
}

/// A cell that is not divided.
#[derive(Clone, Copy)]
pub(super) struct Leaf {
    /// Place of its values.
    index: usize,
    level: u32,
}

impl Octree {
    /// Memory it takes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.cells[..])
            + size_of_val(&self.values[..])
            + size_of_val(&self.velocities[..])
            + size_of::<Self>()
    }

    /// Cells that are not divided.
    pub fn leaves(&self) -> usize {
        self.values.len()
    }

    /// Distance of nodes in the smallest cells, m.
    pub fn finest_m(&self) -> f64 {
        self.finest.cell_m
    }

    /// The size of the cell around a point, m.
    pub fn leaf_m(&self, point: DVec3) -> f64 {
        let place = self.finest.place(point);
        let leaf = self.leaf_of(place.cell.to_array());
        self.finest.cell_m * f64::from(1_u32 << leaf.level)
    }

    /// The leaf with a cell of the finest grid in it.
    fn leaf_of(&self, cell: [usize; 3]) -> Leaf {
        let [nx, ny, _] = self.finest.counts().map(|nodes| (nodes - 1) >> self.levels);
        let [i, j, k] = cell.map(|at| at >> self.levels);
        let mut level = self.levels;
        let mut entry = self.cells[i + nx * (j + ny * k)];
        while entry & DIVIDED != 0 {
            level -= 1;
            let [x, y, z] = cell.map(|at| at >> level & 1);
            entry = self.cells[(entry & !DIVIDED) as usize + x + 2 * y + 4 * z];
        }
        Leaf {
            index: entry as usize,
            level,
        }
    }

    /// The leaf around a point, where in it the point is, 0 to 1, and the way from the box to it.
    fn place(&self, point: DVec3) -> (Leaf, DVec3, DVec3) {
        let place = self.finest.place(point);
        let cell = place.cell.to_array();
        let leaf = self.leaf_of(cell);
        let mask = (1_usize << leaf.level) - 1;
        let offset = DVec3::from_array(cell.map(|at| (at & mask) as f64));
        let within = (offset + place.within) / f64::from(1_u32 << leaf.level);
        (leaf, within, place.beyond)
    }
}

/// Quadratic interpolation along each axis.
fn triquadratic(value: impl Fn(usize) -> f64, within: DVec3) -> f64 {
    let [x, y, z] = within.to_array().map(weights);
    let mut sum = 0.0;
    for (k, wz) in z.into_iter().enumerate() {
        for (j, wy) in y.into_iter().enumerate() {
            let first = 3 * j + 9 * k;
            let row = x[0] * value(first) + x[1] * value(first + 1) + x[2] * value(first + 2);
            sum += wy * wz * row;
        }
    }
    sum
}

/// Weights of values at 0, ½ and 1.
fn weights(t: f64) -> [f64; 3] {
    let s = 1.0 - t;
    [s * (s - t), 4.0 * s * t, t * (t - s)]
}

impl Field for Octree {
    fn bounds(&self) -> Bounds {
        self.finest.bounds()
    }

    fn distance_m(&self, point: DVec3) -> f64 {
        let (leaf, within, beyond) = self.place(point);
        let values = &self.values[leaf.index];
        triquadratic(|node| f64::from(values[node]), within) + beyond.length()
    }

    fn velocity(&self, point: DVec3) -> DVec3 {
        if self.velocities.is_empty() {
            return DVec3::ZERO;
        }
        let (leaf, within, _) = self.place(point);
        let values = &self.velocities[leaf.index];
        let along = |axis: usize| triquadratic(|node| f64::from(values[node][axis]), within);
        DVec3::new(along(0), along(1), along(2))
    }

    fn cell_m(&self, _: DVec3) -> f64 {
        self.finest.cell_m
    }
}
