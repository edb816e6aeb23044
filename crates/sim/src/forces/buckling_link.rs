//! Type 2: bending links between particles two cells apart. A compressed strip buckles at once
//! instead of storing compression, and then resists like a bent arc.
//!
//! - Energy: below the crossover compression `ε*`, `E = ½ c_b (Lε)²`; above it the arc's
//!   `2 k_b b/L` plus the constant that joins the two; zero for `r ≥ L`. C¹.
//! - Force: `f = max(f_b(r), c_b (r − L))`, never positive: it pushes apart; zero for `r ≥ L`.
//! - Jacobian: the matrix keeps `f' nnᵀ`. The transverse part `(f/r)(I − nnᵀ)` is negative
//!   semidefinite, unbounded as `r → 0`, and left out; so one linear solve treats it explicitly.
//! - Units: k_b in N·m² (rigidity of the strip), c_b in N/m, lengths in m.
//! - Degenerate cases: `γ = c_b L³/k_b` must be at least 40. Below 31.47 the arc is never reached;
//!   between that and 4π² the two curves cross twice.
//! - Source: *Stable but Responsive Cloth*, equations 4–12, with the branch for `r ≥ L` that the
//!   paper leaves undefined.
//! - Verified by: `tests/arc.rs`, `tests/derivatives.rs`.

use super::arc::{self, Arc};
use super::axial::{AxialLaw, Response};
use super::curve;

/// Smallest admissible `γ = c_b L³/k_b`.
pub const MIN_GAMMA: f64 = 40.0;

/// How the arc is evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Evaluation {
    /// By Newton's method, to rounding.
    Newton,
    /// From a table, to 1e-8: the default.
    #[default]
    Table,
}

impl Evaluation {
    fn at(self, compression: f64) -> Arc {
        match self {
            Self::Newton => arc::at(compression),
            Self::Table => curve::ARC.at(compression),
        }
    }
}

/// Parameters of one class of bending links.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BucklingLink {
    rigidity_n_m2: f64,
    rest_length_m: f64,
    compression_n_per_m: f64,
    crossover: f64,
    energy_offset_j: f64,
    evaluation: Evaluation,
}

/// `γ` is below [`MIN_GAMMA`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GammaTooSmall {
    /// The value.
    pub gamma: f64,
}

impl BucklingLink {
    /// A link of rigidity `k_b` and rest length `L` with pre-buckling stiffness `c_b`; an infinite
    /// `c_b` gives the pure arc.
    pub fn new(
        rigidity_n_m2: f64,
        rest_length_m: f64,
        compression_n_per_m: f64,
    ) -> Result<Self, GammaTooSmall> {
        Self::evaluated(
            rigidity_n_m2,
            rest_length_m,
            compression_n_per_m,
            Evaluation::Newton,
        )
    }

    /// The same with the arc evaluated as told.
    pub fn evaluated(
        rigidity_n_m2: f64,
        rest_length_m: f64,
        compression_n_per_m: f64,
        evaluation: Evaluation,
    ) -> Result<Self, GammaTooSmall> {
        let gamma = compression_n_per_m * rest_length_m.powi(3) / rigidity_n_m2;
        if gamma.is_nan() || gamma < MIN_GAMMA {
            return Err(GammaTooSmall { gamma });
        }
        let crossover = crossover(gamma, evaluation);
        let spring_j = if crossover > 0.0 {
            0.5 * compression_n_per_m * (rest_length_m * crossover).powi(2)
        } else {
            0.0
        };
        let arc_j = 2.0 * rigidity_n_m2 * evaluation.at(crossover).angle_squared / rest_length_m;
        Ok(Self {
            rigidity_n_m2,
            rest_length_m,
            compression_n_per_m,
            crossover,
            energy_offset_j: spring_j - arc_j,
            evaluation,
        })
    }

    /// The compression `ε*` at which the arc takes over from the linear branch.
    pub fn crossover(&self) -> f64 {
        self.crossover
    }
}

/// Smallest root of `γ ε + f̂(ε) = 0`, by Newton from its asymptote `12/(γ − 7.2)`.
fn crossover(gamma: f64, evaluation: Evaluation) -> f64 {
    if gamma.is_infinite() {
        return 0.0;
    }
    let mut e = (12.0 / (gamma - 7.2)).min(0.4);
    for _ in 0..60 {
        let arc = evaluation.at(e);
        // df̂/dε = −f̂', since ε falls as the chord grows.
        let change = (gamma * e + arc.force) / (gamma - arc.slope);
        e = (e - change).clamp(0.0, 1.0);
        if change.abs() <= 1e-15 {
            break;
        }
    }
    e
}

impl AxialLaw for BucklingLink {
    const PUSHES: bool = true;

    fn rest_length_m(&self) -> f64 {
        self.rest_length_m
    }

    fn respond(&self, length_m: f64) -> Response {
        let l = self.rest_length_m;
        // Lengths are subtracted first: forming 1 − r/L would lose the digits that matter.
        let compression = (l - length_m) / l;
        if compression <= 0.0 {
            return Response::default();
        }
        if compression < self.crossover {
            let c = self.compression_n_per_m;
            return Response {
                energy_j: 0.5 * c * (l * compression).powi(2),
                tension_n: -c * l * compression,
                slope_n_per_m: c,
                slack_stiffness_n_per_m: 0.0,
            };
        }
        let k = self.rigidity_n_m2;
        let arc = self.evaluation.at(compression);
        Response {
            energy_j: 2.0 * k * arc.angle_squared / l + self.energy_offset_j,
            tension_n: k / (l * l) * arc.force,
            slope_n_per_m: k / l.powi(3) * arc.slope,
            slack_stiffness_n_per_m: 0.0,
        }
    }
}
