//! The octree against the full grid: memory and time at equal error.

use super::accuracy::{near_errors, near_points, percentile, rms_and_largest};
use crate::experiment::Error;
use std::time::Instant;
use toile_geometry::levelset::{Coarsening, Exact, Field, Grid, Octree, Settings, Solid};

/// Cells of the full grid, m.
pub const FULL_M: f64 = 0.0025;
/// Smallest distance of nodes in the octree, m. Being quadratic in its cells, it needs fewer.
pub const SPARSE_M: f64 = 0.005;
/// Edges of the meshes, m.
const SPACING_M: f64 = 0.002;
/// Exact distances of what becomes an octree, in cells: larger cells reach farther than a band of a
/// grid need be.
const BAND_CELLS: f64 = 6.0;
/// The tolerance is lowered from this share of a cell, by a fifth at a time, until errors are equal.
const LOOSEST: f64 = 0.05;
const TRIALS: i32 = 16;
/// Where errors are compared: within this of the surface, m.
const NEAR_M: f64 = 0.01;

/// One of the two fields.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    pub bytes: usize,
    /// To make it, s.
    pub made_s: f64,
    /// To ask for one distance, s.
    pub asked_s: f64,
    /// Root mean square error, m.
    pub rms_m: f64,
    /// 99th percentile of errors, m.
    pub p99_m: f64,
}

/// The full grid and the octree of a shape.
pub struct Comparison {
    pub full: Side,
    pub sparse: Side,
}

impl Comparison {
    /// Makes both, the octree as coarse as the full grid's error allows.
    pub fn of(shape: &Exact) -> Result<Self, Error> {
        let mesh = shape.mesh(SPACING_M);
        let solid = Solid::new(&mesh, 0.0)?;
        let build = |settings: &Settings| Grid::build(&solid, &mesh.positions, None, settings);
        let clock = Instant::now();
        let grid = build(&Settings::new(FULL_M))?;
        let full = Side::of(shape, &grid, grid.bytes(), clock.elapsed().as_secs_f64());
        let clock = Instant::now();
        let source = build(&Settings {
            band_cells: BAND_CELLS,
            margin_cells: BAND_CELLS,
            ..Settings::new(SPARSE_M)
        })?;
        let source_s = clock.elapsed().as_secs_f64();
        let mut sparse = full;
        for trial in 0..TRIALS {
            let coarsening = Coarsening {
                tolerance_m: LOOSEST * 0.8_f64.powi(trial) * SPARSE_M,
                ..Coarsening::new(SPARSE_M)
            };
            let clock = Instant::now();
            let tree = Octree::from_grid(&source, &coarsening)?;
            let made_s = source_s + clock.elapsed().as_secs_f64();
            sparse = Side::of(shape, &tree, tree.bytes(), made_s);
            if sparse.rms_m <= full.rms_m {
                break;
            }
        }
        Ok(Self { full, sparse })
    }

    /// How many times smaller the octree is.
    pub fn smaller(&self) -> f64 {
        self.full.bytes as f64 / self.sparse.bytes as f64
    }
}

impl Side {
    fn of(shape: &Exact, field: &impl Field, bytes: usize, made_s: f64) -> Self {
        let errors = near_errors(shape, field, NEAR_M);
        let points: Vec<_> = near_points(shape, NEAR_M).collect();
        let clock = Instant::now();
        let sum: f64 = points.iter().map(|p| field.distance_m(*p)).sum();
        let asked_s = clock.elapsed().as_secs_f64() / points.len() as f64;
        // The sum is asked for so that the distances are.
        let asked_s = if sum.is_finite() { asked_s } else { f64::NAN };
        Self {
            bytes,
            made_s,
            asked_s,
            rms_m: rms_and_largest(errors.clone())[0],
            p99_m: percentile(errors, 0.99),
        }
    }
}
