//! What each preconditioner saves: the same linear systems solved by all of them.
//!
//! A tablecloth falls; at a few moments its state is handed to one step with each preconditioner,
//! so all of them meet the same matrix and right-hand side. The source of the quad model found the
//! 3×3 block diagonal about 20 % better than the diagonal, and no gain from incomplete Cholesky and
//! LU factors, although they needed fewer iterations.

use crate::check::{Band, Check};
use crate::experiment::{Error, Findings};
use crate::specimen;
use crate::table::Table;
use std::sync::Arc;
use toile_sim::{Material, Model, Preconditioner, Simulation, Solve, State, StepConfig};
use toile_view::plot::{Chart, Panel, Series};

/// The published size and one of today.
const SIDES: [usize; 2] = [51, 201];
const STEP_S: f64 = 1.0 / 90.0;
/// Steps after which systems are taken: falling, swinging through, swinging back.
const MOMENTS: [u64; 3] = [15, 30, 45];
const TOLERANCE: f64 = 1e-3;

const ALL: [(Preconditioner, &str); 7] = [
    (Preconditioner::None, "none"),
    (Preconditioner::Diagonal, "diagonal"),
    (Preconditioner::BlockDiagonal, "block-diagonal"),
    (Preconditioner::IncompleteCholesky, "incomplete-cholesky"),
    (Preconditioner::IncompleteLu, "incomplete-lu"),
    (Preconditioner::Multilevel, "multilevel"),
    (Preconditioner::Direct, "direct"),
];

/// What the source reports beside its diagonal preconditioner: blocks were about a fifth better,
/// incomplete factors took fewer iterations and were no faster.
const PUBLISHED: [&str; 7] = [
    "-",
    "100",
    "about 80",
    "no gain, fewer iterations",
    "no gain, fewer iterations",
    "-",
    "-",
];

/// Means over the moments.
#[derive(Clone, Copy, Default)]
struct Cost {
    iterations: f64,
    /// Forces, matrix and preconditioner.
    set_up_s: f64,
    solve_s: f64,
}

/// Solves the same systems with all preconditioners.
pub fn run() -> Result<Findings, Error> {
    let mut costs = Vec::new();
    for side in SIDES {
        costs.push(measure(side)?);
    }
    let mut table = Table::new([
        "particles",
        "preconditioner",
        "iterations",
        "iterations, of diagonal (%)",
        "set-up (ms)",
        "solve (ms)",
        "time, of diagonal (%)",
        "published (%)",
    ]);
    for (side, costs) in SIDES.iter().zip(&costs) {
        let time = |cost: &Cost| cost.set_up_s + cost.solve_s;
        let diagonal = costs[1];
        for (((_, name), cost), published) in ALL.iter().zip(costs).zip(PUBLISHED) {
            table.row([
                format!("{side} × {side}"),
                (*name).to_owned(),
                format!("{:.0}", cost.iterations),
                format!("{:.0}", 100.0 * cost.iterations / diagonal.iterations),
                format!("{:.1}", 1e3 * cost.set_up_s),
                format!("{:.1}", 1e3 * cost.solve_s),
                format!("{:.0}", 100.0 * time(cost) / time(&diagonal)),
                published.to_owned(),
            ]);
        }
    }
    Ok(Findings {
        table,
        checks: checks(&costs),
        figure: Box::new(figure(&costs)),
        notes: NOTES.into(),
    })
}

/// Costs of all preconditioners at one resolution.
fn measure(side: usize) -> Result<[Cost; 7], Error> {
    let model = tablecloth(side)?;
    let mut fall = Simulation::new(model.clone(), config(Preconditioner::Multilevel));
    let mut states: Vec<State> = Vec::new();
    // The largest sheet is met once: plain conjugate gradients take their time there.
    let moments = if side > 101 { &MOMENTS[1..2] } else { &MOMENTS };
    for moment in moments {
        while fall.state().steps < *moment {
            fall.step(STEP_S)?;
        }
        states.push(fall.state().clone());
    }
    let mut costs = [Cost::default(); 7];
    for ((choice, _), cost) in ALL.iter().zip(&mut costs) {
        let mut simulation = Simulation::new(model.clone(), config(*choice));
        let share = 1.0 / states.len() as f64;
        for state in &states {
            simulation.restore(state.clone());
            let report = simulation.step(STEP_S)?;
            cost.iterations += share * f64::from(report.integration.linear_iterations);
            cost.set_up_s += share * report.phases.assembly_s;
            cost.solve_s += share * report.phases.solve_s;
        }
    }
    Ok(costs)
}

/// A square metre whose middle half-square is held. Stiffness grows with resolution, as it must
/// for the cloth to stretch by the same small share.
fn tablecloth(side: usize) -> Result<Arc<Model>, Error> {
    let cells = side - 1;
    let stretch = 2000.0 * cells as f64 / 50.0;
    let material = Material {
        stretch_warp_n_per_m: stretch,
        stretch_weft_n_per_m: stretch,
        shear_n_per_m: 0.5 * stretch,
        ..Material::default()
    };
    let sheet = specimen::sheet(side, side, 1.0 / cells as f64, material);
    let held = cells / 4..=cells - cells / 4;
    let cloth = specimen::held(sheet, |column, row| {
        held.contains(&column) && held.contains(&row)
    });
    Ok(specimen::model(cloth, specimen::GRAVITY)?)
}

fn config(preconditioner: Preconditioner) -> StepConfig {
    StepConfig {
        preconditioner,
        solve: Solve::Once,
        linear_tolerance: TOLERANCE,
        linear_max_iterations: 20_000,
        ..StepConfig::default()
    }
}

fn checks(costs: &[[Cost; 7]]) -> Vec<Check> {
    let mut checks = Vec::new();
    for (side, costs) in SIDES.iter().zip(costs) {
        let [_, diagonal, blocks, cholesky, lu, _, direct] = costs.map(|cost| cost.iterations);
        let mut ratio = |what: &str, value: f64, band| {
            checks.push(Check::new(format!("{side} × {side}: {what}"), value, band));
        };
        ratio(
            "block diagonal over diagonal (published: about 0.8)",
            blocks / diagonal,
            Band::Between(0.5, 1.0),
        );
        ratio(
            "incomplete Cholesky over block diagonal (published: fewer)",
            cholesky / blocks,
            Band::AtMost(0.6),
        );
        ratio(
            "incomplete LU over Cholesky (the same factors)",
            lu / cholesky,
            Band::Between(0.97, 1.03),
        );
        ratio("direct solves", direct, Band::Between(1.0, 1.0));
    }
    let [small, large] = [&costs[0], &costs[costs.len() - 1]];
    let growth = |which: usize| large[which].iterations / small[which].iterations;
    checks.push(Check::new(
        "growth of multilevel iterations over that of block diagonal, 51 to 201",
        growth(5) / growth(2),
        Band::AtMost(0.5),
    ));
    checks.push(Check::new(
        "201 × 201: multilevel over incomplete Cholesky",
        large[5].iterations / large[3].iterations,
        Band::AtMost(0.6),
    ));
    checks
}

fn figure(costs: &[[Cost; 7]]) -> Panel {
    let chart = |title: &str, unit: &str, value: &dyn Fn(&Cost) -> f64| {
        let mut chart = Chart::new(title)
            .x("particles along a side", "")
            .y(title, unit)
            .log_x()
            .log_y();
        for (k, (_, name)) in ALL.iter().enumerate() {
            let points = SIDES.iter().zip(costs);
            let points = points.map(|(side, costs)| [*side as f64, value(&costs[k])]);
            chart = chart.series(Series::line(*name, points.collect::<Vec<_>>()));
        }
        chart
    };
    Panel::new(2)
        .with(chart("iterations", "", &|cost| cost.iterations))
        .with(chart("time of one solve with set-up", "ms", &|cost| {
            1e3 * (cost.set_up_s + cost.solve_s)
        }))
}

const NOTES: &str = "One BDF2 step of 1/90 s with one solve to a residual of 1e-3, from the same \
states of a falling tablecloth (2 kN/m at 51 particles a side, growing with the resolution); means over \
three moments, one at 201. Times are of this machine now and are not checked; set-up includes forces \
and assembly, which the multilevel form does without.\n\
As published, block diagonal beats diagonal, here by more than a third of the iterations, and incomplete \
factors need fewer still. Unlike published, they pay: a quarter of the iterations of block diagonal outweighs \
their triangular solves, which cost about as much as a product again and run on one thread. ILU(0) of a \
symmetric matrix is IC(0) at twice the work. What changes the picture at high resolution is a coarse \
grid: the multilevel iterations grow least, and each of them is cheap.";
