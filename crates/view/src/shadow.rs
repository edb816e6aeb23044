//! Soft shadows of the key light.
//!
//! The map keeps, for each cell of a plane across the light, how far towards the light the
//! highest surface reaches. A light of some width gives shadows that sharpen where they touch
//! what casts them: the mean distance of what is in the way sets the width of the filter.

use crate::facets::Facets;
use crate::layer::{Floor, Layer};
use crate::raster::{Grid, Triangle};
use crate::taps::Taps;
use glam::Vec3;

/// Cells along each side of the map.
const CELLS: usize = 1024;

/// Half the angle under which the light is seen, as a slope.
const LIGHT_SLOPE: f32 = 0.13;

/// Filters reach no farther than this, in cells.
const WIDEST: f32 = 80.0;

/// The light's share that reaches a place falls to nothing between these cosines of incidence,
/// to hide the steps of a shadow that begins exactly where a faceted surface turns away.
const GRAZING: [f32; 2] = [0.0, 0.12];

pub struct ShadowMap {
    layer: Layer,
    triangles: Vec<Triangle>,
    search: Taps,
    filter: Taps,
    /// Across the light, and towards it.
    axes: [Vec3; 3],
    /// Light-space position of the map's corner.
    corner: Vec3,
    cell_m: f32,
    /// Height of the highest caster above the corner.
    top_m: f32,
}

impl ShadowMap {
    pub fn new() -> Self {
        let grid = Grid {
            width: CELLS,
            height: CELLS,
            per_axis: 1,
        };
        Self {
            layer: Layer::new(grid),
            triangles: Vec::new(),
            search: Taps::spiral(12, 0.5),
            filter: Taps::spiral(16, 0.5),
            axes: [Vec3::X, Vec3::Z, Vec3::Y],
            corner: Vec3::ZERO,
            cell_m: 1.0,
            top_m: 0.0,
        }
    }

    /// Draws the map for light that comes from the unit direction `toward`.
    pub fn draw(&mut self, facets: &Facets, toward: Vec3) {
        let (across, along) = toward.any_orthonormal_pair();
        self.axes = [across, along, toward];
        self.triangles.clear();
        let corners = || facets.faces.iter().flat_map(|f| f.corners);
        let mut low = Vec3::INFINITY;
        let mut high = Vec3::NEG_INFINITY;
        for v in corners() {
            let p = self.turn(facets.vertices[v as usize].position);
            (low, high) = (low.min(p), high.max(p));
        }
        if low.x <= high.x {
            self.fit(low, high);
            for facet in &facets.faces {
                let cells = facet.corners.map(|v| {
                    let p = self.turn(facets.vertices[v as usize].position) - self.corner;
                    Vec3::new(p.x / self.cell_m, p.y / self.cell_m, p.z)
                });
                self.triangles
                    .extend(Triangle::new(cells, 0, &self.layer.grid));
            }
        } else {
            self.top_m = 0.0;
        }
        self.layer.draw(&self.triangles, &Floor::default());
    }

    /// Lays the map over a box in light space. Its size moves in steps, so that cells keep
    /// theirs while a cloth flutters.
    fn fit(&mut self, low: Vec3, high: Vec3) {
        let size = (high - low).truncate().max_element().max(1e-3);
        let size = (4.0 * size.log2()).ceil() / 4.0;
        self.cell_m = size.exp2() / (CELLS as f32 - 8.0);
        let center = 0.5 * (low + high);
        let snap = |v: f32| (v / self.cell_m).round() * self.cell_m;
        let half = 0.5 * CELLS as f32 * self.cell_m;
        // Zero is kept for cells where there is nothing: the lowest caster is well above it.
        let bottom = low.z - 0.1 * (high.z - low.z) - self.cell_m;
        self.corner = Vec3::new(snap(center.x) - half, snap(center.y) - half, bottom);
        self.top_m = high.z - bottom;
    }

    fn turn(&self, p: Vec3) -> Vec3 {
        Vec3::new(
            p.dot(self.axes[0]),
            p.dot(self.axes[1]),
            p.dot(self.axes[2]),
        )
    }

    /// Share of the light that reaches a place with nothing in the way.
    pub fn unhindered(&self, normal: Vec3) -> f32 {
        facing(self.turn(normal).z)
    }

    /// Share of the light that reaches a place, in [0, 1]. `pixel` chooses the filter pattern.
    pub fn visibility(&self, position: Vec3, normal: Vec3, pixel: (usize, usize)) -> f32 {
        let turned = self.turn(normal);
        let facing = facing(turned.z);
        if facing == 0.0 {
            return 0.0;
        }
        let place = self.turn(position) - self.corner;
        let height_m = place.z;
        // Above the highest caster, nothing is in the way.
        let drop_m = self.top_m - height_m;
        if drop_m <= 0.0 {
            return facing;
        }
        let receiver = Receiver {
            cell: [place.x / self.cell_m, place.y / self.cell_m],
            // How the receiving surface itself rises from cell to cell.
            rise: [turned.x, turned.y].map(|n| -n / turned.z.max(0.25) * self.cell_m),
            height_m: height_m + self.cell_m * (1.5 + 1.5 / turned.z.max(0.25)),
        };
        let widest = WIDEST.min(2.0 + LIGHT_SLOPE * drop_m / self.cell_m);
        let beyond = |c: f32| c < -widest || c > CELLS as f32 + widest;
        if receiver.cell.into_iter().any(beyond) {
            return facing;
        }
        let (mut count, mut sum) = (0.0, 0.0);
        for tap in self.search.at(pixel.0, pixel.1) {
            if let Some(above) = self.above(&receiver, *tap, widest) {
                count += 1.0;
                sum += above;
            }
        }
        if count == 0.0 {
            return facing;
        }
        let width = (LIGHT_SLOPE * sum / count / self.cell_m).clamp(1.5, widest);
        let taps = self.filter.at(pixel.0, pixel.1);
        let hidden = taps
            .iter()
            .filter(|t| self.above(&receiver, **t, width).is_some());
        facing * (1.0 - hidden.count() as f32 / taps.len() as f32)
    }

    /// How far above the receiver something is in the light's way.
    fn above(&self, receiver: &Receiver, tap: [f32; 2], width: f32) -> Option<f32> {
        let [dx, dy] = [tap[0] * width, tap[1] * width];
        // Negative positions wrap to huge indices and fall out with those beyond the map.
        let x = (receiver.cell[0] + dx) as i32 as usize;
        let y = (receiver.cell[1] + dy) as i32 as usize;
        if x >= CELLS || y >= CELLS {
            return None;
        }
        let reach = self.layer.nearness[y * CELLS + x];
        let above = reach - (receiver.height_m + dx * receiver.rise[0] + dy * receiver.rise[1]);
        (reach > 0.0 && above > 0.0).then_some(above)
    }
}

fn facing(cosine: f32) -> f32 {
    ((cosine - GRAZING[0]) / (GRAZING[1] - GRAZING[0])).clamp(0.0, 1.0)
}

/// A place that light may reach, in cells of the map.
struct Receiver {
    cell: [f32; 2],
    rise: [f32; 2],
    height_m: f32,
}
