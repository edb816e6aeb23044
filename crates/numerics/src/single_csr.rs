//! Block rows in single precision, for the products that an iteration repeats.
//!
//! Rows are taken in slices of eight, a lane each: the k-th blocks of all eight lie together, entry by
//! entry, so that a product loads eight numbers at once and adds them in a fixed order. Matrices whose
//! blocks are all symmetric keep six entries a block instead of nine; what is multiplied again and
//! again should fit near the processor. Vectors hold four numbers a row, the last always zero.

use crate::block_csr::Pattern;
use crate::operator::Operator;
use crate::par;
use glam::{DMat3, DVec3};
use std::ops::Range;
use std::sync::Arc;

/// Numbers of a row's vector.
pub const STRIDE: usize = 4;
/// Rows of a slice.
const LANES: usize = 8;
/// Entries of a block, column after column.
const FULL: usize = 9;
/// Entries of a symmetric block, by columns of its lower half.
const HALF: usize = 6;
/// Slices one task handles.
const SLICE_GRAIN: usize = 16;

/// A symmetric matrix of 3×3 blocks, and the inverses of its diagonal blocks.
#[derive(Clone, Debug)]
pub struct SingleCsr {
    pattern: Arc<Pattern>,
    /// Entries kept of a block.
    parts: usize,
    /// First slot of every slice; a slot holds a block of each of its rows.
    first_slot: Vec<u32>,
    /// Columns of every slot's blocks; of blocks that do not exist, the row itself.
    columns: Vec<[u32; LANES]>,
    /// Entries of every slot, each for all lanes.
    entries: Vec<[f32; LANES]>,
    inverse: Vec<[f32; FULL]>,
}

impl SingleCsr {
    /// The zero matrix; `symmetric` if every block is going to be.
    pub fn zeros(pattern: Arc<Pattern>, symmetric: bool) -> Self {
        let parts = if symmetric { HALF } else { FULL };
        let rows = pattern.rows();
        let mut first_slot = vec![0];
        let mut columns = Vec::new();
        for first_row in (0..rows).step_by(LANES) {
            let last_row = rows - 1;
            let lanes: [usize; LANES] = std::array::from_fn(|lane| first_row + lane);
            let blocks = |row: usize| {
                if row < rows {
                    pattern.row(row).len()
                } else {
                    0
                }
            };
            let slots = lanes.iter().map(|row| blocks(*row)).max().unwrap_or(0);
            columns.extend((0..slots).map(|slot| {
                lanes.map(|row| match slot < blocks(row) {
                    true => pattern.column(pattern.row(row).start + slot),
                    false => row.min(last_row) as u32,
                })
            }));
            first_slot.push(columns.len() as u32);
        }
        Self {
            parts,
            first_slot,
            entries: vec![[0.0; LANES]; parts * columns.len()],
            columns,
            inverse: vec![[0.0; FULL]; rows],
            pattern,
        }
    }

    /// Lets `f(row, blocks of the row)` write every row, in parallel; the blocks start as zero.
    pub fn fill(&mut self, f: &(impl Fn(usize, &mut [DMat3]) + Sync)) {
        let (pattern, parts, first_slot) = (&*self.pattern, self.parts, &*self.first_slot);
        let write = |slices: Range<usize>, entries: &mut [[f32; LANES]], inverse: &mut [_]| {
            let mut scratch = Vec::new();
            let (first, first_row) = (first_slot[slices.start] as usize, LANES * slices.start);
            for (k, inverse) in inverse.iter_mut().enumerate() {
                let row = first_row + k;
                let (slice, lane) = (row / LANES, row % LANES);
                let range = pattern.row(row);
                scratch.clear();
                scratch.resize(range.len(), DMat3::ZERO);
                f(row, &mut scratch);
                let start = parts * (first_slot[slice] as usize - first);
                let slots = entries[start..].chunks_exact_mut(parts);
                for (slot, block) in slots.zip(&scratch) {
                    store(block, slot, lane);
                }
                let diagonal = scratch[pattern.diagonal(row) - range.start];
                *inverse = diagonal.inverse().to_cols_array().map(|value| value as f32);
            }
        };
        let slices = 0..first_slot.len() - 1;
        let arrays = (self.entries.as_mut_slice(), self.inverse.as_mut_slice());
        split((first_slot, parts), slices, arrays, &write);
    }

    /// `z = D⁻¹ r`, D the diagonal blocks.
    pub fn apply_inverse_diagonal(&self, r: &[f32], z: &mut [f32]) {
        par::for_each_row(z, STRIDE, LANES * SLICE_GRAIN, &|row, z| {
            let (inverse, r) = (&self.inverse[row], &r[STRIDE * row..][..3]);
            for (i, z) in z.iter_mut().take(3).enumerate() {
                *z = inverse[i] * r[0] + inverse[3 + i] * r[1] + inverse[6 + i] * r[2];
            }
            z[3] = 0.0;
        });
    }

    /// One row of the product with a double-precision vector.
    pub fn row_product(&self, row: usize, x: &[DVec3]) -> DVec3 {
        let (slice, lane) = (row / LANES, row % LANES);
        let first = self.first_slot[slice] as usize;
        let mut sum = DVec3::ZERO;
        for (k, place) in self.pattern.row(row).enumerate() {
            let entries = &self.entries[self.parts * (first + k)..][..self.parts];
            let entry = |i: usize| f64::from(entries[i][lane]);
            let places: [usize; FULL] = if self.parts == HALF {
                [0, 1, 2, 1, 3, 4, 2, 4, 5]
            } else {
                [0, 1, 2, 3, 4, 5, 6, 7, 8]
            };
            sum +=
                DMat3::from_cols_array(&places.map(entry)) * x[self.pattern.column(place) as usize];
        }
        sum
    }

    /// The products of some slices with `x`.
    #[inline(always)]
    fn multiply<const PARTS: usize>(&self, slice: usize, x: &[[f32; STRIDE]]) -> [[f32; LANES]; 3] {
        let slots = self.first_slot[slice] as usize..self.first_slot[slice + 1] as usize;
        let entries = &self.entries[PARTS * slots.start..PARTS * slots.end];
        let (entries, _) = entries.as_chunks::<PARTS>();
        let mut sums = [[0.0_f32; LANES]; 3];
        for (block, columns) in entries.iter().zip(&self.columns[slots]) {
            let mut there = [[0.0_f32; LANES]; 3];
            for lane in 0..LANES {
                let x = &x[columns[lane] as usize];
                there[0][lane] = x[0];
                there[1][lane] = x[1];
                there[2][lane] = x[2];
            }
            for (i, sum) in sums.iter_mut().enumerate() {
                // Places of row i's entries, by column.
                let places = if PARTS == HALF {
                    [[0, 1, 2], [1, 3, 4], [2, 4, 5]][i]
                } else {
                    [i, 3 + i, 6 + i]
                };
                for (place, there) in places.into_iter().zip(&there) {
                    for lane in 0..LANES {
                        sum[lane] = block[place][lane].mul_add(there[lane], sum[lane]);
                    }
                }
            }
        }
        sums
    }
}

fn store(block: &DMat3, slot: &mut [[f32; LANES]], lane: usize) {
    let full = block.to_cols_array();
    if slot.len() == HALF {
        let [xx, xy, xz, yx, yy, yz, zx, zy, zz] = full;
        let half = [
            xx,
            0.5 * (xy + yx),
            0.5 * (xz + zx),
            yy,
            0.5 * (yz + zy),
            zz,
        ];
        for (entry, value) in slot.iter_mut().zip(half) {
            entry[lane] = value as f32;
        }
    } else {
        for (entry, value) in slot.iter_mut().zip(full) {
            entry[lane] = value as f32;
        }
    }
}

/// Cuts slices, their entries and inverses into tasks.
fn split<E: Send, I: Send>(
    (first_slot, parts): (&[u32], usize),
    slices: Range<usize>,
    (entries, inverse): (&mut [E], &mut [I]),
    f: &(impl Fn(Range<usize>, &mut [E], &mut [I]) + Sync),
) {
    if slices.len() <= SLICE_GRAIN || rayon::current_num_threads() == 1 {
        if !slices.is_empty() {
            f(slices, entries, inverse);
        }
        return;
    }
    let at = slices.start + slices.len() / 2;
    let slots = first_slot[at] - first_slot[slices.start];
    let (low, high) = entries.split_at_mut(parts * slots as usize);
    let (low_inverse, high_inverse) = inverse.split_at_mut(LANES * (at - slices.start));
    let layout = (first_slot, parts);
    rayon::join(
        || split(layout, slices.start..at, (low, low_inverse), f),
        || split(layout, at..slices.end, (high, high_inverse), f),
    );
}

impl Operator<f32> for SingleCsr {
    fn len(&self) -> usize {
        STRIDE * self.pattern.rows()
    }

    fn apply(&self, x: &[f32], y: &mut [f32]) {
        let (x, _) = x.as_chunks::<STRIDE>();
        let (y, _) = y.as_chunks_mut::<STRIDE>();
        // The last slice may have fewer rows than lanes.
        let whole = y.len() / LANES * LANES;
        let (body, rest) = y.split_at_mut(whole);
        let product = |slice: usize, y: &mut [[f32; STRIDE]]| {
            let sums = match self.parts {
                HALF => self.multiply::<HALF>(slice, x),
                _ => self.multiply::<FULL>(slice, x),
            };
            for (lane, y) in y.iter_mut().enumerate() {
                *y = [sums[0][lane], sums[1][lane], sums[2][lane], 0.0];
            }
        };
        par::for_each_row(body, LANES, SLICE_GRAIN, &product);
        if !rest.is_empty() {
            product(whole / LANES, rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(row: usize, column: usize, symmetric: bool) -> DMat3 {
        let (low, high) = (row.min(column) as f64, row.max(column) as f64);
        let skew = match (symmetric, row < column) {
            (true, _) => 0.0,
            (false, true) => 0.5,
            (false, false) => -0.5,
        };
        let off = DMat3::from_cols(
            DVec3::new(-1.0, skew, 0.001 * low),
            DVec3::new(-skew, -2.0, 0.3),
            DVec3::new(0.001 * low, 0.3, -1.0 - 0.001 * high),
        );
        if row == column {
            DMat3::from_diagonal(DVec3::new(9.0, 8.0, 7.0))
        } else {
            off
        }
    }

    #[test]
    fn products_are_those_of_double_precision() {
        for (rows, symmetric) in [(300, false), (300, true), (301, false), (7, true)] {
            compare(rows, symmetric);
        }
    }

    fn compare(rows: usize, symmetric: bool) {
        let pairs = (0..rows as u32 - 3).flat_map(|k| [[k, k + 1], [k, k + 3]]);
        let pattern = Arc::new(Pattern::symmetric(rows, pairs));
        let mut matrix = SingleCsr::zeros(pattern.clone(), symmetric);
        matrix.fill(&|row, blocks| {
            for (place, out) in pattern.row(row).zip(blocks) {
                *out = block(row, pattern.column(place) as usize, symmetric);
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
                    block(row, column, symmetric) * x[column]
                })
                .sum();
            let found = &image[STRIDE * row..][..STRIDE];
            let found_vector = DVec3::new(found[0].into(), found[1].into(), found[2].into());
            assert!(found_vector.distance(exact) < 1e-5);
            assert!(matrix.row_product(row, &x).distance(exact) < 1e-5);
            assert_eq!(found[3], 0.0);
            let solved = &inverse[STRIDE * row..][..STRIDE];
            let solved = DVec3::new(solved[0].into(), solved[1].into(), solved[2].into());
            assert!((block(row, row, symmetric) * solved).distance(x[row]) < 1e-5);
        }
    }
}
