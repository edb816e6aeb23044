//! Sums of element blocks into the slots of a [`SingleCsr`](crate::single_csr::SingleCsr).
//!
//! Every block of the matrix is the sum of a few blocks of elements. Their places are found once; a
//! slot holds as many layers of places as its fullest lane needs, one place a lane, so that eight rows
//! are summed up side by side and always in the same order.

use crate::block_csr::Pattern;
use crate::csr::Csr;
use crate::single_csr::{FULL, HALF, LANES, across, place_in, single};
use glam::DMat3;
use std::ops::Range;
use wide::{f32x4, f32x8};

/// Set in a place whose block is to be transposed.
const TRANSPOSED: u32 = 1 << 31;

/// Blocks between two particles each. The first is zero, for lanes that have nothing to add.
#[derive(Clone, Debug)]
pub struct Blocks {
    /// Symmetric parts `[xx, xy, xz, yy, yz, zz, 0, 0]`.
    halves: Vec<f32x8>,
    /// What `xy, xz, yz` have more than `yx, zx, zy`, halved; empty if all blocks are symmetric.
    skews: Vec<f32x4>,
}

/// Some of the blocks, to be written: symmetric parts and what else unsymmetric ones have.
pub type BlocksMut<'a> = (&'a mut [f32x8], &'a mut [f32x4]);

impl Blocks {
    /// So many zeros.
    pub fn new(count: usize, symmetric: bool) -> Self {
        Self {
            halves: vec![f32x8::ZERO; count + 1],
            skews: vec![f32x4::ZERO; if symmetric { 0 } else { count + 1 }],
        }
    }

    /// Sets one of them.
    pub fn set(&mut self, block: usize, value: &DMat3) {
        self.halves[block + 1] = half(value);
        if let Some(place) = self.skews.get_mut(block + 1) {
            *place = skew(value);
        }
    }

    /// Symmetric parts `[xx, xy, xz, yy, yz, zz, 0, 0]` of some blocks.
    pub fn halves(&self, blocks: Range<usize>) -> &[f32x8] {
        &self.halves[blocks.start + 1..blocks.end + 1]
    }

    /// Some of them, to be written; the second array is empty if all are symmetric.
    pub fn range_mut(&mut self, blocks: Range<usize>) -> BlocksMut<'_> {
        let range = blocks.start + 1..blocks.end + 1;
        let skews = self.skews.get_mut(range.clone()).unwrap_or_default();
        (&mut self.halves[range], skews)
    }
}

/// The symmetric part of a block.
#[inline]
pub fn half(block: &DMat3) -> f32x8 {
    let mean = |i: usize, j: usize| (0.5 * (block.col(j)[i] + block.col(i)[j])) as f32;
    let upper = [
        mean(0, 0),
        mean(0, 1),
        mean(0, 2),
        mean(1, 1),
        mean(1, 2),
        mean(2, 2),
    ];
    f32x8::from([
        upper[0], upper[1], upper[2], upper[3], upper[4], upper[5], 0.0, 0.0,
    ])
}

/// The rest of it.
#[inline]
pub fn skew(block: &DMat3) -> f32x4 {
    let more = |i: usize, j: usize| (0.5 * (block.col(j)[i] - block.col(i)[j])) as f32;
    f32x4::from([more(0, 1), more(0, 2), more(1, 2), 0.0])
}

/// Which blocks each slot is the sum of.
#[derive(Clone, Debug)]
pub(crate) struct Sources {
    /// First layer of every slot.
    first_layer: Vec<u32>,
    /// A block a lane.
    layers: Vec<[u32; LANES]>,
}

impl Sources {
    /// Of slots that belong to slices as told, and blocks between two particles each.
    pub fn new(pattern: &Pattern, first_slot: &[u32], couplings: &[(u32, [u32; 2])]) -> Self {
        let sources_of = |(block, [a, b]): (u32, [u32; 2])| {
            [(a, b, block + 1), (b, a, (block + 1) | TRANSPOSED)].map(|(row, column, source)| {
                let place = pattern.place(row as usize, column);
                (place.expect("the pattern holds every coupling"), source)
            })
        };
        let all = couplings.iter().copied().flat_map(sources_of);
        let of_place = Csr::from_pairs(pattern.blocks(), all);
        let mut sources = Self {
            first_layer: vec![0],
            layers: Vec::new(),
        };
        for (slice, slots) in first_slot.windows(2).enumerate() {
            for slot in 0..(slots[1] - slots[0]) as usize {
                let of_lane: [&[u32]; LANES] = std::array::from_fn(|lane| {
                    let place = place_in(pattern, LANES * slice + lane, slot);
                    place.map_or(&[][..], |place| of_place.row(place))
                });
                let deepest = of_lane.iter().map(|list| list.len()).max().unwrap_or(0);
                sources.layers.extend(
                    (0..deepest)
                        .map(|layer| of_lane.map(|list| list.get(layer).copied().unwrap_or(0))),
                );
                sources.first_layer.push(sources.layers.len() as u32);
            }
        }
        sources
    }

    fn layers_of(&self, slot: usize) -> &[[u32; LANES]] {
        &self.layers[self.first_layer[slot] as usize..self.first_layer[slot + 1] as usize]
    }

    /// The symmetric part of a slot, entry by entry.
    #[inline(always)]
    fn halves(&self, blocks: &Blocks, slot: usize) -> [f32x8; HALF] {
        let mut rows = [f32x8::ZERO; LANES];
        for layer in self.layers_of(slot) {
            for lane in 0..LANES {
                rows[lane] += blocks.halves[(layer[lane] & !TRANSPOSED) as usize];
            }
        }
        let [xx, xy, xz, yy, yz, zz, ..] = f32x8::transpose(rows);
        [xx, xy, xz, yy, yz, zz]
    }

    #[inline(always)]
    fn skews(&self, blocks: &Blocks, slot: usize) -> [f32x8; 3] {
        let mut rows = [f32x4::ZERO; LANES];
        for layer in self.layers_of(slot) {
            for lane in 0..LANES {
                let skew = blocks.skews[(layer[lane] & !TRANSPOSED) as usize];
                rows[lane] += if layer[lane] & TRANSPOSED == 0 {
                    skew
                } else {
                    -skew
                };
            }
        }
        across(&rows)
    }

    /// Writes the slots of a slice, six entries each; returns its diagonal blocks, which are `own`
    /// less what the others add up to.
    pub fn sum_symmetric(
        &self,
        blocks: &Blocks,
        slots: Range<usize>,
        own: &[[f64; LANES]; HALF],
        entries: &mut [f32x8],
    ) -> [[f64; LANES]; HALF] {
        let (entries, _) = entries.as_chunks_mut::<HALF>();
        let mut diagonal = *own;
        for (entries, slot) in entries.iter_mut().zip(slots).skip(1) {
            *entries = self.halves(blocks, slot);
            subtract(&mut diagonal, entries);
        }
        entries[0] = single(&diagonal);
        diagonal
    }

    /// The same with nine entries each.
    pub fn sum(
        &self,
        blocks: &Blocks,
        slots: Range<usize>,
        own: &[[f64; LANES]; HALF],
        entries: &mut [f32x8],
    ) -> [[f64; LANES]; HALF] {
        let (entries, _) = entries.as_chunks_mut::<FULL>();
        let mut diagonal = *own;
        for (entries, slot) in entries.iter_mut().zip(slots).skip(1) {
            let half = self.halves(blocks, slot);
            subtract(&mut diagonal, &half);
            *entries = whole(half, self.skews(blocks, slot));
        }
        let half = single(&diagonal);
        entries[0] = whole(half, [f32x8::ZERO; 3]);
        diagonal
    }
}

/// Blocks column after column.
#[inline(always)]
fn whole([xx, xy, xz, yy, yz, zz]: [f32x8; HALF], skew: [f32x8; 3]) -> [f32x8; FULL] {
    let [a, b, c] = skew;
    [xx, xy - a, xz - b, xy + a, yy, yz - c, xz + b, yz + c, zz]
}

#[inline(always)]
fn subtract(diagonal: &mut [[f64; LANES]; HALF], blocks: &[f32x8; HALF]) {
    for (diagonal, block) in diagonal.iter_mut().zip(blocks) {
        let block = block.to_array();
        for lane in 0..LANES {
            diagonal[lane] -= f64::from(block[lane]);
        }
    }
}
