//! Mesh colliders met as level sets, and forecasting, in scene files.

use std::path::Path;
use toile_geometry::levelset::{Field, Storage};
use toile_io::{Scene, scene};
use toile_sim::colliders::{LevelSet, Shape};
use toile_sim::wrinkles::Keeping;
use toile_sim::{Model, Motion, PairFriction, Thing};

/// A tetrahedron, in centimetres and with one corner moved.
fn tetrahedron(shift_cm: f64, faces: &str) -> String {
    format!("v {shift_cm} 0 0\nv 10 0 0\nv 0 10 0\nv 0 0 10\n{faces}")
}

const CLOSED: &str = "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| std::fs::write(folder.path().join(name), text).unwrap();
    write("body.obj", tetrahedron(0.0, CLOSED));
    write("open.obj", tetrahedron(0.0, "f 1 3 2\nf 1 2 4\nf 2 3 4\n"));
    write(
        "inside-out.obj",
        tetrahedron(0.0, "f 1 2 3\nf 1 4 2\nf 2 4 3\nf 1 3 4\n"),
    );
    for k in 0..3 {
        write(
            &format!("walk_{k:04}.obj"),
            tetrahedron(-f64::from(k), CLOSED),
        );
    }
    folder
}

fn load(folder: &Path, collider: &str) -> Result<Scene, String> {
    let path = folder.join("scene.toml");
    let text = format!(
        r#"fps = 25
[[cloth]]
name = "shirt"
fabric = "silk"
grid = {{ size_m = [0.2, 0.2], particles = [3, 3], center = [0, 3, 0] }}
[[collider]]
name = "body"
{collider}"#
    );
    std::fs::write(&path, text).unwrap();
    scene::load(&path, &[]).map_err(|e| e.to_string())
}

fn level_set(scene: &Scene) -> &LevelSet {
    assert!(scene.model.bodies.is_empty());
    let [collider] = scene.model.colliders.as_slice() else {
        panic!("one collider expected");
    };
    match &collider.shape {
        Shape::LevelSet(solid) => solid,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_mesh_becomes_a_field_with_its_motion_and_friction() {
    let folder = folder();
    let scene = load(
        folder.path(),
        r#"shape = { mesh = { file = "body.obj", metres_per_unit = 0.01, as = "level-set", cell_m = 5e-3, margin_m = 1e-3, thickness_m = 4e-3 } }
friction = 0.7
forecast_s = 0.02
velocity_m_per_s = [0, 1, 0]
[[contact.pair]]
between = ["shirt", "body"]
friction = 0.1"#,
    )
    .unwrap();
    let sampling = level_set(&scene).sampling();
    assert_eq!((sampling.cell_m, sampling.margin_m), (5e-3, 3e-3));
    let collider = &scene.model.colliders[0];
    assert_eq!((collider.friction, collider.forecast_s), (0.7, Some(0.02)));
    assert!(matches!(collider.motion, Motion::Velocity(_)));
    let pair = PairFriction {
        between: [Thing::Deformable(0), Thing::Collider(0)],
        friction: 0.1.into(),
    };
    assert_eq!(scene.model.friction, [pair]);
    Model::build(&scene.model).unwrap();
}

#[test]
fn defaults_are_said_in_the_resolved_scene_and_files_count_in_its_key() {
    let folder = folder();
    let text =
        r#"shape = { mesh = { file = "body.obj", metres_per_unit = 0.01, as = "level-set" } }"#;
    let scene = load(folder.path(), text).unwrap();
    let sampling = *level_set(&scene).sampling();
    assert_eq!((sampling.cell_m, sampling.margin_m), (0.01, 0.001));
    let mesh = &scene::resolved_json(&scene)["collider"][0]["shape"]["mesh"];
    assert_eq!(
        (&mesh["cell_m"], &mesh["as"]),
        (&0.01.into(), &"level-set".into())
    );
    let key = scene.fingerprint();
    std::fs::write(folder.path().join("body.obj"), tetrahedron(-1.0, CLOSED)).unwrap();
    assert_ne!(load(folder.path(), text).unwrap().fingerprint(), key);
}

#[test]
fn fields_are_stored_as_the_scene_says() {
    let folder = folder();
    let mesh = |rest: &str| {
        let text = format!(
            r#"shape = {{ mesh = {{ file = "body.obj", metres_per_unit = 0.01, {rest} }} }}"#
        );
        load(folder.path(), &text)
    };
    let full = mesh(r#"as = "level-set""#).unwrap();
    let sparse = mesh(r#"as = "level-set", storage = "octree""#).unwrap();
    let stored = |scene: &Scene| level_set(scene).at(0.0).before.storage();
    assert_eq!(stored(&full), Storage::Grid);
    assert_eq!(stored(&sparse), Storage::Octree);
    assert_ne!(full.fingerprint(), sparse.fingerprint());
    let json = scene::resolved_json(&full);
    assert_eq!(json["collider"][0]["shape"]["mesh"]["storage"], "grid");
    // Kept in a file, and read from there again.
    let kept = r#"as = "level-set", storage = "octree", cache = "kept""#;
    let distance = |scene: &Scene| level_set(scene).at(0.0).distance_m(glam::DVec3::ZERO);
    let made = distance(&mesh(kept).unwrap());
    assert_eq!(made, distance(&mesh(kept).unwrap()));
    assert_eq!(made, distance(&sparse));
    let error = mesh(r#"as = "level-set", storage = "hash""#).unwrap_err();
    assert!(
        error.contains("storage") && error.contains("octree"),
        "{error}"
    );
    let error = mesh(r#"storage = "octree""#).unwrap_err();
    assert!(
        error.contains("storage: is of a level set alone"),
        "{error}"
    );
}

#[test]
fn a_pose_without_volume_is_refused_by_its_number() {
    let folder = folder();
    std::fs::write(
        folder.path().join("walk_0001.obj"),
        format!("{}{CLOSED}", "v 1 1 1\n".repeat(4)),
    )
    .unwrap();
    let animated = r#"shape = { mesh = { frames = "walk_####.obj", metres_per_unit = 0.01, as = "level-set" } }"#;
    let error = load(folder.path(), animated).unwrap_err();
    assert!(error.contains("mesh.frames: frame 1,"), "{error}");
    assert!(error.contains("no volume"), "{error}");
}

#[test]
fn animations_and_lathes_become_fields_too() {
    let folder = folder();
    let animated = r#"shape = { mesh = { frames = "walk_####.obj", metres_per_unit = 0.01, as = "level-set" } }"#;
    let scene = load(folder.path(), animated).unwrap();
    let frames = level_set(&scene).frames().unwrap();
    assert_eq!((frames.positions.len(), frames.rate_hz), (3, 25.0));
    let turned = r#"shape = { mesh = { as = "level-set", lathe = { profile = [[0, -0.1], [0.1, 0], [0, 0.1]], spacing_m = 0.02 } } }"#;
    let scene = load(folder.path(), turned).unwrap();
    assert!(level_set(&scene).mesh().faces.len() > 100);
    // The same by its triangles.
    let by_triangles = turned.replace(r#"as = "level-set", "#, "");
    let scene = load(folder.path(), &by_triangles).unwrap();
    assert_eq!(
        (scene.model.bodies.len(), scene.model.colliders.len()),
        (1, 0)
    );
}

#[test]
fn what_was_done_to_a_mesh_is_noted() {
    let folder = folder();
    let text = r#"shape = { mesh = { file = "inside-out.obj", metres_per_unit = 0.01, as = "level-set" } }"#;
    let scene = load(folder.path(), text).unwrap();
    assert!(scene.notes.iter().any(|note| note.contains("inside out")));
}

#[test]
fn what_cannot_be_is_refused_where_it_is_written() {
    let folder = folder();
    let mesh = |rest: &str| format!("shape = {{ mesh = {{ metres_per_unit = 0.01, {rest} }} }}");
    for (text, key, said) in [
        (
            mesh(r#"file = "open.obj", as = "level-set""#),
            "file",
            "open",
        ),
        (
            mesh(r#"file = "body.obj", as = "level-set", cell_m = 0"#),
            "cell_m",
            "found 0",
        ),
        (
            mesh(r#"file = "body.obj", as = "level-set", cell_m = 1e-6"#),
            "cell_m",
            "larger cells",
        ),
        (
            mesh(r#"file = "body.obj", as = "level-set", margin_m = -1"#),
            "margin_m",
            "found -1",
        ),
        (
            mesh(r#"file = "body.obj", cell_m = 0.01"#),
            "cell_m",
            "level set",
        ),
        (
            mesh(r#"file = "body.obj", as = "voxels""#),
            "as",
            "level-set",
        ),
        (
            mesh(r#"file = "body.obj", lathe = { profile = [[0, 0], [1, 1]], spacing_m = 0.1 }"#),
            "lathe",
            "both",
        ),
        (
            mesh(r#"file = "body.obj""#) + "\nforecast_s = 0.02",
            "forecast_s",
            "triangles",
        ),
        (
            mesh(r#"file = "body.obj", as = "level-set""#) + "\nforecast_s = 0",
            "forecast_s",
            "found 0",
        ),
        (
            "shape = { sphere = { center = [0, 0, 0], radius_m = 1 } }\nforecast_s = -1".into(),
            "forecast_s",
            "found -1",
        ),
    ] {
        let error = load(folder.path(), &text).unwrap_err();
        assert!(
            error.contains(key) && error.contains(said),
            "{text}\n{error}"
        );
    }
}

#[test]
fn wrinkles_are_kept_in_what_is_written_alone() {
    let folder = folder();
    let solid =
        r#"shape = { mesh = { file = "body.obj", metres_per_unit = 0.01, as = "level-set" } }"#;
    let with = |keys: &str| {
        load(
            folder.path(),
            &format!("{solid}\n[output]\nkeep_wrinkles = {{ {keys} }}"),
        )
    };
    let plain = load(folder.path(), solid).unwrap();
    assert_eq!(plain.output.keep_wrinkles, None);
    let kept = with("tolerance_m = 0.02, depth_m = 0.005").unwrap();
    assert_eq!(
        kept.output.keep_wrinkles,
        Keeping::new(0.02, 0.0, 0.005).ok()
    );
    assert_eq!(kept.fingerprint(), plain.fingerprint());
    for (keys, key) in [
        ("tolerance_m = 0, depth_m = 0.005", "tolerance_m"),
        (
            "tolerance_m = 0.01, offset_m = 0.01, depth_m = 0.005",
            "offset_m",
        ),
        ("tolerance_m = 0.01, depth_m = -1", "depth_m"),
    ] {
        let error = with(keys).unwrap_err();
        assert!(
            error.contains(&format!("output.keep_wrinkles.{key}")),
            "{error}"
        );
    }
}

#[test]
fn written_cloth_is_made_finer_up_to_a_limit() {
    let folder = folder();
    let solid =
        r#"shape = { mesh = { file = "body.obj", metres_per_unit = 0.01, as = "level-set" } }"#;
    let with = |output: &str| load(folder.path(), &format!("{solid}\n[output]\n{output}"));
    let plain = with("").unwrap();
    let finer = with("subdivide = 2").unwrap();
    assert_eq!((plain.output.subdivide, finer.output.subdivide), (0, 2));
    assert_eq!(finer.fingerprint(), plain.fingerprint());
    let error = with("subdivide = 4").unwrap_err();
    assert!(
        error.contains("output.subdivide: expected 0 to 3, found 4"),
        "{error}"
    );
    let large = "[output]\nsubdivide = 3\n[[cloth]]\nname = \"large\"\n\
                 grid = { size_m = [1, 1], particles = [300, 300] }";
    let error = load(folder.path(), &format!("{solid}\n{large}")).unwrap_err();
    assert!(
        error.contains("output.subdivide") && error.contains("5760576"),
        "{error}"
    );
}

/// Fields are kept in a folder, and read from there by the next run: with the same numbers. What is no
/// field there is made anew.
#[test]
fn fields_are_kept_from_run_to_run() {
    let folder = folder();
    let collider = r#"
shape = { mesh = { frames = "walk_####.obj", metres_per_unit = 0.01, as = "level-set", cell_m = 0.01, cache = "kept/fields" } }
"#;
    let kept = folder.path().join("kept/fields");
    let distance = || {
        let scene = load(folder.path(), collider).unwrap();
        let point = glam::DVec3::new(0.02, 0.03, 0.05);
        level_set(&scene).at(0.05).distance_m(point)
    };
    let made = distance();
    let files = || -> Vec<std::path::PathBuf> {
        let entries = std::fs::read_dir(&kept).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    assert_eq!(files().len(), 2);
    let times = |files: &[std::path::PathBuf]| -> Vec<std::time::SystemTime> {
        let time = |f: &std::path::PathBuf| f.metadata().unwrap().modified().unwrap();
        files.iter().map(time).collect()
    };
    let before = times(&files());
    assert_eq!(distance(), made);
    assert_eq!(times(&files()), before, "made again");
    std::fs::write(&files()[0], b"no field").unwrap();
    assert_eq!(distance(), made);
}
