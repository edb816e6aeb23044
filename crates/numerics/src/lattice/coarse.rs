//! Coarsening: every other node is kept, values between are interpolated bilinearly.
//!
//! A level's operator is written as anchors (blocks that tie a node to the ground: mass, and links
//! to held nodes) and links to the eight neighbours. Because interpolation reproduces constants,
//! `PᵀAP` has the same form: a link of block `H` whose ends interpolate from the corners `a` of a
//! coarse cell with weights `w` gives coarse links `−δ_a δ_b H`, `δ_a = w_a(end) − w_a(start)`,
//! and an anchor `B` gives anchors `w_a B` and links `−w_a w_b B`. Every fine link lies inside one
//! coarse cell, so one cell gathers all it needs.

use super::symmetric::{self, Symmetric};
use crate::par;

/// Directions of a level's links, in columns and rows.
pub(super) const DIRECTIONS: [(isize, isize); 4] = [(1, 0), (0, 1), (1, 1), (-1, 1)];

/// A level's operator, node after node, with one ring of zeros around the grid.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    pub columns: usize,
    pub rows: usize,
    /// Of each node: its anchor, and its links in the four directions.
    nodes: Vec<[Symmetric; 5]>,
}

impl Blocks {
    pub fn new(columns: usize, rows: usize) -> Self {
        Self {
            columns,
            rows,
            nodes: vec![[[0.0; 8]; 5]; (columns + 2) * (rows + 2)],
        }
    }

    fn at(&self, column: usize, row: usize) -> usize {
        (row + 1) * (self.columns + 2) + column + 1
    }

    /// Anchor and links of a node. Columns and rows are shifted by one, so that the ring is 0.
    fn ringed(&self, column: usize, row: usize) -> &[Symmetric; 5] {
        &self.nodes[row * (self.columns + 2) + column]
    }

    /// The anchor of a node.
    pub fn anchor(&self, column: usize, row: usize) -> &Symmetric {
        &self.nodes[self.at(column, row)][0]
    }

    /// The link leaving a node.
    pub fn link(&self, direction: usize, column: usize, row: usize) -> &Symmetric {
        &self.nodes[self.at(column, row)][1 + direction]
    }

    /// Rewrites every node from its column and row.
    pub fn fill(&mut self, f: &(impl Fn(usize, usize) -> [Symmetric; 5] + Sync)) {
        let (columns, width) = (self.columns, self.columns + 2);
        let start = width;
        let end = start + self.rows * width;
        par::for_each_row(
            &mut self.nodes[start..end],
            width,
            ROW_GRAIN,
            &|row, nodes| {
                for column in 0..columns {
                    nodes[column + 1] = f(column, row);
                }
            },
        );
    }
}

/// Rows one task coarsens.
const ROW_GRAIN: usize = 8;

/// Columns or rows of the next coarser level: coarse node `a` lies on fine node `2a`, the last one
/// possibly just outside.
pub(super) fn coarsened(count: usize) -> usize {
    count / 2 + 1
}

/// The six pairs of corners of a cell, corners numbered (0,0), (1,0), (0,1), (1,1).
const PAIRS: [(usize, usize); 6] = [(0, 1), (0, 2), (1, 3), (2, 3), (0, 3), (1, 2)];
const BOTTOM: usize = 0;
const LEFT: usize = 1;
const RIGHT: usize = 2;
const TOP: usize = 3;
const DIAGONAL: usize = 4;
const ANTIDIAGONAL: usize = 5;

/// Weight of each corner at fine place `(u, v)` of a cell, 0 to 2 along each side.
const fn weights(u: usize, v: usize) -> [f32; 4] {
    let (x, y) = (0.5 * u as f32, 0.5 * v as f32);
    [(1.0 - x) * (1.0 - y), x * (1.0 - y), (1.0 - x) * y, x * y]
}

/// A fine link inside a coarse cell: where it starts, its direction, and its share in each pair.
#[derive(Clone, Copy)]
struct Inside {
    u: usize,
    v: usize,
    direction: usize,
    share: [f32; 6],
}

const fn inside(u: usize, v: usize, direction: usize) -> Inside {
    let (du, dv) = DIRECTIONS[direction];
    let from = weights(u, v);
    let to = weights((u as isize + du) as usize, (v as isize + dv) as usize);
    let mut share = [0.0; 6];
    let mut k = 0;
    while k < 6 {
        let (a, b) = PAIRS[k];
        share[k] = -(to[a] - from[a]) * (to[b] - from[b]);
        k += 1;
    }
    Inside {
        u,
        v,
        direction,
        share,
    }
}

/// The sixteen links a cell owns: those on its bottom and left sides and in its inside.
const LINKS: [Inside; 16] = [
    inside(0, 0, 0),
    inside(1, 0, 0),
    inside(0, 1, 0),
    inside(1, 1, 0),
    inside(0, 0, 1),
    inside(1, 0, 1),
    inside(0, 1, 1),
    inside(1, 1, 1),
    inside(0, 0, 2),
    inside(1, 0, 2),
    inside(0, 1, 2),
    inside(1, 1, 2),
    inside(1, 0, 3),
    inside(2, 0, 3),
    inside(1, 1, 3),
    inside(2, 1, 3),
];

/// The coarse level of `fine`, into `coarse` and using `cells` as scratch.
pub(super) fn coarsen(fine: &Blocks, cells: &mut Vec<[Symmetric; 6]>, coarse: &mut Blocks) {
    let width = coarse.columns + 1;
    // Cell (C, R) has its low corner at coarse node (C − 1, R − 1), so that each node finds the
    // four cells around it.
    cells.resize(width * (coarse.rows + 1), [[0.0; 8]; 6]);
    par::for_each_row(cells, width, ROW_GRAIN, &|row, cells| {
        for (column, cell) in cells.iter_mut().enumerate() {
            *cell = pairs_of_cell(fine, column, row);
        }
    });
    let cell = |column: usize, row: usize| &cells[row * width + column];
    coarse.fill(&|column, row| {
        // (column, row) as a node is the high corner of cell (column, row).
        let own = cell(column + 1, row + 1);
        let (below, before) = (cell(column + 1, row), cell(column, row + 1));
        let mut node = [[0.0; 8]; 5];
        node[0] = anchor(fine, column, row);
        symmetric::add(&mut node[1], 1.0, &own[BOTTOM]);
        symmetric::add(&mut node[1], 1.0, &below[TOP]);
        symmetric::add(&mut node[2], 1.0, &own[LEFT]);
        symmetric::add(&mut node[2], 1.0, &before[RIGHT]);
        node[3] = own[DIAGONAL];
        node[4] = before[ANTIDIAGONAL];
        node
    });
}

/// Fine node `2·coarse + offset` in ringed numbering, if it is on the grid or its ring.
fn fine_node(fine: &Blocks, column: isize, row: isize) -> Option<&[Symmetric; 5]> {
    let inside =
        (0..fine.columns as isize).contains(&column) && (0..fine.rows as isize).contains(&row);
    inside.then(|| fine.ringed(column as usize + 1, row as usize + 1))
}

/// Coarse links inside a cell, by pair of corners.
fn pairs_of_cell(fine: &Blocks, column: usize, row: usize) -> [Symmetric; 6] {
    let mut pairs = [[0.0; 8]; 6];
    let (u0, v0) = (2 * column as isize - 2, 2 * row as isize - 2);
    for link in &LINKS {
        let (u, v) = (u0 + link.u as isize, v0 + link.v as isize);
        if let Some(node) = fine_node(fine, u, v) {
            let block = &node[1 + link.direction];
            for (pair, share) in pairs.iter_mut().zip(link.share) {
                symmetric::add(pair, share, block);
            }
        }
    }
    // Anchors between two corners, and in the middle between four.
    if let Some(node) = fine_node(fine, u0 + 1, v0) {
        symmetric::add(&mut pairs[BOTTOM], -0.25, &node[0]);
    }
    if let Some(node) = fine_node(fine, u0, v0 + 1) {
        symmetric::add(&mut pairs[LEFT], -0.25, &node[0]);
    }
    if let Some(node) = fine_node(fine, u0 + 1, v0 + 1) {
        for pair in &mut pairs {
            symmetric::add(pair, -0.0625, &node[0]);
        }
    }
    pairs
}

fn anchor(fine: &Blocks, column: usize, row: usize) -> Symmetric {
    let mut sum = [0.0; 8];
    for dv in -1..=1_isize {
        for du in -1..=1_isize {
            let node = fine_node(fine, 2 * column as isize + du, 2 * row as isize + dv);
            if let Some(node) = node {
                let weight = (1.0 - 0.5 * du.abs() as f32) * (1.0 - 0.5 * dv.abs() as f32);
                symmetric::add(&mut sum, weight, &node[0]);
            }
        }
    }
    sum
}
