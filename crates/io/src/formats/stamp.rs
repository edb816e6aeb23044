//! Comments that tell what OBJ and PLY have no words for: clock, axes, units.
//!
//! A line is `toile KEY VALUE`. Other programs pass it over; Toile reads it back.

use super::{Header, UpAxis};

/// The lines that describe `header`, without the format's comment sign.
pub(super) fn lines(header: &Header) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(rate) = header.frame_rate_hz {
        lines.push(format!("toile frame_rate_hz {rate}"));
    }
    if let Some(up) = header.up {
        lines.push(format!("toile up {up:?}"));
    }
    if let Some(metres) = header.metres_per_unit {
        lines.push(format!("toile metres_per_unit {metres}"));
    }
    lines
}

/// Takes over what a comment says; comments of others say nothing.
pub(crate) fn read(header: &mut Header, comment: &str) {
    let mut words = comment.split_ascii_whitespace();
    if words.next() != Some("toile") {
        return;
    }
    let (key, value) = (words.next(), words.next().unwrap_or_default());
    let positive = || {
        value
            .parse()
            .ok()
            .filter(|n: &f64| n.is_finite() && *n > 0.0)
    };
    match key {
        Some("frame_rate_hz") => header.frame_rate_hz = positive(),
        Some("metres_per_unit") => header.metres_per_unit = positive(),
        Some("up") => {
            header.up = match value {
                "Y" => Some(UpAxis::Y),
                "Z" => Some(UpAxis::Z),
                _ => None,
            }
        }
        _ => {}
    }
}
