//! A collider during a step: where it goes, how fast, and its surface at the end.

use super::level_set::{self, FieldAt};
use super::{ColliderSpec, Shape, Surface};
use crate::constraints::motion::Pose;
use glam::{DMat3, DQuat, DVec3};
use toile_geometry::levelset::Field;

/// The motion of a collider from the start of a step to its end; rigid, unless it is animated.
///
/// Velocities are those of a steady turn of the whole about its pivot, while the pivot goes straight
/// ahead: what stands still has none to the last bit, and a turn has none along the normal of what
/// is round about its axis. A turn of half a circle or more in one step is taken the short way.
#[derive(Clone, Debug)]
pub struct Passage {
    before: Pose,
    after: Pose,
    moves: bool,
    /// Velocity of the pivot, m/s, where it ends, and angular velocity, rad/s.
    velocity: DVec3,
    pivot: DVec3,
    spin: DVec3,
    step_s: f64,
    /// Of a level set, at the end.
    field: Option<FieldAt>,
    /// Whether that field knows how its surface moves.
    deforms: bool,
}

impl Passage {
    /// That of `collider` from `start_s` to `end_s`.
    pub fn new(collider: &ColliderSpec, start_s: f64, end_s: f64) -> Self {
        let [before, after] = [start_s, end_s].map(|time_s| collider.pose(time_s));
        let moves = before != after;
        let solid = match &collider.shape {
            Shape::LevelSet(solid) => Some(solid),
            _ => None,
        };
        let mut passage = Self {
            before,
            after,
            moves,
            velocity: DVec3::ZERO,
            pivot: after.place(after.pivot()),
            spin: DVec3::ZERO,
            step_s: end_s - start_s,
            field: solid.map(|solid| solid.at(end_s)),
            deforms: solid.is_some_and(|solid| solid.frames().is_some()),
        };
        if moves {
            let step_s = passage.step_s;
            let turn = turn(&after) * turn(&before).transpose();
            passage.velocity = (passage.pivot - before.place(after.pivot())) / step_s;
            passage.spin = DQuat::from_mat3(&turn).to_scaled_axis() / step_s;
        }
        passage
    }

    /// Whether it goes anywhere.
    pub fn is_led(&self) -> bool {
        self.moves || self.deforms
    }

    /// Where a point of the collider that is at `point` at the start of the step ends.
    pub fn carry(&self, point: DVec3) -> DVec3 {
        if self.moves {
            self.after.place(self.before.unplace(point))
        } else if self.deforms {
            point + self.step_s * self.velocity_at(point)
        } else {
            point
        }
    }

    /// Velocity of the collider's point that is at `point` at the end of the step, m/s.
    pub fn velocity_at(&self, point: DVec3) -> DVec3 {
        if self.moves {
            self.velocity + self.spin.cross(point - self.pivot)
        } else {
            match &self.field {
                Some(field) if self.deforms => field.velocity(point),
                _ => DVec3::ZERO,
            }
        }
    }

    /// Signed distance and outward normal at `point` at the end of the step.
    pub fn surface(&self, collider: &ColliderSpec, point: DVec3) -> Surface {
        let Some(field) = &self.field else {
            return collider.surface_in(&self.after, point);
        };
        let surface = level_set::surface(field, self.after.unplace(point));
        Surface {
            normal: self.after.turn(surface.normal),
            ..surface
        }
    }

    /// Signed distance alone, which may be had for less.
    pub fn distance_m(&self, collider: &ColliderSpec, point: DVec3) -> f64 {
        match &self.field {
            Some(field) => field.distance_m(self.after.unplace(point)),
            None => collider.surface_in(&self.after, point).distance_m,
        }
    }
}

fn turn(pose: &Pose) -> DMat3 {
    DMat3::from_cols(
        pose.turn(DVec3::X),
        pose.turn(DVec3::Y),
        pose.turn(DVec3::Z),
    )
}
