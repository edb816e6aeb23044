//! The two floating-point types a solver may run in.

use std::ops::{Add, AddAssign, Mul, Sub, SubAssign};

/// `f32` or `f64`. Sums that decide anything are always accumulated in `f64`.
pub trait Scalar:
    Copy
    + Send
    + Sync
    + Default
    + PartialEq
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + AddAssign
    + SubAssign
    + 'static
{
    /// A generous bound on the relative rounding of one product of vectors.
    const ROUNDING: f64;
    /// Nearest value of this type.
    fn from_f64(value: f64) -> Self;
    /// The value, exactly.
    fn to_f64(self) -> f64;
}

impl Scalar for f64 {
    const ROUNDING: f64 = 256.0 * f64::EPSILON;

    fn from_f64(value: f64) -> Self {
        value
    }
    fn to_f64(self) -> f64 {
        self
    }
}

impl Scalar for f32 {
    const ROUNDING: f64 = 256.0 * f32::EPSILON as f64;

    fn from_f64(value: f64) -> Self {
        value as f32
    }
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}
