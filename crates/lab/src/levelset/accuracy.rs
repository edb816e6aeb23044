//! Distances and normals of a field against those of the exact shape.

use crate::experiment::Error;
use glam::DVec3;
use toile_geometry::levelset::{Exact, Field, Grid, Settings, Solid, Stencil};

/// Shapes whose radii of curvature are 5 cm and more.
pub const SHAPES: [Exact; 4] = [
    Exact::Sphere { radius_m: 0.2 },
    Exact::Torus {
        ring_m: 0.22,
        tube_m: 0.1,
    },
    Exact::Capsule {
        half_m: 0.12,
        radius_m: 0.12,
    },
    Exact::RoundedBox {
        half_m: DVec3::new(0.1, 0.06, 0.12),
        radius_m: 0.05,
    },
];
/// Cell sizes, m, each half of the one before.
pub const CELLS_M: [f64; 3] = [0.02, 0.01, 0.005];
/// Edges of the meshes, m: their chords are off the shapes by at most 0.02 mm.
const SPACING_M: f64 = 0.003;
/// How far around a shape fields go, m.
const MARGIN_M: f64 = 0.12;
/// Nodes farther than this from the surface are marched at all cell sizes, m.
const MARCHED_M: f64 = 3.0 * CELLS_M[0];
/// Points per shape.
const POINTS: usize = 40_000;

/// A shape with one cell size.
#[derive(Clone, Debug, Default)]
pub struct Accuracy {
    /// Distance within two cells of the surface: root mean square and largest error, m.
    pub near_m: [f64; 2],
    /// The same for marched nodes.
    pub marched_m: [f64; 2],
    /// 95th percentile of the angle between normals within a cell of the surface, one a stencil,
    /// degrees.
    pub normals_deg: [f64; 3],
}

/// A shape with all cell sizes.
pub fn of(shape: &Exact) -> Result<[Accuracy; 3], Error> {
    let mesh = shape.mesh(SPACING_M);
    let solid = Solid::new(&mesh, 0.0)?;
    let mut all: [Accuracy; 3] = Default::default();
    for (accuracy, cell_m) in all.iter_mut().zip(CELLS_M) {
        let settings = Settings {
            margin_cells: MARGIN_M / cell_m,
            ..Settings::new(cell_m)
        };
        let grid = Grid::build(&solid, &mesh.positions, None, &settings)?;
        *accuracy = Accuracy {
            near_m: rms_and_largest(near_errors(shape, &grid, 2.0 * cell_m)),
            marched_m: rms_and_largest(marched_errors(shape, &grid)),
            normals_deg: Stencil::ALL.map(|stencil| normals_deg(shape, &grid, stencil)),
        };
    }
    Ok(all)
}

/// Points within a distance of a shape's surface, spread evenly.
pub fn near_points(shape: &Exact, within_m: f64) -> impl Iterator<Item = DVec3> {
    // Fractional parts of multiples of these fill a cube evenly.
    let spread = DVec3::new(0.819_172_513, 0.671_043_607, 0.549_700_478);
    let bounds = shape.bounds();
    let (low, size) = (bounds.min - within_m, bounds.size() + 2.0 * within_m);
    let all = (0_u32..).map(move |k| low + (0.5 + f64::from(k) * spread).fract() * size);
    let is_near = move |p: &DVec3| shape.distance_m(*p).abs() <= within_m;
    all.filter(is_near).take(POINTS)
}

/// Errors of a field's distance near a shape's surface, m.
pub fn near_errors(shape: &Exact, field: &impl Field, within_m: f64) -> Vec<f64> {
    near_points(shape, within_m)
        .map(|p| (field.distance_m(p) - shape.distance_m(p)).abs())
        .collect()
}

fn marched_errors(shape: &Exact, grid: &Grid) -> Vec<f64> {
    let lattice = grid.lattice();
    (0..lattice.nodes())
        .filter_map(|index| {
            let node = lattice.node(index);
            let exact = shape.distance_m(lattice.position(node));
            (exact.abs() > MARCHED_M).then(|| (grid.value_m(node) - exact).abs())
        })
        .collect()
}

fn normals_deg(shape: &Exact, grid: &Grid, stencil: Stencil) -> f64 {
    let within_m = grid.lattice().cell_m();
    let angles = near_points(shape, within_m)
        .map(|p| grid.gradient(stencil, p).angle_between(shape.normal(p)));
    percentile(angles.collect(), 0.95).to_degrees()
}

/// Root mean square and largest.
pub fn rms_and_largest(errors: Vec<f64>) -> [f64; 2] {
    let squares: f64 = errors.iter().map(|e| e * e).sum();
    let largest = errors.iter().copied().fold(0.0, f64::max);
    [(squares / errors.len().max(1) as f64).sqrt(), largest]
}

/// The value that a share of all is not above.
pub fn percentile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1);
    let at = (share * last as f64).round() as usize;
    values.get(at).copied().unwrap_or(f64::NAN)
}
