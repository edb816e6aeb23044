use crate::sample::{self, Document};
use crate::{file, read};
use glam::{DQuat, DVec3};
use serde_json::{Value, json};
use toile_geometry::character::{Playback, Pose, Scratch};
use toile_io::character::{self, CharacterFile, Options};
use toile_io::formats::UpAxis;

/// Makes something wrong.
type Spoil<T> = fn(&mut T);

fn arm() -> CharacterFile {
    read(sample::arm().glb()).unwrap_or_else(|e| panic!("{e}"))
}

/// Where its vertices are in a clip at a time.
fn at(file: &CharacterFile, clip: &str, time_s: f64) -> Vec<DVec3> {
    let character = &file.character;
    let playback = Playback::of(character.clip(clip).unwrap());
    let mut positions = Vec::new();
    character.place_at(&playback, time_s, &mut Scratch::default(), &mut positions);
    positions
}

fn near(p: DVec3, expected: [f64; 3]) {
    let expected = DVec3::from(expected);
    assert!(p.distance(expected) < 1e-6, "{p} instead of {expected}");
}

#[test]
fn everything_in_it_is_found() {
    let CharacterFile { character, notes } = arm();
    let names: Vec<&str> = { character.rig.joints().iter() }
        .map(|j| j.name.as_str())
        .collect();
    assert_eq!(
        names,
        ["stand", "shoulder", "elbow", "arm", "hat", "hand", "glove"]
    );
    // A triangle without area is left out.
    assert_eq!(
        (character.mesh.positions.len(), character.mesh.faces.len()),
        (12, 4)
    );
    assert_eq!(character.parts, ["arm", "felt", "glove"]);
    assert_eq!(character.part_of, [0, 0, 1, 2]);
    let clips: Vec<&str> = character.clips.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(clips, ["bend", "wave"]);
    let morphs: Vec<_> = { character.morphs.iter() }
        .map(|m| (m.name.as_str(), m.weight, m.deltas.len()))
        .collect();
    assert_eq!(morphs, [("lift", 0.0, 1), ("widen", 0.5, 1)]);
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(notes[0].contains("1 vertices without weights") && notes[1].contains("1 channels"));
}

#[test]
fn at_rest_it_is_where_it_was_bound() {
    let CharacterFile { character, .. } = arm();
    let mut there = Vec::new();
    character.posed(&character.rest(), &mut Scratch::default(), &mut there);
    near(there[0], [0.0, 1.0, 0.0]);
    near(there[4], [4.0, 2.0, 0.0]);
    // Half of `widen` is there from the beginning.
    near(there[5], [2.0, 1.6, 0.0]);
    // The hat is on the stand, at its scale; the glove in the hand, without bind matrices.
    near(there[7], [2.0, 3.0, 0.0]);
    near(there[10], [4.2, 1.0, 0.0]);
    // A vertex that follows nothing follows the first joint.
    near(there[11], [4.0, 1.2, 0.0]);
}

#[test]
fn a_spline_bends_the_elbow() {
    let file = arm();
    let there = at(&file, "bend", 2.0);
    near(there[3], [2.0, 3.0, 0.0]);
    near(there[4], [1.0, 3.0, 0.0]);
    near(there[0], [0.0, 1.0, 0.0]);
    // Half of the way: halves of the keys, and a quarter of the slopes' difference, as of 2 s.
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let z = 0.5 * half + 0.25 * (0.5 - 0.25);
    let turn = DQuat::from_xyzw(0.0, 0.0, z, 0.5 + 0.5 * half).normalize();
    let elbow = DVec3::new(2.0, 1.0, 0.0);
    let there = at(&file, "bend", 1.0);
    near(
        there[3],
        (elbow + turn * DVec3::new(2.0, 0.0, 0.0)).to_array(),
    );
    // The one at the elbow follows both bones alike: weights of two sets, one of them in bytes.
    let own = DVec3::new(2.0, 1.6, 0.0);
    let both = 0.5 * own + 0.5 * (elbow + turn * (own - elbow));
    near(there[5], both.to_array());
}

#[test]
fn steps_scales_and_weights_move_it() {
    let file = arm();
    let there = at(&file, "wave", 0.5);
    // The stand jumps at 1 s; the hat grows along x; `lift` is half there, `widen` a quarter.
    near(there[0], [0.0, 1.0, 0.0]);
    near(there[7], [3.0, 3.0, 0.0]);
    near(there[3], [4.0, 1.0, 0.5]);
    near(there[5], [2.0, 1.55, 0.0]);
    let there = at(&file, "wave", 1.0);
    near(there[0], [0.0, 3.0, 0.0]);
    near(there[3], [4.0, 3.0, 1.0]);
}

#[test]
fn units_and_axes_are_those_asked_for() {
    let (_folder, path) = file("figure.glb", sample::arm().glb());
    let options = Options {
        metres_per_unit: Some(0.01),
        up: Some(UpAxis::Z),
    };
    let character = character::read(&path, &options).unwrap().character;
    let mut there = Vec::new();
    character.posed(&character.rest(), &mut Scratch::default(), &mut there);
    near(there[4], [0.04, 0.0, -0.02]);
}

#[test]
fn nodes_may_be_matrices_and_skeletons_without_a_scene() {
    let mut it = sample::arm();
    let shoulder = &mut it.json["nodes"][0];
    shoulder["matrix"] = json!([2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 1, 0, 1]);
    for key in ["translation", "scale"] {
        shoulder.as_object_mut().unwrap().remove(key);
    }
    it.json.as_object_mut().unwrap().remove("scenes");
    let there = at(&read(it.glb()).unwrap(), "bend", 2.0);
    near(there[3], [2.0, 3.0, 0.0]);
    assert_eq!(there.len(), 12);
    // What the scene does not show is not there.
    let mut it = sample::arm();
    it.json["scenes"] = json!([{ "nodes": [0] }]);
    let character = read(it.glb()).unwrap().character;
    assert_eq!(
        (character.parts.len(), character.mesh.positions.len()),
        (1, 3)
    );
    assert_eq!(character.rig.joints().len(), 7);
}

#[test]
fn a_mirrored_surface_keeps_its_front() {
    let mut it = sample::arm();
    it.json["nodes"][4]["scale"] = json!([-1, 1, 1]);
    let character = read(it.glb()).unwrap().character;
    let mut there = Vec::new();
    character.posed(&character.rest(), &mut Scratch::default(), &mut there);
    let [a, b, c] = character.mesh.faces[2].map(|v| there[v as usize]);
    assert!((b - a).cross(c - a).z > 0.0);
}

#[test]
fn what_is_wrong_is_shown_where_it_is() {
    let cases: [(Spoil<Document>, &str, &str); 15] = [
        (
            |d| d.json["nodes"][2]["children"] = json!([77]),
            "nodes[2].children",
            "77",
        ),
        (
            |d| d.json["nodes"][2]["children"] = json!([4]),
            "nodes[2].children",
            "several",
        ),
        (
            |d| d.json["nodes"][2]["children"] = json!([5, 0]),
            "`nodes`",
            "hangs on itself",
        ),
        (
            |d| d.json["nodes"][0]["rotation"] = json!([0, 0, 0, 0]),
            "nodes[0]",
            "rotation",
        ),
        (
            |d| d.json["nodes"][0]["matrix"] = json!(vec![0; 16]),
            "nodes[0]",
            "another matrix",
        ),
        (
            |d| d.json["nodes"][3]["mesh"] = json!(8),
            "nodes[3].mesh",
            "8",
        ),
        (
            |d| d.json["nodes"][3]["skin"] = json!(8),
            "skins[8]",
            "none",
        ),
        (
            |d| d.json["skins"][0]["joints"] = json!([1, 99]),
            "skins[0]",
            "99",
        ),
        (
            |d| d.json["skins"][0]["joints"] = json!([]),
            "skins[0]",
            "at least one joint",
        ),
        (
            |d| d.json["skins"][0]["joints"] = json!([1]),
            "primitives[0].attributes",
            "below 1",
        ),
        (
            |d| d.json["skins"][0]["joints"] = json!([1, 2, 2]),
            "skins[0]",
            "3 inverse bind",
        ),
        (
            |d| d.json["animations"][0]["channels"][0]["sampler"] = json!(3),
            "channels[0]",
            "3",
        ),
        (
            |d| d.json["animations"][0]["channels"][0]["target"]["node"] = json!(70),
            "channels[0]",
            "70",
        ),
        (
            |d| d.json["animations"][0]["samplers"][0]["interpolation"] = json!("LINEAR"),
            "animations[0]",
            "2 values",
        ),
        (
            |d| d.json["animations"][1]["samplers"][1]["interpolation"] = json!("SMOOTH"),
            "animations[1]",
            "SMOOTH",
        ),
    ];
    for (k, (spoil, place, words)) in cases.into_iter().enumerate() {
        let mut it = sample::arm();
        spoil(&mut it);
        let error = read(it.glb()).expect_err(&k.to_string()).to_string();
        assert!(error.contains(place), "{k}: {place} expected in {error}");
        assert!(error.contains(words), "{k}: {words} expected in {error}");
        assert!(error.contains("figure.glb"), "{error}");
    }
}

#[test]
fn sparse_values_are_checked() {
    let cases: [(Spoil<Value>, &str); 4] = [
        (|sparse| sparse["count"] = json!(7), "at most 6"),
        (
            |sparse| sparse["indices"]["componentType"] = json!(5126),
            "unsigned",
        ),
        (
            |sparse| sparse["indices"]["bufferView"] = json!(900),
            "bufferViews[900]",
        ),
        (|sparse| sparse["values"]["byteOffset"] = json!(8), "inside"),
    ];
    for (spoil, words) in cases {
        let mut it = sample::arm();
        let accessors = it.json["accessors"].as_array_mut().unwrap();
        let sparse = accessors
            .iter_mut()
            .find(|a| a.get("sparse").is_some())
            .unwrap();
        spoil(&mut sparse["sparse"]);
        let error = read(it.glb()).unwrap_err().to_string();
        assert!(error.contains(words), "{words} expected in {error}");
    }
    // An index beyond the vertices.
    let mut it = sample::arm();
    let beyond = it.sparse(6, &[6], &[[0.0; 3]]);
    it.json["meshes"][0]["primitives"][0]["targets"][0]["POSITION"] = json!(beyond);
    let error = read(it.glb()).unwrap_err().to_string();
    assert!(error.contains("indices below 6"), "{error}");
}

#[test]
fn small_files_cannot_ask_for_much() {
    // Numbers that stand nowhere, and numbers that are used again and again.
    let mut it = sample::arm();
    it.json["accessors"][0] = json!({ "componentType": 5126, "type": "VEC3", "count": 1u64 << 40 });
    let error = read(it.glb()).unwrap_err().to_string();
    assert!(error.contains("fewer values"), "{error}");

    let mut it = sample::arm();
    let many = it.floats(
        "SCALAR",
        1,
        &(0..3000).map(|k| k as f32).collect::<Vec<_>>(),
    );
    let places = it.floats("VEC3", 3, &[0.0; 9000]);
    let channel = json!({ "sampler": 0, "target": { "node": 0, "path": "translation" } });
    it.json["animations"] = json!([{
        "samplers": [{ "input": many, "output": places }], "channels": vec![channel; 500],
    }]);
    let error = read(it.glb()).unwrap_err().to_string();
    assert!(error.contains("a few a byte"), "{error}");

    let mut it = sample::arm();
    let hat = it.floats("VEC3", 3, &[0.5; 9000]);
    it.json["meshes"][1]["primitives"][0] = json!({
        "attributes": { "POSITION": hat }, "targets": vec![json!({ "POSITION": hat }); 500],
    });
    let error = read(it.glb()).unwrap_err().to_string();
    assert!(error.contains("a few a byte"), "{error}");
}

#[test]
fn a_pose_may_be_kept_and_used_again() {
    let CharacterFile { character, .. } = arm();
    let (mut pose, mut scratch) = (Pose::default(), Scratch::default());
    let mut there = Vec::new();
    for time_s in [2.0, 0.0] {
        Playback::of(0).pose(&character, time_s, &mut pose);
        character.posed(&pose, &mut scratch, &mut there);
    }
    near(there[3], [4.0, 1.0, 0.0]);
}
