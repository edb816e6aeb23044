//! From a stage and a camera to a picture.

use crate::color::Encoder;
use crate::facets::Facets;
use crate::illumination::Illumination;
use crate::layer::{Floor, Layer};
use crate::raster::{Grid, Triangle};
use crate::resolve::Resolver;
use crate::shade::Shader;
use crate::shadow::ShadowMap;
use crate::span::Span;
use crate::view::View;
use crate::{Camera, Image, Stage};
use glam::{Vec2, Vec3};
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
    /// The last picture's scenery, and what it looks like by itself.
    scenery: Option<Scenery>,
    backdrop: Option<Vec<u8>>,
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
            illumination: Illumination::new(grid.width, grid.height, Vec2::ONE),
            encoder: Encoder::new(),
            scenery: None,
            backdrop: None,
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

        let background = stage.background.vec();
        self.update_backdrop(Scenery {
            view,
            floor_m,
            background,
            open: Illumination::open(&self.shadow),
        });
        let shader = Shader::new(&view, &self.facets, light, background, floor_m);
        let resolver = Resolver {
            view: &view,
            layer: &self.layer,
            facets: &self.facets,
            illumination: &self.illumination,
            shader: &shader,
            encoder: &self.encoder,
        };
        let mut rgb = vec![0; 3 * width * height];
        let backdrop = self.backdrop.as_deref();
        for_rows(&mut rgb, width, |y, row| {
            let span = if let Some(picture) = backdrop {
                row.copy_from_slice(&picture[3 * width * y..][..3 * width]);
                let covered = self.layer.span(y, y);
                covered.union(self.illumination.span(y, width))
            } else {
                Span {
                    start: 0,
                    end: width,
                }
            };
            resolver.draw(y, span, row);
        });
        Image { width, height, rgb }
    }

    /// Draws the scenery by itself as soon as it comes a second time: a moving camera never
    /// sees the same one again.
    fn update_backdrop(&mut self, scenery: Scenery) {
        if self.scenery != Some(scenery) {
            self.scenery = Some(scenery);
            self.backdrop = None;
            return;
        }
        if self.backdrop.is_some() {
            return;
        }
        let Grid { width, height, .. } = self.layer.grid;
        let mut layer = Layer::new(self.layer.grid);
        layer.draw(&[], &floor_on_screen(&scenery.view, scenery.floor_m));
        let facets = Facets::default();
        let Scenery {
            view,
            floor_m,
            background,
            open,
        } = &scenery;
        let resolver = Resolver {
            view,
            layer: &layer,
            facets: &facets,
            illumination: &Illumination::new(width, height, *open),
            // Where there is no surface, it does not matter where the light comes from.
            shader: &Shader::new(view, &facets, Vec3::Y, *background, *floor_m),
            encoder: &self.encoder,
        };
        let all = Span {
            start: 0,
            end: width,
        };
        let mut rgb = vec![0; 3 * width * height];
        for_rows(&mut rgb, width, |y, row| resolver.draw(y, all, row));
        self.backdrop = Some(rgb);
    }
}

/// All that decides how a place looks that nothing covers or darkens.
#[derive(Clone, Copy, PartialEq)]
struct Scenery {
    view: View,
    floor_m: Option<f32>,
    background: Vec3,
    open: Vec2,
}

fn for_rows(rgb: &mut [u8], width: usize, draw: impl Fn(usize, &mut [u8]) + Sync) {
    rgb.par_chunks_mut(3 * width)
        .enumerate()
        .with_min_len(8)
        .for_each(|(y, row)| draw(y, row));
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
            (-0.80 * view.right + 0.30 * back + 1.15 * Vec3::Y).normalize_or(Vec3::Y)
        },
        |l| l.as_vec3(),
    )
}
