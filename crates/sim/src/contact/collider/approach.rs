//! A particle and a collider's surface: how they come together, and the way from one to the other.

use crate::colliders::{ColliderSpec, Passage};
use crate::contact::collider::ColliderContact;
use crate::contact::collider::friction;
use crate::contact::collider::friction::Grip;
use crate::contact::tuning::TUNING;
use glam::DVec3;

/// A particle that comes to a collider, as seen from its surface.
pub struct Meeting {
    grip: Grip,
    normal: DVec3,
    /// Velocities straight to the surface and along it, m/s.
    approach: f64,
    along: DVec3,
}

impl Meeting {
    /// That of a particle with this position and velocity, where the way out is `normal` and the
    /// collider has this grip on it.
    pub fn new(
        grip: Grip,
        passage: &Passage,
        (position, velocity): (DVec3, DVec3),
        normal: DVec3,
    ) -> Self {
        let surface_velocity = passage.velocity_at(position);
        let velocity = velocity - surface_velocity;
        let along = velocity.reject_from_normalized(normal);
        let approach = (-velocity.dot(normal)).max(0.0);
        // What goes with a moving collider, or comes straight to it, but for rounding does not slide.
        let slides =
            along.length() > TUNING.approach_same_velocity * (surface_velocity.length() + approach);
        Self {
            grip,
            normal,
            approach,
            along: if slides { along } else { DVec3::ZERO },
        }
    }

    /// The velocity along the surface that friction takes, m/s.
    fn slowed(&self) -> DVec3 {
        friction::of_push(self.grip, self.approach, self.along)
    }

    /// The change of velocity that ends the approach, with its friction, m/s.
    pub fn stop(&self) -> DVec3 {
        self.approach * self.normal - self.slowed()
    }

    /// The contact it makes: the push is what stops the approach within a step.
    pub fn touch(&self, contact: ColliderContact, mass_kg: f64, step_s: f64) -> ColliderContact {
        ColliderContact {
            slip: friction::at_first(self.grip, self.along),
            normal_force_n: mass_kg * self.approach / step_s,
            ..contact
        }
    }

    /// The same after the stop: what friction has brought to rest sticks. As a slide it would be driven back.
    pub fn touch_stopped(
        &self,
        contact: ColliderContact,
        mass_kg: f64,
        step_s: f64,
    ) -> ColliderContact {
        ColliderContact {
            slip: friction::at_first(self.grip, self.along - self.slowed()),
            ..self.touch(contact, mass_kg, step_s)
        }
    }
}

/// The way from a point to the distance `margin_m` of the surface at the end of the step, along
/// normals. One move does it, but for the fillets of unions, whose distances are too small.
pub fn way_to(collider: &ColliderSpec, passage: &Passage, point: DVec3, margin_m: f64) -> DVec3 {
    let mut way = DVec3::ZERO;
    for moves in 0..TUNING.approach_most_moves {
        let surface = passage.surface(collider, point + way);
        let gap = surface.distance_m - margin_m;
        if moves > 0 && gap.abs() <= rounding_m(point) {
            break;
        }
        way -= gap * surface.normal;
    }
    way
}

/// Distances smaller than this are rounding, m.
pub fn rounding_m(place: DVec3) -> f64 {
    TUNING.collider_rounding * (1.0 + place.abs().max_element())
}
