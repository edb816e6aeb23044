//! The trapezoidal rule: `x₁ = x₀ + ½Δt (v₀ + v₁)`, `v₁ = v₀ + ½Δt (a₀ + a₁)`.
//!
//! Eliminating `v₁` gives Newmark's average acceleration to the letter, so that is what is run. Its
//! matrix is `M − ½Δt D − ¼Δt² K`; with ½ for the ¼, as one of the sources prints it, it would be
//! another, first-order scheme.
//!
//! - Order 2; A-stable; no damping of its own, so that what rings at more than `1/Δt` rings on.
//! - Filters: the end velocity; see [`super::implicit`].
//! - Source: the physically based animation course notes, with the corrected matrix.
//! - Verified by: `tests/schemes.rs`.

use super::newmark::Newmark;

/// The member of Newmark's family it is.
pub const MEMBER: Newmark = Newmark::AVERAGE_ACCELERATION;
