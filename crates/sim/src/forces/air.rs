//! Resistance of the air, particle by particle: forces linear in the velocity once frozen.
//!
//! - Energy: non-conservative. Half the power lost, less the push: `½ vᵀ R v − g·v`.
//! - Force: `g − R v` on every particle. Plain damping has `R = k_m m I` and `g = 0`: all motion,
//!   rigid translation too, dies away at the rate `k_m`. Wind adds its own; see
//!   [`super::wind`].
//! - Jacobian: `∂f/∂v = −R`, block diagonal, symmetric, negative semidefinite.
//! - Units: k_m in 1/s, R in N·s/m, g in N.
//! - Degenerate cases: none.
//! - Source: the drag term of mass-spring cloth, section 3 of *Stable but Responsive Cloth*.
//! - Verified by: `tests/wind.rs`.

use super::wind::Wind;
use crate::model::Model;
use glam::{DMat3, DVec3};
use toile_numerics::par;

/// The air's force on one particle, or on one face if it all moved alike: `push − resistance · v`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drag {
    /// Symmetric positive semidefinite, N·s/m.
    pub resistance: DMat3,
    /// Force at rest, N.
    pub push: DVec3,
}

impl Drag {
    /// None.
    pub const ZERO: Self = Self {
        resistance: DMat3::ZERO,
        push: DVec3::ZERO,
    };

    /// Force at `velocity`, N.
    pub fn force(&self, velocity: DVec3) -> DVec3 {
        self.push - self.resistance * velocity
    }

    /// The potential whose gradient by velocity is minus the force, W.
    pub fn potential(&self, velocity: DVec3) -> f64 {
        0.5 * velocity.dot(self.resistance * velocity) - self.push.dot(velocity)
    }
}

/// What a model's cloths move through.
#[derive(Clone, Debug, Default)]
pub struct Air {
    /// Rate k_m at which all motion dies away, 1/s.
    pub damping_per_s: f64,
    /// Air that presses on faces.
    pub wind: Option<Wind>,
}

/// What the air does, frozen.
#[derive(Clone, Debug, Default)]
pub struct FrozenAir {
    /// Scratch memory for the faces.
    panels: Vec<Drag>,
    /// The force on every particle; empty without air.
    pub drags: Vec<Drag>,
}

/// An instant: where it is asked, with what velocities, and when.
#[derive(Clone, Copy, Debug)]
pub struct Instant<'a> {
    /// Positions, m.
    pub positions: &'a [DVec3],
    /// Velocities, m/s.
    pub velocities: &'a [DVec3],
    /// Time, s.
    pub time_s: f64,
}

impl Air {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.damping_per_s == 0.0 && self.wind.is_none()
    }

    /// Freezes the drag of every particle at an instant.
    pub fn freeze(&self, model: &Model, now: &Instant<'_>, frozen: &mut FrozenAir) {
        let FrozenAir { panels, drags } = frozen;
        if self.is_empty() {
            drags.clear();
            return;
        }
        if let Some(wind) = &self.wind {
            wind.freeze(&model.mesh.faces, now, panels);
        }
        drags.resize(model.particles(), Drag::ZERO);
        par::fill(drags, |particle| {
            let plain = self.damping_per_s * model.masses[particle];
            let mut drag = Drag {
                resistance: DMat3::from_diagonal(DVec3::splat(plain)),
                push: DVec3::ZERO,
            };
            if let Some(wind) = &self.wind {
                wind.gather(particle, panels, &mut drag);
            }
            drag
        });
    }
}
