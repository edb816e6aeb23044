//! The commands that print or write a little.

use crate::program::Workplace;
use toile::io::{builtin, scene};
use toile::sim::Model;

#[test]
fn new_writes_a_scene_that_runs_and_never_overwrites() {
    let place = Workplace::new();
    place.succeed(&["new", "napkin"]);
    let written = place.read("napkin.toml");
    place.succeed(&["run", "napkin.toml", "--no-film", "--frames", "1"]);
    assert_eq!(place.json("out/napkin/report.json")["scene"], "napkin");

    place.write("napkin.toml", "# mine\n");
    let ended = place.toile(&["new", "napkin"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("napkin.toml exists already"));
    assert_eq!(place.read("napkin.toml"), "# mine\n");
    assert!(written.contains("name = \"napkin\""));

    let ended = place.toile(&["new", "../elsewhere"]);
    assert_eq!(ended.code, Some(2));
}

#[test]
fn lists_name_what_there_is() {
    let place = Workplace::new();
    for (args, says) in [
        (&["scenes"][..], "drop-on-sphere"),
        (&["fabrics"], "cotton-shirting"),
        (&["lab"], "free-fall"),
        (&["--help"], "Exit codes"),
        (&["run", "--help"], "--resume"),
        (&["--version"], env!("CARGO_PKG_VERSION")),
    ] {
        let ended = place.succeed(args);
        assert!(ended.stdout.contains(says), "{args:?}: {}", ended.stdout);
        assert_eq!(ended.stderr, "");
    }
}

#[test]
fn the_schema_knows_the_keys_of_a_scene() {
    let schema = Workplace::new().succeed(&["schema"]).json();
    for key in [
        "name",
        "fps",
        "frames",
        "solver",
        "cloth",
        "collider",
        "fabric",
        "fabric_files",
    ] {
        assert!(schema["properties"].get(key).is_some(), "{key}");
    }
    assert_eq!(schema["additionalProperties"], false);
    let cache = &schema["$defs"]["Cache"]["properties"];
    for key in [
        "up_axis",
        "metres_per_unit",
        "velocities",
        "pre_roll_frames",
        "first_frame",
    ] {
        assert!(cache[key]["description"].is_string(), "{key}");
    }
}

#[test]
fn a_lab_that_holds_is_a_yes_and_leaves_its_table() {
    let place = Workplace::new();
    let ended = place.succeed(&["lab", "free-fall", "--threads", "1"]);
    assert!(ended.stdout.contains("ok  "));
    assert!(!ended.stdout.contains("FAIL"));
    assert!(place.read("out/lab/free-fall.csv").lines().count() > 3);
}

#[test]
fn a_bench_reports_in_json_and_leaves_its_mesh() {
    let place = Workplace::new();
    let args = ["bench", "hang", "--n", "11", "--seconds", "0.2", "--json"];
    let found = place
        .succeed(&[&args[..], &["--obj", "end.obj"]].concat())
        .json();
    assert_eq!(found["bench"], "hang");
    assert_eq!(found["n"], 11);
    assert_eq!(found["frames"], 12);
    let height = found["mean_height_m"]["12"].as_f64().unwrap();
    assert!((0.82..0.86).contains(&height), "{height}");
    place.succeed(&["check", "end.obj"]);
}

#[test]
fn every_built_in_scene_builds() {
    assert!(!builtin::scenes().is_empty());
    for built_in in builtin::scenes() {
        let scene = scene::parse(built_in.text, built_in.name, &[]).unwrap();
        assert_eq!(scene.name, built_in.name);
        let model = Model::build(&scene.model).unwrap();
        assert!(model.particles() > 100, "{}", built_in.name);
        assert!(!built_in.description().is_empty());
    }
}

/// `toile schema | head -1` is no accident.
#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_ends_the_program_without_a_word() {
    let place = Workplace::new();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let ended = place.command(&["schema"]).stdout(writer).output().unwrap();
    assert_eq!(ended.status.code(), Some(141));
    assert!(ended.stderr.is_empty(), "{ended:?}");
    // Nor has it anything to say where nobody reads what went wrong.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut check = place.command(&["check", "absent.obj"]);
    let ended = check.stderr(writer).output().unwrap();
    assert_eq!(ended.status.code(), Some(141), "{ended:?}");
    assert!(ended.stdout.is_empty(), "{ended:?}");
}
