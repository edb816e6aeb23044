//! How pins and colliders are moved.

use super::Checked;
use super::range::direction;
use crate::scene::error::Fault;
use crate::scene::{key, raw};
use glam::DVec3;
use toile_sim::{Interpolation, Keyframe, Keyframes, Motion};

/// What a scene says about a motion.
pub(super) struct Moved<'a> {
    pub velocity_m_per_s: Option<[f64; 3]>,
    pub keyframes: &'a [raw::Keyframe],
    pub pivot: Option<[f64; 3]>,
    /// Filled in where it matters.
    pub interpolation: &'a mut Option<raw::Interpolation>,
    /// What is the case at time 0, in words.
    pub start: &'a str,
}

/// Validates the motion of what is at `path`.
pub(super) fn spec(path: &key::Path, moved: Moved<'_>) -> Checked<Motion> {
    if moved.keyframes.is_empty() {
        for (key, given) in [
            ("pivot", moved.pivot.is_some()),
            ("interpolation", moved.interpolation.is_some()),
        ] {
            if given {
                return Err(Fault::new(path.with(key), "only goes with `keyframes`"));
            }
        }
        return Ok(moved
            .velocity_m_per_s
            .map_or(Motion::Still, |velocity| Motion::Velocity(velocity.into())));
    }
    let path_of_keys = path.with("keyframes");
    if moved.velocity_m_per_s.is_some() {
        let message = "expected either this or `velocity_m_per_s`, found both";
        return Err(Fault::new(path_of_keys, message));
    }
    let mut keys: Vec<Keyframe> = Vec::with_capacity(moved.keyframes.len());
    for (i, raw) in moved.keyframes.iter().enumerate() {
        let path = path_of_keys.with(i);
        let axis = direction(&path.with("axis"), raw.axis)?;
        let key = Keyframe {
            time_s: raw.time_s,
            offset_m: raw.offset_m.into(),
            rotation_rad: raw.angle_deg.to_radians() * axis,
            scale: raw.scale.into(),
        };
        let after = keys.last().map_or(0.0, |last| last.time_s);
        if i == 0 && raw.time_s == 0.0 {
            if key != Keyframe::START {
                let start = moved.start;
                let message = format!("at time 0 {start}, expected no offset, turn or scale");
                return Err(Fault::new(path, message));
            }
        } else if raw.time_s <= after {
            let message = format!("expected more than {after}, found {}", raw.time_s);
            return Err(Fault::new(path.with("time_s"), message));
        }
        keys.push(key);
    }
    let interpolation = match moved.interpolation.get_or_insert_default() {
        raw::Interpolation::Smooth => Interpolation::Smooth,
        raw::Interpolation::Linear => Interpolation::Linear,
    };
    Ok(Motion::Keyframes(Keyframes {
        keys,
        pivot: moved.pivot.map(DVec3::from),
        interpolation,
    }))
}
