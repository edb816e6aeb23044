//! Explicit central differences, Newmark's member β = 0, γ = ½ without any solve:
//! `v_½ = v₀ + ½Δt a(x₀, v₀)`, `x₁ = x₀ + Δt v_½`, `v₁ = v_½ + ½Δt a(x₁, v₀ + Δt a(x₀, v₀))`.
//!
//! The last velocity argument is a prediction; with `v₁` there it would be
//! [`super::leapfrog_trapezoid`], with `v_½` only first order in the damping.
//!
//! - Order 2, explicit.
//! - Stability: `ωΔt < 2` without damping; with a damping rate `c`, `cΔt < 2` and
//!   `ω²Δt² < 4 − 2cΔt + c²Δt²`.
//! - Damping: none of its own.
//! - Filters: a copy of the velocity that moves the positions; the positions; the end velocity.
//! - Source: Newmark's family; the velocity prediction and the limit (Jury's criterion, trace
//!   `2 − O − C + C²/2 + OC/4`, determinant `1 − C + C²/2 − OC/4` with `O = ω²Δt²`, `C = cΔt`) are
//!   derived here.
//! - Verified by: `tests/schemes.rs`.

use super::stage;
use super::{Info, Rates, Scratch, Stage, Start, System};

/// Longest step that is stable for every motion whose frequency and damping are at most these, s.
pub fn longest_step_s(rates: &Rates) -> f64 {
    let (omega, c) = (rates.frequency_per_s, rates.damping_per_s);
    // Where 4 − 2C + C² still falls with C, the most damped motion is the worst; its least is 3.
    let falling = 4.0 / (c + (4.0 * omega * omega - 3.0 * c * c).max(0.0).sqrt());
    if falling * c <= 1.0 {
        falling
    } else {
        (3.0_f64.sqrt() / omega).min(2.0 / c)
    }
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
        force: a,
        move_by,
        trial,
        ..
    } = scratch;
    stage::acceleration(system, 0.0, start.x, v_start, a);
    stage::extrapolate(v_start, 0.5 * step_s, a, v_half);
    stage::extrapolate(v_start, step_s, a, v);

    trial.copy_from_slice(v_half);
    system.filter_velocity(Stage::Trial, start.x, step_s, trial);
    stage::move_positions(system, start.x, step_s, trial, x, move_by);

    stage::acceleration(system, 1.0, x, v, a);
    stage::extrapolate(v_half, 0.5 * step_s, a, v);
    system.filter_velocity(Stage::End, x, step_s, v);
    Ok(Info::default())
}
