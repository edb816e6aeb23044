//! A collider during a step: where it goes, how fast, and its surface at the end.

use super::{ColliderSpec, Surface};
use crate::constraints::motion::Pose;
use glam::{DMat3, DQuat, DVec3};

/// The rigid motion of a collider from the start of a step to its end.
///
/// Velocities are those of a steady turn of the whole about its pivot, while the pivot goes straight
/// ahead: what stands still has none to the last bit, and a turn has none along the normal of what
/// is round about its axis. A turn of half a circle or more in one step is taken the short way.
#[derive(Clone, Copy, Debug)]
pub struct Passage {
    before: Pose,
    after: Pose,
    moves: bool,
    /// Velocity of the pivot, m/s, where it ends, and angular velocity, rad/s.
    velocity: DVec3,
    pivot: DVec3,
    spin: DVec3,
}

impl Passage {
    /// That of `collider` from `start_s` to `end_s`.
    pub fn new(collider: &ColliderSpec, start_s: f64, end_s: f64) -> Self {
        let [before, after] = [start_s, end_s].map(|time_s| collider.pose(time_s));
        let moves = before != after;
        let mut passage = Self {
            before,
            after,
            moves,
            velocity: DVec3::ZERO,
            pivot: after.place(after.pivot()),
            spin: DVec3::ZERO,
        };
        if moves {
            let step_s = end_s - start_s;
            let turn = turn(&after) * turn(&before).transpose();
            passage.velocity = (passage.pivot - before.place(after.pivot())) / step_s;
            passage.spin = DQuat::from_mat3(&turn).to_scaled_axis() / step_s;
        }
        passage
    }

    /// Where a point of the collider that is at `point` at the start of the step ends.
    pub fn carry(&self, point: DVec3) -> DVec3 {
        if self.moves {
            self.after.place(self.before.unplace(point))
        } else {
            point
        }
    }

    /// Velocity of the collider's point that is at `point` at the end of the step, m/s.
    pub fn velocity_at(&self, point: DVec3) -> DVec3 {
        if self.moves {
            self.velocity + self.spin.cross(point - self.pivot)
        } else {
            DVec3::ZERO
        }
    }

    /// Signed distance and outward normal at `point` at the end of the step.
    pub fn surface(&self, collider: &ColliderSpec, point: DVec3) -> Surface {
        collider.surface_in(&self.after, point)
    }
}

fn turn(pose: &Pose) -> DMat3 {
    DMat3::from_cols(
        pose.turn(DVec3::X),
        pose.turn(DVec3::Y),
        pose.turn(DVec3::Z),
    )
}
