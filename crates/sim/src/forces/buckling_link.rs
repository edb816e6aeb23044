//! Type 2: bending links between particles two cells apart. A compressed strip buckles at once
//! instead of storing compression, and then resists like a bent arc.
//!
//! - Energy: below the crossover compression `ε*`, `E = ½ c_b (Lε)²`; above it the curve's
//!   `(k_b/L) Ê(ε)` plus the constant that joins the two; zero for `r ≥ L`. C¹.
//! - Force: `f = max(f_b(r), c_b (r − L))`, never positive: it pushes apart; zero for `r ≥ L`.
//! - Jacobian: the matrix keeps `f' nnᵀ`. The transverse part `(f/r)(I − nnᵀ)` is negative
//!   semidefinite, unbounded as `r → 0`, and left out; so one linear solve treats it explicitly.
//! - Units: k_b in N·m² (rigidity of the strip), c_b in N/m, lengths in m.
//! - Degenerate cases: `γ = c_b L³/k_b` must be at least [`Curve::min_gamma`], 40 for the arc. Below
//!   31.47 the arc is never reached; between that and 4π² the two curves cross twice.
//! - Source: *Stable but Responsive Cloth*, equations 4–12, with the branch for `r ≥ L` that the
//!   paper leaves undefined.
//! - Verified by: `tests/arc.rs`, `tests/curves.rs`, `tests/derivatives.rs`.

use super::curve::{Curve, Tabulated};
use crate::assembly::lanes::{LANES, Lanes, LawLanes, each_lane};
use crate::assembly::links::{AxialLaw, Response};

/// Smallest admissible `γ = c_b L³/k_b` of the circular arc.
pub const MIN_GAMMA: f64 = 40.0;

/// Parameters of one class of bending links.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BucklingLink {
    rest_length_m: f64,
    per_rest_length_per_m: f64,
    /// `k_b/L`, `k_b/L²` and `k_b/L³`: what the dimensionless curve is multiplied by.
    energy_scale_j: f64,
    force_scale_n: f64,
    slope_scale_n_per_m: f64,
    compression_n_per_m: f64,
    crossover: f64,
    energy_offset_j: f64,
    curve: Curve,
}

/// `γ` is below [`Curve::min_gamma`].
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
        Self::bent_as(
            Curve::EXACT_ARC,
            rigidity_n_m2,
            rest_length_m,
            compression_n_per_m,
        )
    }

    /// The same along another curve.
    pub fn bent_as(
        curve: Curve,
        rigidity_n_m2: f64,
        rest_length_m: f64,
        compression_n_per_m: f64,
    ) -> Result<Self, GammaTooSmall> {
        let gamma = compression_n_per_m * rest_length_m.powi(3) / rigidity_n_m2;
        if gamma.is_nan() || gamma < curve.min_gamma() {
            return Err(GammaTooSmall { gamma });
        }
        let crossover = crossover(gamma, curve);
        let spring_j = if crossover > 0.0 {
            0.5 * compression_n_per_m * (rest_length_m * crossover).powi(2)
        } else {
            0.0
        };
        let curve_j = rigidity_n_m2 * curve.at(crossover).energy / rest_length_m;
        Ok(Self {
            rest_length_m,
            per_rest_length_per_m: 1.0 / rest_length_m,
            energy_scale_j: rigidity_n_m2 / rest_length_m,
            force_scale_n: rigidity_n_m2 / rest_length_m.powi(2),
            slope_scale_n_per_m: rigidity_n_m2 / rest_length_m.powi(3),
            compression_n_per_m,
            crossover,
            energy_offset_j: spring_j - curve_j,
            curve,
        })
    }

    /// What eight links say, each of its own length.
    #[inline]
    pub fn respond_each(links: &[&Self; LANES], lengths_m: Lanes) -> LawLanes {
        let curve = links[0].curve;
        let table = curve
            .table()
            .filter(|_| links.iter().all(|link| link.curve == curve));
        match table {
            Some(table) => {
                LinkLanes::of(|number| Lanes::from(each_lane(|lane| number(links[lane]))))
                    .respond(table, lengths_m)
            }
            None => {
                let lengths_m = lengths_m.to_array();
                LawLanes::of(std::array::from_fn(|lane| {
                    links[lane].respond(lengths_m[lane])
                }))
            }
        }
    }

    /// The compression `ε*` at which the arc takes over from the linear branch.
    pub fn crossover(&self) -> f64 {
        self.crossover
    }
}

/// Smallest root of `γ ε + f̂(ε) = 0`, by Newton from its asymptote.
fn crossover(gamma: f64, curve: Curve) -> f64 {
    if gamma.is_infinite() {
        return 0.0;
    }
    let straight = curve.at(0.0);
    let mut e = (-straight.force / (gamma - straight.slope)).min(0.4);
    for _ in 0..60 {
        let point = curve.at(e);
        // df̂/dε = −f̂', since ε falls as the chord grows.
        let change = (gamma * e + point.force) / (gamma - point.slope);
        e = (e - change).clamp(0.0, 1.0);
        if change.abs() <= 1e-15 {
            break;
        }
    }
    e
}

/// The parameters of eight links, of one class or each of its own.
struct LinkLanes {
    rest_length_m: Lanes,
    per_rest_length_per_m: Lanes,
    energy_scale_j: Lanes,
    force_scale_n: Lanes,
    slope_scale_n_per_m: Lanes,
    compression_n_per_m: Lanes,
    crossover: Lanes,
    energy_offset_j: Lanes,
}

impl LinkLanes {
    #[inline(always)]
    fn of(lanes: impl Fn(fn(&BucklingLink) -> f64) -> Lanes) -> Self {
        Self {
            rest_length_m: lanes(|link| link.rest_length_m),
            per_rest_length_per_m: lanes(|link| link.per_rest_length_per_m),
            energy_scale_j: lanes(|link| link.energy_scale_j),
            force_scale_n: lanes(|link| link.force_scale_n),
            slope_scale_n_per_m: lanes(|link| link.slope_scale_n_per_m),
            // An infinitely stiff link has no linear part, which would spoil the choice.
            compression_n_per_m: lanes(|link| match link.compression_n_per_m {
                finite if finite.is_finite() => finite,
                _ => 0.0,
            }),
            crossover: lanes(|link| link.crossover),
            energy_offset_j: lanes(|link| link.energy_offset_j),
        }
    }

    /// Neighbours differ in whether they are straight, compressed or buckled, so the table is read for all
    /// as soon as one is buckled.
    #[inline(always)]
    fn respond(&self, table: &Tabulated, lengths_m: Lanes) -> LawLanes {
        let shortening = (self.rest_length_m - lengths_m).max(Lanes::ZERO);
        let compression = shortening * self.per_rest_length_per_m;
        let c = self.compression_n_per_m;
        let short = compression.simd_gt(Lanes::ZERO);
        let line = LawLanes {
            energy_j: c * shortening * shortening * 0.5,
            tension_n: -c * shortening,
            slope_n_per_m: short & c,
            slack_stiffness_n_per_m: Lanes::ZERO,
        };
        let bent = short & compression.simd_ge(self.crossover);
        if !bent.any() {
            return line;
        }
        let [energy, force, slope] = table.at_lanes(compression);
        let energy_j = energy * self.energy_scale_j + self.energy_offset_j;
        LawLanes {
            energy_j: bent.select(energy_j, line.energy_j),
            tension_n: bent.select(force * self.force_scale_n, line.tension_n),
            slope_n_per_m: bent.select(slope * self.slope_scale_n_per_m, line.slope_n_per_m),
            slack_stiffness_n_per_m: Lanes::ZERO,
        }
    }
}

impl AxialLaw for BucklingLink {
    const PUSHES: bool = true;

    fn rest_length_m(&self) -> f64 {
        self.rest_length_m
    }

    #[inline]
    fn respond_lanes(&self, lengths_m: Lanes) -> LawLanes {
        match self.curve.table() {
            Some(table) => {
                LinkLanes::of(|number| Lanes::splat(number(self))).respond(table, lengths_m)
            }
            None => LawLanes::one_by_one(lengths_m, |length_m| self.respond(length_m)),
        }
    }

    fn respond(&self, length_m: f64) -> Response {
        // Lengths are subtracted first: forming 1 − r/L would lose the digits that matter.
        let shortening = self.rest_length_m - length_m;
        let compression = shortening * self.per_rest_length_per_m;
        if compression <= 0.0 {
            return Response::default();
        }
        if compression < self.crossover {
            let c = self.compression_n_per_m;
            return Response {
                energy_j: 0.5 * c * shortening * shortening,
                tension_n: -c * shortening,
                slope_n_per_m: c,
                slack_stiffness_n_per_m: 0.0,
            };
        }
        let point = self.curve.at(compression);
        Response {
            energy_j: self.energy_scale_j * point.energy + self.energy_offset_j,
            tension_n: self.force_scale_n * point.force,
            slope_n_per_m: self.slope_scale_n_per_m * point.slope,
            slack_stiffness_n_per_m: 0.0,
        }
    }
}
