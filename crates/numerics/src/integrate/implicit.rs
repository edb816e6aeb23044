//! One implicit step of the family `x₁ = x₀ + c d + βΔt v₁`, `v₁ = v₀ + c e + βΔt M⁻¹ f(x₁, v₁)`,
//! which holds backward Euler and BDF2.
//!
//! With `α = βΔt` and `x̂ = x₀ + c d + α (v₀ + c e)` the new positions minimise
//!
//! ```text
//! Φ(x) = (x − x̂)ᵀ M (x − x̂) / 2α² + E(x) + R(v(x)),    v(x) = (x − x₀ − c d) / α
//! ```
//!
//! where `R` is the dissipation potential with frozen coefficients. One linear solve is the first
//! Newton step from `x₀`, taken whole; Newton repeats it with a line search on `Φ`. The matrix may
//! lack indefinite terms, the residual never does: so `Φ` decreases whatever the step size, and
//! stopping early is safe though less accurate.
//!
//! The matrix may also be padded: stiffer than the energy, so that one solve does not throw away
//! what nothing holds at the moment. Newton has its line search for that, and padding makes it
//! creep: every iteration moves too little wherever the padding acts. So from the third iteration
//! on the padding is taken back as long as whole moves are accepted, and restored when they are
//! not, as a trust region would be.

use super::bdf2::History;
use super::{Stage, System};
use crate::par;

/// The member of the family.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coefficients {
    /// Weight of the end of the step.
    pub beta: f64,
    /// Weight of the last step's change.
    pub c: f64,
}

/// When Newton stops, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonParams {
    /// Converged when no coordinate moves further than this.
    pub tolerance_m: f64,
    /// No coordinate moves further than this in one iteration.
    pub max_move_m: f64,
    /// Iterations after which the step is taken as it is.
    pub max_iterations: u32,
}

/// How the implicit equations are solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// One linear solve.
    Once,
    /// Line-searched Newton.
    Newton(NewtonParams),
}

/// Where a step starts.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// Positions.
    pub x: &'a [f64],
    /// Velocities.
    pub v: &'a [f64],
    /// One step earlier; needed if `c ≠ 0`.
    pub history: Option<&'a History>,
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
    /// Whether the nonlinear equations were solved to tolerance (never claimed by one solve).
    pub converged: bool,
}

impl Info {
    fn count(&mut self, linear: super::LinearInfo) {
        self.solves += 1;
        self.linear_iterations += linear.iterations;
        self.linear_iterations_max = self.linear_iterations_max.max(linear.iterations);
        self.unconverged_solves += u32::from(!linear.converged);
    }
}

/// Scratch vectors and the candidate end of the step.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// Positions at the end of the step.
    pub x: Vec<f64>,
    /// Velocities at the end of the step.
    pub v: Vec<f64>,
    /// `x₀ + c d`: where velocity zero leads.
    base: Vec<f64>,
    /// `x̂`.
    target: Vec<f64>,
    force: Vec<f64>,
    rhs: Vec<f64>,
    move_by: Vec<f64>,
    trial: Vec<f64>,
}

/// Armijo's share of the predicted decrease.
const SUFFICIENT_DECREASE: f64 = 1e-4;
/// How much less exactly the first of several Newton directions is solved for: the second one
/// corrects its error together with that of the linearisation.
const FIRST_SLACK: f64 = 10.0;
/// Halvings before a direction is given up. Interpolated shares would save some, but they depend
/// on how fast the system travels as a whole, and then a moving frame sees another motion.
const MAX_HALVINGS: u32 = 40;
/// Padding after a whole move was accepted, and after a short one, relative to before.
const PADDING_FALL: f64 = 0.5;
const PADDING_RISE: f64 = 4.0;
/// Padding below which nothing is gained: the terms left out of the matrix then decide how fast
/// Newton converges, while a matrix all but singular costs iterations and digits.
const LEAST_PADDING: f64 = 1e-3;

/// Coordinates one task updates.
const VECTOR_GRAIN: usize = 2048;

/// Takes one step of length `step_s`; the result is in `scratch.x` and `scratch.v`.
pub fn step<S: System>(
    system: &mut S,
    start: &Start<'_>,
    step_s: f64,
    coefficients: Coefficients,
    method: Method,
    scratch: &mut Scratch,
) -> Result<Info, S::Error> {
    let alpha_s = coefficients.beta * step_s;
    predict(start, coefficients.c, alpha_s, scratch);
    system.set_padding(1.0);
    let mut info = Info::default();
    match method {
        Method::Once => solve_once(system, start, alpha_s, scratch, &mut info)?,
        Method::Newton(params) => newton(system, start, alpha_s, params, scratch, &mut info)?,
    }
    let Scratch { x, v, base, .. } = scratch;
    velocity_at(x, base, alpha_s, v);
    if system.filter_velocity(Stage::End, base, alpha_s, v) {
        for ((x, base), v) in x.iter_mut().zip(&*base).zip(&*v) {
            *x = base + alpha_s * v;
        }
    }
    system.filter_position(x);
    Ok(info)
}

fn predict(start: &Start<'_>, c: f64, alpha_s: f64, scratch: &mut Scratch) {
    let n = start.x.len();
    for vector in [
        &mut scratch.x,
        &mut scratch.v,
        &mut scratch.base,
        &mut scratch.target,
        &mut scratch.force,
        &mut scratch.rhs,
        &mut scratch.move_by,
        &mut scratch.trial,
    ] {
        vector.resize(n, 0.0);
    }
    par::copy(start.x, &mut scratch.x);
    let history = start.history.filter(|_| c != 0.0);
    let arrays = (&mut scratch.base[..], &mut scratch.target[..]);
    par::for_each_row_pair(arrays, (1, 1), VECTOR_GRAIN, &|i, base, target| {
        let (x, v) = (start.x[i], start.v[i]);
        let (d, e) = history.map_or((0.0, 0.0), |past| {
            (x - past.positions[i], v - past.velocities[i])
        });
        base[0] = x + c * d;
        target[0] = x + c * d + alpha_s * (v + c * e);
    });
}

fn velocity_at(x: &[f64], base: &[f64], alpha_s: f64, v: &mut [f64]) {
    par::for_each_leaf(v, VECTOR_GRAIN, &|first, leaf| {
        for ((v, x), base) in leaf.iter_mut().zip(&x[first..]).zip(&base[first..]) {
            *v = (x - base) / alpha_s;
        }
    });
}

/// `b = −α² ∇Φ(x) = M (x̂ − x) + α² f`.
fn right_hand_side(masses: &[f64], scratch: &mut Scratch, alpha_s: f64) {
    let Scratch {
        x,
        target,
        force,
        rhs,
        ..
    } = scratch;
    let (x, target, force) = (&*x, &*target, &*force);
    par::for_each_leaf(rhs, VECTOR_GRAIN, &|first, leaf| {
        for (k, value) in leaf.iter_mut().enumerate() {
            let i = first + k;
            *value = masses[i] * (target[i] - x[i]) + alpha_s * alpha_s * force[i];
        }
    });
}

fn solve_once<S: System>(
    system: &mut S,
    start: &Start<'_>,
    alpha_s: f64,
    scratch: &mut Scratch,
    info: &mut Info,
) -> Result<(), S::Error> {
    velocity_at(&scratch.x, &scratch.base, alpha_s, &mut scratch.v);
    system.linearise(start.x, start.v, &scratch.v, alpha_s, &mut scratch.force);
    right_hand_side(system.coordinate_masses(), scratch, alpha_s);
    // Free flight is the first guess: most of a falling cloth does just that.
    for i in 0..scratch.x.len() {
        scratch.move_by[i] = scratch.target[i] - scratch.x[i];
    }
    system.add_free_flight(alpha_s, &mut scratch.move_by);
    system.prescribe(&scratch.x, &mut scratch.move_by);
    info.count(system.solve(&scratch.rhs, &mut scratch.move_by, 1.0)?);
    for (x, p) in scratch.x.iter_mut().zip(&scratch.move_by) {
        *x += p;
    }
    Ok(())
}

fn newton<S: System>(
    system: &mut S,
    start: &Start<'_>,
    alpha_s: f64,
    params: NewtonParams,
    scratch: &mut Scratch,
    info: &mut Info,
) -> Result<(), S::Error> {
    // Held coordinates move first, so that every later iterate satisfies the constraints and Φ
    // is compared on equal terms.
    system.carry(&scratch.x, &scratch.target, alpha_s, &mut scratch.move_by);
    system.prescribe(&scratch.x, &mut scratch.move_by);
    for (x, p) in scratch.x.iter_mut().zip(&scratch.move_by) {
        *x += p;
    }
    let mut padding = Padding::default();
    for iteration in 0..params.max_iterations {
        system.set_padding(padding.share);
        velocity_at(&scratch.x, &scratch.base, alpha_s, &mut scratch.v);
        let frozen_v = if iteration == 0 { start.v } else { &scratch.v };
        let potential = system.linearise(
            &scratch.x,
            frozen_v,
            &scratch.v,
            alpha_s,
            &mut scratch.force,
        );
        right_hand_side(system.coordinate_masses(), scratch, alpha_s);
        if iteration == 0 {
            let Scratch {
                x, target, move_by, ..
            } = &mut *scratch;
            let (x, target) = (&*x, &*target);
            par::fill(move_by, |i| target[i] - x[i]);
            system.add_free_flight(alpha_s, move_by);
        } else {
            par::fill(&mut scratch.move_by, |_| 0.0);
        }
        system.prescribe(&scratch.x, &mut scratch.move_by);
        let rough = iteration == 0 && params.max_iterations > 1;
        let slack = if rough { FIRST_SLACK } else { 1.0 };
        match system.solve(&scratch.rhs, &mut scratch.move_by, slack) {
            Ok(linear) => info.count(linear),
            // So little padding was too little for the solver's precision.
            Err(_) if padding.share < 1.0 => {
                padding.refuse();
                continue;
            }
            Err(error) => return Err(error),
        }

        let largest = par::max_abs(&scratch.move_by);
        if largest > params.max_move_m {
            let shrink = params.max_move_m / largest;
            scratch.move_by.iter_mut().for_each(|p| *p *= shrink);
        }
        let moved = line_search(system, alpha_s, potential, scratch);
        // It is the whole move that must be small: a small share of a large one is no
        // convergence, and neither is a small move found by a rough solve.
        if largest <= params.tolerance_m && !rough {
            info.converged = true;
            break;
        }
        if moved == 0.0 && padding.share == 1.0 {
            // No share of this direction helps, and the next one would be the same.
            break;
        }
        if iteration > 0 {
            padding.adapt(moved);
        }
    }
    Ok(())
}

/// How much of the matrix's padding is kept.
struct Padding {
    share: f64,
    least: f64,
}

impl Default for Padding {
    fn default() -> Self {
        Self {
            share: 1.0,
            least: LEAST_PADDING,
        }
    }
}

impl Padding {
    /// After a line search that took the share `moved` of the move.
    fn adapt(&mut self, moved: f64) {
        if moved == 0.0 {
            self.share = 1.0;
        } else if moved == 1.0 {
            self.share = (self.share * PADDING_FALL).max(self.least);
        } else if moved < 0.5 {
            self.share = (self.share * PADDING_RISE).min(1.0);
        }
    }

    /// After a solve that failed: never as little again.
    fn refuse(&mut self) {
        self.least = (self.share * PADDING_RISE).min(1.0);
        self.share = 1.0;
    }
}

/// Moves `x` along `move_by` as far as `Φ` decreases enough; returns the share of it taken.
/// `potential` is the system's at `x`.
fn line_search<S: System>(
    system: &mut S,
    alpha_s: f64,
    potential: f64,
    scratch: &mut Scratch,
) -> f64 {
    let Scratch {
        x,
        v,
        base,
        target,
        rhs,
        move_by,
        trial,
        ..
    } = scratch;
    let slope = -par::dot(rhs, move_by) / (alpha_s * alpha_s);
    let inertia = |system: &S, x: &[f64]| {
        let masses = system.coordinate_masses();
        let square = par::sum(x.len(), |i| masses[i] * (x[i] - target[i]).powi(2));
        0.5 * square / (alpha_s * alpha_s)
    };
    let before = inertia(system, x) + potential;
    let size = inertia(system, x).abs() + potential.abs();
    // Differences below the rounding of Φ say nothing.
    let rounding = 64.0 * f64::EPSILON * size;
    let mut share = 1.0;
    for _ in 0..MAX_HALVINGS {
        let (from, along) = (&*x, &*move_by);
        par::for_each_leaf(trial, VECTOR_GRAIN, &|first, leaf| {
            for ((t, x), p) in leaf.iter_mut().zip(&from[first..]).zip(&along[first..]) {
                *t = x + share * p;
            }
        });
        velocity_at(trial, base, alpha_s, v);
        let after = inertia(system, trial) + system.potential(trial, v, alpha_s);
        if after <= before + SUFFICIENT_DECREASE * share * slope + rounding {
            par::copy(trial, x);
            return share;
        }
        share *= 0.5;
    }
    0.0
}
