//! `toile convert` and `toile info` on good and bad files.

use crate::bad_input::assert_refused;
use crate::formats::positions;
use crate::program::{HANGING, Workplace};
use std::fs;

/// A square of two triangles, a centimetre drawing that does not say so.
const SQUARE: &str = "v 0 0 0\nv 100 0 0\nv 100 100 0\nv 0 100 0\nf 1 2 3\nf 1 3 4\n";

#[test]
fn a_run_goes_through_every_format_and_comes_back() {
    let place = Workplace::with("scene.toml", HANGING);
    place.succeed(&[
        "run",
        "scene.toml",
        "--no-film",
        "--format",
        "npz",
        "--out",
        ".",
    ]);
    let first = positions(&place.path("hanging.npz"));
    let mut from = "hanging.npz".to_owned();
    for (k, extension) in ["ply", "usda", "pc2", "obj", "mdd", "npz"]
        .iter()
        .enumerate()
    {
        let to = format!("step{k}.{extension}");
        let ended = place.succeed(&["convert", &from, &to]);
        assert!(
            ended
                .stdout
                .contains("6 frames from 0, 121 vertices, 200 faces")
        );
        // Velocities are lost at the first format that has none, and not again.
        let lost = ended.stdout.contains("holds no velocities");
        assert_eq!(lost, *extension == "pc2", "{}", ended.stdout);
        assert_eq!(positions(&place.path(&to)), first, "{to}");
        from = to;
    }
    place.succeed(&["convert", "step3_0002.obj", "step3_0004.obj", "two.glb"]);
    let two = positions(&place.path("two.glb"));
    assert!(two[1][60].abs_diff_eq(first[4][60], 1e-6));
}

#[test]
fn axes_units_clock_and_pre_roll_change_on_the_way() {
    let place = Workplace::with("square.obj", SQUARE);
    let ended = place.succeed(&["convert", "square.obj", "plain.npz"]);
    for assumed in ["24 Hz is assumed", "metres are assumed", "y is assumed"] {
        assert!(ended.stdout.contains(assumed), "{}", ended.stdout);
    }
    let text = place.succeed(&["info", "square.obj"]).stdout;
    assert!(
        text.contains("not stated, centimetres by its size"),
        "{text}"
    );
    let change = [
        "--from-unit",
        "cm",
        "--from-up-axis",
        "z",
        "--unit",
        "m",
        "--up-axis",
        "y",
        "--scale",
        "2",
        "--fps",
        "30",
        "--pre-roll",
        "4",
        "--first-frame",
        "-3",
    ];
    place.succeed(&[&["convert", "square.obj", "moved.usda"], &change[..]].concat());
    let moved = positions(&place.path("moved.usda"));
    assert_eq!(moved.len(), 5);
    assert_eq!(moved[4][2].to_array(), [2.0, 0.0, -2.0]);
    let info = place.succeed(&["info", "moved.usda", "--json"]).json()["files"][0].clone();
    assert_eq!(
        (&info["first_frame"], &info["frame_rate_hz"]),
        (&(-3).into(), &30.0.into())
    );
    assert_eq!(
        info["bounds"],
        serde_json::json!([[0.0, 0.0, -2.0], [2.0, 0.0, 0.0]])
    );
    assert_eq!(info["up"], "y");
}

#[test]
fn bad_conversions_are_refused_and_leave_nothing() {
    let place = Workplace::with("square.obj", SQUARE);
    place.write("broken.obj", "v 0 0\n");
    place.write("square.txt", SQUARE);
    place.write("text.pc2", "no cache");
    place.write("a.ply", "ply\n");
    place.succeed(&["convert", "square.obj", "whole.pc2"]);
    let bytes = fs::read(place.path("whole.pc2")).unwrap();
    fs::write(place.path("cut.pc2"), &bytes[..bytes.len() - 5]).unwrap();
    let names = || fs::read_dir(place.path(".")).unwrap().count();
    let before = names();
    let cases: &[(&[&str], &[&str])] = &[
        (
            &["absent.usda", "out.glb"],
            &["absent.usda", "no such file"],
        ),
        (
            &["absent.obj", "out.glb"],
            &["absent.obj", "numbered files"],
        ),
        (&["square.obj", "out.fbx"], &["out.fbx", ".usda", ".glb"]),
        (&["absent.txt", "out.glb"], &["absent.txt", "no such file"]),
        (&["square.txt", "out.glb"], &["square.txt", ".obj"]),
        (&["square.obj"], &["<OUT>"]),
        (
            &["broken.obj", "out.glb"],
            &["broken.obj:1", "three coordinates"],
        ),
        (&["text.pc2", "out.glb"], &["text.pc2", "byte 0"]),
        (
            &["cut.pc2", "out.glb"],
            &["cut.pc2", "1 frames of 4 points"],
        ),
        (
            &["square.obj", "a.ply", "out.glb"],
            &["a.ply", "all of one kind"],
        ),
        (
            &["square.obj", "absent/out.glb"],
            &["absent/out.glb", "No such file"],
        ),
        (
            &["square.obj", "out.glb", "--up-axis", "z"],
            &["out.glb", "y up"],
        ),
        (
            &["square.obj", "out.npz", "--up-axis", "x"],
            &["--up-axis", "y or z"],
        ),
        (&["square.obj", "out.npz", "--unit", "-1"], &["--unit"]),
        (
            &["square.obj", "out.npz", "--unit", "ell"],
            &["--unit", "cm"],
        ),
        (
            &["square.obj", "out.npz", "--scale", "0"],
            &["the enlargement is 0"],
        ),
        (
            &["square.obj", "out.npz", "--fps", "nan"],
            &["the frame rate is NaN"],
        ),
        (
            &["square.obj", "out.obj", "--first-frame", "-1"],
            &["frame -1"],
        ),
        (
            &["square.obj", "out.glb", "--pre-roll", "960"],
            &["at most 960"],
        ),
    ];
    for (args, says) in cases {
        let ended = place.toile(&[&["convert"], *args].concat());
        assert_refused(&ended, says);
    }
    assert_eq!(names(), before);
}

#[test]
fn info_knows_what_a_run_leaves_and_refuses_the_rest() {
    let place = Workplace::with("scene.toml", HANGING);
    place.succeed(&[
        "run",
        "scene.toml",
        "--no-film",
        "--frames",
        "2",
        "--dump-system",
        "1",
    ]);
    let files = [
        "scene.toml",
        "out/hanging/report.json",
        "out/hanging/manifest.json",
        "out/hanging/metrics.csv",
        "out/hanging/checkpoint",
        "out/hanging/system-1.npz",
        "out/hanging/system-1-A.mtx",
        "out/hanging/hanging_0001.obj",
    ];
    let found = place
        .succeed(&[&["info", "--json"], &files[..]].concat())
        .json();
    let found = found["files"].as_array().unwrap();
    let kinds: Vec<&str> = found.iter().map(|f| f["kind"].as_str().unwrap()).collect();
    let expected = "scene report manifest metrics checkpoint system system sequence";
    assert_eq!(kinds.join(" "), expected);
    for (file, found) in files.iter().zip(found) {
        assert_eq!(found["file"], *file);
        let text = place.succeed(&["info", file]).stdout;
        assert!(text.starts_with(file), "{text}");
    }
    assert_eq!(
        (&found[3]["rows"], &found[5]["rows"]),
        (&3.into(), &363.into())
    );
    assert_eq!(found[4]["frame"], 2);
    place.write("other.json", "{}");
    place.write("notes.txt", "no mesh");
    for (file, says) in [
        ("absent.glb", "no such file"),
        ("other.json", "expected a report or a manifest"),
        ("notes.txt", "notes.txt: expected"),
        ("absent", "absent"),
        (".", "manifest.json"),
    ] {
        assert_refused(&place.toile(&["info", file]), &[says]);
    }
    // Problems are findings, not failures.
    place.write("spare.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 5 5 5\nf 1 2 3\n");
    let text = place.succeed(&["info", "spare.obj"]).stdout;
    assert!(text.contains("problem   1 vertices no face uses"), "{text}");
}
