//! What is written reads back to the bit; what is damaged is refused.

use proptest::prelude::*;
use std::fs;
use toile_io::checkpoint::{self, Damage, Error, Snapshot};

const FINGERPRINT: u64 = 0x0123_4567_89ab_cdef;

fn snapshots() -> impl Strategy<Value = Snapshot> {
    let bits = any::<u64>().prop_map(f64::from_bits);
    let arrays = prop::collection::vec((".{0,8}", prop::collection::vec(bits, 0..20)), 0..4);
    let integers =
        prop::collection::vec((".{0,8}", prop::collection::vec(any::<i64>(), 0..20)), 0..4);
    (any::<u64>(), any::<u64>(), any::<f64>(), arrays, integers).prop_map(
        |(frame, step, time_s, arrays, integers)| Snapshot {
            frame,
            step,
            time_s,
            arrays,
            integers,
        },
    )
}

/// Everything of a snapshot, with numbers as bits so that NaN equals itself.
fn bits(s: &Snapshot) -> impl PartialEq + std::fmt::Debug + use<> {
    let arrays: Vec<(String, Vec<u64>)> = s
        .arrays
        .iter()
        .map(|(n, v)| (n.clone(), v.iter().map(|x| x.to_bits()).collect()))
        .collect();
    (
        s.frame,
        s.step,
        s.time_s.to_bits(),
        arrays,
        s.integers.clone(),
    )
}

fn damage(bytes: &[u8]) -> Option<Damage> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    fs::write(&path, bytes).unwrap();
    match checkpoint::read(&path, FINGERPRINT) {
        Ok(_) => None,
        Err(Error::Damaged { damage, .. }) => Some(damage),
        Err(other) => panic!("{other}"),
    }
}

fn written(snapshot: &Snapshot) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    checkpoint::write(&path, FINGERPRINT, snapshot).unwrap();
    let back = checkpoint::read(&path, FINGERPRINT).unwrap();
    assert_eq!(bits(&back), bits(snapshot));
    fs::read(&path).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn round_trips_are_exact_and_damage_is_refused(
        snapshot in snapshots(),
        place in any::<prop::sample::Index>(),
        flip in 1_u8..,
    ) {
        let bytes = written(&snapshot);
        let at = place.index(bytes.len());
        prop_assert!(damage(&bytes[..at]).is_some());
        let mut flipped = bytes.clone();
        flipped[at] ^= flip;
        prop_assert!(damage(&flipped).is_some());
        let mut longer = bytes;
        longer.push(flip);
        prop_assert!(damage(&longer).is_some());
    }
}

#[test]
fn every_kind_of_damage_is_named() {
    let bytes = written(&Snapshot {
        frame: 3,
        arrays: vec![("positions".to_owned(), vec![1.0, -0.0, f64::NAN])],
        ..Snapshot::default()
    });
    for length in 0..8 {
        assert_eq!(damage(&bytes[..length]), Some(Damage::NotACheckpoint));
    }
    for length in 8..bytes.len() {
        assert_eq!(damage(&bytes[..length]), Some(Damage::Truncated));
    }
    let with = |at: usize, value: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = value;
        damage(&bytes)
    };
    assert_eq!(with(0, b'X'), Some(Damage::NotACheckpoint));
    assert_eq!(with(8, 1), Some(Damage::Version(1)));
    assert_eq!(with(8, 3), Some(Damage::Version(3)));
    let told = Damage::Version(1).to_string();
    assert!(told.starts_with("written by an older Toile"), "{told}");
    assert_eq!(with(30, 77), Some(Damage::Checksum));
    // A count of 2⁶³ lists must not be believed, let alone allocated.
    assert_eq!(with(51, 0x80), Some(Damage::Truncated));
}

#[test]
fn a_checkpoint_of_another_scene_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    checkpoint::write(&path, 1, &Snapshot::default()).unwrap();
    let error = checkpoint::read(&path, 2).unwrap_err();
    assert!(error.to_string().contains("another scene"), "{error}");
    let absent = checkpoint::read(&folder.path().join("none"), 1).unwrap_err();
    assert!(matches!(absent, Error::Io { .. }));
}
