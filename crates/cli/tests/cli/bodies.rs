//! Cloth on a mesh collider: what a run proves, counts and resumes.

use crate::program::Workplace;

const SCENE: &str = r#"name = "on-a-body"
frames = 12

[solver]
verify = "step"

[[cloth]]
grid = { size_m = [0.3, 0.3], particles = [16, 16], center = [0.01, 0.11, 0.02] }

[[collider]]
name = "body"
shape = { mesh = { file = "body.obj" } }
friction = 0.3
keyframes = [{ time_s = 0.2, axis = [0, 1, 0], angle_deg = 40 }]
"#;

/// A flat-topped pyramid stump as an OBJ file: sharp edges, quads.
fn body() -> String {
    let mut text = String::new();
    for (half, height) in [(0.15, 0.0), (0.08, 0.1)] {
        for [x, z] in [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]] {
            text += &format!("v {} {height} {}\n", half * x, half * z);
        }
    }
    text + "f 1 2 3 4\nf 8 7 6 5\nf 1 5 6 2\nf 2 6 7 3\nf 3 7 8 4\nf 4 8 5 1\n"
}

fn place(scene: &str) -> Workplace {
    let place = Workplace::with("scene.toml", scene);
    std::fs::write(place.path("body.obj"), body()).unwrap();
    place
}

#[test]
fn a_run_on_a_body_is_clean_and_goes_on_as_if_never_interrupted() {
    let place = place(SCENE);
    let run = |more: &[&str]| {
        place.succeed(&[&["run", "scene.toml", "--no-film"], more].concat());
    };
    run(&["--out", "straight"]);
    let straight = place.json("straight/report.json");
    assert_eq!(straight["body_intersections_max"], 0);
    assert!(straight["contact"]["touches_max"].as_u64().unwrap() > 0);
    run(&["--out", "halves", "--frames", "7"]);
    run(&["--out", "halves", "--resume"]);
    let halves = place.json("halves/report.json");
    assert_eq!(straight["state_hash"], halves["state_hash"]);
    run(&["--out", "one", "--threads", "1"]);
    assert_eq!(
        straight["state_hash"],
        place.json("one/report.json")["state_hash"]
    );
}

#[test]
fn cloth_that_starts_in_a_body_is_shown() {
    let place = place(&SCENE.replace("0.11, 0.02", "0.05, 0.02"));
    let result = place.toile(&["run", "scene.toml", "--no-film", "--frames", "2"]);
    assert_eq!(result.code, Some(0), "{}", result.stderr);
    assert!(
        result.stderr.contains("cloth is in bodies"),
        "{}",
        result.stderr
    );
    assert!(place.path("out/on-a-body/start.png").exists());
    let says = " of body `body`";
    assert!(result.stderr.contains(says), "{}", result.stderr);
    let report = place.json("out/on-a-body/report.json");
    assert!(report["body_intersections_max"].as_u64().unwrap() > 0);
    assert!(report["start_body_intersections"].as_u64().unwrap() > 0);
    assert_eq!(report["start_intersections"], 0);
    assert_eq!(report["body_self_intersections"], 0);
}

/// Two tetrahedra, the second one moved into the first.
fn twins() -> String {
    let mut text = String::new();
    for shift in [0.0, 0.03] {
        for [x, y, z] in [
            [0.0, 0.0, 0.0],
            [0.1, 0.0, 0.0],
            [0.0, 0.0, 0.1],
            [0.0, 0.1, 0.0],
        ] {
            text += &format!("v {} {y} {}\n", x + shift, z + 0.5 * shift);
        }
    }
    text + "f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\nf 5 6 7\nf 5 8 6\nf 5 7 8\nf 6 8 7\n"
}

#[test]
fn a_body_that_crosses_itself_is_said_drawn_and_counted() {
    let place = place(&SCENE.replace("0.01, 0.11, 0.02", "0.01, 0.31, 0.02"));
    std::fs::write(place.path("body.obj"), twins()).unwrap();
    let found = place.toile(&["check", "body.obj", "--json"]).json();
    let count = found["worst"]["intersections"].as_u64().unwrap();
    assert!(count > 0);
    let run = ["run", "scene.toml", "--no-film", "--frames"];
    let result = place.succeed(&[&run[..], &["1"]].concat());
    let says = format!("body `body` passes through itself: {count} pairs of triangles meet: ");
    assert!(result.stderr.contains(&says), "{}", result.stderr);
    assert!(
        result.stderr.contains("such pairs are ignored"),
        "{}",
        result.stderr
    );
    assert!(
        !result.stderr.contains("cloth is in bodies"),
        "{}",
        result.stderr
    );
    let picture = place.path("out/on-a-body/start.png");
    assert!(picture.exists());
    let report = || place.json("out/on-a-body/report.json");
    assert_eq!(report()["body_self_intersections"], count);
    assert_eq!(report()["start_body_intersections"], 0);
    // It is said once, and counted in all parts of a run.
    let result = place.succeed(&[&run[..], &["2", "--resume"]].concat());
    assert!(
        !result.stderr.contains("passes through itself"),
        "{}",
        result.stderr
    );
    assert_eq!(report()["body_self_intersections"], count);
}

#[test]
fn cloth_in_a_body_that_crosses_itself_is_not_promised_to_be_freed() {
    let place = place(&SCENE.replace("0.01, 0.11, 0.02", "0.01, 0.05, 0.02"));
    std::fs::write(place.path("body.obj"), twins()).unwrap();
    let run = ["run", "scene.toml", "--no-film", "--frames", "0"];
    let result = place.succeed(&run);
    let words = "out of a body that passes through itself it cannot always; until then nothing is \
                 promised of them, and the report counts what is left";
    assert!(result.stderr.contains(words), "{}", result.stderr);
    assert!(
        !result.stderr.contains("they are freed"),
        "{}",
        result.stderr
    );
    let stays = ["--set", "contact.untangle=false"];
    let result = place.succeed(&[&run[..], &stays].concat());
    let words = "; the run goes on, but nothing is promised of them";
    assert!(result.stderr.contains(words), "{}", result.stderr);
}

#[test]
fn a_start_in_cloth_and_in_bodies_says_both() {
    let second = "[[cloth]]\nname = \"other\"\n\
        grid = { size_m = [0.3, 0.3], particles = [16, 16], center = [0.01, 0.05, 0.02], \
        rotation_deg = [20, 0, 30] }\n\n[[collider]]";
    let scene = SCENE.replace("0.11, 0.02", "0.05, 0.02");
    let scene = scene.replace("[[collider]]", second);
    let place = place(&scene.replace("[solver]", "[contact]\ncloth = true\n\n[solver]"));
    let quiet = [
        "run",
        "scene.toml",
        "--no-film",
        "--format",
        "",
        "--frames",
        "0",
    ];
    let result = place.succeed(&quiet);
    assert_eq!(result.stderr.matches("warning: at the start, ").count(), 2);
    assert!(
        result.stderr.contains("cloth is in bodies: "),
        "{}",
        result.stderr
    );
    for words in [
        "; they are freed over some steps, until which nothing is promised of them",
        "; cloth that can come out is freed over some steps, until which nothing",
        "and the report counts what is left",
    ] {
        assert!(result.stderr.contains(words), "{}", result.stderr);
    }
    let report = place.json("out/on-a-body/report.json");
    for field in ["start_intersections", "start_body_intersections"] {
        assert!(report[field].as_u64().unwrap() > 0, "{field}");
    }
}
