//! Checks of single values.

use super::Checked;
use crate::scene::error::Fault;
use crate::scene::key;
use glam::DVec3;
use std::ops::RangeInclusive;

/// Names become files and folders.
pub(super) fn file_name(path: &key::Path, name: &str) -> Checked {
    let plain = name.len() <= 100
        && !name.trim().is_empty()
        && !name.starts_with('.')
        && !name.contains(|c: char| c.is_control() || "/\\:*?\"<>|".contains(c));
    if plain {
        return Ok(());
    }
    let message = format!(
        "expected a short name that can be a file's, without / and the like, found {name:?}"
    );
    Err(Fault::new(path.clone(), message))
}

/// The most that any quantity may be: sums and products of such numbers are finite.
const MOST: f64 = 1e15;

/// The most that friction may be: far above anything that slides at all.
const MOST_FRICTION: f64 = 1e3;

pub(super) fn above_zero(path: &key::Path, value: f64) -> Checked {
    if value > 0.0 {
        return at_most(path, value, MOST);
    }
    let message = format!("expected a number greater than 0, found {value}");
    Err(Fault::new(path.clone(), message))
}

pub(super) fn not_negative(path: &key::Path, value: f64) -> Checked {
    if value >= 0.0 {
        return at_most(path, value, MOST);
    }
    let message = format!("expected 0 or more, found {value}");
    Err(Fault::new(path.clone(), message))
}

/// A coefficient of Coulomb's friction.
pub(super) fn friction(path: &key::Path, value: f64) -> Checked {
    not_negative(path, value)?;
    at_most(path, value, MOST_FRICTION)
}

fn at_most(path: &key::Path, value: f64, most: f64) -> Checked {
    if value <= most {
        return Ok(());
    }
    let message = format!("expected {most:e} at the most, found {value:e}");
    Err(Fault::new(path.clone(), message))
}

pub(super) fn within(path: &key::Path, value: f64, range: RangeInclusive<f64>) -> Checked {
    if range.contains(&value) {
        return Ok(());
    }
    let (start, end) = range.into_inner();
    let message = format!("expected {start} to {end}, found {value}");
    Err(Fault::new(path.clone(), message))
}

pub(super) fn not_empty<T>(path: &key::Path, list: &[T]) -> Checked {
    if list.is_empty() {
        return Err(Fault::new(
            path.clone(),
            "expected at least one, found none",
        ));
    }
    Ok(())
}

/// A unit vector along `vector`.
pub(super) fn direction(path: &key::Path, vector: [f64; 3]) -> Checked<DVec3> {
    DVec3::from(vector).try_normalize().ok_or_else(|| {
        let message = format!("expected a direction, found {vector:?}");
        Fault::new(path.clone(), message)
    })
}
