//! A field in its own frame, moved as a rigid whole.

use super::{Field, Stencil};
use crate::Bounds;
use glam::{DQuat, DVec3};

/// Where a rigid body is and how it moves: its frame, seen from the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidMotion {
    /// Turn from its own frame to the world; of unit length.
    pub rotation: DQuat,
    /// Where its origin is, m.
    pub translation: DVec3,
    /// Velocity of its origin, m/s.
    pub velocity: DVec3,
    /// Angular velocity, rad/s.
    pub spin: DVec3,
}

impl RigidMotion {
    /// Where it was made, and still.
    pub const STILL: Self = Self {
        rotation: DQuat::IDENTITY,
        translation: DVec3::ZERO,
        velocity: DVec3::ZERO,
        spin: DVec3::ZERO,
    };

    /// A point of the body, seen from the world.
    pub fn place(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }

    /// A point of the world, in the body's frame.
    pub fn unplace(&self, point: DVec3) -> DVec3 {
        self.rotation.conjugate() * (point - self.translation)
    }
}

/// A field that is made once and goes wherever its body does. What the field itself says of velocities
/// is added to the motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed<F> {
    /// In its own frame.
    pub field: F,
    /// Where that frame is.
    pub motion: RigidMotion,
}

impl<F: Field> Field for Placed<F> {
    fn bounds(&self) -> Bounds {
        let own = self.field.bounds();
        let corners = [0, 1, 2, 3, 4, 5, 6, 7].map(|corner: u32| {
            let upper = DVec3::from_array([0, 1, 2].map(|axis| f64::from(corner >> axis & 1)));
            self.motion.place(own.min + upper * own.size())
        });
        Bounds::of(&corners)
    }

    fn distance_m(&self, point: DVec3) -> f64 {
        self.field.distance_m(self.motion.unplace(point))
    }

    fn velocity(&self, point: DVec3) -> DVec3 {
        let motion = &self.motion;
        let own = self.field.velocity(motion.unplace(point));
        let turning = motion.spin.cross(point - motion.translation);
        motion.rotation * own + motion.velocity + turning
    }

    fn cell_m(&self, point: DVec3) -> f64 {
        self.field.cell_m(self.motion.unplace(point))
    }

    fn gradient(&self, stencil: Stencil, point: DVec3) -> DVec3 {
        // Along the axes of its own grid.
        let own = self.field.gradient(stencil, self.motion.unplace(point));
        self.motion.rotation * own
    }
}
