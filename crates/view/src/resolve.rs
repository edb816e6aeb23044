//! From samples to pixels.

use crate::color::{Encoder, tone_map};
use crate::facets::Facets;
use crate::illumination::Illumination;
use crate::layer::{FLOOR, Layer, NOTHING};
use crate::shade::Shader;
use crate::span::Span;
use crate::view::View;
use glam::Vec3;

/// Everything that decides the colour of a pixel.
pub struct Resolver<'a> {
    pub view: &'a View,
    pub layer: &'a Layer,
    pub facets: &'a Facets,
    pub illumination: &'a Illumination,
    pub shader: &'a Shader<'a>,
    pub encoder: &'a Encoder,
}

impl Resolver<'_> {
    /// Draws the pixels of a row that are in `span`.
    pub fn draw(&self, y: usize, span: Span, row: &mut [u8]) {
        let range = span.range();
        let pixels = row[3 * range.start..3 * range.end].chunks_exact_mut(3);
        for (x, pixel) in range.zip(pixels) {
            let light = self.mean(x, y);
            pixel.copy_from_slice(&self.encoder.encode(light, dither(x, y)));
        }
    }

    /// The mean of what the samples of a pixel see. Samples of the same piece of surface are
    /// shaded together.
    fn mean(&self, x: usize, y: usize) -> Vec3 {
        let grid = &self.layer.grid;
        let n = grid.per_axis;
        let first = y * n * grid.stride() + x * n;
        let ids = &self.layer.ids;
        let pair = |at: usize| ids[at] == ids[first] && ids[at + n - 1] == ids[first];
        if pair(first) && pair(first + (n - 1) * grid.stride()) {
            let nearness = self.layer.nearness[first];
            let seen = Seen::new(ids[first], nearness, x * n, y * n);
            return self.shade(&seen, x, y);
        }
        let mut seen: [Seen; 4] = [Seen::default(); 4];
        let mut count = 0;
        for row in y * n..(y + 1) * n {
            for column in x * n..(x + 1) * n {
                let at = row * grid.stride() + column;
                let (id, nearness) = (self.layer.ids[at], self.layer.nearness[at]);
                let same = |s: &&mut Seen| self.same_piece(s, id, nearness);
                if let Some(s) = seen[..count].iter_mut().find(same) {
                    s.samples += 1.0;
                } else {
                    seen[count] = Seen::new(id, nearness, column, row);
                    count += 1;
                }
            }
        }
        let mut sum = Vec3::ZERO;
        for s in &seen[..count] {
            sum += s.samples * self.shade(s, x, y);
        }
        sum / (n * n) as f32
    }

    /// The colour of one piece of what pixel (`x`, `y`) sees, ready for the screen.
    #[inline]
    fn shade(&self, seen: &Seen, x: usize, y: usize) -> Vec3 {
        let (px, py) = self.layer.grid.position(seen.column, seen.row);
        let ray = self.view.ray(px, py);
        let depth_m = 1.0 / seen.nearness;
        let light = || self.illumination.at(x, y, depth_m);
        tone_map(match seen.id {
            NOTHING => self.shader.background(ray),
            FLOOR => self.shader.floor(depth_m * ray, light()),
            id => {
                let facet = &self.facets.faces[id as usize];
                let hit = self.facets.hit(facet, depth_m * ray);
                self.shader.surface(id, &hit, light())
            }
        })
    }

    fn same_piece(&self, seen: &Seen, id: u32, nearness: f32) -> bool {
        if seen.id == id {
            return true;
        }
        let (Some(a), Some(b)) = (
            self.facets.faces.get(seen.id as usize),
            self.facets.faces.get(id as usize),
        ) else {
            return false;
        };
        // Neighbouring faces of a smooth surface, turned to the same side.
        a.material == b.material
            && self.facets.materials[a.material as usize].smooth
            && (nearness - seen.nearness).abs() < 1e-3 * nearness
            && a.normal.dot(b.normal) > 0.8
    }
}

/// What some samples of a pixel see.
#[derive(Clone, Copy, Default)]
struct Seen {
    id: u32,
    nearness: f32,
    samples: f32,
    column: usize,
    row: usize,
}

impl Seen {
    fn new(id: u32, nearness: f32, column: usize, row: usize) -> Self {
        Self {
            id,
            nearness,
            samples: 1.0,
            column,
            row,
        }
    }
}

/// A fixed pattern in [0, 1) that breaks up the bands of slow gradients.
fn dither(x: usize, y: usize) -> f32 {
    let t = 0.067_110_56 * (x % 1024) as f32 + 0.005_837_15 * (y % 1024) as f32;
    (52.982_918 * t.fract()).fract()
}
