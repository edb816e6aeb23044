//! A mechanical system as every scheme sees it.

/// Where in its step an integrator calls a filter hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// A velocity within the step, that moves positions but is not the velocity at its end.
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

/// A mechanical system as every scheme sees it: `M a = f(t, x, v)` with held coordinates. Implicit
/// schemes ask for an [`ImplicitSystem`](super::ImplicitSystem).
///
/// Velocity-dependent forces are linear in `v` once their coefficients (directions, drag,
/// friction) are frozen at a state; [`System::force`] freezes them.
///
/// Held coordinates have a prescribed motion: within a step, at constant velocity to where they
/// must be at its end.
pub trait System {
    /// Why a solve failed.
    type Error: std::error::Error;

    /// Mass of every coordinate, kg.
    fn coordinate_masses(&self) -> &[f64];

    /// From now on, what depends on time is taken at this share of the step: 0 is its start and 1,
    /// which holds until this is called, its end.
    fn set_instant(&mut self, _share: f64) {}

    /// `out = f(x, v)`; freezes velocity-dependent coefficients there.
    fn force(&mut self, x: &[f64], v: &[f64], out: &mut [f64]);

    /// Sets the held part of `p` to the displacement that takes `x` to where it must be at the
    /// end of the step, and leaves the free part as it is.
    fn prescribe(&self, x: &[f64], p: &mut [f64]);

    /// Sets the held part of `v` to the constant velocity that takes `x`, the start of a step of
    /// `step_s`, to where it must be at its end, and leaves the free part as it is.
    fn prescribe_velocity(&self, x: &[f64], step_s: f64, v: &mut [f64]);

    /// Takes the held part out of an acceleration.
    fn project(&self, a: &mut [f64]);

    /// Solves `(M − damping_s D) p = b` for the free part of `p`, the held part being zero, with
    /// `D` at `x` and the coefficients that the last [`System::force`] froze.
    fn solve_damped(
        &mut self,
        x: &[f64],
        damping_s: f64,
        b: &[f64],
        p: &mut [f64],
    ) -> Result<LinearInfo, Self::Error>;

    /// May change a velocity that takes positions from `from` to `from + step_s · v` (strain
    /// limits, impulses). Returns whether it did.
    fn filter_velocity(
        &mut self,
        _stage: Stage,
        _from: &[f64],
        _step_s: f64,
        _v: &mut [f64],
    ) -> bool {
        false
    }

    /// May change positions at the end of the step.
    fn filter_position(&mut self, _x: &mut [f64]) {}
}
