//! The law by which a buckled strip pushes its ends apart: dimensionless force against
//! compression.
//!
//! - Energy: `E = (k_b/L) Ê(ε)`, `Ê = ∫ −f̂ dε`: exact for the formulas, the exact integral of the
//!   interpolant for the table, so that line searches see one consistent function.
//! - Force: `f = (k_b/L²) f̂(ε)`. Tabulated: cubic Hermite interpolation of `f̂` between equidistant
//!   nodes, C¹, within 1e-8 of the curve it stands for.
//! - Jacobian: `df/dr = (k_b/L³) f̂'(ε)`, the derivative of what is evaluated.
//! - Units: everything here is dimensionless.
//! - Degenerate cases: compressions outside 0 to 1 are clamped.
//! - Source: ours; the source of the quad model suggests tabulating or fitting its equation 9.
//! - Verified by: `tests/arc.rs`, `tests/curves.rs`.

use super::{arc, elastica, fit};
use crate::assembly::lanes::{LANES, Lanes, columns, each_lane};
use std::f64::consts::PI;
use std::sync::LazyLock;

/// A curve at one compression.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// Energy over `k_b/L`.
    pub energy: f64,
    /// Force over `k_b/L²`; negative, it pushes apart.
    pub force: f64,
    /// Derivative of force by chord length over `k_b/L³`; positive.
    pub slope: f64,
}

/// The shape a buckled strip takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// A circular arc, as published: its critical load is 12, that of a true column π².
    #[default]
    Arc,
    /// The exact shape of a strip hinged at both ends.
    Elastica,
}

/// How the curve is evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Evaluation {
    /// By Newton's method, to rounding.
    Newton,
    /// By a fitted formula, to 0.027 %; for the arc alone.
    Fit,
    /// From a table, to 1e-8: the default.
    #[default]
    Table,
}

/// A shape and how it is evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Curve {
    shape: Shape,
    evaluation: Evaluation,
}

/// There is no fitted formula for the shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoFit;

impl Curve {
    /// The arc to rounding: the reference.
    pub const EXACT_ARC: Self = Self {
        shape: Shape::Arc,
        evaluation: Evaluation::Newton,
    };

    /// A curve; the elastica has no fit.
    pub fn new(shape: Shape, evaluation: Evaluation) -> Result<Self, NoFit> {
        match (shape, evaluation) {
            (Shape::Elastica, Evaluation::Fit) => Err(NoFit),
            _ => Ok(Self { shape, evaluation }),
        }
    }

    /// The curve at one compression.
    pub fn at(self, compression: f64) -> Point {
        match (self.shape, self.evaluation) {
            (Shape::Arc, Evaluation::Newton) => exact_arc(compression),
            (Shape::Arc, Evaluation::Fit) => fit::at(compression),
            (Shape::Arc, Evaluation::Table) => ARC.at(compression),
            (Shape::Elastica, Evaluation::Newton | Evaluation::Fit) => elastica::at(compression),
            (Shape::Elastica, Evaluation::Table) => ELASTICA.at(compression),
        }
    }

    /// The table it is read from, if it is.
    pub fn table(self) -> Option<&'static Tabulated> {
        match (self.shape, self.evaluation) {
            (Shape::Arc, Evaluation::Table) => Some(&ARC),
            (Shape::Elastica, Evaluation::Table) => Some(&ELASTICA),
            _ => None,
        }
    }

    /// The load at which the shape buckles, over `k_b/L²`.
    pub fn critical_load(self) -> f64 {
        match self.shape {
            Shape::Arc => 12.0,
            Shape::Elastica => PI * PI,
        }
    }

    /// Smallest admissible `γ = c_b L³/k_b`: the load at which the ends meet, rounded up. Below
    /// that the line `γ ε` meets the curve twice or never. 40 for the arc, 22 for the elastica.
    pub fn min_gamma(self) -> f64 {
        (-self.at(1.0).force).ceil()
    }
}

fn exact_arc(compression: f64) -> Point {
    let arc = arc::at(compression);
    Point {
        energy: 2.0 * arc.angle_squared,
        force: arc.force,
        slope: arc.slope,
    }
}

const INTERVALS: usize = 256;
const THIRD: f64 = 1.0 / 3.0;
/// 2⁵²: from here on doubles are whole numbers.
const WHOLE: f64 = 4_503_599_627_370_496.0;

/// One interval: a cubic in the local coordinate and the energy at its start.
#[derive(Clone, Copy)]
struct Piece {
    force: [f64; 4],
    energy: f64,
}

/// A tabulated curve.
pub struct Tabulated {
    pieces: Box<[Piece; INTERVALS]>,
}

impl Tabulated {
    /// Tabulates force and slope of a curve; the energy is integrated anew.
    pub fn of(curve: impl Fn(f64) -> Point) -> Self {
        let width = 1.0 / INTERVALS as f64;
        let mut energy = 0.0;
        let mut pieces = Vec::with_capacity(INTERVALS);
        for k in 0..INTERVALS {
            let (start, end) = (curve(k as f64 * width), curve((k + 1) as f64 * width));
            // The chord shrinks as ε grows, hence the signs.
            let (d0, d1) = (-start.slope * width, -end.slope * width);
            let rise = end.force - start.force;
            let force = [
                start.force,
                d0,
                3.0 * rise - 2.0 * d0 - d1,
                d0 + d1 - 2.0 * rise,
            ];
            pieces.push(Piece { force, energy });
            let integral: f64 = force
                .iter()
                .zip([1.0, 2.0, 3.0, 4.0])
                .map(|(c, n)| c / n)
                .sum();
            energy -= width * integral;
        }
        let pieces = pieces.into_boxed_slice().try_into();
        Self {
            pieces: pieces.unwrap_or_else(|_| unreachable!("one piece an interval")),
        }
    }

    /// Energy, force and slope at several compressions.
    #[inline(always)]
    pub fn at_lanes(&self, compression: Lanes) -> [Lanes; 3] {
        let place = compression.max(Lanes::ZERO).min(Lanes::ONE) * INTERVALS as f64;
        let start = place.floor().min(Lanes::splat((INTERVALS - 1) as f64));
        let t = place - start;
        // Beside so large a number the last digits of the sum are those of a whole number.
        let places: [u64; LANES] = bytemuck::cast(start + WHOLE);
        let piece = |k: usize| &self.pieces[usize::from(places[k] as u8)];
        let [a, b, c, d] = columns(|k| piece(k).force);
        let energy = Lanes::from(each_lane(|k| piece(k).energy));
        let integral = t * (a + t * (b * 0.5 + t * (c * THIRD + t * d * 0.25)));
        [
            energy - integral * (1.0 / INTERVALS as f64),
            a + t * (b + t * (c + t * d)),
            -(b + t * (c * 2.0 + t * d * 3.0)) * INTERVALS as f64,
        ]
    }

    /// The curve at one compression.
    #[inline]
    pub fn at(&self, compression: f64) -> Point {
        let place = compression.clamp(0.0, 1.0) * INTERVALS as f64;
        let k = (place as usize).min(INTERVALS - 1);
        let t = place - k as f64;
        let Piece {
            force: [a, b, c, d],
            energy,
        } = self.pieces[k];
        let integral = t * (a + t * (0.5 * b + t * (THIRD * c + t * 0.25 * d)));
        Point {
            energy: energy - integral * (1.0 / INTERVALS as f64),
            force: a + t * (b + t * (c + t * d)),
            slope: -(b + t * (2.0 * c + t * 3.0 * d)) * INTERVALS as f64,
        }
    }
}

static ARC: LazyLock<Tabulated> = LazyLock::new(|| Tabulated::of(exact_arc));
static ELASTICA: LazyLock<Tabulated> = LazyLock::new(|| Tabulated::of(elastica::at));
