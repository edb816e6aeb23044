//! Motions that begin again where they ended.
//!
//! From its beginning to its end a clip carries the character along the ground and turns it about the
//! vertical: `T x = R x + d`. Played again from where it ended, the whole character is carried by `Tⁿ` in
//! round `n`, so that ways that curve go on to curve. What is left of the difference of the ends, in
//! height and in the limbs, is a jump in every round, as it is without travelling.
//!
//! It is told from one joint: the first, parents before children, that the clip shifts within its
//! parent. That is the root, or the hips where the root is a node that only turns axes.
//!
//! Verified by: `tests/travel.rs`.

use super::transform::rotation;
use super::{Channel, Character, Clip, Pose, Rig};
use crate::Bounds;
use glam::{DAffine3, DQuat, DVec2, DVec3};

/// Shifts below this share of the largest one are none: programs write constant ones with rounding.
const NOTICED: f64 = 0.01;

/// What one round of a clip does to the whole character in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Travel {
    /// How far it turns about y, rad.
    pub turn_rad: f64,
    /// Where the origin goes, m along x and z.
    pub shift_m: DVec2,
}

impl Travel {
    /// That of a clip; none if it shifts no joint.
    pub fn of(character: &Character, clip: &Clip) -> Option<Self> {
        let joint = carrier(&character.rig, clip)?;
        let mut globals = Vec::new();
        let [start, end] = clip.span_s().map(|time_s| {
            let mut pose = character.rest();
            clip.apply(time_s, &mut pose);
            character.rig.globals(&pose, &mut globals);
            globals[joint]
        });
        let turn = rotation(&end) * rotation(&start).inverse();
        // Of the whole turn, that about y; the sign of a quaternion means nothing.
        let turn_rad = 2.0 * (turn.y * turn.w.signum()).atan2(turn.w.abs());
        let there = DQuat::from_rotation_y(turn_rad) * start.translation;
        let shift = end.translation - there;
        // A joint may be scaled to nothing, and then has no direction.
        (turn_rad.is_finite() && shift.is_finite()).then_some(Self {
            turn_rad,
            shift_m: DVec2::new(shift.x, shift.z),
        })
    }

    /// So many rounds at once.
    pub fn rounds(&self, count: f64) -> DAffine3 {
        // d + R d + … + Rⁿ⁻¹ d, as chords of a circle.
        let half_rad = 0.5 * self.turn_rad;
        let length = match half_rad.sin() {
            0.0 => count,
            sin => (count * half_rad).sin() / sin,
        };
        let shift = DVec3::new(self.shift_m.x, 0.0, self.shift_m.y);
        DAffine3::from_rotation_translation(
            DQuat::from_rotation_y(count * self.turn_rad),
            DQuat::from_rotation_y((count - 1.0) * half_rad) * (length * shift),
        )
    }

    /// Carries a pose by so many rounds.
    pub(super) fn carry(&self, rounds: f64, rig: &Rig, pose: &mut Pose) {
        let carried = self.rounds(rounds);
        let (into, axes) = (rig.frame.inverse(), rotation(&rig.frame));
        let turn = axes.inverse() * rotation(&carried) * axes;
        let roots = rig.joints().iter().zip(&mut pose.locals);
        for (_, root) in roots.filter(|(joint, _)| joint.parent.is_none()) {
            let there = carried.transform_point3(rig.frame.transform_point3(root.translation));
            root.translation = into.transform_point3(there);
            root.rotation = (turn * root.rotation).normalize();
        }
    }
}

/// The joint that carries the others: the first that is shifted by more than rounding would.
fn carrier(rig: &Rig, clip: &Clip) -> Option<usize> {
    let shift = |channel: &Channel| match channel {
        Channel::Translation(joint, curve) => {
            Some((*joint, Bounds::of(curve.values()).size().length()))
        }
        _ => None,
    };
    let shifts: Vec<(usize, f64)> = clip.channels.iter().filter_map(shift).collect();
    let largest = shifts.iter().map(|(_, shift)| *shift).fold(0.0, f64::max);
    let carries = |joint: &usize| {
        let mut of_joint = shifts.iter().filter(|(shifted, _)| shifted == joint);
        of_joint.any(|(_, shift)| *shift > NOTICED * largest)
    };
    rig.order().iter().copied().find(carries)
}
