//! Rigs, skins, curves and playback against closed forms.

use glam::{DAffine3, DQuat, DVec3};
use proptest::prelude::*;
use std::f64::consts::{FRAC_PI_2, TAU};
use toile_geometry::TriMesh;
use toile_geometry::character::{
    Bone, Channel, Character, CharacterError, Clip, Curve, Influence, Joint, Morph, Path, Playback,
    Pose, Rig, Scratch, Skin, Transform,
};
use toile_geometry::timing::{Repeat, Timing};

fn joint(name: &str, parent: Option<usize>, at: DVec3) -> Joint {
    Joint {
        name: name.into(),
        parent,
        rest: Transform::from_translation(at),
    }
}

/// An arm along x: the shoulder at the origin, the elbow at 1, the hand at 2; a vertex on each, one
/// half-way down each limb, and one at the elbow that follows both limbs alike.
fn arm() -> Character {
    let joints = vec![
        joint("shoulder", None, DVec3::ZERO),
        joint("elbow", Some(0), DVec3::X),
    ];
    let rig = Rig::new(joints).unwrap();
    let inverse = |globals: &[DAffine3]| -> Vec<Bone> {
        let bone = |(joint, global): (usize, &DAffine3)| Bone {
            joint,
            inverse_bind: global.inverse(),
        };
        globals.iter().enumerate().map(bone).collect()
    };
    let bones = inverse(&rig.rest_globals());
    let one = |bone| vec![Influence { bone, weight: 1.0 }];
    let both = vec![
        Influence {
            bone: 0,
            weight: 3.0,
        },
        Influence {
            bone: 1,
            weight: 3.0,
        },
    ];
    let skin = Skin::new(bones, [one(0), one(0), one(1), one(1), both], None).unwrap();
    let x = |x: f64| x * DVec3::X;
    Character {
        mesh: TriMesh {
            positions: vec![x(0.0), x(0.5), x(1.5), x(2.0), x(1.0) + 0.2 * DVec3::Y],
            faces: vec![[0, 1, 4], [2, 3, 4]],
        },
        parts: vec!["upper".into(), "lower".into()],
        part_of: vec![0, 1],
        rig,
        skin,
        morphs: Vec::new(),
        clips: Vec::new(),
    }
}

fn turned(shoulder: f64, elbow: f64) -> Pose {
    let mut pose = arm().rest();
    pose.locals[0].rotation = DQuat::from_rotation_z(shoulder);
    pose.locals[1].rotation = DQuat::from_rotation_z(elbow);
    pose
}

fn posed(character: &Character, pose: &Pose) -> Vec<DVec3> {
    let mut positions = Vec::new();
    character.posed(pose, &mut Scratch::default(), &mut positions);
    positions
}

fn linear<T: toile_geometry::character::Keyed>(keys: &[(f64, T)]) -> Curve<T> {
    let (times, values) = keys.iter().copied().unzip();
    Curve::new(times, values, Path::Linear).unwrap()
}

/// The arm with a clip that bends the elbow from 0 at 1 s to a right angle at 3 s.
fn bending() -> Character {
    let angle = |a| DQuat::from_rotation_z(a);
    let curve = linear(&[(1.0, angle(0.0)), (3.0, angle(FRAC_PI_2))]);
    Character {
        clips: vec![Clip {
            name: "bend".into(),
            channels: vec![Channel::Rotation(1, curve)],
        }],
        ..arm()
    }
}

/// The hand's place at a time of the scene.
fn hand(character: &Character, playback: &Playback, time_s: f64) -> DVec3 {
    let mut out = Vec::new();
    character.place_at(playback, time_s, &mut Scratch::default(), &mut out);
    out[3]
}

#[test]
fn at_rest_everything_is_where_it_was_bound() {
    let arm = arm();
    arm.validate().unwrap();
    let there = posed(&arm, &arm.rest());
    for (p, q) in there.iter().zip(&arm.mesh.positions) {
        assert!(p.distance(*q) < 1e-15);
    }
}

proptest! {
    #[test]
    fn an_arm_of_two_joints_goes_where_trigonometry_says(a in -3.0..3.0, b in -3.0..3.0) {
        let there = posed(&arm(), &turned(a, b));
        let at = |angle: f64| DVec3::new(angle.cos(), angle.sin(), 0.0);
        let elbow = at(a);
        prop_assert!(there[1].distance(0.5 * elbow) < 1e-14);
        prop_assert!(there[2].distance(elbow + 0.5 * at(a + b)) < 1e-14);
        prop_assert!(there[3].distance(elbow + at(a + b)) < 1e-14);
        // The mean of a place carried by either limb, not of the limbs' angles.
        let of_upper = elbow + 0.2 * at(a + FRAC_PI_2);
        let of_lower = elbow + 0.2 * at(a + b + FRAC_PI_2);
        prop_assert!(there[4].distance(0.5 * (of_upper + of_lower)) < 1e-14);
    }

    #[test]
    fn a_rigid_motion_of_the_root_moves_all_alike(
        turn in (-1.0..1.0, -1.0..1.0, -1.0..1.0, 0.1..1.0),
        shift in (-5.0..5.0, -5.0..5.0, -5.0..5.0),
        angles in (-3.0..3.0, -3.0..3.0),
    ) {
        let rotation = DQuat::from_xyzw(turn.0, turn.1, turn.2, turn.3).normalize();
        let frame = DAffine3::from_rotation_translation(rotation, DVec3::from(shift));
        let mut moved = arm();
        moved.rig.frame = frame;
        let pose = turned(angles.0, angles.1);
        for (p, q) in posed(&arm(), &pose).iter().zip(posed(&moved, &pose)) {
            prop_assert!(frame.transform_point3(*p).distance(q) < 1e-13);
        }
    }

    #[test]
    fn a_cubic_spline_repeats_every_cubic(
        c in prop::array::uniform4(-2.0..2.0f64), length_s in 0.1..4.0f64, at in 0.0..1.0f64,
    ) {
        // Hermite data of a cubic give back that cubic.
        let value = |t: f64| c[0] + t * (c[1] + t * (c[2] + t * c[3]));
        let slope = |t: f64| c[1] + t * (2.0 * c[2] + t * 3.0 * c[3]);
        let times = vec![0.5, 0.5 + length_s];
        let values = times.iter().map(|t| value(*t)).collect();
        // The slopes before the first key and after the last are never looked at.
        let slopes = vec![[f64::MAX, slope(times[0])], [slope(times[1]), f64::MAX]];
        let curve = Curve::new(times, values, Path::Cubic(slopes)).unwrap();
        let t = 0.5 + at * length_s;
        let scale = 1.0 + (0.5 + length_s).powi(3);
        prop_assert!((curve.at(t) - value(t)).abs() < 1e-13 * scale * 8.0);
        prop_assert_eq!(curve.at(0.0), value(0.5));
        prop_assert_eq!(curve.at(99.0), value(0.5 + length_s));
    }

    #[test]
    fn rotations_turn_evenly_and_the_short_way(angle in -3.1..3.1f64, share in 0.0..1.0f64, flip: bool) {
        let axis = DVec3::new(2.0, -1.0, 2.0) / 3.0;
        let to = DQuat::from_axis_angle(axis, angle);
        // A quaternion and its negative are the same rotation.
        let to = if flip { -to } else { to };
        let curve = linear(&[(0.0, DQuat::IDENTITY), (2.0, to)]);
        let there = curve.at(2.0 * share) * DVec3::X;
        let expected = DQuat::from_axis_angle(axis, share * angle) * DVec3::X;
        prop_assert!(there.distance(expected) < 1e-7);
    }

    #[test]
    fn weights_need_not_sum_to_one(w in prop::array::uniform3(0.0..9.0f64)) {
        prop_assume!(w.iter().sum::<f64>() > 0.0);
        let bone = Bone { joint: 0, inverse_bind: DAffine3::IDENTITY };
        let influences = w.map(|weight| Influence { bone: 0, weight });
        let [first, second, third] = influences;
        let other = |i: Influence, bone| Influence { bone, ..i };
        let vertex = [first, other(second, 1), other(third, 0)];
        let skin = Skin::new(vec![bone; 2], [vertex], None).unwrap();
        let of = |bone| skin.influences(0).iter().find(|i| i.bone == bone).map_or(0.0, |i| i.weight);
        let sum: f64 = w.iter().sum();
        prop_assert!((of(0) - (w[0] + w[2]) / sum).abs() < 1e-14);
        prop_assert!((of(1) - w[1] / sum).abs() < 1e-14);
    }
}

#[test]
fn a_quaternion_spline_is_blended_then_normalised() {
    let (p, q) = (DQuat::from_rotation_x(0.3), DQuat::from_rotation_y(1.1));
    let slopes = vec![[DQuat::IDENTITY, q], [p, DQuat::IDENTITY]];
    let curve = Curve::new(vec![0.0, 2.0], vec![p, q], Path::Cubic(slopes)).unwrap();
    // At half of a segment of 2 s: halves of the values, and ±(1/8) · 2 s of the slopes.
    let expected = (p * 0.5 + q * 0.5 + (q - p) * 0.25).normalize();
    let found = curve.at(1.0);
    assert!((found - expected).length() < 1e-15);
    assert!((found.length() - 1.0).abs() < 1e-15);
}

#[test]
fn steps_jump_at_their_keys() {
    let curve = Curve::new(vec![0.0, 1.0, 2.0], vec![5.0, 7.0, 9.0], Path::Step).unwrap();
    let found = [-1.0, 0.0, 0.999, 1.0, 1.5, 2.0, 3.0].map(|t| curve.at(t));
    assert_eq!(found, [5.0, 5.0, 5.0, 7.0, 7.0, 9.0, 9.0]);
    // Two keys at one time are a jump in a straight line as well.
    let jump = linear(&[(0.0, 0.0), (1.0, 1.0), (1.0, 4.0), (2.0, 5.0)]);
    assert_eq!([0.5, 1.0, 1.5].map(|t| jump.at(t)), [0.5, 4.0, 4.5]);
}

#[test]
fn a_scene_begins_at_rest_and_settles_into_the_motion() {
    let mut character = bending();
    // At rest the elbow is bent the other way.
    let mut joints = character.rig.joints().to_vec();
    joints[1].rest.rotation = DQuat::from_rotation_z(-1.0);
    character.rig = Rig::new(joints).unwrap();
    let playback = Playback::of(0).timed(Timing {
        settle_s: 0.5,
        hold_s: 0.25,
        ..Timing::default()
    });
    let angle = |time_s: f64| {
        let along = hand(&character, &playback, time_s) - DVec3::X;
        along.y.atan2(along.x)
    };
    assert!((angle(0.0) + 1.0).abs() < 1e-14);
    assert!((angle(0.25) + 0.5).abs() < 1e-14, "half of the way");
    for held in [0.5, 0.6, 0.75] {
        assert!(angle(held).abs() < 1e-14, "{held}");
    }
    assert!((angle(1.75) - FRAC_PI_2 / 2.0).abs() < 1e-14);
    assert!((angle(99.0) - FRAC_PI_2).abs() < 1e-14);
    // It begins and ends gently: over a hundredth of the time, less than a thousandth of the way.
    assert!(angle(0.005) + 1.0 < 1e-3 && angle(0.495) > -1e-3);
}

#[test]
fn time_is_cut_stretched_and_turned() {
    let character = bending();
    let at = |timing: Timing, time_s| {
        let playback = Playback::of(0).timed(timing);
        playback.clip_time_s(&character.clips[0], time_s)
    };
    let plain = Timing::default();
    assert_eq!(
        [0.0, 1.5, 2.0, 7.0].map(|t| at(plain, t)),
        [1.0, 2.5, 3.0, 3.0]
    );
    let late = Timing {
        start_s: 0.5,
        speed: 2.0,
        ..plain
    };
    assert_eq!([0.0, 0.5, 1.0].map(|t| at(late, t)), [1.5, 2.5, 3.0]);
    let back = Timing {
        start_s: 2.0,
        speed: -1.0,
        ..plain
    };
    assert_eq!([0.0, 1.5, 9.0].map(|t| at(back, t)), [3.0, 1.5, 1.0]);
    let round = Timing {
        repeat: Repeat::Again,
        ..late
    };
    assert_eq!(
        [0.0, 0.5, 1.0, 1.75].map(|t| at(round, t)),
        [1.5, 2.5, 1.5, 1.0]
    );
}

#[test]
fn a_closed_motion_repeats_without_a_jump() {
    let keys: Vec<(f64, DQuat)> = (0..=8)
        .map(|k| {
            (
                f64::from(k) / 8.0,
                DQuat::from_rotation_z(TAU * f64::from(k) / 8.0),
            )
        })
        .collect();
    let spin = Clip {
        name: "spin".into(),
        channels: vec![Channel::Rotation(0, linear(&keys))],
    };
    let character = Character {
        clips: vec![spin],
        ..arm()
    };
    let playback = Playback::of(0).timed(Timing {
        repeat: Repeat::Again,
        ..Timing::default()
    });
    for k in 0..500 {
        let time_s = 0.01 * f64::from(k);
        let angle = TAU * time_s;
        let expected = 2.0 * DVec3::new(angle.cos(), angle.sin(), 0.0);
        assert!(
            hand(&character, &playback, time_s).distance(expected) < 1e-6,
            "{time_s}"
        );
    }
}

#[test]
fn morphs_move_vertices_before_they_are_posed() {
    let mut character = bending();
    character.morphs = vec![
        Morph {
            name: "long".into(),
            weight: 0.0,
            deltas: vec![(3, DVec3::X)],
        },
        Morph {
            name: "thick".into(),
            weight: 0.5,
            deltas: vec![(3, 0.2 * DVec3::Z)],
        },
    ];
    let curve = linear(&[(1.0, 0.0), (3.0, 1.0)]);
    character.clips[0].channels.push(Channel::Weight(0, curve));
    character.validate().unwrap();
    // The clip begins at 1 s, so this is half of its way.
    let there = hand(&character, &Playback::of(0), 1.0);
    let along = DVec3::new(1.0, 1.0, 0.0).normalize();
    let expected = DVec3::X + 1.5 * along + 0.1 * DVec3::Z;
    assert!(there.distance(expected) < 1e-14);
    let at_end = hand(&character, &Playback::of(0), 9.0);
    assert!(at_end.distance(DVec3::new(1.0, 2.0, 0.1)) < 1e-14);
}

#[test]
fn joints_may_come_in_any_order() {
    let joints = vec![
        joint("hand", Some(2), DVec3::X),
        joint("shoulder", None, DVec3::Y),
        joint("elbow", Some(1), DVec3::X),
    ];
    let rig = Rig::new(joints).unwrap();
    assert_eq!(rig.order(), [1, 2, 0]);
    let at = rig.positions(&rig.rest());
    assert_eq!(at[0], DVec3::new(2.0, 1.0, 0.0));
    assert_eq!(rig.joint("elbow"), Some(2));
    assert_eq!(rig.joint("knee"), None);
}

#[test]
fn what_is_no_character_is_refused() {
    let ring = vec![
        joint("root", None, DVec3::ZERO),
        joint("a", Some(2), DVec3::X),
        joint("b", Some(1), DVec3::X),
    ];
    assert_eq!(Rig::new(ring), Err(CharacterError::Cycle { joint: 1 }));
    let lost = Rig::new(vec![joint("a", Some(7), DVec3::X)]);
    assert!(matches!(
        lost,
        Err(CharacterError::NoJoint { joint: 7, .. })
    ));
    let far = Rig::new(vec![joint("a", None, DVec3::INFINITY)]);
    assert_eq!(far, Err(CharacterError::Transform { joint: 0 }));

    let bone = Bone {
        joint: 0,
        inverse_bind: DAffine3::IDENTITY,
    };
    let skin = |bone_index, weight, unbound| {
        let influence = Influence {
            bone: bone_index,
            weight,
        };
        Skin::new(vec![bone], [[influence]], unbound)
    };
    assert_eq!(
        skin(0, 0.0, None),
        Err(CharacterError::Unbound { vertex: 0 })
    );
    assert_eq!(skin(0, 0.0, Some(0)), skin(0, 1.0, None));
    assert!(matches!(
        skin(0, 0.0, Some(3)),
        Err(CharacterError::NoBone { .. })
    ));
    assert!(matches!(
        skin(1, 1.0, None),
        Err(CharacterError::NoBone { .. })
    ));
    for weight in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            skin(0, weight, None),
            Err(CharacterError::Weight { .. })
        ));
    }

    let curve =
        |times: &[f64], values: &[f64]| Curve::new(times.into(), values.into(), Path::Linear);
    assert!(matches!(curve(&[], &[]), Err(CharacterError::Keys { .. })));
    assert!(matches!(
        curve(&[0.0], &[1.0, 2.0]),
        Err(CharacterError::Keys { .. })
    ));
    assert_eq!(curve(&[1.0, 0.0], &[1.0, 2.0]), Err(CharacterError::Times));
    assert_eq!(
        curve(&[0.0, f64::NAN], &[1.0, 2.0]),
        Err(CharacterError::Times)
    );
    assert_eq!(
        curve(&[0.0], &[f64::NAN]),
        Err(CharacterError::Value { key: 0 })
    );

    let spoilt: [fn(&mut Character); 6] = [
        |c| c.mesh.faces[0][0] = 9,
        |c| c.mesh.positions.push(DVec3::ZERO),
        |c| c.part_of[0] = 2,
        |c| c.part_of.truncate(1),
        |c| c.clips[0].channels[0] = Channel::Weight(0, linear(&[(0.0, 0.0)])),
        |c| {
            c.morphs.push(Morph {
                deltas: vec![(5, DVec3::X)],
                ..Morph::default()
            });
        },
    ];
    for (k, spoil) in spoilt.iter().enumerate() {
        let mut character = bending();
        spoil(&mut character);
        assert!(character.validate().is_err(), "{k}");
    }
}

#[test]
fn the_strongest_bone_is_found() {
    let bone = Bone {
        joint: 0,
        inverse_bind: DAffine3::IDENTITY,
    };
    let influences =
        [(0, 0.2), (2, 0.5), (1, 0.3)].map(|(bone, weight)| Influence { bone, weight });
    let skin = Skin::new(vec![bone; 3], [influences], None).unwrap();
    assert_eq!(skin.strongest(0), 2);
}
