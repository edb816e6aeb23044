//! Backward Euler: `x₁ = x₀ + Δt v₁`, `v₁ = v₀ + Δt M⁻¹ f(x₁, v₁)`.
//!
//! Order 1; L-stable; on an oscillator it keeps the share `1/(1 + ω²Δt²)` of the energy each
//! step. Source: *Stable but Responsive Cloth*, section 4, and the 2005 course.

use super::multistep::Coefficients;

/// β = 1, no history.
pub const COEFFICIENTS: Coefficients = Coefficients { beta: 1.0, c: 0.0 };
