//! Central Newmark with implicit dampers: `v_½ = v₀ + ½Δt a(t₀, x₀, v_½)`, implicit in `v_½`,
//! `x₁ = x₀ + Δt v_½`, `v₁ = v_½ + ½Δt a(t₁, x₁, v_½)`, explicit.
//!
//! - Order 2 for constant and variable steps, if dampers are linear in velocity; where their
//!   coefficients depend on it (wind), those of the start are used and the order is 1.
//! - Stability: `ωΔt < 2` for any damping at constant step; 1.63 if undamped and steps alternate in
//!   the ratio 2.
//! - Damping: none of its own. Positions approach rest monotonically however strong the dampers;
//!   the end velocity changes sign.
//! - Filters: `v_½` itself, before it moves the positions; the positions. The end velocity follows
//!   from `v_½` and has no filter of its own.
//! - Source: *Simulation of Clothing with Folds and Wrinkles*, section 3, the second scheme, with
//!   `v_½` in its explicit last line. Printed there is `v₁`, which is no longer explicit and only
//!   first order. Nothing is lost with variable steps, contrary to what is said there: both halves
//!   have the same Δt.
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
        ..
    } = scratch;
    let mut info = Info::default();
    let half = Velocity {
        share: 0.0,
        x: start.x,
        known: v_start,
        time_s: 0.5 * step_s,
    };
    v_half.copy_from_slice(v_start);
    info.count(half.solve(system, v_half, [force, rhs, move_by])?);
    system.filter_velocity(Stage::Trial, start.x, step_s, v_half);
    stage::move_positions(system, start.x, step_s, v_half, x, move_by);

    stage::acceleration(system, 1.0, x, v_half, force);
    stage::extrapolate(v_half, 0.5 * step_s, force, v);
    Ok(info)
}
