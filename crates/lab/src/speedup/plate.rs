//! Pictures of two cloths at the same times, above charts.

use glam::DVec3;
use toile_view::plot::{Drawing, Figure, Frame, Overlay, Panel};
use toile_view::{Camera, Framing, Image, RenderOptions, Renderer, Stage, Surface};

const WIDTH: usize = 450;
const HEIGHT: usize = 480;

/// One cloth at several times.
pub struct Strip {
    /// What it is.
    pub name: String,
    /// Times, s, and positions, m.
    pub shots: Vec<(f64, Vec<DVec3>)>,
}

/// Strips of pictures, and charts below them. Where only a drawing can go, the charts alone.
pub struct Plate {
    /// Triangles of the cloths.
    pub faces: Vec<[u32; 3]>,
    /// The cloths, one below the other.
    pub strips: Vec<Strip>,
    /// The charts.
    pub charts: Panel,
}

impl Plate {
    /// All pictures; those of one time, one below the other, have the same camera.
    fn pictures(&self) -> Image {
        let columns = self.strips.iter().map(|strip| strip.shots.len()).max();
        let columns = columns.unwrap_or(0);
        let (width, height) = (WIDTH * columns, HEIGHT * self.strips.len());
        let mut page = Image::filled(width, height, [255; 3]);
        let mut captions = Overlay::new(width, height);
        let mut renderer = Renderer::new(RenderOptions {
            width: WIDTH,
            height: HEIGHT,
            ..RenderOptions::default()
        });
        for column in 0..columns {
            let camera = self.camera(column);
            for (row, strip) in self.strips.iter().enumerate() {
                let Some((time_s, positions)) = strip.shots.get(column) else {
                    continue;
                };
                let stage = Stage {
                    surfaces: vec![Surface::cloth(positions, &self.faces)],
                    ..Stage::default()
                };
                let [left, top] = [WIDTH * column, HEIGHT * row];
                page.paste(&renderer.render(&stage, &camera), left, top);
                let words = format!("{}, {time_s:.2} s", strip.name);
                // Type for a larger picture than each of these is: theirs would be too small.
                captions = captions.caption(&words, [left, top, 2 * WIDTH, 2 * HEIGHT]);
            }
        }
        captions.draw(&mut page);
        page
    }

    /// One that sees all cloths as they are in a column.
    fn camera(&self, column: usize) -> Camera {
        let mut framing = Framing::new(DVec3::new(0.25, 0.2, 1.0), WIDTH as f64 / HEIGHT as f64);
        let shots = self.strips.iter().filter_map(|s| s.shots.get(column));
        shots.for_each(|(_, positions)| framing.include(positions));
        framing.camera()
    }
}

impl Figure for Plate {
    fn size(&self) -> [u32; 2] {
        self.charts.size()
    }

    fn draw(&self, frame: Frame, on: &mut Drawing) {
        self.charts.draw(frame, on);
    }

    fn image(&self) -> Image {
        let pictures = self.pictures();
        let charts = self.charts.image();
        let width = pictures.width.max(charts.width);
        let mut page = Image::filled(width, pictures.height + charts.height, [255; 3]);
        page.paste(&pictures, 0, 0);
        page.paste(&charts, 0, pictures.height);
        page
    }
}
