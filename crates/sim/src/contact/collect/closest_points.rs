//! The stencil of two points that touch: how stiff, with which slip, and who gives.

use crate::contact::collect::proximity::Ahead;
use crate::contact::memory::Precursor;
use crate::contact::stencil::{ContactLaw, ContactStart, ContactStencil};
use crate::contact::step_contacts::StepContacts;
use crate::contact::surfaces::{Pair, Surfaces};
use crate::contact::tuning::TUNING;
use glam::DVec3;
use toile_geometry::distance::{Weights, between};

/// Two points that touch.
pub struct ClosestPoints {
    /// What they are on.
    pub pair: Pair,
    /// Their weights.
    pub weights: Weights,
    /// From the second to the first.
    pub normal: DVec3,
    /// Distance that they should keep, m.
    pub distance_m: f64,
    /// Distance that they do keep, m.
    pub kept_m: f64,
    /// Coefficient of friction.
    pub friction: f64,
}

impl ClosestPoints {
    /// Their contact, which goes on from a `precursor`; `None` if nothing of it can move.
    pub fn stencil(
        self,
        surfaces: &Surfaces,
        ahead: &Ahead<'_>,
        precursor: Precursor<'_>,
    ) -> Option<ContactStencil> {
        let Self {
            pair,
            weights,
            normal,
            distance_m,
            kept_m,
            friction,
        } = self;
        let gap_along = |x: &[DVec3]| normal.dot(between(&weights, &pair.of(x)));
        let StepContacts {
            motion,
            path,
            movable,
            ..
        } = ahead.step;
        let inverse = pair.of(&movable.inverse_masses);
        let free = pair.of(&motion.free);
        let gives = [0, 1, 2, 3].map(|k| {
            if free[k] {
                weights[k] * inverse[k]
            } else {
                0.0
            }
        });
        let total: f64 = weights.iter().zip(gives).map(|(a, g)| a * g).sum();
        let lightness: f64 = weights.iter().zip(inverse).map(|(a, w)| a * a * w).sum();
        if lightness == 0.0 {
            return None;
        }
        let (slip, normal_force_n) = match precursor {
            Precursor::SamePair(contact) => (turned(contact.slip, normal), contact.normal_force_n),
            Precursor::SameSurface(contact) => (turned(contact.slip, normal), 0.0),
            Precursor::None => (DVec3::ZERO, 0.0),
        };
        let new_n_per_m = TUNING.stencil_stops / (lightness * ahead.stopping_s2(distance_m));
        Some(ContactStencil {
            pair,
            weights,
            on_bodies: pair.vertices.map(|vertex| {
                let is_particle = (vertex as usize) < surfaces.particles();
                (!is_particle).then(|| motion.body_ends[vertex as usize - surfaces.particles()])
            }),
            normal,
            law: ContactLaw {
                distance_m: kept_m,
                stiffness_n_per_m: if surfaces.is_between_cloths(&pair) {
                    precursor.stiffness_n_per_m(new_n_per_m)
                } else {
                    new_n_per_m
                },
                friction,
            },
            before: ContactStart {
                apart: between(&weights, &pair.of(&motion.start)),
                slip,
                normal_force_n,
            },
            gap_m: gap_along(&path.reached),
            give: gives.map(|g| if total > 0.0 { g / total } else { 0.0 }),
            expected: gap_along(&path.expected) < kept_m,
        })
    }
}

/// A slip along the surface with this normal, as long as before.
fn turned(slip: DVec3, normal: DVec3) -> DVec3 {
    slip.reject_from_normalized(normal).normalize_or_zero() * slip.length()
}
