//! Numbers with a finite binary expansion, such as all finite floating-point numbers.

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::cmp::Ordering;

/// `numerator / 2^bits`.
#[derive(Clone, Debug)]
pub(super) struct Dyadic {
    pub numerator: BigInt,
    pub bits: usize,
}

impl Dyadic {
    pub const ZERO: Self = Self {
        numerator: BigInt::ZERO,
        bits: 0,
    };

    /// Without rounding; `None` if `x` is not finite.
    pub fn exactly(x: f64) -> Option<Self> {
        if !x.is_finite() {
            return None;
        }
        let exponent = (x.to_bits() >> 52 & 0x7ff) as i64;
        let fraction = (x.to_bits() & ((1 << 52) - 1)) as i64;
        // Numbers below the normal ones have the same unit as the lowest of those, and no hidden bit.
        let (whole, power) = match exponent {
            0 => (fraction, -1074),
            _ => (fraction | 1 << 52, exponent - 1075),
        };
        let whole = BigInt::from(if x < 0.0 { -whole } else { whole });
        Some(if power < 0 {
            Self {
                numerator: whole,
                bits: -power as usize,
            }
        } else {
            Self {
                numerator: whole << power as usize,
                bits: 0,
            }
        })
    }

    /// Numerator for a denominator of 2^`bits`, which must not be fewer than there are.
    pub fn over(&self, bits: usize) -> BigInt {
        &self.numerator << (bits - self.bits)
    }

    /// With as few bits as there can be.
    pub fn reduced(mut self) -> Self {
        let spare = self
            .numerator
            .trailing_zeros()
            .map_or(self.bits, |z| z as usize);
        let spare = spare.min(self.bits);
        self.numerator >>= spare;
        self.bits -= spare;
        self
    }

    /// The next number with as many bits.
    pub fn next(&self) -> Self {
        Self {
            numerator: &self.numerator + 1,
            bits: self.bits,
        }
    }

    /// Half way to the next; the number itself then has a bit more as well.
    pub fn halve(&mut self) -> Self {
        self.numerator <<= 1;
        self.bits += 1;
        self.next()
    }

    /// In floating point, to a unit in the last place.
    pub fn rounded(&self) -> f64 {
        // More leading bits than a result has, and few enough for the range of numbers.
        let spare = (self.numerator.bits() as usize).saturating_sub(100);
        let leading = (&self.numerator >> spare).to_f64().unwrap_or(f64::NAN);
        let exponent = spare as i32 - self.bits as i32;
        leading * 2.0_f64.powi(exponent / 2) * 2.0_f64.powi(exponent - exponent / 2)
    }
}

impl PartialEq for Dyadic {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Dyadic {}

impl PartialOrd for Dyadic {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Dyadic {
    fn cmp(&self, other: &Self) -> Ordering {
        let bits = self.bits.max(other.bits);
        self.over(bits).cmp(&other.over(bits))
    }
}
