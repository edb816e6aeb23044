//! Statements that a measured number must satisfy.

use std::fmt;

/// Where a number must lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Band {
    /// At most this.
    AtMost(f64),
    /// At least this.
    AtLeast(f64),
    /// Between these two.
    Between(f64, f64),
}

/// A measured number and its band.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// What was measured, with its unit.
    pub what: String,
    /// The number.
    pub value: f64,
    /// Where it must lie.
    pub band: Band,
}

impl Check {
    /// `what` measured `value` and must lie in `band`.
    pub fn new(what: impl Into<String>, value: f64, band: Band) -> Self {
        Self {
            what: what.into(),
            value,
            band,
        }
    }

    /// Whether it does. A value that is not a number never does.
    pub fn holds(&self) -> bool {
        match self.band {
            Band::AtMost(limit) => self.value <= limit,
            Band::AtLeast(limit) => self.value >= limit,
            Band::Between(low, high) => (low..=high).contains(&self.value),
        }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} (expected ", self.what, number(self.value))?;
        match self.band {
            Band::AtMost(limit) => write!(f, "at most {})", number(limit)),
            Band::AtLeast(limit) => write!(f, "at least {})", number(limit)),
            Band::Between(low, high) => write!(f, "{} to {})", number(low), number(high)),
        }
    }
}

/// A number with the digits that matter: whole numbers as they are, very small and very large
/// ones with a power of ten.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if value == value.trunc() && size < 1e6 {
        format!("{value}")
    } else if (1e-3..1e6).contains(&size) {
        let shown = format!("{value:.6}");
        shown.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{value:.3e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_hold_their_ends_and_refuse_nan() {
        let holds = |value, band| Check::new("x", value, band).holds();
        assert!(holds(1.0, Band::AtMost(1.0)) && !holds(1.1, Band::AtMost(1.0)));
        assert!(holds(1.0, Band::AtLeast(1.0)) && !holds(0.9, Band::AtLeast(1.0)));
        assert!(holds(1.0, Band::Between(1.0, 2.0)) && !holds(2.1, Band::Between(1.0, 2.0)));
        for band in [
            Band::AtMost(1.0),
            Band::AtLeast(1.0),
            Band::Between(0.0, 1.0),
        ] {
            assert!(!holds(f64::NAN, band));
        }
    }

    #[test]
    fn numbers_keep_their_digits() {
        let values = [0.0, 60.0, 0.02, 1.5e-7, -3.25, 2.000_000_01, 4.0e9];
        let expected = ["0", "60", "0.02", "1.500e-7", "-3.25", "2", "4.000e9"];
        assert_eq!(values.map(number), expected);
    }
}
