//! Bodies met as level sets: what a run says of them, and what it writes.

use crate::program::Workplace;

/// A sheet that lies on a body, or in it, at the height of the sheet over the body's middle.
fn sheet_on_body(height_m: f64, rest: &str) -> String {
    format!(
        r#"name = "worn"
frames = 4

[[cloth]]
grid = {{ size_m = [0.1, 0.1], particles = [6, 6], center = [0, {height_m}, 0] }}

[[collider]]
name = "body"
forecast_s = 0.02

  [collider.shape.mesh]
  as = "level-set"
  lathe = {{ spacing_m = 0.02, profile = [[0, -0.1], [0.071, -0.071], [0.1, 0], [0.071, 0.071], [0, 0.1]] }}

{rest}"#
    )
}

const RUN: [&str; 6] = [
    "run",
    "scene.toml",
    "--no-film",
    "--format",
    "obj",
    "--quiet",
];

#[test]
fn nothing_is_guaranteed_of_bodies_met_as_level_sets_and_depth_is_measured() {
    let place = Workplace::with("scene.toml", &sheet_on_body(0.11, ""));
    place.succeed(&RUN);
    let report = place.json("out/worn/report.json");
    assert_eq!(report["contact"]["guarantee"], "off");
    assert!(report["collider_penetration_max_m"].as_f64().unwrap() < 0.5e-3);
    assert!(report["contacts_max"].as_u64().unwrap() > 0);
    let field = &report["level_sets"][0];
    assert_eq!(field["storage"], "grid");
    assert_eq!(field["cell_m"], 0.01);
    // The same, stored sparse: smaller, and no deeper.
    let full_bytes = field["bytes"].as_u64().unwrap();
    let octree = "collider.shape.mesh.storage=\"octree\"";
    place.succeed(&[&RUN[..], &["--set", octree, "--out", "sparse"]].concat());
    let report = place.json("sparse/report.json");
    let field = &report["level_sets"][0];
    assert_eq!(field["storage"], "octree");
    assert!(field["bytes"].as_u64().unwrap() < full_bytes);
    assert!(report["collider_penetration_max_m"].as_f64().unwrap() < 0.5e-3);
    assert!(report["sticking"].is_null());
    assert!(report["level_set_intersections_max"].is_null());
    // Nothing keeps edges out: where crossings are looked for, those are counted.
    let verify = ["--set", "solver.verify=\"frame\"", "--out", "verified"];
    place.succeed(&[&RUN[..], &verify].concat());
    let report = place.json("verified/report.json");
    assert!(report["level_set_intersections_max"].is_u64());
    assert!(report["body_intersections_max"].is_null());
    // The same body by its triangles.
    let by_triangles = sheet_on_body(0.11, "")
        .replace("forecast_s = 0.02", "")
        .replace("as = \"level-set\"", "");
    let place = Workplace::with("scene.toml", &by_triangles);
    place.succeed(&RUN);
    let report = place.json("out/worn/report.json");
    assert_eq!(report["contact"]["guarantee"], "on");
}

#[test]
fn written_cloth_is_brought_out_and_the_motion_stays() {
    let highest = |place: &Workplace| {
        let text = std::fs::read_to_string(place.path("out/worn/worn_0000.obj")).unwrap();
        let heights = text.lines().filter_map(|line| {
            let numbers = line.strip_prefix("v ")?;
            numbers.split_whitespace().nth(1)?.parse::<f64>().ok()
        });
        heights.fold(f64::NEG_INFINITY, f64::max)
    };
    let run = |rest: &str| {
        let place = Workplace::with("scene.toml", &sheet_on_body(0.097, rest));
        place.succeed(&RUN);
        let hash = place.json("out/worn/report.json")["state_hash"].clone();
        (highest(&place), hash)
    };
    let (inside, plain) = run("");
    let keep = "[output]\nkeep_wrinkles = { tolerance_m = 0.02, depth_m = 0.005 }\n";
    let (outside, kept) = run(keep);
    assert_eq!(plain, kept);
    // The start is written as it is, or as it should be seen: its middle, which was inside, above the body.
    assert!((inside - 0.097).abs() < 1e-6, "{inside}");
    assert!(outside > inside + 1e-3, "{outside}");
}

/// A run that writes finer cloth: its mesh, its film, its report, its formats and a resumed part.
#[test]
fn finer_cloth_is_written_in_every_format_and_reported() {
    let output = "[output]\nsubdivide = 1\nformats = [\"obj\", \"glb\", \"usda\", \"pc2\"]\n\
                  keep_wrinkles = { tolerance_m = 0.02, depth_m = 0.005 }\n";
    let place = Workplace::with("scene.toml", &sheet_on_body(0.1005, output));
    place.succeed(&["run", "scene.toml", "--no-film", "--quiet"]);
    let report = place.json("out/worn/report.json");
    assert_eq!(report["particles"], 36);
    let written = &report["written"];
    assert_eq!(
        (&written["vertices"], &written["triangles"]),
        (&121.into(), &200.into())
    );
    assert!(written["moved_max"].as_u64().unwrap() > 36);
    assert_eq!(written["held_back_max"], 0);
    for format in ["glb", "usda", "pc2"] {
        let file = format!("out/worn/worn.{format}");
        let said = place.succeed(&["info", &file]).stdout;
        assert!(said.contains("121"), "{said}");
    }
    place.succeed(&["check", "out/worn/worn_0004.obj"]);
    let plain = Workplace::with("scene.toml", &sheet_on_body(0.1005, ""));
    plain.succeed(&RUN);
    let coarse = plain.json("out/worn/report.json");
    assert_eq!(coarse["state_hash"], report["state_hash"]);
    assert!(coarse["written"].is_null());
    // Goes on where it was, and can be drawn.
    place.succeed(&["run", "scene.toml", "--quiet", "--resume", "--frames", "6"]);
    assert!(place.path("out/worn/film-from-0004.mp4").exists());
    place.succeed(&["check", "out/worn/worn.glb"]);
    place.succeed(&["render", "out/worn", "-o", "still.png", "--size", "160x96"]);
}

/// Cloth that sticks to a level set for a while: how much of it, frame by frame and in all.
#[test]
fn what_sticks_is_in_metrics_and_report() {
    let sticky = sheet_on_body(0.1015, "").replace(
        "[[collider]]",
        "[[cloth.stick]]\nto = [\"body\"]\nreach_m = 0.004\nactive_s = [[0, 0.04]]\n[[collider]]",
    );
    let place = Workplace::with("scene.toml", &sticky);
    place.succeed(&RUN);
    let sticking = &place.json("out/worn/report.json")["sticking"];
    let [most, last, attached, released] =
        ["stuck_max", "stuck_last", "attached", "released"].map(|key| sticking[key].as_u64());
    assert!(most.unwrap() > 0);
    assert_eq!((attached, released, last), (most, most, Some(0)));
    let metrics = place.read("out/worn/metrics.csv");
    let mut rows = metrics
        .lines()
        .map(|line| line.split(',').collect::<Vec<_>>());
    let header = rows.next().unwrap();
    let column = header.iter().position(|name| *name == "stuck").unwrap();
    let stuck: Vec<u64> = rows.map(|row| row[column].parse().unwrap()).collect();
    assert_eq!((stuck.len(), stuck[0], stuck[4]), (5, 0, 0));
    assert_eq!(stuck.iter().copied().max(), most);
}
