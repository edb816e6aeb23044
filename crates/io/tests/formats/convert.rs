//! From every format to every other and back.

use crate::sample;
use std::slice;
use toile_io::formats::{self, Error, Format, Options, Unwritable, convert};

#[test]
fn there_and_back_is_what_both_can_hold() {
    let sequence = sample::fixed();
    for a in Format::ALL {
        for b in Format::ALL {
            let folder = tempfile::tempdir().unwrap();
            let [from, to, back] = ["from", "to", "back"].map(|name| folder.path().join(name));
            for folder in [&from, &to, &back] {
                std::fs::create_dir(folder).unwrap();
            }
            let (from, to, back) = (
                sample::path(&from, a),
                sample::path(&to, b),
                sample::path(&back, a),
            );
            sample::write(&from, &sequence, &Options::default()).unwrap();
            convert(slice::from_ref(&from), &to, &Options::default()).unwrap();
            convert(&[to], &back, &Options::default()).unwrap();
            let (first, last) = (sample::read(&from).unwrap(), sample::read(&back).unwrap());
            let expected = sample::expected(&sample::expected(&sequence, a), b);
            let expected = sample::expected(&expected, a);
            assert_eq!(last.frames.len(), 3);
            assert_eq!(last.header.faces, expected.header.faces, "{a:?} {b:?}");
            assert_eq!(last.header.parts, expected.header.parts, "{a:?} {b:?}");
            assert_eq!(last.header.first_frame, 7, "{a:?} {b:?}");
            assert_eq!(last.header.frame_rate_hz, Some(25.0), "{a:?} {b:?}");
            assert_eq!(last.header.uvs.len(), 9, "{a:?} {b:?}");
            for (last, first) in last.frames.iter().zip(&first.frames) {
                // Quarters and whole numbers: exact in every format.
                assert_eq!(last.positions, first.positions, "{a:?} {b:?}");
            }
            let frames = last.frames.iter().zip(&expected.frames);
            for (last, expected) in frames {
                assert_eq!(last, expected, "{a:?} {b:?}");
            }
        }
    }
}

#[test]
fn losses_and_guesses_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let obj = folder.path().join("plain.obj");
    std::fs::write(&obj, "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n").unwrap();
    let done = convert(
        &[obj],
        &folder.path().join("plain.glb"),
        &Options::default(),
    )
    .unwrap();
    let notes = done.notes.join("\n");
    for part in [
        "24 Hz is assumed",
        "metres are assumed",
        "y is assumed",
        "triangles only",
    ] {
        assert!(notes.contains(part), "{notes}");
    }
    let sequence = sample::fixed();
    let npz = sample::path(folder.path(), Format::Npz);
    sample::write(&npz, &sequence, &Options::default()).unwrap();
    let done = convert(
        &[npz],
        &folder.path().join("cloth.pc2"),
        &Options::default(),
    )
    .unwrap();
    assert_eq!(done.notes.len(), 3, "{:?}", done.notes);
    assert!(done.notes[0].contains("holds no velocities"));
}

#[test]
fn several_files_are_one_sequence() {
    let folder = tempfile::tempdir().unwrap();
    let sequence = sample::fixed();
    let ply = sample::path(folder.path(), Format::Ply);
    sample::write(&ply, &sequence, &Options::default()).unwrap();
    let files = [9, 7, 8].map(|n| folder.path().join(format!("cloth_000{n}.ply")));
    let out = folder.path().join("out.npz");
    convert(&files, &out, &Options::default()).unwrap();
    let found = sample::read(&out).unwrap();
    assert_eq!(found.frames, sequence.frames);
    assert_eq!(found.header.first_frame, 7);
    let mixed = [files[0].clone(), folder.path().join("cloth.npz")];
    let refused = convert(&mixed, &out, &Options::default());
    assert!(matches!(refused, Err(Error::MixedInputs { .. })));
}

#[test]
fn frames_still_to_be_read_are_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let ply = sample::path(folder.path(), Format::Ply);
    sample::write(&ply, &sample::fixed(), &Options::default()).unwrap();
    let options = Options {
        preroll_frames: 1,
        ..Options::default()
    };
    let refused = convert(slice::from_ref(&ply), &ply, &options);
    let own = |error| {
        matches!(
            error,
            Error::Unwritable {
                reason: Unwritable::OwnInput,
                ..
            }
        )
    };
    assert!(refused.is_err_and(own));
    // A single file can be replaced: it appears when all of it has been read.
    let npz = sample::path(folder.path(), Format::Npz);
    sample::write(&npz, &sample::fixed(), &Options::default()).unwrap();
    convert(slice::from_ref(&npz), &npz, &options).unwrap();
    assert_eq!(sample::read(&npz).unwrap().frames.len(), 4);
}

#[test]
fn glb_says_how_many_frames_it_can_have() {
    let folder = tempfile::tempdir().unwrap();
    let path = sample::path(folder.path(), Format::Glb);
    let sequence = sample::fixed();
    let limit = Format::Glb.max_frames().unwrap();
    let mut writer = formats::create(&path, &sequence.header, &Options::default()).unwrap();
    for _ in 0..limit {
        writer.frame(&sequence.frames[0]).unwrap();
    }
    let refused = writer.frame(&sequence.frames[0]).unwrap_err().to_string();
    assert!(refused.contains("at most 960 frames"), "{refused}");
    drop(writer);
    let npz = sample::path(folder.path(), Format::Npz);
    sample::write(&npz, &sequence, &Options::default()).unwrap();
    let options = Options {
        preroll_frames: 958,
        ..Options::default()
    };
    assert!(convert(&[npz], &path, &options).is_err());
    assert!(!path.exists());
}

#[test]
fn files_of_another_sequence_are_not_mixed_in() {
    let folder = tempfile::tempdir().unwrap();
    let from = sample::path(folder.path(), Format::Npz);
    sample::write(&from, &sample::fixed(), &Options::default()).unwrap();
    let to = folder.path().join("to.ply");
    convert(slice::from_ref(&from), &to, &Options::default()).unwrap();
    // The same files again are replaced; others would follow them.
    convert(slice::from_ref(&from), &to, &Options::default()).unwrap();
    let options = Options {
        first_frame: Some(0),
        ..Options::default()
    };
    let refused = convert(&[from], &to, &options).unwrap_err().to_string();
    assert!(
        refused.contains("to_0007.ply is there already"),
        "{refused}"
    );
    assert!(!folder.path().join("to_0000.ply").exists());
}
