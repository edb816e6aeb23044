//! How numbers are spread.

use std::fmt;

/// The least, the greatest, and what lies in between.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// The least.
    pub least: f64,
    /// One in twenty is below.
    pub low: f64,
    /// Half are below.
    pub median: f64,
    /// One in twenty is above.
    pub high: f64,
    /// The greatest.
    pub most: f64,
}

impl Spread {
    /// The spread of `numbers`; all zero where there are none.
    pub fn of(mut numbers: Vec<f64>) -> Self {
        numbers.sort_unstable_by(f64::total_cmp);
        let last = numbers.len().saturating_sub(1);
        let at = |part: f64| {
            let place = (part * last as f64).round() as usize;
            numbers.get(place).copied().unwrap_or_default()
        };
        Self {
            least: at(0.0),
            low: at(0.05),
            median: at(0.5),
            high: at(0.95),
            most: at(1.0),
        }
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            least,
            low,
            median,
            high,
            most,
        } = self;
        write!(
            f,
            "{median:.4} ({low:.4} to {high:.4} for nine in ten, {least:.4} to {most:.4} for all)"
        )
    }
}
