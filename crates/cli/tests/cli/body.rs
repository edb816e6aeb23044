//! `toile body`.

use crate::program::Workplace;

#[test]
fn a_mannequin_is_made_measured_and_read_again() {
    let place = Workplace::new();
    let made = place.succeed(&["body", "--size", "S", "--out", "s.obj", "--json"]);
    let made = made.json();
    let found = place
        .succeed(&["body", "--measure", "s.obj", "--json"])
        .json();
    for name in ["height", "bust", "waist", "hip", "shoulder", "leg"] {
        let asked = made["asked_m"][name].as_f64().unwrap();
        let measured = found["measured_m"][name].as_f64().unwrap();
        assert!((measured / asked - 1.0).abs() < 0.01, "{name}: {measured}");
    }
    assert!(found["doubts"].as_object().unwrap().is_empty());
    // The same in another unit is nobody.
    let doll = place.succeed(&["body", "--measure", "s.obj", "--unit", "cm"]);
    assert!(doll.stdout.contains("height doubtful: "), "{}", doll.stdout);
    place.succeed(&["check", "s.obj"]);
}

#[test]
fn what_is_beside_a_body_in_its_file_is_left_out_by_name() {
    let place = Workplace::new();
    place.succeed(&["body", "--size", "S", "--out", "s.obj"]);
    let body = std::fs::read_to_string(place.path("s.obj")).unwrap();
    // A pole through the body, twice as high, that would be its height.
    let first = body.lines().filter(|line| line.starts_with("v ")).count();
    let pole = "v 0 0 0\nv 0.1 0 0\nv 0 3 0\n";
    let [a, b, c] = [1, 2, 3].map(|k| first + k);
    std::fs::write(
        place.path("both.obj"),
        format!("{body}\no pole\n{pole}f {a} {b} {c}\n"),
    )
    .unwrap();
    let height = |args: &[&str]| {
        let found = place.succeed(&[&["body", "--json", "--measure"], args].concat());
        found.json()["measured_m"]["height"].as_f64()
    };
    let alone = height(&["s.obj"]);
    assert!(alone.is_some() && height(&["both.obj", "--group", "mannequin"]) == alone);
    assert_ne!(height(&["both.obj"]), alone);
    let ended = place.toile(&["body", "--measure", "both.obj", "--group", "man"]);
    assert_eq!(ended.code, Some(2));
    let says = "both.obj: no triangles are called \"man\"; expected one of: mannequin, pole";
    assert!(ended.stderr.contains(says), "{}", ended.stderr);
}

#[test]
fn a_mannequin_with_motions_is_a_glb_file() {
    let place = Workplace::new();
    let args = [
        "body", "--bust", "0.92", "--pose", "stand", "--motion", "walk",
    ];
    let ended = place.succeed(&[&args[..], &["--out", "b.glb"]].concat());
    assert!(ended.stdout.contains("wrote b.glb") && ended.stdout.contains("(asked 92.0)"));
    let file = std::fs::read(place.path("b.glb")).unwrap();
    assert!(file.starts_with(b"glTF") && file.len() > 300_000);
}

#[test]
fn what_nobody_measures_is_refused_by_name() {
    let place = Workplace::new();
    for (args, says) in [
        (["--waist", "1.4"], "waist is 1.4 m"),
        (["--height", "nan"], "height is NaN m"),
        (["--size", "XXXL"], "expected XS"),
        (["--pose", "swim"], "expected one of stand"),
        (["--out", "b.fbx"], "must end in .glb or .obj"),
    ] {
        let ended = place.toile(&[&["body"][..], &args].concat());
        assert_eq!(ended.code, Some(2), "{args:?}");
        assert!(ended.stderr.contains(says), "{}", ended.stderr);
    }
    let list = place.succeed(&["body", "--list"]).stdout;
    assert!(list.contains("female XXL") && list.contains("fast-walk"));
}
