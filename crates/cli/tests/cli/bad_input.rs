//! Bad input ends with code 2 and one message that says where and what; nothing panics.

use crate::program::{Ended, HANGING, Workplace};

/// One message, of bad input, that contains all of `says`.
pub fn assert_refused(ended: &Ended, says: &[&str]) {
    let text = &ended.stderr;
    assert_eq!(ended.code, Some(2), "{text}");
    assert!(!text.contains("panicked"), "{text}");
    let messages = text.lines().filter(|line| line.starts_with("error"));
    assert_eq!(messages.count(), 1, "{text}");
    assert_eq!(ended.stdout, "");
    for part in says {
        assert!(text.contains(part), "`{part}` is missing in:\n{text}");
    }
}

/// Runs [`HANGING`] with `from` replaced by `to`.
fn assert_scene_refused(from: &str, to: &str, says: &[&str]) {
    assert!(HANGING.contains(from), "{from}");
    let place = Workplace::with("bad.toml", &HANGING.replace(from, to));
    assert_refused(&place.toile(&["run", "bad.toml"]), says);
    assert!(
        !place.path("out").exists(),
        "a refused scene leaves nothing"
    );
}

#[test]
fn a_missing_file_is_named() {
    let place = Workplace::new();
    let ended = place.toile(&["run", "absent.toml"]);
    assert_refused(&ended, &["absent.toml", "no such scene file"]);
}

#[test]
fn a_missing_key_is_located() {
    assert_scene_refused(
        "particles = [11, 11], ",
        "",
        &["bad.toml:5", "cloth[0].grid.particles", "missing"],
    );
}

#[test]
fn a_wrong_type_is_located() {
    assert_scene_refused(
        "frames = 5",
        "frames = \"five\"",
        &["bad.toml:2", "frames", "whole number", "five"],
    );
}

#[test]
fn a_negative_mass_is_located() {
    assert_scene_refused(
        "= 0.15",
        "= -0.15",
        &[
            "bad.toml:8",
            "cloth[0].material.area_density_kg_per_m2",
            "greater than 0",
            "-0.15",
        ],
    );
}

#[test]
fn a_value_that_is_no_number_is_located() {
    assert_scene_refused(
        "= 0.15",
        "= nan",
        &[
            "bad.toml:8",
            "cloth[0].material.area_density_kg_per_m2",
            "finite",
        ],
    );
}

#[test]
fn a_thousand_million_particles_are_refused_before_memory_is_taken() {
    assert_scene_refused(
        "[11, 11]",
        "[100000, 10000]",
        &["bad.toml:5", "cloth[0].grid.particles", "1000000000"],
    );
}

#[test]
fn an_unknown_key_is_located_and_a_near_one_proposed() {
    assert_scene_refused("frames", "frmes", &["bad.toml:2", "frmes", "`frames`"]);
}

#[test]
fn broken_toml_is_located() {
    assert_scene_refused("frames = 5", "frames = ", &["bad.toml:2", "TOML"]);
}

#[test]
fn a_pin_that_holds_nothing_is_located() {
    assert_scene_refused(
        "corners = [\"u-min-v-max\", \"u-max-v-max\"]",
        "box = { min = [5, 5, 5], max = [6, 6, 6] }",
        &["bad.toml:11", "cloth[0].pin[0].box"],
    );
}

#[test]
fn bad_arguments_are_named() {
    let place = Workplace::with("scene.toml", HANGING);
    let cases: &[(&[&str], &[&str])] = &[
        (&["--set", "frames"], &["--set frames", "path.to.key=value"]),
        (&["--set", "colour=1"], &["--set colour=1", "unknown key"]),
        (
            &["--set", "cloth.material.area_density_kg_per_m2=-1"],
            &[
                "--set cloth.material.area_density_kg_per_m2=-1",
                "greater than 0",
            ],
        ),
        (&["--format", "stl"], &["--format", "`stl`", "obj"]),
        (&["--threads", "0"], &["--threads", "0"]),
        (
            &["--frames", "-3"],
            &["-3", "--frames", "a whole number from 0 to"],
        ),
        (&["--frames", "2.5"], &["2.5", "a whole number from 0 to"]),
        (
            &["--dump-system", "-1"],
            &["-1", "a whole number greater than 0"],
        ),
        (&["--dump-system", "0"], &["a whole number greater than 0"]),
        (&["--resume"], &["no checkpoint"]),
    ];
    for (args, says) in cases {
        let args: Vec<&str> = ["run", "scene.toml"]
            .into_iter()
            .chain(args.iter().copied())
            .collect();
        assert_refused(&place.toile(&args), says);
    }
    assert!(!place.path("out").exists());
}

#[test]
fn unknown_names_are_answered_with_the_known_ones() {
    let place = Workplace::new();
    assert_refused(&place.toile(&["bench", "sprint"]), &["`sprint`", "hang"]);
    assert_refused(
        &place.toile(&["bench", "hang", "--seconds", "-1"]),
        &["--seconds -1", "more than 0"],
    );
    assert_refused(
        &place.toile(&["lab", "alchemy"]),
        &["`alchemy`", "free-fall"],
    );
    assert_refused(&place.toile(&["dance"]), &["dance"]);
}

#[test]
fn a_checkpoint_of_another_scene_is_refused() {
    let place = Workplace::with("scene.toml", HANGING);
    let quick = ["run", "scene.toml", "--no-film", "--format", "", "--quiet"];
    place.succeed(&[&quick[..], &["--frames", "1"]].concat());
    let heavier = ["--set", "cloth.material.area_density_kg_per_m2=0.3"];
    let ended = place.toile(&[&quick[..], &["--resume"], &heavier].concat());
    assert_refused(&ended, &["checkpoint"]);
    // Cut in half, it is damaged.
    let path = place.path("out/hanging/checkpoint");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let ended = place.toile(&[&quick[..], &["--resume"]].concat());
    assert_refused(&ended, &["checkpoint"]);
}
