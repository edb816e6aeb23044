//! What it takes to write a long sequence: a grid of so many vertices that waves, in so many frames.
//!
//! `cargo run --release -p toile-io --example long_sequence -- FOLDER VERTICES FRAMES FORMAT...`
//! prints the time of taking the frames and of completing the files, the bytes written, and the
//! most memory the process ever had.

use glam::{Vec2, Vec3};
use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;
use toile_io::formats::{Channels, Export, Format, Frame, Header, Options, UpAxis};

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let mut next = || {
        words
            .next()
            .ok_or("expected FOLDER VERTICES FRAMES FORMAT...")
    };
    let (folder, vertices, frames) = (PathBuf::from(next()?), next()?, next()?);
    let side = (vertices.parse::<f64>()?).sqrt().round() as u32;
    let frames: u32 = frames.parse()?;
    let formats = words.map(|word| Ok((word.parse::<Format>()?, Options::default())));
    let formats = formats.collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    std::fs::create_dir_all(&folder)?;

    let header = header(side);
    let mut export = Export::create(&folder, "long", &header, &formats)?;
    let (mut waving_s, clock) = (0.0, Instant::now());
    for k in 0..frames {
        let waving = Instant::now();
        let frame = frame(&header, k);
        waving_s += waving.elapsed().as_secs_f64();
        export.frame(&frame)?;
    }
    let taking_s = clock.elapsed().as_secs_f64() - waving_s;
    let clock = Instant::now();
    let manifest = export.finish()?;
    let finishing_s = clock.elapsed().as_secs_f64();
    let bytes: u64 = manifest.files.iter().map(|entry| entry.bytes).sum();
    println!(
        "{} vertices in {frames} frames: {taking_s:.2} s to take them, {finishing_s:.2} s to \
         complete the files, {:.1} MB written, {} of memory at most",
        header.vertices,
        bytes as f64 * 1e-6,
        peak_memory(),
    );
    Ok(())
}

/// The most memory this process had at any time, as the system counts it.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or("unknown", str::trim).to_owned()
}

/// A square sheet of a metre.
fn header(side: u32) -> Header {
    let cells = (0..side - 1).flat_map(|row| (0..side - 1).map(move |column| row * side + column));
    let faces = cells.flat_map(|v| [[v, v + 1, v + side], [v + 1, v + side + 1, v + side]]);
    let uv = |i: u32| Vec2::new((i % side) as f32, (i / side) as f32) / (side - 1) as f32;
    let uvs: Vec<Vec2> = (0..side * side).map(uv).collect();
    Header {
        rest: uvs.iter().map(|uv| Vec3::new(uv.x, 0.0, -uv.y)).collect(),
        uvs,
        channels: Channels {
            velocities: true,
            ..Channels::default()
        },
        frame_rate_hz: Some(60.0),
        up: Some(UpAxis::Y),
        metres_per_unit: Some(1.0),
        ..Header::single("sheet", (side * side) as usize, faces.collect())
    }
}

fn frame(header: &Header, k: u32) -> Frame {
    let time_s = k as f32 / 60.0;
    let phase = |p: &Vec3| 7.0 * p.x + 3.0 * p.z + 4.0 * time_s;
    let wave = |p: &Vec3| *p + 0.1 * Vec3::new(phase(p).cos(), phase(p).sin(), 0.0);
    let speed = |p: &Vec3| 0.4 * Vec3::new(-phase(p).sin(), phase(p).cos(), 0.0);
    Frame {
        positions: header.rest.iter().map(wave).collect(),
        velocities: header.rest.iter().map(speed).collect(),
        ..Frame::default()
    }
}
