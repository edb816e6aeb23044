//! A mechanical system as an integrator sees it.

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

/// How an implicit step weighs dampers and springs: its matrix is
/// `A = M − damping_s D − stiffness_s2 K`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Weights {
    /// Change of position for a change of the end velocity, s.
    pub velocity_s: f64,
    /// Weight of `D`, s.
    pub damping_s: f64,
    /// Weight of `K`, s².
    pub stiffness_s2: f64,
}

impl Weights {
    /// Those of a scheme that takes positions and velocities to their end in the same way:
    /// `A = M − α D − α² K`.
    pub fn uniform(alpha_s: f64) -> Self {
        Self {
            velocity_s: alpha_s,
            damping_s: alpha_s,
            stiffness_s2: alpha_s * alpha_s,
        }
    }
}

/// A mechanical system as an integrator sees it: `M a = f(t, x, v)` with held coordinates.
///
/// Velocity-dependent forces are linear in `v` once their coefficients (directions, drag,
/// friction) are frozen at a state; [`System::linearise`] freezes them, so that a step's
/// dissipation has a potential and a line search has something to decrease.
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

    /// Freezes velocity-dependent coefficients at `(x, frozen_v)`, prepares
    /// `A = M − α_d D − s K` there, sets `force = f(x, v)` with those coefficients, and returns the
    /// potential at `(x, v)`, as [`System::potential`] would.
    fn linearise(
        &mut self,
        x: &[f64],
        frozen_v: &[f64],
        v: &[f64],
        weights: &Weights,
        force: &mut [f64],
    ) -> f64;

    /// Sets the share, 0 to 1, that the next linearisations keep of the matrix's padding: of the
    /// stiffness that the matrix has and the energy has not.
    fn set_padding(&mut self, _share: f64) {}

    /// Elastic and external energy at `x` plus `velocity_s` times half the power dissipated at `v`,
    /// with the coefficients frozen by the last [`System::linearise`], J.
    fn potential(&mut self, x: &[f64], v: &[f64], velocity_s: f64) -> f64;

    /// Sets `p` to the translation that the step makes in any case, so that Newton's iterates do
    /// not depend on how fast the system moves as a whole. `target` is where free flight without
    /// gravity would lead; `square_s2` times the acceleration of gravity is what that adds.
    fn carry(&self, _x: &[f64], _target: &[f64], _square_s2: f64, p: &mut [f64]) {
        p.fill(0.0);
    }

    /// Sets the held part of `p` to the displacement that takes `x` to where it must be at the
    /// end of the step, and leaves the free part as it is.
    fn prescribe(&self, x: &[f64], p: &mut [f64]);

    /// Sets the held part of `v` to the constant velocity that takes `x`, the start of a step of
    /// `step_s`, to where it must be at its end, and leaves the free part as it is.
    fn prescribe_velocity(&self, x: &[f64], step_s: f64, v: &mut [f64]);

    /// Takes the held part out of an acceleration.
    fn project(&self, a: &mut [f64]);

    /// Adds `square_s2` times the acceleration of free flight to `p`: a better first guess, exact
    /// where nothing but gravity acts.
    fn add_free_flight(&self, _square_s2: f64, _p: &mut [f64]) {}

    /// After a solve that leads from `x` by `p`, looks again at what had to be guessed before it, such as
    /// which contacts are made. If a guess was wrong, takes back what of `p` makes things worse, changes
    /// the matrix and the right-hand side `b`, as seen from `x`, and returns true. Elements stay as
    /// linearised.
    fn reconsider(&mut self, _x: &[f64], _p: &mut [f64], _b: &mut [f64]) -> bool {
        false
    }

    /// After a solve `A p = b` that led from `x` by `p` to the velocity `v`: how much more potential there
    /// is than the linearisation foresaw, contacts left out, J. `inertia_j` is the change of the term of
    /// inertia on the way.
    fn overlooked_j(
        &mut self,
        _ahead: (&[f64], &[f64]),
        _p: &[f64],
        _b: &[f64],
        _inertia_j: f64,
    ) -> f64 {
        0.0
    }

    /// Improves a first guess `p` of the way from `x`.
    fn improve_guess(&self, _x: &[f64], _p: &mut [f64]) {}

    /// Solves `A p = b` for the free part of `p`, to `slack ≥ 1` times the usual tolerance; the
    /// held part stays. On entry `p` is a guess.
    fn solve(&mut self, b: &[f64], p: &mut [f64], slack: f64) -> Result<LinearInfo, Self::Error>;

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
