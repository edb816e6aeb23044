//! Motions of one skeleton on another, and characters cut and welded.

use glam::{DAffine3, DQuat, DVec3};
use std::f64::consts::FRAC_PI_2;
use toile_geometry::TriMesh;
use toile_geometry::character::{
    Bone, Channel, Character, CharacterError, Clip, Curve, Influence, Joint, Morph, Path, Pose,
    Retarget, Rig, Skin, Transform, human,
};

fn joint(name: &str, parent: Option<usize>, at: [f64; 3]) -> Joint {
    Joint {
        name: name.into(),
        parent,
        rest: Transform::from_translation(at.into()),
    }
}

/// Hips with two legs of two bones of a length each, and a spine; the legs are spread by an angle, and
/// all of it is turned about y.
fn figure(length: f64, spread: f64, turn: f64, names: [&str; 6]) -> Rig {
    let down = |side: f64| {
        let leg = DQuat::from_rotation_z(side * spread) * DVec3::NEG_Y * length;
        leg.to_array()
    };
    let hip = |side: f64| [side * 0.2 * length, -0.1 * length, 0.0];
    let mut joints = vec![
        joint(names[0], None, [0.0, 2.1 * length, 0.0]),
        joint(names[1], Some(0), [0.0, 0.5 * length, 0.0]),
        joint(names[2], Some(0), hip(1.0)),
        joint(names[3], Some(2), down(1.0)),
        joint(names[4], Some(0), hip(-1.0)),
        joint(names[5], Some(4), down(-1.0)),
    ];
    for knee in [3, 5] {
        let side = if knee == 3 { 1.0 } else { -1.0 };
        joints.push(joint("foot", Some(knee), down(side)));
    }
    joints[0].rest.rotation = DQuat::from_rotation_y(turn);
    Rig::new(joints).unwrap()
}

const NAMES: [&str; 6] = [
    "Hips",
    "Spine",
    "LeftUpLeg",
    "LeftLeg",
    "RightUpLeg",
    "RightLeg",
];

/// A clip of one rotation a joint, at two times.
fn still(pose: &Pose) -> Clip {
    let channels = pose.locals.iter().enumerate().flat_map(|(joint, local)| {
        let times = vec![0.0, 1.0];
        let turn = Curve::new(times.clone(), vec![local.rotation; 2], Path::Linear).unwrap();
        let place = Curve::new(times, vec![local.translation; 2], Path::Linear).unwrap();
        [
            Channel::Rotation(joint, turn),
            Channel::Translation(joint, place),
        ]
    });
    Clip {
        name: "still".into(),
        channels: channels.collect(),
    }
}

/// All joints but the feet, the same in both.
fn all_pairs() -> Vec<(usize, usize)> {
    (0..8).map(|joint| (joint, joint)).collect()
}

/// Where the joints of `target` are when it follows a pose of `source`.
fn followed(source: &Rig, target: &Rig, pose: &Pose) -> Vec<DVec3> {
    let retarget = Retarget::new(source, target, &all_pairs()).unwrap();
    let clip = retarget.clip(&still(pose)).unwrap();
    let mut own = target.rest();
    clip.apply(0.0, &mut own);
    target.positions(&own)
}

/// A walker: one leg forward, one back, bent, leaning and turned.
fn walking(rig: &Rig) -> Pose {
    let mut pose = rig.rest();
    let turns = [
        DQuat::from_rotation_y(0.4),
        DQuat::from_rotation_x(0.2),
        DQuat::from_rotation_x(-0.6),
        DQuat::from_rotation_x(0.5),
        DQuat::from_rotation_x(0.3),
        DQuat::from_rotation_x(0.8),
    ];
    for (local, turn) in pose.locals.iter_mut().zip(turns) {
        local.rotation = turn * local.rotation;
    }
    pose
}

#[test]
fn a_skeleton_follows_itself_exactly() {
    let rig = figure(0.4, 0.0, 0.0, NAMES);
    let pose = walking(&rig);
    let expected = rig.positions(&pose);
    let found = followed(&rig, &rig, &pose);
    // It stands on the ground, wherever the other one is.
    let lift = found[0].y - expected[0].y;
    for (p, q) in expected.iter().zip(&found) {
        assert!((*p + lift * DVec3::Y).distance(*q) < 1e-12, "{p} {q}");
    }
    let lowest = found.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    let at_rest = rig.positions(&rig.rest());
    let ground = at_rest.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    assert!((lowest - ground).abs() < 1e-12);
}

#[test]
fn limbs_point_where_those_followed_point_whatever_the_rest_poses() {
    let source = figure(1.0, 0.35, 0.0, NAMES);
    let pose = walking(&source);
    let expected = source.positions(&pose);
    // Another size, straight legs, and looking the other way at rest.
    for (length, spread, turn) in [(0.4, 0.0, 0.0), (0.4, 0.0, 2.0), (2.5, -0.1, -1.2)] {
        let target = figure(length, spread, turn, NAMES);
        let found = followed(&source, &target, &pose);
        for (from, to) in [(2, 3), (3, 6), (4, 5), (5, 7), (0, 1)] {
            let along = |p: &[DVec3]| (p[to] - p[from]).normalize();
            assert!(
                along(&expected).distance(along(&found)) < 1e-9,
                "{turn} {from}"
            );
        }
        for (joint, at) in target.joints().iter().zip(&found) {
            if let Some(parent) = joint.parent {
                let length = at.distance(found[parent]);
                assert!((length - joint.rest.translation.length()).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn limbs_of_several_bones_stay_straight() {
    // A thigh of two bones, both of which follow the one of the source.
    let source = figure(1.0, 0.35, 0.0, NAMES);
    let mut joints = figure(1.0, 0.0, 0.0, NAMES).joints().to_vec();
    let half = 0.5 * joints[3].rest.translation;
    joints.push(joint("LeftUpLeg2", Some(2), half.to_array()));
    joints[3].parent = Some(8);
    joints[3].rest.translation = half;
    let target = Rig::new(joints).unwrap();
    let mut pairs = all_pairs();
    pairs.push((8, 2));
    let pose = walking(&source);
    let retarget = Retarget::new(&source, &target, &pairs).unwrap();
    let mut own = target.rest();
    retarget.clip(&still(&pose)).unwrap().apply(0.0, &mut own);
    let (expected, found) = (source.positions(&pose), target.positions(&own));
    let thigh = (expected[3] - expected[2]).normalize();
    for (from, to) in [(2, 8), (8, 3)] {
        let along = (found[to] - found[from]).normalize();
        assert!(along.distance(thigh) < 1e-9, "{from}: {along} {thigh}");
    }
}

#[test]
fn trunks_and_feet_are_no_limbs() {
    // Two skeletons at rest: the same bodies, with joints at different places in spine and feet, and
    // legs spread in one of them.
    let standing = |spread: f64, spine: [f64; 3], toes: [f64; 3]| {
        let mut joints = figure(1.0, spread, 0.0, NAMES).joints().to_vec();
        joints[1].rest.translation = spine.into();
        let roll = DQuat::from_rotation_z(spread);
        joints.push(joint(
            "toes",
            Some(6),
            (roll * DVec3::from(toes)).to_array(),
        ));
        Rig::new(joints).unwrap()
    };
    let source = standing(0.3, [0.0, 0.5, 0.2], [0.0, -0.05, 0.3]);
    let target = standing(0.0, [0.0, 0.5, -0.1], [0.0, -0.15, 0.3]);
    let pairs: Vec<(usize, usize)> = (0..9).map(|joint| (joint, joint)).collect();
    let retarget = Retarget::new(&source, &target, &pairs).unwrap();
    let mut pose = target.rest();
    retarget
        .clip(&still(&source.rest()))
        .unwrap()
        .apply(0.0, &mut pose);
    let [from, own] = [&source, &target].map(|rig| rig.positions(&rig.rest()));
    let found = target.positions(&pose);
    let along = |p: &[DVec3], from: usize, to: usize| (p[to] - p[from]).normalize();
    // The spine stays as it is, the legs spread, and the foot rolls with its leg but stays flat.
    assert!(along(&found, 0, 1).distance(along(&own, 0, 1)) < 1e-12);
    assert!(along(&found, 2, 3).distance(along(&from, 2, 3)) < 1e-12);
    let rolled = DQuat::from_rotation_z(0.3) * along(&own, 6, 8);
    assert!(along(&found, 6, 8).distance(rolled) < 1e-12);
}

#[test]
fn collars_keep_their_own_slope() {
    // The same shoulders: one skeleton's collars begin at the breastbone, the other's at the neck.
    let shoulders = |base: f64, drop: f64| {
        let mut joints = vec![
            joint("Hips", None, [0.0, 1.0, 0.0]),
            joint("Spine", Some(0), [0.0, 0.3, 0.0]),
        ];
        for (side, sign) in [("Left", 1.0), ("Right", -1.0)] {
            let first = joints.len();
            let name = |part: &str| format!("{side}{part}");
            joints.extend([
                joint(&name("Collar"), Some(1), [0.02 * sign, base, 0.0]),
                joint(&name("Arm"), Some(first), [0.16 * sign, 0.2 - base, 0.0]),
                joint(&name("ForeArm"), Some(first + 1), [0.3 * sign, -drop, 0.0]),
            ]);
        }
        Rig::new(joints).unwrap()
    };
    let [source, target] = [shoulders(0.1, 0.0), shoulders(0.25, 0.2)];
    assert_eq!(human::collars(&target), [2, 5]);
    // At rest, arms follow and shoulders stay; lifted by an angle, both do.
    for lift in [0.0, 0.3] {
        let mut pose = source.rest();
        pose.locals[2].rotation = DQuat::from_rotation_z(lift);
        let pairs = human::pairs(&source, &target);
        let retarget = Retarget::new(&source, &target, &pairs).unwrap();
        let retarget = retarget.keeping(&human::collars(&target));
        let mut own = target.rest();
        retarget.clip(&still(&pose)).unwrap().apply(0.0, &mut own);
        let found = target.positions(&own);
        let collar = DQuat::from_rotation_z(lift) * DVec3::new(0.16, -0.05, 0.0);
        assert!((found[3] - found[2]).distance(collar) < 1e-12, "{lift}");
        let arm = DVec3::new(lift.cos(), lift.sin(), 0.0);
        assert!((found[4] - found[3]).normalize().distance(arm) < 1e-12);
    }
}

#[test]
fn axes_units_and_ways_are_those_of_the_follower() {
    // The same figure in centimetres and with z up.
    let small = figure(0.4, 0.0, 0.0, NAMES);
    let mut joints = small.joints().to_vec();
    let upright = DQuat::from_rotation_x(FRAC_PI_2);
    joints[0].rest.translation = 100.0 * (upright * joints[0].rest.translation);
    joints[0].rest.rotation = upright;
    for joint in &mut joints[1..] {
        joint.rest.translation *= 100.0;
    }
    let mut large = Rig::new(joints).unwrap();
    large.frame = DAffine3::from_scale(DVec3::splat(0.01)) * DAffine3::from_quat(upright.inverse());
    let pairs = all_pairs();
    let retarget = Retarget::new(&small, &large, &pairs).unwrap();
    let mut walk = still(&small.rest());
    let there = small.joints()[0].rest.translation + DVec3::new(0.3, 0.1, -0.7);
    let path = vec![small.joints()[0].rest.translation, there];
    walk.channels[1] =
        Channel::Translation(0, Curve::new(vec![0.0, 1.0], path, Path::Linear).unwrap());
    let clip = retarget.clip(&walk).unwrap();
    for time_s in [0.0, 0.5, 1.0] {
        let [mut from, mut to] = [small.rest(), large.rest()];
        walk.apply(time_s, &mut from);
        clip.apply(time_s, &mut to);
        let pairs = small.positions(&from).into_iter().zip(large.positions(&to));
        for (p, q) in pairs {
            assert!(p.distance(q) < 1e-12, "{time_s}: {p} {q}");
        }
    }
}

#[test]
fn a_skeleton_twice_as_large_goes_twice_as_far() {
    let (small, large) = (figure(0.4, 0.0, 0.0, NAMES), figure(0.8, 0.0, 0.0, NAMES));
    let pairs = all_pairs();
    let mut walk = still(&small.rest());
    let start = small.joints()[0].rest.translation;
    let path = vec![start, start + DVec3::new(0.5, 0.25, 0.0)];
    walk.channels[1] =
        Channel::Translation(0, Curve::new(vec![0.0, 1.0], path, Path::Linear).unwrap());
    let clip = Retarget::new(&small, &large, &pairs)
        .unwrap()
        .clip(&walk)
        .unwrap();
    let mut pose = large.rest();
    clip.apply(1.0, &mut pose);
    let gone = large.positions(&pose)[0] - large.positions(&large.rest())[0];
    assert!(gone.distance(DVec3::new(1.0, 0.5, 0.0)) < 1e-12, "{gone}");
}

#[test]
fn pairs_that_do_not_exist_are_refused() {
    let rig = figure(1.0, 0.0, 0.0, NAMES);
    let none = Retarget::new(&rig, &rig, &[]).map(drop);
    assert_eq!(none, Err(CharacterError::NoPairs));
    let lost = Retarget::new(&rig, &rig, &[(0, 99)]).map(drop);
    assert!(matches!(
        lost,
        Err(CharacterError::NoJoint { joint: 99, .. })
    ));
}

/// A rig of these names, each joint on the one before.
fn named(names: &[&str]) -> Rig {
    let joints = names.iter().enumerate().map(|(k, name)| Joint {
        name: (*name).into(),
        parent: k.checked_sub(1),
        rest: Transform::IDENTITY,
    });
    Rig::new(joints.collect()).unwrap()
}

#[test]
fn names_of_several_programs_mean_the_same() {
    let ours = [
        "hips",
        "spine",
        "chest",
        "neck",
        "head",
        "left_clavicle",
        "left_upper_arm",
        "left_forearm",
        "left_hand",
        "right_upper_leg",
        "right_lower_leg",
        "right_foot",
        "right_toes",
    ];
    let others: [&[&str]; 4] = [
        // The Carnegie Mellon library.
        &[
            "Hips",
            "lowerback",
            "Chest",
            "Neck",
            "Head",
            "LeftCollar",
            "LeftShoulder",
            "LeftElbow",
            "LeftWrist",
            "RightHip",
            "RightKnee",
            "RightAnkle",
            "RightToe",
        ],
        &[
            "mixamorig:Hips",
            "mixamorig:Spine",
            "mixamorig:Spine1",
            "mixamorig:Neck",
            "mixamorig:Head",
            "mixamorig:LeftShoulder",
            "mixamorig:LeftArm",
            "mixamorig:LeftForeArm",
            "mixamorig:LeftHand",
            "mixamorig:RightUpLeg",
            "mixamorig:RightLeg",
            "mixamorig:RightFoot",
            "mixamorig:RightToeBase",
        ],
        &[
            "root",
            "spine05",
            "spine04",
            "neck01",
            "head",
            "clavicle.L",
            "upperarm01.L",
            "lowerarm01.L",
            "wrist.L",
            "upperleg01.R",
            "lowerleg01.R",
            "foot.R",
            "toe1-1.R",
        ],
        &[
            "pelvis", "abdomen", "chest", "neck", "head", "lCollar", "lShldr", "lForeArm", "lHand",
            "rThigh", "rShin", "rFoot", "rToe",
        ],
    ];
    for names in others {
        let found = human::pairs(&named(names), &named(&ours));
        let all: Vec<(usize, usize)> = (0..ours.len()).map(|k| (k, k)).collect();
        assert_eq!(found, all, "{names:?}");
    }
    // Helpers and ends mean nothing, nor does what is no part of a body.
    let whole = named(&["hips", "head", "left_upper_leg"]);
    let strange = named(&["__UpLeg_L", "LHipJoint", "Head end", "tail", "joint", ""]);
    assert_eq!(human::pairs(&strange, &whole), []);
    let thigh = named(&["LHipJoint", "LeftHip"]);
    assert_eq!(human::pairs(&thigh, &whole), [(2, 1)]);
}

#[test]
fn a_name_counts_for_what_it_means() {
    // Shoulders are upper arms in one library, collars in another; names without a meaning are the same
    // wherever they are.
    let source = named(&["LeftCollar", "LeftShoulder", "LeftElbow", "tail"]);
    let target = named(&["tail", "LeftShoulder", "LeftArm", "LeftForeArm"]);
    let found = human::pairs(&source, &target);
    assert_eq!(found, [(0, 3), (1, 0), (2, 1), (3, 2)]);
}

#[test]
fn spines_follow_in_proportion() {
    let few = named(&["hips", "spine", "chest", "neck"]);
    let many = named(&[
        "hips", "spine1", "spine2", "spine3", "spine4", "neck1", "neck2",
    ]);
    let down = human::pairs(&few, &many);
    assert_eq!(
        down,
        [(0, 0), (1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 3)]
    );
    let up = human::pairs(&many, &few);
    assert_eq!(up, [(0, 0), (1, 1), (2, 3), (3, 5)]);
}

/// A square of two triangles of two parts that share no vertex, and a point on its diagonal that only
/// looks alike.
fn split_square() -> Character {
    let bone = Bone {
        joint: 0,
        inverse_bind: DAffine3::IDENTITY,
    };
    let at = |x: f64, y: f64| DVec3::new(x, y, 0.0);
    let positions = vec![
        at(0.0, 0.0),
        at(1.0, 0.0),
        at(1.0, 1.0),
        at(-0.0, 0.0),
        at(1.0, 1.0),
        at(0.0, 1.0),
    ];
    let weights = |k: usize| {
        // The corners at (1, 1) follow the bones differently.
        let weight = if k == 4 { 0.75 } else { 0.5 };
        [
            Influence {
                bone: 1,
                weight: 1.0 - weight,
            },
            Influence { bone: 0, weight },
        ]
    };
    Character {
        skin: Skin::new(vec![bone; 2], (0..6).map(weights), None).unwrap(),
        mesh: TriMesh {
            positions,
            faces: vec![[0, 1, 2], [3, 4, 5]],
        },
        parts: vec!["skin".into(), "shoe".into()],
        part_of: vec![0, 1],
        rig: named(&["root"]),
        morphs: vec![Morph {
            name: "up".into(),
            weight: 0.0,
            deltas: vec![(0, DVec3::Z), (3, DVec3::Z), (5, DVec3::X)],
        }],
        clips: Vec::new(),
    }
}

#[test]
fn equal_vertices_are_welded_and_others_are_not() {
    let square = split_square();
    let welded = square.welded();
    welded.validate().unwrap();
    assert_eq!(welded.mesh.faces, [[0, 1, 2], [0, 3, 4]]);
    assert_eq!(welded.part_of, [0, 1]);
    assert_eq!(welded.morphs[0].deltas, [(0, DVec3::Z), (4, DVec3::X)]);
    assert_eq!(welded.skin.influences(3)[0].weight, 0.75);
    // A morph that moves them apart keeps them apart.
    let mut torn = square;
    torn.morphs[0].deltas[1].1 = DVec3::Y;
    assert_eq!(torn.welded().mesh.positions.len(), 6);
}

#[test]
fn a_part_is_cut_out_whole() {
    let shoe = split_square().cut(|triangle| triangle == 1);
    shoe.validate().unwrap();
    assert_eq!(
        (shoe.mesh.faces.as_slice(), shoe.part_of.as_slice()),
        (&[[0, 1, 2]][..], &[1][..])
    );
    assert_eq!(shoe.mesh.positions[2], DVec3::Y);
    assert_eq!(shoe.morphs[0].deltas, [(0, DVec3::Z), (2, DVec3::X)]);
    assert_eq!(shoe.skin.influences(1)[0].weight, 0.75);
}
