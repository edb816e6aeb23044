//! Vibration of a cloth in a frame: the same steps meet stiff motion within the plane and soft
//! motion out of it.
//!
//! Two runs of the same mode, one that starts displaced and one that starts moving, span an area in
//! phase space that shrinks as the energy does, whatever the phase.

use crate::check::Band;
use crate::experiment::Error;
use crate::ledger::Ledger;
use crate::schemes::{self, Kind};
use crate::taut::Taut;
use crate::theory::steps;
use glam::DVec3;
use std::f64::consts::TAU;
use toile_sim::{ClothModel, Integrator, Preconditioner, Simulation, StepConfig};
use toile_view::plot::{Chart, Series};

/// `ωΔt` within the plane: one that explicit schemes bear, and one they do not.
const TURNS: [f64; 2] = [0.5, 3.0];
/// So small that forces are linear, m.
const SIZE_M: f64 = 1e-7;
/// Steps in which BDF2 forgets its start, and the longest `ωΔt` at which it does so soon enough to
/// be measured.
const FORGET: usize = 24;
const FORGETTING_TURN: f64 = 0.6;
/// Share of the area that a run may lose before rounding is seen, and its most steps.
const LEAST_AREA: f64 = 1e-8;
const MOST_STEPS: usize = 400;

/// A direction of motion.
#[derive(Clone, Copy)]
struct Motion {
    name: &'static str,
    along: DVec3,
    in_plane: bool,
}

const MOTIONS: [Motion; 2] = [
    Motion {
        name: "in plane",
        along: DVec3::X,
        in_plane: true,
    },
    Motion {
        name: "out of plane",
        along: DVec3::Y,
        in_plane: false,
    },
];

fn taut() -> Taut {
    Taut {
        cells: 4,
        spacing_m: 0.02,
        strain: 0.01,
        laws: ClothModel::QuadBuckling,
        material: Taut::limp(200.0, 0.0),
    }
}

/// Place and velocity of the mode at every step, in the same unit.
fn course(
    integrator: Integrator,
    motion: Motion,
    (step_s, steps): (f64, usize),
    [place, speed]: [f64; 2],
) -> Result<Vec<[f64; 2]>, Error> {
    let taut = taut();
    let (model, mut state) = taut.build()?;
    let omega = taut.frequency_per_s(1, 1, motion.in_plane);
    let mode = taut.mode(1, 1);
    let rest = state.positions.clone();
    for (i, share) in mode.iter().enumerate() {
        state.positions[i] += SIZE_M * place * share * motion.along;
        state.velocities[i] = SIZE_M * omega * speed * share * motion.along;
    }
    let config = StepConfig {
        integrator,
        preconditioner: Preconditioner::Direct,
        ..StepConfig::default()
    };
    let mut simulation = Simulation::new(model, config);
    simulation.restore(state);
    let square: f64 = mode.iter().map(|share| share * share).sum();
    let mut course = Vec::with_capacity(steps);
    for _ in 0..steps {
        simulation.step(step_s)?;
        let state = simulation.state();
        let (mut x, mut v) = (0.0, 0.0);
        for (i, share) in mode.iter().enumerate() {
            x += share * motion.along.dot(state.positions[i] - rest[i]);
            v += share * motion.along.dot(state.velocities[i]);
        }
        course.push([x / square / SIZE_M, v / square / SIZE_M / omega]);
    }
    Ok(course)
}

/// Share of the energy that the mode keeps in a step, in the mean over its phases.
fn kept(integrator: Integrator, motion: Motion, step_s: f64, expected: f64) -> Result<f64, Error> {
    let forget = if integrator == Integrator::Bdf2 {
        FORGET
    } else {
        1
    };
    let worth = LEAST_AREA.ln() / expected.min(1.0 - 1e-9).ln() - forget as f64;
    let steps = (worth as usize).clamp(1, MOST_STEPS);
    let run = (step_s, forget + steps);
    let displaced = course(integrator, motion, run, [1.0, 0.0])?;
    let moving = course(integrator, motion, run, [0.0, 1.0])?;
    let area = |k: usize| {
        let (a, b) = (displaced[k], moving[k]);
        (a[0] * b[1] - a[1] * b[0]).abs()
    };
    let shrunk = area(forget + steps - 1) / area(forget - 1);
    Ok(shrunk.powf(1.0 / steps as f64))
}

/// Energy lost in a period of `2π/turn` steps, each of which keeps a share.
fn loss_per_period(kept: f64, turn: f64) -> f64 {
    1.0 - kept.powf(TAU / turn)
}

/// Measures decay per period; the chart has theory as lines and what was measured as points.
pub fn measure(ledger: &mut Ledger) -> Result<Chart, Error> {
    let taut = taut();
    let mut points = vec![Vec::new(); schemes::COUNT];
    for turn_in_plane in TURNS {
        let step_s = turn_in_plane / taut.frequency_per_s(1, 1, true);
        for motion in MOTIONS {
            let turn = step_s * taut.frequency_per_s(1, 1, motion.in_plane);
            let (mut measured, mut theories) = (Vec::new(), Vec::new());
            for (integrator, points) in schemes::all().into_iter().zip(&mut points) {
                if turn_in_plane > 1.0 && schemes::kind(integrator) != Kind::Implicit {
                    measured.push(None);
                    theories.push(None);
                    continue;
                }
                let theory = steps::oscillator(integrator, turn);
                let kept = kept(integrator, motion, step_s, theory)?;
                points.push([turn, loss_per_period(kept, turn)]);
                measured.push(Some(format!("{:.3e}", loss_per_period(kept, turn))));
                theories.push(Some(format!("{:.3e}", loss_per_period(theory, turn))));
                if integrator == Integrator::Bdf2 && turn > FORGETTING_TURN {
                    continue;
                }
                // Relative where there is something to lose; elsewhere rounding.
                let what = format!(
                    "{}, ωΔt = {turn:.2}: energy lost a step, difference to theory",
                    motion.name
                );
                let band = Band::AtMost(1e-3 * (1.0 - theory) + 1e-11);
                ledger.check(integrator, &what, (kept - theory).abs(), band);
            }
            let what = format!("energy lost a period, {}, ωΔt = {turn:.2}", motion.name);
            ledger.row(&what, measured);
            ledger.row("  theory", theories);
        }
    }
    let mut chart = Chart::new("Vibration: energy lost in a period (lines: theory)")
        .x("ω Δt", "")
        .y("share lost", "")
        .log_x()
        .y_range(0.0, 1.05);
    for (integrator, points) in schemes::all().into_iter().zip(points) {
        let lossless = steps::oscillator(integrator, 0.5) == 1.0;
        if lossless && integrator != Integrator::Trapezoidal {
            continue;
        }
        let reach = if schemes::kind(integrator) == Kind::Implicit {
            5.0_f64
        } else {
            2.8
        };
        let turns = (0..=100).map(|k| 0.05 * (reach / 0.05).powf(f64::from(k) / 100.0));
        let theory = turns.map(|turn| {
            [
                turn,
                loss_per_period(steps::oscillator(integrator, turn), turn),
            ]
        });
        let color = schemes::color(integrator);
        chart = chart.series(schemes::line(integrator, theory)).series(
            Series::points(format!("{}, measured", integrator.name()), points).color(color),
        );
    }
    Ok(chart)
}
