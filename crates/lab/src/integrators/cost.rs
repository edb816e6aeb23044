//! What a given accuracy costs, and what the mixed schemes' velocity solves cost.
//!
//! Every scheme runs through the same motion of the framed cloth, with one solve a step and the
//! solver as scenes have it but for its tolerance, in as few equal steps as keep the error below
//! a target. Counted are evaluations of the force, with or without the matrix, and linear iterations;
//! the estimates of the limit are not, about ten evaluations every 32 steps.

use super::problem::{self, Knowledge, Outcome, Problem, Steps};
use crate::check::Band;
use crate::experiment::Error;
use crate::ledger::Ledger;
use crate::schemes::{self, Kind};
use crate::specimen;
use crate::taut::Taut;
use glam::DVec3;
use toile_sim::{
    ClothModel, Integrator, Material, Preconditioner, Simulation, Solve, StepConfig, StepError,
};
use toile_view::plot::Chart;

/// Errors to be met, as shares of the motion.
const TARGETS: [f64; 2] = [1e-2, 1e-3];
const REFERENCE_STEPS: usize = 4096;
/// More steps than this no scheme may need.
const MOST_STEPS: usize = 1 << 16;
/// What the source of the mixed schemes says of their iterations.
const PUBLISHED_ITERATIONS: f64 = 10.0;
/// Residual that the velocity solves stop at.
const VELOCITY_TOLERANCE: f64 = 1e-10;

/// Evaluations of the force in a run of some steps.
fn evaluations(integrator: Integrator, steps: usize, outcome: &Outcome) -> usize {
    let solves = outcome.solves as usize;
    match integrator {
        Integrator::BackwardEuler | Integrator::Bdf2 => solves,
        // And the acceleration at the start.
        Integrator::Trapezoidal | Integrator::Newmark(_) => solves + steps,
        Integrator::SymplecticEuler => steps,
        Integrator::CentralDifference
        | Integrator::LeapfrogTrapezoid
        | Integrator::CentralNewmark
        | Integrator::ImprovedVariableStep => 2 * steps,
        Integrator::Rk4 => 4 * steps,
    }
}

/// Solved by conjugate gradients, well below the errors looked for.
fn config(integrator: Integrator) -> StepConfig {
    StepConfig {
        integrator,
        preconditioner: Preconditioner::BlockDiagonal,
        linear_tolerance: 1e-8,
        ..StepConfig::default()
    }
}

/// A run that meets its target.
struct Met {
    steps: usize,
    evaluations: usize,
    outcome: Outcome,
}

/// Runs of one scheme with ever more steps.
struct Search<'a> {
    problem: &'a Problem,
    exact: &'a Outcome,
    integrator: Integrator,
}

impl Search<'_> {
    /// The error of a run and what it took; `None` above the limit of stability.
    fn run(&self, steps: usize) -> Result<Option<(f64, Outcome)>, Error> {
        let lengths = Steps::Equal.lengths_s(steps, self.problem.duration_s);
        match self.problem.run(config(self.integrator), &lengths) {
            Ok(outcome) => Ok(Some((self.problem.error(&outcome, self.exact), outcome))),
            Err(Error::Step(StepError::Unstable { .. })) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn meets(&self, steps: usize, target: f64) -> Result<bool, Error> {
        let run = self.run(steps)?;
        Ok(run.is_some_and(|(error, _)| error <= target))
    }

    /// As few steps as meet the target, to 2 %.
    fn fewest(&self, target: f64) -> Result<Met, Error> {
        let mut high = 4;
        while high < MOST_STEPS && !self.meets(high, target)? {
            high *= 2;
        }
        let mut low = high / 2;
        while high - low > 1 && (high - low) as f64 > 0.02 * high as f64 {
            let middle = (low + high) / 2;
            if self.meets(middle, target)? {
                high = middle;
            } else {
                low = middle;
            }
        }
        let outcome = self.run(high)?.map(|(_, outcome)| outcome);
        let outcome = outcome.unwrap_or_default();
        Ok(Met {
            steps: high,
            evaluations: evaluations(self.integrator, high, &outcome),
            outcome,
        })
    }

    /// Errors over evaluations, as far as they fall.
    fn curve(&self) -> Result<Vec<[f64; 2]>, Error> {
        let mut points = Vec::new();
        for steps in (3..12).map(|k| 1_usize << k) {
            if let Some((error, outcome)) = self.run(steps)? {
                let evaluations = evaluations(self.integrator, steps, &outcome);
                if (1e-6..1.0).contains(&error) {
                    points.push([evaluations as f64 / self.problem.duration_s, error]);
                }
            }
        }
        Ok(points)
    }
}

/// Measures costs; the chart shows errors over evaluations.
pub fn measure(ledger: &mut Ledger) -> Result<Chart, Error> {
    let mut chart = Chart::new("Framed cloth: error and work")
        .x("evaluations of the force per simulated second", "")
        .y("error", "")
        .log_x()
        .log_y();
    let problem = problem::framed_cloth(Knowledge::Usual)?;
    let lengths = Steps::Equal.lengths_s(REFERENCE_STEPS, problem.duration_s);
    let exact = problem.run(problem::exactly(Integrator::Rk4, Solve::Once), &lengths)?;
    let search = |integrator| Search {
        problem: &problem,
        exact: &exact,
        integrator,
    };
    for integrator in schemes::all() {
        chart = chart.series(schemes::line(integrator, search(integrator).curve()?));
    }
    for target in TARGETS {
        let mut met = Vec::new();
        for integrator in schemes::all() {
            met.push((integrator, search(integrator).fewest(target)?));
        }
        let per_second = 1.0 / problem.duration_s;
        let mut row = |what: &str, value: &dyn Fn(Integrator, &Met) -> Option<f64>| {
            let cells = met.iter().map(|(integrator, met)| {
                value(*integrator, met).map(|value| format!("{value:.0}"))
            });
            ledger.row(
                &format!("error {target}: {what} a second"),
                cells.collect::<Vec<_>>(),
            );
        };
        row("steps", &|_, met| Some(per_second * met.steps as f64));
        row("evaluations", &|_, met| {
            Some(per_second * met.evaluations as f64)
        });
        row("linear iterations", &|integrator, met| {
            let solves = schemes::kind(integrator) != Kind::Explicit;
            solves.then_some(per_second * f64::from(met.outcome.iterations))
        });
        row("time (ms)", &|_, met| {
            Some(1e3 * per_second * met.outcome.time_s)
        });
        compare(ledger, target, &met);
    }
    velocity_solves(ledger)?;
    Ok(chart)
}

/// What the orders promise: at a small error, a higher one needs less.
fn compare(ledger: &mut Ledger, target: f64, met: &[(Integrator, Met)]) {
    let of = |wanted: Integrator| {
        let found = met.iter().find(|(integrator, _)| *integrator == wanted);
        found.map_or(f64::NAN, |(_, met)| met.evaluations as f64)
    };
    let pairs = [
        (Integrator::Bdf2, Integrator::BackwardEuler),
        (Integrator::Trapezoidal, Integrator::BackwardEuler),
        (Integrator::CentralDifference, Integrator::SymplecticEuler),
        (Integrator::Rk4, Integrator::CentralDifference),
    ];
    for (better, worse) in pairs {
        let what = format!("error {target}: evaluations, of {}", worse.name());
        ledger.check(better, &what, of(better) / of(worse), Band::AtMost(1.0));
    }
}

/// Iterations of the mixed schemes' velocity solves, at nine tenths of their limit, from weak to
/// strong dampers.
fn velocity_solves(ledger: &mut Ledger) -> Result<(), Error> {
    for (damper, name) in [(1e-4, "1e-4 (default)"), (1e-2, "1e-2"), (1.0, "1")] {
        let mut cells = Vec::new();
        for integrator in schemes::all() {
            if schemes::kind(integrator) != Kind::Mixed {
                cells.push(None);
                continue;
            }
            let solves = solves_at_speed(integrator, damper)?;
            cells.push(Some(format!("{:.1} (most {})", solves.mean, solves.most)));
            ledger.check(
                integrator,
                &format!(
                    "dampers of {name} N·s/m: most iterations of a velocity solve, of the bound"
                ),
                f64::from(solves.most) / solves.bound,
                Band::AtMost(1.0),
            );
            if damper <= 1e-4 {
                let what = format!(
                    "dampers of {name} N·s/m: mean iterations (published: usually below ten)"
                );
                ledger.check(
                    integrator,
                    &what,
                    solves.mean,
                    Band::AtMost(PUBLISHED_ITERATIONS),
                );
            }
        }
        ledger.row(
            &format!("iterations of a velocity solve, dampers {name}"),
            cells,
        );
    }
    Ok(())
}

/// Iterations of velocity solves.
struct VelocitySolves {
    mean: f64,
    most: u32,
    /// `½ √κ ln(2 √κ / tolerance) + 1`, the theory of conjugate gradients, with the condition
    /// `κ = 1 + ½Δt c` of the damped masses.
    bound: f64,
}

fn solves_at_speed(integrator: Integrator, damper_n_s_per_m: f64) -> Result<VelocitySolves, Error> {
    let taut = Taut {
        cells: 16,
        spacing_m: 0.02,
        strain: 0.02,
        laws: ClothModel::QuadBuckling,
        material: Material {
            damping_n_s_per_m: damper_n_s_per_m,
            ..Taut::limp(2000.0, 1000.0)
        },
    };
    let (model, mut state) = taut.build()?;
    let mut noise = specimen::noise(11);
    for (i, v) in state.velocities.iter_mut().enumerate() {
        if !taut.is_held(i) {
            *v = 0.1 * DVec3::new(noise(), noise(), noise());
        }
    }
    let mut simulation = Simulation::new(model, config(integrator));
    simulation.restore(state);
    let share = simulation.step(1e-7)?.share_of_limit;
    let step_s = 0.9e-7 / share;
    let (mut solves, mut iterations, mut most) = (0, 0, 0);
    for _ in 0..100 {
        let info = simulation.step(step_s)?.integration;
        solves += info.solves;
        iterations += info.linear_iterations;
        most = most.max(info.linear_iterations_max);
    }
    let rate = simulation
        .state()
        .rates
        .map_or(0.0, |rates| rates.damping_per_s);
    let root = (1.0 + 0.5 * step_s * rate).sqrt();
    Ok(VelocitySolves {
        mean: f64::from(iterations) / f64::from(solves),
        most,
        bound: 0.5 * root * (2.0 * root / VELOCITY_TOLERANCE).ln() + 1.0,
    })
}
