//! Axes, units, clock and pre-roll.

use crate::sample::{self, Sequence};
use glam::Vec3;
use toile_io::formats::{Assumptions, Error, Format, Options, Unwritable, UpAxis};

fn written(options: &Options) -> Sequence {
    let folder = tempfile::tempdir().unwrap();
    let path = sample::path(folder.path(), Format::Ply);
    sample::write(&path, &sample::fixed(), options).unwrap();
    sample::read(&path).unwrap()
}

#[test]
fn z_up_in_centimetres() {
    let found = written(&Options {
        up: Some(UpAxis::Z),
        metres_per_unit: Some(0.01),
        ..Options::default()
    });
    let before = sample::fixed();
    assert_eq!(found.header.up, Some(UpAxis::Z));
    assert_eq!(found.header.metres_per_unit, Some(0.01));
    let (p, q) = (before.frames[2].positions[5], found.frames[2].positions[5]);
    assert_eq!(q, Vec3::new(p.x, -p.z, p.y) * 100.0);
    assert_eq!(found.frames[2].velocities[5], Vec3::new(0.0, 0.0, 100.0));
    assert_eq!(found.frames[2].normals[5], Vec3::Z);
}

#[test]
fn a_file_that_does_not_say_can_be_told() {
    let found = written(&Options {
        up: Some(UpAxis::Y),
        metres_per_unit: Some(1.0),
        assume: Assumptions {
            up: Some(UpAxis::Z),
            metres_per_unit: Some(0.001),
            frame_rate_hz: None,
        },
        ..Options::default()
    });
    let p = sample::fixed().frames[2].positions[5];
    let q = found.frames[2].positions[5];
    assert!((q - Vec3::new(p.x, p.z, -p.y) * 0.001).length() < 1e-9);
}

#[test]
fn velocities_follow_the_frame_rate_and_can_be_left_out() {
    let fast = written(&Options {
        frame_rate_hz: Some(50.0),
        ..Options::default()
    });
    assert_eq!(fast.header.frame_rate_hz, Some(50.0));
    assert_eq!(fast.frames[1].velocities[0], Vec3::Y * 2.0);
    let without = written(&Options {
        velocities: false,
        ..Options::default()
    });
    assert!(!without.header.channels.velocities);
}

#[test]
fn pre_roll_moves_from_rest_to_the_first_pose() {
    let mut sequence = sample::fixed();
    sequence.frames.remove(0);
    let folder = tempfile::tempdir().unwrap();
    let path = sample::path(folder.path(), Format::Ply);
    let options = Options {
        preroll_frames: 5,
        first_frame: Some(100),
        ..Options::default()
    };
    let entries = sample::write(&path, &sequence, &options).unwrap();
    assert_eq!((entries[0].first_frame, entries[0].frames), (100, 7));
    let found = sample::read(&path).unwrap();
    assert_eq!(found.frames[0].positions, sequence.header.rest);
    // 0.25 m in 5 frames at 25 Hz.
    let frame = &found.frames[3];
    assert!((frame.positions[4] - sequence.header.rest[4] - 0.15 * Vec3::Y).length() < 1e-6);
    assert!((frame.velocities[4] - 1.25 * Vec3::Y).length() < 1e-6);
    assert_eq!(found.frames[5], sequence.frames[0]);
}

#[test]
fn nonsense_is_refused_before_anything_is_written() {
    let sequence = sample::fixed();
    let folder = tempfile::tempdir().unwrap();
    let path = sample::path(folder.path(), Format::Obj);
    let refused =
        |sequence: &Sequence, options: Options| match sample::write(&path, sequence, &options)
            .unwrap_err()
        {
            Error::Unwritable { reason, .. } => reason,
            other => panic!("{other}"),
        };
    let unit = Options {
        metres_per_unit: Some(0.0),
        ..Options::default()
    };
    assert!(matches!(
        refused(&sequence, unit),
        Unwritable::Option(_, 0.0)
    ));
    let first = Options {
        first_frame: Some(-3),
        ..Options::default()
    };
    assert_eq!(refused(&sequence, first), Unwritable::NegativeFrame(-3));
    let mut no_frames = sequence.clone();
    no_frames.frames.clear();
    assert_eq!(
        refused(&no_frames, Options::default()),
        Unwritable::NoFrames
    );
    let mut gap = sequence.clone();
    gap.header.parts[1].vertices.start = 7;
    assert!(matches!(
        refused(&gap, Options::default()),
        Unwritable::Header(_)
    ));
    let mut short = sequence;
    short.frames[0].velocities.pop();
    assert!(matches!(
        refused(&short, Options::default()),
        Unwritable::Length {
            list: "velocities",
            found: 8,
            vertices: 9,
            ..
        }
    ));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn an_enlarged_cloth_keeps_its_unit() {
    let found = written(&Options {
        enlargement: 3.0,
        ..Options::default()
    });
    let before = sample::fixed();
    assert_eq!(found.header.metres_per_unit, Some(1.0));
    for (p, q) in { before.frames[2].positions.iter() }.zip(&found.frames[2].positions) {
        assert_eq!(*q, *p * 3.0);
    }
    assert_eq!(found.frames[2].velocities[5], Vec3::Y * 3.0);
    assert_eq!(found.frames[2].normals[5], Vec3::Y);
}
