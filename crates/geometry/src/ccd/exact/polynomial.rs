//! Polynomials with whole coefficients, and their signs at and between dyadic numbers.
//!
//! Polynomials matter only up to a positive factor, so those with dyadic coefficients are scaled,
//! and division multiplies by what makes it come out even.

use super::dyadic::Dyadic;
use num_bigint::{BigInt, Sign};
use num_traits::Zero;
use std::ops::{Add, Mul, Sub};

/// Coefficients of ascending powers, the last not zero; none for the zero polynomial.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Polynomial(Vec<BigInt>);

/// −1, 0 or 1.
pub(super) fn sign(x: &BigInt) -> i32 {
    match x.sign() {
        Sign::Minus => -1,
        Sign::NoSign => 0,
        Sign::Plus => 1,
    }
}

impl Polynomial {
    fn new(mut coefficients: Vec<BigInt>) -> Self {
        while coefficients.last().is_some_and(Zero::is_zero) {
            coefficients.pop();
        }
        Self(coefficients)
    }

    /// From `start` at 0 to `end` at 1.
    pub fn linear(start: BigInt, end: BigInt) -> Self {
        let slope = end - &start;
        Self::new(vec![start, slope])
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it has no variable in it.
    pub fn is_constant(&self) -> bool {
        self.0.len() <= 1
    }

    fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    /// The sign at `t`.
    pub fn sign_at(&self, t: &Dyadic) -> i32 {
        // Horner's rule for the polynomial times a power of the denominator.
        let n = self.degree();
        let terms = self.0.iter().enumerate().rev();
        let value = terms.fold(BigInt::ZERO, |value, (k, c)| {
            value * &t.numerator + (c << (t.bits * (n - k)))
        });
        sign(&value)
    }

    /// The signs of the Bernstein coefficients between `low` and the next number with as many bits.
    fn bernstein_signs(&self, low: &Dyadic) -> Vec<i32> {
        let n = self.degree();
        // The powers of what exceeds `low`, in units of the last bit.
        let mut shifted: Vec<BigInt> = (self.0.iter().enumerate())
            .map(|(k, c)| c << (low.bits * (n - k)))
            .collect();
        for first in 0..n {
            for k in (first..n).rev() {
                shifted[k] = &shifted[k] + &shifted[k + 1] * &low.numerator;
            }
        }
        // n! times the coefficients: a whole number of each power.
        let falling = |j: usize, k: usize| (j - k + 1..=j).product::<usize>();
        let factorial = |k: usize| falling(k, k);
        let coefficient = |j: usize| -> BigInt {
            (0..=j)
                .map(|k| &shifted[k] * (falling(j, k) * factorial(n - k)))
                .sum()
        };
        (0..=n).map(|j| sign(&coefficient(j))).collect()
    }

    /// The sign everywhere from `low` to the next number with as many bits, both included, if it is
    /// easily seen to be the same.
    pub fn sign_from(&self, low: &Dyadic) -> Option<i32> {
        let signs = self.bernstein_signs(low);
        let all = |s: i32| signs.iter().all(|x| *x == s);
        [-1, 1].into_iter().find(|s| all(*s))
    }

    /// At least the number of roots strictly between `low` and the next number with as many bits, and
    /// that number itself if it is 0 or 1: Descartes' rule.
    pub fn most_roots_after(&self, low: &Dyadic) -> usize {
        let signs = self.bernstein_signs(low);
        let signs: Vec<i32> = signs.into_iter().filter(|s| *s != 0).collect();
        signs.windows(2).filter(|w| w[0] != w[1]).count()
    }

    fn derivative(&self) -> Self {
        let powers = self.0.iter().enumerate().skip(1);
        Self::new(powers.map(|(k, c)| c * k).collect())
    }

    /// Quotient and remainder of a multiple; `divisor` must not be zero.
    fn divide(&self, divisor: &Self) -> (Self, Self) {
        let (mut rest, d) = (self.0.clone(), &divisor.0);
        let Some(lead) = d.last() else {
            return (self.clone(), self.clone());
        };
        let steps = (rest.len() + 1).saturating_sub(d.len());
        let mut quotient = vec![BigInt::ZERO; steps];
        for k in (0..steps).rev() {
            let factor = rest[k + d.len() - 1].clone();
            rest.iter_mut()
                .chain(&mut quotient)
                .for_each(|c| *c *= lead);
            for (j, c) in d.iter().enumerate() {
                rest[k + j] -= &factor * c;
            }
            quotient[k] += factor;
        }
        (Self::new(quotient), Self::new(rest))
    }

    /// The greatest common divisor, times any number.
    pub fn common_factor(&self, other: &Self) -> Self {
        let (mut a, mut b) = (self.clone(), other.clone());
        while !b.is_zero() {
            let rest = a.divide(&b).1;
            (a, b) = (b, rest);
        }
        a
    }

    /// With the same roots, each of them once; the sign may differ.
    pub fn square_free(&self) -> Self {
        if self.is_constant() {
            return self.clone();
        }
        self.divide(&self.common_factor(&self.derivative())).0
    }

    fn termwise(&self, other: &Self, f: impl Fn(&BigInt, &BigInt) -> BigInt) -> Self {
        let zero = BigInt::ZERO;
        let term = |k: usize| {
            let of = |p: &'_ Self| p.0.get(k).unwrap_or(&zero).clone();
            f(&of(self), &of(other))
        };
        Self::new((0..self.0.len().max(other.0.len())).map(term).collect())
    }
}

impl Add for &Polynomial {
    type Output = Polynomial;
    fn add(self, other: &Polynomial) -> Polynomial {
        self.termwise(other, |a, b| a + b)
    }
}

impl Sub for &Polynomial {
    type Output = Polynomial;
    fn sub(self, other: &Polynomial) -> Polynomial {
        self.termwise(other, |a, b| a - b)
    }
}

impl Mul for &Polynomial {
    type Output = Polynomial;
    fn mul(self, other: &Polynomial) -> Polynomial {
        if self.is_zero() || other.is_zero() {
            return Polynomial(Vec::new());
        }
        let mut product = vec![BigInt::ZERO; self.0.len() + other.0.len() - 1];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                product[i + j] += a * b;
            }
        }
        Polynomial::new(product)
    }
}
