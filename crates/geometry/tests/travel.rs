//! Motions that begin again where they ended, against closed forms.

use glam::{DAffine3, DQuat, DVec2, DVec3};
use proptest::prelude::*;
use std::f64::consts::FRAC_PI_2;
use toile_geometry::character::{
    Channel, Character, Clip, Curve, Joint, Path, Playback, Pose, Rig, Transform, Travel,
};
use toile_geometry::timing::{Repeat, Timing};

/// Keys of a motion, and its length.
const KEYS: u32 = 8;
const LENGTH_S: f64 = 2.0;

/// A root that only turns axes and makes metres of centimetres, hips that are carried, and a foot
/// that is shifted by next to nothing. `way` says where the hips are after a share of the motion, in the
/// axes of the root, and how they are turned.
fn walker(way: impl Fn(f64) -> (DVec3, DQuat)) -> Character {
    let joint = |name: &str, parent, rest| Joint {
        name: name.into(),
        parent,
        rest,
    };
    // The root's z points up.
    let root = Transform {
        scale: DVec3::splat(0.01),
        ..Transform::from_rotation_translation(DQuat::from_rotation_x(-FRAC_PI_2), DVec3::ZERO)
    };
    let rig = Rig::new(vec![
        joint("axes", None, root),
        joint("hips", Some(0), Transform::IDENTITY),
        joint(
            "foot",
            Some(1),
            Transform::from_translation(-90.0 * DVec3::Z),
        ),
    ]);
    let shares: Vec<f64> = (0..=KEYS).map(|k| f64::from(k) / f64::from(KEYS)).collect();
    let times_s: Vec<f64> = shares.iter().map(|s| 0.5 + LENGTH_S * s).collect();
    let (places, turns): (Vec<DVec3>, Vec<DQuat>) = shares.iter().map(|s| way(*s)).unzip();
    // Programs write constant curves too, with rounding.
    let still: Vec<DVec3> = (0..=KEYS)
        .map(|k| 1e-9 * f64::from(k % 2) * DVec3::X)
        .collect();
    let curve = |values| Curve::new(times_s.clone(), values, Path::Linear).unwrap();
    let turns = Curve::new(times_s.clone(), turns, Path::Linear).unwrap();
    Character {
        rig: rig.unwrap(),
        clips: vec![Clip {
            name: "walk".into(),
            channels: vec![
                Channel::Translation(0, curve(still)),
                Channel::Translation(1, curve(places)),
                Channel::Rotation(1, turns),
            ],
        }],
        ..Character::default()
    }
}

/// The hips and the foot at a time.
fn at(character: &Character, timing: Timing, time_s: f64) -> [DVec3; 2] {
    let mut pose = Pose::default();
    let playback = Playback::of(0).timed(timing);
    playback.pose(character, time_s, &mut pose);
    let all = character.rig.positions(&pose);
    [all[1], all[2]]
}

fn travelling() -> Timing {
    Timing {
        repeat: Repeat::Travel,
        ..Timing::default()
    }
}

#[test]
fn who_walks_straight_goes_on() {
    // 1.5 m along the root's −y, which is the world's z, and 10 cm up, which it does not keep.
    let character = walker(|s| (DVec3::new(3.0, -150.0 * s, 10.0 * s), DQuat::IDENTITY));
    for k in 0..=100 {
        let time_s = 0.13 * f64::from(k);
        let [hips, foot] = at(&character, travelling(), time_s);
        let up_m = 0.1 * (time_s / LENGTH_S).fract();
        let expected = DVec3::new(0.03, up_m, 0.75 * time_s);
        assert!(hips.distance(expected) < 1e-7, "{time_s}: {hips}");
        assert!(foot.distance(expected - 0.9 * DVec3::Y) < 1e-7);
    }
    // Without travelling it is back where it began.
    let again = Timing {
        repeat: Repeat::Again,
        ..Timing::default()
    };
    let [hips, _] = at(&character, again, 1.25 * LENGTH_S);
    assert!(hips.distance(DVec3::new(0.03, 0.025, 0.375)) < 1e-7);
}

#[test]
fn times_are_as_without_travelling() {
    let character = walker(|s| (DVec3::new(0.0, -150.0 * s, 0.0), DQuat::IDENTITY));
    // What is cut off at the beginning is not travelled, however much it is.
    let late = Timing {
        start_s: 5.0,
        speed: 2.0,
        hold_s: 1.0,
        ..travelling()
    };
    for (time_s, z_m) in [(0.0, 0.75), (1.0, 0.75), (1.5, 1.5), (3.0, 3.75)] {
        let [hips, _] = at(&character, late, time_s);
        assert!((hips.z - z_m).abs() < 1e-7, "{time_s}: {hips}");
    }
    // Backwards, to where it was never before.
    let back = Timing {
        speed: -1.0,
        ..travelling()
    };
    for time_s in [0.0, 0.7, 2.0, 3.1, 9.0] {
        let [hips, _] = at(&character, back, time_s);
        assert!((hips.z + 0.75 * time_s).abs() < 1e-7, "{time_s}: {hips}");
    }
}

#[test]
fn who_walks_in_a_curve_goes_round() {
    // Round a circle of 3 m: by 50° in a round, to the left of the way, looking along it.
    let (radius_m, round_rad) = (3.0, 50_f64.to_radians());
    let mut character = walker(|s| {
        let (sin, cos) = (s * round_rad).sin_cos();
        let place = 100.0 * radius_m * DVec3::new(cos, sin, 0.3);
        (place, DQuat::from_rotation_z(s * round_rad + 0.2))
    });
    // Where the scene puts it must not matter.
    let placing = DAffine3::from_scale_rotation_translation(
        DVec3::splat(1.5),
        DQuat::from_rotation_y(0.7),
        DVec3::new(4.0, 0.5, -2.0),
    );
    character.rig.frame = placing;
    for k in 0..=10 * KEYS {
        let turned_rad = round_rad * f64::from(k) / f64::from(KEYS);
        let time_s = LENGTH_S * f64::from(k) / f64::from(KEYS);
        let [hips, foot] = at(&character, travelling(), time_s);
        // About z in the root is about y in the world.
        let turn = DQuat::from_rotation_y(turned_rad);
        let expected = turn * (radius_m * DVec3::new(1.0, 0.3, 0.0));
        let off = hips.distance(placing.transform_point3(expected));
        assert!(off < 1e-6, "{time_s}: {off}");
        let below = placing.transform_point3(expected - 0.9 * DVec3::Y);
        assert!(foot.distance(below) < 1e-6);
    }
}

#[test]
fn what_is_not_shifted_does_not_travel() {
    let character = walker(|s| (DVec3::ZERO, DQuat::from_rotation_z(s)));
    // But for the root's rounding, which goes nowhere.
    let travel = Travel::of(&character, &character.clips[0]).unwrap();
    assert_eq!((travel.turn_rad, travel.shift_m), (0.0, DVec2::ZERO));
    let turning = Clip {
        name: "turn".into(),
        channels: character.clips[0].channels[2..].to_vec(),
    };
    assert_eq!(Travel::of(&character, &turning), None);
}

proptest! {
    #[test]
    fn rounds_add_up(
        turn_rad in prop_oneof![Just(0.0), -3.1_f64..3.1, -1e-8..1e-8],
        shift in prop::array::uniform2(-5.0_f64..5.0),
        count in prop::array::uniform2(-40_i32..40),
    ) {
        let travel = Travel { turn_rad, shift_m: DVec2::from(shift) };
        let [a, b] = count.map(f64::from);
        let one_by_one = travel.rounds(a) * travel.rounds(b);
        let at_once = travel.rounds(a + b);
        for p in [DVec3::ZERO, DVec3::X, DVec3::new(0.0, 1.0, 2.0)] {
            let off = one_by_one.transform_point3(p).distance(at_once.transform_point3(p));
            prop_assert!(off < 1e-9, "{off}");
        }
    }
}
