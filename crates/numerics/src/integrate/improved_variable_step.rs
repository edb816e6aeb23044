//! The mixed scheme whose positions stay monotone under strong damping and whose velocities are
//! those of the trapezoidal rule: `ṽ_½ = v₀ + ½Δt a(t₀, x₀, ṽ_½)`, implicit in `ṽ_½`,
//! `x₁ = x₀ + Δt ṽ_½`, `v_½ = v₀ + ½Δt a(t₀, x₀, v₀)`, `v₁ = v_½ + ½Δt a(t₁, x₁, v₁)`, implicit in
//! `v₁`.
//!
//! - Order 2 for constant and variable steps.
//! - Stability: `ωΔt < 2` without damping, more with it (2.2 at ζ = 0.1, 4.8 at ζ = 1, no limit
//!   found at ζ ≥ 10); 1.63 if undamped and steps alternate in the ratio 2.
//! - Damping: none of its own. Only the positions are monotone under strong damping; the
//!   trapezoidal end velocity changes sign.
//! - Filters: `ṽ_½`, which moves the positions and is then thrown away; the positions; the end
//!   velocity.
//! - Source: *Simulation of Clothing with Folds and Wrinkles*, section 3, the third scheme, whose
//!   first line lacks a tilde on the right.
//! - Verified by: `tests/schemes.rs`.

use super::stage::{self, Velocity};
use super::{Info, Rates, Scratch, Stage, Start, System};

/// A step that is stable whatever the damping, s; with damping, longer ones may be.
pub fn longest_step_s(rates: &Rates) -> f64 {
    2.0 / rates.frequency_per_s
}

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
        target: v_half,
        force,
        rhs,
        move_by,
        trial,
        ..
    } = scratch;
    let mut info = Info::default();
    let moving = Velocity {
        share: 0.0,
        x: start.x,
        known: v_start,
        time_s: 0.5 * step_s,
    };
    trial.copy_from_slice(v_start);
    info.count(moving.solve(system, trial, [force, rhs, move_by])?);
    // The solve began with the force at (x₀, v₀): half the change it gives, and all of it.
    let masses = system.coordinate_masses();
    for (a, mass) in force.iter_mut().zip(masses) {
        *a /= mass;
    }
    system.project(force);
    stage::extrapolate(v_start, 0.5 * step_s, force, v_half);
    stage::extrapolate(v_start, step_s, force, v);

    system.filter_velocity(Stage::Trial, start.x, step_s, trial);
    stage::move_positions(system, start.x, step_s, trial, x, move_by);

    let end = Velocity {
        share: 1.0,
        x,
        known: v_half,
        time_s: 0.5 * step_s,
    };
    info.count(end.solve(system, v, [force, rhs, move_by])?);
    system.filter_velocity(Stage::End, x, step_s, v);
    Ok(info)
}
