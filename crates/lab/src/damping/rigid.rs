//! A free sheet that moves as a rigid body.
//!
//! Translation feels no inner force, so no scheme may touch it. Rotation does: links pull towards
//! the axis. Schemes that take every force at the positions it acts on, and move positions by the
//! velocity they end the kick with, keep angular momentum exactly; backward differences lose what
//! a rigid body stepped by the same rule loses; of the others nothing is promised.

use super::{angular_momentum, linear_momentum};
use crate::check::Band;
use crate::experiment::Error;
use crate::ledger::Ledger;
use crate::schemes;
use crate::specimen;
use crate::theory::steps;
use glam::DVec3;
use std::f64::consts::TAU;
use std::sync::Arc;
use toile_sim::report::Energy;
use toile_sim::{
    DampingKind, Integrator, Material, Model, Preconditioner, Simulation, Solve, State, StepConfig,
};
use toile_view::plot::Chart;

const SIDE: usize = 7;
const SPACING_M: f64 = 0.02;
const VELOCITY: DVec3 = DVec3::new(1.0, 2.0, -0.5);
const SPIN_RAD_PER_S: f64 = TAU;
const STEPS: usize = 1200;
/// Below the limit of every scheme, s.
const STEP_S: f64 = 1e-4;

fn sheet(damper_n_s_per_m: f64, damping: DampingKind) -> Result<Arc<Model>, Error> {
    let material = Material {
        stretch_warp_n_per_m: 200.0,
        stretch_weft_n_per_m: 200.0,
        shear_n_per_m: 100.0,
        damping_n_s_per_m: damper_n_s_per_m,
        damping,
        // Bending links would be stiffer than all others before they buckle.
        bending_warp_n_m: 0.0,
        bending_weft_n_m: 0.0,
        ..Material::default()
    };
    let sheet = specimen::sheet(SIDE, SIDE, SPACING_M, material);
    Ok(specimen::model(sheet, 0.0)?)
}

fn config(integrator: Integrator, solve: Solve) -> StepConfig {
    StepConfig {
        integrator,
        solve,
        preconditioner: Preconditioner::Direct,
        newton_tolerance: 1e-10,
        newton_max_iterations: 60,
        ..StepConfig::default()
    }
}

/// Throws a sheet: kinetic energy and momentum after many steps.
pub fn translation(ledger: &mut Ledger) -> Result<(), Error> {
    for (damping, name) in [
        (DampingKind::Axial, "axial"),
        (DampingKind::Isotropic, "isotropic"),
    ] {
        let model = sheet(1e-3, damping)?;
        let mut cells = Vec::new();
        for integrator in schemes::all() {
            let mut simulation = Simulation::new(model.clone(), config(integrator, Solve::Once));
            let mut state = State::start(&model);
            state.velocities.fill(VELOCITY);
            let (energy, momentum) = (
                Energy::of(&model, &state).kinetic_j,
                linear_momentum(&model, &state),
            );
            simulation.restore(state);
            for _ in 0..STEPS {
                simulation.step(STEP_S)?;
            }
            let state = simulation.state();
            let lost = 1.0 - Energy::of(&model, state).kinetic_j / energy;
            let turned = (linear_momentum(&model, state) - momentum).length() / momentum.length();
            cells.push(Some(format!("{lost:.1e}")));
            for (what, value) in [("energy lost", lost.abs()), ("change of momentum", turned)] {
                let what = format!("translation, {name} dampers: {what}");
                ledger.check(integrator, &what, value, Band::AtMost(1e-12));
            }
        }
        ledger.row(
            &format!("translation, {name} dampers: energy lost in {STEPS} steps"),
            cells,
        );
    }
    Ok(())
}

/// What a scheme promises of angular momentum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Promise {
    /// To keep it.
    Kept,
    /// To lose no more and no less than a rigid body does.
    AsRigid,
    /// Nothing.
    None,
}

/// What `integrator` promises, with axial dampers or none.
pub fn promise(integrator: Integrator, damped: bool) -> Promise {
    match integrator {
        Integrator::SymplecticEuler
        | Integrator::CentralDifference
        | Integrator::LeapfrogTrapezoid
        | Integrator::CentralNewmark => Promise::Kept,
        // With dampers, the velocity that moves positions is not the one that is kicked.
        Integrator::ImprovedVariableStep if !damped => Promise::Kept,
        Integrator::BackwardEuler | Integrator::Bdf2 => Promise::AsRigid,
        _ => Promise::None,
    }
}

/// Spin that a rigid body loses in as many steps, if the scheme is a backward difference.
fn rigid_loss(integrator: Integrator) -> f64 {
    1.0 - steps::rotor(integrator, SPIN_RAD_PER_S * STEP_S, STEPS as u32)
}

/// Spins a sheet; the chart shows the loss of angular momentum over time.
pub fn rotation(ledger: &mut Ledger) -> Result<Chart, Error> {
    let mut chart = Chart::new("Rigid rotation without dampers: angular momentum lost or gained")
        .x("time", "s")
        .y("share", "")
        .log_y();
    // What BDF2 loses is less than the sheet's vibration about its rigid motion.
    let backward_euler = rigid_loss(Integrator::BackwardEuler);
    for (damper, name) in [(0.0, "no"), (1e-3, "axial")] {
        let model = sheet(damper, DampingKind::Axial)?;
        let (mut cells, mut theories) = (Vec::new(), Vec::new());
        for integrator in schemes::all() {
            let mut simulation = Simulation::new(model.clone(), config(integrator, Solve::Newton));
            let mut state = State::start(&model);
            let spin = SPIN_RAD_PER_S * DVec3::Y;
            state.velocities = state.positions.iter().map(|x| spin.cross(*x)).collect();
            let start = angular_momentum(&model, &state).length();
            simulation.restore(state);
            let mut points = Vec::new();
            let mut lost = 0.0;
            for step in 1..=STEPS {
                simulation.step(STEP_S)?;
                if step % (STEPS / 60) == 0 {
                    lost = 1.0 - angular_momentum(&model, simulation.state()).length() / start;
                    points.push([simulation.state().time_s, lost.abs().max(1e-17)]);
                }
            }
            cells.push(Some(format!("{lost:.2e}")));
            let what = format!("rotation, {name} dampers: spin lost in {STEPS} steps");
            let rigid = rigid_loss(integrator);
            match promise(integrator, damper > 0.0) {
                Promise::Kept => {
                    theories.push(Some("0".into()));
                    ledger.check(integrator, &what, lost.abs(), Band::AtMost(1e-12));
                }
                Promise::AsRigid => {
                    theories.push(Some(format!("{rigid:.2e}")));
                    let what = format!("{what}, less that of a rigid body, of backward-euler's");
                    let off = (lost - rigid).abs() / backward_euler;
                    ledger.check(integrator, &what, off, Band::AtMost(0.01));
                }
                Promise::None => theories.push(None),
            }
            if damper == 0.0 {
                chart = chart.series(schemes::line(integrator, points));
            }
        }
        ledger.row(
            &format!("rotation, {name} dampers: spin lost in {STEPS} steps"),
            cells,
        );
        ledger.row("  theory", theories);
    }
    Ok(chart)
}
