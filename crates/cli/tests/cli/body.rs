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
