//! Scenes with meshes from files, creases, maps and groups.

use std::fs;
use std::path::Path;
use toile_io::scene::{self, Scene};
use toile_sim::{ClothModel, Cut, Model};

/// A square of two triangles in two groups, with texture coordinates in half metres and colours.
const SQUARE: &str = "\
v 0 0 0 1 0 0
v 1 0 0 0 0 0
v 1 0 1 0 0 0
v 0 0 1 1 0 0
vt 0 0
vt 2 0
vt 2 2
vt 0 2
g left
f 1/1 3/3 2/2
g right
f 1/1 4/4 3/3
";

fn load(folder: &Path, text: &str) -> Result<Scene, String> {
    let path = folder.join("scene.toml");
    fs::write(&path, text).unwrap();
    scene::load(&path, &[]).map_err(|error| error.to_string())
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("square.obj"), SQUARE).unwrap();
    folder
}

#[test]
fn a_mesh_is_cut_from_its_texture_coordinates_and_says_so() {
    let folder = folder();
    let scene = load(
        folder.path(),
        "[[cloth]]\nmesh = { file = \"square.obj\", offset_m = [0, 2, 0], uv_metres_per_unit = 0.5 }\n",
    )
    .unwrap();
    let cloth = &scene.model.cloths[0];
    assert_eq!(cloth.model, ClothModel::TRIANGLE_BUCKLING);
    let Cut::Mesh(surface) = &cloth.cut else {
        panic!("a mesh");
    };
    assert!((surface.rest_area_m2(0) - 0.5).abs() < 1e-12);
    assert!(surface.mesh.positions.iter().all(|p| p.y == 2.0));
    let notes = scene.notes.join("\n");
    assert!(
        notes.contains("cut from its texture coordinates"),
        "{notes}"
    );
    let model = Model::build(&scene.model).unwrap();
    let mass: f64 = model.masses.iter().sum();
    assert!((mass - cloth.material.area_density_kg_per_m2).abs() < 1e-12);
}

#[test]
fn a_saved_scene_finds_its_mesh_again_from_elsewhere() {
    let folder = folder();
    let scene = load(
        folder.path(),
        "[[cloth]]\nmesh = { file = \"square.obj\" }\n",
    )
    .unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let path = elsewhere.path().join("scene.toml");
    scene::save(&scene, &path).unwrap();
    let again = scene::load(&path, &[]).unwrap();
    assert_eq!(again.model, scene.model);
    assert_eq!(again.fingerprint(), scene.fingerprint());
    // Another mesh under the same name moves differently.
    let moved = SQUARE.replace("v 1 0 1", "v 1 0.1 1");
    fs::write(folder.path().join("square.obj"), moved).unwrap();
    let changed = scene::load(&path, &[]).unwrap();
    assert_ne!(changed.fingerprint(), scene.fingerprint());
}

#[test]
fn groups_hold_and_stiffen_faces() {
    let folder = folder();
    let scene = load(
        folder.path(),
        "[[cloth]]\nmesh = { file = \"square.obj\" }\n\
         [[cloth.pin]]\ngroup = \"left\"\n\
         [[cloth.map]]\nvalue = \"bending\"\nfactor = 3.0\ngroup = \"right\"\n\
         [[cloth.map]]\nvalue = \"stretch\"\nfactor = 2.0\nfactor_at_zero = 0.5\nchannel = \"red\"\n",
    )
    .unwrap();
    let cloth = &scene.model.cloths[0];
    let plain = cloth.material;
    let [left, right] = [0, 1].map(|face| cloth.material_of(face, 0.0));
    assert_eq!(left.bending_warp_n_m, plain.bending_warp_n_m);
    assert_eq!(right.bending_warp_n_m, 3.0 * plain.bending_warp_n_m);
    // One corner of three is red on the left, two are on the right.
    let share = |s: f64| plain.stretch_warp_n_per_m * (0.5 + 1.5 * s);
    assert!((left.stretch_warp_n_per_m - share(1.0 / 3.0)).abs() < 1e-9);
    assert!((right.stretch_warp_n_per_m - share(2.0 / 3.0)).abs() < 1e-9);
    let model = Model::build(&scene.model).unwrap();
    assert_eq!(model.pins, [0, 1, 2]);
}

#[test]
fn creases_lie_along_edges_of_hinged_cloth() {
    let folder = folder();
    let cloth = |bending: &str, u: f64| {
        format!(
            "[[cloth]]\ngrid = {{ size_m = [1, 1], particles = [5, 5] }}\n\
             model = \"triangle-buckling\"\nbending = \"{bending}\"\n\
             [[cloth.crease]]\nfrom = [{u}, 0.0]\nto = [{u}, 1.0]\nangle_deg = 90\n"
        )
    };
    let scene = load(folder.path(), &cloth("hinge", 0.25)).unwrap();
    let painted = &scene.model.cloths[0].rest_angles.painted;
    assert_eq!(painted.len(), 4);
    assert!(
        painted
            .iter()
            .all(|(_, angle)| (angle.at(0.0) - 90_f64.to_radians()).abs() < 1e-15)
    );
    Model::build(&scene.model).unwrap();
    let beside = load(folder.path(), &cloth("hinge", 0.3)).unwrap_err();
    assert!(beside.contains("no inner edge"), "{beside}");
    let soft = load(folder.path(), &cloth("buckling", 0.25)).unwrap_err();
    assert!(soft.contains("only hinges rest at an angle"), "{soft}");
}

#[test]
fn what_is_wrong_with_a_mesh_is_located() {
    let folder = folder();
    for (text, expected) in [
        ("mesh = { file = \"none.obj\" }", "there is no file"),
        (
            "mesh = { file = \"square.obj\", weld_m = -1 }",
            "cloth[0].mesh.weld_m",
        ),
        (
            "mesh = { file = \"square.obj\", warp = [0, 0, 0] }",
            "expected a direction",
        ),
        (
            "mesh = { file = \"square.obj\" }\nmodel = \"measured\"\nmembrane = \"tensoin\"",
            "tension",
        ),
        (
            "mesh = { file = \"square.obj\" }\n[[cloth.map]]\nvalue = \"area-density\"\n\
             factor = 0\ngroup = \"left\"",
            "cloth[0].map[0].factor",
        ),
        ("", "one of `grid`, `mesh`, `disc`, `tube`"),
        (
            "disc = { radius_m = 0.1, spacing_m = 0 }",
            "cloth[0].disc.spacing_m",
        ),
    ] {
        let text = format!("[[cloth]]\n{text}\n");
        let error = load(folder.path(), &text).unwrap_err();
        assert!(error.contains(expected), "{error}");
        assert!(error.contains("scene.toml"), "{error}");
    }
}
