//! Writes where a character's joints and vertices are over a clip, for comparison with other programs.
//!
//! cargo run --release -p toile-io --example character -- FILE FOLDER [CLIP] [FPS]
//! cargo run --release -p toile-io --example character -- SCENE.toml FOLDER
//!
//! Of a scene it is the first body, over the scene's frames. Leaves `joints.csv` (a row a frame and
//! joint), `vertices.csv` (a row a frame and vertex), numbered OBJ files, and `written.glb`, the character
//! as Toile writes it, in the folder.

use std::error::Error;
use std::fmt::Write;
use std::path::Path;
use toile_geometry::character::{Character, Playback, Pose, Scratch};
use toile_io::character::{self, Options};
use toile_sim::BodyMotion;

/// What is written.
struct Played {
    character: Character,
    playback: Playback,
    /// What is written as the time of the first frame.
    first_s: f64,
    fps: f64,
    frames: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [file, folder, rest @ ..] = words.as_slice() else {
        return Err("usage: character FILE FOLDER [CLIP] [FPS], or SCENE.toml FOLDER".into());
    };
    let folder = Path::new(folder);
    std::fs::create_dir_all(folder)?;
    let played = match file.ends_with(".toml") {
        true => of_scene(Path::new(file))?,
        false => of_file(Path::new(file), rest)?,
    };
    character::write_glb(&folder.join("written.glb"), &played.character)?;
    println!(
        "{} vertices, {} triangles, {} joints",
        played.character.mesh.positions.len(),
        played.character.mesh.faces.len(),
        played.character.rig.joints().len(),
    );
    write(&played, folder)
}

fn of_file(path: &Path, words: &[String]) -> Result<Played, Box<dyn Error>> {
    let clip: usize = words.first().map_or(Ok(0), |word| word.parse())?;
    let fps: f64 = words.get(1).map_or(Ok(24.0), |word| word.parse())?;
    let read = character::read(path, &Options::default())?;
    read.notes.iter().for_each(|note| println!("{note}"));
    let character = read.character;
    let motion = character.clips.get(clip).ok_or("there is no such clip")?;
    let [first_s, last_s] = motion.span_s();
    println!("clip `{}` of {first_s} s to {last_s} s", motion.name);
    Ok(Played {
        frames: ((last_s - first_s) * fps) as usize,
        playback: Playback::of(clip),
        first_s,
        character,
        fps,
    })
}

fn of_scene(path: &Path) -> Result<Played, Box<dyn Error>> {
    let scene = toile_io::scene::load(path, &[]).map_err(|error| error.to_string())?;
    scene.notes.iter().for_each(|note| println!("{note}"));
    let body = scene.model.bodies.first().ok_or("there is no body")?;
    let BodyMotion::Puppet(puppet) = &body.motion else {
        return Err("the first body is no character".into());
    };
    Ok(Played {
        character: (*puppet.character).clone(),
        playback: puppet.playback,
        first_s: 0.0,
        fps: scene.fps,
        frames: scene.frames as usize,
    })
}

fn write(played: &Played, folder: &Path) -> Result<(), Box<dyn Error>> {
    let character = &played.character;
    let mut joints = String::from("time_s,joint,x,y,z,name\n");
    let mut vertices = String::from("time_s,vertex,x,y,z\n");
    let (mut pose, mut scratch) = (Pose::default(), Scratch::default());
    for frame in 0..=played.frames {
        let time_s = frame as f64 / played.fps;
        played.playback.pose(character, time_s, &mut pose);
        let time_s = played.first_s + time_s;
        for (joint, p) in character.rig.positions(&pose).iter().enumerate() {
            let name = &character.rig.joints()[joint].name;
            writeln!(joints, "{time_s},{joint},{},{},{},{name}", p.x, p.y, p.z)?;
        }
        let mut positions = Vec::new();
        character.posed(&pose, &mut scratch, &mut positions);
        let mut obj = String::new();
        for (vertex, p) in positions.iter().enumerate() {
            writeln!(vertices, "{time_s},{vertex},{},{},{}", p.x, p.y, p.z)?;
            writeln!(obj, "v {} {} {}", p.x, p.y, p.z)?;
        }
        for [a, b, c] in &character.mesh.faces {
            writeln!(obj, "f {} {} {}", a + 1, b + 1, c + 1)?;
        }
        std::fs::write(folder.join(format!("frame_{frame:04}.obj")), obj)?;
    }
    std::fs::write(folder.join("joints.csv"), joints)?;
    std::fs::write(folder.join("vertices.csv"), vertices)?;
    Ok(())
}
