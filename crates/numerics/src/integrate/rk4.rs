//! The classical Runge–Kutta method: four evaluations of the force, weighted 1 : 2 : 2 : 1.
//!
//! - Order 4, explicit.
//! - Stability: `ωΔt < 2√2` without damping, `cΔt < 2.785` for damping alone; between the two the
//!   boundary comes as near as 2.6198 (at 122.5° from the positive real axis).
//! - Damping: on an oscillator it loses `(ωΔt)⁶/72` of the energy a step, for small steps.
//! - Filters: a copy of the mean velocity, which moves the positions; the positions; the end
//!   velocity. Held coordinates are held in every stage.
//! - Source: Kutta 1901.
//! - Verified by: `tests/schemes.rs`.

use super::stage;
use super::{Info, Rates, Scratch, Stage, Start, System};
use crate::par;

/// Distance of the nearest point of the boundary of stability in the left half plane.
const NEAREST_BOUNDARY: f64 = 2.619;

/// Longest step that is stable for every motion whose frequency and damping are at most these, s.
pub fn longest_step_s(rates: &Rates) -> f64 {
    let (omega, c) = (rates.frequency_per_s, rates.damping_per_s);
    // No rate is larger than the larger of the two. Damping ratios up to a quarter stay where the
    // boundary is no nearer than on the imaginary axis.
    if c <= 0.5 * omega {
        8.0_f64.sqrt() / omega
    } else {
        NEAREST_BOUNDARY / omega.max(c)
    }
}

/// Where in the step each stage is, and its weight.
const STAGES: [(f64, f64); 4] = [
    (0.0, 1.0 / 6.0),
    (0.5, 1.0 / 3.0),
    (0.5, 1.0 / 3.0),
    (1.0, 1.0 / 6.0),
];

/// Takes one step of length `step_s`; the result is in `scratch.x` and `scratch.v`.
pub fn step<S: System>(
    system: &mut S,
    start: &Start<'_>,
    step_s: f64,
    scratch: &mut Scratch,
) -> Result<Info, S::Error> {
    stage::begin(system, start, step_s, scratch);
    let Scratch {
        x,
        v,
        base: v_start,
        target: v_mean,
        rhs: a_mean,
        force: a,
        move_by,
        trial,
        ..
    } = scratch;
    v.copy_from_slice(v_start);
    for mean in [&mut *v_mean, &mut *a_mean, &mut *a] {
        mean.fill(0.0);
    }
    for (share, weight) in STAGES {
        // Positions with the velocity of the stage before, then velocities with its acceleration.
        stage::extrapolate(start.x, share * step_s, v, x);
        stage::extrapolate(v_start, share * step_s, a, v);
        stage::acceleration(system, share, x, v, a);
        for (mean, rate) in [(&mut *v_mean, &*v), (&mut *a_mean, &*a)] {
            par::for_each_leaf(mean, stage::GRAIN, |first, leaf| {
                for (mean, rate) in leaf.iter_mut().zip(&rate[first..]) {
                    *mean += weight * rate;
                }
            });
        }
    }

    trial.copy_from_slice(v_mean);
    system.filter_velocity(Stage::Trial, start.x, step_s, trial);
    stage::move_positions(system, start.x, step_s, trial, x, move_by);
    stage::extrapolate(v_start, step_s, a_mean, v);
    system.filter_velocity(Stage::End, x, step_s, v);
    Ok(Info::default())
}
