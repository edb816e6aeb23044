//! One step of the family `x₁ = x₀ + c d + βΔt v₁`, `v₁ = v₀ + c e + βΔt M⁻¹ f(x₁, v₁)`, which
//! holds backward Euler and BDF2; `d` and `e` are the last step's changes of position and velocity.
//!
//! With `α = βΔt`: `base = x₀ + c d`, `x̂ = base + α (v₀ + c e)`, and the matrix is
//! `M − α D − α² K`. Filters act on the end velocity; see [`super::implicit`].

use super::implicit::{self, VECTOR_GRAIN};
use super::{ImplicitSystem, Info, Method, Scratch, Start, Weights};
use crate::par;

/// The member of the family.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coefficients {
    /// Weight of the end of the step.
    pub beta: f64,
    /// Weight of the last step's change.
    pub c: f64,
}

/// Takes one step of length `step_s`; the result is in `scratch.x` and `scratch.v`.
pub fn step<S: ImplicitSystem>(
    system: &mut S,
    start: &Start<'_>,
    step_s: f64,
    coefficients: Coefficients,
    method: Method,
    scratch: &mut Scratch,
) -> Result<Info, S::Error> {
    let Coefficients { beta, c } = coefficients;
    let alpha_s = beta * step_s;
    scratch.resize(start.x.len());
    let history = start.history.filter(|_| c != 0.0);
    let arrays = (&mut scratch.base[..], &mut scratch.target[..]);
    par::for_each_row_pair(arrays, (1, 1), VECTOR_GRAIN, move |i, base, target| {
        let (x, v) = (start.x[i], start.v[i]);
        let (d, e) = history.map_or((0.0, 0.0), |past| {
            (x - past.positions[i], v - past.velocities[i])
        });
        base[0] = x + c * d;
        target[0] = x + c * d + alpha_s * (v + c * e);
    });
    let weights = &Weights::uniform(alpha_s);
    let info = implicit::solve(system, start, weights, method, scratch)?;
    implicit::filter(system, weights, scratch);
    Ok(info)
}
