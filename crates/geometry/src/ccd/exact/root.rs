//! Roots of polynomials, as exact numbers.

use super::dyadic::Dyadic;
use super::polynomial::Polynomial;
use std::cmp::Ordering;

/// Halvings before a zero is suspected behind a sign that does not show.
const PATIENCE: usize = 48;

/// A dyadic number, or the only root of a polynomial strictly between two.
#[derive(Clone, Debug)]
pub(super) enum Root {
    Dyadic(Dyadic),
    Between(Between),
}

/// The only root of a square-free polynomial strictly between `low` and the next number with as many
/// bits, at neither of which it vanishes.
#[derive(Clone, Debug)]
pub(super) struct Between {
    of: Polynomial,
    low: Dyadic,
}

impl Root {
    /// All roots in \[0, 1\] in ascending order, each once; `polynomial` must not be zero.
    pub fn all_in_unit_interval(polynomial: &Polynomial) -> Vec<Self> {
        let of = polynomial.square_free();
        let mut roots = Vec::new();
        if of.sign_at(&Dyadic::ZERO) == 0 {
            roots.push(Self::Dyadic(Dyadic::ZERO));
        }
        Self::isolate(&of, Dyadic::ZERO, &mut roots);
        roots
    }

    /// Adds the roots after `low` up to the next number with as many bits, this included.
    fn isolate(of: &Polynomial, mut low: Dyadic, roots: &mut Vec<Self>) {
        let next = low.next();
        let vanishes = |t: &Dyadic| of.sign_at(t) == 0;
        match of.most_roots_after(&low) {
            0 => {}
            1 if !vanishes(&low) && !vanishes(&next) => {
                let of = of.clone();
                roots.push(Self::Between(Between { of, low }));
                return;
            }
            _ => {
                let middle = low.halve();
                Self::isolate(of, low, roots);
                return Self::isolate(of, middle, roots);
            }
        }
        if vanishes(&next) {
            roots.push(Self::Dyadic(next));
        }
    }

    /// Halves the interval in which the root lies.
    fn refine(&mut self) {
        let Self::Between(Between { of, low }) = self else {
            return;
        };
        let before = of.sign_at(low);
        let middle = low.halve();
        let there = of.sign_at(&middle);
        if there == 0 {
            *self = Self::Dyadic(middle);
        } else if there == before {
            *low = middle;
        }
    }

    /// The sign of `polynomial` here.
    pub fn sign_of(&mut self, polynomial: &Polynomial) -> i32 {
        if polynomial.is_zero() {
            return 0;
        }
        for halvings in 0.. {
            match self {
                Self::Dyadic(value) => return polynomial.sign_at(value),
                Self::Between(here) => {
                    if let Some(sign) = polynomial.sign_from(&here.low) {
                        return sign;
                    }
                    if halvings == PATIENCE && here.is_root_of(polynomial) {
                        return 0;
                    }
                }
            }
            self.refine();
        }
        0
    }

    /// The order of this root and a number.
    pub fn compare_with(&self, value: &Dyadic) -> Ordering {
        match self {
            Self::Dyadic(here) => here.cmp(value),
            Self::Between(Between { low, .. }) if value <= low => Ordering::Greater,
            Self::Between(Between { low, .. }) if *value >= low.next() => Ordering::Less,
            Self::Between(Between { of, low }) => match of.sign_at(value) {
                0 => Ordering::Equal,
                sign if sign == of.sign_at(low) => Ordering::Greater,
                _ => Ordering::Less,
            },
        }
    }

    /// The order of two roots.
    pub fn compare(mut self, other: &mut Self) -> Ordering {
        for halvings in 0.. {
            match &self {
                Self::Dyadic(value) => return other.compare_with(value).reverse(),
                Self::Between(here) => {
                    if other.compare_with(&here.low) != Ordering::Greater {
                        return Ordering::Greater;
                    }
                    if other.compare_with(&here.low.next()) != Ordering::Less {
                        return Ordering::Less;
                    }
                    // There is only one root in here.
                    if halvings == PATIENCE && other.sign_of(&here.of) == 0 {
                        return Ordering::Equal;
                    }
                }
            }
            self.refine();
        }
        Ordering::Equal
    }

    /// In floating point, to a few units in the last place of one.
    pub fn rounded(&self) -> f64 {
        const BITS: usize = 80;
        let mut root = self.clone();
        loop {
            match &root {
                Self::Dyadic(value) => return value.rounded(),
                Self::Between(Between { low, .. }) if low.bits >= BITS => return low.rounded(),
                Self::Between(_) => root.refine(),
            }
        }
    }
}

impl Between {
    /// Whether `polynomial` vanishes here too: then a common factor of both changes its sign here.
    fn is_root_of(&self, polynomial: &Polynomial) -> bool {
        let common = self.of.common_factor(polynomial);
        common.sign_at(&self.low) != common.sign_at(&self.low.next())
    }
}
