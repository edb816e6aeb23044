//! Energy of an undamped oscillator over ten thousand steps.
//!
//! Two oscillators of the same frequency, one that starts displaced and one that starts moving,
//! span a parallelogram in phase space. Its area shrinks by exactly the mean share of energy that
//! a scheme loses, whatever the phase, and so tells decay from swing.

use super::problem;
use crate::check::Band;
use crate::experiment::Error;
use crate::ledger::Ledger;
use crate::schemes;
use crate::theory::steps;
use toile_sim::{Integrator, Simulation, Solve};
use toile_view::plot::Chart;

const OMEGA_PER_S: f64 = 10.0;
/// `ωΔt`.
const TURN: f64 = 0.1;
const STEPS: usize = 10_000;
/// Steps after which a multistep scheme has forgotten its start.
const FORGET: usize = 50;

/// What became of the energy.
struct Course {
    /// Mean share lost in a step.
    loss: f64,
    /// Highest over lowest energy within the last thousand steps, less 1, decay taken out.
    swing: f64,
    /// Energy as a share of the start's, now and then.
    points: Vec<[f64; 2]>,
}

fn course(integrator: Integrator) -> Result<Course, Error> {
    let problem = problem::oscillator(OMEGA_PER_S, 0.0, 1.0)?;
    let mut simulation = Simulation::new(
        problem.model.clone(),
        problem::exactly(integrator, Solve::Once),
    );
    simulation.restore(problem.start.clone());
    // Along x the displaced oscillator, along z the moving one: (ωx, v) of both.
    let phases = |simulation: &Simulation| {
        let x = OMEGA_PER_S * (simulation.state().positions[0] - problem.rest[0]);
        let v = simulation.state().velocities[0];
        ([x.x, v.x], [x.z, v.z])
    };
    let area = |(a, b): ([f64; 2], [f64; 2])| (a[0] * b[1] - a[1] * b[0]).abs();
    let energy = |(a, _): ([f64; 2], [f64; 2])| a[0] * a[0] + a[1] * a[1];
    let first = energy(phases(&simulation));
    let mut points = vec![[1.0, 1.0]];
    let (mut area_before, mut next_point) = (0.0, 1.0);
    let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
    for step in 1..=STEPS {
        simulation.step(TURN / OMEGA_PER_S)?;
        let now = phases(&simulation);
        if step == FORGET {
            area_before = area(now);
        }
        if step as f64 >= next_point {
            points.push([step as f64, (energy(now) / first).max(1e-12)]);
            next_point *= 1.05;
        }
        if step > STEPS - 1000 {
            let kept = energy(now) / area(now);
            (low, high) = (low.min(kept), high.max(kept));
        }
    }
    let shrunk = area(phases(&simulation)) / area_before;
    Ok(Course {
        loss: -(shrunk.ln() / (STEPS - FORGET) as f64).exp_m1(),
        swing: high / low - 1.0,
        points,
    })
}

/// Measures decay and swing; the chart shows the energy over the steps.
pub fn measure(ledger: &mut Ledger) -> Result<Chart, Error> {
    let mut chart = Chart::new("Undamped oscillator, ωΔt = 0.1: energy")
        .x("steps", "")
        .y("energy, of the start", "")
        .log_x()
        .y_range(0.0, 1.2);
    let (mut losses, mut theories, mut swings) = (Vec::new(), Vec::new(), Vec::new());
    for integrator in schemes::all() {
        let course = course(integrator)?;
        let theory = 1.0 - steps::oscillator(integrator, TURN);
        losses.push(Some(format!("{:.3e}", course.loss)));
        theories.push(Some(format!("{theory:.3e}")));
        swings.push(Some(format!("{:.3e}", course.swing)));
        // Relative where there is something to lose, and rounding of ten thousand steps.
        let off = (course.loss - theory).abs();
        ledger.check(
            integrator,
            "energy lost a step, difference to theory",
            off,
            Band::AtMost(1e-6 * theory + 1e-14),
        );
        if let Some(theory) = steps::swing(integrator, TURN) {
            ledger.check(
                integrator,
                "swing of energy after 10⁴ steps, difference to theory",
                (course.swing - theory).abs(),
                Band::AtMost(1e-3 * theory + 1e-9),
            );
        }
        chart = chart.series(schemes::line(integrator, course.points));
    }
    ledger.row("energy lost a step, ωΔt = 0.1", losses);
    ledger.row("energy lost a step, theory", theories);
    ledger.row("swing of energy after 10⁴ steps", swings);
    Ok(chart)
}
