//! Writes one small moving mesh in every format, and what it should look like, for other programs
//! to open: `cargo run -p toile-io --example interop_samples -- FOLDER`.
//!
//! `expected.json` holds the names of the parts, the faces, the texture coordinates, the frame rate
//! and all positions, in metres with y up.

use glam::{Vec2, Vec3};
use serde_json::json;
use std::error::Error;
use std::f32::consts::TAU;
use std::path::PathBuf;
use toile_io::formats::{
    Channels, Faces, Format, Frame, Header, Manifest, Options, Part, UpAxis, create,
};

const FRAMES: u32 = 24;
const RATE_HZ: f64 = 24.0;
/// Vertices of the sheet along x and z.
const COLUMNS: u32 = 9;
const ROWS: u32 = 7;

fn main() -> Result<(), Box<dyn Error>> {
    let folder: PathBuf = { std::env::args_os().nth(1) }
        .ok_or("expected a folder")?
        .into();
    std::fs::create_dir_all(&folder)?;
    let header = header();
    let frames: Vec<Frame> = (0..FRAMES).map(|k| frame(&header, k)).collect();
    let mut files = Vec::new();
    for format in Format::ALL {
        let path = folder.join(format!("wave.{}", format.extension()));
        let mut writer = create(&path, &header, &Options::default())?;
        for frame in &frames {
            writer.frame(frame)?;
        }
        files.extend(writer.finish()?);
    }
    Manifest::new(files).write(&folder)?;
    let lists =
        |vectors: &[Vec3]| -> Vec<[f32; 3]> { vectors.iter().map(Vec3::to_array).collect() };
    let expected = json!({
        "frame_rate_hz": RATE_HZ,
        "first_frame": header.first_frame,
        "parts": header.parts.iter().map(|part| json!({
            "name": part.name,
            "vertices": [part.vertices.start, part.vertices.end],
            "faces": [part.faces.start, part.faces.end],
        })).collect::<Vec<_>>(),
        "faces": header.faces.iter().collect::<Vec<_>>(),
        "uv": header.uvs.iter().map(|uv| uv.to_array()).collect::<Vec<_>>(),
        "positions": frames.iter().map(|f| lists(&f.positions)).collect::<Vec<_>>(),
        "velocities": frames.iter().map(|f| lists(&f.velocities)).collect::<Vec<_>>(),
    });
    std::fs::write(folder.join("expected.json"), expected.to_string())?;
    Ok(())
}

/// A sheet of quads and a flag of two triangles.
fn header() -> Header {
    let mut faces = Faces::default();
    for row in 0..ROWS - 1 {
        for column in 0..COLUMNS - 1 {
            let v = row * COLUMNS + column;
            faces.push(&[v, v + COLUMNS, v + COLUMNS + 1, v + 1]);
        }
    }
    let (sheet, quads) = ((COLUMNS * ROWS) as usize, faces.len());
    let v = sheet as u32;
    faces.push(&[v, v + 1, v + 2]);
    faces.push(&[v, v + 2, v + 3]);
    let uv = |i: u32| Vec2::new((i % COLUMNS) as f32, (i / COLUMNS) as f32) / 8.0;
    let corners = [Vec2::ZERO, Vec2::X, Vec2::ONE, Vec2::Y];
    let uvs: Vec<Vec2> = (0..v).map(uv).chain(corners).collect();
    let flat = uvs[..sheet].iter().map(|uv| Vec3::new(uv.x, 0.0, -uv.y));
    let upright = corners
        .iter()
        .map(|uv| Vec3::new(1.5 + 0.5 * uv.x, uv.y, 0.0));
    Header {
        vertices: uvs.len(),
        rest: flat.chain(upright).collect(),
        parts: vec![
            Part {
                name: "sheet".to_owned(),
                vertices: 0..sheet,
                faces: 0..quads,
            },
            Part {
                name: "flag".to_owned(),
                vertices: sheet..uvs.len(),
                faces: quads..quads + 2,
            },
        ],
        faces,
        uvs,
        channels: Channels {
            velocities: true,
            ..Channels::default()
        },
        frame_rate_hz: Some(RATE_HZ),
        first_frame: 1,
        up: Some(UpAxis::Y),
        metres_per_unit: Some(1.0),
    }
}

/// A wave that runs along x once in the whole sequence.
fn frame(header: &Header, k: u32) -> Frame {
    const HEIGHT_M: f32 = 0.1;
    let turns_per_s = RATE_HZ as f32 / FRAMES as f32;
    let phase = |p: &Vec3| TAU * (p.x - k as f32 / FRAMES as f32);
    let position = |p: &Vec3| *p + Vec3::new(0.0, HEIGHT_M * phase(p).sin(), 0.0);
    let velocity = |p: &Vec3| {
        let rate = -TAU * turns_per_s * HEIGHT_M * phase(p).cos();
        Vec3::new(0.0, rate, 0.0)
    };
    Frame {
        positions: header.rest.iter().map(position).collect(),
        velocities: header.rest.iter().map(velocity).collect(),
        ..Frame::default()
    }
}
