//! How far joints go: what a body of flesh and bone can do.

use crate::mannequin::skeleton::{BONES, Bone, Side};
use toile_geometry::character::Pose;

/// The limits of a joint, in degrees from rest.
struct Limit {
    bone: Bone,
    /// Bending about x: to the back is negative for trunk and head, to the front for limbs.
    bend: [f64; 2],
    /// Turning and leaning together.
    other: f64,
}

const fn limit(bone: Bone, bend: [f64; 2], other: f64) -> Limit {
    Limit { bone, bend, other }
}

/// Of the middle and the left side; the right side has the same. Knees and elbows do not bend
/// backwards; an elbow's axis leans with the arm at rest, so that its bending is mostly `other`.
const LIMITS: [Limit; 14] = [
    limit(Bone::Spine, [-15.0, 35.0], 20.0),
    limit(Bone::Waist, [-20.0, 40.0], 30.0),
    limit(Bone::Chest, [-15.0, 35.0], 25.0),
    limit(Bone::Neck, [-35.0, 35.0], 45.0),
    limit(Bone::Head, [-35.0, 35.0], 45.0),
    limit(Bone::LeftCollar, [-10.0, 10.0], 30.0),
    limit(Bone::LeftArm, [-170.0, 60.0], 130.0),
    limit(Bone::LeftForearm, [-145.0, 3.0], 145.0),
    limit(Bone::LeftHand, [-60.0, 60.0], 70.0),
    limit(Bone::LeftThigh, [-125.0, 30.0], 50.0),
    limit(Bone::LeftShin, [-3.0, 145.0], 20.0),
    limit(Bone::LeftFoot, [-35.0, 60.0], 30.0),
    limit(Bone::LeftToes, [-70.0, 35.0], 10.0),
    limit(Bone::Breath, [0.0, 0.0], 0.0),
];

/// By how much a pose goes beyond any joint's limits at most, and which joint: 0 when it keeps
/// them all. In degrees.
pub fn excess_deg(pose: &Pose) -> (f64, usize) {
    let mut worst = (0.0, Bone::Hips as usize);
    for side in Side::BOTH {
        for Limit { bone, bend, other } in &LIMITS {
            let joint = side.of(*bone);
            if joint >= BONES {
                continue;
            }
            let turn = pose.locals[joint].rotation;
            // The short way round.
            let turn = if turn.w < 0.0 { -turn } else { turn };
            let angles = turn.to_scaled_axis();
            let bent = angles.x.to_degrees();
            let turned = angles.y.hypot(angles.z).to_degrees();
            let over = (bend[0] - bent).max(bent - bend[1]).max(turned - other);
            if over > worst.0 + 1e-9 {
                worst = (over, joint);
            }
        }
    }
    worst
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;
    use toile_geometry::character::Transform;

    #[test]
    fn knees_bend_one_way() {
        let mut pose = Pose {
            locals: vec![Transform::IDENTITY; BONES],
            weights: Vec::new(),
        };
        assert_eq!(excess_deg(&pose).0, 0.0);
        let knee = Side::Right.of(Bone::LeftShin);
        pose.locals[knee].rotation = DQuat::from_rotation_x(1.0);
        assert_eq!(excess_deg(&pose).0, 0.0);
        pose.locals[knee].rotation = DQuat::from_rotation_x(-0.5);
        let (over, joint) = excess_deg(&pose);
        assert_eq!(joint, knee);
        assert!((over - (0.5f64.to_degrees() - 3.0)).abs() < 1e-9);
    }
}
