//! What a run writes.

use super::range::{above_zero, within};
use super::{Checked, MAX_FRAMES, MAX_PARTICLES};
use crate::scene::error::Fault;
use crate::scene::{OutputSpec, key, raw};
use toile_geometry::Bounds;
use toile_sim::wrinkles::{Keeping, KeepingError};

/// How often written cloth may be made finer.
const MAX_SUBDIVISIONS: u32 = 3;

/// Validates what is to be written of so many particles.
pub(super) fn spec(
    path: &key::Path,
    output: &raw::Output,
    particles: usize,
) -> Checked<OutputSpec> {
    for (i, format) in output.formats.iter().enumerate() {
        if output.formats[..i].contains(format) {
            let message = format!("found {} again, expected each format once", format.name());
            return Err(Fault::new(path.with("formats").with(i), message));
        }
    }
    cache(path, output)?;
    subdivisions(&path.with("subdivide"), output.subdivide, particles as u64)?;
    Ok(OutputSpec {
        formats: output.formats.clone(),
        cache: output.cache,
        film: output.film,
        props: props(&path.with("props"), &output.props)?,
        subdivide: output.subdivide,
        keep_wrinkles: match &output.keep_wrinkles {
            Some(asked) => Some(keeping(&path.with("keep_wrinkles"), asked)?),
            None => None,
        },
    })
}

fn subdivisions(path: &key::Path, times: u32, particles: u64) -> Checked {
    let most = f64::from(MAX_SUBDIVISIONS);
    within(path, f64::from(times), 0.0..=most)?;
    let vertices = particles << (2 * times);
    if times > 0 && vertices > MAX_PARTICLES {
        let message = format!(
            "{particles} particles made finer {times} times are about {vertices} vertices, expected \
             at most {MAX_PARTICLES}"
        );
        return Err(Fault::new(path.clone(), message));
    }
    Ok(())
}

fn keeping(path: &key::Path, asked: &raw::KeepWrinkles) -> Checked<Keeping> {
    above_zero(&path.with("tolerance_m"), asked.tolerance_m)?;
    Keeping::new(asked.tolerance_m, asked.offset_m, asked.depth_m).map_err(|error| {
        let key = match error {
            KeepingError::Offset { .. } => "offset_m",
            KeepingError::Depth { .. } => "depth_m",
        };
        Fault::new(path.with(key), error.to_string())
    })
}

fn cache(path: &key::Path, output: &raw::Output) -> Checked {
    let (path, cache) = (path.with("cache"), &output.cache);
    above_zero(&path.with("metres_per_unit"), cache.metres_per_unit)?;
    let most = f64::from(MAX_FRAMES);
    let pre_roll = f64::from(cache.pre_roll_frames);
    within(&path.with("pre_roll_frames"), pre_roll, 0.0..=most)?;
    let first = path.with("first_frame");
    within(&first, cache.first_frame as f64, -most..=most)?;
    match output.formats.iter().find(|format| format.is_numbered()) {
        Some(format) if cache.first_frame < 0 => {
            let (name, found) = (format.name(), cache.first_frame);
            let message = format!("expected 0 or more for files of {name}, found {found}");
            Err(Fault::new(first, message))
        }
        _ => Ok(()),
    }
}

fn props(path: &key::Path, props: &[raw::Prop]) -> Checked<Vec<Bounds>> {
    let mut boxes = Vec::with_capacity(props.len());
    for (i, prop) in props.iter().enumerate() {
        let bounds = Bounds {
            min: prop.min.into(),
            max: prop.max.into(),
        };
        if !bounds.min.cmplt(bounds.max).all() {
            let message = format!("expected more than min in every axis, found {:?}", prop.max);
            return Err(Fault::new(path.with(i).with("max"), message));
        }
        boxes.push(bounds);
    }
    Ok(boxes)
}
