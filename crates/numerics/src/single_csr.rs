//! Block rows in single precision, for the products that an iteration repeats.
//!
//! Vectors hold four numbers a row, the last always zero, so that a column of a block is multiplied
//! at once.

use crate::block_csr::Pattern;
use crate::operator::Operator;
use crate::par;
use glam::{DMat3, DVec3};
use std::sync::Arc;

/// Numbers of a row's vector.
pub const STRIDE: usize = 4;
/// Numbers of a block, column after column.
const BLOCK: usize = 9;
/// Rows one task handles.
const ROW_GRAIN: usize = 128;

/// A symmetric matrix of 3×3 blocks, and the inverses of its diagonal blocks.
#[derive(Clone, Debug)]
pub struct SingleCsr {
    pattern: Arc<Pattern>,
    /// With as much room at the end as reading a column by fours needs.
    blocks: Vec<f32>,
    inverse: Vec<[f32; BLOCK + 3]>,
    longest_row: usize,
}

impl SingleCsr {
    /// The zero matrix.
    pub fn zeros(pattern: Arc<Pattern>) -> Self {
        let rows = 0..pattern.rows();
        Self {
            blocks: vec![0.0; BLOCK * pattern.blocks() + STRIDE],
            inverse: vec![[0.0; BLOCK + 3]; pattern.rows()],
            longest_row: rows.map(|row| pattern.row(row).len()).max().unwrap_or(0),
            pattern,
        }
    }

    /// Lets `f(row, blocks of the row)` write every row, in parallel; the blocks start as zero.
    pub fn fill(&mut self, f: &(impl Fn(usize, &mut [DMat3]) + Sync)) {
        let Self {
            pattern,
            blocks,
            inverse,
            longest_row,
        } = self;
        let longest_row = *longest_row;
        split(
            pattern,
            0..pattern.rows(),
            blocks,
            inverse,
            &|rows, out, inverse| {
                let mut scratch = vec![DMat3::ZERO; longest_row];
                let first = pattern.row(rows.start).start;
                for (row, inverse) in rows.zip(inverse) {
                    let range = pattern.row(row);
                    let scratch = &mut scratch[..range.len()];
                    scratch.fill(DMat3::ZERO);
                    f(row, scratch);
                    let out = &mut out[BLOCK * (range.start - first)..][..BLOCK * range.len()];
                    for (out, block) in out.chunks_exact_mut(BLOCK).zip(&*scratch) {
                        store(block, out);
                    }
                    let diagonal = scratch[pattern.diagonal(row) - range.start];
                    store(&diagonal.inverse(), inverse);
                }
            },
        );
    }

    /// `z = D⁻¹ r`, D the diagonal blocks.
    pub fn apply_inverse_diagonal(&self, r: &[f32], z: &mut [f32]) {
        par::for_each_row(z, STRIDE, ROW_GRAIN, &|row, z| {
            let mut sum = [0.0; STRIDE];
            accumulate(&self.inverse[row], &r[STRIDE * row..], &mut sum);
            sum[3] = 0.0;
            z.copy_from_slice(&sum);
        });
    }

    /// One row of the product with a double-precision vector.
    pub fn row_product(&self, row: usize, x: &[DVec3]) -> DVec3 {
        let mut sum = DVec3::ZERO;
        for place in self.pattern.row(row) {
            let x = x[self.pattern.column(place) as usize];
            let block = &self.blocks[BLOCK * place..][..BLOCK];
            for (k, x) in x.to_array().into_iter().enumerate() {
                let column = [0, 1, 2].map(|i| f64::from(block[3 * k + i]));
                sum += x * DVec3::from_array(column);
            }
        }
        sum
    }
}

fn store(block: &DMat3, out: &mut [f32]) {
    for (out, value) in out.iter_mut().zip(block.to_cols_array()) {
        *out = value as f32;
    }
}

/// `sum += B x`; the fourth number of `sum` is of no meaning.
#[inline(always)]
fn accumulate(block: &[f32], x: &[f32], sum: &mut [f32; STRIDE]) {
    for k in 0..3 {
        let (column, x) = (&block[3 * k..3 * k + STRIDE], x[k]);
        for (sum, value) in sum.iter_mut().zip(column) {
            *sum = value.mul_add(x, *sum);
        }
    }
}

/// Cuts rows, their blocks and inverses into tasks.
fn split<I: Send>(
    pattern: &Pattern,
    rows: std::ops::Range<usize>,
    blocks: &mut [f32],
    inverse: &mut [I],
    f: &(impl Fn(std::ops::Range<usize>, &mut [f32], &mut [I]) + Sync),
) {
    if rows.len() <= ROW_GRAIN || rayon::current_num_threads() == 1 {
        f(rows, blocks, inverse);
        return;
    }
    let at = rows.start + rows.len() / 2;
    let offset = BLOCK * (pattern.row(at).start - pattern.row(rows.start).start);
    let (low, high) = blocks.split_at_mut(offset);
    let (low_inverse, high_inverse) = inverse.split_at_mut(at - rows.start);
    rayon::join(
        || split(pattern, rows.start..at, low, low_inverse, f),
        || split(pattern, at..rows.end, high, high_inverse, f),
    );
}

impl Operator<f32> for SingleCsr {
    fn len(&self) -> usize {
        STRIDE * self.pattern.rows()
    }

    fn apply(&self, x: &[f32], y: &mut [f32]) {
        let (x, _) = x.as_chunks::<STRIDE>();
        par::for_each_row(y, STRIDE, ROW_GRAIN, &|row, y| {
            let range = self.pattern.row(row);
            let columns = &self.pattern.columns()[range.clone()];
            // A sum a column of the blocks: one alone would wait for itself.
            let mut sums = [[0.0_f32; STRIDE]; 3];
            let blocks = &self.blocks[BLOCK * range.start..BLOCK * range.end + 1];
            for (k, &column) in columns.iter().enumerate() {
                let x = &x[column as usize];
                let block = &blocks[BLOCK * k..][..BLOCK + 1];
                for (j, sum) in sums.iter_mut().enumerate() {
                    let entries = &block[3 * j..3 * j + STRIDE];
                    for (sum, entry) in sum.iter_mut().zip(entries) {
                        *sum = entry.mul_add(x[j], *sum);
                    }
                }
            }
            let [a, b, c] = sums;
            y.copy_from_slice(&[
                a[0] + b[0] + c[0],
                a[1] + b[1] + c[1],
                a[2] + b[2] + c[2],
                0.0,
            ]);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(row: usize, column: usize) -> DMat3 {
        let (low, high) = (row.min(column) as f64, row.max(column) as f64);
        let skew = if row < column { 0.5 } else { -0.5 };
        let off = DMat3::from_cols(
            DVec3::new(-1.0, skew, 0.1 * low),
            DVec3::new(-skew, -2.0, 0.3),
            DVec3::new(0.1 * low, 0.3, -1.0 - 0.1 * high),
        );
        if row == column {
            DMat3::from_diagonal(DVec3::new(9.0, 8.0, 7.0))
        } else {
            off
        }
    }

    #[test]
    fn products_are_those_of_double_precision() {
        let rows = 300;
        let pairs = (0..rows as u32 - 3).flat_map(|k| [[k, k + 1], [k, k + 3]]);
        let pattern = Arc::new(Pattern::symmetric(rows, pairs));
        let mut matrix = SingleCsr::zeros(pattern.clone());
        matrix.fill(&|row, blocks| {
            for (place, out) in pattern.row(row).zip(blocks) {
                *out = block(row, pattern.column(place) as usize);
            }
        });
        let x: Vec<DVec3> = (0..rows)
            .map(|k| DVec3::new((k as f64).sin(), (2.0 * k as f64).cos(), 0.3))
            .collect();
        let mut single = vec![0.0_f32; STRIDE * rows];
        for (out, x) in single.chunks_exact_mut(STRIDE).zip(&x) {
            out[..3].copy_from_slice(&x.as_vec3().to_array());
        }
        let (mut image, mut inverse) = (vec![1.0; STRIDE * rows], vec![1.0; STRIDE * rows]);
        matrix.apply(&single, &mut image);
        matrix.apply_inverse_diagonal(&single, &mut inverse);
        for row in 0..rows {
            let exact: DVec3 = pattern
                .row(row)
                .map(|place| {
                    let column = pattern.column(place) as usize;
                    block(row, column) * x[column]
                })
                .sum();
            let found = &image[STRIDE * row..][..STRIDE];
            let found_vector = DVec3::new(found[0].into(), found[1].into(), found[2].into());
            assert!(found_vector.distance(exact) < 1e-5);
            assert!(matrix.row_product(row, &x).distance(exact) < 1e-5);
            assert_eq!(found[3], 0.0);
            let solved = &inverse[STRIDE * row..][..STRIDE];
            let solved = DVec3::new(solved[0].into(), solved[1].into(), solved[2].into());
            assert!((block(row, row) * solved).distance(x[row]) < 1e-5);
        }
    }
}
