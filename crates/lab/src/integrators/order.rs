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

/// Measures the order of every scheme on both problems; the chart shows errors on the cloth.
pub fn measure(ledger: &mut Ledger) -> Result<Chart, Error> {
    ledger.row(
        "order, theory",
        schemes::all().map(|integrator| Some(format!("{}", steps::order(integrator)))),
    );
    let (omega, c) = OSCILLATOR;
    let oscillator = problem::oscillator(omega, c, 1.0)?;
    let oscillator_end = problem::oscillator_end(&oscillator, c);
    for (steps, name) in Steps::ALL {
        column(
            ledger,
            &format!("order, oscillator, {name} steps"),
            |integrator| {
                let config = problem::exactly(integrator, Solve::Once);
                let theory = steps::order(integrator);
                let runs = (steps, fewest_steps(theory));
                Ok(Some((
                    theory,
                    Refinement::measure(&oscillator, &oscillator_end, config, runs)?,
                )))
            },
        )?;
    }
    let mut chart = Chart::new("Framed cloth: error after 50 ms")
        .x("step", "ms")
        .y("error", "")
        .log_x()
        .log_y();
    let (cloth, end) = with_reference(Knowledge::Usual)?;
    ledger.checks.push(Check::new(
        "framed cloth: least extension of any link (%), so that none goes slack",
        100.0 * end.least_stretch,
        Band::AtLeast(1.0),
    ));
    for (steps, name) in Steps::ALL {
        let what = format!("order, cloth, converged, {name} steps");
        let measured = column(ledger, &what, |integrator| {
            let config = problem::exactly(integrator, Solve::Newton);
            let theory = steps::order(integrator);
            let runs = (steps, fewest_steps(theory));
            Ok(Some((
                theory,
                Refinement::measure(&cloth, &end, config, runs)?,
            )))
        })?;
        if steps == Steps::Equal {
            for (integrator, refinement) in measured {
                let points = refinement.points(cloth.duration_s);
                chart = chart.series(schemes::line(integrator, points));
            }
        }
    }
    let (exact, exact_end) = with_reference(Knowledge::Exact)?;
    column(
        ledger,
        "order, cloth, one solve, exact Jacobian",
        |integrator| {
            if schemes::kind(integrator) != Kind::Implicit {
                return Ok(None);
            }
            let config = problem::exactly(integrator, Solve::Once);
            let theory = steps::order(integrator);
            let runs = (Steps::Equal, fewest_steps(theory));
            Ok(Some((
                theory,
                Refinement::measure(&exact, &exact_end, config, runs)?,
            )))
        },
    )?;
    let (dropped, dropped_end) = with_reference(Knowledge::Dropped)?;
    let measured = column(
        ledger,
        "order, cloth, one solve, dropped terms",
        |integrator| {
            if schemes::kind(integrator) != Kind::Implicit {
                return Ok(None);
            }
            let config = problem::exactly(integrator, Solve::Once);
            let runs = (Steps::Equal, fewest_steps(1.0));
            Ok(Some((
                1.0,
                Refinement::measure(&dropped, &dropped_end, config, runs)?,
            )))
        },
    )?;
    for (integrator, refinement) in measured {
        if integrator == Integrator::Bdf2 {
            let points = refinement.points(dropped.duration_s);
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

/// A row of orders with their checks: `refine` gives each scheme's theory and its errors.
fn column(
    ledger: &mut Ledger,
    what: &str,
    mut refine: impl FnMut(Integrator) -> Result<Option<(f64, Refinement)>, Error>,
) -> Result<Vec<(Integrator, Refinement)>, Error> {
    let (mut cells, mut measured) = (Vec::new(), Vec::new());
    for integrator in schemes::all() {
        let Some((theory, refinement)) = refine(integrator)? else {
            cells.push(None);
            continue;
        };
        let order = refinement.order();
        cells.push(Some(format!("{order:.3}")));
        let band = Band::Between(theory - WITHIN, theory + WITHIN);
        ledger.check(integrator, what, order, band);
        measured.push((integrator, refinement));
    }
    ledger.row(what, cells);
    Ok(measured)
}
