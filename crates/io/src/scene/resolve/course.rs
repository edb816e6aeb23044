//! Numbers that change over time.

use super::Checked;
use crate::scene::error::Fault;
use crate::scene::{key, raw};
use toile_sim::{Interpolation, Key, KeyedScalar};

/// A number that is `start` at time 0, and then goes from keyframe to keyframe of what is at `path`.
pub(super) fn spec(
    path: &key::Path,
    start: f64,
    keyframes: impl Iterator<Item = Key>,
    interpolation: &mut Option<raw::Interpolation>,
) -> Checked<KeyedScalar> {
    let mut keys: Vec<Key> = Vec::new();
    for key in keyframes {
        let after = keys.last().map_or(0.0, |last| last.time_s);
        if key.time_s <= after {
            let message = format!("expected more than {after}, found {}", key.time_s);
            let path = path.with("keyframes").with(keys.len());
            return Err(Fault::new(path.with("time_s"), message));
        }
        keys.push(key);
    }
    if keys.is_empty() {
        if interpolation.is_some() {
            let message = "only goes with `keyframes`";
            return Err(Fault::new(path.with("interpolation"), message));
        }
        return Ok(start.into());
    }
    Ok(KeyedScalar {
        start,
        keys: keys.into(),
        interpolation: match interpolation.get_or_insert_default() {
            raw::Interpolation::Smooth => Interpolation::Smooth,
            raw::Interpolation::Linear => Interpolation::Linear,
        },
    })
}
