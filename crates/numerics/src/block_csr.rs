//! Square sparse matrices of 3×3 blocks with a pattern fixed at build.

use crate::coupled::Coupling;
use crate::csr::Csr;
use crate::operator::Operator;
use crate::par;
use glam::{DMat3, DVec3};
use std::sync::Arc;

/// Which blocks exist: compressed rows with ascending columns, diagonal always present.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    columns: Csr<u32>,
    diagonal: Vec<u32>,
}

impl Pattern {
    /// The symmetric pattern of `rows` rows in which every pair couples both ways.
    pub fn symmetric(rows: usize, pairs: impl IntoIterator<Item = [u32; 2]>) -> Self {
        let mut of_row: Vec<Vec<u32>> = (0..rows as u32).map(|row| vec![row]).collect();
        for [a, b] in pairs {
            of_row[a as usize].push(b);
            of_row[b as usize].push(a);
        }
        for columns in &mut of_row {
            columns.sort_unstable();
            columns.dedup();
        }
        let columns = Csr::from_rows(of_row);
        let diagonal = (0..rows).map(|row| {
            let before = columns.row(row).partition_point(|&c| (c as usize) < row);
            (columns.range(row).start + before) as u32
        });
        Self {
            diagonal: diagonal.collect(),
            columns,
        }
    }

    /// Number of block rows.
    pub fn rows(&self) -> usize {
        self.diagonal.len()
    }

    /// Number of stored blocks.
    pub fn blocks(&self) -> usize {
        self.columns.items().len()
    }

    /// Storage places of a row's blocks.
    pub fn row(&self, row: usize) -> std::ops::Range<usize> {
        self.columns.range(row)
    }

    /// Storage place of block `(row, column)`, if it exists.
    pub fn place(&self, row: usize, column: u32) -> Option<usize> {
        let found = self.columns.row(row).binary_search(&column);
        found.ok().map(|k| self.row(row).start + k)
    }

    /// Storage place of a diagonal block.
    pub fn diagonal(&self, row: usize) -> usize {
        self.diagonal[row] as usize
    }

    /// Columns of all storage places.
    pub fn columns(&self) -> &[u32] {
        self.columns.items()
    }

    /// Column of a storage place.
    pub fn column(&self, place: usize) -> u32 {
        self.columns.items()[place]
    }
}

/// A matrix of 3×3 blocks over a shared [`Pattern`].
#[derive(Clone, Debug)]
pub struct BlockCsr {
    pattern: Arc<Pattern>,
    blocks: Vec<DMat3>,
}

/// Rows one task assembles or multiplies.
const ROW_GRAIN: usize = 128;

impl BlockCsr {
    /// The zero matrix.
    pub fn zeros(pattern: Arc<Pattern>) -> Self {
        let blocks = vec![DMat3::ZERO; pattern.blocks()];
        Self { pattern, blocks }
    }

    /// Its pattern.
    pub fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }

    /// All blocks in storage order.
    pub fn blocks(&self) -> &[DMat3] {
        &self.blocks
    }

    /// A diagonal block.
    pub fn diagonal_block(&self, row: usize) -> DMat3 {
        self.blocks[self.pattern.diagonal(row)]
    }

    /// Lets `f(row, blocks of the row)` rewrite every row, in parallel. A row gathers from its
    /// own list of elements, so the order of additions never depends on the threads.
    pub fn for_each_row(&mut self, f: impl Fn(usize, &mut [DMat3]) + Sync) {
        fn split(
            pattern: &Pattern,
            rows: std::ops::Range<usize>,
            blocks: &mut [DMat3],
            f: &(impl Fn(usize, &mut [DMat3]) + Sync),
        ) {
            if rows.len() <= ROW_GRAIN || rayon::current_num_threads() == 1 {
                let first = pattern.row(rows.start).start;
                for row in rows {
                    let range = pattern.row(row);
                    f(row, &mut blocks[range.start - first..range.end - first]);
                }
                return;
            }
            let at = rows.start + rows.len() / 2;
            let offset = pattern.row(at).start - pattern.row(rows.start).start;
            let (low, high) = blocks.split_at_mut(offset);
            rayon::join(
                || split(pattern, rows.start..at, low, f),
                || split(pattern, at..rows.end, high, f),
            );
        }
        if self.pattern.rows() > 0 {
            split(&self.pattern, 0..self.pattern.rows(), &mut self.blocks, &f);
        }
    }

    /// The same matrix with what these couplings, whose components follow each other, have off the
    /// diagonal; what they have on it is here already.
    pub fn coupled(&self, couplings: &[Coupling<f64>]) -> Self {
        let pattern = &self.pattern;
        let own = (0..pattern.rows()).flat_map(|row| {
            let columns = pattern.columns()[pattern.row(row)].iter();
            columns.map(move |column| [row as u32, *column])
        });
        let added = couplings.iter().flat_map(Coupling::blocks);
        let all = own.filter(|[row, column]| row < column);
        let all = all.chain(added.clone().map(|(pair, _)| pair));
        let mut matrix = Self::zeros(Arc::new(Pattern::symmetric(pattern.rows(), all)));
        for row in 0..pattern.rows() {
            for place in pattern.row(row) {
                matrix.add([row as u32, pattern.column(place)], self.blocks[place]);
            }
        }
        for ([row, column], block) in added {
            matrix.add([row, column], block);
            matrix.add([column, row], block);
        }
        matrix
    }

    /// Adds to a block that the pattern has.
    fn add(&mut self, [row, column]: [u32; 2], block: DMat3) {
        if let Some(place) = self.pattern.place(row as usize, column) {
            self.blocks[place] += block;
        }
    }

    /// The matrix with every entry written out, row after row: for tests and dumps.
    pub fn to_dense(&self) -> Vec<Vec<f64>> {
        let n = self.len();
        let mut dense = vec![vec![0.0; n]; n];
        for row in 0..self.pattern.rows() {
            for place in self.pattern.row(row) {
                let column = self.pattern.column(place) as usize;
                for i in 0..3 {
                    for j in 0..3 {
                        dense[3 * row + i][3 * column + j] = self.blocks[place].col(j)[i];
                    }
                }
            }
        }
        dense
    }
}

impl Operator<f64> for BlockCsr {
    fn len(&self) -> usize {
        3 * self.pattern.rows()
    }

    fn apply(&self, x: &[f64], y: &mut [f64]) {
        let x: &[DVec3] = bytemuck::cast_slice(x);
        let y: &mut [DVec3] = bytemuck::cast_slice_mut(y);
        par::for_each_leaf(y, ROW_GRAIN, |first, leaf| {
            for (k, out) in leaf.iter_mut().enumerate() {
                let range = self.pattern.row(first + k);
                let columns = &self.pattern.columns()[range.clone()];
                let mut sum = DVec3::ZERO;
                for (block, &column) in self.blocks[range].iter().zip(columns) {
                    sum += *block * x[column as usize];
                }
                *out = sum;
            }
        });
    }
}
