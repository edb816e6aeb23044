//! Many links or elements at once, one a lane: what the fast paths ask of laws and families.

use crate::forces::Response;
use glam::DVec3;
use std::ops::{Add, Mul, Neg, Sub};
use wide::{f32x8, f64x4, f64x8};

/// Links handled at once.
pub const LANES: usize = 8;

/// One number a link.
pub type Lanes = f64x8;

/// One number a link, rounded to single precision.
pub type SingleLanes = f32x8;

/// One vector a link, component by component.
pub type VectorLanes = [Lanes; 3];

/// A number, or one a lane: a law written once serves both, and with the same bits.
pub trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// The same number everywhere.
    fn of(value: f64) -> Self;
    /// Square root.
    fn root(self) -> Self;
    /// One over it.
    fn inverse(self) -> Self;
    /// Itself where positive, zero elsewhere.
    fn positive_part(self) -> Self;
    /// `yes` where it is above a threshold, `no` elsewhere.
    fn above(self, threshold: f64, yes: Self, no: Self) -> Self;
}

impl Number for f64 {
    #[inline(always)]
    fn of(value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn root(self) -> Self {
        self.sqrt()
    }

    #[inline(always)]
    fn inverse(self) -> Self {
        1.0 / self
    }

    #[inline(always)]
    fn positive_part(self) -> Self {
        self.max(0.0)
    }

    #[inline(always)]
    fn above(self, threshold: f64, yes: Self, no: Self) -> Self {
        if self > threshold { yes } else { no }
    }
}

/// Lanes of any precision.
macro_rules! lanes_are_numbers {
    ($($lanes:ty: $scalar:ty),*) => {$(
        impl Number for $lanes {
            #[inline(always)]
            fn of(value: f64) -> Self {
                Self::splat(value as $scalar)
            }

            #[inline(always)]
            fn root(self) -> Self {
                self.sqrt()
            }

            #[inline(always)]
            fn inverse(self) -> Self {
                Self::ONE / self
            }

            #[inline(always)]
            fn positive_part(self) -> Self {
                self.max(Self::ZERO)
            }

            #[inline(always)]
            fn above(self, threshold: f64, yes: Self, no: Self) -> Self {
                self.simd_gt(Self::of(threshold)).select(yes, no)
            }
        }
    )*};
}

lanes_are_numbers!(Lanes: f64, SingleLanes: f32);

/// `a·b`.
#[inline(always)]
pub fn dot<R: Number>(a: &[R; 3], b: &[R; 3]) -> R {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// `f a`.
#[inline(always)]
pub fn scaled<R: Number>(f: R, a: &[R; 3]) -> [R; 3] {
    [f * a[0], f * a[1], f * a[2]]
}

/// `a + b`.
#[inline(always)]
pub fn sum<R: Number>(a: &[R; 3], b: &[R; 3]) -> [R; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// `a − b`.
#[inline(always)]
pub fn difference<R: Number>(a: &[R; 3], b: &[R; 3]) -> [R; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// One value a lane. The compiler does not always see through [`std::array::from_fn`] and `map`.
#[inline(always)]
pub fn each_lane<T>(of: impl Fn(usize) -> T) -> [T; LANES] {
    [of(0), of(1), of(2), of(3), of(4), of(5), of(6), of(7)]
}

/// The vector of one lane.
#[inline(always)]
pub fn vector(lanes: &VectorLanes, lane: usize) -> DVec3 {
    let [x, y, z] = lanes;
    DVec3::new(x.as_array()[lane], y.as_array()[lane], z.as_array()[lane])
}

/// Vectors, one a lane.
#[inline(always)]
pub fn vectors(of: impl Fn(usize) -> DVec3) -> VectorLanes {
    let vectors = each_lane(of);
    [
        Lanes::from(each_lane(|lane| vectors[lane].x)),
        Lanes::from(each_lane(|lane| vectors[lane].y)),
        Lanes::from(each_lane(|lane| vectors[lane].z)),
    ]
}

/// The vectors of all lanes, each with a zero behind.
#[inline(always)]
pub fn rows(lanes: &VectorLanes) -> [f64x4; LANES] {
    let [x, y, z]: [[f64x4; 2]; 3] = bytemuck::cast(*lanes);
    let four = |k: usize| f64x4::transpose([x[k], y[k], z[k], f64x4::ZERO]);
    bytemuck::cast([four(0), four(1)])
}

/// Four numbers of every lane, each number's lanes together.
#[inline(always)]
pub fn columns(of: impl Fn(usize) -> [f64; 4]) -> [Lanes; 4] {
    let row = |lane: usize| f64x4::from(of(lane));
    let [a, b, c, d] = f64x4::transpose([row(0), row(1), row(2), row(3)]);
    let [e, f, g, h] = f64x4::transpose([row(4), row(5), row(6), row(7)]);
    let both = |low: f64x4, high: f64x4| bytemuck::cast([low, high]);
    [both(a, e), both(b, f), both(c, g), both(d, h)]
}

/// Rounds to single precision.
#[inline(always)]
pub fn single(lanes: Lanes) -> SingleLanes {
    let lanes = lanes.to_array();
    each_lane(|lane| lanes[lane] as f32).into()
}

/// Rounds vectors to single precision.
#[inline(always)]
pub fn rounded([x, y, z]: &VectorLanes) -> [SingleLanes; 3] {
    [single(*x), single(*y), single(*z)]
}

/// What a law says of links of some lengths; see [`Response`].
#[derive(Clone, Copy, Debug, Default)]
pub struct LawLanes {
    /// Energy, J.
    pub energy_j: Lanes,
    /// Tension, N; positive pulls together.
    pub tension_n: Lanes,
    /// Exact derivative of tension by length, N/m.
    pub slope_n_per_m: Lanes,
    /// Axial stiffness that only the matrix has, N/m.
    pub slack_stiffness_n_per_m: Lanes,
}

impl LawLanes {
    /// Asks for one link after the other.
    pub fn one_by_one(lengths_m: Lanes, respond: impl Fn(f64) -> Response) -> Self {
        Self::of(lengths_m.to_array().map(respond))
    }

    /// What links say each for itself.
    pub fn of(responses: [Response; LANES]) -> Self {
        Self {
            energy_j: responses.map(|r| r.energy_j).into(),
            tension_n: responses.map(|r| r.tension_n).into(),
            slope_n_per_m: responses.map(|r| r.slope_n_per_m).into(),
            slack_stiffness_n_per_m: responses.map(|r| r.slack_stiffness_n_per_m).into(),
        }
    }
}

/// What force and matrix need of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct LaneResponses {
    /// What the law says.
    pub law: LawLanes,
    /// Axial stiffness in the matrix, N/m.
    pub axial_n_per_m: Lanes,
    /// Transverse stiffness in the matrix, N/m.
    pub transverse_n_per_m: Lanes,
}
