//! The direct solver of the coarsest level.

use super::coarse::{DIRECTIONS, Stencil};
use super::layout::{LANES, Layout};
use super::symmetric::PARTS;

/// Cholesky factor of the coarsest level, within its band; pivots are stored inverted.
#[derive(Clone, Debug, Default)]
pub(super) struct Banded {
    size: usize,
    /// Entries below the diagonal.
    band: usize,
    /// Column `i` holds rows `i` to `i + band`, then zeros: as many as make whole groups of lanes
    /// from wherever one starts.
    columns: Vec<f32>,
    /// Distance between columns.
    stride: usize,
    /// The unknowns, then zeros for the last columns to reach into.
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
        self.stride = (self.band + 1).next_multiple_of(LANES) + LANES;
        self.columns.clear();
        self.columns.resize(self.size * self.stride, 0.0);
        self.solution.resize(self.size + self.stride, 0.0);
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
                    let at = column * self.stride + row - column;
                    self.columns[at] += factor * block[part];
                }
            }
        }
    }

    /// Column by column, each taken out of all later ones: additions that need not wait for each
    /// other, eight at a time.
    fn eliminate(&mut self) {
        let (stride, band) = (self.stride, self.band);
        for i in 0..self.size {
            let (done, later) = self.columns.split_at_mut((i + 1) * stride);
            let column = &mut done[i * stride..];
            // A node without free support has no stiffness and must not move.
            let scale = match column[0] {
                pivot if pivot > 0.0 => 1.0 / pivot.sqrt(),
                _ => 0.0,
            };
            column[0] = scale;
            column[1..=band].iter_mut().for_each(|v| *v *= scale);
            for (k, other) in (1..=band).zip(later.chunks_exact_mut(stride)) {
                subtract_multiple(column[k], &column[k..=band + LANES], other);
            }
        }
    }

    /// `x = A⁻¹ rhs`.
    pub fn solve(&mut self, layout: &Layout, rhs: &[f32], x: &mut [f32]) {
        let Self {
            size,
            band,
            columns,
            stride,
            solution,
            places,
        } = self;
        let place = |i: usize| places[i / 3] + (i % 3) * layout.stride;
        for i in 0..*size {
            solution[i] = rhs[place(i)];
        }
        solution[*size..].fill(0.0);
        for (i, column) in columns.chunks_exact(*stride).enumerate() {
            let value = solution[i] * column[0];
            solution[i] = value;
            subtract_multiple(value, &column[1..*band + LANES], &mut solution[i + 1..]);
        }
        for (i, column) in columns.chunks_exact(*stride).enumerate().rev() {
            let sum = dot(&column[1..*band + LANES], &solution[i + 1..]);
            let value = (solution[i] - sum) * column[0];
            solution[i] = value;
            x[place(i)] = value;
        }
    }
}

/// `b −= factor a`, in as many whole groups as `a` has.
#[inline]
fn subtract_multiple(factor: f32, a: &[f32], b: &mut [f32]) {
    let (a, b) = (a.as_chunks::<LANES>().0, b.as_chunks_mut::<LANES>().0);
    for (a, b) in a.iter().zip(b) {
        for k in 0..LANES {
            b[k] = a[k].mul_add(-factor, b[k]);
        }
    }
}

/// `aᵀb`, in as many whole groups as `a` has.
#[inline]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (a, b) = (a.as_chunks::<LANES>().0, b.as_chunks::<LANES>().0);
    let mut lanes = [0.0_f32; LANES];
    for (a, b) in a.iter().zip(b) {
        for k in 0..LANES {
            lanes[k] = a[k].mul_add(b[k], lanes[k]);
        }
    }
    let half: [f32; 4] = std::array::from_fn(|k| lanes[k] + lanes[k + 4]);
    (half[0] + half[2]) + (half[1] + half[3])
}
