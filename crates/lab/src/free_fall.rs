//! Free fall of a sheet, against the closed form.
//!
//! After a time `T` in steps of `Δt`, backward Euler is `½ g Δt T` too low and BDF2 with its ghost
//! start is exact; velocities are exact with both. The sheet stays flat.

use crate::check::{Band, Check};
use crate::experiment::{Error, Findings};
use crate::table::Table;
use glam::{DVec2, DVec3};
use std::sync::Arc;
use toile_geometry::QuadGrid;
use toile_sim::{
    AirSpec, ClothModel, ClothSpec, Integrator, Material, Model, ModelSpec, Simulation, StepConfig,
};

const GRAVITY: f64 = 9.81;
const DURATION_S: f64 = 1.0;

/// Falls for a second with both integrators and three steps.
pub fn run() -> Result<Findings, Error> {
    let mut table = Table::new([
        "integrator",
        "step (s)",
        "height error (m)",
        "theory (m)",
        "out of plane (m)",
    ]);
    let mut checks = Vec::new();
    for (name, integrator, lag) in [
        ("backward-euler", Integrator::BackwardEuler, 0.5),
        ("bdf2", Integrator::Bdf2, 0.0),
    ] {
        for steps in [10_u32, 60, 120] {
            let step_s = DURATION_S / f64::from(steps);
            let (error, spread) = fall(integrator, steps, step_s)?;
            let theory = -lag * GRAVITY * step_s * DURATION_S;
            table.row([
                name.to_owned(),
                format!("{step_s:.5}"),
                format!("{error:.3e}"),
                format!("{theory:.3e}"),
                format!("{spread:.1e}"),
            ]);
            checks.push(Check::new(
                format!("{name} at {step_s:.5} s: difference to theory (m)"),
                (error - theory).abs(),
                Band::AtMost(1e-10),
            ));
            checks.push(Check::new(
                format!("{name} at {step_s:.5} s: out of plane (m)"),
                spread,
                Band::AtMost(1e-10),
            ));
        }
    }
    Ok(Findings { table, checks })
}

/// Error of the mean height, and difference between highest and lowest particle.
fn fall(integrator: Integrator, steps: u32, step_s: f64) -> Result<(f64, f64), Error> {
    let start_m = 10.0;
    let spec = ModelSpec {
        gravity_m_per_s2: DVec3::new(0.0, -GRAVITY, 0.0),
        air: AirSpec::default(),
        cloths: vec![ClothSpec {
            name: "sheet".into(),
            grid: QuadGrid {
                columns: 21,
                rows: 21,
                size_m: DVec2::splat(0.4),
            },
            center: DVec3::new(0.0, start_m, 0.0),
            u_axis: DVec3::X,
            v_axis: -DVec3::Z,
            velocity_m_per_s: DVec3::ZERO,
            model: ClothModel::QuadBuckling,
            material: Material::default(),
            pins: Vec::new(),
            weights: Vec::new(),
        }],
        colliders: Vec::new(),
    };
    let config = StepConfig {
        integrator,
        ..StepConfig::default()
    };
    let mut simulation = Simulation::new(Arc::new(Model::build(&spec)?), config);
    for _ in 0..steps {
        simulation.step(step_s)?;
    }
    let heights = simulation.state().positions.iter().map(|p| p.y);
    let count = simulation.state().positions.len() as f64;
    let mean = heights.clone().sum::<f64>() / count;
    let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| {
        (low.min(y), high.max(y))
    });
    let exact = start_m - 0.5 * GRAVITY * DURATION_S * DURATION_S;
    Ok((mean - exact, high - low))
}
