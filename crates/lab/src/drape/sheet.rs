//! Every fabric's draped disc from above, side by side, above the charts.

use glam::DVec3;
use toile_geometry::{Bounds, TriMesh};
use toile_view::plot::{Drawing, Figure, Frame, Overlay, Panel};
use toile_view::{Camera, Image, RenderOptions, Renderer, Stage, Surface};

const SIDE: usize = 360;
const COLUMNS: usize = 6;

/// One draped disc and what is written on it.
pub struct Shot {
    /// The fabric, and what was read off it.
    pub caption: String,
    /// The disc, m.
    pub mesh: TriMesh,
}

/// Pictures in rows, charts below them. Where only a drawing can go, the charts alone.
pub struct Sheet {
    /// The pictures, row by row.
    pub shots: Vec<Shot>,
    /// All of them show this far around the axis, m.
    pub reach_m: f64,
    /// The charts.
    pub charts: Panel,
}

impl Sheet {
    /// All discs to the same scale, warp to the right.
    fn pictures(&self) -> Image {
        let rows = self.shots.len().div_ceil(COLUMNS);
        let (width, height) = (SIDE * COLUMNS, SIDE * rows);
        let mut page = Image::filled(width, height, [255; 3]);
        let mut captions = Overlay::new(width, height);
        let mut renderer = Renderer::new(RenderOptions {
            width: SIDE,
            height: SIDE,
            ..RenderOptions::default()
        });
        let reach = DVec3::new(self.reach_m, 0.0, self.reach_m);
        let bounds = Bounds {
            min: -reach,
            max: reach,
        };
        let camera = Camera::fit(bounds, DVec3::Y, 1.0);
        for (place, shot) in self.shots.iter().enumerate() {
            let stage = Stage {
                surfaces: vec![Surface::cloth(&shot.mesh.positions, &shot.mesh.faces)],
                ..Stage::default()
            };
            let [left, top] = [SIDE * (place % COLUMNS), SIDE * (place / COLUMNS)];
            page.paste(&renderer.render(&stage, &camera), left, top);
            // Type for a larger picture than each of these is: theirs would be too small.
            captions = captions.caption(&shot.caption, [left, top, 2 * SIDE, 2 * SIDE]);
        }
        captions.draw(&mut page);
        page
    }
}

impl Figure for Sheet {
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
