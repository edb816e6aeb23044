//! Roots of polynomials, as exact numbers.

use super::polynomial::{Polynomial, rational, sign};
use num_rational::BigRational;
use num_traits::ToPrimitive;
use std::cmp::Ordering;

/// The only root of a square-free polynomial in the open interval from `low` to `high`, at neither
/// of which it vanishes; or, if both are the same, that number.
#[derive(Clone, Debug)]
pub(super) struct Root {
    of: Polynomial,
    low: BigRational,
    high: BigRational,
}

impl Root {
    /// A rational number; `None` if it is not finite.
    pub fn rational(value: f64) -> Option<Self> {
        Some(Self::exactly(BigRational::from_float(value)?))
    }

    fn exactly(value: BigRational) -> Self {
        Self {
            of: Polynomial::linear(0.0, 0.0),
            low: value.clone(),
            high: value,
        }
    }

    /// All roots in \[0, 1\] in ascending order, each once; `polynomial` must not be zero.
    pub fn all_in_unit_interval(polynomial: &Polynomial) -> Vec<Self> {
        let of = polynomial.square_free();
        let mut roots = Vec::new();
        if sign(&of.at(&rational(0))) == 0 {
            roots.push(Self::exactly(rational(0)));
        }
        Self::isolate(&of, rational(0), rational(1), &mut roots);
        roots
    }

    /// Adds the roots in (low, high].
    fn isolate(of: &Polynomial, low: BigRational, high: BigRational, roots: &mut Vec<Self>) {
        let count = of.roots_between(&low, &high);
        if count == 1 && sign(&of.at(&high)) == 0 {
            roots.push(Self::exactly(high));
        } else if count == 1 && sign(&of.at(&low)) != 0 {
            let of = of.clone();
            roots.push(Self { of, low, high });
        } else if count > 0 {
            let middle = (&low + &high) / rational(2);
            Self::isolate(of, low, middle.clone(), roots);
            Self::isolate(of, middle, high, roots);
        }
    }

    fn is_rational(&self) -> bool {
        self.low == self.high
    }

    /// Halves the interval.
    fn refine(&mut self) {
        let middle = (&self.low + &self.high) / rational(2);
        let at_middle = sign(&self.of.at(&middle));
        if at_middle == 0 {
            self.low = middle.clone();
            self.high = middle;
        } else if at_middle == sign(&self.of.at(&self.low)) {
            self.low = middle;
        } else {
            self.high = middle;
        }
    }

    /// The sign of `polynomial` here.
    pub fn sign_of(&mut self, polynomial: &Polynomial) -> i32 {
        if polynomial.is_zero() || self.is_rational() {
            return sign(&polynomial.at(&self.low));
        }
        let common = self.of.common_factor(polynomial);
        if common.len() > 1 && common.roots_between(&self.low, &self.high) > 0 {
            return 0;
        }
        let simple = polynomial.square_free();
        while !self.is_rational()
            && (sign(&simple.at(&self.low)) == 0 || simple.roots_between(&self.low, &self.high) > 0)
        {
            self.refine();
        }
        sign(&polynomial.at(&self.low))
    }

    /// The order of this root and a number.
    pub fn compare_with(&self, value: &BigRational) -> Ordering {
        if self.is_rational() || *value <= self.low || *value >= self.high {
            // An end of the interval is not the root itself.
            return match self.low.cmp(value) {
                Ordering::Equal if !self.is_rational() => Ordering::Greater,
                order => order,
            };
        }
        match sign(&self.of.at(value)) {
            0 => Ordering::Equal,
            s if s == sign(&self.of.at(&self.low)) => Ordering::Greater,
            _ => Ordering::Less,
        }
    }

    /// The order of two roots.
    pub fn compare(mut self, other: &mut Self) -> Ordering {
        let other_vanishes = other.sign_of(&self.of) == 0;
        while !self.is_rational() {
            if other.compare_with(&self.low) != Ordering::Greater {
                return Ordering::Greater;
            }
            if other.compare_with(&self.high) != Ordering::Less {
                return Ordering::Less;
            }
            // There is only one root in here.
            if other_vanishes {
                return Ordering::Equal;
            }
            self.refine();
        }
        other.compare_with(&self.low).reverse()
    }

    /// In floating point, to a few units in the last place.
    pub fn rounded(&self) -> f64 {
        let mut root = self.clone();
        let width = BigRational::new(1.into(), (1_u128 << 80).into());
        while &root.high - &root.low > width {
            root.refine();
        }
        root.low.to_f64().unwrap_or(f64::NAN)
    }
}
