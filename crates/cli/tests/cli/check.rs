//! `toile check` answers by exit code, text and JSON.

use crate::program::Workplace;

/// Two triangles that share an edge.
const CLEAN: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0.2\nf 1 2 3\nf 1 3 4\n";

/// The second triangle pierces the first.
const PIERCED: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\n\
    v 0.2 0.2 -1\nv 0.2 0.2 1\nv 2 2 1\nf 1 2 3\nf 4 5 6\n";

/// One triangle that stands across the clean mesh.
const ACROSS: &str = "v 0.5 -1 -1\nv 0.5 2 -1\nv 0.5 0.5 2\nf 1 2 3\n";

#[test]
fn a_clean_mesh_is_a_yes() {
    let place = Workplace::with("clean.obj", CLEAN);
    let found = place.succeed(&["check", "clean.obj", "--json"]).json();
    assert_eq!(found["clean"], true);
    assert_eq!(found["meshes"][0]["faces"], 2);
    assert_eq!(found["meshes"][0]["intersections"], 0);
}

#[test]
fn a_pierced_mesh_is_a_no_that_names_the_pair() {
    let place = Workplace::with("pierced.obj", PIERCED);
    let ended = place.toile(&["check", "pierced.obj", "--json"]);
    assert_eq!(ended.code, Some(1));
    let found = ended.json();
    assert_eq!(found["clean"], false);
    let mesh = &found["meshes"][0];
    assert_eq!(mesh["intersections"], 1);
    assert_eq!(mesh["first_pairs"][0]["a"], 0);
    assert_eq!(mesh["first_pairs"][0]["b"], 1);
    assert_eq!(mesh["first_pairs"][0]["kind"], "crossing");
    assert_eq!(mesh["kinds"]["crossing"], 1);
    // From (0.2, 0.2), where the upright side pierces, to the far side of the first triangle.
    let at = mesh["first_pairs"][0]["at"].as_array().unwrap();
    for (found, exact) in at.iter().zip([0.35, 0.35, 0.0]) {
        assert!((found.as_f64().unwrap() - exact).abs() < 1e-12, "{at:?}");
    }
    let ended = place.toile(&["check", "pierced.obj"]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.stdout.contains("faces 0 and 1: crossing at (0.35"));
}

#[test]
fn one_bad_mesh_among_good_ones_is_a_no() {
    let place = Workplace::with("clean.obj", CLEAN);
    place.write("pierced.obj", PIERCED);
    let ended = place.toile(&["check", "clean.obj", "pierced.obj", "clean.obj"]);
    assert_eq!(ended.code, Some(1));
    assert_eq!(ended.stdout.matches("clean.obj: clean").count(), 2);
}

#[test]
fn meshes_are_checked_against_another() {
    let place = Workplace::with("clean.obj", CLEAN);
    place.write("across.obj", ACROSS);
    let args = ["check", "clean.obj", "--against", "across.obj", "--json"];
    let ended = place.toile(&args);
    assert_eq!(ended.code, Some(1));
    let found = ended.json();
    assert_eq!(found["meshes"][0]["clean"], true, "with itself");
    assert_eq!(found["meshes"][1]["clean"], false, "with the other");
}

#[test]
fn what_is_no_mesh_is_refused() {
    let place = Workplace::with("broken.obj", "v 0 0 0\nf 1 2 3\n");
    place.write("scene.toml", "name = \"no mesh\"\n");
    for (file, says) in [
        ("broken.obj", "broken.obj:2"),
        ("absent.obj", "absent.obj"),
        ("scene.toml", "expected a name that ends in one of .obj"),
    ] {
        let ended = place.toile(&["check", file]);
        assert_eq!(ended.code, Some(2), "{file}");
        assert!(ended.stderr.contains(says), "{}", ended.stderr);
        assert_eq!(ended.stdout, "", "{file}");
    }
}

/// Two triangles side by side with corners of their own, and a third that pierces the first.
#[test]
fn welding_joins_seams_and_hides_nothing() {
    const SPLIT: &str =
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 0 0\nv 1 1 0\nv 0 1 0.2\nf 1 2 3\nf 4 5 6\n";
    let place = Workplace::with("split.obj", SPLIT);
    assert_eq!(place.toile(&["check", "split.obj"]).code, Some(1));
    place.succeed(&["check", "split.obj", "--weld"]);
    let pierced = format!("{SPLIT}v 0.8 0.2 -1\nv 0.8 0.2 1\nv 3 -2 1\nf 7 8 9\n");
    let place = Workplace::with("pierced.obj", &pierced);
    let ended = place.toile(&["check", "pierced.obj", "--weld", "--json"]);
    assert_eq!(ended.code, Some(1));
    assert_eq!(ended.json()["meshes"][0]["intersections"], 1);
}
