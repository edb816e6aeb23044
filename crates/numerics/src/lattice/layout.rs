//! How vectors over a grid lie in memory.
//!
//! Row after row, and within a row first all x, then all y, then all z, so that eight neighbours
//! of one component are adjacent. A margin of zeros around the grid stands for the neighbours that
//! do not exist; whatever is computed from it stays zero.

/// Numbers handled at once.
pub const LANES: usize = 8;

/// Columns and rows of margin on each side: as far as the longest link reaches.
pub(super) const MARGIN: usize = 2;

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
        Self {
            columns,
            rows,
            stride: padded.next_multiple_of(LANES),
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

    /// Where row `row + down` of an array starts.
    pub(super) fn row_start(&self, components: usize, row: usize, down: isize) -> usize {
        ((row + MARGIN) as isize + down) as usize * components * self.stride
    }
}

/// Eight numbers starting at `at`.
#[inline(always)]
pub(super) fn load(data: &[f32], at: usize) -> [f32; LANES] {
    let mut lanes = [0.0; LANES];
    lanes.copy_from_slice(&data[at..at + LANES]);
    lanes
}

/// Writes eight numbers at `at`.
#[inline(always)]
pub(super) fn store(data: &mut [f32], at: usize, lanes: [f32; LANES]) {
    data[at..at + LANES].copy_from_slice(&lanes);
}
