//! Time integrators over a [`System`].
//!
//! Positions, velocities and forces are flat slices of coordinates, so that one integrator serves
//! two and three dimensions. An integrator never sees elements, matrices or contacts: it asks the
//! system to linearise itself and to solve.

pub mod backward_euler;
pub mod bdf2;
pub mod implicit;

pub use implicit::{Info, Method, NewtonParams, Scratch};

/// Where in its step an integrator calls a filter hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// A velocity that will move positions but is then thrown away.
    Trial,
    /// The velocity at the end of the step.
    End,
}

/// Iterations of one linear solve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinearInfo {
    /// Iterations done.
    pub iterations: u32,
    /// Relative residual reached.
    pub relative_residual: f64,
    /// Whether the tolerance was met.
    pub converged: bool,
}

/// A mechanical system as an integrator sees it: `M a = f(x, v)` with held coordinates.
///
/// Velocity-dependent forces are linear in `v` once their coefficients (directions, drag,
/// friction) are frozen at a state; [`System::linearise`] freezes them, so that a step's
/// dissipation has a potential and a line search has something to decrease.
pub trait System {
    /// Why a solve failed.
    type Error: std::error::Error;

    /// Mass of every coordinate, kg.
    fn coordinate_masses(&self) -> &[f64];

    /// `out = f(x, v)`.
    fn force(&mut self, x: &[f64], v: &[f64], out: &mut [f64]);

    /// Freezes velocity-dependent coefficients at `(x, frozen_v)`, prepares
    /// `A = M − α D − α² K` there, sets `force = f(x, v)` with those coefficients, and returns the
    /// potential at `(x, v)`, as [`System::potential`] would.
    fn linearise(
        &mut self,
        x: &[f64],
        frozen_v: &[f64],
        v: &[f64],
        alpha_s: f64,
        force: &mut [f64],
    ) -> f64;

    /// Sets the share, 0 to 1, that the next linearisations keep of the matrix's padding: of the
    /// stiffness that the matrix has and the energy has not.
    fn set_padding(&mut self, _share: f64) {}

    /// Elastic and external energy at `x` plus `α` times half the power dissipated at `v`, with
    /// the coefficients frozen by the last [`System::linearise`], J.
    fn potential(&mut self, x: &[f64], v: &[f64], alpha_s: f64) -> f64;

    /// Sets `p` to the translation that the step makes in any case, so that Newton's iterates do
    /// not depend on how fast the system moves as a whole. `target` is where free flight without
    /// gravity would lead.
    fn carry(&self, _x: &[f64], _target: &[f64], _alpha_s: f64, p: &mut [f64]) {
        p.fill(0.0);
    }

    /// Sets the held part of `p` to the displacement that takes `x` to where it must be at the
    /// end of the step, and leaves the free part as it is.
    fn prescribe(&self, x: &[f64], p: &mut [f64]);

    /// Adds `α²` times the acceleration of free flight to `p`: a better first guess, exact where
    /// nothing but gravity acts.
    fn add_free_flight(&self, _alpha_s: f64, _p: &mut [f64]) {}

    /// Solves `A p = b` for the free part of `p`, to `slack ≥ 1` times the usual tolerance; the
    /// held part stays. On entry `p` is a guess.
    fn solve(&mut self, b: &[f64], p: &mut [f64], slack: f64) -> Result<LinearInfo, Self::Error>;

    /// May change a velocity that takes positions from `from` to `from + step_s · v` (strain
    /// limits, collision impulses). Returns whether it did.
    fn filter_velocity(
        &mut self,
        _stage: Stage,
        _from: &[f64],
        _step_s: f64,
        _v: &mut [f64],
    ) -> bool {
        false
    }

    /// May change positions at the end of the step (push-out).
    fn filter_position(&mut self, _x: &mut [f64]) {}
}
