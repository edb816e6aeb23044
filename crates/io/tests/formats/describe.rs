//! What is in a file, and what is wrong with it.

use crate::sample;
use std::fs;
use toile_io::checkpoint::{self, Snapshot};
use toile_io::formats::{Format, Info, Manifest, Options, Problem, SequenceInfo, describe};

fn sequence(text: &str) -> SequenceInfo {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mesh.obj");
    fs::write(&path, text).unwrap();
    match describe(&path).unwrap() {
        Info::Sequence(info) => info,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_format_is_described_alike() {
    for format in Format::ALL {
        let folder = tempfile::tempdir().unwrap();
        let path = sample::path(folder.path(), format);
        sample::write(&path, &sample::fixed(), &Options::default()).unwrap();
        let text = describe(&path).unwrap().to_string();
        for part in [
            "3 frames from 7",
            "25 frames a second",
            "9 vertices",
            "table cloth #1: 6 vertices",
            "[0, 0, 0] to [2, 0.5, 2]",
            "unit      1 m",
            "up axis   Y",
        ] {
            assert!(text.contains(part), "{format:?}: {part} in\n{text}");
        }
        // The flag's three points are on a line.
        assert!(text.contains("1 faces without area"), "{text}");
    }
}

#[test]
fn problems_are_found() {
    // A strip of two triangles, a third on the same edge, a folded one, and two spare vertices.
    let info = sequence(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 0 0 1\nv 9 9 9\n\
         f 1 2 3\nf 2 4 3\nf 2 3 5\nf 1 2 1\n",
    );
    assert_eq!(
        info.problems,
        [
            Problem::DegenerateFaces { count: 1, first: 3 },
            Problem::DuplicateVertices { count: 1, first: 5 },
            Problem::UnusedVertices { count: 2, first: 5 },
            Problem::NonManifoldEdges {
                count: 1,
                first: (1, 2)
            },
        ]
    );
    assert!(
        info.to_string()
            .contains("problem   2 vertices no face uses")
    );
    assert_eq!(
        sequence("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").problems,
        []
    );
}

#[test]
fn units_are_guessed_by_size() {
    let sized = |size: f64| {
        let text = format!("v 0 0 0\nv {size} 0 0\nv 0 {size} 0\nf 1 2 3\n");
        sequence(&text).to_string()
    };
    assert!(sized(1.8).contains("not stated, metres by its size"));
    assert!(sized(180.0).contains("not stated, centimetres by its size"));
    assert!(sized(4000.0).contains("not stated, millimetres by its size"));
}

#[test]
fn damaged_frames_are_problems_and_not_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = sample::path(folder.path(), Format::Ply);
    sample::write(&path, &sample::fixed(), &Options::default()).unwrap();
    fs::write(folder.path().join("cloth_0008.ply"), "ply\n").unwrap();
    let Info::Sequence(info) = describe(&path).unwrap() else {
        panic!();
    };
    let unreadable = info.problems.last().unwrap();
    assert!(
        matches!(
            unreadable,
            Problem::Unreadable {
                count: 1,
                first: 1,
                ..
            }
        ),
        "{unreadable}"
    );
    let pc2 = sample::path(folder.path(), Format::Pc2);
    sample::write(&pc2, &sample::fixed(), &Options::default()).unwrap();
    let mut bytes = fs::read(&pc2).unwrap();
    let last = bytes.len() - 4;
    bytes[last..].copy_from_slice(&f32::NAN.to_le_bytes());
    fs::write(&pc2, bytes).unwrap();
    let Info::Sequence(info) = describe(&pc2).unwrap() else {
        panic!();
    };
    let not_finite = Problem::NotFinite { count: 1, first: 2 };
    assert!(info.problems.contains(&not_finite), "{:?}", info.problems);
}

#[test]
fn files_of_toile_are_described_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    let snapshot = Snapshot {
        frame: 12,
        step: 48,
        time_s: 0.5,
        arrays: vec![("positions".to_owned(), vec![0.0; 9])],
        integers: Vec::new(),
    };
    checkpoint::write(&path, 1, &snapshot).unwrap();
    let text = describe(&path).unwrap().to_string();
    assert!(
        text.contains("after frame 12") && text.contains("positions: 9 numbers"),
        "{text}"
    );

    let scene = toile_io::builtin::scenes()[0];
    let path = folder.path().join("scene.toml");
    fs::write(&path, scene.text).unwrap();
    let text = describe(&path).unwrap().to_string();
    assert!(text.contains(&format!("scene {}", scene.name)), "{text}");

    let path = folder.path().join("report.json");
    let report = toile_io::Report {
        scene: "flag".to_owned(),
        frames: 3,
        ..Default::default()
    };
    report.write(&path).unwrap();
    assert!(
        describe(&path)
            .unwrap()
            .to_string()
            .contains("report of flag: 3 frames")
    );
    fs::write(&path, "{}").unwrap();
    assert!(
        describe(&path)
            .unwrap_err()
            .to_string()
            .contains("expected a report")
    );
    assert!(describe(&folder.path().join("film.mp4")).is_err());

    let path = folder.path().join("metrics.csv");
    let mut metrics = toile_io::metrics::Writer::create(&path).unwrap();
    for frame in 0..4 {
        let row = toile_io::FrameMetrics {
            frame,
            time_s: frame as f64 / 2.0,
            stretch_max: 0.01 * frame as f64,
            ..Default::default()
        };
        metrics.write(&row).unwrap();
    }
    let text = describe(&path).unwrap().to_string();
    assert!(
        text.contains("4 frames, 1.5 s") && text.contains("3.00 %"),
        "{text}"
    );
}

#[test]
fn a_folder_is_what_its_manifest_says() {
    let folder = tempfile::tempdir().unwrap();
    assert!(
        describe(folder.path())
            .unwrap_err()
            .to_string()
            .contains("manifest.json")
    );
    let path = sample::path(folder.path(), Format::Pc2);
    let files = sample::write(&path, &sample::fixed(), &Options::default()).unwrap();
    Manifest::new(files).write(folder.path()).unwrap();
    let info = describe(folder.path()).unwrap();
    assert_eq!(
        info,
        describe(&folder.path().join("manifest.json")).unwrap()
    );
    let text = info.to_string();
    for part in [
        "2 sequences, complete",
        "cloth.pc2: 3 frames from 7",
        "9 vertices",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
}
