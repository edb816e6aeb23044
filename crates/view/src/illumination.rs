//! How much light reaches each place: the key light and the surroundings.
//!
//! Both are filtered quantities without fine detail of their own, so they are found for one
//! texel of two by two pixels, blurred along surfaces, and spread back to pixels by depth.

use crate::facets::Facets;
use crate::layer::{FLOOR, Layer, NOTHING};
use crate::occlusion::{Depths, Occlusion};
use crate::shadow::ShadowMap;
use crate::view::View;
use glam::{Vec2, Vec3};
use rayon::prelude::*;

/// Pixels along each side of a texel.
const TEXEL: usize = 2;

/// Rows that one task works on.
const ROWS: usize = 8;

/// Weights of the blur. The halves at the ends make it cover exactly one period of the filter
/// patterns, which repeat every four texels.
const BLUR: [f32; 5] = [0.5, 1.0, 1.0, 1.0, 0.5];

pub struct Illumination {
    width: usize,
    height: usize,
    depth_m: Vec<f32>,
    normal: Vec<Vec3>,
    /// Share of the key light, and of the surroundings.
    light: Vec<Vec2>,
    blurred: Vec<Vec2>,
    occlusion: Occlusion,
    first: [f32; 2],
    step: f32,
}

impl Illumination {
    pub fn new(width: usize, height: usize) -> Self {
        let (width, height) = (width.div_ceil(TEXEL), height.div_ceil(TEXEL));
        let texels = width * height;
        Self {
            width,
            height,
            depth_m: vec![f32::INFINITY; texels],
            normal: vec![Vec3::Y; texels],
            light: vec![Vec2::ONE; texels],
            blurred: vec![Vec2::ONE; texels],
            occlusion: Occlusion::new(),
            first: [0.0; 2],
            step: 1.0,
        }
    }

    /// Finds the light at every texel of what `layer` sees.
    pub fn gather(&mut self, view: &View, facets: &Facets, layer: &Layer, shadow: &ShadowMap) {
        self.occlusion.set_focus(view.focus_m);
        self.collect(view, facets, layer);
        let depths = depths(
            self.width,
            self.height,
            &self.depth_m,
            self.first,
            self.step,
        );
        let (width, normal, occlusion) = (self.width, &self.normal, &self.occlusion);
        for_rows(&mut self.light, width, |y, row| {
            for (x, light) in row.iter_mut().enumerate() {
                let n = normal[y * width + x];
                let place = depths.place(x, y);
                *light = if place.z.is_finite() {
                    let turned = view.turn(n);
                    let position =
                        place.x * view.right + place.y * view.up + place.z * view.forward;
                    Vec2::new(
                        shadow.visibility(position, n, (x, y)),
                        occlusion.openness(&depths, x, y, turned),
                    )
                } else {
                    Vec2::ONE
                };
            }
        });
        let turned: Vec<Vec3> = self.normal.par_iter().map(|n| view.turn(*n)).collect();
        blur::<true>(&depths, &turned, &self.light, &mut self.blurred);
        blur::<false>(&depths, &turned, &self.blurred, &mut self.light);
    }

    /// Depth and normal of the sample nearest to the middle of each texel.
    fn collect(&mut self, view: &View, facets: &Facets, layer: &Layer) {
        let (width, n) = (self.width, layer.grid.per_axis);
        // The last sample of a texel's first pixel.
        let sample = move |texel: usize, limit: usize| ((texel * TEXEL).min(limit - 1) + 1) * n - 1;
        let (x0, y0) = layer.grid.position(n - 1, n - 1);
        let (u, v) = view.slopes(x0, y0);
        self.first = [u, v];
        self.step = TEXEL as f32 / view.focal_px;
        let rows = self.depth_m.par_chunks_mut(width);
        rows.zip(self.normal.par_chunks_mut(width))
            .enumerate()
            .with_min_len(ROWS)
            .for_each(|(y, (depth_m, normal))| {
                let row = sample(y, layer.grid.height);
                for x in 0..width {
                    let column = sample(x, layer.grid.width);
                    let at = row * layer.grid.stride() + column;
                    let z = 1.0 / layer.nearness[at];
                    depth_m[x] = z;
                    normal[x] = match layer.ids[at] {
                        NOTHING | FLOOR => Vec3::Y,
                        id => {
                            let (px, py) = layer.grid.position(column, row);
                            let facet = &facets.faces[id as usize];
                            facets.hit(facet, z * view.ray(px, py)).normal
                        }
                    };
                }
            });
    }

    /// Share of the key light and of the surroundings at a place in pixel (`x`, `y`).
    #[inline]
    pub fn at(&self, x: usize, y: usize, depth_m: f32) -> Vec2 {
        // The pixel lies in one quarter of its texel; the three texels around that quarter
        // share in, as far as they are equally deep.
        let near = |p: usize, limit: usize| {
            let texel = p / TEXEL;
            let other = if p.is_multiple_of(TEXEL) {
                texel.saturating_sub(1)
            } else {
                (texel + 1).min(limit - 1)
            };
            [(texel, 0.75), (other, 0.25)]
        };
        let mut sum = Vec2::ZERO;
        let mut total = 0.0;
        for (row, share_y) in near(y, self.height) {
            for (column, share_x) in near(x, self.width) {
                let texel = row * self.width + column;
                let apart = (self.depth_m[texel] - depth_m).abs().min(1e6);
                let weight = share_x * share_y / (2e-3 * depth_m + apart);
                sum += weight * self.light[texel];
                total += weight;
            }
        }
        sum / total
    }
}

fn depths(width: usize, height: usize, depth_m: &[f32], first: [f32; 2], step: f32) -> Depths<'_> {
    Depths {
        width,
        height,
        depth_m,
        first,
        step,
    }
}

fn for_rows<T: Send>(values: &mut [T], width: usize, row: impl Fn(usize, &mut [T]) + Sync) {
    values
        .par_chunks_mut(width)
        .enumerate()
        .with_min_len(ROWS)
        .for_each(|(y, values)| row(y, values));
}

/// Blurs along rows or columns, across texels that lie in the same plane.
fn blur<const ALONG_ROWS: bool>(depths: &Depths, normal: &[Vec3], from: &[Vec2], to: &mut [Vec2]) {
    let (width, height) = (depths.width, depths.height);
    for_rows(to, width, |y, row| {
        for (x, to) in row.iter_mut().enumerate() {
            let at = y * width + x;
            let place = depths.place(x, y);
            if !place.z.is_finite() {
                *to = from[at];
                continue;
            }
            // A few texels' worth of distance off the plane is another surface.
            let tolerance = 1.0 / (4.0 * depths.step * place.z);
            let (mut sum, mut total) = (Vec2::ZERO, 0.0);
            for (k, share) in BLUR.iter().enumerate() {
                let (tx, ty) = if ALONG_ROWS {
                    (x + k, y + 2)
                } else {
                    (x + 2, y + k)
                };
                if tx < 2 || ty < 2 || tx >= width + 2 || ty >= height + 2 {
                    continue;
                }
                let (tx, ty) = (tx - 2, ty - 2);
                let other = ty * width + tx;
                let off = normal[at].dot(depths.place(tx, ty) - place).abs();
                let bend = normal[at].dot(normal[other]).max(0.0);
                let weight = share * (1.0 - off * tolerance).max(0.0) * bend * bend;
                // Infinitely deep neighbours give a weight that is not a number.
                if weight > 0.0 {
                    sum += weight * from[other];
                    total += weight;
                }
            }
            *to = if total > 0.0 { sum / total } else { from[at] };
        }
    });
}
