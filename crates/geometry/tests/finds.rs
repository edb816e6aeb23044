//! What fuzzing has found, and cases of every kind it looks at: all must stay right.
//!
//! The cases are in `tests/finds`; `cargo run --release -p toile-geometry --example fuzz` looks for
//! more.

mod judge;

use judge::Case;
use std::path::Path;

#[test]
fn every_case_is_answered_rightly() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/finds");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "txt"))
        .collect();
    files.sort();
    assert!(files.len() >= 6, "{} cases", files.len());
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.display();
        let case = Case::parse(&text).unwrap_or_else(|| panic!("{name}: no case"));
        let found = case
            .judge()
            .unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
        // Other axes change nothing.
        let mut turned = case.clone();
        for p in turned.points_mut() {
            *p = glam::DVec3::new(-p.y, p.z, p.x);
        }
        assert_eq!(turned.judge(), Ok(found), "{name}, turned");
        // A comment may say what there is to be found.
        if text.starts_with("# something") {
            assert!(found, "{name}");
        } else if text.starts_with("# nothing") {
            assert!(!found, "{name}");
        }
    }
}

#[test]
fn cases_are_read_as_they_are_written() {
    for text in [
        "edge-edge 1e-3\n0e0 1e-300 3e0\n1e0 0e0 0e0\n0e0 1e0 1e-1\n4e0 5e0 6e0\n\
         0e0 1e0 0e0\n0e0 0e0 1e0\n-1e0 1e0 1e0\n3.0000000000000004e0 0e0 0e0\n",
        "mesh 0 1 2 0 2 3\n0e0 0e0 0e0\n1e0 0e0 0e0\n1e0 1e0 0e0\n0e0 1e0 0e0\n",
    ] {
        let case = Case::parse(text).unwrap();
        assert_eq!(case.to_string(), text);
        assert_eq!(Case::parse(&case.to_string()), Some(case));
    }
    for bad in [
        "",
        "circle 0",
        "edge-edge 0\n1 2 3\n",
        "mesh 0 1 x\n1 2 3\n",
    ] {
        assert_eq!(Case::parse(bad), None, "{bad}");
    }
}

/// The judge itself must be able to say no.
#[test]
fn wrong_answers_are_noticed() {
    let text = "mesh 0 1 2 3 4 5\n0 0 0\n1 0 0\n0 1 0\n0.2 0.2 -1\n0.3 0.2 1\n0.2 0.3 1\n";
    assert_eq!(Case::parse(text).unwrap().judge(), Ok(true));
    let apart = text.replace("-1", "0.5");
    assert_eq!(Case::parse(&apart).unwrap().judge(), Ok(false));
}
