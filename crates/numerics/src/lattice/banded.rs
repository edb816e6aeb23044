//! The direct solver of the coarsest level.

use super::coarse::{DIRECTIONS, Stencil};
use super::layout::{LANES, Layout};
use super::symmetric::PARTS;

/// Cholesky factor of the coarsest level, within its band; pivots are stored inverted.
#[derive(Clone, Debug, Default)]
pub(super) struct Banded {
    size: usize,
    /// Entries left of the diagonal.
    band: usize,
    /// Row `i` holds columns `i − band` to `i`.
    rows: Vec<f32>,
    solution: Vec<f32>,
    /// Place of each node's first unknown in the level's vectors.
    places: Vec<usize>,
}

impl Banded {
    /// Nodes are numbered along the shorter side: that keeps the band narrow.
    fn node(columns: usize, rows: usize, column: usize, row: usize) -> usize {
        if columns <= rows {
            row * columns + column
        } else {
            column * rows + row
        }
    }

    /// Factors a level's operator.
    pub fn factor(&mut self, level: &Stencil) {
        let layout = level.layout;
        let (columns, rows) = (layout.columns, layout.rows);
        self.size = 3 * columns * rows;
        self.band = 3 * (columns.min(rows) + 1) + 2;
        self.rows.clear();
        self.rows.resize(self.size * (self.band + 1), 0.0);
        self.solution.resize(self.size, 0.0);
        self.places.resize(columns * rows, 0);
        for row in 0..rows {
            for column in 0..columns {
                let i = Self::node(columns, rows, column, row);
                self.places[i] = layout.place(3, column, row);
                self.add(i, i, 1.0, &level.anchor(column, row));
                for (direction, &(du, dv)) in DIRECTIONS.iter().enumerate() {
                    let (u, v) = (column as isize + du, row as isize + dv);
                    if u < 0 || u as usize >= columns || v as usize >= rows {
                        continue;
                    }
                    let j = Self::node(columns, rows, u as usize, v as usize);
                    let link = &level.link(direction, column, row);
                    self.add(i, i, 1.0, link);
                    self.add(j, j, 1.0, link);
                    self.add(i.max(j), i.min(j), -1.0, link);
                }
            }
        }
        self.eliminate();
    }

    /// Adds a block to the lower triangle.
    fn add(&mut self, i: usize, j: usize, factor: f32, block: &[f32; PARTS]) {
        const PLACE: [[usize; 3]; 3] = [[0, 1, 2], [1, 3, 4], [2, 4, 5]];
        for (r, places) in PLACE.iter().enumerate() {
            for (c, &part) in places.iter().enumerate() {
                let (row, column) = (3 * i + r, 3 * j + c);
                if column <= row {
                    let at = row * (self.band + 1) + column + self.band - row;
                    self.rows[at] += factor * block[part];
                }
            }
        }
    }

    fn eliminate(&mut self) {
        let (n, band) = (self.size, self.band);
        let width = band + 1;
        for i in 0..n {
            let (done, rest) = self.rows.split_at_mut(i * width);
            let row = &mut rest[..width];
            for j in i.saturating_sub(band)..i {
                // Columns that both rows hold: from i − band on.
                let other = &done[j * width..(j + 1) * width];
                let at = j + band - i;
                let sum = dot(&row[..at], &other[i - j..band]);
                row[at] = (row[at] - sum) * other[band];
            }
            let pivot = row[band] - dot(&row[..band], &row[..band]);
            // A node without free support has no stiffness and must not move.
            row[band] = if pivot > 0.0 { 1.0 / pivot.sqrt() } else { 0.0 };
        }
    }

    /// `x = A⁻¹ rhs`.
    pub fn solve(&mut self, layout: &Layout, rhs: &[f32], x: &mut [f32]) {
        let (n, band) = (self.size, self.band);
        let width = band + 1;
        let place = |i: usize| self.places[i / 3] + (i % 3) * layout.stride;
        for i in 0..n {
            let row = &self.rows[i * width..(i + 1) * width];
            let before = i.min(band);
            let sum = dot(&row[band - before..band], &self.solution[i - before..i]);
            self.solution[i] = (rhs[place(i)] - sum) * row[band];
        }
        for i in (0..n).rev() {
            let row = &self.rows[i * width..(i + 1) * width];
            let value = self.solution[i] * row[band];
            self.solution[i] = value;
            x[place(i)] = value;
            let before = i.min(band);
            let above = self.solution[i - before..i].iter_mut();
            for (s, l) in above.zip(&row[band - before..band]) {
                *s -= l * value;
            }
        }
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0_f32; LANES];
    let (a_groups, b_groups) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let tail: f32 = a_groups
        .remainder()
        .iter()
        .zip(b_groups.remainder())
        .map(|(x, y)| x * y)
        .sum();
    for (x, y) in a_groups.zip(b_groups) {
        for k in 0..LANES {
            lanes[k] += x[k] * y[k];
        }
    }
    lanes.iter().sum::<f32>() + tail
}
