//! Free fall of a sheet, against the closed form.
//!
//! After a time `T` in steps of `Δt`, backward Euler is `½ g Δt T` too low and BDF2 with its ghost
//! start is exact; velocities are exact with both. The sheet stays flat.

use crate::check::{Band, Check};
use crate::experiment::{Error, Findings};
use crate::specimen::{self, GRAVITY};
use crate::table::Table;
use toile_sim::{Integrator, Material, Simulation, StepConfig};
use toile_view::plot::{Chart, Series};

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
    let mut chart = Chart::new("Free fall for one second")
        .x("step", "s")
        .y("height error", "m");
    for (name, integrator, lag) in [
        ("backward-euler", Integrator::BackwardEuler, 0.5),
        ("bdf2", Integrator::Bdf2, 0.0),
    ] {
        let mut points = Vec::new();
        for steps in [10_u32, 60, 120] {
            let step_s = DURATION_S / f64::from(steps);
            let (error, spread) = fall(integrator, steps, step_s)?;
            let theory = -lag * GRAVITY * step_s * DURATION_S;
            points.push([step_s, error]);
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
        let theory = |step_s: f64| [step_s, -lag * GRAVITY * step_s * DURATION_S];
        chart = chart
            .series(Series::dashed(
                format!("{name}, theory"),
                [0.0, 0.1].map(theory),
            ))
            .series(Series::points(name, points));
    }
    Ok(Findings {
        table,
        checks,
        figure: Box::new(chart),
        notes: "Backward Euler is ½ g Δt T too low after a time T: it uses each step's final \
                velocity for the whole step. BDF2 with its ghost start is exact. Neither disturbs \
                the sheet: an implicit step filters no rigid translation."
            .into(),
    })
}

/// Error of the mean height, and difference between highest and lowest particle.
fn fall(integrator: Integrator, steps: u32, step_s: f64) -> Result<(f64, f64), Error> {
    let sheet = specimen::sheet(21, 21, 0.02, Material::default());
    let model = specimen::model(sheet, GRAVITY)?;
    let config = StepConfig {
        integrator,
        ..StepConfig::default()
    };
    let mut simulation = Simulation::new(model, config);
    for _ in 0..steps {
        simulation.step(step_s)?;
    }
    let heights = simulation.state().positions.iter().map(|p| p.y);
    let count = simulation.state().positions.len() as f64;
    let mean = heights.clone().sum::<f64>() / count;
    let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| {
        (low.min(y), high.max(y))
    });
    let exact = -0.5 * GRAVITY * DURATION_S * DURATION_S;
    Ok((mean - exact, high - low))
}
