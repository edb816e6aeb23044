//! Bodies with skeletons, from files.

use super::Checked;
use super::body::{Context, refuse_too_many};
use super::{cut, named, timing};
use crate::character::{self, Options};
use crate::scene::error::Fault;
use crate::scene::raw::ClipChoice;
use crate::scene::wording::suggest;
use crate::scene::{key, raw};
use glam::{DAffine3, DVec3};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toile_figure::mannequin::skeleton::with_helpers;
use toile_figure::mannequin::{Given, Mannequin, MannequinError, Measurements, Motion, Sex, Size};
use toile_geometry::TriMesh;
use toile_geometry::character::{Character, Playback, Retarget, Rig, Travel, human};
use toile_geometry::timing::{Repeat, Timing};
use toile_sim::Puppet;

/// Rotations that are kept of the motion of another skeleton; they take 40 bytes each.
const MAX_KEYS: usize = 20_000_000;

/// Ends of a motion that begins again may be so far apart without being mentioned, m.
pub(super) const JUMP_M: f64 = 0.01;

/// Reads the character of a body. Returns where it starts and how it moves.
pub(super) fn spec(
    path: &key::Path,
    mesh: &mut raw::BodyMesh,
    context: &Context<'_>,
    notes: &mut Vec<String>,
) -> Checked<(TriMesh, Puppet)> {
    let options = Options {
        metres_per_unit: mesh.metres_per_unit,
        up: mesh.up,
    };
    let place =
        DAffine3::from_rotation_translation(cut::turn(mesh.rotation_deg), mesh.offset_m.into());
    let Some(raw) = &mut mesh.character else {
        return Err(Fault::new(path.clone(), "expected a character"));
    };
    let path = path.with("character");
    let timing = Timing {
        start_s: raw.start_s,
        speed: raw.speed,
        repeat: raw.repeat.0,
        settle_s: raw.settle_s,
        hold_s: raw.hold_s,
    };
    timing::check(&path, &timing)?;
    let (mut character, file) = match (&mut raw.file, &raw.mannequin) {
        (Some(name), None) => from_file(&path, name, &mut raw.skeleton, &options, context, notes)?,
        (None, Some(body)) => {
            // Its motions are known before it is made, which takes a while.
            if let Some(ClipChoice::Name(name)) = &raw.clip {
                let names: Vec<&str> = Motion::ALL.iter().map(|m| m.name()).collect();
                motion_of(&path.with("clip"), name, &names)?;
            }
            let made = made(&path.with("mannequin"), body, context)?;
            (made, "mannequin".to_owned())
        }
        _ => {
            let message = "expected either `file` or `mannequin`";
            return Err(Fault::new(path, message));
        }
    };
    let clip = clip(&path, raw, &mut character, context, notes)?;
    character = selected(&path, raw, character)?;
    if character.mesh.faces.is_empty() {
        let message = format!("{file} holds no triangles");
        return Err(Fault::new(path.with("file"), message));
    }
    // The motion was made for the file's own axes: where the body is put comes after it.
    character.rig.frame = place * character.rig.frame;
    let playback = Playback { clip, timing };
    note_repeating(&character, &playback, &file, notes);
    let puppet = Puppet {
        character: Arc::new(character),
        playback,
    };
    let mut positions = Vec::new();
    puppet.place(0.0, &mut positions);
    let there = TriMesh {
        positions,
        faces: puppet.character.mesh.faces.clone(),
    };
    Ok((there, puppet))
}

/// The character of a file, its vertices welded, and the file's name.
fn from_file(
    path: &key::Path,
    name: &mut String,
    skeleton: &mut Option<String>,
    options: &Options,
    context: &Context<'_>,
    notes: &mut Vec<String>,
) -> Checked<(Character, String)> {
    let name = whole_name(&path.with("file"), name, context.folder)?;
    let (at, read) = match skeleton {
        None => {
            refuse_bare(path, &name)?;
            (path.with("file"), character::read(&name, options))
        }
        Some(skeleton) => {
            let at = path.with("skeleton");
            let skeleton = whole_name(&at, skeleton, context.folder)?;
            (at, character::read_makehuman(&name, &skeleton, options))
        }
    };
    let read = read.map_err(|e| Fault::new(at, e.to_string()))?;
    let file = name.file_name().unwrap_or_default().to_string_lossy();
    notes.extend(read.notes.iter().map(|note| format!("{file}: {note}")));
    let character = read.character.welded();
    let gone = read.character.mesh.positions.len() - character.mesh.positions.len();
    if gone > 0 {
        notes.push(format!(
            "{file}: {gone} vertices welded to others, or unused"
        ));
    }
    refuse_too_many(&path.with("file"), character.mesh.positions.len())?;
    Ok((character, file.into_owned()))
}

/// Refuses files of kinds that never have a skin, and says where they belong.
fn refuse_bare(path: &key::Path, name: &Path) -> Checked<()> {
    let ending = name.extension().unwrap_or_default().to_string_lossy();
    let ending = ending.to_ascii_lowercase();
    let help = match ending.as_str() {
        "bvh" => "a motion is given as `motion`, beside the `file` or `mannequin` that follows it",
        "obj" | "ply" | "stl" => {
            "a mesh without a skeleton is given as `mesh.file`; one of MakeHuman's needs `skeleton`"
        }
        _ => return Ok(()),
    };
    let message = format!("a .{ending} file has no skin, expected a .glb, .gltf or .fbx file");
    Err(Fault::new(path.with("file"), message).help(help))
}

/// The mannequin of these measurements.
fn made(path: &key::Path, body: &raw::Mannequin, context: &Context<'_>) -> Checked<Character> {
    let sex = match body.sex {
        raw::Sex::Female => Sex::Female,
        raw::Sex::Male => Sex::Male,
    };
    let size = match body.size {
        raw::Size::Xs => Size::Xs,
        raw::Size::S => Size::S,
        raw::Size::M => Size::M,
        raw::Size::L => Size::L,
        raw::Size::Xl => Size::Xl,
        raw::Size::Xxl => Size::Xxl,
    };
    let given = Given {
        height_m: body.height_m,
        bust_m: body.bust_m,
        waist_m: body.waist_m,
        hip_m: body.hip_m,
        shoulder_m: body.shoulder_m,
        arm_m: body.arm_m,
        leg_m: body.leg_m,
        neck_m: body.neck_m,
        upper_arm_m: body.upper_arm_m,
        wrist_m: body.wrist_m,
        thigh_m: body.thigh_m,
        calf_m: body.calf_m,
        ankle_m: body.ankle_m,
    };
    let asked = Measurements::given(sex, size, &given);
    let mut known = context.mannequins.borrow_mut();
    if let Some((_, character)) = known.iter().find(|(of, _)| *of == asked) {
        return Ok(character.clone());
    }
    let fault = |e: MannequinError| Fault::new(path.clone(), e.to_string());
    let character = Mannequin::new(&asked).map_err(fault)?.character;
    known.push((asked, character.clone()));
    Ok(character)
}

/// Where a file is; its name is made whole, so that a scene that is written elsewhere finds it again.
fn whole_name(path: &key::Path, file: &mut String, folder: &Path) -> Checked<PathBuf> {
    let name = folder.join(&*file);
    if !name.is_file() {
        let message = format!("there is no file {}", name.display());
        return Err(Fault::new(path.clone(), message));
    }
    if let Ok(whole) = name.canonicalize() {
        *file = whole.display().to_string();
    }
    Ok(name)
}

/// The motion asked for.
fn clip(
    path: &key::Path,
    raw: &mut raw::Character,
    character: &mut Character,
    context: &Context<'_>,
    notes: &mut Vec<String>,
) -> Checked<Option<usize>> {
    let clips = &character.clips;
    if let Some(motion) = &mut raw.motion {
        if raw.clip.is_some() {
            let message = "expected `clip` or `motion`, found both";
            return Err(Fault::new(path.with("clip"), message));
        }
        let at = path.with("motion");
        let name = whole_name(&at, motion, context.folder)?;
        let fault = |message: String| Fault::new(at.clone(), message);
        let mut motion = character::read_bvh(&name).map_err(|e| fault(e.to_string()))?;
        motion.rig.frame = Options {
            metres_per_unit: None,
            up: raw.motion_up,
        }
        .frame();
        let pairs = pairs(path, raw, &motion.rig, &character.rig)?;
        let keys = motion.clip.channels.iter().map(|c| c.times_s().len());
        let keys = keys.max().unwrap_or(0);
        if keys.saturating_mul(pairs.len()) > MAX_KEYS {
            return Err(fault(format!(
                "{keys} frames for {} joints are too many, expected at most {MAX_KEYS} in all",
                pairs.len()
            )));
        }
        let followed = Retarget::new(&motion.rig, &character.rig, &pairs)
            .map(|retarget| retarget.keeping(&human::collars(&character.rig)))
            .and_then(|retarget| retarget.clip(&motion.clip))
            .map_err(|e| fault(e.to_string()).help("`joints` can say which joint follows which"))?;
        let joints = character.rig.joints().len();
        let name = name.file_name().unwrap_or_default().to_string_lossy();
        notes.push(format!(
            "{name}: {} of {joints} joints of the character follow it",
            pairs.len()
        ));
        if raw.motion_up.is_none() && stands_along_z(&motion.rig) {
            notes.push(format!(
                "{name}: its skeleton is taller along z than along y; motion_up = \"z\" sets it upright"
            ));
        }
        // Helpers turn by half of what they help.
        let followed = if raw.mannequin.is_some() {
            with_helpers(&followed).map_err(|e| fault(e.to_string()))?
        } else {
            followed
        };
        character.clips.push(followed);
        return Ok(Some(character.clips.len() - 1));
    }
    if !raw.joints.is_empty() {
        let message = "expected `motion` with it: only another skeleton's motion is followed";
        return Err(Fault::new(path.with("joints"), message));
    }
    let at = path.with("clip");
    match &raw.clip {
        None => Ok((!clips.is_empty()).then_some(0)),
        Some(ClipChoice::Number(number)) if *number < clips.len() => Ok(Some(*number)),
        Some(ClipChoice::Number(number)) => {
            let message = format!("there are {} motions, found {number}", clips.len());
            Err(Fault::new(at, message))
        }
        Some(ClipChoice::Name(name)) => {
            let names: Vec<&str> = clips.iter().map(|clip| clip.name.as_str()).collect();
            motion_of(&at, name, &names).map(Some)
        }
    }
}

/// Whether a skeleton's joints at rest are spread farther along z than along y: files do not say which
/// axis is up, and people are taller than they are deep.
fn stands_along_z(rig: &Rig) -> bool {
    let places = rig.positions(&rig.rest());
    let of = |pick: fn(DVec3, DVec3) -> DVec3| places.iter().copied().reduce(pick);
    let (low, high) = (of(DVec3::min), of(DVec3::max));
    low.zip(high)
        .is_some_and(|(low, high)| high.z - low.z > high.y - low.y)
}

/// The motion of a name.
fn motion_of(path: &key::Path, name: &str, names: &[&str]) -> Checked<usize> {
    let found = names.iter().position(|known| *known == name);
    found.ok_or_else(|| {
        let fault = Fault::new(path.clone(), format!("there is no motion \"{name}\""));
        suggest(fault, name, names, "motions")
    })
}

/// Which joint of the character follows which joint of a motion.
fn pairs(
    path: &key::Path,
    raw: &raw::Character,
    source: &Rig,
    target: &Rig,
) -> Checked<Vec<(usize, usize)>> {
    let mut pairs = human::pairs(source, target);
    for (own, other) in &raw.joints {
        let at = path.with("joints").with(own.as_str());
        let joint = joint(&at, target, own, "joints of the character")?;
        pairs.retain(|(known, _)| *known != joint);
        if !other.is_empty() {
            let other = self::joint(&at, source, other, "joints of the motion")?;
            pairs.push((joint, other));
        }
    }
    Ok(pairs)
}

/// A joint by its name.
fn joint(path: &key::Path, rig: &Rig, name: &str, what: &str) -> Checked<usize> {
    rig.joint(name).ok_or_else(|| {
        let names: Vec<&str> = rig.joints().iter().map(|j| j.name.as_str()).collect();
        let fault = Fault::new(path.clone(), format!("there is no joint \"{name}\""));
        suggest(fault, name, &names, what)
    })
}

/// The triangles asked for.
fn selected(path: &key::Path, raw: &raw::Character, all: Character) -> Checked<Character> {
    if raw.parts.is_empty() && raw.bones.is_empty() {
        if raw.except {
            let message = "expected `parts` or `bones` with it";
            return Err(Fault::new(path.with("except"), message));
        }
        return Ok(all);
    }
    let mut is_part = vec![raw.parts.is_empty(); all.parts.len()];
    for (k, name) in raw.parts.iter().enumerate() {
        let found = all.parts.iter().position(|part| part == name);
        let Some(part) = found else {
            let names: Vec<&str> = all.parts.iter().map(String::as_str).collect();
            let at = path.with("parts").with(k);
            let fault = Fault::new(at, format!("there is no part \"{name}\""));
            return Err(suggest(fault, name, &names, "parts"));
        };
        is_part[part] = true;
    }
    let mut joints = Vec::new();
    for (k, name) in raw.bones.iter().enumerate() {
        let at = path.with("bones").with(k);
        joints.push(joint(&at, &all.rig, name, "joints")?);
    }
    let is_meant = named::below(&all, &joints);
    let keep = |triangle: usize| {
        let follows = joints.is_empty() || named::follows(&all, &is_meant, triangle);
        (is_part[all.part_of[triangle] as usize] && follows) != raw.except
    };
    let cut = all.cut(keep);
    if cut.mesh.faces.is_empty() {
        let key = if raw.parts.is_empty() {
            "bones"
        } else {
            "parts"
        };
        let message = "no triangle is left of the character";
        return Err(Fault::new(path.with(key), message));
    }
    Ok(cut)
}

/// Notes what is odd about a motion that begins again: ends that do not meet throw cloth about.
fn note_repeating(character: &Character, playback: &Playback, file: &str, notes: &mut Vec<String>) {
    let clip = playback.clip.and_then(|clip| character.clips.get(clip));
    let repeat = playback.timing.repeat;
    let Some(clip) = clip.filter(|_| repeat != Repeat::Never) else {
        return;
    };
    let mut carried = DAffine3::IDENTITY;
    if repeat == Repeat::Travel {
        match Travel::of(character, clip) {
            Some(travel) => carried = travel.rounds(1.0),
            None => notes.push(format!(
                "{file}: the motion shifts no joint, so it does not travel"
            )),
        }
    }
    let [start, end] = clip.span_s().map(|time_s| {
        let mut pose = character.rest();
        clip.apply(time_s, &mut pose);
        character.rig.positions(&pose)
    });
    let apart = |(start, end): (&DVec3, &DVec3)| carried.transform_point3(*start).distance(*end);
    let jump_m = start.iter().zip(&end).map(apart).fold(0.0, f64::max);
    if jump_m > JUMP_M {
        notes.push(format!(
            "{file}: a joint jumps by {jump_m:.3} m where the motion begins again"
        ));
    }
}
