//! The same on frames as they are written: a wrinkled sheet in a level set, made finer and brought out by
//! what writes the frames of a run.

use super::{CELL_M, Outcome};
use crate::experiment::Error;
use crate::specimen;
use glam::DVec3;
use std::f64::consts::TAU;
use std::sync::Arc;
use toile_geometry::levelset::{Exact, Field};
use toile_sim::colliders::{LevelSet, Sampling, Shape};
use toile_sim::wrinkles::{Finish, Keeping, finer, on_level, project};
use toile_sim::{ColliderSpec, Material, Model, ModelSpec};

/// How often the sheet is made finer.
pub const LEVELS: [u32; 2] = [1, 2];
/// Wrinkles of the sheet, over an arc of this angle, rad.
const WAVES: usize = 4;
const ARC_RAD: f64 = 1.0;
/// Particles along a wrinkle, and across all of them.
const PER_WAVE: usize = 24;
const ROWS: usize = 7;

/// What became of a sheet.
pub struct Written {
    /// Distances of the finer mesh: as it is, projected, and as written.
    pub outcome: Outcome,
    /// Vertices that went less far than they should.
    pub held_back: usize,
}

impl Written {
    pub fn of(
        (shape, radius_m): &(Exact, f64),
        keeping: &Keeping,
        depth_m: f64,
        levels: u32,
    ) -> Result<Self, Error> {
        let mesh = Arc::new(shape.mesh(CELL_M));
        let solid = LevelSet::new(mesh, None, Sampling::new(CELL_M))?;
        let field = solid.at(0.0);
        let columns = WAVES * PER_WAVE + 1;
        let spacing_m = ARC_RAD * radius_m / (columns - 1) as f64;
        let cloth = specimen::sheet(columns, ROWS, spacing_m, Material::default());
        let grid = specimen::rectangle(&cloth).grid;
        let place = |particle: usize| {
            let (column, row) = grid.cell_of(particle);
            let share = column as f64 / (columns - 1) as f64;
            let wave = 0.5 - 0.5 * (TAU * WAVES as f64 * share).cos();
            let (sine, cosine) = (ARC_RAD * share).sin_cos();
            let up_m = spacing_m * (row as f64 - 0.5 * (ROWS - 1) as f64);
            let start = DVec3::new(radius_m * cosine, up_m, radius_m * sine);
            on_level(&field, start, -depth_m * wave)
        };
        let positions: Vec<DVec3> = (0..grid.len()).map(place).collect();
        let model = Arc::new(Model::build(&ModelSpec {
            cloths: vec![cloth],
            colliders: vec![ColliderSpec::new(Shape::LevelSet(solid), 0.0)],
            ..ModelSpec::default()
        })?);
        let mesh = Arc::new(finer(&model, levels));
        let before = mesh.smooth(&positions);
        let written = Finish::new(model, mesh, Some(*keeping)).frame(&positions, 0.0);
        let distances = |(at, kept): (&DVec3, &DVec3)| {
            let flat = project(&field, *at, keeping.offset_m()).unwrap_or(*at);
            [*at, flat, *kept].map(|p| field.distance_m(p))
        };
        let both = before.iter().zip(&written.positions);
        Ok(Self {
            outcome: Outcome {
                distances_m: both.map(distances).collect(),
            },
            held_back: written.held_back,
        })
    }
}
