//! The skeleton: joints at the landmarks of a plan.
//!
//! At rest every joint has the world's axes, so that rotations mean the same for all of them: about
//! x to bend forward and back, about y to turn, about z to lean. Names are those that motion files
//! use, so that recorded motion finds them.
//!
//! Between an upper arm and a forearm, and wherever else a limb bends far, a helper turns by half of
//! the angle. Skin that blends from bone to helper to bone turns twice by half, which keeps the girth
//! of a bent elbow that a single blend would lose.

use super::sculpt::Plan;
use glam::{DQuat, DVec3};
use toile_geometry::character::{
    Channel, CharacterError, Clip, Curve, Joint, Pose, Rig, Transform,
};

/// The joints. Those of the left side come before their mirror images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
#[expect(missing_docs, reason = "joints of a human body, named as everywhere")]
pub enum Bone {
    Hips,
    Spine,
    Waist,
    Chest,
    /// Widens with the breath; carries nothing.
    Breath,
    Neck,
    Head,
    LeftCollar,
    LeftArm,
    LeftForearm,
    LeftHand,
    LeftThigh,
    LeftShin,
    LeftFoot,
    LeftToes,
    /// Half of the upper arm's turn.
    LeftShoulderHelper,
    /// Half of the forearm's.
    LeftElbowHelper,
    /// Half of the thigh's.
    LeftHipHelper,
    /// Half of the shin's.
    LeftKneeHelper,
    RightCollar,
    RightArm,
    RightForearm,
    RightHand,
    RightThigh,
    RightShin,
    RightFoot,
    RightToes,
    RightShoulderHelper,
    RightElbowHelper,
    RightHipHelper,
    RightKneeHelper,
}

use Bone::*;

/// Number of joints.
pub const BONES: usize = RightKneeHelper as usize + 1;
/// Joints of one side.
const SIDE: usize = RightCollar as usize - LeftCollar as usize;

/// Names and parents of the middle and the left side.
const JOINTS: [(Bone, &str, Option<Bone>); RightCollar as usize] = [
    (Hips, "Hips", None),
    (Spine, "Spine", Some(Hips)),
    (Waist, "Spine1", Some(Spine)),
    (Chest, "Spine2", Some(Waist)),
    (Breath, "BreathHelper", Some(Chest)),
    (Neck, "Neck", Some(Chest)),
    (Head, "Head", Some(Neck)),
    (LeftCollar, "LeftShoulder", Some(Chest)),
    (LeftArm, "LeftArm", Some(LeftCollar)),
    (LeftForearm, "LeftForeArm", Some(LeftArm)),
    (LeftHand, "LeftHand", Some(LeftForearm)),
    (LeftThigh, "LeftUpLeg", Some(Hips)),
    (LeftShin, "LeftLeg", Some(LeftThigh)),
    (LeftFoot, "LeftFoot", Some(LeftShin)),
    (LeftToes, "LeftToeBase", Some(LeftFoot)),
    (LeftShoulderHelper, "LeftShoulderHelper", Some(LeftCollar)),
    (LeftElbowHelper, "LeftElbowHelper", Some(LeftArm)),
    (LeftHipHelper, "LeftHipHelper", Some(Hips)),
    (LeftKneeHelper, "LeftKneeHelper", Some(LeftThigh)),
];

/// Helpers of the left side and the joints they follow.
const HELPERS: [(Bone, Bone); 4] = [
    (LeftShoulderHelper, LeftArm),
    (LeftElbowHelper, LeftForearm),
    (LeftHipHelper, LeftThigh),
    (LeftKneeHelper, LeftShin),
];

/// A side of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// At positive x.
    Left,
    /// At negative x.
    Right,
}

impl Side {
    /// Both.
    pub const BOTH: [Self; 2] = [Self::Left, Self::Right];

    /// 1 on the left, −1 on the right.
    pub fn sign(self) -> f64 {
        match self {
            Self::Left => 1.0,
            Self::Right => -1.0,
        }
    }

    /// This side's joint for one of the left.
    pub fn of(self, bone: Bone) -> usize {
        let left = bone as usize;
        match self {
            Self::Right if (LeftCollar as usize..RightCollar as usize).contains(&left) => {
                left + SIDE
            }
            _ => left,
        }
    }

    /// The joint on the other side; those of the middle are their own.
    pub fn mirror(joint: usize) -> usize {
        let (left, right) = (LeftCollar as usize, RightCollar as usize);
        match joint {
            j if j >= right => j - SIDE,
            j if j >= left => j + SIDE,
            j => j,
        }
    }

    /// This side's vector for one of the left.
    pub fn vector(self, v: DVec3) -> DVec3 {
        DVec3::new(self.sign() * v.x, v.y, v.z)
    }

    /// This side's rotation for one of the left.
    pub fn rotation(self, q: DQuat) -> DQuat {
        let s = self.sign();
        DQuat::from_xyzw(q.x, s * q.y, s * q.z, q.w)
    }
}

/// Where the joints of the middle and the left side are at rest.
pub fn places(plan: &Plan) -> [DVec3; RightCollar as usize] {
    let middle = |share: f64, z: f64| DVec3::new(0.0, plan.up_m(share), z);
    let (shoulder, axis) = (plan.shoulder(), plan.arm_axis());
    let elbow = shoulder + 0.535 * plan.arm_reach_m() * axis - 0.013 * DVec3::Z;
    let (top, ankle) = (plan.thigh(), plan.ankle());
    let hip = DVec3::new(0.95 * top.x, plan.crotch_m + 0.055, -0.004);
    let down = |y: f64| top + (ankle - top) * ((top.y - y) / (top.y - ankle.y));
    let knee = down(plan.down_m(0.575)) + 0.010 * DVec3::Z;
    let toes = ankle + plan.stature * plan.pick(0.108, 0.118) * plan.foot_axis();
    let mut all = [DVec3::ZERO; RightCollar as usize];
    let mut put = |bone: Bone, at: DVec3| all[bone as usize] = at;
    put(Hips, middle(0.105, -0.005));
    put(Spine, middle(0.175, -0.020));
    put(Waist, middle(0.290, -0.018));
    put(Chest, middle(0.400, -0.025));
    put(Breath, middle(0.480, -0.030));
    put(Neck, middle(0.675, -0.036));
    put(Head, middle(0.790, -0.008));
    put(LeftCollar, DVec3::new(0.025, plan.up_m(0.635), -0.015));
    put(LeftArm, shoulder);
    put(LeftForearm, elbow);
    put(LeftHand, plan.wrist());
    put(LeftThigh, hip);
    put(LeftShin, knee);
    put(LeftFoot, ankle);
    put(LeftToes, DVec3::new(toes.x, 0.014 * plan.stature, toes.z));
    put(LeftShoulderHelper, shoulder);
    put(LeftElbowHelper, elbow);
    put(LeftHipHelper, hip);
    put(LeftKneeHelper, knee);
    all
}

/// Where all joints are at rest.
pub fn all_places(plan: &Plan) -> Vec<DVec3> {
    let left = places(plan);
    let sides = &left[LeftCollar as usize..];
    let right = sides.iter().map(|&p| Side::Right.vector(p));
    left.iter().copied().chain(right).collect()
}

/// The skeleton of a plan.
pub fn rig(plan: &Plan) -> Result<Rig, CharacterError> {
    let at = all_places(plan);
    let mut joints = Vec::with_capacity(BONES);
    let sides = &JOINTS[LeftCollar as usize..];
    let left = JOINTS.iter().map(|j| (j, Side::Left));
    for (&(bone, name, parent), side) in left.chain(sides.iter().map(|j| (j, Side::Right))) {
        let parent = parent.map(|p| side.of(p));
        let from = parent.map_or(DVec3::ZERO, |p| at[p]);
        let name = match side {
            Side::Left => name.to_owned(),
            Side::Right => name.replace("Left", "Right"),
        };
        joints.push(Joint {
            name,
            parent,
            rest: Transform::from_translation(at[side.of(bone)] - from),
        });
    }
    Rig::new(joints)
}

/// Turns all helpers by half of what they follow.
pub fn turn_helpers(pose: &mut Pose) {
    for side in Side::BOTH {
        for (helper, leader) in HELPERS {
            let turn = pose.locals[side.of(leader)].rotation;
            pose.locals[side.of(helper)].rotation = half(turn);
        }
    }
}

/// The same motion with all helpers turned by half of what they follow: what a recorded motion
/// lacks.
pub fn with_helpers(clip: &Clip) -> Result<Clip, CharacterError> {
    let mut full = clip.clone();
    for channel in &clip.channels {
        let Channel::Rotation(joint, curve) = channel else {
            continue;
        };
        for side in Side::BOTH {
            for (helper, leader) in HELPERS {
                if side.of(leader) == *joint {
                    let halves = curve.values().iter().map(|&q| half(q)).collect();
                    let path = toile_geometry::character::Path::Linear;
                    let curve = Curve::new(curve.times_s().to_vec(), halves, path)?;
                    full.channels
                        .push(Channel::Rotation(side.of(helper), curve));
                }
            }
        }
    }
    Ok(full)
}

/// Half of a turn, the short way round.
fn half(turn: DQuat) -> DQuat {
    DQuat::IDENTITY.slerp(turn, 0.5)
}
