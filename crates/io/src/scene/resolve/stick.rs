//! What a cloth sticks to and what it is fastened to.
//!
//! Particles are chosen with the cloth at hand; the names of other things are looked up when all of
//! them are known.

use super::named::Marks;
use super::range::{above_zero, not_empty, not_negative};
use super::{Checked, canvas, cut, map, pin};
use crate::scene::error::Fault;
use crate::scene::{key, raw, wording};
use std::path::Path;
use toile_sim::{AttachSpec, ClothSpec, PinRegion, StickSpec, Thing};

/// Faces lighter than this are painted.
const LIGHT: f64 = 0.5;
/// What is wrong with a picture without any.
const UNPAINTED: &str = "paints no face: expected at least one lighter than half";

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
    let painted = painted.filter(|(_, share)| *share > LIGHT);
    let indices: Vec<u32> = painted.flat_map(|(face, _)| *face).collect();
    if indices.is_empty() {
        return Err(Fault::new(path.with(key), UNPAINTED));
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
        to: Thing::Deformable(0),
        to_indices: attach.to_indices.clone(),
        gap_m: attach.gap_m,
        stiffness_n_per_m: attach.stiffness_n_per_m,
    })
}

/// What is known of all things when names are looked up.
pub(super) struct Known<'a> {
    /// What the file's colliders became.
    pub things: &'a [Thing],
    /// How the triangles of all cloths, then of all colliders can be told from each other.
    pub marks: &'a [Marks],
    /// Where relative file names are looked for.
    pub folder: &'a Path,
}

/// Looks up what cloths stick and are fastened to.
pub(super) fn look_up(
    file: &mut raw::File,
    known: &Known<'_>,
    cloths: &mut [ClothSpec],
) -> Checked {
    let name_of = |name: &Option<String>| name.clone().unwrap_or_default();
    let mut names: Vec<(String, Thing)> = Vec::new();
    let of_cloths = file.cloth.iter().enumerate();
    names.extend(of_cloths.map(|(k, cloth)| (name_of(&cloth.name), Thing::Deformable(k))));
    let of_colliders = file.collider.iter().zip(known.things);
    names.extend(of_colliders.map(|(collider, thing)| (name_of(&collider.name), *thing)));
    let find = |path: key::Path, name: &str| {
        let found = names.iter().position(|(other, _)| other == name);
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
    for (k, (written, cloth)) in file.cloth.iter_mut().zip(cloths).enumerate() {
        let path = root.with(k);
        for (i, (stick, spec)) in (written.stick.iter_mut())
            .zip(&mut cloth.sticks)
            .enumerate()
        {
            let path = path.with("stick").with(i);
            let to = path.with("to");
            not_empty(&to, &stick.to)?;
            let each = stick.to.iter().enumerate();
            let places = each
                .map(|(j, name)| find(to.with(j), name))
                .collect::<Checked<Vec<usize>>>()?;
            spec.to = places.iter().map(|k| names[*k].1).collect();
            let marks: Vec<&Marks> = places.iter().map(|k| &known.marks[*k]).collect();
            spec.to_faces = sticky(&path, stick, &marks, known.folder)?;
        }
        let written = written.attach.iter().zip(&mut cloth.attachments);
        for (i, (attach, spec)) in written.enumerate() {
            let place = find(path.with("attach").with(i).with("to"), &attach.to)?;
            spec.to = names[place].1;
        }
    }
    Ok(())
}

/// Of each of the things that a stick names, the triangles that are sticky; `None` is all.
fn sticky(
    path: &key::Path,
    stick: &mut raw::Stick,
    marks: &[&Marks],
    folder: &Path,
) -> Checked<Option<Vec<Vec<u32>>>> {
    let channel = stick.to_channel;
    let key = match (&stick.to_texture, channel) {
        (Some(_), _) => "to_texture",
        (None, Some(_)) => "to_channel",
        (None, None) => return called(&path.with("to_group"), stick, marks),
    };
    let path = path.with(key);
    if stick.to_group.is_some() {
        let message = "expected either this or `to_group`, found both";
        return Err(Fault::new(path, message));
    }
    let picture = match &mut stick.to_texture {
        Some(name) => Some(canvas::picture(&path, name, folder)?),
        None => None,
    };
    let channel = channel.unwrap_or(raw::Channel::Red);
    let painted = |(marks, name): (&&Marks, &String)| {
        let (shares, missing) = match &picture {
            Some(picture) => (
                marks.canvas.textured(picture, channel),
                "texture coordinates",
            ),
            None => (marks.canvas.coloured(channel), "vertex colours"),
        };
        let missing = || Fault::new(path.clone(), format!("\"{name}\" has no {missing}"));
        let shares = (0..).zip(shares.ok_or_else(missing)?);
        let light = shares.filter(|(_, share)| *share > LIGHT);
        Ok(light.map(|(face, _)| face).collect())
    };
    let each = marks.iter().zip(&stick.to);
    let faces: Vec<Vec<u32>> = each.map(painted).collect::<Checked<_>>()?;
    if faces.iter().all(Vec::is_empty) {
        return Err(Fault::new(path, UNPAINTED));
    }
    Ok(Some(faces))
}

/// The same by name.
fn called(
    path: &key::Path,
    stick: &raw::Stick,
    marks: &[&Marks],
) -> Checked<Option<Vec<Vec<u32>>>> {
    let Some(group) = &stick.to_group else {
        return Ok(None);
    };
    let of_each = marks.iter().zip(&stick.to).map(|(marks, name)| {
        marks.named.faces(group).ok_or_else(|| {
            let message = format!("\"{name}\" has no triangles called \"{group}\"");
            let fault = Fault::new(path.clone(), message);
            wording::suggest(fault, group, &marks.named.names(), "names")
        })
    });
    of_each.collect::<Checked<_>>().map(Some)
}
