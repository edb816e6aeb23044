//! Which triangle each sample sees.
//!
//! Corners are rounded to 1/256 pixel and edges are evaluated in integers, so that triangles
//! that share an edge neither overlap nor leave a gap. The quantity kept in each sample grows
//! towards the viewer and is linear on the screen: inverse depth in a perspective view, height
//! towards the light in a shadow map. Zero means that nothing is there.

use crate::layer::{BAND, Band};
use glam::Vec3;

/// Fixed-point units in a pixel.
const UNITS: i64 = 256;

/// Where the samples are.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    /// Pixels in a row.
    pub width: usize,
    /// Rows of pixels.
    pub height: usize,
    /// Samples along each side of a pixel: 1, or 2 for a rotated grid of four.
    pub per_axis: usize,
}

impl Grid {
    /// Offset of sample (`i`, `j`) of a pixel from its corner. The four samples have four
    /// different x and four different y, which smooths edges close to either axis best.
    fn offset_units(&self, i: usize, j: usize) -> (i64, i64) {
        if self.per_axis == 1 {
            return (UNITS / 2, UNITS / 2);
        }
        let (i, j) = (i as i64, j as i64);
        (
            UNITS / 8 + UNITS / 2 * i + UNITS / 4 * j,
            UNITS / 8 + UNITS / 2 * j + UNITS / 4 * (1 - i),
        )
    }

    /// Pixel position of the sample in column `column` and row `row` of the sample grid.
    pub fn position(&self, column: usize, row: usize) -> (f32, f32) {
        // There are one or two samples to a side: no need to divide.
        let last = self.per_axis - 1;
        let (x, y) = self.offset_units(column & last, row & last);
        let scale = 1.0 / UNITS as f32;
        (
            (column >> last) as f32 + x as f32 * scale,
            (row >> last) as f32 + y as f32 * scale,
        )
    }

    /// Samples in a row of the sample grid.
    pub fn stride(&self) -> usize {
        self.width * self.per_axis
    }
}

/// A line through two corners; not negative on the inner side.
#[derive(Clone, Copy, Debug)]
struct Edge {
    x: i64,
    y: i64,
    constant: i64,
}

impl Edge {
    fn through(p: [i64; 2], q: [i64; 2]) -> Self {
        let (x, y) = (p[1] - q[1], q[0] - p[0]);
        // A sample exactly on the edge belongs to the one of both sides for which this holds.
        let owns = x > 0 || (x == 0 && y > 0);
        Self {
            x,
            y,
            constant: -(x * p[0] + y * p[1]) - i64::from(!owns),
        }
    }

    fn at(&self, x: i64, y: i64) -> i64 {
        self.x * x + self.y * y + self.constant
    }
}

/// A projected triangle.
#[derive(Clone, Copy, Debug)]
pub struct Triangle {
    edges: [Edge; 3],
    /// Nearness at the first corner, and its change for a pixel to the right and down.
    nearness: f32,
    slope: [f32; 2],
    corner: [f32; 2],
    /// Nearness of the farthest and the nearest corner.
    range: [f32; 2],
    /// First and last pixel column and row touched.
    pub columns: [u32; 2],
    pub rows: [u32; 2],
    id: u32,
}

impl Triangle {
    /// `corners` hold pixel x, pixel y and nearness. `None` if no sample can be inside.
    pub fn new(corners: [Vec3; 3], id: u32, grid: &Grid) -> Option<Self> {
        let fixed = |v: f32| (v * UNITS as f32).round() as i64;
        let [a, mut b, mut c] = corners.map(|p| [fixed(p.x), fixed(p.y)]);
        let [na, mut nb, mut nc] = corners.map(|p| p.z);
        let mut area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        if area == 0 {
            return None;
        }
        if area < 0 {
            std::mem::swap(&mut b, &mut c);
            std::mem::swap(&mut nb, &mut nc);
            area = -area;
        }
        let span = |axis: usize, limit: usize| {
            let low = a[axis].min(b[axis]).min(c[axis]).div_euclid(UNITS).max(0);
            let high = a[axis].max(b[axis]).max(c[axis]).div_euclid(UNITS);
            let high = high.min(limit as i64 - 1);
            (low <= high).then_some([low as u32, high as u32])
        };
        let (columns, rows) = (span(0, grid.width)?, span(1, grid.height)?);
        let per_px = UNITS as f64 / area as f64;
        let (db, dc) = (f64::from(nb - na), f64::from(nc - na));
        let delta = |p: [i64; 2], axis: usize| (p[axis] - a[axis]) as f64;
        Some(Self {
            edges: [
                Edge::through(a, b),
                Edge::through(b, c),
                Edge::through(c, a),
            ],
            nearness: na,
            slope: [
                ((db * delta(c, 1) - dc * delta(b, 1)) * per_px) as f32,
                ((dc * delta(b, 0) - db * delta(c, 0)) * per_px) as f32,
            ],
            corner: [a[0], a[1]].map(|v| v as f32 / UNITS as f32),
            range: [na.min(nb).min(nc), na.max(nb).max(nc)],
            columns,
            rows,
            id,
        })
    }

    /// Draws the rows of a band of `grid` that starts at pixel row `first`.
    pub fn draw<const N: usize>(&self, grid: &Grid, first: usize, band: &mut Band) {
        let last = (first + BAND - 1).min(self.rows[1] as usize);
        let [left, right] = self.columns.map(|c| c as usize);
        let samples = self.samples::<N>(grid);
        let step = self.edges.map(|e| e.x * UNITS);
        for row in first.max(self.rows[0] as usize)..=last {
            let corner = Sample {
                edges: self
                    .edges
                    .map(|e| e.at(left as i64 * UNITS, row as i64 * UNITS)),
                nearness: self.nearness
                    + self.slope[0] * (left as f32 - self.corner[0])
                    + self.slope[1] * (row as f32 - self.corner[1]),
            };
            for (j, samples) in samples.iter().enumerate() {
                let start = ((row - first) * N + j) * grid.stride();
                let span = start + left * N..start + (right + 1) * N;
                let nearness = band.nearness[span.clone()].as_chunks_mut().0;
                let ids = band.ids[span].as_chunks_mut().0;
                self.draw_row(samples.map(|s| s.plus(&corner)), step, nearness, ids);
            }
        }
    }

    /// How the samples of a pixel differ from its corner; rows of samples in rows.
    fn samples<const N: usize>(&self, grid: &Grid) -> [[Sample; N]; N] {
        std::array::from_fn(|j| {
            std::array::from_fn(|i| {
                let (dx, dy) = grid.offset_units(i, j);
                Sample {
                    edges: self.edges.map(|e| e.x * dx + e.y * dy),
                    nearness: (self.slope[0] * dx as f32 + self.slope[1] * dy as f32)
                        / UNITS as f32,
                }
            })
        })
    }

    /// Draws a row of samples, given those of its first pixel.
    #[inline]
    fn draw_row<const N: usize>(
        &self,
        mut samples: [Sample; N],
        step: [i64; 3],
        nearness: &mut [[f32; N]],
        ids: &mut [[u32; N]],
    ) {
        for (k, (nearness, ids)) in nearness.iter_mut().zip(ids).enumerate() {
            for i in 0..N {
                let sample = &mut samples[i];
                if sample.edges[0] | sample.edges[1] | sample.edges[2] >= 0 {
                    // A sliver's slope is steep: rounding must not leave its own range.
                    let n = (sample.nearness + k as f32 * self.slope[0])
                        .max(self.range[0])
                        .min(self.range[1]);
                    if n > nearness[i] {
                        nearness[i] = n;
                        ids[i] = self.id;
                    }
                }
                for (value, step) in sample.edges.iter_mut().zip(step) {
                    *value += step;
                }
            }
        }
    }
}

/// Values at a sample, or differences between two places.
#[derive(Clone, Copy)]
struct Sample {
    edges: [i64; 3],
    nearness: f32,
}

impl Sample {
    fn plus(&self, other: &Self) -> Self {
        let [a, b, c] = self.edges;
        let [d, e, f] = other.edges;
        Self {
            edges: [a + d, b + e, c + f],
            nearness: self.nearness + other.nearness,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layer::{FLOOR, Floor, Layer, NOTHING};
    use proptest::prelude::*;

    const GRID: Grid = Grid {
        width: 160,
        height: 120,
        per_axis: 2,
    };

    fn seen(corners: [Vec3; 3]) -> Vec<bool> {
        let mut layer = Layer::new(GRID);
        let triangles: Vec<Triangle> = Triangle::new(corners, 7, &GRID).into_iter().collect();
        layer.draw(&triangles, &Floor::default());
        layer.ids.iter().map(|id| *id == 7).collect()
    }

    #[test]
    fn triangle_covers_its_area() {
        let corners =
            [(7.3, 11.9), (151.2, 30.4), (64.8, 113.7)].map(|(x, y)| Vec3::new(x, y, 1.0));
        let [a, b, c] = corners;
        let exact = 0.5 * (b - a).cross(c - a).length();
        for corners in [[a, b, c], [a, c, b]] {
            let covered = seen(corners).iter().filter(|s| **s).count() as f32 / 4.0;
            assert!((covered / exact - 1.0).abs() < 2e-3, "{covered} vs {exact}");
        }
    }

    #[test]
    fn samples_of_a_pixel_share_no_row_and_no_column() {
        let mut offsets = Vec::new();
        for (i, j) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            offsets.push(GRID.position(2 * 5 + i, 2 * 9 + j));
        }
        offsets.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert_eq!(
            offsets.iter().map(|o| o.0).collect::<Vec<_>>(),
            [5.125, 5.375, 5.625, 5.875]
        );
        offsets.sort_by(|a, b| a.1.total_cmp(&b.1));
        assert_eq!(
            offsets.iter().map(|o| o.1).collect::<Vec<_>>(),
            [9.125, 9.375, 9.625, 9.875]
        );
    }

    #[test]
    fn nearness_is_interpolated_and_the_nearest_wins() {
        let corners = [(0.0, 0.0, 1.0), (160.0, 0.0, 2.0), (0.0, 120.0, 3.0)].map(Vec3::from);
        let flat = [(0.0, 0.0, 1.5), (160.0, 0.0, 1.5), (0.0, 120.0, 1.5)].map(Vec3::from);
        let triangles =
            [(corners, 0), (flat, 1)].map(|(c, id)| Triangle::new(c, id, &GRID).unwrap());
        for order in [triangles, [triangles[1], triangles[0]]] {
            let mut layer = Layer::new(GRID);
            layer.draw(&order, &Floor::default());
            for row in 0..2 * GRID.height {
                for column in 0..GRID.stride() {
                    let (x, y) = GRID.position(column, row);
                    let at = row * GRID.stride() + column;
                    let expected = 1.0 + x / 160.0 + 2.0 * y / 120.0;
                    if x / 160.0 + y / 120.0 > 0.999 || (expected - 1.5).abs() < 1e-3 {
                        continue;
                    }
                    assert_eq!(layer.ids[at], u32::from(expected < 1.5));
                    assert!((layer.nearness[at] - expected.max(1.5)).abs() < 1e-4);
                }
            }
        }
    }

    #[test]
    fn the_floor_is_seen_where_it_is_in_front() {
        let mut layer = Layer::new(GRID);
        let floor = Floor {
            nearness: [-60.0, 0.0, 1.0],
        };
        layer.draw(&[], &floor);
        for (at, id) in layer.ids.iter().enumerate() {
            let (_, y) = GRID.position(at % GRID.stride(), at / GRID.stride());
            assert_eq!(*id, if y > 60.0 { FLOOR } else { NOTHING });
        }
    }

    proptest! {
        /// Triangles around a common point cover each sample inside once: no gap, no overlap.
        #[test]
        fn shared_edges_are_owned_once(
            // Multiples of an eighth put many samples exactly on edges.
            middle in (16..144i32, 16..104i32),
            rim in prop::collection::vec(0..800i32, 3..7),
        ) {
            let corner = |t: i32| match t {
                t if t < 200 => (t as f32 * 0.8, 0.0),
                t if t < 400 => (160.0, (t - 200) as f32 * 0.6),
                t if t < 600 => (160.0 - (t - 400) as f32 * 0.8, 120.0),
                t => (0.0, 120.0 - (t - 600) as f32 * 0.6),
            };
            let mut rim = rim;
            rim.extend([0, 200, 400, 600]);
            rim.sort_unstable();
            rim.dedup();
            let middle = Vec3::new(middle.0 as f32 + 0.125, middle.1 as f32 + 0.375, 1.0);
            let mut owners = vec![0; GRID.stride() * GRID.height * 2];
            for i in 0..rim.len() {
                let [p, q] = [rim[i], rim[(i + 1) % rim.len()]].map(corner);
                let mask = seen([middle, Vec3::new(p.0, p.1, 1.0), Vec3::new(q.0, q.1, 1.0)]);
                for (count, hit) in owners.iter_mut().zip(mask) {
                    *count += i32::from(hit);
                }
            }
            prop_assert!(owners.iter().all(|c| *c == 1));
        }
    }
}
