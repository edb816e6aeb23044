//! Who reads what; each says whether a file was accepted, and uses what it was given.

use crate::put;
use crate::seeds::character_sample;
use std::path::Path;
use toile_geometry::character::{Playback, Scratch};
use toile_geometry::timing::{Repeat, Timing};
use toile_io::{character as characters, checkpoint, fabric, formats, scene, surface};

pub fn character(path: &Path) -> bool {
    let Ok(file) = characters::read(path, &characters::Options::default()) else {
        return false;
    };
    file.character
        .validate()
        .expect("what is read fits together");
    let _ = file.character.welded();
    for clip in 0..file.character.clips.len() {
        let (playback, mut out) = (Playback::of(clip), Vec::new());
        let travelling = playback.timed(Timing {
            repeat: Repeat::Travel,
            ..Timing::default()
        });
        let scratch = &mut Scratch::default();
        file.character.place_at(&playback, 0.3, scratch, &mut out);
        file.character.place_at(&travelling, 7.7, scratch, &mut out);
    }
    true
}

/// Whichever of MakeHuman's files is damaged; the others are those beside it.
pub fn rig(path: &Path) -> bool {
    let texts = [
        ("arm.obj", character_sample::MESH),
        ("arm.mhskel", character_sample::SKELETON),
        ("arm.mhw", character_sample::WEIGHTS),
    ];
    for (name, text) in texts {
        if !path.ends_with(name) {
            put(&path.with_file_name(name), text.as_bytes());
        }
    }
    let [mesh, skeleton] = ["arm.obj", "arm.mhskel"].map(|name| path.with_file_name(name));
    let read = characters::read_makehuman(&mesh, &skeleton, &characters::Options::default());
    read.is_ok_and(|file| file.character.validate().is_ok())
}

pub fn motion(path: &Path) -> bool {
    let Ok(motion) = characters::read_bvh(path) else {
        return false;
    };
    let mut pose = motion.rig.rest();
    motion.clip.apply(0.3, &mut pose);
    motion.rig.positions(&pose).len() == motion.rig.joints().len()
}

pub fn sequence(path: &Path) -> bool {
    let _ = surface::read(path, &surface::Options::default());
    let Ok(mut reader) = formats::open(path) else {
        return false;
    };
    (0..reader.frames()).all(|k| reader.read_frame(k).is_ok())
}

pub fn mesh(path: &Path) -> bool {
    let read = surface::load(path, &surface::Options::default());
    read.is_ok_and(|(file, _)| file.positions.iter().all(|p| p.is_finite()))
}

pub fn saved_state(path: &Path) -> bool {
    let Ok(snapshot) = checkpoint::inspect(path) else {
        return false;
    };
    let _ = checkpoint::read(path, 0);
    !snapshot.arrays.is_empty()
}

pub fn fabrics(path: &Path) -> bool {
    let Ok(all) = fabric::read(path) else {
        return false;
    };
    for one in &all {
        let _ = (one.check(), one.material(), one.measured());
    }
    !all.is_empty()
}

/// Whatever a run leaves.
pub fn described(path: &Path) -> bool {
    formats::describe(path).is_ok_and(|info| !info.to_string().is_empty())
}

pub fn whole_scene(path: &Path) -> bool {
    scene::load(path, &[]).is_ok()
}

/// A picture, painted on the cloth of a scene beside it.
pub fn picture(path: &Path) -> bool {
    let beside = path.with_file_name("painted.toml");
    put(
        &beside,
        br#"[[cloth]]
model = "triangle-buckling"
grid = { size_m = [2, 1], particles = [9, 5] }
[[cloth.map]]
value = "bending"
factor = 3.0
texture = "paint.png"
"#,
    );
    scene::load(&beside, &[]).is_ok()
}
