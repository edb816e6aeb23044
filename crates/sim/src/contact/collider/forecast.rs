//! Forecasting: cloth that comes to a surface is slowed down before it is there.
//!
//! With the gap `φ` of a particle, its velocity `w` relative to the surface and the normal `N`, the gap
//! after a relaxation time `Δτ` is forecast as `φ⁺ = φ + Δτ w·N`. If that is negative, the velocity along
//! the normal becomes `−φ/Δτ`, with which the particle is on the surface after that time; the change is
//! `−φ⁺/Δτ`, and friction takes its coefficient times that of the velocity along the surface.
//!
//! The new velocity is held in the solver's filter over the step, so that a gap shrinks by the factor
//! `1 − Δt/Δτ`, whatever pushes. A particle that is nearly there, within a tenth of its margin, has the
//! step for it: forecasting is for blows, and would let what lies at rest come and go for ever.
//!
//! Source: *Simulation of Clothing with Folds and Wrinkles*, section 5.2, with one time in both places.
//! Units: m, s. Verified by: `tests/forecasting.rs`.

use crate::colliders::{ColliderSpec, Passage};
use crate::contact::tuning::TUNING;
use glam::DVec3;

/// A particle before a surface, and how long it may take to get there.
#[derive(Clone, Copy, Debug)]
pub struct Forecast {
    /// Gap at the start of the step, m; negative inside.
    gap_m: f64,
    /// The way out.
    normal: DVec3,
    /// Velocity relative to the surface, m/s.
    velocity: DVec3,
    /// Time to get there, s; at least the step.
    relaxation_s: f64,
    step_s: f64,
}

impl Forecast {
    /// That of a particle that keeps `margin_m` from a collider, if it has a relaxation time.
    pub fn new(
        collider: &ColliderSpec,
        passage: &Passage,
        (position, velocity): (DVec3, DVec3),
        margin_m: f64,
        step_s: f64,
    ) -> Option<Self> {
        let asked_s = collider.forecast_s?.max(step_s);
        // Carried along, it is to the surface at the end what it is to that at the start.
        let surface = passage.surface(collider, passage.carry(position));
        let gap_m = surface.distance_m - margin_m;
        Some(Self {
            gap_m,
            normal: surface.normal,
            velocity: velocity - passage.velocity_at(position),
            relaxation_s: match gap_m > TUNING.forecast_nearly * margin_m {
                true => asked_s,
                false => step_s,
            },
            step_s,
        })
    }

    /// The way out.
    pub fn normal(&self) -> DVec3 {
        self.normal
    }

    /// Gap after the relaxation time if nothing is done, m.
    pub fn ahead_m(&self) -> f64 {
        self.gap_m + self.relaxation_s * self.velocity.dot(self.normal)
    }

    /// Change of velocity that brings it to the surface in time, m/s.
    pub fn stop_m_per_s(&self) -> f64 {
        -self.ahead_m() / self.relaxation_s
    }

    /// Velocity at which the gap closes then, m/s. What is inside is put outside at once instead.
    pub fn closing_m_per_s(&self) -> f64 {
        self.gap_m.max(0.0) / self.relaxation_s
    }

    /// Gap that is left at the end of the step, m.
    pub fn left_m(&self) -> f64 {
        self.gap_m.max(0.0) - self.step_s * self.closing_m_per_s()
    }
}
