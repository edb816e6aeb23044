//! Values of the material that differ from place to place.

use super::canvas::{self, Canvas};
use super::range::{above_zero, not_negative};
use super::{Checked, cut, pin};
use crate::scene::error::Fault;
use crate::scene::{key, raw, wording};
use std::path::Path;
use toile_sim::{Map, Mapped};

/// One map of a cloth with this shape; files are looked for in `folder`.
pub(super) fn spec(
    path: &key::Path,
    map: &mut raw::Map,
    shape: &cut::Shape,
    folder: &Path,
) -> Checked<Map> {
    let zero = map.factor_at_zero.unwrap_or(1.0);
    for (key, factor) in [("factor", map.factor), ("factor_at_zero", zero)] {
        match map.value {
            // Nothing moves without a mass.
            raw::Mapped::AreaDensity => above_zero(&path.with(key), factor)?,
            _ => not_negative(&path.with(key), factor)?,
        }
    }
    if map.factor_at_zero.is_some() && map.channel.is_none() && map.texture.is_none() {
        let message = "only goes with `channel` and `texture`";
        return Err(Fault::new(path.with("factor_at_zero"), message));
    }
    let surface = shape.surface();
    let faces = &surface.mesh.faces;
    let chosen = |inside: &dyn Fn(usize) -> bool| -> Vec<f64> {
        let factor = |face| if inside(face) { map.factor } else { 1.0 };
        (0..faces.len()).map(factor).collect()
    };
    let blended = |share: f64| zero + (map.factor - zero) * share;
    let factors = match (&map.region, &map.group, &map.texture, map.channel) {
        (Some(region), None, None, None) => {
            let bounds = pin::bounds(&path.with("box"), region)?;
            let positions = &surface.mesh.positions;
            chosen(&|face| {
                let [a, b, c] = faces[face].map(|v| positions[v as usize]);
                bounds.contains((a + b + c) / 3.0)
            })
        }
        (None, Some(name), None, None) => {
            let members = group(&path.with("group"), name, shape)?;
            let mut inside = vec![false; faces.len()];
            for face in members {
                inside[face as usize] = true;
            }
            chosen(&|face| inside[face])
        }
        (None, None, Some(_), channel) => {
            let shares = textured(path, &mut map.texture, channel, shape, folder)?;
            shares.into_iter().map(blended).collect()
        }
        (None, None, None, Some(channel)) => {
            let shares = coloured(path, channel, shape)?;
            shares.into_iter().map(blended).collect()
        }
        _ => {
            let message = "expected exactly one of `box`, `group` and `channel`, or a `texture` \
                           and, if you like, its `channel`";
            return Err(Fault::new(path.clone(), message));
        }
    };
    Ok(Map {
        value: match map.value {
            raw::Mapped::AreaDensity => Mapped::AreaDensity,
            raw::Mapped::Stretch => Mapped::Stretch,
            raw::Mapped::Shear => Mapped::Shear,
            raw::Mapped::Bending => Mapped::Bending,
            raw::Mapped::Damping => Mapped::Damping,
        },
        factors: factors.into(),
    })
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
