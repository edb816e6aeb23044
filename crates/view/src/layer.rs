//! The samples of a picture, drawn in bands of rows.

use crate::raster::{Grid, Triangle};
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
#[derive(Clone, Copy, Debug, Default)]
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
}

impl Layer {
    pub fn new(grid: Grid) -> Self {
        let samples = grid.stride() * grid.height * grid.per_axis;
        Self {
            grid,
            nearness: vec![0.0; samples],
            ids: vec![NOTHING; samples],
            bins: vec![Vec::new(); grid.height.div_ceil(BAND)],
        }
    }

    /// Draws all triangles over the floor. Of equally near ones, the first is seen.
    pub fn draw(&mut self, triangles: &[Triangle], floor: &Floor) {
        for bin in &mut self.bins {
            bin.clear();
        }
        for (index, triangle) in triangles.iter().enumerate() {
            let [top, bottom] = triangle.rows.map(|r| r as usize / BAND);
            for bin in &mut self.bins[top..=bottom] {
                bin.push(index as u32);
            }
        }
        let grid = self.grid;
        let size = grid.stride() * grid.per_axis * BAND;
        self.nearness
            .par_chunks_mut(size)
            .zip(self.ids.par_chunks_mut(size))
            .zip(&self.bins)
            .enumerate()
            .for_each(|(index, ((nearness, ids), bin))| {
                let first = index * BAND;
                let mut band = Band { nearness, ids };
                band.clear(&grid, first, floor);
                for &t in bin {
                    let triangle = &triangles[t as usize];
                    match grid.per_axis {
                        1 => triangle.draw::<1>(&grid, first, &mut band),
                        _ => triangle.draw::<2>(&grid, first, &mut band),
                    }
                }
            });
    }
}

impl Band<'_> {
    fn clear(&mut self, grid: &Grid, first: usize, floor: &Floor) {
        let [at_corner, per_x, per_y] = floor.nearness;
        let n = grid.per_axis;
        let rows = self.nearness.chunks_mut(grid.stride());
        for (r, (nearness, ids)) in rows.zip(self.ids.chunks_mut(grid.stride())).enumerate() {
            // The floor at the samples of the row's first pixel.
            let start = [0, n - 1].map(|i| {
                let (x, y) = grid.position(i, first * n + r);
                at_corner + per_x * x + per_y * y
            });
            let pixels = nearness.chunks_exact_mut(n).zip(ids.chunks_exact_mut(n));
            for (column, (nearness, ids)) in pixels.enumerate() {
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
