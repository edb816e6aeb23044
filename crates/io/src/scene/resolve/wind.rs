//! Wind.

use super::Checked;
use super::range::{above_zero, not_negative};
use crate::scene::error::Fault;
use crate::scene::{key, raw};
use toile_sim::WindSpec;

/// Validates the wind.
pub(super) fn spec(path: &key::Path, wind: &raw::Wind) -> Checked<WindSpec> {
    not_negative(&path.with("gust_m_per_s"), wind.gust_m_per_s)?;
    above_zero(&path.with("gust_size_m"), wind.gust_size_m)?;
    above_zero(&path.with("gust_period_s"), wind.gust_period_s)?;
    not_negative(&path.with("drag"), wind.drag)?;
    // More lift than drag would drive the cloth without wind.
    if !(0.0..=wind.drag).contains(&wind.lift) {
        let (drag, lift) = (wind.drag, wind.lift);
        let message = format!("expected 0 to {drag}, which is `wind.drag`, found {lift}");
        return Err(Fault::new(path.with("lift"), message));
    }
    Ok(WindSpec {
        velocity_m_per_s: wind.velocity_m_per_s.into(),
        gust_m_per_s: wind.gust_m_per_s,
        gust_size_m: wind.gust_size_m,
        gust_period_s: wind.gust_period_s,
        seed: wind.seed,
        drag: wind.drag,
        lift: wind.lift,
    })
}
