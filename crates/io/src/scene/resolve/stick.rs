//! What a cloth sticks to and what it is fastened to.
//!
//! Particles are chosen with the cloth at hand; the names of other things are looked up when all of
//! them are known.

use super::named::Named;
use super::range::{above_zero, not_empty, not_negative};
use super::{Checked, cut, map, pin};
use crate::scene::error::Fault;
use crate::scene::{key, raw, wording};
use std::path::Path;
use toile_sim::{AttachSpec, ClothSpec, PinRegion, StickSpec, Thing};

/// Validates one stick of a cloth with this shape; what it sticks to is left open. Files are looked
/// for in `folder`.
pub(super) fn spec(
    path: &key::Path,
    stick: &mut raw::Stick,
    shape: &cut::Shape,
    folder: &Path,
) -> Checked<StickSpec> {
    not_negative(&path.with("reach_m"), stick.reach_m)?;
    let standard_m = StickSpec::release_m(stick.reach_m);
    let release_m = *stick.release_m.get_or_insert(standard_m);
    above_zero(&path.with("release_m"), release_m)?;
    above_zero(&path.with("stiffness_n_per_m"), stick.stiffness_n_per_m)?;
    above_zero(&path.with("fade_s"), stick.fade_s)?;
    above_zero(&path.with("triangles"), f64::from(stick.triangles))?;
    if let Some(strength) = stick.strength_n {
        above_zero(&path.with("strength_n"), strength)?;
    }
    for (k, [from, to]) in stick.active_s.iter().enumerate() {
        if from >= to {
            let message = format!("expected more than {from}, when it is switched on, found {to}");
            return Err(Fault::new(path.with("active_s").with(k).with(1), message));
        }
    }
    let region = region(path, stick, shape, folder)?;
    let to_box = path.with("to_box");
    let bounds = stick.to_box.map(|region| pin::bounds(&to_box, &region));
    Ok(StickSpec {
        region,
        to: Vec::new(),
        to_box: bounds.transpose()?,
        to_faces: None,
        triangles: stick.triangles as usize,
        reach_m: stick.reach_m,
        release_m,
        strength_n: stick.strength_n,
        stiffness_n_per_m: stick.stiffness_n_per_m,
        fade_s: stick.fade_s,
        active_s: stick.active_s.clone(),
    })
}

/// Which particles adhere; none is all.
fn region(
    path: &key::Path,
    stick: &mut raw::Stick,
    shape: &cut::Shape,
    folder: &Path,
) -> Checked<Option<PinRegion>> {
    let (texture, channel) = (stick.texture.is_some(), stick.channel);
    let (key, shares) = match (stick.chosen(), texture, channel) {
        (None, false, None) => return Ok(None),
        (Some(chosen), false, None) => return pin::region(path, &chosen, shape).map(Some),
        (None, true, _) => {
            let shares = map::textured(path, &mut stick.texture, channel, shape, folder)?;
            ("texture", shares)
        }
        (None, false, Some(channel)) => ("channel", map::coloured(path, channel, shape)?),
        (Some(_), ..) => {
            let key = if texture { "texture" } else { "channel" };
            let message = "expected either this or another choice of particles, found both";
            return Err(Fault::new(path.with(key), message));
        }
    };
    let surface = shape.surface();
    let painted = surface.mesh.faces.iter().zip(shares);
    let painted = painted.filter(|(_, share)| *share > 0.5);
    let indices: Vec<u32> = painted.flat_map(|(face, _)| *face).collect();
    if indices.is_empty() {
        let message = "paints no face: expected at least one lighter than half";
        return Err(Fault::new(path.with(key), message));
    }
    Ok(Some(PinRegion::Indices(indices)))
}

/// Validates one fastening of a cloth with this shape; what to is left open.
pub(super) fn attachment(
    path: &key::Path,
    attach: &raw::Attach,
    shape: &cut::Shape,
) -> Checked<AttachSpec> {
    above_zero(&path.with("stiffness_n_per_m"), attach.stiffness_n_per_m)?;
    if let Some(gap) = attach.gap_m {
        not_negative(&path.with("gap_m"), gap)?;
    }
    Ok(AttachSpec {
        region: pin::region(path, &attach.chosen(), shape)?,
        // Until it is looked up.
        to: Thing::Cloth(0),
        to_indices: attach.to_indices.clone(),
        gap_m: attach.gap_m,
        stiffness_n_per_m: attach.stiffness_n_per_m,
    })
}

/// Looks up what cloths stick and are fastened to; `things` are what the file's colliders became, `named`
/// says what the triangles of all cloths, then of all colliders are called.
pub(super) fn look_up(
    file: &raw::File,
    things: &[Thing],
    named: &[Named],
    cloths: &mut [ClothSpec],
) -> Checked {
    let name_of = |name: &Option<String>| name.clone().unwrap_or_default();
    let mut names: Vec<(String, Thing)> = Vec::new();
    let of_cloths = file.cloth.iter().enumerate();
    names.extend(of_cloths.map(|(k, cloth)| (name_of(&cloth.name), Thing::Cloth(k))));
    let of_colliders = file.collider.iter().zip(things);
    names.extend(of_colliders.map(|(collider, thing)| (name_of(&collider.name), *thing)));
    let place = |name: &str| names.iter().position(|(other, _)| other == name);
    let find = |path: key::Path, name: &str| {
        let found = place(name).map(|k| names[k].1);
        found.ok_or_else(|| {
            let all: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
            let message = format!("there is no cloth and no collider \"{name}\"");
            let fault = Fault::new(path, message);
            match wording::nearest(name, &all) {
                Some(near) => fault.help(format!("did you mean \"{near}\"?")),
                None => fault,
            }
        })
    };
    let root = key::Path::default().with("cloth");
    for (k, (written, cloth)) in file.cloth.iter().zip(cloths).enumerate() {
        for (i, (stick, spec)) in written.stick.iter().zip(&mut cloth.sticks).enumerate() {
            let path = root.with(k).with("stick").with(i).with("to");
            not_empty(&path, &stick.to)?;
            let each = stick.to.iter().enumerate();
            spec.to = each
                .map(|(j, name)| find(path.with(j), name))
                .collect::<Checked<_>>()?;
            let Some(group) = &stick.to_group else {
                continue;
            };
            let path = root.with(k).with("stick").with(i).with("to_group");
            let of_each = stick.to.iter().map(|name| {
                let named = place(name).map_or(&Named::Nothing, |k| &named[k]);
                named.faces(group).ok_or_else(|| {
                    let message = format!("\"{name}\" has no triangles called \"{group}\"");
                    let fault = Fault::new(path.clone(), message);
                    wording::suggest(fault, group, &named.names(), "names")
                })
            });
            spec.to_faces = Some(of_each.collect::<Checked<_>>()?);
        }
        for (i, (attach, spec)) in (written.attach.iter())
            .zip(&mut cloth.attachments)
            .enumerate()
        {
            let path = root.with(k).with("attach").with(i).with("to");
            spec.to = find(path, &attach.to)?;
        }
    }
    Ok(())
}
