//! Writes where a character's joints and vertices are over a clip, for comparison with other programs.
//!
//! cargo run --release -p toile-io --example character -- FILE FOLDER [CLIP] [FPS]
//!
//! Leaves `joints.csv` (a row a frame and joint), `vertices.csv` (a row a frame and vertex), numbered OBJ
//! files, and `written.glb`, the character as Toile writes it, in the folder.

use std::error::Error;
use std::fmt::Write;
use std::path::Path;
use toile_geometry::character::{Playback, Pose, Scratch};
use toile_io::character::{self, Options};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [file, folder, rest @ ..] = words.as_slice() else {
        return Err("usage: character FILE FOLDER [CLIP] [FPS]".into());
    };
    let clip: usize = rest.first().map_or(Ok(0), |word| word.parse())?;
    let fps: f64 = rest.get(1).map_or(Ok(24.0), |word| word.parse())?;
    let folder = Path::new(folder);
    std::fs::create_dir_all(folder)?;
    let read = character::read(Path::new(file), &Options::default())?;
    let character = read.character;
    read.notes.iter().for_each(|note| println!("{note}"));
    character::write_glb(&folder.join("written.glb"), &character)?;
    let motion = character.clips.get(clip).ok_or("there is no such clip")?;
    let [first_s, last_s] = motion.span_s();
    println!(
        "{} vertices, {} triangles, {} joints, clip `{}` of {first_s} s to {last_s} s",
        character.mesh.positions.len(),
        character.mesh.faces.len(),
        character.rig.joints().len(),
        motion.name,
    );
    let mut joints = String::from("time_s,joint,x,y,z\n");
    let mut vertices = String::from("time_s,vertex,x,y,z\n");
    let (mut pose, mut scratch) = (Pose::default(), Scratch::default());
    for frame in 0..=((last_s - first_s) * fps) as usize {
        let time_s = frame as f64 / fps;
        Playback::of(clip).pose(&character, time_s, &mut pose);
        for (joint, p) in character.rig.positions(&pose).iter().enumerate() {
            writeln!(
                joints,
                "{},{joint},{},{},{}",
                first_s + time_s,
                p.x,
                p.y,
                p.z
            )?;
        }
        let mut positions = Vec::new();
        character.posed(&pose, &mut scratch, &mut positions);
        let mut obj = String::new();
        for (vertex, p) in positions.iter().enumerate() {
            writeln!(
                vertices,
                "{},{vertex},{},{},{}",
                first_s + time_s,
                p.x,
                p.y,
                p.z
            )?;
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
