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
