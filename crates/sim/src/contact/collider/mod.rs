//! Contact of particles with colliders, which have a signed distance: held in the solver's filter, with friction.
//!
//! - Before a step, a particle is held along a collider's normal if it was held before and the
//!   reaction pushed, or if its velocity would carry it in. A sticking particle is held
//!   altogether and goes with the collider; a sliding one ends on its surface as it will be then,
//!   and feels the friction of the last reaction.
//! - After the step, the reaction decides: one that pulls releases the particle, one outside the
//!   friction cone lets it slide, and a slide that has come to its end sticks.
//! - Particles that got in unannounced are put on the surface, lose their approaching velocity
//!   and the friction impulse that goes with it.
//! - A collider that forecasts holds what would be inside after its relaxation time, and lets it come
//!   down slowly ([`forecast`]).
//! - Whatever is held or stopped has its memory of the past repaired, so that a multistep scheme
//!   does not bounce it back: it has always moved as the collider does now.
//! - All velocities are taken relative to the collider's surface.
//!
//! Invariant: after a step no particle is nearer to a collider than its cloth's margin.
//! Source: *Stable but Responsive Cloth*, section 5.1 (constraint in the solver, release when the
//! constraint force pulls).
//! Verified by: `tests/contact.rs`, `tests/moving_colliders.rs`.

pub mod approach;
mod contacts;
pub mod forecast;
pub mod friction;
pub mod squeeze;

pub use contacts::ColliderContacts;

use crate::model::Model;
use glam::DVec3;

/// How a particle in contact moves along the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Slip {
    /// It does not.
    Stick,
    /// In this unit direction.
    Slide(DVec3),
}

/// A particle on a collider, as remembered from one step to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColliderContact {
    /// The particle.
    pub particle: u32,
    /// The collider it touches.
    pub collider: u32,
    /// Sticking or sliding.
    pub slip: Slip,
    /// Force with which the collider pushes, N.
    pub normal_force_n: f64,
}

impl ColliderContact {
    /// One that has yet to be felt.
    pub fn begun(particle: u32, collider: u32) -> Self {
        Self {
            particle,
            collider,
            slip: Slip::Stick,
            normal_force_n: 0.0,
        }
    }
}

/// Distance a particle keeps from a collider: its own thickness, and on a curved surface the
/// height by which the cloth between particles would cut in.
pub fn margin_m(model: &Model, particle: u32, collider: u32) -> f64 {
    let deformable = &model.deformables[model.deformable_of(particle)];
    let shape = &model.colliders[collider as usize].shape;
    deformable.margin_m() + shape.sagitta_m(deformable.longest_link_m)
}
