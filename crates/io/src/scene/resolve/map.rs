//! Values of the material that differ from place to place.

use super::range::{above_zero, not_negative};
use super::{Checked, cut, pin};
use crate::scene::error::Fault;
use crate::scene::{key, raw, wording};
use toile_geometry::Surface;
use toile_sim::{Map, Mapped};

/// One map of a cloth with this shape.
pub(super) fn spec(
    path: &key::Path,
    map: &raw::Map,
    shape: &cut::Shape,
    surface: &Surface,
) -> Checked<Map> {
    let zero = map.factor_at_zero.unwrap_or(1.0);
    for (key, factor) in [("factor", map.factor), ("factor_at_zero", zero)] {
        match map.value {
            // Nothing moves without a mass.
            raw::Mapped::AreaDensity => above_zero(&path.with(key), factor)?,
            _ => not_negative(&path.with(key), factor)?,
        }
    }
    if map.factor_at_zero.is_some() && map.channel.is_none() {
        let message = "only goes with `channel`";
        return Err(Fault::new(path.with("factor_at_zero"), message));
    }
    let faces = &surface.mesh.faces;
    let chosen = |inside: &dyn Fn(usize) -> bool| -> Vec<f64> {
        let factor = |face| if inside(face) { map.factor } else { 1.0 };
        (0..faces.len()).map(factor).collect()
    };
    let factors = match (&map.region, &map.group, map.channel) {
        (Some(region), None, None) => {
            let bounds = pin::bounds(&path.with("box"), region)?;
            let positions = &surface.mesh.positions;
            chosen(&|face| {
                let [a, b, c] = faces[face].map(|v| positions[v as usize]);
                bounds.contains((a + b + c) / 3.0)
            })
        }
        (None, Some(name), None) => {
            let members = group(&path.with("group"), name, shape)?;
            let mut inside = vec![false; faces.len()];
            for face in members {
                inside[face as usize] = true;
            }
            chosen(&|face| inside[face])
        }
        (None, None, Some(channel)) => {
            let colours = shape.file.as_ref().and_then(|file| file.colours.as_ref());
            let Some(colours) = colours else {
                let message = "the cloth has no vertex colours";
                return Err(Fault::new(path.with("channel"), message));
            };
            let at = |vertex: u32| f64::from(colours[vertex as usize][channel as usize]);
            let share = |face: &[u32; 3]| face.map(at).iter().sum::<f64>() / 3.0;
            faces
                .iter()
                .map(|face| zero + (map.factor - zero) * share(face))
                .collect()
        }
        _ => {
            let message = "expected exactly one of `box`, `group` and `channel`";
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
