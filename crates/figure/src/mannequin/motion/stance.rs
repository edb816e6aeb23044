//! How the mannequin stands at one time, said as a choreographer would, and turned into a pose.
//!
//! Trunk and arms are turned joint by joint; legs are found from where the feet are, so that feet stay
//! where they stand.

use crate::mannequin::sculpt::{ARM_ANGLE_RAD, Plan};
use crate::mannequin::skeleton::{Bone, Side, all_places, turn_helpers};
use glam::{DMat3, DQuat, DVec3};
use toile_geometry::character::{Pose, Transform};

/// How an arm is held; all angles in radians.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Arm {
    /// Away from the body, from hanging.
    pub out: f64,
    /// Swung to the front.
    pub forward: f64,
    /// Bent at the elbow.
    pub bend: f64,
    /// Shoulder raised.
    pub shrug: f64,
}

/// How a foot is set.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Foot {
    /// How far from where it stands at rest, m.
    pub at: DVec3,
    /// Toes up (positive, standing on the heel) or heel up (negative, standing on the ball), rad.
    pub pitch: f64,
    /// How much of a raised heel the toes make good by staying flat.
    pub flat_toes: f64,
}

/// How the mannequin stands. Angles in radians: bend (about x, positive to the front), turn (about y)
/// and lean (about z, positive to the right).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stance {
    /// Where the hips are, from where they are at rest, m.
    pub hips: DVec3,
    /// How the hips are turned.
    pub pelvis: DVec3,
    /// How the trunk is bent from the hips up.
    pub spine: DVec3,
    /// How the head is turned.
    pub head: DVec3,
    /// Left and right arm.
    pub arms: [Arm; 2],
    /// Left and right foot.
    pub feet: [Foot; 2],
    /// How full of breath the chest is, 0 to 1.
    pub breath: f64,
    /// The whole figure turned about the vertical through a point of the floor.
    pub spun: (DVec3, f64),
}

/// The joints of a figure at rest: all that posing needs.
#[derive(Clone, Debug)]
pub struct Poser {
    at: Vec<DVec3>,
    foot_axis: DVec3,
    /// How far behind the ankle a foot rolls on its heel, m.
    heel_m: f64,
    /// The arm's angle at which the hand clears the hip, rad.
    pub clear_rad: f64,
}

/// How much of its length a leg may be stretched to.
pub const STRETCH: f64 = 0.9985;

impl Poser {
    /// For a plan.
    pub fn new(plan: &Plan) -> Self {
        // Hands pass the hips, and upper arms the chest, with a little air between.
        let out = |from_m: f64, thick_m: f64, wide_m: f64| {
            let needed = wide_m + thick_m + 0.012 - plan.shoulder().x;
            (needed / from_m).clamp(0.0, 0.9).asin()
        };
        let hips = out(
            plan.arm_reach_m() + 0.09,
            0.062,
            0.178 * plan.hip.powf(0.78),
        );
        let chest_m = plan.pick(0.138, 0.163) * plan.bust.powf(0.78);
        let chest = out(0.17 * plan.stature, 0.044 * plan.upper_arm, chest_m);
        Self {
            at: all_places(plan),
            foot_axis: plan.foot_axis(),
            heel_m: 0.040 * plan.stature,
            clear_rad: hips.max(chest).max(0.30),
        }
    }

    /// Where a joint is at rest.
    pub fn place(&self, side: Side, bone: Bone) -> DVec3 {
        self.at[side.of(bone)]
    }

    /// Length of a straight leg, hip to ankle, m.
    pub fn leg_m(&self) -> f64 {
        let [hip, knee, ankle] = self.leg(Side::Left);
        hip.distance(knee) + knee.distance(ankle)
    }

    fn leg(&self, side: Side) -> [DVec3; 3] {
        [Bone::LeftThigh, Bone::LeftShin, Bone::LeftFoot].map(|b| self.place(side, b))
    }

    /// Distance from hip to ankle that a stance asks of a leg, m.
    pub fn stretch_m(&self, stance: &Stance, side: Side) -> f64 {
        let (ankle, _) = self.ankle(stance, side);
        self.hip(stance, side).distance(ankle)
    }

    fn hip(&self, stance: &Stance, side: Side) -> DVec3 {
        let hips = self.at[Bone::Hips as usize];
        hips + stance.hips + turned(stance.pelvis) * (self.place(side, Bone::LeftThigh) - hips)
    }

    /// Where the ankle is, and how the foot is turned.
    fn ankle(&self, stance: &Stance, side: Side) -> (DVec3, DQuat) {
        let foot = &stance.feet[side as usize];
        let ankle = self.place(side, Bone::LeftFoot);
        let ahead = side.vector(self.foot_axis);
        let across = DVec3::Y.cross(ahead);
        let pivot = if foot.pitch > 0.0 {
            let heel = ankle - self.heel_m * ahead;
            DVec3::new(heel.x, 0.0, heel.z)
        } else {
            // About the joint itself, so that toes stay where they are.
            self.place(side, Bone::LeftToes)
        };
        let turn = DQuat::from_axis_angle(across, -foot.pitch);
        (foot.at + pivot + turn * (ankle - pivot), turn)
    }

    /// The pose of a stance.
    pub fn pose(&self, stance: &Stance) -> Pose {
        let mut locals = vec![Transform::IDENTITY; self.at.len()];
        self.rest_into(&mut locals);
        let pelvis = turned(stance.pelvis);
        locals[Bone::Hips as usize].rotation = pelvis;
        locals[Bone::Hips as usize].translation += stance.hips;
        for (bone, share) in [(Bone::Spine, 0.3), (Bone::Waist, 0.4), (Bone::Chest, 0.3)] {
            locals[bone as usize].rotation = turned(share * stance.spine);
        }
        for bone in [Bone::Neck, Bone::Head] {
            locals[bone as usize].rotation = turned(0.5 * stance.head);
        }
        locals[Bone::Breath as usize].scale =
            DVec3::ONE + stance.breath * DVec3::new(0.022, 0.0, 0.045);
        for side in Side::BOTH {
            self.arm(stance, side, &mut locals);
            self.stand(stance, side, pelvis, &mut locals);
        }
        let (pivot, angle) = stance.spun;
        let spin = DQuat::from_rotation_y(angle);
        let hips = &mut locals[Bone::Hips as usize];
        hips.translation = pivot + spin * (hips.translation - pivot);
        hips.rotation = spin * hips.rotation;
        let mut pose = Pose {
            locals,
            weights: Vec::new(),
        };
        turn_helpers(&mut pose);
        pose
    }

    fn rest_into(&self, locals: &mut [Transform]) {
        use Bone::*;
        let mut hang = |child: usize, parent: Option<usize>| {
            let from = parent.map_or(DVec3::ZERO, |p| self.at[p]);
            locals[child].translation = self.at[child] - from;
        };
        hang(Hips as usize, None);
        let middle = [
            (Spine, Hips),
            (Waist, Spine),
            (Chest, Waist),
            (Breath, Chest),
            (Neck, Chest),
            (Head, Neck),
        ];
        for (child, parent) in middle {
            hang(child as usize, Some(parent as usize));
        }
        let limbs = [
            (LeftCollar, Chest),
            (LeftArm, LeftCollar),
            (LeftForearm, LeftArm),
            (LeftHand, LeftForearm),
            (LeftThigh, Hips),
            (LeftShin, LeftThigh),
            (LeftFoot, LeftShin),
            (LeftToes, LeftFoot),
            (LeftShoulderHelper, LeftCollar),
            (LeftElbowHelper, LeftArm),
            (LeftHipHelper, Hips),
            (LeftKneeHelper, LeftThigh),
        ];
        for side in Side::BOTH {
            for (child, parent) in limbs {
                hang(side.of(child), Some(side.of(parent)));
            }
        }
    }

    fn arm(&self, stance: &Stance, side: Side, locals: &mut [Transform]) {
        let arm = &stance.arms[side as usize];
        let swing = DQuat::from_rotation_x(-arm.forward);
        let drop = DQuat::from_rotation_z(arm.out - ARM_ANGLE_RAD);
        // An elbow bends the forearm to the front.
        let rest =
            self.place(Side::Left, Bone::LeftForearm) - self.place(Side::Left, Bone::LeftArm);
        let hinge = rest.cross(DVec3::Z).normalize();
        let mut turn = |bone: Bone, q: DQuat| locals[side.of(bone)].rotation = side.rotation(q);
        turn(Bone::LeftCollar, DQuat::from_rotation_z(arm.shrug));
        turn(Bone::LeftArm, swing * drop);
        turn(Bone::LeftForearm, DQuat::from_axis_angle(hinge, arm.bend));
    }

    /// Thigh, shin and foot, from where hip and ankle are: the knee is in front of the line between.
    fn stand(&self, stance: &Stance, side: Side, pelvis: DQuat, locals: &mut [Transform]) {
        let [hip0, knee0, ankle0] = self.leg(side);
        let (upper, lower) = (hip0.distance(knee0), knee0.distance(ankle0));
        let hip = self.hip(stance, side);
        let (ankle, foot) = self.ankle(stance, side);
        let reach = hip
            .distance(ankle)
            .clamp(0.3 * upper, STRETCH * (upper + lower));
        let along = (ankle - hip).normalize_or(DVec3::NEG_Y);
        let front = DQuat::from_rotation_y(0.5 * stance.pelvis.y) * side.vector(KNEE_POINTS);
        let cos = (upper * upper + reach * reach - lower * lower) / (2.0 * upper * reach);
        let sin = (1.0 - cos * cos).max(0.0).sqrt();
        let knee = hip + upper * (cos * along + sin * across(front, along));
        let ankle = hip + reach * along;
        let thigh = turn_from(knee0 - hip0, knee - hip, side.vector(KNEE_POINTS), front);
        let shin = turn_from(
            ankle0 - knee0,
            ankle - knee,
            side.vector(KNEE_POINTS),
            front,
        );
        let set = &stance.feet[side as usize];
        let flat = if set.pitch < 0.0 { set.flat_toes } else { 0.0 };
        let toes = DQuat::IDENTITY.slerp(foot.inverse(), flat);
        let mut turn = |bone: Bone, q: DQuat| locals[side.of(bone)].rotation = q;
        turn(Bone::LeftThigh, pelvis.inverse() * thigh);
        turn(Bone::LeftShin, thigh.inverse() * shin);
        turn(Bone::LeftFoot, shin.inverse() * foot);
        turn(Bone::LeftToes, toes);
    }
}

/// Where the left knee points.
const KNEE_POINTS: DVec3 = DVec3::new(0.10, 0.0, 1.0);

/// Bend, then lean, then turn.
fn turned(angles: DVec3) -> DQuat {
    DQuat::from_rotation_y(angles.y)
        * DQuat::from_rotation_z(angles.z)
        * DQuat::from_rotation_x(angles.x)
}

/// The part of `v` square to the unit vector `along`, of unit length.
fn across(v: DVec3, along: DVec3) -> DVec3 {
    (v - v.dot(along) * along).normalize_or(DVec3::Z)
}

/// The turn that takes one bone's direction to another, and what is in front of it to what is in
/// front then.
fn turn_from(rest: DVec3, now: DVec3, front_rest: DVec3, front: DVec3) -> DQuat {
    let frame = |bone: DVec3, front: DVec3| {
        let along = bone.normalize_or(DVec3::NEG_Y);
        let ahead = across(front, along);
        DMat3::from_cols(along, ahead, along.cross(ahead))
    };
    DQuat::from_mat3(&(frame(now, front) * frame(rest, front_rest).transpose())).normalize()
}
