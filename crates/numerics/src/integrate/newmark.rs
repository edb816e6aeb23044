//! Newmark's family: `x₁ = x₀ + Δt v₀ + Δt² ((½ − β) a₀ + β a₁)`,
//! `v₁ = v₀ + Δt ((1 − γ) a₀ + γ a₁)`, implicit for β > 0.
//!
//! With `s = βΔt²`: `x̂ = x₀ + Δt v₀ + (½ − β)Δt² a₀`, `α_v = βΔt/γ`,
//! `base = x̂ − α_v (v₀ + (1 − γ)Δt a₀)`, and the matrix is `M − γΔt D − βΔt² K`.
//!
//! - Order 2 for γ = ½, else 1.
//! - Stability: unconditional for 2β ≥ γ ≥ ½; for smaller β, `ωΔt < 1/√(γ/2 − β)`, more with
//!   damping. Unstable for γ < ½, which is refused.
//! - Damping: none for γ = ½; above it, first-order numerical damping.
//! - The acceleration `a₀`: for γ > ½ it is the last step's `a₁`, whose errors then die out; for γ = ½
//!   they would ring on for ever, so it is evaluated at the start of every step.
//! - The stability is that of linear forces. Links that go slack and taut within a step put energy
//!   in: cloth needs a step that resolves its folds, or a scheme that damps.
//! - Filters: the end velocity; see [`super::implicit`].
//! - Source: Newmark 1959.
//! - Verified by: `tests/schemes.rs`.

use super::stage;
use super::{ImplicitSystem, Info, Method, Rates, Scratch, Start, Weights, implicit};
use crate::par;
use thiserror::Error;

/// The implicit member of the family.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Newmark {
    beta: f64,
    gamma: f64,
}

/// Why a member is refused.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum BadNewmark {
    /// No implicit member.
    #[error("expected a number above 0, found {0}; the explicit member is `central-difference`")]
    Beta(f64),
    /// An unstable member.
    #[error("expected a number of at least 0.5, found {0}: below, energy grows without bound")]
    Gamma(f64),
}

impl Newmark {
    /// Average acceleration, the member without damping or limit: β = ¼, γ = ½.
    pub const AVERAGE_ACCELERATION: Self = Self {
        beta: 0.25,
        gamma: 0.5,
    };

    /// The member β, γ.
    pub fn new(beta: f64, gamma: f64) -> Result<Self, BadNewmark> {
        if !(beta.is_finite() && beta > 0.0) {
            Err(BadNewmark::Beta(beta))
        } else if !(gamma.is_finite() && gamma >= 0.5) {
            Err(BadNewmark::Gamma(gamma))
        } else {
            Ok(Self { beta, gamma })
        }
    }

    /// Weight of the end in the positions.
    pub fn beta(&self) -> f64 {
        self.beta
    }

    /// Weight of the end in the velocities.
    pub fn gamma(&self) -> f64 {
        self.gamma
    }

    /// Whether the acceleration at the end of a step is remembered by the next.
    pub fn remembers_acceleration(&self) -> bool {
        self.gamma > 0.5
    }

    /// Longest stable step, s; infinite where every step is stable.
    pub fn longest_step_s(&self, rates: &Rates) -> f64 {
        let lacking = 0.5 * self.gamma - self.beta;
        if lacking > 0.0 {
            1.0 / (lacking.sqrt() * rates.frequency_per_s)
        } else {
            f64::INFINITY
        }
    }

    /// Takes one step of length `step_s`; the result is in `scratch.x`, `scratch.v` and
    /// `scratch.acceleration`.
    pub fn step<S: ImplicitSystem>(
        &self,
        system: &mut S,
        start: &Start<'_>,
        step_s: f64,
        method: Method,
        scratch: &mut Scratch,
    ) -> Result<Info, S::Error> {
        let Self { beta, gamma } = *self;
        let weights = Weights {
            velocity_s: beta * step_s / gamma,
            damping_s: gamma * step_s,
            stiffness_s2: beta * step_s * step_s,
            matrix_only_stiffness: 1.0,
        };
        stage::begin(system, start, step_s, scratch);
        let mut a = std::mem::take(&mut scratch.acceleration);
        a.resize(start.x.len(), 0.0);
        match start.acceleration.filter(|_| self.remembers_acceleration()) {
            Some(remembered) => {
                a.copy_from_slice(remembered);
                system.project(&mut a);
            }
            None => stage::acceleration(system, 0.0, start.x, &scratch.base, &mut a),
        }
        system.set_instant(1.0);
        let Scratch { base, target, .. } = &mut *scratch;
        for (i, base) in base.iter_mut().enumerate() {
            let v = *base;
            target[i] = start.x[i] + step_s * v + (0.5 - beta) * step_s * step_s * a[i];
            *base = target[i] - weights.velocity_s * (v + (1.0 - gamma) * step_s * a[i]);
        }
        let info = implicit::solve(system, start, &weights, method, scratch)?;
        let Scratch { x, target, .. } = &*scratch;
        par::fill(&mut a, |i| (x[i] - target[i]) / weights.stiffness_s2);
        system.project(&mut a);
        scratch.acceleration = a;
        implicit::filter(system, &weights, scratch);
        Ok(info)
    }
}
