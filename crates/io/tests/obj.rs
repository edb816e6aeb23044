//! OBJ files: exact round trips, located errors.

use glam::{DVec2, DVec3};
use proptest::prelude::*;
use std::fs;
use toile_geometry::{QuadGrid, TriMesh};
use toile_io::obj::{self, Error, Object, Problem};

fn read(text: &[u8]) -> Result<TriMesh, (usize, Problem)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mesh.obj");
    fs::write(&path, text).unwrap();
    obj::read(&path).map_err(|error| match error {
        Error::Line { line, problem, .. } => {
            assert!(problem.to_string().len() > 5);
            (line, problem)
        }
        other => panic!("{other}"),
    })
}

fn finite() -> impl Strategy<Value = f64> {
    any::<u64>()
        .prop_map(f64::from_bits)
        .prop_filter("finite", |x| x.is_finite())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_coordinate_reads_back_to_the_bit(
        coordinates in prop::collection::vec([finite(), finite(), finite()], 3..12),
    ) {
        let positions: Vec<DVec3> = coordinates.into_iter().map(DVec3::from).collect();
        let faces: Vec<[u32; 3]> = (2..positions.len() as u32).map(|i| [i - 2, i - 1, i]).collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mesh.obj");
        let object = Object { name: "cloth", positions: &positions, pattern: &[], faces: &faces };
        obj::write(&path, &[object]).unwrap();
        let mesh = obj::read(&path).unwrap();
        let bits = |p: &[DVec3]| p.iter().map(|p| p.to_array().map(f64::to_bits)).collect::<Vec<_>>();
        prop_assert_eq!(bits(&mesh.positions), bits(&positions));
        prop_assert_eq!(mesh.faces, faces);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "([vf#o]( -?[0-9./]{1,4}){0,5}\\\\?\n){0,8}\\PC{0,9}") {
        if let Ok(mesh) = read(text.as_bytes()) {
            prop_assert_eq!(mesh.validate(), Ok(()));
        }
    }
}

#[test]
fn two_objects_keep_names_and_pattern() {
    let grid = QuadGrid {
        columns: 3,
        rows: 2,
        size_m: DVec2::new(0.2, 0.1),
    };
    let positions = grid.positions(DVec3::Y, DVec3::X, DVec3::NEG_Z);
    let pattern: Vec<_> = (0..grid.len())
        .map(|i| grid.cell_of(i))
        .map(|(column, row)| grid.pattern(column, row))
        .collect();
    let faces = grid.faces();
    let first = Object {
        name: "front",
        positions: &positions,
        pattern: &pattern,
        faces: &faces,
    };
    let second = Object {
        name: "back",
        ..first
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mesh.obj");
    obj::write(&path, &[first, second]).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("o front\n") && text.contains("o back\n"));
    assert!(text.contains("vt 0.2 0.1\n") && text.contains("\nf 1/1 2/2 5/5\n"));
    let mesh = obj::read(&path).unwrap();
    assert_eq!(mesh.positions.len(), 12);
    assert_eq!(mesh.positions[6..], positions);
    assert_eq!(mesh.faces[4], faces[0].map(|v| v + 6));
}

#[test]
fn polygons_negative_indices_and_continued_lines_are_understood() {
    let text = b"v 0 0 0 1.0\nv 1 0 0\r\nv 1 1 0 # here\nv 0 \\\n1 0\nf -4/1/1 -3//2 3/7 4\n";
    let mesh = read(text).unwrap();
    assert_eq!(mesh.positions[3], DVec3::Y);
    assert_eq!(mesh.faces, [[0, 1, 2], [0, 2, 3]]);
}

#[test]
fn broken_files_are_located() {
    let triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    let cases: [(&str, Problem); 8] = [
        ("v 1.0 2", Problem::ShortVertex(2)),
        ("f 1 2", Problem::ShortFace(2)),
        ("v 1 x 3", Problem::NotANumber("x".to_owned())),
        ("v 1 inf 3", Problem::NotFinite(f64::INFINITY)),
        ("f 1 2 4", Problem::OutOfRange { index: 4, count: 3 }),
        ("f 0 1 2", Problem::OutOfRange { index: 0, count: 3 }),
        (
            "f 1 2 -4",
            Problem::OutOfRange {
                index: -4,
                count: 3,
            },
        ),
        ("f 1 2 2", Problem::Repeated(2)),
    ];
    for (line, problem) in cases {
        let text = format!("{triangle}{line}");
        assert_eq!(read(text.as_bytes()), Err((4, problem)), "{line}");
    }
    assert_eq!(read(b"v 0 0 0\nv \xff"), Err((2, Problem::NotText)));
}

#[test]
fn bad_meshes_are_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mesh.obj");
    let good = Object {
        name: "cloth",
        positions: &[DVec3::ZERO, DVec3::X, DVec3::Y],
        pattern: &[],
        faces: &[[0, 1, 2]],
    };
    let bad = [
        Object {
            positions: &[DVec3::ZERO, DVec3::NAN, DVec3::Y],
            ..good
        },
        Object {
            faces: &[[0, 1, 3]],
            ..good
        },
        Object {
            pattern: &[DVec2::ZERO],
            ..good
        },
    ];
    for object in bad {
        let error = obj::write(&path, &[object]).unwrap_err();
        assert!(error.to_string().starts_with("object \"cloth\""), "{error}");
        assert!(!path.exists());
    }
}
