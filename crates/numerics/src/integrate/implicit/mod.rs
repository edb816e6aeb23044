//! The implicit equations of a step, whichever scheme they come from.
//!
//! A scheme gives the place `x̂` where inertia alone would lead, the place `base` that velocity
//! zero leads to, and [`Weights`] `α_v`, `α_d` and `s`. The new positions minimise
//!
//! ```text
//! Φ(x) = (x − x̂)ᵀ M (x − x̂) / 2s + E(x) + α_v R(v(x)),    v(x) = (x − base) / α_v
//! ```
//!
//! where `R` is the dissipation potential with frozen coefficients, half the power lost. One linear
//! solve with `A = M − α_d D − s K`, `α_d = s/α_v`, is the first Newton step from `x₀`, taken whole;
//! Newton repeats it with a line search on `Φ`. The matrix may lack indefinite terms, the residual
//! never does: so `Φ` decreases whatever the step size, and stopping early is safe though less
//! accurate.
//!
//! Whether one solve is enough is a question of energy, which `once` asks; where it is not, `newton`
//! goes on.
//!
//! The end velocity is filtered once, as the velocity that leads from `base` to the end, and the
//! positions follow it.
//!
//! The matrix may also be stiffer than the energy, where one solve would throw away what nothing holds
//! at the moment. How much of this matrix-only stiffness is needed depends on who checks the answer.

mod line_search;
mod newton;
mod once;
mod system;
mod tuning;

pub use system::{ImplicitSystem, Potential, Weights};

use super::{Info, Scratch, Stage, Start};
use crate::par;
use newton::Search;
use tuning::MAX_ACTIVE_SET_UPDATES;

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
    /// One linear solve where the linearisation holds as far as it leads, and Newton from its end where
    /// it does not, until one does.
    Trusted(NewtonParams),
    /// Line-searched Newton.
    Newton(NewtonParams),
}

/// Running sums of a sum over masses.
const LANES: usize = 8;

/// Coordinates one task updates.
pub(super) const VECTOR_GRAIN: usize = 2048;

/// Finds the positions at the end of the step, given `scratch.base` and `scratch.target` (which is `x̂`); they
/// are in `scratch.x`. To be followed by [`filter`].
///
/// A single solve is a linearisation where the step starts, wherever the search for its solution does.
pub(super) fn solve<S: ImplicitSystem>(
    system: &mut S,
    start: &Start<'_>,
    weights: &Weights,
    method: Method,
    scratch: &mut Scratch,
) -> Result<Info, S::Error> {
    let mut equations = Equations {
        system,
        start,
        weights,
        scratch,
        info: Info::default(),
    };
    let checked = match method {
        Method::Once => None,
        Method::Trusted(params) => Some(params),
        Method::Newton(params) => return equations.newton(params, Search::Whole),
    };
    par::copy(start.x, &mut equations.scratch.x);
    let needed = |params| equations.matrix_only_stiffness_needed(&params);
    let mut share = checked.map_or(1.0, needed);
    let potential = loop {
        equations.update_velocity();
        let Scratch { v, force, .. } = &mut *equations.scratch;
        let weights = weights.keeping(share);
        let potential = (equations.system).linearise(start.x, start.v, v, &weights, force);
        equations.set_right_hand_side();
        equations.guess_way();
        let mut solved = equations.solve_linear(1.0);
        for _ in 0..MAX_ACTIVE_SET_UPDATES {
            let Scratch {
                x, move_by, rhs, ..
            } = &mut *equations.scratch;
            if solved.is_err() || !equations.system.update_active_set(x, move_by, rhs) {
                break;
            }
            solved = equations.solve_linear(1.0);
        }
        match solved {
            Ok(()) => break potential,
            // So little was too little for the solver's precision.
            Err(_) if share < 1.0 => share = 1.0,
            Err(error) => return Err(error),
        }
    };
    let Scratch { x, move_by, .. } = &mut *equations.scratch;
    for (x, p) in x.iter_mut().zip(move_by) {
        *x += *p;
    }
    match checked {
        Some(params) if !equations.is_trusted(&potential) => {
            equations.newton(params, Search::GoesOn)
        }
        _ => Ok(equations.info),
    }
}

/// Sets the velocities that go with the positions at the end of the step, and filters both.
pub(super) fn filter<S: ImplicitSystem>(system: &mut S, weights: &Weights, scratch: &mut Scratch) {
    let Scratch { x, v, base, .. } = scratch;
    let alpha_s = weights.velocity_s;
    velocity_at(x, base, alpha_s, v);
    if system.filter_velocity(Stage::End, base, alpha_s, v) {
        for ((x, base), v) in x.iter_mut().zip(&*base).zip(&*v) {
            *x = base + alpha_s * v;
        }
    }
    system.filter_position(x);
}

/// The equations of one step, the iterate `scratch.x` and what it took to get there.
struct Equations<'a, S> {
    system: &'a mut S,
    start: &'a Start<'a>,
    weights: &'a Weights,
    scratch: &'a mut Scratch,
    info: Info,
}

impl<S: ImplicitSystem> Equations<'_, S> {
    /// Solves for the next move, to `slack` times the usual tolerance.
    fn solve_linear(&mut self, slack: f64) -> Result<(), S::Error> {
        let Scratch { rhs, move_by, .. } = &mut *self.scratch;
        let linear = self.system.solve(rhs, move_by, slack)?;
        self.info.count(linear);
        Ok(())
    }

    /// Sets the velocity of the iterate.
    fn update_velocity(&mut self) {
        let Scratch { x, v, base, .. } = &mut *self.scratch;
        velocity_at(x, base, self.weights.velocity_s, v);
    }

    /// `b = −s ∇Φ(x) = M (x̂ − x) + s f`.
    fn set_right_hand_side(&mut self) {
        let Scratch {
            x,
            target,
            force,
            rhs,
            ..
        } = &mut *self.scratch;
        let masses = self.system.coordinate_masses();
        let square_s2 = self.weights.stiffness_s2;
        let (x, target, force) = (&*x, &*target, &*force);
        par::for_each_leaf(rhs, VECTOR_GRAIN, move |first, leaf| {
            let range = first..first + leaf.len();
            let ways = target[range.clone()].iter().zip(&x[range.clone()]);
            let terms = masses[range.clone()].iter().zip(&force[range]).zip(ways);
            for (value, ((mass, force), (target, x))) in leaf.iter_mut().zip(terms) {
                *value = mass * (target - x) + square_s2 * force;
            }
        });
    }
}

fn velocity_at(x: &[f64], base: &[f64], alpha_s: f64, v: &mut [f64]) {
    par::for_each_leaf(v, VECTOR_GRAIN, move |first, leaf| {
        for ((v, x), base) in leaf.iter_mut().zip(&x[first..]).zip(&base[first..]) {
            *v = (x - base) / alpha_s;
        }
    });
}

/// The term of inertia in `Φ`.
fn inertia_j(masses: &[f64], x: &[f64], target: &[f64], weights: &Weights) -> f64 {
    let square = par::sum_leaves(x.len(), move |range| {
        weighted_square(&masses[range.clone()], &x[range.clone()], &target[range])
    });
    0.5 * square / weights.stiffness_s2
}

/// `(x − y)ᵀ M (x − y)` in several running sums, which need not wait for each other.
fn weighted_square(masses: &[f64], x: &[f64], y: &[f64]) -> f64 {
    let term = |m: f64, x: f64, y: f64| m * (x - y) * (x - y);
    let (masses, m_rest) = masses.as_chunks::<LANES>();
    let (x, x_rest) = x.as_chunks::<LANES>();
    let (y, y_rest) = y.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for ((m, x), y) in masses.iter().zip(x).zip(y) {
        for k in 0..LANES {
            lanes[k] += term(m[k], x[k], y[k]);
        }
    }
    let rest = m_rest.iter().zip(x_rest).zip(y_rest);
    lanes.iter().sum::<f64>() + rest.map(|((m, x), y)| term(*m, *x, *y)).sum::<f64>()
}
