//! What every time integrator takes away that physics does not: from vibration in the plane and out
//! of it, from rigid translation and rotation, and from a handkerchief that drifts in free flight.
//!
//! Where `filtering` looks closely at the two backward difference schemes and at dampers, this puts
//! all schemes side by side.

mod flight;
mod rigid;
mod vibration;

use crate::experiment::{Error, Findings};
use crate::ledger::Ledger;
use glam::DVec3;
use toile_sim::{Model, State};
use toile_view::plot::Panel;

/// Measures all motions.
pub fn run() -> Result<Findings, Error> {
    let mut ledger = Ledger::new();
    let vibration = vibration::measure(&mut ledger)?;
    rigid::translation(&mut ledger)?;
    let rotation = rigid::rotation(&mut ledger)?;
    let [linear, angular] = flight::measure(&mut ledger)?;
    let figures = [vibration, rotation, linear, angular];
    Ok(Findings {
        table: ledger.table,
        checks: ledger.checks,
        figure: Box::new(figures.into_iter().fold(Panel::new(2), Panel::with)),
        notes: NOTES.into(),
    })
}

fn linear_momentum(model: &Model, state: &State) -> DVec3 {
    let particles = model.masses.iter().zip(&state.velocities);
    particles.map(|(m, v)| *m * *v).sum()
}

fn angular_momentum(model: &Model, state: &State) -> DVec3 {
    let particles = model.masses.iter().zip(&state.positions);
    let particles = particles.zip(&state.velocities);
    particles.map(|((m, x), v)| *m * x.cross(*v)).sum()
}

const NOTES: &str = "No gravity, no air. Newmark is the member β = 0.3025, γ = 0.6.\n\
Vibration: a cloth stretched by a hundredth in a frame, without dampers; the same step is long for its \
in-plane motion and short for its out-of-plane motion. Every scheme takes what its theory says from \
either; out of plane it is little only because that motion is slow. The implicit schemes alone run at \
the longer step.\n\
Translation: no scheme filters it, with any dampers.\n\
Rotation, steps of 0.1 ms: symplectic Euler, leapfrog and its relatives keep the spin to rounding, for every \
kick is a sum of forces along links at the positions it acts on. improved-variable-step does so without dampers \
only: with them, positions are moved by another velocity than the one that is kicked. Backward Euler and BDF2 lose \
what a rigid body stepped by the same rule loses; of the other schemes nothing is promised.\n\
Flight: the handkerchief of the scene on 13 × 13 particles, crumpled, turning and drifting, for 100 \
steps: of 2 ms, or half the limit where there is one. Linear momentum is kept by all; what the implicit schemes \
lose with a direct solver is the rounding of its solves, which adds up, and with conjugate gradients their \
tolerance. With and without the drift the cloth moves in the same way. Angular momentum is kept by the schemes \
that keep the spin; one solve with terms missing from the matrix loses up to a tenth of it, converged backward \
differences far less.\n\
The trapezoidal rule and Newmark's family are stable for linear motion only: converged, at steps this \
long, links that snap taut feed them energy. With one solve they are calm because the matrix then treats slack \
links as taut, which damps.";

#[cfg(test)]
mod tests {
    use super::*;

    /// The quickest part of the experiment.
    #[test]
    fn every_scheme_loses_the_vibration_it_should() {
        let mut ledger = Ledger::new();
        vibration::measure(&mut ledger).unwrap();
        for check in &ledger.checks {
            assert!(check.holds(), "{check}");
        }
        // Ten schemes twice, the implicit ones twice again, less the one that BDF2 spoils.
        assert_eq!(ledger.checks.len(), 20 + 8 - 1);
    }
}
