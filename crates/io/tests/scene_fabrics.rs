//! Fabrics of a user's own: in the scene, in a file, and what is said when one is wrong.

use std::fs;
use toile_io::{SceneError, scene};

const SCENE: &str = r#"fabric_files = ["mine.toml"]
[[cloth]]
grid = { size_m = [1, 1], particles = [3, 3] }
fabric = "FABRIC"
[[collider]]
shape = { plane = { normal = [0, 1, 0] } }
[[fabric]]
name = "own"
area_density_kg_per_m2 = 0.2
stretch_n_per_m = 3000
shear_n_per_m = 50
bending_n_m = 2e-5
friction = 0.7
[[fabric]]
name = "silk"
area_density_kg_per_m2 = 0.21
stretch_n_per_m = 1000
shear_n_per_m = 50
bending_n_m = 2e-5
"#;

const FILE: &str = r#"[[fabric]]
name = "own"
area_density_kg_per_m2 = 0.9
stretch_n_per_m = 3000
shear_n_per_m = 50
bending_n_m = 2e-5
[[fabric]]
name = "of-file"
area_density_kg_per_m2 = 0.3
stretch_n_per_m = 3000
stretch_weft_n_per_m = 1500
shear_n_per_m = 50
bending_n_m = 2e-5
bending_weft_n_m = 1e-5
friction = 0.6
"#;

/// Loads the scene with a cloth of `fabric` and `change` made in the file.
fn load(fabric: &str, change: (&str, &str)) -> Result<scene::Scene, SceneError> {
    let folder = tempfile::tempdir().unwrap();
    let scene_path = folder.path().join("scene.toml");
    assert!(FILE.contains(change.0));
    fs::write(&scene_path, SCENE.replace("FABRIC", fabric)).unwrap();
    fs::write(
        folder.path().join("mine.toml"),
        FILE.replacen(change.0, change.1, 1),
    )
    .unwrap();
    scene::load(&scene_path, &[])
}

#[test]
fn the_nearest_fabric_of_a_name_is_taken() {
    for (name, density, friction) in [
        ("own", 0.2, 0.7),
        ("of-file", 0.3, 0.6),
        ("silk", 0.21, 0.3),
        ("chiffon", 0.05, 0.3),
    ] {
        let scene = load(name, ("", "")).unwrap();
        let material = scene.model.cloths[0].material;
        assert_eq!(material.area_density_kg_per_m2, density, "{name}");
        assert_eq!(scene.model.colliders[0].friction, friction, "{name}");
    }
    let material = load("of-file", ("", "")).unwrap().model.cloths[0].material;
    assert_eq!(material.stretch_weft_n_per_m, 1500.0);
    assert_eq!(material.bending_weft_n_m, 1e-5);
    let material = load("own", ("", "")).unwrap().model.cloths[0].material;
    assert_eq!(material.stretch_weft_n_per_m, 3000.0);
}

/// A saved scene gives the same run far from the files it was made of.
#[test]
fn a_saved_scene_carries_its_fabrics() {
    let first = load("of-file", ("", "")).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let path = elsewhere.path().join("saved.toml");
    scene::save(&first, &path).unwrap();
    let again = scene::load(&path, &[]).unwrap();
    assert_eq!(again.model, first.model);
    assert_eq!(again.fingerprint(), first.fingerprint());
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        text.contains("of-file") && !text.contains("fabric_files"),
        "{text}"
    );
}

#[test]
fn a_misspelt_name_is_met_with_the_nearest() {
    let error = load("of-fiel", ("", "")).unwrap_err();
    assert_eq!(error.key(), Some("cloth[0].fabric"));
    assert!(
        error.to_string().contains("did you mean `of-file`?"),
        "{error}"
    );
    let error = load("cotton-shirtin", ("", "")).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("did you mean `cotton-shirting`?"),
        "{error}"
    );
}

#[test]
fn what_is_wrong_in_a_file_is_shown_there() {
    for (from, to, line, key, says) in [
        (
            "0.9",
            "-0.9",
            3,
            "fabric[0].area_density_kg_per_m2",
            "greater than 0",
        ),
        (
            "3000",
            "0",
            4,
            "fabric[0].stretch_n_per_m",
            "greater than 0",
        ),
        ("0.6", "60", 15, "fabric[1].friction", "0 to 10"),
        (
            "2e-5",
            "\"soft\"",
            6,
            "fabric[0].bending_n_m",
            "expected a number",
        ),
        (
            "shear_n_per_m",
            "sheer_n_per_m",
            5,
            "fabric[0].sheer_n_per_m",
            "did you mean `shear_n_per_m`?",
        ),
        ("\"of-file\"", "\"own\"", 8, "fabric[1].name", "again"),
        (
            "\"of-file\"",
            "\"of file\"",
            8,
            "fabric[1].name",
            "without spaces",
        ),
        (
            "friction = 0.6",
            "drape = { min_percent = 50, max_percent = 40, source = \"me\" }",
            15,
            "fabric[1].drape.max_percent",
            "at least",
        ),
        (
            "friction = 0.6",
            "sources = { bendin_n_m = \"me\" }",
            15,
            "fabric[1].sources.bendin_n_m",
            "did you mean `bending_n_m`?",
        ),
        (
            "friction = 0.6",
            "table = { stretch_n_per_m = [[1, 2, 3, 4]] }",
            15,
            "fabric[1].table.stretch_n_per_m",
            "expected an array of length 6",
        ),
        (
            "friction = 0.6",
            "friction = nan",
            15,
            "fabric[1].friction",
            "finite",
        ),
    ] {
        let error = load("own", (from, to)).unwrap_err();
        assert!(error.path().ends_with("mine.toml"), "{error}");
        assert_eq!(error.key(), Some(key), "{error}");
        assert_eq!(error.line(), Some(line), "{error}");
        assert!(error.to_string().contains(says), "{says}: {error}");
    }
}

#[test]
fn a_missing_file_is_shown_where_it_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.toml");
    fs::write(&path, SCENE).unwrap();
    let error = scene::load(&path, &[]).unwrap_err();
    assert_eq!(
        (error.key(), error.line()),
        (Some("fabric_files[0]"), Some(1))
    );
    assert!(error.message().contains("mine.toml"), "{error}");
}

#[test]
fn what_is_wrong_in_the_scenes_own_is_shown_there() {
    let text = SCENE
        .replace("fabric_files = [\"mine.toml\"]", "")
        .replace("FABRIC", "own");
    let error = scene::parse(&text.replace("2e-5", "-2e-5"), "s.toml", &[]).unwrap_err();
    assert_eq!(
        (error.key(), error.line()),
        (Some("fabric[0].bending_n_m"), Some(12))
    );
    assert!(scene::parse(&text, "s.toml", &[]).is_ok());
    let sets = ["fabric.own.bending_n_m=1e-4".to_owned()];
    let scene = scene::parse(&text, "s.toml", &sets).unwrap();
    assert_eq!(scene.model.cloths[0].material.bending_warp_n_m, 1e-4);
}
