//! What a run writes for other programs.

use crate::program::{HANGING, Workplace};
use glam::Vec3;
use serde_json::Value;
use std::fs;
use std::path::Path;
use toile::io::formats;

const ALL: &str = "obj,ply,pc2,mdd,npz,usda,glb";

/// Positions of all frames.
pub fn positions(path: &Path) -> Vec<Vec<Vec3>> {
    let mut reader = formats::open(path).unwrap();
    (0..reader.frames())
        .map(|k| reader.read_frame(k).unwrap().positions)
        .collect()
}

fn entry<'a>(manifest: &'a Value, file: &str) -> &'a Value {
    let files = manifest["files"].as_array().unwrap();
    let entry = files.iter().find(|entry| entry["file"] == file);
    entry.unwrap_or_else(|| panic!("{file} is not in {manifest:#}"))
}

#[test]
fn every_format_holds_the_same_run() {
    let place = Workplace::with("scene.toml", HANGING);
    let ended = place.succeed(&["run", "scene.toml", "--no-film", "--format", ALL]);
    for file in ["hanging_####.obj", "hanging.glb", "manifest.json"] {
        assert!(ended.stdout.contains(&format!("wrote out/hanging/{file}")));
    }
    let manifest = place.json("out/hanging/manifest.json");
    assert_eq!(manifest["finished"], true);
    let expected = positions(&place.path("out/hanging/hanging.obj"));
    assert_eq!((expected.len(), expected[0].len()), (6, 121));
    for extension in ALL.split(',') {
        let file = format!("out/hanging/hanging.{extension}");
        let info = place.succeed(&["info", &file, "--json"]).json()["files"][0].clone();
        assert_eq!(info["kind"], "sequence", "{file}");
        assert_eq!(
            (&info["frames"], &info["first_frame"]),
            (&6.into(), &0.into())
        );
        assert_eq!(
            (&info["vertices"], &info["faces"]),
            (&121.into(), &200.into())
        );
        assert_eq!(info["parts"][0]["name"], "cloth", "{file}");
        assert_eq!(info["uvs"], true, "{file}");
        assert_eq!(info["frame_rate_hz"], 60.0, "{file}");
        assert_eq!(info["metres_per_unit"], 1.0, "{file}");
        assert_eq!(info["problems"], Value::Array(Vec::new()), "{file}");
        let velocities = ["ply", "npz", "usda"].contains(&extension);
        assert_eq!(info["channels"]["velocities"], velocities, "{file}");
        for (found, expected) in positions(&place.path(&file)).iter().zip(&expected) {
            for (p, q) in found.iter().zip(expected) {
                // GLB holds differences, which round.
                assert!(p.abs_diff_eq(*q, 1e-6), "{file}: {p} and {q}");
            }
        }
        let shown = match extension {
            "obj" | "ply" => format!("hanging_####.{extension}"),
            _ => format!("hanging.{extension}"),
        };
        let entry = entry(&manifest, &shown);
        assert_eq!(
            (&entry["frames"], &entry["format"]),
            (&6.into(), &extension.into())
        );
        assert_eq!(entry["parts"], serde_json::json!(["cloth"]));
    }
    let text = place.succeed(&["info", "out/hanging"]).stdout;
    assert!(text.contains("9 sequences, complete"), "{text}");
    let text = place.succeed(&["info", "out/hanging/hanging.usda"]).stdout;
    assert!(
        text.contains("velocities") && text.contains("unit      1 m"),
        "{text}"
    );
}

/// The last state, which the report hashes, is the last frame: the mean height is a number that
/// knows nothing of formats.
#[test]
fn the_last_frame_is_the_last_state() {
    let place = Workplace::with("scene.toml", HANGING);
    place.succeed(&[
        "run",
        "scene.toml",
        "--no-film",
        "--set",
        "output.formats=[\"npz\"]",
    ]);
    let frames = positions(&place.path("out/hanging/hanging.npz"));
    let metrics = place.read("out/hanging/metrics.csv");
    let rows: Vec<Vec<&str>> = metrics.lines().map(|l| l.split(',').collect()).collect();
    let column = rows[0].iter().position(|c| *c == "mean_height_m").unwrap();
    assert_eq!(rows.len(), frames.len() + 1);
    for (row, frame) in rows[1..].iter().zip(&frames) {
        let expected: f64 = row[column].parse().unwrap();
        let sum: f64 = frame.iter().map(|p| f64::from(p.y)).sum();
        let mean = sum / frame.len() as f64;
        assert!((mean - expected).abs() < 1e-7, "{mean} and {expected}");
    }
    assert!(!place.path("out/hanging/hanging_0000.obj").exists());
}

#[test]
fn axes_units_and_numbers_are_as_asked() {
    let place = Workplace::with("scene.toml", HANGING);
    let run = [
        "run",
        "scene.toml",
        "--no-film",
        "--format",
        "glb",
        "--format",
        "ply",
    ];
    place.succeed(&[&run[..], &["--out", "plain"]].concat());
    let asked = [
        "--out",
        "asked",
        "--set",
        "output.cache.up_axis=\"z\"",
        "--set",
        "output.cache.metres_per_unit=0.01",
        "--set",
        "output.cache.pre_roll_frames=2",
        "--set",
        "output.cache.first_frame=1001",
        "--set",
        "output.cache.velocities=false",
    ];
    place.succeed(&[&run[..], &asked[..]].concat());
    let plain = positions(&place.path("plain/hanging.ply"));
    let turned = positions(&place.path("asked/hanging.ply"));
    assert_eq!((plain.len(), turned.len()), (6, 8));
    assert!(place.path("asked/hanging_1008.ply").exists());
    for k in 0..8_usize {
        for (p, q) in plain[k.saturating_sub(2)].iter().zip(&turned[k]) {
            let expected = Vec3::new(p.x, -p.z, p.y) * 100.0;
            assert!(
                q.abs_diff_eq(expected, 1e-4),
                "frame {k}: {q} and {expected}"
            );
        }
    }
    // GLB leaves no choice of axes and units.
    let glb = positions(&place.path("asked/hanging.glb"));
    assert!(glb[7][0].abs_diff_eq(plain[5][0], 1e-6));
    let manifest = place.json("asked/manifest.json");
    let (ply, glb) = (
        entry(&manifest, "hanging_####.ply"),
        entry(&manifest, "hanging.glb"),
    );
    assert_eq!(
        (&ply["up_axis"], &glb["up_axis"]),
        (&"z".into(), &"y".into())
    );
    assert_eq!(ply["metres_per_unit"], 0.01);
    assert_eq!(
        (&ply["first_frame"], &ply["pre_roll_frames"]),
        (&1001.into(), &2.into())
    );
    let info = place
        .succeed(&["info", "asked/hanging.ply", "--json"])
        .json();
    assert_eq!(info["files"][0]["channels"]["velocities"], false);
}

#[test]
fn a_resumed_run_leaves_the_same_caches_as_a_straight_one() {
    let place = Workplace::with("scene.toml", HANGING);
    let run = |out, more: &[&str]| {
        let args = [
            "run",
            "scene.toml",
            "--no-film",
            "--format",
            ALL,
            "--out",
            out,
        ];
        place.succeed(&[&args[..], more].concat())
    };
    run("straight", &[]);
    run("halves", &["--frames", "2"]);
    run("halves", &["--resume"]);
    let names = |out: &str| {
        let entries = fs::read_dir(place.path(out)).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(names("straight"), names("halves"));
    for name in names("straight") {
        let name = name.to_str().unwrap();
        let exact = ["obj", "ply", "pc2", "mdd", "npz", "usda"].iter();
        if { exact }.any(|extension| name.ends_with(extension)) {
            let [a, b] = ["straight", "halves"].map(|out| place.path(out).join(name));
            assert_eq!(fs::read(a).unwrap(), fs::read(b).unwrap(), "{name}");
        }
    }
    assert_eq!(positions(&place.path("halves/hanging.glb")).len(), 6);
    let manifest = place.json("halves/manifest.json");
    assert_eq!(manifest["notes"], serde_json::json!([]));

    // Formats the first part did not write come from those it did, or say where they begin.
    let run = |more: &[&str]| {
        let args = ["run", "scene.toml", "--no-film", "--out", "mixed"];
        place.succeed(&[&args[..], more].concat())
    };
    run(&["--frames", "2", "--format", "obj"]);
    let ended = run(&["--resume", "--format", "mdd,npz"]);
    assert_eq!(positions(&place.path("mixed/hanging.mdd")).len(), 6);
    assert_eq!(
        positions(&place.path("mixed/hanging-from-0003.npz")).len(),
        3
    );
    assert!(
        ended.stdout.contains("begins at frame 3 of the run"),
        "{}",
        ended.stdout
    );
    let manifest = place.json("mixed/manifest.json");
    assert_eq!(entry(&manifest, "hanging_####.obj")["frames"], 3);
    assert_eq!(entry(&manifest, "hanging-from-0003.npz")["run_frame"], 3);
}

#[test]
fn a_run_no_file_could_hold_is_refused_before_it_begins() {
    let place = Workplace::with("scene.toml", HANGING);
    let ended = place.toile(&["run", "scene.toml", "--frames", "960", "--format", "glb"]);
    crate::bad_input::assert_refused(&ended, &["961 frames", "GLB holds at most 960 frames"]);
    let first = ["--set", "output.cache.first_frame=-3"];
    let ended = place.toile(&[&["run", "scene.toml"], &first[..]].concat());
    crate::bad_input::assert_refused(&ended, &["output.cache.first_frame", "-3", "OBJ"]);
    assert!(!place.path("out").exists());
    // Caches may count from before zero.
    let cache = ["--no-film", "--format", "pc2", "--frames", "1"];
    place.succeed(&[&["run", "scene.toml"], &first[..], &cache].concat());
    let info = place
        .succeed(&["info", "out/hanging/hanging.pc2", "--json"])
        .json();
    assert_eq!(info["files"][0]["first_frame"], -3);
}
