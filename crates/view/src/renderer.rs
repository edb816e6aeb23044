//! From a stage and a camera to a picture.

use crate::color::{Encoder, tone_map};
use crate::facets::Facets;
use crate::illumination::Illumination;
use crate::layer::{FLOOR, Floor, Layer, NOTHING};
use crate::raster::{Grid, Triangle};
use crate::shade::Shader;
use crate::shadow::ShadowMap;
use crate::view::View;
use crate::{Camera, Image, Stage};
use glam::Vec3;
use rayon::prelude::*;

/// How many places of a pixel are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Samples {
    /// The middle: quick, with jagged edges.
    One,
    /// Four, on a rotated grid: smooth edges.
    #[default]
    Four,
}

/// Size and quality of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenderOptions {
    /// Pixels in a row; at least 1 and at most 16,384.
    pub width: usize,
    /// Rows; at least 1 and at most 16,384.
    pub height: usize,
    /// How many places of a pixel are looked at.
    pub samples: Samples,
}

impl Default for RenderOptions {
    fn default() -> Self {
        Self {
            width: 1280,
            height: 720,
            samples: Samples::Four,
        }
    }
}

/// Draws pictures of one size; keeps its buffers from frame to frame.
pub struct Renderer {
    layer: Layer,
    facets: Facets,
    triangles: Vec<Triangle>,
    shadow: ShadowMap,
    illumination: Illumination,
    encoder: Encoder,
}

impl Renderer {
    /// A renderer for pictures of the given size, brought into the allowed range.
    pub fn new(options: RenderOptions) -> Self {
        let grid = Grid {
            width: options.width.clamp(1, 16_384),
            height: options.height.clamp(1, 16_384),
            per_axis: match options.samples {
                Samples::One => 1,
                Samples::Four => 2,
            },
        };
        Self {
            layer: Layer::new(grid),
            facets: Facets::default(),
            triangles: Vec::new(),
            shadow: ShadowMap::new(),
            illumination: Illumination::new(grid.width, grid.height),
            encoder: Encoder::new(),
        }
    }

    /// Draws one picture. The same stage and camera give the same bytes, whatever the number of
    /// threads and whatever was drawn before.
    pub fn render(&mut self, stage: &Stage, camera: &Camera) -> Image {
        let Grid { width, height, .. } = self.layer.grid;
        let view = View::new(camera, width, height);
        let light = light_direction(stage, &view);
        let floor_m = stage.ground.map(|g| (g.height_m - view.eye.y) as f32);
        // Seen from below, the floor is not there.
        let floor_m = floor_m.filter(|h| *h < 0.0);

        self.facets.gather(stage, &view);
        let (layer, triangles, facets) = (&mut self.layer, &mut self.triangles, &self.facets);
        let shadow = &mut self.shadow;
        rayon::join(
            || {
                facets.project(&view, &layer.grid, triangles);
                layer.draw(triangles, &floor_on_screen(&view, floor_m));
            },
            || shadow.draw(facets, light),
        );
        self.illumination
            .gather(&view, &self.facets, &self.layer, &self.shadow);

        let shader = Shader::new(&view, &self.facets, light, stage.background.vec(), floor_m);
        let mut rgb = vec![0; 3 * width * height];
        rgb.par_chunks_mut(3 * width)
            .enumerate()
            .with_min_len(8)
            .for_each(|(y, row)| {
                for (x, pixel) in row.chunks_exact_mut(3).enumerate() {
                    let light = self.resolve(&view, &shader, x, y);
                    pixel.copy_from_slice(&self.encoder.encode(light, dither(x, y)));
                }
            });
        Image { width, height, rgb }
    }

    /// The mean of what the samples of a pixel see. Samples of the same piece of surface are
    /// shaded together.
    fn resolve(&self, view: &View, shader: &Shader, x: usize, y: usize) -> Vec3 {
        let grid = &self.layer.grid;
        let n = grid.per_axis;
        let first = y * n * grid.stride() + x * n;
        let ids = &self.layer.ids;
        let pair = |at: usize| ids[at] == ids[first] && ids[at + n - 1] == ids[first];
        if pair(first) && pair(first + (n - 1) * grid.stride()) {
            let nearness = self.layer.nearness[first];
            let seen = Seen::new(ids[first], nearness, x * n, y * n);
            return self.shade(view, shader, &seen, x, y);
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
            sum += s.samples * self.shade(view, shader, s, x, y);
        }
        sum / (n * n) as f32
    }

    /// The colour of one piece of what pixel (`x`, `y`) sees, ready for the screen.
    #[inline]
    fn shade(&self, view: &View, shader: &Shader, seen: &Seen, x: usize, y: usize) -> Vec3 {
        let (px, py) = self.layer.grid.position(seen.column, seen.row);
        let ray = view.ray(px, py);
        let depth_m = 1.0 / seen.nearness;
        tone_map(match seen.id {
            NOTHING => shader.background(ray),
            FLOOR => shader.floor(depth_m * ray, self.illumination.at(x, y, depth_m)),
            id => {
                let facet = &self.facets.faces[id as usize];
                let hit = self.facets.hit(facet, depth_m * ray);
                shader.surface(id, &hit, self.illumination.at(x, y, depth_m))
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

/// The floor's nearness is linear on the screen: n·ray / height.
fn floor_on_screen(view: &View, floor_m: Option<f32>) -> Floor {
    let Some(height_m) = floor_m else {
        return Floor::default();
    };
    // A hair lower than it is, so that what lies flat on the floor is seen.
    let height_m = height_m - 2e-4 * view.focus_m;
    let at = |x: f32, y: f32| view.ray(x, y).y / height_m;
    Floor {
        nearness: [
            at(0.0, 0.0),
            view.right.y / view.focal_px / height_m,
            -view.up.y / view.focal_px / height_m,
        ],
    }
}

/// The unit direction to the key light; by default high over the camera's left shoulder, far
/// enough to the side for folds to throw shadows.
fn light_direction(stage: &Stage, view: &View) -> Vec3 {
    let asked = stage.light.and_then(|l| l.try_normalize());
    asked.map_or_else(
        || {
            let back = Vec3::new(-view.forward.x, 0.0, -view.forward.z).normalize_or(view.up);
            (-0.85 * view.right + 0.30 * back + 0.95 * Vec3::Y).normalize_or(Vec3::Y)
        },
        |l| l.as_vec3(),
    )
}

/// A fixed pattern in [0, 1) that breaks up the bands of slow gradients.
fn dither(x: usize, y: usize) -> f32 {
    let t = 0.067_110_56 * (x % 1024) as f32 + 0.005_837_15 * (y % 1024) as f32;
    (52.982_918 * t.fract()).fract()
}
