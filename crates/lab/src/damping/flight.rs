//! A handkerchief in free flight: the cloth of the scene of that name on a coarser grid, without
//! gravity or air, crumpled, turning and drifting.
//!
//! Inner forces cannot push the whole, so momentum is kept: to rounding where the linear systems are
//! solved so, else to the tolerance of the solver. And a drift is only a drift: with it and
//! without it the cloth moves in the same way.

use super::rigid::{Promise, promise};
use super::{angular_momentum, linear_momentum};
use crate::check::Band;
use crate::experiment::Error;
use crate::ledger::Ledger;
use crate::schemes::{self, Kind};
use crate::specimen;
use glam::DVec3;
use std::sync::Arc;
use toile_io::{builtin, scene};
use toile_sim::report::Energy;
use toile_sim::{Integrator, Model, Preconditioner, Simulation, Solve, State, StepConfig};
use toile_view::plot::{Chart, Series};

const SCENE: &str = "handkerchief";
const SIDE: usize = 13;
const DRIFT: DVec3 = DVec3::new(0.7, -1.1, 0.4);
const STEPS: usize = 100;
/// Share of its limit at which a scheme that has one is stepped, and the step of the others, s.
const SHARE_OF_LIMIT: f64 = 0.5;
const FREE_STEP_S: f64 = 1.0 / 500.0;
/// Tolerance of conjugate gradients.
const TOLERANCE: f64 = 1e-6;

/// Smallest change that a chart shows.
const SHOWN: f64 = 1e-17;

const LINEAR: &str = "flight: change of linear momentum";
const ANGULAR: &str = "flight: change of angular momentum";
const CARRIED: &str = "flight: what the drift changes (m)";
const ITERATED_LINEAR: &str = "flight, conjugate gradients to 1e-6: change of linear momentum";

fn handkerchief() -> Result<Arc<Model>, Error> {
    let found = builtin::scenes().iter().find(|scene| scene.name == SCENE);
    let text = found.map_or("", |scene| scene.text);
    let mut spec = scene::parse(text, SCENE, &[])?.model;
    spec.gravity_m_per_s2 = DVec3::ZERO;
    for cloth in &mut spec.cloths {
        if let Some(sheet) = cloth.sheet_mut() {
            (sheet.grid.columns, sheet.grid.rows) = (SIDE, SIDE);
            sheet.center = DVec3::ZERO;
        }
    }
    Ok(Arc::new(Model::build(&spec)?))
}

/// Crumpled and turning, and drifting.
fn thrown(model: &Model, drift: DVec3) -> State {
    let mut state = State::start(model);
    let mut noise = specimen::noise(5);
    let mut random = move || DVec3::new(noise(), noise(), noise());
    let spin = DVec3::new(2.0, 5.0, -1.0);
    for (x, v) in state.positions.iter_mut().zip(&mut state.velocities) {
        *x += 1e-3 * random();
        *v = drift + spin.cross(*x) + 0.1 * random();
    }
    state
}

/// One flight.
struct Flight {
    /// Change of linear and angular momentum, each as a share of the sum of its parts' sizes.
    linear: f64,
    angular: f64,
    /// Energy at the end, as a share of the start's.
    energy: f64,
    /// Steps whose equations Newton did not solve; all of them without Newton.
    unsolved: u32,
    time_s: f64,
    positions: Vec<DVec3>,
    /// The same over the steps.
    linear_course: Vec<[f64; 2]>,
    angular_course: Vec<[f64; 2]>,
}

/// How linear systems and steps are solved.
#[derive(Clone, Copy)]
struct Solver(Preconditioner, Solve);

const DIRECT: Solver = Solver(Preconditioner::Direct, Solve::Once);
const CONVERGED: Solver = Solver(Preconditioner::Direct, Solve::Newton);
const ITERATED: Solver = Solver(Preconditioner::BlockDiagonal, Solve::Once);

fn fly(
    model: &Arc<Model>,
    integrator: Integrator,
    Solver(preconditioner, solve): Solver,
    drift: DVec3,
) -> Result<Flight, Error> {
    let config = StepConfig {
        integrator,
        solve,
        preconditioner,
        linear_tolerance: TOLERANCE,
        newton_tolerance: 1e-9,
        newton_max_iterations: 100,
        ..StepConfig::default()
    };
    let start = thrown(model, drift);
    let mut simulation = Simulation::new(model.clone(), config);
    simulation.restore(start.clone());
    let step_s = if integrator.has_limit() {
        let tiny_s = 1e-8;
        let step_s = SHARE_OF_LIMIT * tiny_s / simulation.step(tiny_s)?.share_of_limit;
        simulation.restore(start.clone());
        step_s
    } else {
        FREE_STEP_S
    };
    let parts = || {
        (0..start.positions.len())
            .map(|i| (model.masses[i], start.positions[i], start.velocities[i]))
    };
    let linear_size: f64 = parts().map(|(m, _, v)| m * v.length()).sum();
    let angular_size: f64 = parts().map(|(m, x, v)| m * x.cross(v).length()).sum();
    let before = (
        linear_momentum(model, &start),
        angular_momentum(model, &start),
    );
    let (mut linear_course, mut angular_course) = (Vec::new(), Vec::new());
    let (mut linear, mut angular, mut unsolved) = (0.0, 0.0, 0);
    for step in 1..=STEPS {
        let report = simulation.step(step_s)?;
        unsolved += u32::from(!report.integration.converged);
        let state = simulation.state();
        linear = (linear_momentum(model, state) - before.0).length() / linear_size;
        angular = (angular_momentum(model, state) - before.1).length() / angular_size;
        linear_course.push([step as f64, linear.max(SHOWN)]);
        angular_course.push([step as f64, angular.max(SHOWN)]);
    }
    let state = simulation.state();
    Ok(Flight {
        linear,
        angular,
        energy: Energy::of(model, state).total_j() / Energy::of(model, &start).total_j(),
        unsolved,
        time_s: state.time_s,
        positions: state.positions.clone(),
        linear_course,
        angular_course,
    })
}

fn chart(momentum: &str) -> Chart {
    Chart::new(format!(
        "Drifting handkerchief: change of {momentum} momentum"
    ))
    .x("steps", "")
    .y("share", "")
    .log_y()
}

/// Flies with every scheme; the charts show the changes of linear and angular momentum.
pub fn measure(ledger: &mut Ledger) -> Result<[Chart; 2], Error> {
    let model = handkerchief()?;
    let (mut linear_chart, mut angular_chart) = (chart("linear"), chart("angular"));
    let mut rows: [Vec<Option<String>>; 8] = Default::default();
    for integrator in schemes::all() {
        let flight = fly(&model, integrator, DIRECT, DRIFT)?;
        rows[0].push(Some(format!("{:.1e}", flight.linear)));
        ledger.check(integrator, LINEAR, flight.linear, Band::AtMost(1e-12));

        rows[1].push(Some(format!("{:.1e}", flight.angular)));
        // The fabric of the scene has axial dampers.
        if promise(integrator, true) == Promise::Kept {
            ledger.check(integrator, ANGULAR, flight.angular, Band::AtMost(1e-12));
        }

        let still = fly(&model, integrator, DIRECT, DVec3::ZERO)?;
        let shift = flight.time_s * DRIFT;
        let carried: Vec<DVec3> = still.positions.iter().map(|x| *x + shift).collect();
        let apart_m = specimen::farthest_move_m(&carried, &flight.positions);
        rows[2].push(Some(format!("{apart_m:.1e}")));
        ledger.check(integrator, CARRIED, apart_m, Band::AtMost(1e-10));

        rows[3].push(Some(format!("{:.3}", flight.energy)));
        let color = schemes::color(integrator);
        if schemes::kind(integrator) == Kind::Implicit {
            let converged = fly(&model, integrator, CONVERGED, DRIFT)?;
            rows[4].push(Some(format!("{:.1e}", converged.angular)));
            rows[5].push(Some(format!("{:.3}", converged.energy)));
            rows[6].push(Some(converged.unsolved.to_string()));
            let name = format!("{}, Newton", integrator.name());
            let dashed = Series::dashed(name, converged.angular_course).color(color);
            angular_chart = angular_chart.series(dashed);

            let rough = fly(&model, integrator, ITERATED, DRIFT)?;
            rows[7].push(Some(format!("{:.1e}", rough.linear)));
            let each_step = Band::AtMost(STEPS as f64 * TOLERANCE);
            ledger.check(integrator, ITERATED_LINEAR, rough.linear, each_step);
            let name = format!("{}, conjugate gradients", integrator.name());
            let dashed = Series::dashed(name, rough.linear_course).color(color);
            linear_chart = linear_chart.series(dashed);
        } else {
            rows[4..].iter_mut().for_each(|row| row.push(None));
        }
        linear_chart = linear_chart.series(schemes::line(integrator, flight.linear_course));
        angular_chart = angular_chart.series(schemes::line(integrator, flight.angular_course));
    }
    let names = [
        LINEAR,
        ANGULAR,
        CARRIED,
        "flight: energy at the end, of the start",
        "flight, Newton: change of angular momentum",
        "flight, Newton: energy at the end, of the start",
        "flight, Newton: steps that did not converge",
        ITERATED_LINEAR,
    ];
    for (name, row) in names.into_iter().zip(rows) {
        ledger.row(name, row);
    }
    Ok([linear_chart, angular_chart])
}
