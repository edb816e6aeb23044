//! How vectors over a grid lie in memory.
//!
//! Row after row, and within a row first all x, then all y, then all z, so that eight neighbours
//! of one component are adjacent. A margin of zeros around the grid stands for the neighbours that
//! do not exist; whatever is computed from it stays zero.

/// Numbers handled at once.
pub const LANES: usize = 8;

/// Columns and rows of margin on each side: as far as the longest link reaches.
pub(super) const MARGIN: usize = 2;

/// Columns or rows of the next coarser level: coarse node `a` lies on fine node `2a`, the last one
/// possibly just outside.
pub(super) fn coarsened(count: usize) -> usize {
    count / 2 + 1
}

/// Sizes of a padded grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Columns of the grid.
    pub columns: usize,
    /// Rows of the grid.
    pub rows: usize,
    /// Distance in memory between components of one row.
    pub stride: usize,
}

impl Layout {
    /// The layout of a grid.
    pub fn new(columns: usize, rows: usize) -> Self {
        let padded = columns.next_multiple_of(LANES) + 2 * MARGIN;
        // Eight columns of the next coarser level look at twice as many, from the margin on.
        let looked_at = 2 * LANES * (coarsened(columns) / LANES + 1);
        Self {
            columns,
            rows,
            stride: padded.next_multiple_of(LANES).max(looked_at),
        }
    }

    /// Length of an array with `components` numbers a node.
    pub fn len(&self, components: usize) -> usize {
        (self.rows + 2 * MARGIN) * components * self.stride
    }

    /// Groups of [`LANES`] columns in a row.
    pub(super) fn groups(&self) -> usize {
        self.columns.div_ceil(LANES)
    }

    /// Place of component 0 of a node in an array of `components` numbers a node; the others
    /// follow at multiples of the stride.
    pub fn place(&self, components: usize, column: usize, row: usize) -> usize {
        (row + MARGIN) * components * self.stride + MARGIN + column
    }

    /// Place of component 0 of the node `(du, dv)` away from one, at most two cells each way; it
    /// may lie in the margin.
    pub fn place_from(
        &self,
        components: usize,
        (column, row): (usize, usize),
        (du, dv): (isize, isize),
    ) -> usize {
        let start = self.row_start(components, row, dv) + MARGIN + column;
        (start as isize + du) as usize
    }

    /// Where row `row + down` of an array starts.
    pub(super) fn row_start(&self, components: usize, row: usize, down: isize) -> usize {
        ((row + MARGIN) as isize + down) as usize * components * self.stride
    }

    /// The grid's own rows of an array, without the margin's.
    pub(super) fn body(&self, components: usize) -> std::ops::Range<usize> {
        self.row_start(components, 0, 0)..self.row_start(components, self.rows, 0)
    }
}

/// A row of one component, in groups of lanes.
pub(super) type Row<'a> = &'a [[f32; LANES]];
/// The same, to be written.
pub(super) type RowMut<'a> = &'a mut [[f32; LANES]];

impl Layout {
    /// The components of row `row + dv` of an array with `N` numbers a node, shifted by `du`
    /// columns: as many groups in each as the grid needs.
    #[inline(always)]
    pub(super) fn rows<'a, const N: usize>(
        &self,
        data: &'a [f32],
        row: usize,
        (du, dv): (isize, isize),
    ) -> [Row<'a>; N] {
        let start = self.row_start(N, row, dv) + MARGIN;
        let start = (start as isize + du) as usize;
        let width = self.groups() * LANES;
        std::array::from_fn(|k| {
            let start = start + k * self.stride;
            data[start..start + width].as_chunks().0
        })
    }

    /// All of a row of vectors, margins included.
    pub(super) fn whole_row<'a>(&self, data: &'a [f32], row: usize) -> &'a [f32] {
        &data[self.row_start(3, row, 0)..][..3 * self.stride]
    }

    /// The three components of one row that is to be written.
    #[inline(always)]
    pub(super) fn rows_mut<'a>(&self, row: &'a mut [f32]) -> (RowMut<'a>, RowMut<'a>, RowMut<'a>) {
        let [x, y, z] = self.parts_mut(row);
        (x, y, z)
    }

    /// All components of one row that is to be written.
    #[inline(always)]
    pub(super) fn parts_mut<'a, const N: usize>(&self, row: &'a mut [f32]) -> [RowMut<'a>; N] {
        let width = self.groups() * LANES;
        let mut planes = row.chunks_exact_mut(self.stride);
        std::array::from_fn(|_| {
            let plane = planes.next().unwrap_or_default();
            plane[MARGIN..MARGIN + width].as_chunks_mut().0
        })
    }
}

/// Cuts rows to one known length, which leaves a single bounds check a group.
#[inline(always)]
pub(super) fn cut<'a, const N: usize>(rows: &[Row<'a>; N], groups: usize) -> [Row<'a>; N] {
    std::array::from_fn(|k| &rows[k][..groups])
}
