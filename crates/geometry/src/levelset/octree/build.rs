//! From the full field to the sparse one.

use super::{DIVIDED, Leaf, NODES, Octree, triquadratic};
use crate::levelset::lattice::Lattice;
use crate::levelset::{Field, Grid, LevelSetError};
use glam::DVec3;
use rayon::prelude::*;

/// How far a sparse field may be from the full one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coarsening {
    /// Near the surface, m.
    pub tolerance_m: f64,
    /// How far from the surface that is, m.
    pub near_m: f64,
    /// By how much the tolerance grows with the distance beyond, per metre.
    pub growth: f64,
    /// The largest cells are 2 to this power cells of the grid wide; 1 to 6.
    pub levels: u32,
}

impl Coarsening {
    /// For a grid of cells of this size: a hundredth of a cell within two cells of the surface, growing
    /// by a quarter of the distance beyond, in cells of up to 16.
    pub fn new(cell_m: f64) -> Self {
        Self {
            tolerance_m: 0.01 * cell_m,
            near_m: 2.0 * cell_m,
            growth: 0.25,
            levels: 4,
        }
    }

    fn validate(&self) -> Result<(), LevelSetError> {
        let error = |name, value, expected| {
            Err(LevelSetError::Setting {
                name,
                value,
                expected,
            })
        };
        for (name, value) in [
            ("tolerance_m", self.tolerance_m),
            ("near_m", self.near_m),
            ("growth", self.growth),
        ] {
            if !(value.is_finite() && value >= 0.0) {
                return error(name, value, "a number of at least 0");
            }
        }
        if !(1..=6).contains(&self.levels) {
            return error("levels", f64::from(self.levels), "1 to 6");
        }
        Ok(())
    }

    /// What a field may miss where the distance is `distance_m`.
    fn allowed_m(&self, distance_m: f64) -> f64 {
        self.tolerance_m + self.growth * (distance_m.abs() - self.near_m).max(0.0)
    }
}

/// A cell by the node of the finest grid at its lowest corner.
#[derive(Clone, Copy)]
struct Cell {
    corner: [usize; 3],
    level: u32,
}

impl Cell {
    fn part(self, part: usize) -> Self {
        let level = self.level - 1;
        let bit = [part & 1, part >> 1 & 1, part >> 2];
        Self {
            corner: [0, 1, 2].map(|axis| self.corner[axis] + (bit[axis] << level)),
            level,
        }
    }

    /// The node of the finest grid at one of its nodes.
    fn node(self, node: usize) -> [usize; 3] {
        let at = [node % 3, node / 3 % 3, node / 9];
        [0, 1, 2].map(|axis| self.corner[axis] + (at[axis] << (self.level - 1)))
    }
}

/// The full field, continued beyond its box until whole largest cells fill it.
struct Source<'a> {
    grid: &'a Grid,
    finest: Lattice,
}

impl Source<'_> {
    fn value(&self, node: [usize; 3]) -> f64 {
        // Both start at the same node.
        let counts = self.grid.lattice.counts();
        if (0..3).all(|axis| node[axis] < counts[axis]) {
            self.grid.value_m(node)
        } else {
            self.grid.distance_m(self.finest.position(node))
        }
    }

    /// Whether a cell would miss too much.
    fn bends(&self, cell: Cell, coarsening: &Coarsening) -> bool {
        // The smallest have all nodes of the grid.
        if cell.level == 1 {
            return false;
        }
        let values: [f64; NODES] = std::array::from_fn(|node| self.value(cell.node(node)));
        let size = 1_usize << cell.level;
        let mut nodes = (0..=size)
            .flat_map(move |k| (0..=size).flat_map(move |j| (0..=size).map(move |i| [i, j, k])));
        nodes.any(|at| {
            let value = self.value([0, 1, 2].map(|axis| cell.corner[axis] + at[axis]));
            let within = DVec3::from_array(at.map(|x| x as f64)) / size as f64;
            let miss = (triquadratic(|node| values[node], within) - value).abs();
            miss > coarsening.allowed_m(value)
        })
    }
}

impl Octree {
    /// A sparse field about as near to a full one as the tolerance says: every cell is, before those of
    /// its nodes that hang are made to fit.
    pub fn from_grid(grid: &Grid, coarsening: &Coarsening) -> Result<Self, LevelSetError> {
        coarsening.validate()?;
        let levels = coarsening.levels;
        let roots = grid
            .lattice
            .counts
            .map(|nodes| (nodes - 1).div_ceil(1 << levels));
        let finest = Lattice {
            counts: roots.map(|count| (count << levels) + 1),
            ..grid.lattice
        };
        let source = Source { grid, finest };
        let (cells, layers) = divide(&source, roots, coarsening);
        let mut tree = Self {
            finest,
            levels,
            cells,
            values: Vec::new(),
            velocities: Vec::new(),
        };
        // Larger cells first: smaller ones hang on them.
        for leaves in &layers {
            let filled: Vec<_> = leaves
                .par_iter()
                .map(|leaf| tree.fill(&source, *leaf))
                .collect();
            tree.values.extend(filled);
        }
        if !grid.velocities.is_empty() {
            let leaves: Vec<&Cell> = layers.iter().flatten().collect();
            let carried = leaves.par_iter().map(|leaf| velocities(&source, **leaf));
            tree.velocities = carried.collect();
        }
        Ok(tree)
    }

    /// Values of a leaf.
    fn fill(&self, source: &Source, cell: Cell) -> [f32; NODES] {
        std::array::from_fn(|node| {
            let node = cell.node(node);
            let hanging = self.hanging(node, cell.level);
            hanging.unwrap_or_else(|| source.value(node)) as f32
        })
    }

    /// What the largest leaf that touches a node says there, if it is larger than `level`.
    fn hanging(&self, node: [usize; 3], level: u32) -> Option<f64> {
        let counts = self.finest.counts();
        let mut largest: Option<(Leaf, [usize; 3])> = None;
        for octant in 0..8_usize {
            let bit = [octant & 1, octant >> 1 & 1, octant >> 2];
            // The cell on either side along each axis, as far as there is one.
            if (0..3).any(|a| node[a] + bit[a] < 1 || node[a] + bit[a] >= counts[a]) {
                continue;
            }
            let cell = [0, 1, 2].map(|axis| node[axis] + bit[axis] - 1);
            let leaf = self.leaf_of(cell);
            if leaf.level > largest.map_or(level, |(best, _)| best.level) {
                largest = Some((leaf, cell));
            }
        }
        let (leaf, cell) = largest?;
        let corner = cell.map(|at| at >> leaf.level << leaf.level);
        let within = [0, 1, 2].map(|axis| (node[axis] - corner[axis]) as f64);
        let within = DVec3::from_array(within) / f64::from(1_u32 << leaf.level);
        let values = &self.values[leaf.index];
        Some(triquadratic(|node| f64::from(values[node]), within))
    }
}

fn velocities(source: &Source, cell: Cell) -> [[f32; 3]; NODES] {
    std::array::from_fn(|node| {
        let place = source.finest.position(cell.node(node));
        source.grid.velocity(place).as_vec3().to_array()
    })
}

/// Divides cells for as long as they bend too much: their numbers, and the leaves of each size, the
/// largest first, in the order of their values.
fn divide(source: &Source, roots: [u32; 3], coarsening: &Coarsening) -> (Vec<u32>, Vec<Vec<Cell>>) {
    let [nx, ny, nz] = roots.map(|count| count as usize);
    let level = coarsening.levels;
    let root = |index: usize| Cell {
        corner: [index % nx, index / nx % ny, index / (nx * ny)].map(|at| at << level),
        level,
    };
    let mut layer: Vec<Cell> = (0..nx * ny * nz).map(root).collect();
    let (mut cells, mut leaves, mut leaf_count) = (Vec::new(), Vec::new(), 0);
    while !layer.is_empty() {
        let bends: Vec<bool> = (layer.par_iter())
            .map(|cell| source.bends(*cell, coarsening))
            .collect();
        let next_layer = (cells.len() + layer.len()) as u32;
        let (mut parts, mut whole) = (Vec::new(), Vec::new());
        for (cell, bends) in layer.iter().zip(bends) {
            if bends {
                cells.push(DIVIDED | (next_layer + parts.len() as u32));
                parts.extend((0..8).map(|part| cell.part(part)));
            } else {
                cells.push(leaf_count);
                leaf_count += 1;
                whole.push(*cell);
            }
        }
        leaves.push(whole);
        layer = parts;
    }
    (cells, leaves)
}
