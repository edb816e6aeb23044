//! Cloth that meets cloth: what a run proves, counts, draws and refuses.

use crate::program::Workplace;

/// A sheet over another, both with their borders held; `start` is where the upper one is, `speed`
/// how it is moved.
fn two_sheets(contact: bool, start: &str, speed: f64) -> String {
    format!(
        r#"name = "two"
frames = 12

[contact]
cloth = {contact}

[[cloth]]
name = "still"
grid = {{ size_m = [0.2, 0.2], particles = [6, 6], center = [0, 0.5, 0] }}

  [[cloth.pin]]
  borders = ["u-min", "u-max", "v-min", "v-max"]

[[cloth]]
name = "driven"
grid = {{ size_m = [0.2, 0.2], particles = [7, 7], {start} }}

  [[cloth.pin]]
  borders = ["u-min", "u-max", "v-min", "v-max"]
  velocity_m_per_s = [0, {speed}, 0]
"#
    )
}

const ABOVE: &str = "center = [0.013, 0.55, 0.017]";
const THROUGH: &str = "center = [0.013, 0.5, 0.017], rotation_deg = [0, 0, 30]";

fn run<'a>(verify: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let common = ["run", "scene.toml", "--no-film", "--set", verify];
    [&common, more].concat()
}

#[test]
fn where_cloth_passes_through_cloth_it_is_counted() {
    let place = Workplace::with("scene.toml", &two_sheets(false, ABOVE, -0.5));
    let report = |verify| {
        place.succeed(&run(verify, &["--format", "glb"]));
        place.json("out/two/report.json")
    };
    let off = report("solver.verify=\"off\"");
    assert!(off["self_intersections_max"].is_null());
    assert!(off["start_intersections"].is_null() && off["contact"].is_null());
    let frame = report("solver.verify=\"frame\"");
    let step = report("solver.verify=\"step\"");
    // Every step sees at least what every frame does.
    let most = |r: &serde_json::Value| r["self_intersections_max"].as_u64().unwrap();
    assert!(most(&frame) > 0 && most(&step) >= most(&frame));
    assert_eq!(frame["start_intersections"], 0);
    assert_eq!(
        off["state_hash"], step["state_hash"],
        "looking changes nothing"
    );
    assert!(step["phase_s"]["verify"].as_f64().unwrap() > 0.0);
    assert!(!place.path("out/two/failure.png").exists());
    let found = place.toile(&["check", "out/two/two.glb", "--json"]);
    assert_eq!(found.code, Some(1));
    assert_eq!(found.json()["worst"]["intersections"], most(&frame));
}

/// The frame in which cloth is crushed fails only after its steps were taken shorter and shorter.
#[test]
fn steps_taken_again_count_in_a_frame_that_fails_and_before_a_resume() {
    let place = Workplace::with("scene.toml", &two_sheets(true, ABOVE, -0.5));
    let run = |out: &str, more: &[&str]| {
        let common = run("solver.verify=\"off\"", &["--format", "", "--out", out]);
        let ended = place.toile(&[&common, more].concat());
        (ended.code, place.json(&format!("{out}/report.json")))
    };
    let retried = |out: &str| -> u64 {
        let metrics = place.read(&format!("{out}/metrics.csv"));
        let mut rows = metrics.lines().map(|line| line.split(','));
        let column = rows.next().unwrap().position(|name| name == "retries");
        let counts = rows.map(|mut row| row.nth(column.unwrap()).unwrap().parse::<u64>());
        counts.map(Result::unwrap).sum()
    };
    let (code, straight) = run("straight", &[]);
    assert_eq!(code, Some(3));
    // Nothing is halved more often than that.
    let finished = retried("straight");
    assert_eq!(straight["retries"], finished + 6);
    let frames = straight["frames"].to_string();
    let (code, half) = run("halves", &["--frames", &frames]);
    assert_eq!((code, &half["retries"]), (Some(0), &finished.into()));
    let (code, resumed) = run("halves", &["--resume"]);
    assert_eq!(code, Some(3));
    for field in [
        "retries",
        "pcg_iterations_mean",
        "pcg_iterations_max",
        "contacts_max",
    ] {
        assert_eq!(resumed[field], straight[field], "{field}");
    }
    for field in ["touches_max", "guard_caught", "guard_motion_removed"] {
        let of = |report: &serde_json::Value| report["contact"][field].clone();
        assert_eq!(of(&resumed), of(&straight), "{field}");
    }
}

#[test]
fn cloth_that_is_crushed_ends_the_run_with_a_picture() {
    let place = Workplace::with("scene.toml", &two_sheets(true, ABOVE, -0.5));
    let ended = place.toile(&run(
        "solver.verify=\"step\"",
        &["--format", "glb,pc2,obj,ply"],
    ));
    assert_eq!(ended.code, Some(3), "{}", ended.stderr);
    let report = place.json("out/two/report.json");
    let error = report["error"].as_str().unwrap();
    assert!(error.contains("presses particle "), "{error}");
    assert!(error.contains(" of `still`"), "{error}");
    // Of its own cloth: there are 49 particles in the larger.
    let numbers = error.split("particle ").skip(1);
    let numbers = numbers.map(|s| s.split(' ').next().unwrap().parse::<u32>().unwrap());
    assert!(numbers.max().unwrap() < 49, "{error}");
    assert!(error.contains("failure.png"), "{error}");
    let picture = std::fs::read(place.path("out/two/failure.png")).unwrap();
    assert!(picture.starts_with(b"\x89PNG"));
    // What was computed is clean, and kept.
    assert_eq!(report["self_intersections_max"], 0);
    assert_eq!(report["clean_from_frame"], 0);
    let frames = report["frames"].as_u64().unwrap();
    assert!((1..12).contains(&frames));
    for kind in ["glb", "pc2", "obj", "ply"] {
        let name = format!("out/two/two.{kind}");
        let found = place.succeed(&["check", &name, "--json"]).json();
        assert_eq!(found["frames"], frames + 1, "{kind}");
    }
    assert!(place.path("out/two/checkpoint").exists());
    // Numbers of contact, the same a frame as in all.
    let contact = &report["contact"];
    assert!(contact["pairs_max"].as_u64().unwrap() > 0);
    let metrics = place.read("out/two/metrics.csv");
    let rows: Vec<Vec<&str>> = metrics.lines().map(|l| l.split(',').collect()).collect();
    let column = |name: &str| rows[0].iter().position(|c| *c == name).unwrap();
    let pairs = rows[1..].iter().map(|row| row[column("contact_pairs")]);
    let pairs = pairs.map(|n| n.parse::<u64>().unwrap()).max();
    // The frame that failed counts too.
    assert!(contact["pairs_max"].as_u64() >= pairs);
    for name in [
        "guard_particles",
        "guard_motion_removed",
        "guard_energy_j",
        "guard_s",
    ] {
        column(name);
    }
    assert!(report["phase_s"]["contact_guard"].as_f64().unwrap() > 0.0);

    // A run that goes well takes the picture away.
    place.write("scene.toml", &two_sheets(true, ABOVE, 0.0));
    place.succeed(&run("solver.verify=\"frame\"", &["--format", ""]));
    assert!(!place.path("out/two/failure.png").exists());
}

#[test]
fn a_start_that_is_crossed_is_said_and_drawn() {
    let place = Workplace::with("scene.toml", &two_sheets(true, THROUGH, 0.0));
    let ended = place.succeed(&run(
        "solver.verify=\"off\"",
        &["--format", "obj", "--frames", "3"],
    ));
    let report = place.json("out/two/report.json");
    let count = report["start_intersections"].as_u64().unwrap();
    assert!(count > 0);
    let says = format!("warning: at the start, {count} pairs of triangles meet: ");
    assert!(ended.stderr.contains(&says), "{}", ended.stderr);
    assert!(ended.stderr.contains("of `still` and "), "{}", ended.stderr);
    assert!(place.path("out/two/start.png").exists());
    let found = place
        .toile(&["check", "out/two/two_0000.obj", "--json"])
        .json();
    assert_eq!(found["worst"]["intersections"], count, "the checker agrees");
    // Held as they are, they stay crossed.
    assert!(report["clean_from_frame"].is_null());
    assert_eq!(report["frames"], 3);

    // A clean start takes the picture away; without checks nothing is claimed of the frames.
    place.write("scene.toml", &two_sheets(true, ABOVE, 0.0));
    let ended = place.succeed(&run(
        "solver.verify=\"off\"",
        &["--format", "", "--frames", "3"],
    ));
    assert!(!ended.stderr.contains("warning"), "{}", ended.stderr);
    assert!(!place.path("out/two/start.png").exists());
    let report = place.json("out/two/report.json");
    assert_eq!(report["start_intersections"], 0);
    assert!(report["self_intersections_max"].is_null());
}

#[test]
fn cloth_that_is_met_as_thinner_than_it_is_is_noted() {
    let thick = "\"driven\"\nmaterial = { thickness_m = 0.05 }";
    let scene = two_sheets(true, ABOVE, 0.0).replace("\"driven\"", thick);
    let place = Workplace::with("scene.toml", &scene);
    let verify = "solver.verify=\"off\"";
    place.succeed(&run(verify, &["--format", "", "--frames", "1"]));
    let report = place.json("out/two/report.json");
    let notes = report["notes"].as_array().unwrap();
    assert_eq!(notes.len(), 1, "{notes:?}");
    // Its edges are of 0.2 m / 6.
    let says = "cloth `driven` is met as 16.667 mm thick, not as 50.000 mm";
    assert!(notes[0].as_str().unwrap().starts_with(says), "{notes:?}");
    place.write(
        "scene.toml",
        &two_sheets(false, ABOVE, 0.0).replace("\"driven\"", thick),
    );
    place.succeed(&run(verify, &["--format", "", "--frames", "1"]));
    let report = place.json("out/two/report.json");
    assert_eq!(
        report["notes"].as_array().unwrap().len(),
        0,
        "it meets nothing"
    );
}

/// Two sheets with one corner in the same place, which fly apart: unclean for one frame.
#[test]
fn a_run_says_from_which_frame_on_it_is_clean() {
    let sheet = |name: &str, center: &str, more: &str| {
        format!(
            "[[cloth]]\nname = \"{name}\"\n{more}\n\
             grid = {{ size_m = [0.2, 0.2], particles = [6, 6], center = {center} }}\n"
        )
    };
    let scene = [
        "name = \"two\"\nframes = 6\ngravity_m_per_s2 = [0, 0, 0]\n[contact]\ncloth = true\n",
        &sheet("a", "[0, 0.5, 0]", ""),
        &sheet("b", "[0.2, 0.5, 0.2]", "velocity_m_per_s = [0, 0.3, 0]"),
    ];
    let place = Workplace::with("scene.toml", &scene.concat());
    for verify in ["off", "frame", "step"] {
        let verify = format!("solver.verify=\"{verify}\"");
        place.succeed(&run(&verify, &["--format", "", "--frames", "3"]));
        // A resumed run knows how it began.
        place.succeed(&run(&verify, &["--format", "", "--resume"]));
        let report = place.json("out/two/report.json");
        assert_eq!(report["start_intersections"], 1, "{verify}");
        assert_eq!(report["clean_from_frame"], 1, "{verify}");
        assert_eq!(report["frames"], 6, "{verify}");
    }
}

/// A free sheet, and another that is stuck through it; `contact` is more of `[contact]`.
fn stuck(contact: &str) -> String {
    let sheet = |name: &str, place: &str| {
        format!(
            "[[cloth]]\nname = \"{name}\"\n\
             grid = {{ size_m = [0.2, 0.2], particles = [9, 9], {place} }}\n"
        )
    };
    [
        "name = \"two\"\nframes = 12\ngravity_m_per_s2 = [0, 0, 0]\n[contact]\ncloth = true\n",
        contact,
        &sheet("a", "center = [0, 0.5, 0]"),
        &sheet(
            "b",
            "center = [0.013, 0.56, 0.017], rotation_deg = [40, 0, 50]",
        ),
    ]
    .concat()
}

#[test]
fn a_start_that_is_crossed_is_freed_unless_the_scene_says_otherwise() {
    let place = Workplace::with("scene.toml", &stuck(""));
    for verify in ["off", "frame", "step"] {
        let verify = format!("solver.verify=\"{verify}\"");
        let ended = place.succeed(&run(&verify, &["--format", ""]));
        assert!(ended.stderr.contains("they are freed"), "{}", ended.stderr);
        let report = place.json("out/two/report.json");
        assert!(report["start_intersections"].as_u64().unwrap() > 0);
        let clean = report["clean_from_frame"].as_u64().unwrap();
        assert!((1..=12).contains(&clean), "{clean}");
        assert!(report["error"].is_null());
    }
    place.write("scene.toml", &stuck("untangle = false\n"));
    let ended = place.succeed(&run("solver.verify=\"step\"", &["--format", ""]));
    assert!(!ended.stderr.contains("freed"), "{}", ended.stderr);
    let report = place.json("out/two/report.json");
    assert!(report["clean_from_frame"].is_null());
}

#[test]
fn impulses_answer_contact_where_they_are_asked_to() {
    let sheets = two_sheets(true, ABOVE, 0.0);
    let sheets = sheets.replace(
        "cloth = true\n",
        "cloth = true\nresponse = \"impulses\"\nrestitution = 0.2\n",
    );
    // The upper sheet falls on the lower one.
    let (lower, upper) = sheets.split_at(sheets.rfind("  [[cloth.pin]]").unwrap());
    assert!(upper.contains("velocity_m_per_s"));
    let place = Workplace::with("scene.toml", &lower.replace("frames = 12", "frames = 30"));
    place.succeed(&run("solver.verify=\"step\"", &["--format", ""]));
    let report = place.json("out/two/report.json");
    assert!(report["contact"]["impacts"].as_u64().unwrap() > 0);
    assert_eq!(report["contact"]["pinched_max"], 0);
    assert_eq!(report["self_intersections_max"], 0);
    let metrics = place.read("out/two/metrics.csv");
    let names = metrics.lines().next().unwrap();
    assert!(
        names.contains(",contact_pinched,contact_impacts,"),
        "{names}"
    );
}
