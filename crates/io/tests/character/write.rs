use crate::sample;
use glam::{DAffine3, DQuat, DVec3};
use toile_geometry::character::{
    Channel, Character, Clip, Curve, Influence, Path, Playback, Scratch, Skin,
};
use toile_io::character::{self, Options};

/// What comes back from a file.
fn again(character: &Character) -> Character {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("again.glb");
    character::write_glb(&path, character).unwrap_or_else(|e| panic!("{e}"));
    let read = character::read(&path, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(read.notes, [""; 0]);
    read.character
}

fn at(character: &Character, clip: usize, time_s: f64) -> Vec<DVec3> {
    let mut out = Vec::new();
    let playback = Playback::of(clip);
    character.place_at(&playback, time_s, &mut Scratch::default(), &mut out);
    out
}

/// Both characters are in the same places in all clips.
fn alike(one: &Character, other: &Character) {
    assert_eq!(one.mesh.faces, other.mesh.faces);
    assert_eq!(one.clips.len(), other.clips.len());
    for clip in 0..one.clips.len() {
        assert_eq!(one.clips[clip].name, other.clips[clip].name);
        for k in 0..=20 {
            let time_s = 0.1 * f64::from(k);
            let pairs = at(one, clip, time_s)
                .into_iter()
                .zip(at(other, clip, time_s));
            for (p, q) in pairs {
                assert!(p.distance(q) < 1e-5, "clip {clip} at {time_s} s: {p} {q}");
            }
        }
    }
}

fn arm() -> Character {
    let (_folder, path) = crate::file("arm.glb", sample::arm().glb());
    let read = character::read(&path, &Options::default());
    read.unwrap().character
}

#[test]
fn what_was_written_moves_as_before() {
    let arm = arm();
    let read = again(&arm);
    alike(&arm, &read);
    assert_eq!(read.parts, arm.parts);
    assert_eq!(read.part_of, arm.part_of);
    let names = |c: &Character| -> Vec<(String, f64)> {
        c.morphs
            .iter()
            .map(|m| (m.name.clone(), m.weight))
            .collect()
    };
    assert_eq!(names(&read), names(&arm));
    // Again, and nothing changes any more.
    assert_eq!(again(&read).mesh, read.mesh);
}

#[test]
fn the_frame_and_shared_joints_are_kept() {
    let mut arm = arm();
    // The frame of a file in centimetres, standing elsewhere.
    let turn = DQuat::from_rotation_y(0.7);
    arm.rig.frame = DAffine3::from_scale_rotation_translation(DVec3::splat(0.01), turn, DVec3::X);
    // Two bones of one joint, as two skins may have.
    let mut bones = arm.skin.bones().to_vec();
    bones.push(bones[1]);
    let last = bones.len() as u32 - 1;
    let vertices = (0..arm.skin.vertices()).map(|vertex| {
        let moved = move |i: &Influence| match i.bone {
            1 if vertex % 2 == 0 => Influence { bone: last, ..*i },
            _ => *i,
        };
        arm.skin
            .influences(vertex)
            .iter()
            .map(moved)
            .collect::<Vec<_>>()
    });
    let vertices: Vec<Vec<Influence>> = vertices.collect();
    arm.skin = Skin::new(bones, vertices, None).unwrap();
    let read = again(&arm);
    for time_s in [0.0, 1.0, 2.0] {
        let pairs = at(&arm, 0, time_s).into_iter().zip(at(&read, 0, time_s));
        for (p, q) in pairs {
            assert!(p.distance(q) < 1e-6, "{p} {q}");
        }
    }
}

#[test]
fn the_strongest_four_joints_are_kept() {
    let mut arm = arm();
    let bones = vec![arm.skin.bones()[0]; 6];
    let many = |k: u32| Influence {
        bone: k,
        weight: [5.0, 1.0, 4.0, 3.0, 2.0, 0.5][k as usize],
    };
    let count = arm.skin.vertices();
    arm.skin = Skin::new(bones, (0..count).map(|_| (0..6).map(many)), None).unwrap();
    let read = again(&arm);
    for (bone, weight) in [(0, 5.0), (2, 4.0), (3, 3.0), (4, 2.0)] {
        let own = read.skin.influences(3);
        assert_eq!(own.len(), 4);
        let found = own.iter().find(|i| i.bone == bone).unwrap().weight;
        assert!((found - weight / 14.0).abs() < 1e-7);
    }
}

#[test]
fn weights_with_keys_of_their_own_are_sampled_together() {
    let mut arm = arm();
    let curve = |times: &[f64], values: &[f64]| {
        Curve::new(times.into(), values.into(), Path::Linear).unwrap()
    };
    arm.clips = vec![Clip {
        name: "swell".into(),
        channels: vec![
            Channel::Weight(0, curve(&[-0.5, 1.5], &[0.0, 1.0])),
            Channel::Weight(1, curve(&[0.0, 0.5, 1.0], &[0.0, 1.0, 0.0])),
        ],
    }];
    let read = again(&arm);
    // The file's clip begins at 0; playback begins with the first key in either.
    assert_eq!(read.clips[0].span_s(), [0.0, 2.0]);
    alike(&arm, &read);
}

#[test]
fn what_is_no_character_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none.glb");
    let mut arm = arm();
    arm.mesh.faces.clear();
    arm.part_of.clear();
    let error = character::write_glb(&path, &arm).unwrap_err().to_string();
    assert!(error.contains("no triangles"), "{error}");
    arm.part_of.push(9);
    let error = character::write_glb(&path, &arm).unwrap_err().to_string();
    assert!(error.contains("have a part"), "{error}");
    assert!(!path.exists());
}
