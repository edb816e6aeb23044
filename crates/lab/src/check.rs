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
        write!(f, "{}: {:.6} (expected ", self.what, self.value)?;
        match self.band {
            Band::AtMost(limit) => write!(f, "at most {limit})"),
            Band::AtLeast(limit) => write!(f, "at least {limit})"),
            Band::Between(low, high) => write!(f, "{low} to {high})"),
        }
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
}
