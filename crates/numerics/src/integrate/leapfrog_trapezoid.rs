//! Leapfrog for elastic forces, trapezoidal rule for dampers:
//! `v_½ = v₀ + ½Δt a(t₀, x₀, v₀)`, `x₁ = x₀ + Δt ṽ_½`, `v₁ = v_½ + ½Δt a(t₁, x₁, v₁)`, implicit in
//! `v₁`.
//!
//! - Order 2 for constant and variable steps.
//! - Stability: `ωΔt < 2` for any damping at constant step; 1.63 if undamped and steps alternate in
//!   the ratio 2. Strong damping makes positions overshoot: the half step is explicit.
//! - Damping: none of its own.
//! - Filters: `ṽ_½` is a filtered copy of `v_½`; the positions; the end velocity.
//! - Source: *Simulation of Clothing with Folds and Wrinkles*, section 3, the first scheme; it is
//!   Newmark's member β = 0, γ = ½.
//! - Verified by: `tests/schemes.rs`.

use super::stage::{self, Velocity};
use super::{Info, Rates, Scratch, Stage, Start, System};

/// Longest stable step, s.
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
    stage::acceleration(system, 0.0, start.x, v_start, force);
    stage::extrapolate(v_start, 0.5 * step_s, force, v_half);
    stage::extrapolate(v_start, step_s, force, v);

    trial.copy_from_slice(v_half);
    system.filter_velocity(Stage::Trial, start.x, step_s, trial);
    stage::move_positions(system, start.x, step_s, trial, x, move_by);

    let mut info = Info::default();
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
