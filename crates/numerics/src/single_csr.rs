//! Block rows in single precision, for the products that an iteration repeats.
//!
//! Rows are taken in slices of eight, a lane each: the k-th blocks of all eight lie together, entry by
//! entry, so that a product loads eight numbers at once and adds them in a fixed order. A row's first
//! block is its diagonal one. Matrices whose blocks are all symmetric keep six entries a block instead
//! of nine; what is multiplied again and again should fit near the processor. Vectors hold four
//! numbers a row, the last always zero.
//!
//! A matrix is a sum of element blocks; [`crate::single_sum`] knows which go where.

use crate::block_csr::Pattern;
use crate::operator::Operator;
use crate::par;
use crate::single_sum::{Blocks, Sources};
use glam::{DMat3, DVec3};
use std::sync::Arc;
use wide::{f32x4, f32x8};

/// Numbers of a row's vector.
pub const STRIDE: usize = 4;
/// Rows of a slice.
pub(crate) const LANES: usize = 8;
/// Entries of a block, column after column.
pub(crate) const FULL: usize = 9;
/// Entries of a symmetric block, by columns of its lower half.
pub(crate) const HALF: usize = 6;
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
    entries: Vec<f32x8>,
    /// Inverses of every slice's diagonal blocks.
    inverse: Vec<[f32x8; HALF]>,
    sources: Sources,
}

/// Where the blocks of a slice's rows lie in a pattern: the diagonal one first. `None` where a row
/// has no further block.
pub(crate) fn place_in(pattern: &Pattern, row: usize, slot: usize) -> Option<usize> {
    if row >= pattern.rows() || slot >= pattern.row(row).len() {
        return None;
    }
    let (first, diagonal) = (pattern.row(row).start, pattern.diagonal(row));
    Some(match slot {
        0 => diagonal,
        // Those before the diagonal move up by one.
        slot if first + slot <= diagonal => first + slot - 1,
        slot => first + slot,
    })
}

impl SingleCsr {
    /// The zero matrix. It will be the sum of blocks between two particles each, given with their
    /// places in [`Blocks`]; `symmetric` if every block is going to be.
    pub fn zeros(pattern: Arc<Pattern>, symmetric: bool, couplings: &[(u32, [u32; 2])]) -> Self {
        let parts = if symmetric { HALF } else { FULL };
        let rows = pattern.rows();
        let mut first_slot = vec![0];
        let mut columns = Vec::new();
        for first_row in (0..rows).step_by(LANES) {
            let lanes: [usize; LANES] = std::array::from_fn(|lane| first_row + lane);
            let existing = lanes.iter().filter(|row| **row < rows);
            let slots = existing.map(|row| pattern.row(*row).len()).max();
            columns.extend((0..slots.unwrap_or(0)).map(|slot| {
                lanes.map(|row| match place_in(&pattern, row, slot) {
                    Some(place) => pattern.column(place),
                    None => row.min(rows - 1) as u32,
                })
            }));
            first_slot.push(columns.len() as u32);
        }
        Self {
            parts,
            sources: Sources::new(&pattern, &first_slot, couplings),
            entries: vec![f32x8::ZERO; parts * columns.len()],
            columns,
            inverse: vec![[f32x8::ZERO; HALF]; first_slot.len() - 1],
            first_slot,
            pattern,
        }
    }

    /// Becomes the sum of the elements' blocks. Elements feel differences alone, so what their blocks
    /// between different particles add up to is missing on the diagonal, beside each row's `own`
    /// block `[xx, xy, xz, yy, yz, zz]`.
    pub fn fill(&mut self, blocks: &Blocks, own: &(impl Fn(usize) -> [f64; HALF] + Sync)) {
        let (rows, parts, sources) = (self.pattern.rows(), self.parts, &self.sources);
        let own_of_slice = |slice: usize| {
            let mut lanes = [[0.0; LANES]; HALF];
            for lane in 0..LANES {
                // Rows past the end have no blocks, and must be invertible.
                let row = LANES * slice + lane;
                let own = if row < rows {
                    own(row)
                } else {
                    [1.0, 0.0, 0.0, 1.0, 0.0, 1.0]
                };
                for (lanes, own) in lanes.iter_mut().zip(own) {
                    lanes[lane] = own;
                }
            }
            lanes
        };
        let first_slot = &*self.first_slot;
        let arrays = (self.entries.as_mut_slice(), self.inverse.as_mut_slice());
        for_each_slice((first_slot, parts), arrays, &|slice, entries, inverse| {
            let own = own_of_slice(slice);
            let slots = first_slot[slice] as usize..first_slot[slice + 1] as usize;
            let diagonal = match parts {
                HALF => sources.sum_symmetric(blocks, slots, &own, entries),
                _ => sources.sum(blocks, slots, &own, entries),
            };
            *inverse = single(&inverse_of(&diagonal));
        });
    }

    /// `z = D⁻¹ r`, D the diagonal blocks, plus `more(row)`.
    pub fn apply_inverse_diagonal(
        &self,
        r: &[f32],
        z: &mut [f32],
        more: &(impl Fn(usize) -> f32x4 + Sync),
    ) {
        let (r, _) = r.as_chunks::<STRIDE>();
        for_each_slice_of_rows(z, &|slice, z| {
            let first = LANES * slice;
            let last = r.len() - 1;
            let [x, y, w] = across(&each_lane(|lane| f32x4::from(r[(first + lane).min(last)])));
            let [xx, xy, xz, yy, yz, zz] = self.inverse[slice];
            let product = along([
                xx * x + xy * y + xz * w,
                xy * x + yy * y + yz * w,
                xz * x + yz * y + zz * w,
            ]);
            for (lane, (z, product)) in z.iter_mut().zip(product).enumerate() {
                *z = (product + more(first + lane)).to_array();
            }
        });
    }

    /// One row of the product with a double-precision vector.
    pub fn row_product(&self, row: usize, x: &[DVec3]) -> DVec3 {
        let (slice, lane) = (row / LANES, row % LANES);
        let first = self.first_slot[slice] as usize;
        let mut sum = DVec3::ZERO;
        for k in 0..self.pattern.row(row).len() {
            let entries = &self.entries[self.parts * (first + k)..][..self.parts];
            let entry = |i: usize| f64::from(entries[i].as_array()[lane]);
            let places: [usize; FULL] = if self.parts == HALF {
                [0, 1, 2, 1, 3, 4, 2, 4, 5]
            } else {
                [0, 1, 2, 3, 4, 5, 6, 7, 8]
            };
            let column = self.columns[first + k][lane] as usize;
            sum += DMat3::from_cols_array(&places.map(entry)) * x[column];
        }
        sum
    }

    /// The product of a slice with `x`.
    #[inline(always)]
    fn multiply<const PARTS: usize>(&self, slice: usize, x: &[[f32; STRIDE]]) -> [f32x8; 3] {
        let slots = self.first_slot[slice] as usize..self.first_slot[slice + 1] as usize;
        let entries = &self.entries[PARTS * slots.start..PARTS * slots.end];
        let (entries, _) = entries.as_chunks::<PARTS>();
        let mut sums = [f32x8::ZERO; 3];
        for (block, columns) in entries.iter().zip(&self.columns[slots]) {
            let there = across(&each_lane(|lane| f32x4::from(x[columns[lane] as usize])));
            for (i, sum) in sums.iter_mut().enumerate() {
                // Places of row i's entries, by column.
                let places = if PARTS == HALF {
                    [[0, 1, 2], [1, 3, 4], [2, 4, 5]][i]
                } else {
                    [i, 3 + i, 6 + i]
                };
                for (place, there) in places.into_iter().zip(there) {
                    *sum = block[place].mul_add(there, *sum);
                }
            }
        }
        sums
    }
}

/// One value a lane. The compiler does not always see through [`std::array::from_fn`].
#[inline(always)]
pub(crate) fn each_lane<T>(of: impl Fn(usize) -> T) -> [T; LANES] {
    [of(0), of(1), of(2), of(3), of(4), of(5), of(6), of(7)]
}

/// Eight rows' vectors, component by component.
#[inline(always)]
pub(crate) fn across(rows: &[f32x4; LANES]) -> [f32x8; 3] {
    let [a, b, c, d, e, f, g, h] = *rows;
    let (low, high) = (
        f32x4::transpose([a, b, c, d]),
        f32x4::transpose([e, f, g, h]),
    );
    bytemuck::cast([[low[0], high[0]], [low[1], high[1]], [low[2], high[2]]])
}

/// Components of eight rows' vectors, row by row.
#[inline(always)]
fn along(components: [f32x8; 3]) -> [f32x4; LANES] {
    let [x, y, z]: [[f32x4; 2]; 3] = bytemuck::cast(components);
    let rows = |k: usize| f32x4::transpose([x[k], y[k], z[k], f32x4::ZERO]);
    bytemuck::cast([rows(0), rows(1)])
}

/// The inverses of positive definite blocks, one a lane.
fn inverse_of(a: &[[f64; LANES]; HALF]) -> [[f64; LANES]; HALF] {
    let mut inverse = [[0.0; LANES]; HALF];
    for k in 0..LANES {
        let [xx, xy, xz, yy, yz, zz] = [a[0][k], a[1][k], a[2][k], a[3][k], a[4][k], a[5][k]];
        let (p, q, r) = (yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy);
        let scale = 1.0 / (xx * p + xy * q + xz * r);
        inverse[0][k] = p * scale;
        inverse[1][k] = q * scale;
        inverse[2][k] = r * scale;
        inverse[3][k] = (xx * zz - xz * xz) * scale;
        inverse[4][k] = (xy * xz - xx * yz) * scale;
        inverse[5][k] = (xx * yy - xy * xy) * scale;
    }
    inverse
}

/// Rounds to single precision.
#[inline(always)]
pub(crate) fn single(lanes: &[[f64; LANES]; HALF]) -> [f32x8; HALF] {
    let [xx, xy, xz, yy, yz, zz] = lanes;
    let rounded = |part: &[f64; LANES]| f32x8::from(each_lane(|lane| part[lane] as f32));
    [
        rounded(xx),
        rounded(xy),
        rounded(xz),
        rounded(yy),
        rounded(yz),
        rounded(zz),
    ]
}

/// Calls `f(slice, its entries, its inverse)` for every slice, in parallel.
fn for_each_slice(
    (first_slot, parts): (&[u32], usize),
    (entries, inverse): (&mut [f32x8], &mut [[f32x8; HALF]]),
    f: &(impl Fn(usize, &mut [f32x8], &mut [f32x8; HALF]) + Sync),
) {
    fn part(
        (first_slot, parts): (&[u32], usize),
        first_slice: usize,
        (mut entries, inverse): (&mut [f32x8], &mut [[f32x8; HALF]]),
        f: &(impl Fn(usize, &mut [f32x8], &mut [f32x8; HALF]) + Sync),
    ) {
        let len = |slices: usize| {
            parts * (first_slot[first_slice + slices] - first_slot[first_slice]) as usize
        };
        if inverse.len() > SLICE_GRAIN && rayon::current_num_threads() > 1 {
            let half = inverse.len() / 2;
            let (low, high) = entries.split_at_mut(len(half));
            let (low_inverse, high_inverse) = inverse.split_at_mut(half);
            let layout = (first_slot, parts);
            rayon::join(
                || part(layout, first_slice, (low, low_inverse), f),
                || part(layout, first_slice + half, (high, high_inverse), f),
            );
            return;
        }
        for (k, inverse) in inverse.iter_mut().enumerate() {
            let (own, rest) = entries.split_at_mut(len(k + 1) - len(k));
            entries = rest;
            f(first_slice + k, own, inverse);
        }
    }
    part((first_slot, parts), 0, (entries, inverse), f);
}

/// Calls `f(slice, its rows' vectors)` for every slice, in parallel.
fn for_each_slice_of_rows(y: &mut [f32], f: &(impl Fn(usize, &mut [[f32; STRIDE]]) + Sync)) {
    let (y, _) = y.as_chunks_mut::<STRIDE>();
    // The last slice may have fewer rows than lanes.
    let whole = y.len() / LANES * LANES;
    let (body, rest) = y.split_at_mut(whole);
    par::for_each_row(body, LANES, SLICE_GRAIN, f);
    if !rest.is_empty() {
        f(whole / LANES, rest);
    }
}

impl Operator<f32> for SingleCsr {
    fn len(&self) -> usize {
        STRIDE * self.pattern.rows()
    }

    fn apply(&self, x: &[f32], y: &mut [f32]) {
        let (x, _) = x.as_chunks::<STRIDE>();
        for_each_slice_of_rows(y, &|slice, y| {
            let sums = match self.parts {
                HALF => self.multiply::<HALF>(slice, x),
                _ => self.multiply::<FULL>(slice, x),
            };
            for (y, sum) in y.iter_mut().zip(along(sums)) {
                *y = sum.to_array();
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks between neighbours, and what each row has of its own.
    fn block(low: usize, high: usize, symmetric: bool) -> DMat3 {
        let skew = if symmetric { 0.0 } else { 0.5 };
        DMat3::from_cols(
            DVec3::new(-1.0, skew, 0.001 * low as f64),
            DVec3::new(-skew, -2.0, 0.3),
            DVec3::new(0.001 * low as f64, 0.3, -1.0 - 0.001 * high as f64),
        )
    }

    const OWN: [f64; HALF] = [0.9, 0.1, 0.0, 0.8, 0.0, 0.7];

    #[test]
    fn products_are_those_of_double_precision() {
        for (rows, symmetric) in [(300, false), (300, true), (301, false), (7, true)] {
            compare(rows, symmetric);
        }
    }

    fn compare(rows: usize, symmetric: bool) {
        // The second of every two neighbours is coupled twice, as by two triangles.
        let pairs = (0..rows as u32 - 3).flat_map(|k| [[k, k + 1], [k + 3, k], [k, k + 3]]);
        let pairs: Vec<[u32; 2]> = pairs.collect();
        let pattern = Arc::new(Pattern::symmetric(rows, pairs.iter().copied()));
        let mut blocks = Blocks::new(pairs.len(), symmetric);
        let mut exact = vec![DMat3::ZERO; pattern.blocks()];
        let own = DMat3::from_cols_array(&[0.9, 0.1, 0.0, 0.1, 0.8, 0.0, 0.0, 0.0, 0.7]);
        for row in 0..rows {
            exact[pattern.diagonal(row)] += own;
        }
        for (k, &[a, b]) in pairs.iter().enumerate() {
            let block = block(a.min(b) as usize, a.max(b) as usize, symmetric);
            blocks.set(k, &block);
            let symmetric_part = 0.5 * (block + block.transpose());
            for (row, column, block) in [(a, b, block), (b, a, block.transpose())] {
                exact[pattern.place(row as usize, column).unwrap()] += block;
                exact[pattern.diagonal(row as usize)] -= symmetric_part;
            }
        }
        let couplings: Vec<_> = (0..).zip(pairs).collect();
        let mut matrix = SingleCsr::zeros(pattern.clone(), symmetric, &couplings);
        matrix.fill(&blocks, &|_| OWN);
        let x: Vec<DVec3> = (0..rows)
            .map(|k| DVec3::new((k as f64).sin(), (2.0 * k as f64).cos(), 0.3))
            .collect();
        let mut single = vec![0.0_f32; STRIDE * rows];
        for (out, x) in single.chunks_exact_mut(STRIDE).zip(&x) {
            out[..3].copy_from_slice(&x.as_vec3().to_array());
        }
        let (mut image, mut inverse) = (vec![1.0; STRIDE * rows], vec![1.0; STRIDE * rows]);
        matrix.apply(&single, &mut image);
        matrix.apply_inverse_diagonal(&single, &mut inverse, &|_| f32x4::ZERO);
        for row in 0..rows {
            let exact_image: DVec3 = pattern
                .row(row)
                .map(|place| exact[place] * x[pattern.column(place) as usize])
                .sum();
            let found = &image[STRIDE * row..][..STRIDE];
            let found_vector = DVec3::new(found[0].into(), found[1].into(), found[2].into());
            assert!(found_vector.distance(exact_image) < 1e-5);
            assert!(matrix.row_product(row, &x).distance(exact_image) < 1e-5);
            assert_eq!(found[3], 0.0);
            let solved = &inverse[STRIDE * row..][..STRIDE];
            let solved = DVec3::new(solved[0].into(), solved[1].into(), solved[2].into());
            assert!((exact[pattern.diagonal(row)] * solved).distance(x[row]) < 1e-5);
        }
    }
}
