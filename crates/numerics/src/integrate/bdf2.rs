//! Second-order backward differences with variable step:
//! `x₁ = x₀ + c d + βΔt v₁`, `v₁ = v₀ + c e + βΔt M⁻¹ f(x₁, v₁)`, where `d` and `e` are the last
//! step's changes of position and velocity.
//!
//! Order 2 with the exact Jacobian or converged Newton, order 1 where one linear solve uses a
//! Jacobian with dropped terms; A-stable at constant step, zero-stable for step ratios below
//! 1 + √2; on an oscillator it keeps `1 − (ωΔt)⁴/2` of the energy each step.
//! Source: *Stable but Responsive Cloth*, section 4, equations 15–20 (with `∂f/∂x` for the
//! printed `∂²f/∂x²` in equation 20), generalised to variable steps.
//!
//! A two-step method remembers. Anything that changes a velocity suddenly must repair that memory
//! or the change comes back as a rebound of half its size: see [`History`].

use super::multistep::Coefficients;
use crate::par;

/// Largest ratio of consecutive steps that keeps the memory; 1 + √2 is the limit of stability.
pub const MAX_STEP_RATIO: f64 = 2.4;

/// Coefficients for the step ratio `ω = Δt / Δt_before`.
pub fn coefficients(ratio: f64) -> Coefficients {
    Coefficients {
        beta: (1.0 + ratio) / (1.0 + 2.0 * ratio),
        c: ratio * ratio / (1.0 + 2.0 * ratio),
    }
}

/// The state one step earlier.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// Positions one step ago.
    pub positions: Vec<f64>,
    /// Velocities one step ago.
    pub velocities: Vec<f64>,
    /// Length of that step, s.
    pub step_s: f64,
}

impl History {
    /// The past that constant acceleration would have left behind: `x₋₁ = x₀ − Δt v₀ + ½Δt² a₀`,
    /// `v₋₁ = v₀ − Δt a₀`. Free fall is then exact from the first step on.
    pub fn ghost(x: &[f64], v: &[f64], acceleration: &[f64], step_s: f64) -> Self {
        let past = |((x, v), a): ((&f64, &f64), &f64)| x - step_s * v + 0.5 * step_s * step_s * a;
        Self {
            positions: x.iter().zip(v).zip(acceleration).map(past).collect(),
            velocities: v
                .iter()
                .zip(acceleration)
                .map(|(v, a)| v - step_s * a)
                .collect(),
            step_s,
        }
    }

    /// Remembers a state from which a step of `step_s` was taken, in the memory of an older one.
    pub fn set(&mut self, positions: &[f64], velocities: &[f64], step_s: f64) {
        self.step_s = step_s;
        for (own, values) in [
            (&mut self.positions, positions),
            (&mut self.velocities, velocities),
        ] {
            own.resize(values.len(), 0.0);
            par::copy(values, own);
        }
    }

    /// Repairs the memory of one coordinate after a sudden change of its velocity and position,
    /// so that the past looks as if the particle had always moved in the new way.
    pub fn transport(&mut self, coordinate: usize, velocity_change: f64, position_change: f64) {
        self.velocities[coordinate] += velocity_change;
        self.positions[coordinate] += position_change - self.step_s * velocity_change;
    }
}
