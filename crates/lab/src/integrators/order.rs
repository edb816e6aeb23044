//! Order of convergence.
//!
//! The oscillator is compared with its closed form, the framed cloth with RK4 at steps so short that
//! its error is rounding. The order is read between the two finest of three runs, each with half
//! the steps of the one before.

use super::problem::{self, Knowledge, Outcome, Problem, Steps};
use crate::check::{Band, Check};
use crate::experiment::Error;
use crate::ledger::Ledger;
use crate::schemes::{self, Kind};
use crate::theory::steps;
use toile_sim::{Integrator, Solve, StepConfig};
use toile_view::plot::{Chart, Series};

/// Steps of the reference.
const REFERENCE_STEPS: usize = 4096;
/// How far a measured order may be from theory.
const WITHIN: f64 = 0.1;
const OSCILLATOR: (f64, f64) = (7.0, 2.0);

/// Errors of runs with `count`, `2 count` and `4 count` steps.
struct Refinement {
    count: usize,
    errors: [f64; 3],
}

impl Refinement {
    fn measure(
        problem: &Problem,
        exact: &Outcome,
        config: StepConfig,
        (steps, count): (Steps, usize),
    ) -> Result<Self, Error> {
        let mut errors = [0.0; 3];
        for (k, error) in errors.iter_mut().enumerate() {
            let lengths = steps.lengths_s(count << k, problem.duration_s);
            *error = problem.error(&problem.run(config, &lengths)?, exact);
        }
        Ok(Self { count, errors })
    }

    fn order(&self) -> f64 {
        (self.errors[1] / self.errors[2]).log2()
    }

    fn points(&self, duration_s: f64) -> Vec<[f64; 2]> {
        let step_s = |k: usize| duration_s / (self.count << k) as f64;
        (0..3).map(|k| [1e3 * step_s(k), self.errors[k]]).collect()
    }
}

/// Enough steps to see nothing but the leading term of the error.
fn fewest_steps(order: f64) -> usize {
    match order {
        1.0 => 640,
        2.0 => 160,
        _ => 48,
    }
}

/// One row of orders.
struct Row<'a> {
    what: String,
    problem: &'a Problem,
    exact: &'a Outcome,
    solve: Solve,
    steps: Steps,
    /// What is expected of a scheme; `None` leaves it out.
    theory: fn(Integrator) -> Option<f64>,
}

impl Row<'_> {
    /// Measures the row and checks it.
    fn measure(&self, ledger: &mut Ledger) -> Result<Vec<(Integrator, Refinement)>, Error> {
        let (mut cells, mut measured) = (Vec::new(), Vec::new());
        for integrator in schemes::all() {
            let Some(theory) = (self.theory)(integrator) else {
                cells.push(None);
                continue;
            };
            let config = problem::exactly(integrator, self.solve);
            let runs = (self.steps, fewest_steps(theory));
            let refinement = Refinement::measure(self.problem, self.exact, config, runs)?;
            let order = refinement.order();
            cells.push(Some(format!("{order:.3}")));
            let band = Band::Between(theory - WITHIN, theory + WITHIN);
            ledger.check(integrator, &self.what, order, band);
            measured.push((integrator, refinement));
        }
        ledger.row(&self.what, cells);
        Ok(measured)
    }
}

fn own_order(integrator: Integrator) -> Option<f64> {
    Some(steps::order(integrator))
}

fn own_order_if_implicit(integrator: Integrator) -> Option<f64> {
    own_order(integrator).filter(|_| schemes::kind(integrator) == Kind::Implicit)
}

fn first_order_if_implicit(integrator: Integrator) -> Option<f64> {
    own_order_if_implicit(integrator).map(|_| 1.0)
}

/// Measures the order of every scheme on both problems; the chart shows errors on the cloth.
pub fn measure(ledger: &mut Ledger) -> Result<Chart, Error> {
    let theory = schemes::all().map(|integrator| Some(steps::order(integrator).to_string()));
    ledger.row("order, theory", theory);
    let (omega, c) = OSCILLATOR;
    let oscillator = problem::oscillator(omega, c, 1.0)?;
    for (steps, name) in Steps::ALL {
        let row = Row {
            what: format!("order, oscillator, {name} steps"),
            problem: &oscillator,
            exact: &problem::oscillator_end(&oscillator, c),
            solve: Solve::Once,
            steps,
            theory: own_order,
        };
        row.measure(ledger)?;
    }
    let chart = Chart::new("Framed cloth: error after 50 ms")
        .x("step", "ms")
        .y("error", "")
        .log_x()
        .log_y();
    let chart = converged(ledger, chart)?;
    once(ledger, chart)
}

/// The framed cloth with the equations of every step solved.
fn converged(ledger: &mut Ledger, mut chart: Chart) -> Result<Chart, Error> {
    let (cloth, end) = with_reference(Knowledge::Usual)?;
    ledger.checks.push(Check::new(
        "framed cloth: least extension of any link (%), so that none goes slack",
        100.0 * end.least_stretch,
        Band::AtLeast(1.0),
    ));
    for (steps, name) in Steps::ALL {
        let row = Row {
            what: format!("order, cloth, converged, {name} steps"),
            problem: &cloth,
            exact: &end,
            solve: Solve::Newton,
            steps,
            theory: own_order,
        };
        let measured = row.measure(ledger)?;
        if steps == Steps::Equal {
            for (integrator, refinement) in measured {
                let points = refinement.points(cloth.duration_s);
                chart = chart.series(schemes::line(integrator, points));
            }
        }
    }
    Ok(chart)
}

/// The framed cloth with one solve a step, whose matrix knows all or lacks something.
fn once(ledger: &mut Ledger, mut chart: Chart) -> Result<Chart, Error> {
    let row = |what: &str, problem, exact, theory| Row {
        what: format!("order, cloth, one solve, {what}"),
        problem,
        exact,
        solve: Solve::Once,
        steps: Steps::Equal,
        theory,
    };
    let (cloth, end) = with_reference(Knowledge::Exact)?;
    row("exact Jacobian", &cloth, &end, own_order_if_implicit).measure(ledger)?;
    let (cloth, end) = with_reference(Knowledge::Dropped)?;
    let dropped = row("dropped terms", &cloth, &end, first_order_if_implicit).measure(ledger)?;
    for (integrator, refinement) in dropped {
        if integrator == Integrator::Bdf2 {
            let points = refinement.points(cloth.duration_s);
            let dashed = Series::dashed("bdf2, one solve, dropped terms", points);
            chart = chart.series(dashed.color(schemes::color(integrator)));
        }
    }
    Ok(chart)
}

fn with_reference(knowledge: Knowledge) -> Result<(Problem, Outcome), Error> {
    let problem = problem::framed_cloth(knowledge)?;
    let config = problem::exactly(Integrator::Rk4, Solve::Once);
    let lengths = Steps::Equal.lengths_s(REFERENCE_STEPS, problem.duration_s);
    let end = problem.run(config, &lengths)?;
    Ok((problem, end))
}
