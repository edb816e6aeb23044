//! Characters in scene files: read, posed, chosen by part, and carrying cloth.

#[path = "character/sample.rs"]
#[allow(dead_code)]
mod sample;

use glam::DVec3;
use std::path::Path;
use toile_io::Scene;
use toile_io::scene;
use toile_sim::{BodyMotion, Model, Puppet, Simulation};

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("arm.glb"), sample::arm().glb()).unwrap();
    std::fs::write(folder.path().join("walk.bvh"), sample::BVH).unwrap();
    folder
}

fn text(mesh: &str, character: &str) -> String {
    format!(
        r#"fps = 25
frames = 10
[[cloth]]
fabric = "silk"
grid = {{ size_m = [0.2, 0.2], particles = [3, 3], center = [0, 9, 0] }}
[[collider]]
name = "arm"
friction = 0.5
[collider.shape.mesh]
{mesh}
[collider.shape.mesh.character]
file = "arm.glb"
{character}
"#
    )
}

fn load(folder: &Path, text: &str) -> Result<Scene, String> {
    let path = folder.join("scene.toml");
    std::fs::write(&path, text).unwrap();
    scene::load(&path, &[]).map_err(|e| e.to_string())
}

fn puppet(scene: &Scene) -> &Puppet {
    match &scene.model.bodies[0].motion {
        BodyMotion::Puppet(puppet) => puppet,
        other => panic!("a puppet expected, found {other:?}"),
    }
}

/// Where the vertex is that was bound at a place.
fn there(scene: &Scene, bound: [f64; 3], time_s: f64) -> DVec3 {
    let bind = &puppet(scene).character.mesh.positions;
    let vertex = bind.iter().position(|p| p.distance(bound.into()) < 1e-6);
    scene.model.bodies[0].positions(time_s)[vertex.unwrap()]
}

#[test]
fn a_character_is_read_placed_and_played() {
    let folder = folder();
    let text = text(
        "metres_per_unit = 0.1\noffset_m = [0, 1, 0]\nrotation_deg = [0, 90, 0]",
        "clip = \"bend\"\nstart_s = 0.5\nspeed = 2\nsettle_s = 0.2\nhold_s = 0.3",
    );
    let scene = load(folder.path(), &text).unwrap();
    // The hand: 0.4 m along the arm at rest, above the elbow once it is bent; x has become −z.
    let hand = |time_s| there(&scene, [4.0, 1.0, 0.0], time_s);
    assert!(hand(0.0).distance(DVec3::new(0.0, 1.1, -0.4)) < 1e-6);
    assert!(hand(9.0).distance(DVec3::new(0.0, 1.3, -0.2)) < 1e-6);
    // The same place while the first pose is held.
    assert_eq!(hand(0.2), hand(0.45));
    assert_ne!(hand(0.5), hand(0.55));
    assert_eq!(scene.model.bodies[0].friction, 0.5);
    assert!(
        scene
            .notes
            .iter()
            .any(|note| note.contains("without weights"))
    );
    Model::build(&scene.model).unwrap();
    // A saved scene moves alike, wherever it is written; another file does not.
    let elsewhere = tempfile::tempdir().unwrap();
    let saved = elsewhere.path().join("saved.toml");
    scene::save(&scene, &saved).unwrap();
    let again = scene::load(&saved, &[]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(again.model, scene.model);
    assert_eq!(again.fingerprint(), scene.fingerprint());
    let mut other = sample::arm();
    other.json["nodes"][2]["translation"] = serde_json::json!([1.5, 0, 0]);
    std::fs::write(folder.path().join("arm.glb"), other.glb()).unwrap();
    let other = scene::load(&saved, &[]).unwrap_or_else(|e| panic!("{e}"));
    assert_ne!(other.fingerprint(), scene.fingerprint());
}

#[test]
fn parts_and_bones_choose_triangles() {
    let folder = folder();
    let count = |character: &str| {
        let scene = load(folder.path(), &text("", character)).unwrap();
        scene.model.bodies[0].mesh.faces.len()
    };
    assert_eq!(count(""), 4);
    assert_eq!(count("parts = [\"felt\"]"), 1);
    assert_eq!(count("parts = [\"felt\"]\nexcept = true"), 3);
    // The upper arm has a triangle of its own; the hand is below the elbow.
    assert_eq!(count("bones = [\"elbow\"]"), 2);
    assert_eq!(count("bones = [\"elbow\"]\nparts = [\"glove\"]"), 1);
    assert_eq!(count("bones = [\"elbow\"]\nexcept = true"), 2);
}

/// Parts and joints of a character are names of what is sticky, too.
#[test]
fn cloth_sticks_to_parts_and_bones() {
    let folder = folder();
    let sticky = |group: &str| {
        let stick =
            format!("[[cloth.stick]]\nto = [\"arm\"]\nto_group = \"{group}\"\nreach_m = 0.01\n");
        let text = text("", "").replacen("[[collider]]", &format!("{stick}[[collider]]"), 1);
        let scene = load(folder.path(), &text)?;
        let faces = scene.model.cloths[0].sticks[0].to_faces.clone().unwrap();
        Ok::<_, String>(faces[0].len())
    };
    assert_eq!(sticky("felt"), Ok(1));
    assert_eq!(sticky("elbow"), Ok(2));
    assert!(sticky("elbo").unwrap_err().contains("`elbow`"));
}

#[test]
fn another_skeleton_moves_it() {
    let folder = folder();
    let joints = "motion = \"walk.bvh\"\njoints = { shoulder = \"Shoulder\", elbow = \"Elbow\" }";
    let scene = load(folder.path(), &text("", joints)).unwrap();
    // In the second frame the arm points up.
    let [shoulder, hand] = [[0.0, 1.0, 0.0], [4.0, 1.0, 0.0]].map(|p| there(&scene, p, 0.5));
    let along = (hand - shoulder).normalize();
    assert!(along.distance(DVec3::Y) < 1e-6, "{along}");
    assert!((hand.distance(shoulder) - 4.0).abs() < 1e-6);
    assert!(
        scene
            .notes
            .iter()
            .any(|note| note.contains("2 of 7 joints"))
    );
}

#[test]
fn a_skeleton_that_lies_is_noticed() {
    let folder = folder();
    let joints = "motion = \"walk.bvh\"\njoints = { shoulder = \"Shoulder\", elbow = \"Elbow\" }";
    let noticed = |elbow: &str, more: &str| {
        let walk = sample::BVH.replace("OFFSET 2 0 0", elbow);
        std::fs::write(folder.path().join("walk.bvh"), walk).unwrap();
        let scene = load(folder.path(), &text("", &format!("{joints}\n{more}"))).unwrap();
        scene.notes.iter().any(|note| note.contains("motion_up"))
    };
    assert!(noticed("OFFSET 0 0 2", ""));
    assert!(!noticed("OFFSET 0 0 2", "motion_up = \"z\""));
    assert!(!noticed("OFFSET 0 0 2", "motion_up = \"y\""));
    assert!(!noticed("OFFSET 0 2 0", ""));
}

#[test]
fn a_motion_that_begins_again_may_travel() {
    let folder = folder();
    let walk = { sample::BVH }
        .replace("0 1 0  90 0 0  0", "1 0 0.5  0 0 0  20")
        .replace("0 2 0  90 90 0  90", "2 0 1  0 0 0  0");
    std::fs::write(folder.path().join("walk.bvh"), walk).unwrap();
    let joints = "motion = \"walk.bvh\"\njoints = { shoulder = \"Shoulder\", elbow = \"Elbow\" }";
    let at = |repeat: &str, time_s: f64| {
        let scene = load(
            folder.path(),
            &text("", &format!("{joints}\nloop = {repeat}")),
        )
        .unwrap();
        there(&scene, [0.0, 1.0, 0.0], time_s)
    };
    // The ends of the motion, and how long it is: three frames, half a second apart.
    let [start, end] = [0.0, 1.0].map(|time_s| at("false", time_s));
    let gone = (end - start).with_y(0.0);
    assert!(gone.length() > 0.1, "{gone}");
    assert!(at("true", 1.0).distance(start) < 1e-9);
    for round in 1..5 {
        let found = at("\"travel\"", f64::from(round));
        let expected = start + f64::from(round) * gone;
        assert!(found.distance(expected) < 1e-6, "{round}: {found}");
    }
    let error = load(folder.path(), &text("", "loop = 3")).unwrap_err();
    assert!(error.contains("false, true or \"travel\""), "{error}");
    assert!(error.contains("character.loop"), "{error}");
}

#[test]
fn a_level_set_is_made_for_every_frame() {
    let folder = folder();
    // A box that its own node lifts, because a level set needs a closed mesh.
    let mut it = sample::arm();
    let corner = |k: usize| [k & 1, k >> 1 & 1, k >> 2].map(|b| b as f32 - 0.5);
    let corners: Vec<f32> = (0..8).flat_map(corner).collect();
    let faces: [[u8; 4]; 6] = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    let positions: Vec<f32> = { faces.iter() }
        .flat_map(|[a, b, c, d]| [a, b, c, a, c, d])
        .flat_map(|v| corners[3 * usize::from(*v)..][..3].to_vec())
        .collect();
    let box_ = it.floats("VEC3", 3, &positions);
    it.json["meshes"][1]["primitives"][0] =
        serde_json::json!({ "attributes": { "POSITION": box_ } });
    it.json["scenes"] = serde_json::json!([{ "nodes": [0] }]);
    let times = it.floats("SCALAR", 1, &[0.0, 1.0]);
    let places = it.floats("VEC3", 3, &[0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    it.json["animations"] = serde_json::json!([{
        "samplers": [{ "input": times, "output": places }],
        "channels": [{ "sampler": 0, "target": { "node": 4, "path": "translation" } }],
    }]);
    std::fs::write(folder.path().join("arm.glb"), it.glb()).unwrap();
    let as_field = "as = \"level-set\"\ncell_m = 0.02\nmetres_per_unit = 0.1\nfps = 50";
    let scene = load(folder.path(), &text(as_field, "")).unwrap();
    let toile_sim::colliders::Shape::LevelSet(solid) = &scene.model.colliders[0].shape else {
        panic!("a level set expected");
    };
    assert_eq!(solid.mesh().positions.len(), 8, "welded");
    let frames = solid.frames().unwrap();
    assert_eq!((frames.positions.len(), frames.rate_hz), (21, 50.0));
    // 0.2 m in a second, at the stand's scale: the top of the box from 0.2 m on.
    let top = |k: usize| frames.positions[k].iter().map(|p| p.y).fold(0.0, f64::max);
    assert!((top(0) - 0.2).abs() < 1e-7 && (top(20) - 0.28).abs() < 1e-7);
    // How long a scene runs does not change what it is; what is in the file does.
    let longer = text(as_field, "").replace("frames = 10", "frames = 20");
    let longer = load(folder.path(), &longer).unwrap();
    assert_eq!(longer.fingerprint(), scene.fingerprint());
    it.json["nodes"][1]["translation"] = serde_json::json!([0, 0, 1]);
    std::fs::write(folder.path().join("arm.glb"), it.glb()).unwrap();
    let other = load(folder.path(), &text(as_field, "")).unwrap();
    assert_ne!(other.fingerprint(), scene.fingerprint());
    Model::build(&scene.model).unwrap();
}

#[test]
fn files_without_a_skin_are_sent_where_they_belong() {
    let folder = folder();
    std::fs::write(folder.path().join("body.OBJ"), "v 0 0 0\n").unwrap();
    for (file, words) in [("walk.bvh", "`motion`"), ("body.OBJ", "`skeleton`")] {
        let text = text("", "").replace("arm.glb", file);
        let error = load(folder.path(), &text).unwrap_err();
        assert!(error.contains("mesh.character.file"), "{error}");
        assert!(error.contains("no skin"), "{error}");
        assert!(error.contains(words), "{words} expected in {error}");
    }
}

#[test]
fn what_is_wrong_is_shown_where_it_is_written() {
    let folder = folder();
    let at = |key: &str| format!("collider[0].shape.mesh.{key}");
    for (mesh, character, key, words) in [
        ("file = \"a.obj\"", "", "file", "found both"),
        ("fps = 5", "", "fps", "expected `frames`"),
        ("", "clip = \"bent\"", "character.clip", "bend"),
        ("", "clip = 2", "character.clip", "there are 2 motions"),
        ("", "settle_s = -1", "character.settle_s", "-1"),
        ("", "speed = inf", "character.speed", "finite"),
        ("", "parts = [\"shoes\"]", "character.parts[0]", "glove"),
        ("", "bones = [\"elbo\"]", "character.bones[0]", "elbow"),
        (
            "",
            "except = true",
            "character.except",
            "`parts` or `bones`",
        ),
        (
            "",
            "joints = { elbow = \"Elbow\" }",
            "character.joints",
            "expected `motion`",
        ),
        (
            "",
            "motion = \"none.bvh\"",
            "character.motion",
            "there is no file",
        ),
        (
            "",
            "motion = \"arm.glb\"",
            "character.motion",
            "`HIERARCHY`",
        ),
        (
            "",
            "motion = \"walk.bvh\"\nclip = 0",
            "character.clip",
            "found both",
        ),
        ("", "motion = \"walk.bvh\"", "character.motion", "no joint"),
        (
            "",
            "motion = \"walk.bvh\"\njoints = { elbow = \"Elbo\" }",
            "character.joints.elbow",
            "Elbow",
        ),
        ("as = \"level-set\"", "", "character", "closed"),
    ] {
        let error = load(folder.path(), &text(mesh, character)).expect_err(words);
        assert!(error.contains(&at(key)), "{key} expected in {error}");
        assert!(error.contains(words), "{words} expected in {error}");
    }
    let moved = text("", "").replace("friction = 0.5", "velocity_m_per_s = [1, 0, 0]");
    let error = load(folder.path(), &moved).unwrap_err();
    assert!(error.contains("not moved besides"), "{error}");
    std::fs::remove_file(folder.path().join("arm.glb")).unwrap();
    let error = load(folder.path(), &text("", "")).unwrap_err();
    assert!(error.contains("there is no file"), "{error}");
}

/// A flat forearm of the size of a tray, 0.4 m by 0.4 m at a height of 0.5 m, hanging on an elbow that
/// rises and turns about y, smoothly, within a second.
fn tray() -> sample::Document {
    let mut it = sample::arm();
    let [mut corners, mut indices] = [Vec::new(), Vec::new()];
    let side = 9;
    for k in 0..side * side {
        let [x, z] = [k % side, k / side].map(|n| 0.05 * n as f32 - 0.2);
        corners.extend([x, 0.5, z]);
        if k % side > 0 && k >= side {
            let [a, b, c, d] = [k - side - 1, k - side, k, k - 1];
            indices.extend([a, d, c, a, c, b].map(|v| v as f32));
        }
    }
    let positions = it.floats("VEC3", 3, &corners);
    let joints = it.bytes4(false, &vec![0; 4 * side * side]);
    let weights = it.bytes4(true, &[255, 0, 0, 0].repeat(side * side));
    let indices: Vec<u8> = indices
        .iter()
        .flat_map(|n| (*n as u16).to_le_bytes())
        .collect();
    let view = it.view(&indices);
    let count = indices.len() / 2;
    let accessors = it.json["accessors"].as_array_mut().unwrap();
    accessors.push(serde_json::json!({
        "bufferView": view, "componentType": 5123, "type": "SCALAR", "count": count
    }));
    let indices = accessors.len() - 1;
    let times = it.floats("SCALAR", 1, &[0.0, 1.0]);
    let still = [0.0; 3];
    let lift = it.floats(
        "VEC3",
        3,
        &[still, still, still, still, [0., 0.3, 0.], still].concat(),
    );
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let none = [0.0; 4];
    let turn = it.floats(
        "VEC4",
        4,
        &[
            none,
            [0., 0., 0., 1.],
            none,
            none,
            [0., half, 0., half],
            none,
        ]
        .concat(),
    );
    it.json["nodes"] = serde_json::json!([{ "name": "elbow" }, { "mesh": 0, "skin": 0 }]);
    it.json["scenes"] = serde_json::json!([{ "nodes": [0, 1] }]);
    it.json["skins"] = serde_json::json!([{ "joints": [0] }]);
    it.json["meshes"] = serde_json::json!([{ "primitives": [{
        "attributes": { "POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights },
        "indices": indices,
    }] }]);
    it.json["animations"] = serde_json::json!([{
        "samplers": [
            { "input": times, "output": lift, "interpolation": "CUBICSPLINE" },
            { "input": times, "output": turn, "interpolation": "CUBICSPLINE" },
        ],
        "channels": [
            { "sampler": 0, "target": { "node": 0, "path": "translation" } },
            { "sampler": 1, "target": { "node": 0, "path": "rotation" } },
        ],
    }]);
    it
}

#[test]
fn a_skinned_arm_carries_cloth() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("arm.glb"), tray().glb()).unwrap();
    let text = r#"fps = 60
frames = 90
[[cloth]]
fabric = "cotton-shirting"
grid = { size_m = [0.2, 0.2], particles = [9, 9], center = [0, 0.502, 0], plane = "horizontal" }
[[collider]]
friction = 2.0
shape = { mesh = { character = { file = "arm.glb", hold_s = 0.2 } } }
"#;
    let scene = load(folder.path(), text).unwrap();
    let model = Model::build(&scene.model).unwrap();
    let mut simulation = Simulation::new(model.into(), scene.config);
    let start = simulation.state().positions.clone();
    for _ in 0..scene.frames {
        simulation.advance(1.0 / 60.0, scene.max_step_s).unwrap();
    }
    // Lifted by 0.3 m and turned with the tray by a right angle, x to −z; friction lets nothing slide.
    let expected = |p: &DVec3| DVec3::new(p.z, p.y + 0.3, -p.x);
    let now = &simulation.state().positions;
    let miss = start
        .iter()
        .zip(now)
        .map(|(p, q)| (expected(p) - *q).with_y(0.0).length());
    let miss_m = miss.fold(0.0, f64::max);
    assert!(miss_m < 0.005, "{miss_m}");
    let heights = now.iter().map(|p| p.y - 0.8);
    assert!(
        heights.clone().all(|h| (0.0..0.004).contains(&h)),
        "{:?}",
        heights.collect::<Vec<_>>()
    );
}
