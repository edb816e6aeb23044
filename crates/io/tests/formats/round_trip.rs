//! What is written reads back: exactly, but for colours that become bytes.

use crate::sample::{self, Sequence};
use glam::Vec3;
use proptest::prelude::*;
use toile_io::formats::{Format, Options};

fn near(a: &[Vec3], b: &[Vec3], tolerance: f32) -> bool {
    a.len() == b.len() && { a.iter().zip(b) }
        .all(|(a, b)| (*a - *b).abs().max_element() <= tolerance)
}

/// Equal to the bit where the format keeps bits.
fn assert_equal(format: Format, found: &Sequence, expected: &Sequence) {
    let (mut header, expected_header) = (found.header.clone(), &expected.header);
    if format == Format::Glb {
        // Texture coordinates run downwards: one less the number, there and back.
        let uvs = header.uvs.iter().zip(&expected_header.uvs);
        assert!({ uvs }.all(|(a, b)| (*a - *b).length() < f32::EPSILON));
        header.uvs.clone_from(&expected_header.uvs);
    }
    assert_eq!(&header, expected_header, "{format:?}");
    assert_eq!(found.frames.len(), expected.frames.len(), "{format:?}");
    for (found, frame) in found.frames.iter().zip(&expected.frames) {
        if format == Format::Glb {
            differences_equal(&found.positions, &frame.positions, &expected_header.rest);
            differences_equal(&found.normals, &frame.normals, &expected.frames[0].normals);
        } else {
            assert_eq!(bits(&found.positions), bits(&frame.positions), "{format:?}");
            assert_eq!(bits(&found.normals), bits(&frame.normals), "{format:?}");
        }
        assert_eq!(
            bits(&found.velocities),
            bits(&frame.velocities),
            "{format:?}"
        );
        // A byte of 255 levels, read back to the nearest number.
        let tolerance = if format == Format::Ply {
            f32::EPSILON
        } else {
            0.0
        };
        assert!(
            near(&found.colours, &frame.colours, tolerance),
            "{format:?}"
        );
    }
}

fn bits(vectors: &[Vec3]) -> Vec<[u32; 3]> {
    { vectors.iter() }
        .map(|v| v.to_array().map(f32::to_bits))
        .collect()
}

/// Equal but for the rounding of a difference from `base` and of the sum that undoes it.
fn differences_equal(found: &[Vec3], expected: &[Vec3], base: &[Vec3]) {
    assert_eq!(found.len(), expected.len());
    for ((found, expected), base) in found.iter().zip(expected).zip(base) {
        let bound = f32::EPSILON * (expected.abs() + base.abs());
        assert!(
            (*found - *expected).abs().cmple(bound).all(),
            "{found} {expected}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_format_gives_back_what_it_can_hold(sequence in sample::sequences()) {
        for format in Format::ALL {
            let folder = tempfile::tempdir().unwrap();
            let path = sample::path(folder.path(), format);
            let entries = sample::write(&path, &sequence, &Options::default()).unwrap();
            let found = sample::read(&path).unwrap();
            assert_equal(format, &found, &sample::expected(&sequence, format));
            prop_assert_eq!(entries[0].frames, sequence.frames.len() as u64);
            // Nothing but what the manifest lists, down to the byte.
            let files = std::fs::read_dir(folder.path()).unwrap();
            let sizes: u64 = files.map(|file| file.unwrap().metadata().unwrap().len()).sum();
            prop_assert_eq!(sizes, entries.iter().map(|entry| entry.bytes).sum::<u64>());
        }
    }
}

#[test]
fn frames_can_be_read_in_any_order_and_none_beyond_the_last() {
    let sequence = sample::fixed();
    for format in Format::ALL {
        let folder = tempfile::tempdir().unwrap();
        let path = sample::path(folder.path(), format);
        sample::write(&path, &sequence, &Options::default()).unwrap();
        let mut reader = toile_io::formats::open(&path).unwrap();
        let expected = sample::expected(&sequence, format);
        for k in [2, 0, 1, 2] {
            let frame = reader.read_frame(k).unwrap();
            assert_eq!(
                frame.positions, expected.frames[k as usize].positions,
                "{format:?}"
            );
        }
        let beyond = reader.read_stored(3).unwrap_err().to_string();
        assert!(beyond.contains("no frame 3, only 3"), "{beyond}");
    }
}

#[test]
fn a_writer_that_is_dropped_leaves_no_half_file() {
    let sequence = sample::fixed();
    for format in Format::ALL {
        let folder = tempfile::tempdir().unwrap();
        let path = sample::path(folder.path(), format);
        let mut writer =
            toile_io::formats::create(&path, &sequence.header, &Options::default()).unwrap();
        writer.frame(&sequence.frames[0]).unwrap();
        let mut bad = sequence.frames[1].clone();
        bad.positions[4].y = f32::NAN;
        let refused = writer.frame(&bad).unwrap_err().to_string();
        assert!(refused.contains("vertex 4 in frame 1"), "{refused}");
        drop(writer);
        let left = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, if format.is_numbered() { 1 } else { 0 }, "{format:?}");
    }
}
