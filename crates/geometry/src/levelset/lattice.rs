//! Nodes of a uniform grid, at whole multiples of the cell size in the world.
//!
//! Grids of one cell size thus share their nodes wherever they overlap, in whatever pose they were
//! made: fields of a moving body can be compared and mixed.

use super::LevelSetError;
use crate::Bounds;
use glam::{DVec3, USizeVec3};

/// A box of nodes, x running fastest, then y, then z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lattice {
    /// The lowest node, in cells from the origin of the world.
    pub(super) first: [i32; 3],
    /// Nodes along each axis, at least 2.
    pub(super) counts: [u32; 3],
    /// Distance of neighbours, m.
    pub(super) cell_m: f64,
}

/// A point in its cell.
pub(super) struct Place {
    /// The cell's lowest node.
    pub cell: USizeVec3,
    /// From that node, in cells, 0 to 1.
    pub within: DVec3,
    /// From the nearest point of the lattice's box to the point; zero within the box.
    pub beyond: DVec3,
}

impl Lattice {
    /// Covers `bounds` and `margin_m` around them, if that takes no more than `limit_bytes` at
    /// `node_bytes` a node.
    pub(super) fn around(
        bounds: &Bounds,
        margin_m: f64,
        cell_m: f64,
        (node_bytes, limit_bytes): (usize, u64),
    ) -> Result<Self, LevelSetError> {
        let low = ((bounds.min - margin_m) / cell_m).floor();
        let high = ((bounds.max + margin_m) / cell_m).ceil().max(low + 1.0);
        let counts = (high - low)
            .to_array()
            .map(|cells| (cells as u128).saturating_add(1));
        let nodes = counts.iter().fold(1_u128, |n, &c| n.saturating_mul(c));
        let bytes = nodes.saturating_mul(node_bytes as u128);
        let reachable = low.abs().max(high.abs()).max_element() < f64::from(1 << 30);
        if !reachable || bytes > u128::from(limit_bytes) || nodes > u128::from(u32::MAX) {
            return Err(LevelSetError::TooLarge {
                nodes,
                cell_m,
                bytes,
                limit_bytes,
            });
        }
        Ok(Self {
            first: low.to_array().map(|x| x as i32),
            counts: counts.map(|c| c as u32),
            cell_m,
        })
    }

    /// Distance of neighbouring nodes, m.
    pub fn cell_m(&self) -> f64 {
        self.cell_m
    }

    /// Nodes along each axis.
    pub fn counts(&self) -> [usize; 3] {
        self.counts.map(|c| c as usize)
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.counts().iter().product()
    }

    /// The box of all nodes.
    pub fn bounds(&self) -> Bounds {
        let last = self.counts().map(|c| c - 1);
        Bounds {
            min: self.position([0; 3]),
            max: self.position(last),
        }
    }

    /// Where a node is, m.
    pub fn position(&self, node: [usize; 3]) -> DVec3 {
        let at = |axis: usize| (i64::from(self.first[axis]) + node[axis] as i64) as f64;
        self.cell_m * DVec3::new(at(0), at(1), at(2))
    }

    /// Place of a node among all.
    pub fn index(&self, [i, j, k]: [usize; 3]) -> usize {
        let [nx, ny, _] = self.counts();
        i + nx * (j + ny * k)
    }

    /// The node at a place among all.
    pub fn node(&self, index: usize) -> [usize; 3] {
        let [nx, ny, _] = self.counts();
        [index % nx, index / nx % ny, index / (nx * ny)]
    }

    /// In cells from the lowest node.
    pub(super) fn in_cells(&self, point: DVec3) -> DVec3 {
        let first = DVec3::from_array(self.first.map(f64::from));
        point / self.cell_m - first
    }

    /// The cell a point is in, or the nearest.
    pub(super) fn place(&self, point: DVec3) -> Place {
        let at = self.in_cells(point);
        let last = DVec3::from_array(self.counts.map(|c| f64::from(c - 1)));
        let near = at.clamp(DVec3::ZERO, last);
        let cell = near.floor().min(last - 1.0);
        Place {
            cell: cell.as_usizevec3(),
            within: near - cell,
            beyond: self.cell_m * (at - near),
        }
    }
}

/// Trilinear interpolation between the corners of a cell, x running fastest.
pub(super) fn trilinear(corners: &[f64; 8], within: DVec3) -> f64 {
    let along = |a: f64, b: f64, t: f64| a + t * (b - a);
    let [x, y, z] = within.to_array();
    let c = corners;
    along(
        along(along(c[0], c[1], x), along(c[2], c[3], x), y),
        along(along(c[4], c[5], x), along(c[6], c[7], x), y),
        z,
    )
}
