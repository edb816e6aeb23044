//! Bodies that skeletons move, and that cross themselves while they do.

use glam::{DAffine3, DVec2, DVec3};
use std::sync::Arc;
use toile_geometry::character::{
    Bone, Channel, Character, Clip, Curve, Influence, Joint, Path, Playback, Rig, Skin, Transform,
};
use toile_geometry::timing::Timing;
use toile_geometry::{QuadGrid, TriMesh, self_intersections};
use toile_sim::{
    BodyMotion, BodySpec, ClothContact, ClothSpec, Cut, Material, Model, ModelSpec, Puppet, Sheet,
    Simulation, StepConfig, Watch,
};

/// Adds a box of 12 triangles.
fn add_box(mesh: &mut TriMesh, center: DVec3, half: DVec3) {
    let first = mesh.positions.len() as u32;
    let sign = |k: u32, bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
    let corner = |k| center + half * DVec3::new(sign(k, 0), sign(k, 1), sign(k, 2));
    mesh.positions.extend((0..8).map(corner));
    let sides = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    for [a, b, c, d] in sides.map(|side| side.map(|v: u32| v + first)) {
        mesh.faces.extend([[a, b, c], [a, c, d]]);
    }
}

/// A still block, its top at 0.5 m, and a post through the middle of it that rises out of its top by
/// 0.1 m, smoothly, from 0.2 s to 0.8 s.
fn riser() -> Puppet {
    let mut mesh = TriMesh::default();
    add_box(
        &mut mesh,
        DVec3::new(0.0, 0.45, 0.0),
        DVec3::new(0.2, 0.05, 0.2),
    );
    add_box(
        &mut mesh,
        DVec3::new(0.0, 0.39, 0.0),
        DVec3::new(0.05, 0.1, 0.05),
    );
    let joint = |name: &str| Joint {
        name: name.into(),
        parent: None,
        rest: Transform::IDENTITY,
    };
    let bone = |joint| Bone {
        joint,
        inverse_bind: DAffine3::IDENTITY,
    };
    let influence = |v: usize| {
        [Influence {
            bone: (v / 8) as u32,
            weight: 1.0,
        }]
    };
    let still = DVec3::ZERO;
    let rise = Curve::new(
        vec![0.2, 0.8],
        vec![still, 0.1 * DVec3::Y],
        Path::Cubic(vec![[still; 2]; 2]),
    );
    let character = Character {
        parts: vec!["blocks".into()],
        part_of: vec![0; mesh.faces.len()],
        skin: Skin::new(vec![bone(0), bone(1)], (0..16).map(influence), None).unwrap(),
        rig: Rig::new(vec![joint("block"), joint("post")]).unwrap(),
        mesh,
        morphs: Vec::new(),
        clips: vec![Clip {
            name: "rise".into(),
            channels: vec![Channel::Translation(1, rise.unwrap())],
        }],
    };
    Puppet {
        character: Arc::new(character),
        playback: Playback::of(0).timed(Timing {
            hold_s: 0.2,
            ..Timing::default()
        }),
    }
}

fn body(puppet: Puppet) -> BodySpec {
    let mut positions = Vec::new();
    puppet.place(0.0, &mut positions);
    let faces = puppet.character.mesh.faces.clone();
    let mut body = BodySpec::new("riser", TriMesh { positions, faces }, 0.4);
    body.motion = BodyMotion::Puppet(puppet);
    body
}

fn spec(body: BodySpec) -> ModelSpec {
    let cut = Cut::Sheet(Sheet {
        grid: QuadGrid {
            columns: 16,
            rows: 16,
            size_m: DVec2::splat(0.3),
        },
        center: DVec3::new(0.0, 0.502, 0.0),
        u_axis: DVec3::X,
        v_axis: -DVec3::Z,
        curvature_per_m: 0.0,
    });
    ModelSpec {
        gravity_m_per_s2: DVec3::new(0.0, -9.81, 0.0),
        cloths: vec![ClothSpec::new("cloth", cut, Material::default())],
        bodies: vec![body],
        ..ModelSpec::default()
    }
}

#[test]
fn it_is_posed_at_every_time_and_sampled_alike() {
    let puppet = riser();
    let top = |time_s: f64| body(puppet.clone()).positions(time_s)[10].y;
    // Half of the way at half of the time: a clip that begins at 0.2 s is held for 0.2 s.
    for (time_s, height) in [
        (0.0, 0.49),
        (0.2, 0.49),
        (0.5, 0.54),
        (0.8, 0.59),
        (9.0, 0.59),
    ] {
        assert!(
            (top(time_s) - height).abs() < 1e-12,
            "{time_s}: {}",
            top(time_s)
        );
    }
    let frames = puppet.frames(50.0, 21);
    for (k, positions) in frames.positions.iter().enumerate() {
        assert_eq!(*positions, body(puppet.clone()).positions(k as f64 / 50.0));
    }
}

#[test]
fn a_body_that_crosses_itself_lifts_cloth() {
    let body = body(riser());
    let crossed = self_intersections(&body.mesh, 1).unwrap();
    assert!(!crossed.is_clean(), "a body that crosses itself is meant");
    let model = Arc::new(Model::build(&spec(body)).unwrap());
    let config = StepConfig {
        contact: Some(ClothContact::default()),
        ..StepConfig::default()
    };
    let mut simulation = Simulation::new(model, config);
    // No step may leave cloth crossed with itself or the body.
    simulation.watch(Watch::Forbid);
    simulation.advance(1.0, 1.0 / 120.0).unwrap();
    let heights = simulation.state().positions.iter().map(|p| p.y);
    let highest = heights.fold(0.0, f64::max);
    assert!((0.59..0.6).contains(&highest), "{highest}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let refusal = |spoil: fn(&mut Puppet)| {
        let mut body = body(riser());
        if let BodyMotion::Puppet(puppet) = &mut body.motion {
            spoil(puppet);
        }
        Model::build(&spec(body)).map(drop).unwrap_err().to_string()
    };
    let other = |puppet: &mut Puppet| {
        puppet.character = Arc::new(puppet.character.cut(|triangle| triangle < 12));
    };
    assert!(refusal(other).contains("expected 16 vertices, found 8"));
    assert!(refusal(|puppet| puppet.playback.timing.speed = f64::NAN).contains("finite"));
    let torn = |puppet: &mut Puppet| Arc::make_mut(&mut puppet.character).part_of[0] = 7;
    assert!(refusal(torn).contains("part 7"));
}
