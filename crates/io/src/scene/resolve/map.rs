//! Values of the material that differ from place to place and over time.

use super::canvas::{self, Canvas};
use super::range::{above_zero, not_negative};
use super::{Checked, course, cut, pin};
use crate::scene::error::Fault;
use crate::scene::{key, raw, wording};
use std::path::Path;
use toile_sim::{Key, KeyedScalar, Map, Mapped};

/// One map of a cloth with this shape; files are looked for in `folder`.
pub(super) fn spec(
    path: &key::Path,
    map: &mut raw::Map,
    shape: &cut::Shape,
    folder: &Path,
) -> Checked<Map> {
    let factor = factor(path, map)?;
    let factor_at_zero = map.factor_at_zero.unwrap_or(1.0);
    if map.factor_at_zero.is_some() && map.channel.is_none() && map.texture.is_none() {
        let message = "only goes with `channel` and `texture`";
        return Err(Fault::new(path.with("factor_at_zero"), message));
    }
    Ok(Map {
        value: value(map.value),
        shares: shares(path, map, shape, folder)?.into(),
        factor,
        factor_at_zero,
    })
}

fn value(value: raw::Mapped) -> Mapped {
    match value {
        raw::Mapped::AreaDensity => Mapped::AreaDensity,
        raw::Mapped::Stretch => Mapped::Stretch,
        raw::Mapped::Shear => Mapped::Shear,
        raw::Mapped::Bending => Mapped::Bending,
        raw::Mapped::Damping => Mapped::Damping,
        raw::Mapped::RestLength => Mapped::RestLength,
        raw::Mapped::RestLengthWarp => Mapped::RestLengthWarp,
        raw::Mapped::RestLengthWeft => Mapped::RestLengthWeft,
        raw::Mapped::RestAngle => Mapped::RestAngle,
    }
}

/// What the value is multiplied by over time.
fn factor(path: &key::Path, map: &mut raw::Map) -> Checked<KeyedScalar> {
    if map.keyframes.is_empty() && map.factor.is_none() {
        let message = "expected a `factor`, or `keyframes` of it";
        return Err(Fault::new(path.clone(), message));
    }
    let value = value(map.value);
    if value == Mapped::AreaDensity && !map.keyframes.is_empty() {
        let message = "mass cannot change over time: expected another `value`, or no keyframes";
        return Err(Fault::new(path.with("keyframes"), message));
    }
    let in_range = |path: key::Path, factor: f64| match value {
        Mapped::RestAngle => Ok(()),
        // Nothing moves without a mass, and nothing has a shape without a length.
        _ if value.must_be_positive() => above_zero(&path, factor),
        _ => not_negative(&path, factor),
    };
    let start = *map.factor.get_or_insert(1.0);
    in_range(path.with("factor"), start)?;
    in_range(
        path.with("factor_at_zero"),
        map.factor_at_zero.unwrap_or(1.0),
    )?;
    for (k, key) in map.keyframes.iter().enumerate() {
        in_range(path.with("keyframes").with(k).with("factor"), key.factor)?;
    }
    let keys = map.keyframes.iter().map(|key| Key {
        time_s: key.time_s,
        value: key.factor,
    });
    course::spec(path, start, keys, &mut map.interpolation)
}

/// How much of its factor a map gives every face.
fn shares(
    path: &key::Path,
    map: &mut raw::Map,
    shape: &cut::Shape,
    folder: &Path,
) -> Checked<Vec<f64>> {
    let surface = shape.surface();
    let faces = &surface.mesh.faces;
    let chosen = |inside: &dyn Fn(usize) -> bool| -> Vec<f64> {
        let share = |face| if inside(face) { 1.0 } else { 0.0 };
        (0..faces.len()).map(share).collect()
    };
    match (&map.region, &map.group, &map.texture, map.channel) {
        (None, None, None, None) => Ok(chosen(&|_| true)),
        (Some(region), None, None, None) => {
            let bounds = pin::bounds(&path.with("box"), region)?;
            let positions = &surface.mesh.positions;
            Ok(chosen(&|face| {
                let [a, b, c] = faces[face].map(|v| positions[v as usize]);
                bounds.contains((a + b + c) / 3.0)
            }))
        }
        (None, Some(name), None, None) => {
            let members = group(&path.with("group"), name, shape)?;
            let mut inside = vec![false; faces.len()];
            for face in members {
                inside[face as usize] = true;
            }
            Ok(chosen(&|face| inside[face]))
        }
        (None, None, Some(_), channel) => textured(path, &mut map.texture, channel, shape, folder),
        (None, None, None, Some(channel)) => coloured(path, channel, shape),
        _ => {
            let message = "expected at most one of `box`, `group` and `channel`, or a `texture` \
                           and, if you like, its `channel`";
            Err(Fault::new(path.clone(), message))
        }
    }
}

/// What a channel of a picture in `folder` says of every face.
pub(super) fn textured(
    path: &key::Path,
    name: &mut Option<String>,
    channel: Option<raw::Channel>,
    shape: &cut::Shape,
    folder: &Path,
) -> Checked<Vec<f64>> {
    let path = path.with("texture");
    let picture = canvas::picture(&path, name.get_or_insert_default(), folder)?;
    let shares = Canvas::of_cloth(shape).textured(&picture, channel.unwrap_or(raw::Channel::Red));
    shares.ok_or_else(|| Fault::new(path, "the mesh has no texture coordinates"))
}

/// What a channel of the vertex colours says of every face.
pub(super) fn coloured(
    path: &key::Path,
    channel: raw::Channel,
    shape: &cut::Shape,
) -> Checked<Vec<f64>> {
    let shares = Canvas::of_cloth(shape).coloured(channel);
    shares.ok_or_else(|| Fault::new(path.with("channel"), "the cloth has no vertex colours"))
}

/// The faces of a named set of the mesh.
pub(super) fn group(path: &key::Path, name: &str, shape: &cut::Shape) -> Checked<Vec<u32>> {
    let groups = shape.file.as_ref().map_or(&[][..], |file| &file.groups);
    if let Some(group) = groups.iter().find(|group| group.name == name) {
        return Ok(group.iter().collect());
    }
    let names: Vec<&str> = groups.iter().map(|group| group.name.as_str()).collect();
    let fault = Fault::new(path.clone(), format!("the cloth has no group \"{name}\""));
    Err(wording::suggest(fault, name, &names, "groups"))
}
