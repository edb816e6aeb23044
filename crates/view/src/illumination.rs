//! How much light reaches each place: the key light and the surroundings.
//!
//! Both are filtered quantities without fine detail of their own, so they are found for one
//! texel of two by two pixels, blurred along surfaces, and spread back to pixels by depth.
//!
//! Far from everything the floor is *open*: no shadow falls on it and nothing hides its
//! surroundings. Such texels all have the same light, to the last bit, and are skipped.

use crate::facets::Facets;
use crate::layer::{FLOOR, Layer, NOTHING};
use crate::occlusion::{Depths, Occlusion};
use crate::shadow::ShadowMap;
use crate::span::Span;
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

/// Texels the blur looks to either side.
const BLUR_REACH: usize = BLUR.len() / 2;

pub struct Illumination {
    width: usize,
    height: usize,
    depth_m: Vec<f32>,
    normal: Vec<Vec3>,
    /// The normals along right, up and forward.
    turned: Vec<Vec3>,
    /// Share of the key light, and of the surroundings.
    light: Vec<Vec2>,
    blurred: Vec<Vec2>,
    /// Texels of each row that are not open.
    spans: Vec<Span>,
    occlusion: Occlusion,
    first: [f32; 2],
    step: f32,
}

impl Illumination {
    /// Open everywhere.
    pub fn new(width: usize, height: usize, open: Vec2) -> Self {
        let (width, height) = (width.div_ceil(TEXEL), height.div_ceil(TEXEL));
        let texels = width * height;
        Self {
            width,
            height,
            depth_m: vec![f32::INFINITY; texels],
            normal: vec![Vec3::Y; texels],
            turned: vec![Vec3::Y; texels],
            light: vec![open; texels],
            blurred: vec![open; texels],
            spans: vec![Span::NONE; height],
            occlusion: Occlusion::new(),
            first: [0.0; 2],
            step: 1.0,
        }
    }

    /// The light on a floor that is far from everything.
    pub fn open(shadow: &ShadowMap) -> Vec2 {
        Vec2::new(shadow.unhindered(Vec3::Y), 1.0)
    }

    /// Finds the light at every texel of what `layer` sees.
    pub fn gather(&mut self, view: &View, facets: &Facets, layer: &Layer, shadow: &ShadowMap) {
        self.occlusion.set_focus(view.focus_m);
        self.collect(view, facets, layer);
        let (width, height) = (self.width, self.height);
        let (normal, turned, occlusion) = (&self.normal, &self.turned, &self.occlusion);
        let open = Self::open(shadow);
        let depths = Depths {
            width,
            height,
            depth_m: &self.depth_m,
            first: self.first,
            step: self.step,
        };
        self.light
            .par_chunks_mut(width)
            .zip(&mut self.spans)
            .enumerate()
            .with_min_len(ROWS)
            .for_each(|(y, (row, span))| {
                let hidden = may_be_hidden(occlusion, &depths, layer, y);
                *span = Span::NONE;
                for (x, light) in row.iter_mut().enumerate() {
                    let (at, place) = (y * width + x, depths.place(x, y));
                    *light = open;
                    if !place.z.is_finite() {
                        continue;
                    }
                    let position =
                        place.x * view.right + place.y * view.up + place.z * view.forward;
                    light.x = shadow.visibility(position, normal[at], (x, y));
                    if hidden.start <= x && x < hidden.end {
                        light.y = occlusion.openness(&depths, x, y, turned[at]);
                    }
                    if *light != open {
                        *span = span.union(Span {
                            start: x,
                            end: x + 1,
                        });
                    }
                }
            });
        spread(&mut self.spans, width);
        let (spans, turned) = (&self.spans, &self.turned);
        let blur = Blur {
            depths,
            turned,
            spans,
            open,
        };
        blur.run::<true>(&self.light, &mut self.blurred);
        blur.run::<false>(&self.blurred, &mut self.light);
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
        let up = view.turn(Vec3::Y);
        let rows = self.depth_m.par_chunks_mut(width);
        rows.zip(self.normal.par_chunks_mut(width))
            .zip(self.turned.par_chunks_mut(width))
            .enumerate()
            .with_min_len(ROWS)
            .for_each(|(y, ((depth_m, normal), turned))| {
                let row = sample(y, layer.grid.height);
                for x in 0..width {
                    let column = sample(x, layer.grid.width);
                    let at = row * layer.grid.stride() + column;
                    let z = 1.0 / layer.nearness[at];
                    depth_m[x] = z;
                    (normal[x], turned[x]) = match layer.ids[at] {
                        NOTHING | FLOOR => (Vec3::Y, up),
                        id => {
                            let (px, py) = layer.grid.position(column, row);
                            let facet = &facets.faces[id as usize];
                            let normal = facets.hit(facet, z * view.ray(px, py)).normal;
                            (normal, view.turn(normal))
                        }
                    };
                }
            });
    }

    /// Pixels of row `y` whose light is not that of the open floor.
    pub fn span(&self, y: usize, width: usize) -> Span {
        let rows = texels(y, self.height).map(|(row, _)| self.spans[row]);
        let span = rows[0].union(rows[1]);
        span.widened(1, self.width).finer(TEXEL, width)
    }

    /// Share of the key light and of the surroundings at a place in pixel (`x`, `y`).
    #[inline]
    pub fn at(&self, x: usize, y: usize, depth_m: f32) -> Vec2 {
        let columns = texels(x, self.width);
        let [near, far] = texels(y, self.height).map(|(row, share)| {
            let texels = columns.map(|(column, _)| row * self.width + column);
            (texels, share)
        });
        let first = self.light[near.0[0]];
        let same = |texels: [usize; 2]| texels.iter().all(|t| self.light[*t] == first);
        if same(near.0) && same(far.0) {
            return first;
        }
        let mut sum = Vec2::ZERO;
        let mut total = 0.0;
        for (texels, share_y) in [near, far] {
            for (texel, (_, share_x)) in texels.into_iter().zip(columns) {
                let apart = (self.depth_m[texel] - depth_m).abs().min(1e6);
                let weight = share_x * share_y / (2e-3 * depth_m + apart);
                sum += weight * self.light[texel];
                total += weight;
            }
        }
        sum / total
    }
}

/// The two texels along one axis that share in a pixel, as far as they are equally deep: it
/// lies in that half of the first that faces the second.
#[inline]
fn texels(pixel: usize, limit: usize) -> [(usize, f32); 2] {
    let texel = pixel / TEXEL;
    let other = if pixel.is_multiple_of(TEXEL) {
        texel.saturating_sub(1)
    } else {
        (texel + 1).min(limit - 1)
    };
    [(texel, 0.75), (other, 0.25)]
}

/// Texels of row `y` from which anything but the floor is within reach.
fn may_be_hidden(occlusion: &Occlusion, depths: &Depths, layer: &Layer, y: usize) -> Span {
    // The floor's nearness is linear along a row, and so largest at one of its ends; what
    // stands there instead of the floor is nearer still.
    let row = &depths.depth_m[y * depths.width..(y + 1) * depths.width];
    let nearness = (1.0 / row[0]).max(1.0 / row[depths.width - 1]);
    let reach = occlusion.radius(depths, nearness) as usize + 2;
    let [top, bottom] = [y.saturating_sub(reach), y + reach].map(|row| row * TEXEL);
    let covered = layer.span(top, bottom).coarser(TEXEL);
    covered.widened(reach, depths.width)
}

/// Lets every span grow to all texels that the blur carries its light to.
fn spread(spans: &mut [Span], width: usize) {
    let across: Vec<Span> = spans.iter().map(|s| s.widened(BLUR_REACH, width)).collect();
    for (y, span) in spans.iter_mut().enumerate() {
        let last = (y + BLUR_REACH).min(across.len() - 1);
        let around = &across[y.saturating_sub(BLUR_REACH)..=last];
        *span = around.iter().fold(Span::NONE, |all, s| all.union(*s));
    }
}

/// Smooths light across texels that lie in the same plane.
struct Blur<'a> {
    depths: Depths<'a>,
    turned: &'a [Vec3],
    spans: &'a [Span],
    open: Vec2,
}

impl Blur<'_> {
    /// Along rows, or along columns.
    fn run<const ALONG_ROWS: bool>(&self, from: &[Vec2], to: &mut [Vec2]) {
        let width = self.depths.width;
        to.par_chunks_mut(width)
            .zip(self.spans)
            .enumerate()
            .with_min_len(ROWS)
            .for_each(|(y, (row, span))| {
                let span = span.range();
                row[..span.start].fill(self.open);
                row[span.end..].fill(self.open);
                for x in span {
                    row[x] = self.mean::<ALONG_ROWS>(x, y, from);
                }
            });
    }

    fn mean<const ALONG_ROWS: bool>(&self, x: usize, y: usize, from: &[Vec2]) -> Vec2 {
        let Depths {
            width,
            height,
            depth_m,
            first,
            step,
        } = self.depths;
        let at = y * width + x;
        let (depth, normal) = (depth_m[at], self.turned[at]);
        if !depth.is_finite() {
            return from[at];
        }
        // The ray of a texel is one unit deep, so that its depth times the ray's way along the
        // normal is how far its place lies along the normal.
        let ray = Vec3::new(first[0] + step * x as f32, first[1] - step * y as f32, 1.0);
        let along = normal.dot(ray);
        let (place, limit, stride, change) = if ALONG_ROWS {
            (x, width, 1, step * normal.x)
        } else {
            (y, height, width, -step * normal.y)
        };
        let plane = depth * along;
        // A few texels' worth of distance off the plane is another surface.
        let tolerance = 1.0 / (4.0 * step * depth);
        let (mut sum, mut total) = (Vec2::ZERO, 0.0);
        let start = place.saturating_sub(BLUR_REACH);
        for other in start..(place + BLUR_REACH + 1).min(limit) {
            let texel = at + other * stride - place * stride;
            let away = other as f32 - place as f32;
            let off = (depth_m[texel] * (along + away * change) - plane).abs();
            let bend = normal.dot(self.turned[texel]).max(0.0);
            let share = BLUR[other + BLUR_REACH - place];
            let weight = share * (1.0 - off * tolerance).max(0.0) * bend * bend;
            // Infinitely deep neighbours give a weight that is not a number.
            if weight > 0.0 {
                sum += weight * from[texel];
                total += weight;
            }
        }
        if total > 0.0 { sum / total } else { from[at] }
    }
}
