//! Polynomials with rational coefficients.

use num_rational::BigRational;
use std::ops::{Add, Mul, Sub};

/// Coefficients of ascending powers, the last not zero; none for the zero polynomial.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Polynomial(Vec<BigRational>);

pub(super) fn rational(x: i64) -> BigRational {
    BigRational::from_integer(x.into())
}

/// −1, 0 or 1.
pub(super) fn sign(x: &BigRational) -> i32 {
    match x.cmp(&rational(0)) {
        std::cmp::Ordering::Less => -1,
        std::cmp::Ordering::Equal => 0,
        std::cmp::Ordering::Greater => 1,
    }
}

impl Polynomial {
    fn new(mut coefficients: Vec<BigRational>) -> Self {
        while coefficients.last().is_some_and(|c| sign(c) == 0) {
            coefficients.pop();
        }
        Self(coefficients)
    }

    /// From `start` at 0 to `end` at 1, both finite.
    pub fn linear(start: f64, end: f64) -> Self {
        let exactly = |x: f64| BigRational::from_float(x).unwrap_or_else(|| rational(0));
        let (start, end) = (exactly(start), exactly(end));
        Self::new(vec![start.clone(), end - start])
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of coefficients.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn at(&self, t: &BigRational) -> BigRational {
        let coefficients = self.0.iter().rev();
        coefficients.fold(rational(0), |value, c| value * t + c)
    }

    fn derivative(&self) -> Self {
        let powers = self.0.iter().enumerate().skip(1);
        Self::new(powers.map(|(k, c)| c * rational(k as i64)).collect())
    }

    fn termwise(
        &self,
        other: &Self,
        f: impl Fn(&BigRational, &BigRational) -> BigRational,
    ) -> Self {
        let zero = rational(0);
        let terms = 0..self.len().max(other.len());
        let term = |k: usize| {
            f(
                self.0.get(k).unwrap_or(&zero),
                other.0.get(k).unwrap_or(&zero),
            )
        };
        Self::new(terms.map(term).collect())
    }

    /// With a leading coefficient of one, which keeps numbers short; not for zero.
    fn monic(self) -> Self {
        match self.0.last().cloned() {
            Some(lead) => Self(self.0.into_iter().map(|c| c / &lead).collect()),
            None => self,
        }
    }

    /// Quotient and remainder; `divisor` must not be zero.
    fn divide(&self, divisor: &Self) -> (Self, Self) {
        let (mut rest, d) = (self.0.clone(), &divisor.0);
        let mut quotient = vec![rational(0); (rest.len() + 1).saturating_sub(d.len())];
        for k in (0..quotient.len()).rev() {
            let factor = &rest[k + d.len() - 1] / &d[d.len() - 1];
            for (j, c) in d.iter().enumerate() {
                rest[k + j] = &rest[k + j] - &factor * c;
            }
            quotient[k] = factor;
        }
        (Self::new(quotient), Self::new(rest))
    }

    /// The greatest common divisor, with a leading coefficient of one.
    pub fn common_factor(&self, other: &Self) -> Self {
        let (mut a, mut b) = (self.clone(), other.clone());
        while !b.is_zero() {
            let rest = a.divide(&b).1;
            (a, b) = (b, rest.monic());
        }
        a.monic()
    }

    /// With the same roots, each of them once.
    pub fn square_free(&self) -> Self {
        if self.is_zero() {
            return self.clone();
        }
        self.divide(&self.common_factor(&self.derivative())).0
    }

    /// Number of roots in (low, high], by Sturm's theorem; for square-free polynomials.
    pub fn roots_between(&self, low: &BigRational, high: &BigRational) -> usize {
        let mut chain = vec![self.clone(), self.derivative()];
        while !chain[chain.len() - 1].is_zero() {
            let [.., a, b] = &chain[..] else { break };
            let rest = a.divide(b).1;
            chain.push(Self(rest.0.into_iter().map(|c| -c).collect()));
        }
        let changes = |t: &BigRational| {
            let signs: Vec<i32> = (chain.iter())
                .map(|p| sign(&p.at(t)))
                .filter(|s| *s != 0)
                .collect();
            signs.windows(2).filter(|w| w[0] != w[1]).count()
        };
        changes(low) - changes(high)
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
        let mut product = vec![rational(0); self.len() + other.len() - 1];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                product[i + j] = &product[i + j] + a * b;
            }
        }
        Polynomial::new(product)
    }
}
