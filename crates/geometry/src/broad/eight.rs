//! Eight boxes side by side, compared with one box at once.

use super::cuboid::Cuboid;
use glam::Vec3A;
use wide::{f32x8, u32x8};

/// Boxes that are compared at once.
pub(super) const LANES: usize = 8;

/// Eight boxes, coordinate by coordinate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Eight {
    min: [f32x8; 3],
    max: [f32x8; 3],
}

impl Eight {
    #[inline]
    pub fn new(boxes: &[Cuboid; LANES]) -> Self {
        let [mut min, mut max] = [[[0.0; LANES]; 3]; 2];
        for (lane, b) in boxes.iter().enumerate() {
            for axis in 0..3 {
                min[axis][lane] = b.min[axis];
                max[axis][lane] = b.max[axis];
            }
        }
        let side_by_side = |[x, y, z]: [[f32; LANES]; 3]| [x.into(), y.into(), z.into()];
        Self {
            min: side_by_side(min),
            max: side_by_side(max),
        }
    }

    /// The same box eight times.
    #[inline]
    pub fn splat(cuboid: Cuboid) -> Self {
        let lanes = |p: Vec3A| [f32x8::splat(p.x), f32x8::splat(p.y), f32x8::splat(p.z)];
        Self {
            min: lanes(cuboid.min),
            max: lanes(cuboid.max),
        }
    }

    /// One of them.
    #[inline]
    pub fn lane(&self, lane: usize) -> Cuboid {
        let corner = |[x, y, z]: &[f32x8; 3]| {
            Vec3A::new(x.as_array()[lane], y.as_array()[lane], z.as_array()[lane])
        };
        Cuboid {
            min: corner(&self.min),
            max: corner(&self.max),
        }
    }

    /// A bit for each box that has a point in common with the other's of the same lane.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> u32 {
        let along = |axis: usize| {
            self.min[axis].simd_le(other.max[axis]) & other.min[axis].simd_le(self.max[axis])
        };
        (along(0) & along(1) & along(2)).to_bitmask()
    }
}

/// For each set of lanes, their numbers in ascending order.
static CHOSEN: [[u32; LANES]; 1 << LANES] = {
    let mut table = [[0; LANES]; 1 << LANES];
    let mut mask = 0;
    while mask < table.len() {
        let (mut lane, mut place) = (0, 0);
        while lane < LANES {
            if mask >> lane & 1 == 1 {
                table[mask][place] = lane as u32;
                place += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
};

/// Writes the lanes of `mask` into `list` at `end`, and then anything up to eight; returns the new end.
///
/// Without a branch: which boxes overlap is what cannot be predicted here.
#[inline]
pub(super) fn append(list: &mut [u32], end: usize, lanes: [u32; LANES], mask: u32) -> usize {
    let chosen = u32x8::new(CHOSEN[mask as usize & (CHOSEN.len() - 1)]);
    let lanes = u32x8::new(lanes).shuffle(chosen).to_array();
    list[end..end + LANES].copy_from_slice(&lanes);
    end + (mask as u8).count_ones() as usize
}
