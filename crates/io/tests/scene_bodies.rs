//! Mesh colliders in scene files, still and animated, and the friction of pairs.

use glam::DVec3;
use std::path::Path;
use toile_io::{Scene, formats, scene};
use toile_sim::{BodyMotion, Model, Motion, PairFriction, Sequence, Thing};

/// A tetrahedron, in centimetres and moved.
fn tetrahedron(shift_cm: f64) -> String {
    format!("v {shift_cm} 0 0\nv 10 0 0\nv 0 10 0\nv 0 0 10\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
}

fn scene_with(collider: &str, rest: &str) -> String {
    format!(
        r#"fps = 25
[[cloth]]
name = "shirt"
fabric = "silk"
grid = {{ size_m = [0.2, 0.2], particles = [3, 3], center = [0, 3, 0] }}
[[collider]]
name = "body"
{collider}
{rest}"#
    )
}

fn load(folder: &Path, text: &str) -> Result<Scene, String> {
    let path = folder.join("scene.toml");
    std::fs::write(&path, text).unwrap();
    scene::load(&path, &[]).map_err(|e| e.to_string())
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("body.obj"), tetrahedron(0.0)).unwrap();
    for k in 0..3 {
        let name = format!("walk_{k:04}.obj");
        std::fs::write(folder.path().join(name), tetrahedron(f64::from(k))).unwrap();
    }
    folder
}

#[test]
fn a_still_mesh_is_read_placed_and_moved() {
    let folder = folder();
    let text = scene_with(
        r#"shape = { mesh = { file = "body.obj", metres_per_unit = 0.01, offset_m = [1, 0, 0], rotation_deg = [0, 0, 90], thickness_m = 2e-3 } }
friction = 0.7
velocity_m_per_s = [0, 1, 0]"#,
        "",
    );
    let scene = load(folder.path(), &text).unwrap();
    assert!(scene.model.colliders.is_empty());
    let [body] = scene.model.bodies.as_slice() else {
        panic!("one body expected");
    };
    assert_eq!((body.name.as_str(), body.mesh.faces.len()), ("body", 4));
    assert_eq!((body.friction, body.thickness_m), (0.7, 2e-3));
    assert!(matches!(
        body.motion,
        BodyMotion::Rigid(Motion::Velocity(_))
    ));
    // 10 cm along x become 10 cm along y.
    let there = DVec3::new(1.0, 0.1, 0.0);
    let near = |p: &DVec3| p.distance(there) < 1e-12;
    assert!(body.mesh.positions.iter().any(near));
    let later = body.positions(2.0);
    assert!(
        later
            .iter()
            .any(|p| p.distance(there + 2.0 * DVec3::Y) < 1e-12)
    );
    Model::build(&scene.model).unwrap();
}

#[test]
fn an_animated_mesh_is_read_frame_by_frame() {
    let folder = folder();
    let animated = r#"shape = { mesh = { frames = "walk_####.obj", metres_per_unit = 0.01 } }"#;
    let scene = load(folder.path(), &scene_with(animated, "")).unwrap();
    let BodyMotion::Sequence(Sequence { frames, .. }) = &scene.model.bodies[0].motion else {
        panic!("frames expected");
    };
    // Numbered files do not say how fast they are.
    assert_eq!((frames.positions.len(), frames.rate_hz), (3, 25.0));
    let x_at = |time_s: f64| scene.model.bodies[0].positions(time_s)[0].x;
    assert!((x_at(1.5 / 25.0) - 0.015).abs() < 1e-9);
    assert!((x_at(9.0) - 0.02).abs() < 1e-9);
    // A saved scene moves alike, wherever it is written; another file does not.
    let elsewhere = tempfile::tempdir().unwrap();
    let saved = elsewhere.path().join("saved.toml");
    scene::save(&scene, &saved).unwrap();
    let again = scene::load(&saved, &[]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(again.model, scene.model);
    assert_eq!(again.fingerprint(), scene.fingerprint());
    std::fs::write(folder.path().join("walk_0001.obj"), tetrahedron(1.5)).unwrap();
    let other = scene::load(&saved, &[]).unwrap_or_else(|e| panic!("{e}"));
    assert_ne!(other.fingerprint(), scene.fingerprint());
}

#[test]
fn frames_are_played_when_the_scene_says() {
    let folder = folder();
    // The first vertex at x = 0, 1 and 2 cm, two centimetres a second, and at 0 at rest.
    let keys = r#"frames = "walk_####.obj", metres_per_unit = 0.01, fps = 2"#;
    let x_at = |more: &str| {
        let text = scene_with(&format!("shape = {{ mesh = {{ {keys}, {more} }} }}"), "");
        let scene = load(folder.path(), &text).unwrap_or_else(|e| panic!("{e}"));
        let body = &scene.model.bodies[0];
        assert_eq!(body.positions(0.0), body.mesh.positions, "where it starts");
        Model::build(&scene.model).unwrap();
        (scene.clone(), move |time_s: f64| body_x(&scene, time_s))
    };
    let near = |found: f64, expected_m: f64| assert!((found - expected_m).abs() < 1e-9, "{found}");
    let (scene, x) = x_at("start_s = 0.25, speed = 0.5, loop = true");
    for (time_s, x_m) in [(0.0, 0.005), (0.5, 0.01), (1.5, 0.0), (2.0, 0.005)] {
        near(x(time_s), x_m);
    }
    assert!(
        scene
            .notes
            .iter()
            .any(|n| n.contains("a vertex jumps by 0.020 m"))
    );
    let (_, x) = x_at(r#"start_s = 0.5, file = "body.obj", settle_s = 1, hold_s = 0.5"#);
    for (time_s, x_m) in [
        (0.0, 0.0),
        (0.5, 0.005),
        (1.5, 0.01),
        (1.75, 0.015),
        (9.0, 0.02),
    ] {
        near(x(time_s), x_m);
    }
    // A field is made of what is seen, and knows what it is made of.
    let (scene, _) = x_at("loop = true");
    let text = |frames: u32| {
        let keys = format!(r#"{keys}, loop = true, as = "level-set""#);
        let text = scene_with(&format!("shape = {{ mesh = {{ {keys} }} }}"), "");
        text.replace("fps = 25", &format!("fps = 25\nframes = {frames}"))
    };
    let [short, long] = [40, 60].map(|n| load(folder.path(), &text(n)).unwrap());
    assert_eq!(short.fingerprint(), long.fingerprint());
    let toile_sim::colliders::Shape::LevelSet(solid) = &short.model.colliders[0].shape else {
        panic!("a level set expected");
    };
    let frames = solid.frames().unwrap();
    assert_eq!((frames.positions.len(), frames.rate_hz), (41, 25.0));
    for k in [0, 10, 24, 25, 40] {
        near(frames.positions[k][0].x, body_x(&scene, k as f64 / 25.0));
    }
    // A saved scene moves alike.
    let saved = folder.path().join("saved.toml");
    scene::save(&short, &saved).unwrap();
    let again = scene::load(&saved, &[]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(again.fingerprint(), short.fingerprint());
}

#[test]
fn frames_of_every_format_are_played_alike() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let x_at = |mesh: &str| {
        let times = "start_s = 0.25, speed = 0.5, loop = true";
        let text = scene_with(&format!("shape = {{ mesh = {{ {mesh}, {times} }} }}"), "");
        let scene = load(folder.path(), &text).unwrap_or_else(|e| panic!("{e}"));
        [0.0, 0.5, 1.2, 1.5, 2.0].map(|time_s| body_x(&scene, time_s))
    };
    // 1 unit of the first vertex in half a second, for a second.
    let expected = [0.5, 1.0, 1.7, 0.0, 0.5];
    for name in [
        "walk.pc2",
        "walk.mdd",
        "walk_####.ply",
        "walk.npz",
        "walk.glb",
    ] {
        let options = formats::Options {
            frame_rate_hz: Some(2.0),
            ..formats::Options::default()
        };
        formats::convert(&[at("walk_####.obj")], &at(name), &options).unwrap();
        // Point caches have no triangles, and numbered files no times.
        let mesh = format!(r#"frames = "{name}", file = "body.obj", fps = 2, metres_per_unit = 1"#);
        for (found, expected) in x_at(&mesh).into_iter().zip(expected) {
            assert!(
                (found - expected).abs() < 1e-6,
                "{name}: {found} for {expected}"
            );
        }
    }
}

/// Where the first vertex of the first body is.
fn body_x(scene: &Scene, time_s: f64) -> f64 {
    scene.model.bodies[0].positions(time_s)[0].x
}

#[test]
fn pairs_have_their_own_friction() {
    let folder = folder();
    let body = r#"shape = { mesh = { file = "body.obj" } }
friction = 0.3"#;
    let rest = r#"[[collider]]
shape = { sphere = { center = [0, 9, 0], radius_m = 1 } }
[[cloth]]
name = "coat"
fabric = "denim"
grid = { size_m = [0.2, 0.2], particles = [3, 3], center = [0, 4, 0] }
[[contact.pair]]
between = ["body", "shirt"]
friction = 0.2
[[contact.pair]]
between = ["shirt", "coat"]
friction = 0.9
"#;
    let scene = load(folder.path(), &scene_with(body, rest)).unwrap();
    let model = Model::build(&scene.model).unwrap();
    let (shirt, coat) = (Thing::Deformable(0), Thing::Deformable(1));
    assert_eq!(
        model.materials.own_friction(shirt, Thing::Body(0)),
        Some(0.2)
    );
    assert_eq!(
        model.materials.own_friction(Thing::Body(0), shirt),
        Some(0.2)
    );
    assert_eq!(model.materials.own_friction(coat, shirt), Some(0.9));
    // The body says what it is; the sphere leaves it to the fabrics, which differ.
    assert_eq!(model.materials.own_friction(coat, Thing::Body(0)), None);
    assert_eq!(
        model.materials.own_friction(shirt, Thing::Collider(0)),
        None
    );
    let of_sphere = model.colliders[0].friction;
    let of_coat = model
        .materials
        .own_friction(coat, Thing::Collider(0))
        .unwrap();
    assert_ne!(of_coat, of_sphere);
    let on_itself = model.materials.own_friction(coat, coat);
    assert_eq!(on_itself, Some(of_coat));
    // A saved scene says all of it.
    let saved = folder.path().join("saved.toml");
    scene::save(&scene, &saved).unwrap();
    let again = scene::load(&saved, &[]).unwrap_or_else(|e| panic!("{e}"));
    let key = |pair: &PairFriction| format!("{pair:?}");
    let sorted = |scene: &Scene| {
        let mut all: Vec<String> = scene.model.friction.iter().map(key).collect();
        all.sort();
        all
    };
    assert_eq!(sorted(&again), sorted(&scene));
    assert_eq!(again.fingerprint(), scene.fingerprint());
}

#[test]
fn what_is_wrong_is_shown_where_it_is_written() {
    let folder = folder();
    std::fs::write(folder.path().join("points.obj"), "v 0 0 0\nv 1 0 0\n").unwrap();
    let mesh = |inside: &str| scene_with(&format!("shape = {{ mesh = {{ {inside} }} }}"), "");
    let pair = |between: &str, friction: &str| {
        let rest = format!("[[contact.pair]]\nbetween = {between}\nfriction = {friction}\n");
        scene_with(r#"shape = { mesh = { file = "body.obj" } }"#, &rest)
    };
    std::fs::write(
        folder.path().join("large.obj"),
        tetrahedron(0.0).replace("f 1 3 2", "v 9 9 9\nf 1 3 2"),
    )
    .unwrap();
    let good = r#"file = "body.obj""#;
    let walk = r#"frames = "walk_####.obj""#;
    for (text, key, words) in [
        (mesh(""), "shape.mesh", "expected `file`, `frames` or both"),
        (
            mesh(r#"file = "none.obj""#),
            "shape.mesh.file",
            "there is no file",
        ),
        (
            mesh(r#"file = "points.obj""#),
            "shape.mesh.file",
            "no triangles",
        ),
        (
            mesh(&format!("{good}, fps = 24")),
            "shape.mesh.fps",
            "expected `frames`",
        ),
        (
            mesh(&format!("{good}, loop = true")),
            "shape.mesh.loop",
            "expected `frames`",
        ),
        (
            mesh(&format!("{walk}, loop = \"travel\"")),
            "shape.mesh.loop",
            "no root that could travel",
        ),
        (
            mesh(&format!("{walk}, loop = \"travle\"")),
            "shape.mesh.loop",
            "false, true or \"travel\"",
        ),
        (
            mesh(&format!("{walk}, start_s = -1")),
            "shape.mesh.start_s",
            "-1",
        ),
        (
            mesh(&format!("{walk}, settle_s = 1")),
            "shape.mesh.settle_s",
            "expected `file`",
        ),
        (
            mesh(&format!("{walk}, settle_s = 1, file = \"large.obj\"")),
            "shape.mesh.settle_s",
            "the 4 vertices of the frames in `file` to settle from, found 5",
        ),
        (
            mesh(&format!("{walk}, speed = 1e9, as = \"level-set\"")),
            "shape.mesh.speed",
            "too many",
        ),
        (
            mesh("character = { mannequin = {} }, speed = 2"),
            "shape.mesh.speed",
            "in `character`",
        ),
        (
            mesh(&format!("{good}, metres_per_unit = 0")),
            "shape.mesh.metres_per_unit",
            "0",
        ),
        (
            mesh(&format!("{good}, thickness_m = -1")),
            "shape.mesh.thickness_m",
            "-1",
        ),
        (
            mesh(r#"frames = "none_####.obj""#),
            "shape.mesh.frames",
            "none_####.obj",
        ),
        (
            scene_with(
                "shape = { mesh = { frames = \"walk_####.obj\" } }\nvelocity_m_per_s = [1, 0, 0]",
                "",
            ),
            "shape.mesh.frames",
            "not moved besides",
        ),
        (
            scene_with(
                "shape = { mesh = { file = \"body.obj\" } }\nfriction_law = \"viscous\"",
                "",
            ),
            "friction_law",
            "coulomb",
        ),
        (
            scene_with(
                r#"shape = { union = { of = [{ mesh = { file = "body.obj" } }] } }"#,
                "",
            ),
            "shape.union.of[0].mesh",
            "a collider of its own",
        ),
        (
            pair(r#"["shirt", "bod"]"#, "1"),
            "contact.pair[0].between[1]",
            "\"bod\"",
        ),
        (
            pair(r#"["body", "body"]"#, "1"),
            "contact.pair[0].between",
            "at least one cloth",
        ),
        (
            pair(r#"["shirt", "body"]"#, "-1"),
            "contact.pair[0].friction",
            "-1",
        ),
        (
            scene_with(
                "shape = { mesh = { file = \"body.obj\" } }\n[[collider]]\nname = \"shirt\"\nshape = { mesh = { file = \"body.obj\" } }",
                "",
            ),
            "collider[1].name",
            "again",
        ),
    ] {
        let error = load(folder.path(), &text).unwrap_err();
        assert!(error.contains(key), "{key} expected in {error}");
        assert!(error.contains(words), "{words} expected in {error}");
    }
}
