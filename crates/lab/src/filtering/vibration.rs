//! In-plane vibration: the motion that implicit steps are meant to remove.

use super::{Notebook, SPACING_M, exact, material};
use crate::check::Band;
use crate::experiment::Error;
use crate::specimen;
use crate::theory::steps;
use toile_sim::{Integrator, Simulation, State};
use toile_view::plot::{Chart, Series};

/// One free particle among eight held ones: pulled from one side at a time, it is a linear
/// oscillator of stiffness `k_s + k_sh`.
pub fn measure(
    notes: &mut Notebook,
    chart: Chart,
    (name, integrator): (&str, Integrator),
) -> Result<Chart, Error> {
    let material = material(None);
    let cloth = specimen::sheet(3, 3, SPACING_M, material);
    let cloth = specimen::held(cloth, |column, row| (column, row) != (1, 1));
    let model = specimen::model(cloth, 0.0)?;
    let (centre, stiffness) = (4, material.stretch_warp_n_per_m + material.shear_n_per_m);
    let mass = model.masses[centre];
    let frequency = (stiffness / mass).sqrt();
    let mut points = Vec::new();
    for (turn, steps_taken) in [
        (0.1, 400),
        (0.2, 400),
        (0.5, 100),
        (1.0, 20),
        (2.0, 8),
        (5.0, 5),
    ] {
        let mut state = State::start(&model);
        state.positions[centre].x += 1e-6;
        let mut simulation = Simulation::new(model.clone(), exact(integrator));
        simulation.restore(state);
        let energy = |simulation: &Simulation| {
            let state = simulation.state();
            0.5 * mass * state.velocities[centre].x.powi(2)
                + 0.5 * stiffness * state.positions[centre].x.powi(2)
        };
        // BDF2 forgets its start first.
        for _ in 0..2 {
            simulation.step(turn / frequency)?;
        }
        let start = energy(&simulation);
        for _ in 0..steps_taken {
            simulation.step(turn / frequency)?;
        }
        let kept = (energy(&simulation) / start).powf(1.0 / f64::from(steps_taken));
        let theory = steps::oscillator(integrator, turn);
        points.push([turn, kept]);
        notes.row(
            &format!("vibration, ωΔt = {turn}"),
            ("no", name),
            "energy kept per step",
            kept,
            Some(theory),
        );
        // The energy of BDF2 swings about its mean decay.
        let (band, note) = match integrator {
            Integrator::BackwardEuler => (1e-5, "loss per step against that of 1/(1+ω²Δt²)"),
            Integrator::Bdf2 if turn > 0.6 => continue,
            _ => (1e-2, "loss per step against that of the scheme's root"),
        };
        let loss = (1.0 - kept) / (1.0 - theory);
        notes.check(
            format!("vibration, {name}, ωΔt = {turn}: {note}"),
            (loss - 1.0).abs(),
            Band::AtMost(band),
        );
    }
    let curve = (0..=200).map(|k| 0.05 * 200_f64.powf(f64::from(k) / 200.0));
    let curve = curve.map(|turn| [turn, steps::oscillator(integrator, turn)]);
    Ok(chart
        .series(Series::line(format!("{name}, theory"), curve))
        .series(Series::points(name, points)))
}
