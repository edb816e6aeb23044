//! A coarse lattice under an irregular mesh: the levels of a preconditioner whose finest level is
//! not a grid.
//!
//! The mesh fills the cells of the first lattice with what its elements are worth there; the
//! lattices above follow by Galerkin products, as for a grid.

use super::banded::Banded;
use super::coarse::{Cells, Stencil, coarsen};
use super::layout::{Layout, coarsened};
use super::multilevel::{DIRECT_NODES, Level, finish_cycle};
use super::symmetric::PARTS;

/// A symmetric block `[xx, xy, xz, yy, yz, zz]`.
pub type SymmetricBlock = [f32; PARTS];

/// The corners of a cell from its lowest column and row.
pub const CORNERS: [(usize, usize); 4] = [(0, 0), (1, 0), (0, 1), (1, 1)];
/// The links of a cell, by its corners.
pub const CELL_LINKS: [(usize, usize); 6] = [(0, 1), (2, 3), (0, 2), (1, 3), (0, 3), (1, 2)];
/// Direction and lower node of each of them.
const PLACE_OF_LINK: [(usize, (usize, usize)); 6] = [
    (0, (0, 0)),
    (0, (0, 1)),
    (1, (0, 0)),
    (1, (1, 0)),
    (2, (0, 0)),
    (3, (1, 0)),
];

/// What the elements within one cell are worth: links between its corners, and anchors that tie
/// them to the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cell {
    /// In the order of [`CORNERS`].
    pub anchors: [SymmetricBlock; 4],
    /// In the order of [`CELL_LINKS`].
    pub links: [SymmetricBlock; 6],
}

/// The lattices.
#[derive(Clone, Debug)]
pub struct Background {
    levels: Vec<Level>,
    cells: Cells,
    direct: Banded,
}

impl Background {
    /// Lattices of which the finest has so many columns and rows of nodes, at least two each.
    pub fn new(mut columns: usize, mut rows: usize) -> Self {
        let mut levels = vec![Level::new(columns, rows)];
        while columns * rows > DIRECT_NODES && columns.min(rows) > 2 {
            (columns, rows) = (coarsened(columns), coarsened(rows));
            levels.push(Level::new(columns, rows));
        }
        Self {
            levels,
            cells: Cells::default(),
            direct: Banded::default(),
        }
    }

    /// How vectors over the finest lattice lie in memory.
    pub fn layout(&self) -> &Layout {
        &self.levels[0].layout
    }

    /// Rebuilds all lattices from the cells of the finest, row after row, and from a further anchor
    /// of each of its nodes.
    pub fn refresh(&mut self, cells: &[Cell], anchors: &[SymmetricBlock]) {
        let [first, coarser @ ..] = self.levels.as_mut_slice() else {
            return;
        };
        fill(&mut first.stencil, cells, anchors);
        first.refresh_inverse();
        let mut finer = &first.stencil;
        for level in coarser {
            coarsen(finer, &mut self.cells, &mut level.stencil);
            level.refresh_inverse();
            finer = &level.stencil;
        }
        self.direct.factor(finer);
    }

    /// The right-hand side of [`Self::solve`], to be written.
    pub fn rhs_mut(&mut self) -> &mut [f32] {
        &mut self.levels[0].rhs
    }

    /// Solves for the right-hand side approximately, by one cycle over all lattices.
    pub fn solve(&mut self) {
        if let [first, _, ..] = self.levels.as_mut_slice() {
            first.smooth_from_zero();
        }
        finish_cycle(&mut self.levels, &mut self.direct);
    }

    /// The answer of the last [`Self::solve`].
    pub fn answer(&self) -> &[f32] {
        &self.levels[0].x
    }
}

/// Writes cells into planes.
fn fill(stencil: &mut Stencil, cells: &[Cell], anchors: &[SymmetricBlock]) {
    let layout = stencil.layout;
    let (columns, rows) = (layout.columns, layout.rows);
    let add = |planes: &mut [f32], column: usize, row: usize, block: &SymmetricBlock| {
        let place = layout.place(PARTS, column, row);
        for (part, value) in block.iter().enumerate() {
            planes[place + part * layout.stride] += value;
        }
    };
    stencil.anchors.fill(0.0);
    for links in &mut stencil.links {
        links.fill(0.0);
    }
    for row in 0..rows {
        for column in 0..columns {
            add(
                &mut stencil.anchors,
                column,
                row,
                &anchors[row * columns + column],
            );
        }
    }
    for row in 0..rows - 1 {
        for column in 0..columns - 1 {
            let cell = &cells[row * (columns - 1) + column];
            for ((du, dv), anchor) in CORNERS.into_iter().zip(&cell.anchors) {
                add(&mut stencil.anchors, column + du, row + dv, anchor);
            }
            for ((direction, (du, dv)), link) in PLACE_OF_LINK.into_iter().zip(&cell.links) {
                add(&mut stencil.links[direction], column + du, row + dv, link);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::coarse::DIRECTIONS;
    use super::*;

    #[test]
    fn links_of_a_cell_lie_where_their_corners_do() {
        for ((a, b), (direction, from)) in CELL_LINKS.into_iter().zip(PLACE_OF_LINK) {
            let (du, dv) = DIRECTIONS[direction];
            let to = (from.0 as isize + du, from.1 as isize + dv);
            let to = (to.0 as usize, to.1 as usize);
            let ends = [CORNERS[a], CORNERS[b]];
            assert!(ends == [from, to] || ends == [to, from]);
        }
    }

    /// A chain of springs to the ground and to neighbours: a cycle brings most of the answer.
    #[test]
    fn a_cycle_nearly_solves() {
        const SPRING: SymmetricBlock = [1.0, 0.0, 0.0, 1.0, 0.0, 1.0];
        let mut background = Background::new(23, 17);
        let cells = vec![
            Cell {
                links: [SPRING; 6],
                ..Cell::default()
            };
            22 * 16
        ];
        let anchors = vec![[0.01, 0.0, 0.0, 0.01, 0.0, 0.01]; 23 * 17];
        background.refresh(&cells, &anchors);
        let layout = *background.layout();
        let rhs = background.rhs_mut();
        rhs.fill(0.0);
        for row in 0..17 {
            for column in 0..23 {
                rhs[layout.place(3, column, row)] = 1.0;
            }
        }
        // Even load on an evenly anchored lattice: the same everywhere, load over anchor.
        background.solve();
        let x = background.answer();
        let mean: f32 = (0..17)
            .flat_map(|row| (0..23).map(move |column| (column, row)))
            .map(|(column, row)| x[layout.place(3, column, row)])
            .sum::<f32>()
            / (23.0 * 17.0);
        assert!((mean - 100.0).abs() < 15.0, "{mean}");
    }
}
