//! Time integrators over a [`System`].
//!
//! Positions, velocities and forces are flat slices of coordinates, so that one integrator serves
//! two and three dimensions. An integrator never sees elements or matrices: it asks a [`System`] for
//! forces, and an [`ImplicitSystem`] to linearise itself and to solve.
//!
//! | file | scheme | forces | order |
//! |---|---|---|---|
//! | [`symplectic_euler`] | velocity first, then positions with it | explicit | 1 |
//! | [`central_difference`] | leapfrog with synchronised velocities | explicit | 2 |
//! | [`rk4`] | classical Runge–Kutta | explicit | 4 |
//! | [`backward_euler`], [`bdf2`] | backward differences, by [`multistep`] | implicit | 1, 2 |
//! | [`trapezoidal`], [`newmark`] | Newmark's family | implicit | 2 (1 if γ ≠ ½) |
//! | [`leapfrog_trapezoid`], [`central_newmark`], [`improved_variable_step`] | elastic forces explicit, dampers implicit | mixed | 2 |
//!
//! The implicit ones share [`implicit`], the others [`stage`].

pub mod backward_euler;
pub mod bdf2;
pub mod central_difference;
pub mod central_newmark;
pub mod implicit;
pub mod improved_variable_step;
pub mod leapfrog_trapezoid;
pub mod multistep;
pub mod newmark;
pub mod rk4;
pub mod stability;
pub mod stage;
pub mod symplectic_euler;
mod system;
pub mod trapezoidal;

pub use implicit::{ImplicitSystem, Method, NewtonParams, Potential, Weights};
pub use stability::Rates;
pub use system::{LinearInfo, Stage, System};

use bdf2::History;
use std::ops::AddAssign;

/// Where a step starts.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// Positions.
    pub x: &'a [f64],
    /// Velocities.
    pub v: &'a [f64],
    /// One step earlier, for two-step schemes.
    pub history: Option<&'a History>,
    /// Accelerations that the last step ended with, for Newmark's family.
    pub acceleration: Option<&'a [f64]>,
    /// Where an implicit scheme begins its search for the end; at the start itself if not said.
    pub guess: Option<&'a [f64]>,
}

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Info {
    /// Linear solves.
    pub solves: u32,
    /// Linear iterations of all solves together.
    pub linear_iterations: u32,
    /// Largest iteration count of one solve.
    pub linear_iterations_max: u32,
    /// Solves that missed their tolerance.
    pub unconverged_solves: u32,
    /// Whether the nonlinear equations were solved to tolerance (claimed by Newton alone).
    pub converged: bool,
}

impl Info {
    fn count(&mut self, linear: LinearInfo) {
        self.solves += 1;
        self.linear_iterations += linear.iterations;
        self.linear_iterations_max = self.linear_iterations_max.max(linear.iterations);
        self.unconverged_solves += u32::from(!linear.converged);
    }
}

impl AddAssign for Info {
    /// Goes on with `next`, whose end counts.
    fn add_assign(&mut self, next: Self) {
        self.solves += next.solves;
        self.linear_iterations += next.linear_iterations;
        self.linear_iterations_max = self.linear_iterations_max.max(next.linear_iterations_max);
        self.unconverged_solves += next.unconverged_solves;
        self.converged = next.converged;
    }
}

/// Scratch vectors and the candidate end of the step.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// Positions at the end of the step.
    pub x: Vec<f64>,
    /// Velocities at the end of the step.
    pub v: Vec<f64>,
    /// Accelerations at the end of the step, by Newmark's family alone.
    pub acceleration: Vec<f64>,
    /// Where velocity zero leads; for explicit schemes, the velocity at the start.
    base: Vec<f64>,
    /// Where inertia leads; for explicit schemes, a mean.
    target: Vec<f64>,
    force: Vec<f64>,
    rhs: Vec<f64>,
    move_by: Vec<f64>,
    trial: Vec<f64>,
}

impl Scratch {
    fn resize(&mut self, n: usize) {
        for vector in [
            &mut self.x,
            &mut self.v,
            &mut self.base,
            &mut self.target,
            &mut self.force,
            &mut self.rhs,
            &mut self.move_by,
            &mut self.trial,
        ] {
            vector.resize(n, 0.0);
        }
    }
}
