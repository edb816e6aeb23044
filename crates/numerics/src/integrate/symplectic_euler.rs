//! Symplectic (semi-implicit) Euler: `v₁ = v₀ + Δt M⁻¹ f(x₀, v₀)`, `x₁ = x₀ + Δt v₁`.
//!
//! - Order 1, explicit.
//! - Stability: `ωΔt < 2` without damping; a damping rate `c` lowers the limit to
//!   `4/(c + √(c² + 4ω²))`, where `ω²Δt² + 2cΔt = 4`.
//! - Damping: none; the energy of an oscillator swings by `O(ωΔt)` and does not drift.
//! - Filters: the new velocity, which moves the positions; then the positions.
//! - Source: the standard scheme of particle systems; its limit is Jury's criterion for
//!   `z² − (2 − ω²Δt² − cΔt) z + 1 − cΔt`.
//! - Verified by: `tests/schemes.rs`.

use super::stage;
use super::{Info, Rates, Scratch, Stage, Start, System};

/// Longest stable step, s.
pub fn longest_step_s(rates: &Rates) -> f64 {
    let (omega, c) = (rates.frequency_per_s, rates.damping_per_s);
    4.0 / (c + c.hypot(2.0 * omega))
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
        force: a,
        move_by,
        ..
    } = scratch;
    stage::acceleration(system, 0.0, start.x, v_start, a);
    stage::extrapolate(v_start, step_s, a, v);
    system.filter_velocity(Stage::End, start.x, step_s, v);
    stage::move_positions(system, start.x, step_s, v, x, move_by);
    Ok(Info::default())
}
