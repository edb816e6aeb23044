//! What `toile run` leaves behind.

use crate::program::{HANGING, Workplace};
use std::fs;

/// Fields of `report.json` that scripts may rely on.
const PROMISED: &str = "toile_version scene frames steps particles triangles threads wall_s \
    wall_s_per_frame phase_s pcg_iterations_mean pcg_iterations_max stretch_max stretch_mean \
    stretch_p99 self_intersections_max collider_penetration_max_m contacts_max energy_drift \
    retries finite state_hash interrupted error start_intersections clean_from_frame contact \
    start_body_intersections body_self_intersections memory_peak_bytes solver solver_fallback solves \
    unconverged_solves";

#[test]
fn a_run_leaves_everything_it_promises() {
    let place = Workplace::with("scene.toml", HANGING);
    let ended = place.succeed(&["run", "scene.toml", "--set", "solver.verify=\"frame\""]);
    assert!(ended.stdout.contains("out/hanging/film.mp4"));

    let report = place.json("out/hanging/report.json");
    for field in PROMISED.split_whitespace() {
        assert!(report.get(field).is_some(), "{field}");
    }
    assert_eq!(report["scene"], "hanging");
    assert_eq!(report["frames"], 5);
    assert_eq!(report["steps"], 10);
    assert_eq!(report["particles"], 121);
    assert_eq!(report["triangles"], 200);
    assert_eq!(report["self_intersections_max"], 0);
    assert_eq!(report["finite"], true);
    assert_eq!(report["interrupted"], false);
    assert_eq!(report["solver"], "fast");
    assert!(report["solver_fallback"].is_null());
    assert!(report["solves"].as_u64().unwrap() >= 10);
    assert_eq!(report["unconverged_solves"], 0);
    assert!(report["error"].is_null());
    assert!(report["stretch_max"].as_f64().unwrap() > 0.0);
    #[cfg(target_os = "linux")]
    assert!(report["memory_peak_bytes"].as_u64().unwrap() > 0);
    let drift = report["energy_drift"].as_f64().unwrap();
    assert!((-1.0..0.0).contains(&drift), "{drift}");

    let metrics = place.read("out/hanging/metrics.csv");
    let mut rows = csv_rows(&metrics);
    let header = rows.remove(0);
    let height = header.iter().position(|c| *c == "mean_height_m").unwrap();
    assert_eq!(rows.len(), 6, "a row a frame, and one of the start");
    let heights: Vec<f64> = rows.iter().map(|r| r[height].parse().unwrap()).collect();
    assert!((heights[0] - 1.0).abs() < 1e-12);
    assert!(heights.is_sorted_by(|a, b| a > b), "it falls: {heights:?}");

    for frame in 0..=5 {
        let text = place.read(&format!("out/hanging/hanging_{frame:04}.obj"));
        let count = |prefix| text.lines().filter(|l| l.starts_with(prefix)).count();
        assert_eq!((count("v "), count("f ")), (121, 200), "frame {frame}");
    }
    let film = fs::read(place.path("out/hanging/film.mp4")).unwrap();
    assert_eq!(film_frames(&film), 6);
    let poster = fs::read(place.path("out/hanging/poster.png")).unwrap();
    assert!(poster.starts_with(b"\x89PNG"));
    // Width and height, from the image header.
    assert_eq!(poster[16..24], [0, 0, 5, 0, 0, 0, 2, 208]);
    assert!(place.path("out/hanging/checkpoint").exists());

    // The meshes are such that the checker agrees.
    place.succeed(&["check", "out/hanging/hanging_0005.obj"]);
}

#[test]
fn what_is_not_wanted_is_not_written() {
    let place = Workplace::with("scene.toml", HANGING);
    let ended = place.succeed(&[
        "run",
        "scene.toml",
        "--out",
        "here",
        "--frames",
        "2",
        "--no-film",
        "--format",
        "",
        "--quiet",
    ]);
    assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("", ""));
    let mut names: Vec<String> = fs::read_dir(place.path("here"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        names,
        ["checkpoint", "metrics.csv", "report.json", "scene.toml"]
    );
    assert_eq!(place.json("here/report.json")["frames"], 2);
}

#[test]
fn json_holds_the_resolved_scene_and_the_report() {
    let place = Workplace::with("scene.toml", HANGING);
    let args = [
        "run",
        "scene.toml",
        "--json",
        "--no-film",
        "--set",
        "frames=1",
    ];
    let printed = place.succeed(&args).json();
    assert_eq!(printed["scene"]["frames"], 1);
    assert_eq!(printed["scene"]["fps"], 60.0);
    assert_eq!(printed["scene"]["solver"]["integrator"], "bdf2");
    assert_eq!(printed["report"], place.json("out/hanging/report.json"));
}

/// An explicit scheme far above its limit ends with code 3 and the limit named; what was there
/// before is kept.
#[test]
fn a_step_far_above_the_limit_ends_the_run() {
    let place = Workplace::with("scene.toml", HANGING);
    let ended = place.toile(&[
        "run",
        "scene.toml",
        "--no-film",
        "--set",
        "solver.integrator=rk4",
        "--set",
        "solver.max_step_s=0.0167",
    ]);
    assert_eq!(ended.code, Some(3), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("`rk4`, which is stable up to"),
        "{}",
        ended.stderr
    );
    let report = place.json("out/hanging/report.json");
    assert_eq!(
        (&report["steps"], &report["finite"]),
        (&0.into(), &true.into())
    );
    assert!(report["error"].as_str().unwrap().contains("stable up to"));

    // Within it, the same scene runs, and a resumed run is the same run.
    let scheme = [
        "--set",
        "solver.integrator=improved-variable-step",
        "--set",
        "solver.max_step_s=3e-4",
    ];
    let run = |more: &[&str]| {
        let args = [&["run", "scene.toml", "--no-film"], &scheme[..], more].concat();
        place.succeed(&args);
        place.json("out/hanging/report.json")["state_hash"].clone()
    };
    let straight = run(&[]);
    run(&["--frames", "2"]);
    assert_eq!(run(&["--resume"]), straight);
}

#[test]
fn meshes_of_a_longer_run_do_not_stay_behind() {
    let place = Workplace::with("scene.toml", HANGING);
    let run = |frames| {
        place.succeed(&["run", "scene.toml", "--no-film", "--frames", frames]);
    };
    run("4");
    run("2");
    assert!(place.path("out/hanging/hanging_0002.obj").exists());
    assert!(!place.path("out/hanging/hanging_0003.obj").exists());
}

#[test]
fn a_built_in_scene_runs_by_name() {
    let place = Workplace::new();
    let args = [
        "run",
        "handkerchief",
        "--frames",
        "30",
        "--no-film",
        "--format",
        "",
        "--quiet",
    ];
    place.succeed(&args);
    let metrics = place.read("out/handkerchief/metrics.csv");
    let rows = csv_rows(&metrics);
    let height = rows[0].iter().position(|c| *c == "mean_height_m").unwrap();
    let last: f64 = rows[30 + 1][height].parse().unwrap();
    let exact = 10.0 - 0.5 * 9.81 * 0.5 * 0.5;
    assert!((last - exact).abs() < 1e-9, "{last} instead of {exact}");
}

fn csv_rows(text: &str) -> Vec<Vec<&str>> {
    text.lines().map(|line| line.split(',').collect()).collect()
}

/// Pictures in an MP4: walks its boxes to the table of sample sizes. Fails if the file is cut.
pub fn film_frames(film: &[u8]) -> u32 {
    let mut table = film;
    for kind in [b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsz"] {
        table = boxes(table)
            .into_iter()
            .find_map(|(k, content)| (k == kind).then_some(content))
            .unwrap_or_else(|| panic!("no {}", String::from_utf8_lossy(kind)));
    }
    // After version and flags: a common size, or zero, and the number of samples.
    u32::from_be_bytes(table[8..12].try_into().unwrap())
}

/// The boxes that make up `data`, which they must fill exactly.
fn boxes(mut data: &[u8]) -> Vec<(&[u8], &[u8])> {
    let mut found = Vec::new();
    while !data.is_empty() {
        let size = u32::from_be_bytes(data[..4].try_into().unwrap()) as usize;
        found.push((&data[4..8], &data[8..size]));
        data = &data[size..];
    }
    found
}

/// Linear solves that stop at their cap are counted, and the end of the run says so and what to do.
#[test]
fn solves_that_stop_at_their_cap_are_said() {
    let place = Workplace::with("scene.toml", HANGING);
    let ended = place.succeed(&[
        "run",
        "scene.toml",
        "--no-film",
        "--set",
        "solver.linear_max_iterations=2",
    ]);
    let report = place.json("out/hanging/report.json");
    let missed = report["unconverged_solves"].as_u64().unwrap();
    let solves = report["solves"].as_u64().unwrap();
    assert!(0 < missed && missed <= solves, "{missed} of {solves}");
    let said = format!("warning: {missed} of {solves} linear solves ended before");
    for words in [&said[..], "solver.linear_max_iterations = 2", "raise one"] {
        assert!(ended.stderr.contains(words), "{}", ended.stderr);
    }
    let usual = place.succeed(&["run", "scene.toml", "--no-film"]);
    assert!(!usual.stderr.contains("linear solves"), "{}", usual.stderr);
}

/// What makes the fast solver give way is said where the run starts, and in the report.
#[test]
fn leaving_the_fast_solver_is_said() {
    let mixture = format!(
        "{HANGING}\n[[cloth]]\nname = \"mesh\"\nmodel = \"triangle-buckling\"\n\
         grid = {{ size_m = [0.2, 0.2], particles = [5, 5], center = [0, 2, 0] }}\n\
         material = {{ area_density_kg_per_m2 = 0.15 }}\n"
    );
    let exact = "cloth.0.material.jacobian=exact";
    for (scene, set, solver, why) in [
        (HANGING, "frames=1", "fast", ""),
        (
            HANGING,
            "solver.linear_tolerance=1e-7",
            "assembled",
            "single precision",
        ),
        (HANGING, exact, "assembled", "indefinite"),
        (&mixture, "frames=1", "assembled", "grids of links"),
        (
            HANGING,
            "solver.preconditioner=block-diagonal",
            "assembled",
            "",
        ),
        (HANGING, "solver.preconditioner=direct", "direct", ""),
        (
            HANGING,
            "solver.integrator=symplectic-euler solver.max_step_s=1e-4",
            "none",
            "",
        ),
    ] {
        let place = Workplace::with("scene.toml", scene);
        let mut args = vec!["run", "scene.toml", "--no-film", "--frames", "1"];
        args.extend(set.split(' ').flat_map(|set| ["--set", set]));
        let ended = place.succeed(&args);
        let report = place.json("out/hanging/report.json");
        assert_eq!(report["solver"], solver, "{set}");
        let notes = ended.stderr.matches("gives way").count();
        assert_eq!(
            notes,
            usize::from(!why.is_empty()),
            "{set}: {}",
            ended.stderr
        );
        if why.is_empty() {
            assert!(report["solver_fallback"].is_null(), "{set}");
            continue;
        }
        let fallback = report["solver_fallback"].as_str().unwrap();
        assert!(fallback.contains(why), "{set}: {fallback}");
        let said = format!("note: {fallback}, so the fast solver");
        assert!(ended.stderr.contains(&said), "{set}: {}", ended.stderr);
    }
}
