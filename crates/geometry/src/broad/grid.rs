//! A grid of cells in which every face is registered wherever its box reaches.
//!
//! Cells are not stored; their registrations are, counted into buckets by a hash of the cell. Two
//! faces may share several cells and are reported in the lowest of those alone: the one that holds
//! the lower corner of what their boxes have in common.

use super::cuboid::Cuboid;
use glam::Vec3A;

/// Buckets that are searched in one task.
const BUCKETS_PER_TASK: usize = 2048;
/// Coordinates of cells reach this far from the origin; beyond lie the outermost cells.
const FARTHEST: f32 = (1 << 20) as f32;

/// Faces that reach into more cells are not registered but compared with all others.
const MOST_CELLS: i64 = 512;

/// The registrations of numbered boxes.
#[derive(Clone, Debug, Default)]
pub(super) struct Grid {
    /// Where the registrations of each bucket begin; two more at the end.
    begins: Vec<u32>,
    /// Cell and face, bucket by bucket.
    entries: Vec<(Cell, u32)>,
    /// The lowest cell of each face.
    lowest: Vec<Cell>,
    /// Faces that are not registered, in ascending order.
    large: Vec<u32>,
}

/// Numbers of cells from the origin along the axes.
type Cell = [i32; 3];

/// The edge length of cells that suit these boxes: their mean extent.
pub(super) fn cell_size(boxes: &[&[Cuboid]]) -> f32 {
    let all = || boxes.iter().flat_map(|b| b.iter());
    let sum: f64 = all()
        .map(|b| f64::from((b.max - b.min).max_element()))
        .sum();
    ((sum / all().count().max(1) as f64) as f32).max(f32::MIN_POSITIVE)
}

impl Grid {
    /// Registers all `boxes` in cells of this size.
    pub fn fill(&mut self, boxes: &[Cuboid], size: f32) {
        let buckets = (4 * boxes.len()).next_power_of_two();
        let reaches = |b: &Cuboid| [b.min, b.max].map(|corner| cell(corner, size.recip()));
        self.lowest.clear();
        self.lowest.extend(boxes.iter().map(|b| reaches(b)[0]));
        self.large.clear();
        self.begins.clear();
        self.begins.resize(buckets + 2, 0);
        // Counted two places on: one for the sum of those before, one for the placing below.
        for (f, b) in boxes.iter().enumerate() {
            let reach = reaches(b);
            if count(reach) > MOST_CELLS {
                self.large.push(f as u32);
            } else {
                for_each_cell(reach, |cell| self.begins[bucket(cell, buckets) + 2] += 1);
            }
        }
        for i in 0..buckets {
            self.begins[i + 2] += self.begins[i + 1];
        }
        self.entries.clear();
        let registrations = self.begins[buckets + 1] as usize;
        self.entries.resize(registrations, ([0; 3], 0));
        for (f, b) in boxes.iter().enumerate() {
            let reach = reaches(b);
            if count(reach) <= MOST_CELLS {
                for_each_cell(reach, |cell| {
                    let place = &mut self.begins[bucket(cell, buckets) + 1];
                    self.entries[*place as usize] = (cell, f as u32);
                    *place += 1;
                });
            }
        }
    }

    fn buckets(&self) -> usize {
        self.begins.len() - 2
    }

    fn entries(&self, bucket: usize) -> &[(Cell, u32)] {
        &self.entries[self.begins[bucket] as usize..self.begins[bucket + 1] as usize]
    }

    fn is_large(&self, face: u32) -> bool {
        self.large.binary_search(&face).is_ok()
    }

    /// Ranges of buckets.
    pub fn tasks(&self) -> Vec<[u32; 2]> {
        let end = |begin: usize| (begin + BUCKETS_PER_TASK).min(self.buckets());
        (0..self.buckets())
            .step_by(BUCKETS_PER_TASK)
            .map(|begin| [begin as u32, end(begin) as u32])
            .collect()
    }

    /// Whether `cell` is the lowest that these faces share.
    #[inline]
    fn is_lowest(cell: Cell, a: Cell, b: Cell) -> bool {
        cell == [a[0].max(b[0]), a[1].max(b[1]), a[2].max(b[2])]
    }

    /// Calls `visit` for all pairs of faces with overlapping boxes that belong to these buckets.
    pub fn pairs_in(
        &self,
        [begin, end]: [u32; 2],
        boxes: &[Cuboid],
        visit: &mut impl FnMut(u32, u32),
    ) {
        // Large faces belong to the first buckets.
        let large = if begin == 0 { &self.large[..] } else { &[] };
        for &f in large {
            for g in (0..boxes.len() as u32).filter(|g| *g > f || !self.is_large(*g)) {
                if boxes[f as usize].overlaps(&boxes[g as usize]) {
                    visit(f, g);
                }
            }
        }
        for bucket in begin as usize..end as usize {
            let entries = self.entries(bucket);
            for (i, &(cell, f)) in entries.iter().enumerate() {
                for &(other_cell, g) in &entries[i + 1..] {
                    if cell == other_cell
                        && boxes[f as usize].overlaps(&boxes[g as usize])
                        && Self::is_lowest(cell, self.lowest[f as usize], self.lowest[g as usize])
                    {
                        visit(f, g);
                    }
                }
            }
        }
    }

    /// The same for a face of this grid and a face of `other`, which has cells of the same size.
    pub fn pairs_between(
        &self,
        [begin, end]: [u32; 2],
        other: &Self,
        boxes: [&[Cuboid]; 2],
        visit: &mut impl FnMut(u32, u32),
    ) {
        let overlap = |f: u32, g: u32| boxes[0][f as usize].overlaps(&boxes[1][g as usize]);
        if begin == 0 {
            for &f in &self.large {
                let met = (0..boxes[1].len() as u32).filter(|g| overlap(f, *g));
                met.for_each(|g| visit(f, g));
            }
            for &g in &other.large {
                let met = (0..boxes[0].len() as u32).filter(|f| overlap(*f, g));
                met.filter(|f| !self.is_large(*f)).for_each(|f| visit(f, g));
            }
        }
        for i in begin as usize..end as usize {
            for &(cell, f) in self.entries(i) {
                for &(other_cell, g) in other.entries(bucket(cell, other.buckets())) {
                    if cell == other_cell
                        && overlap(f, g)
                        && Self::is_lowest(cell, self.lowest[f as usize], other.lowest[g as usize])
                    {
                        visit(f, g);
                    }
                }
            }
        }
    }
}

/// The cell that holds `point`. Monotonic in every coordinate, which is all that is needed.
#[inline]
fn cell(point: Vec3A, per_length: f32) -> Cell {
    let scaled = (point * per_length).floor();
    let within = scaled.clamp(Vec3A::splat(-FARTHEST), Vec3A::splat(FARTHEST));
    [within.x as i32, within.y as i32, within.z as i32]
}

/// Number of cells from one to the other, both included.
#[inline]
fn count([low, high]: [Cell; 2]) -> i64 {
    let along = |k: usize| i64::from(high[k] - low[k]) + 1;
    along(0) * along(1) * along(2)
}

#[inline]
fn for_each_cell([low, high]: [Cell; 2], mut f: impl FnMut(Cell)) {
    for x in low[0]..=high[0] {
        for y in low[1]..=high[1] {
            for z in low[2]..=high[2] {
                f([x, y, z]);
            }
        }
    }
}

/// The bucket of a cell; `buckets` is a power of two.
#[inline]
fn bucket(cell: Cell, buckets: usize) -> usize {
    let [x, y, z] = cell.map(|c| c as u32 as u64);
    let mixed = (x.wrapping_mul(0x9e37_79b9_7f4a_7c15))
        ^ (y.wrapping_mul(0xc2b2_ae3d_27d4_eb4f))
        ^ (z.wrapping_mul(0x1656_67b1_9e37_79f9));
    ((mixed ^ (mixed >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & (buckets - 1)
}
