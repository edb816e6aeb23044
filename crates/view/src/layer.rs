//! The samples of a picture, drawn in bands of rows.

use crate::raster::{Grid, Triangle};
use crate::span::Span;
use rayon::prelude::*;

/// The sample sees nothing.
pub const NOTHING: u32 = u32::MAX;
/// The sample sees the floor.
pub const FLOOR: u32 = u32::MAX - 1;

/// Rows of pixels that one task draws.
pub const BAND: usize = 16;

/// A few rows of samples.
pub struct Band<'a> {
    pub nearness: &'a mut [f32],
    pub ids: &'a mut [u32],
}

/// What is seen where no triangle is: a plane, whose nearness is linear on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Floor {
    /// Nearness at the corner of the picture, and its change for a pixel to the right and down.
    pub nearness: [f32; 3],
}

/// Samples of a picture.
pub struct Layer {
    pub grid: Grid,
    pub nearness: Vec<f32>,
    pub ids: Vec<u32>,
    /// Triangles that touch each band, in drawing order.
    bins: Vec<Vec<u32>>,
    /// The floor that was last drawn.
    floor: Option<Floor>,
    /// Pixels of each band that triangles may cover; all others show the floor.
    spans: Vec<Span>,
}

impl Layer {
    pub fn new(grid: Grid) -> Self {
        let samples = grid.stride() * grid.height * grid.per_axis;
        let bands = grid.height.div_ceil(BAND);
        Self {
            grid,
            nearness: vec![0.0; samples],
            ids: vec![NOTHING; samples],
            bins: vec![Vec::new(); bands],
            floor: None,
            spans: vec![Span::NONE; bands],
        }
    }

    /// Draws all triangles over the floor. Of equally near ones, the first is seen.
    pub fn draw(&mut self, triangles: &[Triangle], floor: &Floor) {
        let grid = self.grid;
        let dirty: Vec<Span> = if self.floor == Some(*floor) {
            self.spans.clone()
        } else {
            let all = Span {
                start: 0,
                end: grid.width,
            };
            vec![all; self.spans.len()]
        };
        self.floor = Some(*floor);
        self.sort(triangles);
        let size = grid.stride() * grid.per_axis * BAND;
        self.nearness
            .par_chunks_mut(size)
            .zip(self.ids.par_chunks_mut(size))
            .zip(&self.bins)
            .zip(&dirty)
            .enumerate()
            .for_each(|(index, (((nearness, ids), bin), dirty))| {
                let first = index * BAND;
                let mut band = Band { nearness, ids };
                band.clear(&grid, first, floor, *dirty);
                for &t in bin {
                    let triangle = &triangles[t as usize];
                    match grid.per_axis {
                        1 => triangle.draw::<1>(&grid, first, &mut band),
                        _ => triangle.draw::<2>(&grid, first, &mut band),
                    }
                }
            });
    }

    /// Lists the triangles of each band, and the columns they touch.
    fn sort(&mut self, triangles: &[Triangle]) {
        for bin in &mut self.bins {
            bin.clear();
        }
        self.spans.fill(Span::NONE);
        for (index, triangle) in triangles.iter().enumerate() {
            let [top, bottom] = triangle.rows.map(|r| r as usize / BAND);
            let [left, right] = triangle.columns.map(|c| c as usize);
            let columns = Span {
                start: left,
                end: right + 1,
            };
            for band in top..=bottom {
                self.bins[band].push(index as u32);
                self.spans[band] = self.spans[band].union(columns);
            }
        }
    }

    /// Pixels in the rows from `top` to `bottom` that triangles may cover.
    pub fn span(&self, top: usize, bottom: usize) -> Span {
        let bottom = bottom.min(self.grid.height - 1);
        let bands = &self.spans[top / BAND..=bottom / BAND];
        bands.iter().fold(Span::NONE, |all, s| all.union(*s))
    }
}

impl Band<'_> {
    fn clear(&mut self, grid: &Grid, first: usize, floor: &Floor, columns: Span) {
        let [at_corner, per_x, per_y] = floor.nearness;
        let n = grid.per_axis;
        let rows = self.nearness.chunks_mut(grid.stride());
        for (r, (nearness, ids)) in rows.zip(self.ids.chunks_mut(grid.stride())).enumerate() {
            // The floor at the samples of the row's first pixel.
            let start = [0, n - 1].map(|i| {
                let (x, y) = grid.position(i, first * n + r);
                at_corner + per_x * x + per_y * y
            });
            let columns = columns.range();
            let samples = columns.start * n..columns.end * n;
            let nearness = nearness[samples.clone()].chunks_exact_mut(n);
            let ids = ids[samples].chunks_exact_mut(n);
            for (column, (nearness, ids)) in columns.zip(nearness.zip(ids)) {
                let across = per_x * column as f32;
                for (start, (near, id)) in start.iter().zip(nearness.iter_mut().zip(ids)) {
                    let value = start + across;
                    *near = value.max(0.0);
                    *id = if value > 0.0 { FLOOR } else { NOTHING };
                }
            }
        }
    }
}
