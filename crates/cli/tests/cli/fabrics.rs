//! `toile fabrics`: the library, one fabric, and fitting one.

use crate::program::{HANGING, Workplace};

#[test]
fn the_list_fits_a_hundred_columns_and_names_all() {
    let text = Workplace::new().succeed(&["fabrics"]).stdout;
    for name in [
        "cotton-shirting",
        "11oz-black-denim",
        "leather",
        "white-swim-solid",
    ] {
        assert!(text.contains(name), "{name}");
    }
    assert!(text.lines().count() > 40);
    for line in text.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
}

#[test]
fn one_fabric_is_shown_with_the_source_of_every_number() {
    let place = Workplace::new();
    let text = place.succeed(&["fabrics", "leather"]).stdout;
    for says in ["thickness_m", "Memon et al. 2021: 0.64 to 0.96 mm", "47–70"] {
        assert!(text.contains(says), "{says}: {text}");
    }
    // A table with rows that are no stiffness.
    let text = place.succeed(&["fabrics", "navy-sparkle-sweat"]).stdout;
    for says in [
        "in place of row 0",
        "in place of row 2",
        "Tension",
        "fold line",
    ] {
        assert!(text.contains(says), "{says}: {text}");
    }
    for line in text.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
    let text = place.succeed(&["fabrics", "royal-target"]).stdout;
    assert!(
        text.contains("Tension") && !text.contains("in place of"),
        "{text}"
    );

    let ended = place.toile(&["fabrics", "leathr"]);
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.stderr.contains("did you mean `leather`?"),
        "{}",
        ended.stderr
    );
}

#[test]
fn both_forms_are_there_as_json() {
    let place = Workplace::new();
    let all = place.succeed(&["fabrics", "--json"]).json();
    assert!(all.as_array().unwrap().len() >= 20);
    assert_eq!(all[0]["name"], "cotton-shirting");
    let one = place
        .succeed(&["fabrics", "navy-sparkle-sweat", "--json"])
        .json();
    assert_eq!(one["area_density_kg_per_m2"], 0.224);
    let rows: Vec<_> = one["repaired_rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["row"].as_u64())
        .collect();
    assert_eq!(rows, [Some(0), Some(1), Some(2)]);
}

const READINGS: [&str; 8] = [
    "fabrics",
    "fit",
    "--weight-g-per-m2",
    "150",
    "--overhang-warp-mm",
    "40",
    "--overhang-weft-mm",
    "30",
];

#[test]
fn a_fitted_fabric_loads_again_and_runs() {
    let place = Workplace::with(
        "hanging.toml",
        &format!(
            "fabric_files = [\"mine.toml\"]\n{}",
            HANGING
                .replace("[cloth.material]\n  area_density_kg_per_m2 = 0.15", "")
                .replace("grid =", "fabric = \"curtain-stuff\"\ngrid =")
        ),
    );
    let more = [
        "--name",
        "curtain-stuff",
        "--out",
        "mine.toml",
        "--tensile",
        "warp:100@5%",
        "--tensile",
        "warp:190@0.1",
        "--drape-percent",
        "55",
    ];
    let args = [&READINGS[..], &more].concat();
    let said = place.succeed(&args).stdout;
    for says in [
        "Γ = 8.004",
        "bending length 20.0 mm",
        "-7 % to +8 %",
        "weft: not measured",
        "measured: 55 %",
        "wrote mine.toml",
    ] {
        assert!(said.contains(says), "{says}: {said}");
    }
    let fabric = place
        .succeed(&["fabrics", "curtain-stuff", "--from", "mine.toml", "--json"])
        .json();
    let bending = fabric["bending_n_m"].as_f64().unwrap();
    assert!((bending / (0.15 * 9.81 * 0.02_f64.powi(3)) - 1.0).abs() < 1e-3);
    assert!((fabric["stretch_n_per_m"].as_f64().unwrap() - 1920.0).abs() < 1e-6);

    place.succeed(&["run", "hanging.toml", "--no-film", "--frames", "1"]);
    let saved = place.read("out/hanging/scene.toml");
    assert!(saved.contains("curtain-stuff"), "{saved}");

    // Never over a file that is there.
    let ended = place.toile(&args);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("exists already"));
}

#[test]
fn a_fit_without_a_file_is_printed() {
    let place = Workplace::new();
    let said = place.succeed(&READINGS).stdout;
    assert!(
        said.contains("[[fabric]]") && said.contains("my-fabric"),
        "{said}"
    );
    let json = place.succeed(&[&READINGS[..], &["--json"]].concat()).json();
    assert!((json["weight_number"].as_f64().unwrap() - 8.0042).abs() < 1e-3);
    assert_eq!(json["fabric"]["name"], "my-fabric");
    assert!(json["stretch"]["warp"].is_null());
}

#[test]
fn readings_in_other_units_are_refused() {
    let place = Workplace::new();
    for (bad, says) in [
        (&["--overhang-warp-mm", "0.04"][..], "overhang"),
        (&["--weight-g-per-m2", "0.15"], "weight"),
        (&["--angle-deg", "95"], "angle"),
        (&["--tensile", "bias:1@2"], "warp:FORCE@STRAIN"),
        (&["--name", "two words"], "without spaces"),
    ] {
        let mut args = READINGS.to_vec();
        match args.iter().position(|a| *a == bad[0]) {
            Some(at) => args[at + 1] = bad[1],
            None => args.extend(bad),
        }
        let ended = place.toile(&args);
        assert_eq!(ended.code, Some(2), "{bad:?}");
        assert!(ended.stderr.contains(says), "{bad:?}: {}", ended.stderr);
    }
}
