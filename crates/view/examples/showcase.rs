//! A sheet draped over a sphere, as a picture and a short film.
//!
//! `cargo run --release -p toile-view --example showcase -- FOLDER [FRAMES]`
//!
//! The drape is a formula, not a simulation: the cloth follows the sphere down to its waist and
//! hangs in folds from there.

use glam::DVec3;
use std::error::Error;
use std::f64::consts::PI;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use toile_geometry::{Bounds, TriMesh};
use toile_view::{Camera, Ground, RenderOptions, Renderer, Stage, Surface, film::Film, shapes};

const CENTER: DVec3 = DVec3::new(0.0, 0.62, 0.0);
const RADIUS_M: f64 = 0.3;
const SIDE: u32 = 101;
const FPS: f64 = 30.0;
const FRAMES: u32 = 60;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".into()));
    let frames = match std::env::args().nth(2) {
        Some(count) => count.parse()?,
        None => FRAMES,
    };
    std::fs::create_dir_all(&folder)?;
    let sphere = shapes::sphere(CENTER, RADIUS_M);
    let options = RenderOptions::default();
    let mut renderer = Renderer::new(options);
    let mut film = Film::create(
        folder.join("showcase.mp4"),
        options.width,
        options.height,
        FPS,
    )?;
    let bounds = Bounds {
        min: DVec3::new(-0.5, 0.0, -0.5),
        max: DVec3::new(0.5, 0.93, 0.5),
    };
    let aspect = options.width as f64 / options.height as f64;
    let camera = Camera::fit(bounds, DVec3::new(0.5, 0.42, 1.0), aspect);
    let mut drawing = Duration::ZERO;
    let mut encoding = Duration::ZERO;
    for frame in 0..frames {
        let cloth = drape(f64::from(frame) / f64::from(FRAMES));
        let stage = Stage {
            surfaces: vec![
                Surface::cloth(&cloth.positions, &cloth.faces),
                Surface::solid(&sphere.positions, &sphere.faces),
            ],
            ground: Some(Ground::default()),
            ..Stage::default()
        };
        let start = Instant::now();
        let image = renderer.render(&stage, &camera);
        drawing += start.elapsed();
        let start = Instant::now();
        film.push(&image)?;
        encoding += start.elapsed();
        if frame == 0 {
            image.write_png(folder.join("showcase.png"))?;
        }
    }
    film.finish()?;
    println!(
        "{frames} frames of {} triangles: {:.1?} to draw, {:.1?} to encode, each",
        2 * (SIDE - 1) * (SIDE - 1) + sphere.faces.len() as u32,
        drawing / frames,
        encoding / frames
    );
    Ok(())
}

/// The cloth at a `phase` of its sway, from 0 to 1.
fn drape(phase: f64) -> TriMesh {
    let half = 0.75;
    let mut positions = Vec::new();
    for j in 0..SIDE {
        for i in 0..SIDE {
            let at = |k: u32| half * (2.0 * f64::from(k) / f64::from(SIDE - 1) - 1.0);
            positions.push(place(at(i), at(j), phase));
        }
    }
    let mut faces = Vec::new();
    for j in 0..SIDE - 1 {
        for i in 0..SIDE - 1 {
            let a = j * SIDE + i;
            let (b, c, d) = (a + 1, a + SIDE, a + SIDE + 1);
            // The top is the front.
            faces.extend([[a, c, d], [a, d, b]]);
        }
    }
    TriMesh { positions, faces }
}

/// Where the point (`u`, `v`) of the flat cloth ends up.
fn place(u: f64, v: f64, phase: f64) -> DVec3 {
    let length = u.hypot(v);
    let azimuth = v.atan2(u);
    let radius = RADIUS_M + 0.006;
    let bend = (length / radius).min(0.5 * PI);
    // How far below the waist, and the folds that grow from a little above it.
    let below = length - 0.5 * PI * radius;
    let grow = ((below + 0.2) / 0.45).clamp(0.0, 1.0);
    let sway = (2.0 * PI * phase).sin();
    let wave = (9.0 * azimuth + 0.6 * (3.0 * azimuth).sin() + 0.35 * sway).sin();
    let fold = grow * grow * 0.075 * (1.0 + wave);
    let out = radius * bend.sin() + fold + 0.01 * grow * sway * (2.0 * azimuth).cos();
    let up = radius * bend.cos() - below.max(0.0) * (1.0 - 0.12 * grow);
    CENTER + DVec3::new(out * azimuth.cos(), up, out * azimuth.sin())
}
