//! How long posing and skinning a character takes.
//!
//! ```sh
//! cargo run --release -p toile-geometry --example posing_speed
//! ```
//!
//! A figure of 14,000 triangles with 64 joints, every vertex following four of them, every joint turned
//! by a curve; with and without a morph of all its vertices. Times are the best of many, on one thread.

use glam::{DQuat, DVec3};
use std::time::Instant;
use toile_geometry::TriMesh;
use toile_geometry::character::{
    Bone, Channel, Character, Clip, Curve, Influence, Joint, Morph, Path, Playback, Rig, Scratch,
    Skin, Transform,
};
use toile_geometry::timing::{Repeat, Timing};

const JOINTS: usize = 64;
const RINGS: usize = 141;
const AROUND: usize = 50;
const REPETITIONS: usize = 500;

fn main() {
    println!("{:<28} {:>10} {:>10}", "posing", "ms/pose", "ns/vertex");
    for morphs in [0, 1] {
        let character = figure(morphs);
        if let Err(problem) = character.validate() {
            eprintln!("{problem}");
            std::process::exit(1);
        }
        let playback = Playback::of(0).timed(Timing {
            repeat: Repeat::Again,
            ..Timing::default()
        });
        let (mut scratch, mut positions) = (Scratch::default(), Vec::new());
        let mut best_s = f64::INFINITY;
        for k in 0..REPETITIONS {
            let began = Instant::now();
            positions.clear();
            let time_s = 0.011 * k as f64;
            character.place_at(&playback, time_s, &mut scratch, &mut positions);
            best_s = best_s.min(began.elapsed().as_secs_f64());
            std::hint::black_box(&positions);
        }
        let name = format!("{} triangles, {morphs} morphs", character.mesh.faces.len());
        let per_vertex_ns = 1e9 * best_s / positions.len() as f64;
        println!("{name:<28} {:>10.3} {per_vertex_ns:>10.1}", 1e3 * best_s);
    }
}

/// A tube along a chain of joints.
fn figure(morphs: usize) -> Character {
    let joints = (0..JOINTS).map(|k| Joint {
        name: format!("joint {k}"),
        parent: k.checked_sub(1),
        rest: Transform::from_translation(0.03 * DVec3::Y),
    });
    let rig = Rig::new(joints.collect()).expect("a chain");
    let globals = rig.rest_globals();
    let bones = { globals.iter().enumerate() }
        .map(|(joint, global)| Bone {
            joint,
            inverse_bind: global.inverse(),
        })
        .collect();
    let height = |ring: usize| 0.03 * JOINTS as f64 * ring as f64 / RINGS as f64;
    let place = |v: usize| {
        let angle = std::f64::consts::TAU * (v % AROUND) as f64 / AROUND as f64;
        DVec3::new(0.1 * angle.cos(), height(v / AROUND), 0.1 * angle.sin())
    };
    let positions: Vec<DVec3> = (0..RINGS * AROUND).map(place).collect();
    let mut faces = Vec::new();
    for v in 0..(RINGS - 1) * AROUND {
        let next = v - v % AROUND + (v + 1) % AROUND;
        let [a, b, c, d] = [v, next, next + AROUND, v + AROUND].map(|v| v as u32);
        faces.extend([[a, b, c], [a, c, d]]);
    }
    let influences = positions.iter().map(|p| {
        let first = ((p.y / 0.03) as usize).min(JOINTS - 4) as u32;
        (0..4).map(move |k| Influence {
            bone: first + k,
            weight: f64::from(4 - k),
        })
    });
    let turn = |joint| {
        let times: Vec<f64> = (0..=30).map(|k| f64::from(k) / 30.0).collect();
        let swing = |t: &f64| DQuat::from_rotation_z(0.05 * (6.0 * t).sin());
        let values = times.iter().map(swing).collect();
        let curve = Curve::new(times, values, Path::Linear).expect("times ascend");
        Channel::Rotation(joint, curve)
    };
    let morph = Morph {
        name: "thicker".into(),
        weight: 0.5,
        deltas: (0..).zip(positions.iter().map(|p| 0.1 * *p)).collect(),
    };
    Character {
        skin: Skin::new(bones, influences, None).expect("weights of bones"),
        part_of: vec![0; faces.len()],
        parts: vec!["tube".into()],
        mesh: TriMesh { positions, faces },
        rig,
        morphs: vec![morph; morphs],
        clips: vec![Clip {
            name: "swing".into(),
            channels: (0..JOINTS).map(turn).collect(),
        }],
    }
}
