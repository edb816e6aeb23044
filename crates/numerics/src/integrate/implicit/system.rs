//! A mechanical system as implicit schemes see it.

use crate::integrate::{LinearInfo, System};

/// How an implicit step weighs dampers and springs: its matrix is
/// `A = M − damping_s D − stiffness_s2 K`, where `K` may be stiffer than the energy.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Weights {
    /// Change of position for a change of the end velocity, s.
    pub velocity_s: f64,
    /// Weight of `D`, s.
    pub damping_s: f64,
    /// Weight of `K`, s².
    pub stiffness_s2: f64,
    /// Share, 0 to 1, that is kept of the stiffness that the matrix has and the energy has not.
    pub matrix_only_stiffness: f64,
}

impl Weights {
    /// Those of a scheme that takes positions and velocities to their end in the same way:
    /// `A = M − α D − α² K`.
    pub fn uniform(alpha_s: f64) -> Self {
        Self {
            velocity_s: alpha_s,
            damping_s: alpha_s,
            stiffness_s2: alpha_s * alpha_s,
            matrix_only_stiffness: 1.0,
        }
    }

    /// The same, with another share of the matrix-only stiffness.
    pub fn keeping(&self, matrix_only_stiffness: f64) -> Self {
        Self {
            matrix_only_stiffness,
            ..*self
        }
    }
}

/// A potential where a system is linearised.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Potential {
    /// What [`ImplicitSystem::potential`] would say, J.
    pub lasting_j: f64,
    /// That of the active set, J.
    pub active_set_j: f64,
}

impl Potential {
    /// Of a system without an active set.
    pub fn lasting(lasting_j: f64) -> Self {
        Self {
            lasting_j,
            active_set_j: 0.0,
        }
    }

    /// All of it, J.
    pub fn total_j(&self) -> f64 {
        self.lasting_j + self.active_set_j
    }
}

/// A mechanical system that implicit schemes can solve for: it can be linearised, it has a potential to
/// decrease, and it solves its own linear systems.
///
/// A step's dissipation has a potential because [`ImplicitSystem::linearise`] freezes the coefficients of
/// velocity-dependent forces.
///
/// That is all that is asked for. What a system knows better than Newton's method does (which way free
/// flight leads, which one-sided terms are active) it may tell by the methods that have defaults.
pub trait ImplicitSystem: System {
    /// Freezes velocity-dependent coefficients at `(x, frozen_v)`, prepares
    /// `A = M − α_d D − s K` there, sets `force = f(x, v)` with those coefficients, and returns the
    /// potential at `(x, v)`.
    fn linearise(
        &mut self,
        x: &[f64],
        frozen_v: &[f64],
        v: &[f64],
        weights: &Weights,
        force: &mut [f64],
    ) -> Potential;

    /// Elastic and external energy at `x` plus `velocity_s` times half the power dissipated at `v`,
    /// with the coefficients frozen by the last [`ImplicitSystem::linearise`] and without the terms of the
    /// active set, J.
    fn potential(&mut self, x: &[f64], v: &[f64], velocity_s: f64) -> f64;

    /// Solves `A p = b` for the free part of `p`, to `slack ≥ 1` times the usual tolerance; the
    /// held part stays. On entry `p` is a guess.
    fn solve(&mut self, b: &[f64], p: &mut [f64], slack: f64) -> Result<LinearInfo, Self::Error>;

    /// Adds `square_s2` times the acceleration of free flight to `p`: a better first guess, exact
    /// where nothing but gravity acts.
    fn add_free_flight(&self, _square_s2: f64, _p: &mut [f64]) {}

    /// Sets `p` to the translation that the step makes in any case, so that Newton's iterates do
    /// not depend on how fast the system moves as a whole. `target` is where free flight without
    /// gravity would lead; `square_s2` times the acceleration of gravity is what that adds.
    fn carry(&self, _x: &[f64], _target: &[f64], _square_s2: f64, p: &mut [f64]) {
        p.fill(0.0);
    }

    /// Improves a first guess `p` of the way from `x`.
    fn improve_guess(&self, _x: &[f64], _p: &mut [f64]) {}

    /// The potential at `x` of the terms that act on one side only, J.
    fn active_set_potential(&self, _x: &[f64]) -> f64 {
        0.0
    }

    /// After a solve that leads from `x` by `p`, updates the active set: which of the terms that act on
    /// one side only are taken to act. If it changes, takes back what of `p` does not decrease the
    /// potential as linearised, changes the matrix and the right-hand side `b`, as seen from `x`, and
    /// returns true. All other terms stay as linearised.
    fn update_active_set(&mut self, _x: &[f64], _p: &mut [f64], _b: &mut [f64]) -> bool {
        false
    }

    /// After a solve `A p = b`: by how much the linearisation predicts that the potential and the term of
    /// inertia grow together on the way `p`, J. Terms of the active set are left out: settling them is not what
    /// Newton is for. `None` from a system that is to be trusted anyway.
    fn predicted_change_j(&self, _p: &[f64], _b: &[f64]) -> Option<f64> {
        None
    }
}
