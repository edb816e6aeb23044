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
//! Whether one solve is enough is a question of energy. Links that are slack where the step is
//! linearised show it no stiffness, and may be far beyond their length at its end. What `Φ` then has
//! there above the linear prediction, the next step finds as energy that nobody has put in. The scheme
//! itself takes out the inertia term of `Φ`, in backward Euler half the mass times the square of the
//! change of velocity. So a solve is trusted where it overlooked no more than a share of that.
//!
//! The end velocity is filtered once, as the velocity that leads from `base` to the end, and the
//! positions follow it.
//!
//! The matrix may also be padded: stiffer than the energy, so that one solve does not throw away
//! what nothing holds at the moment. Newton has its line search for that, and padding makes it
//! creep: every iteration moves too little wherever the padding acts. So from the third iteration
//! on the padding is taken back as long as whole moves are accepted, and restored when they are
//! not, as a trust region would be. A single solve that is checked can do with less of it from the
//! start.

use super::{Info, Scratch, Stage, Start, System, Weights};
use crate::par;
use std::ops::Range;

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

/// Armijo's share of the predicted decrease.
const SUFFICIENT_DECREASE: f64 = 1e-4;
/// How much less exactly the first of several Newton directions is solved for: the second one
/// corrects its error together with that of the linearisation.
const FIRST_SLACK: f64 = 10.0;
/// Halvings before a direction is given up. Interpolated shares would save some, but they depend
/// on how fast the system travels as a whole, and then a moving frame sees another motion.
const MAX_HALVINGS: u32 = 40;
/// How much a trusted solve overlooks at most, as a share of what the scheme dissipates. Where nothing
/// kinks it overlooks next to nothing, where something does it is as much or many times more: the
/// number hardly matters.
const TRUSTED_SHARE: f64 = 0.5;
/// Padding of a solve that is checked. All of it holds back folds that form, and those that come to rest
/// creep for seconds; less has to be corrected more often.
const MOST_TRUSTED_PADDING: f64 = 0.1;
const LEAST_TRUSTED_PADDING: f64 = 0.01;
/// How much it would be for what flies as far as one iteration may move it.
const PADDING_OF_LONGEST_MOVE: f64 = 5.0;
/// Corrections of what a single linear solve had to guess.
const MOST_SECOND_THOUGHTS: u32 = 10;
/// Padding after a whole move was accepted, and after a short one, relative to before.
const PADDING_FALL: f64 = 0.5;
const PADDING_RISE: f64 = 4.0;
/// Padding below which nothing is gained: the terms left out of the matrix then decide how fast
/// Newton converges, while a matrix all but singular costs iterations and digits.
const LEAST_PADDING: f64 = 1e-3;

/// Coordinates that one sum takes in, and its running sums.
const LEAF: usize = 1024;
const LANES: usize = 8;

/// Coordinates one task updates.
pub(super) const VECTOR_GRAIN: usize = 2048;

/// Finds the end of the step, given `scratch.base` and `scratch.target` (which is `x̂`); the result is
/// in `scratch.x` and `scratch.v`.
pub(super) fn solve<S: System>(
    system: &mut S,
    start: &Start<'_>,
    weights: &Weights,
    method: Method,
    scratch: &mut Scratch,
) -> Result<Info, S::Error> {
    let info = find(system, start, weights, method, scratch)?;
    filter(system, weights, scratch);
    Ok(info)
}

/// Solves for the positions at the end of the step.
pub(super) fn find<S: System>(
    system: &mut S,
    start: &Start<'_>,
    weights: &Weights,
    method: Method,
    scratch: &mut Scratch,
) -> Result<Info, S::Error> {
    system.set_padding(1.0);
    let mut info = Info::default();
    // One solve is a linearisation where the step starts, wherever the search for its solution does.
    let from = match method {
        Method::Once | Method::Trusted(_) => start.x,
        Method::Newton(_) => start.guess.unwrap_or(start.x),
    };
    par::copy(from, &mut scratch.x);
    match method {
        Method::Once => solve_once(system, start, weights, scratch, &mut info)?,
        Method::Trusted(params) => {
            system.set_padding(padding_for(system, weights, &params, scratch));
            if solve_once(system, start, weights, scratch, &mut info).is_err() {
                // So little was too little for the solver's precision.
                system.set_padding(1.0);
                solve_once(system, start, weights, scratch, &mut info)?;
            }
            if !is_trusted(system, weights, scratch) {
                let search = Search {
                    goes_on: true,
                    params,
                };
                newton(system, start, weights, search, scratch, &mut info)?;
            }
        }
        Method::Newton(params) => {
            let search = Search {
                goes_on: false,
                params,
            };
            newton(system, start, weights, search, scratch, &mut info)?;
        }
    }
    Ok(info)
}

/// Sets the velocities that go with them, and filters both.
pub(super) fn filter<S: System>(system: &mut S, weights: &Weights, scratch: &mut Scratch) {
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

fn velocity_at(x: &[f64], base: &[f64], alpha_s: f64, v: &mut [f64]) {
    par::for_each_leaf(v, VECTOR_GRAIN, move |first, leaf| {
        for ((v, x), base) in leaf.iter_mut().zip(&x[first..]).zip(&base[first..]) {
            *v = (x - base) / alpha_s;
        }
    });
}

/// `b = −s ∇Φ(x) = M (x̂ − x) + s f`.
fn right_hand_side(masses: &[f64], scratch: &mut Scratch, square_s2: f64) {
    let Scratch {
        x,
        target,
        force,
        rhs,
        ..
    } = scratch;
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

fn solve_once<S: System>(
    system: &mut S,
    start: &Start<'_>,
    weights: &Weights,
    scratch: &mut Scratch,
    info: &mut Info,
) -> Result<(), S::Error> {
    velocity_at(
        &scratch.x,
        &scratch.base,
        weights.velocity_s,
        &mut scratch.v,
    );
    system.linearise(start.x, start.v, &scratch.v, weights, &mut scratch.force);
    right_hand_side(system.coordinate_masses(), scratch, weights.stiffness_s2);
    // Free flight is the first guess: most of a falling cloth does just that.
    let guess = start.guess.unwrap_or(&scratch.target);
    let way = guess.iter().zip(&scratch.x).map(|(guess, x)| guess - x);
    for (p, way) in scratch.move_by.iter_mut().zip(way) {
        *p = way;
    }
    if start.guess.is_none() {
        system.add_free_flight(weights.stiffness_s2, &mut scratch.move_by);
    }
    system.prescribe(&scratch.x, &mut scratch.move_by);
    if start.guess.is_none() {
        system.improve_guess(&scratch.x, &mut scratch.move_by);
    }
    info.count(system.solve(&scratch.rhs, &mut scratch.move_by, 1.0)?);
    for _ in 0..MOST_SECOND_THOUGHTS {
        let Scratch {
            x, move_by, rhs, ..
        } = &mut *scratch;
        if !system.reconsider(x, move_by, rhs) {
            break;
        }
        info.count(system.solve(rhs, move_by, 1.0)?);
    }
    for (x, p) in scratch.x.iter_mut().zip(&scratch.move_by) {
        *x += p;
    }
    Ok(())
}

/// How much padding a single solve needs: what would not fly far in this step needs little.
fn padding_for<S: System>(
    system: &S,
    weights: &Weights,
    params: &NewtonParams,
    scratch: &mut Scratch,
) -> f64 {
    let Scratch {
        x, target, trial, ..
    } = scratch;
    // How the cloth moves as a whole tears nothing.
    system.carry(x, target, weights.stiffness_s2, trial);
    for (way, (target, x)) in trial.iter_mut().zip(target.iter().zip(&*x)) {
        *way = target - x - *way;
    }
    let farthest_m = par::max_abs(trial);
    let padding = PADDING_OF_LONGEST_MOVE * farthest_m / params.max_move_m;
    padding.clamp(LEAST_TRUSTED_PADDING, MOST_TRUSTED_PADDING)
}

/// Whether the linearisation holds at the end of the move that was just made.
fn is_trusted<S: System>(system: &mut S, weights: &Weights, scratch: &mut Scratch) -> bool {
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
    let (at, along) = (&*x, &*move_by);
    par::fill(trial, |i| at[i] - along[i]);
    let masses = system.coordinate_masses();
    let before_j = inertia_j(masses, trial, target, weights);
    let after_j = inertia_j(masses, x, target, weights);
    velocity_at(x, base, weights.velocity_s, v);
    let overlooked_j = system.overlooked_j((x, v), move_by, rhs, after_j - before_j);
    2.0 * overlooked_j <= TRUSTED_SHARE * after_j
}

/// The work of what is left of the residual on the way from the start of the step: energy that the step
/// gives, with the right-hand side as it is at `x`.
fn gained_j<S: System>(
    system: &S,
    start: &Start<'_>,
    weights: &Weights,
    scratch: &mut Scratch,
) -> f64 {
    let Scratch { x, rhs, trial, .. } = scratch;
    par::copy(rhs, trial);
    system.project(trial);
    let work = par::sum(x.len(), |i| trial[i] * (start.x[i] - x[i]));
    work / weights.stiffness_s2
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

/// How Newton searches.
struct Search {
    params: NewtonParams,
    /// From the end of a single solve, until one is to be trusted.
    goes_on: bool,
}

fn newton<S: System>(
    system: &mut S,
    start: &Start<'_>,
    weights: &Weights,
    Search { params, goes_on }: Search,
    scratch: &mut Scratch,
    info: &mut Info,
) -> Result<(), S::Error> {
    // Held coordinates move first, so that every later iterate satisfies the constraints and Φ
    // is compared on equal terms.
    let square_s2 = weights.stiffness_s2;
    let starts = start.guess.is_none() && !goes_on;
    if starts {
        system.carry(&scratch.x, &scratch.target, square_s2, &mut scratch.move_by);
    } else {
        par::fill(&mut scratch.move_by, |_| 0.0);
    }
    system.prescribe(&scratch.x, &mut scratch.move_by);
    let way = &scratch.move_by;
    par::for_each_leaf(&mut scratch.x, VECTOR_GRAIN, move |first, leaf| {
        for (x, p) in leaf.iter_mut().zip(&way[first..]) {
            *x += p;
        }
    });
    let mut padding = Padding::default();
    for iteration in 0..params.max_iterations {
        system.set_padding(padding.share);
        velocity_at(
            &scratch.x,
            &scratch.base,
            weights.velocity_s,
            &mut scratch.v,
        );
        let frozen_v = if iteration == 0 && !goes_on {
            start.v
        } else {
            &scratch.v
        };
        let potential = system.linearise(
            &scratch.x,
            frozen_v,
            &scratch.v,
            weights,
            &mut scratch.force,
        );
        right_hand_side(system.coordinate_masses(), scratch, weights.stiffness_s2);
        if goes_on && iteration > 0 {
            let gained_j = gained_j(system, start, weights, scratch);
            let masses = system.coordinate_masses();
            let dissipated_j = inertia_j(masses, &scratch.x, &scratch.target, weights);
            if gained_j <= TRUSTED_SHARE * dissipated_j {
                break;
            }
        }
        let flies = iteration == 0 && starts;
        if flies {
            let Scratch {
                x, target, move_by, ..
            } = &mut *scratch;
            let (x, target) = (&*x, &*target);
            par::fill(move_by, |i| target[i] - x[i]);
            system.add_free_flight(weights.stiffness_s2, move_by);
        } else {
            par::fill(&mut scratch.move_by, |_| 0.0);
        }
        system.prescribe(&scratch.x, &mut scratch.move_by);
        if flies {
            system.improve_guess(&scratch.x, &mut scratch.move_by);
        }
        let rough = iteration == 0 && params.max_iterations > 1 && !goes_on;
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

        let mut way = Way::of(system.coordinate_masses(), scratch);
        let largest = way.largest_m;
        if largest > params.max_move_m {
            let shrink = params.max_move_m / largest;
            scratch.move_by.iter_mut().for_each(|p| *p *= shrink);
            way = Way::of(system.coordinate_masses(), scratch);
        }
        let moved = line_search(system, weights, (potential, &way), scratch);
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

/// What a line search must know of the move from `x` along `move_by`, found in one pass.
struct Way {
    /// Largest coordinate, m.
    largest_m: f64,
    /// `bᵀp`.
    along: f64,
    /// `(x − x̂)ᵀM(x − x̂)` where it starts.
    square: f64,
}

impl Way {
    fn of(masses: &[f64], scratch: &Scratch) -> Self {
        let Scratch {
            x,
            target,
            rhs,
            move_by,
            ..
        } = scratch;
        let of_leaf = move |range: Range<usize>| {
            let way = &move_by[range.clone()];
            Self {
                largest_m: way.iter().fold(0.0, |largest, p| p.abs().max(largest)),
                along: par::dot_here(&rhs[range.clone()], way),
                square: weighted_square(&masses[range.clone()], &x[range.clone()], &target[range]),
            }
        };
        par::sum_leaves_with(x.len(), of_leaf, |a, b| Self {
            largest_m: a.largest_m.max(b.largest_m),
            along: a.along + b.along,
            square: a.square + b.square,
        })
    }
}

/// Moves `x` along `move_by` as far as `Φ` decreases enough; returns the share of it taken.
/// `potential` is the system's at `x`.
fn line_search<S: System>(
    system: &mut S,
    weights: &Weights,
    (potential, way): (f64, &Way),
    scratch: &mut Scratch,
) -> f64 {
    let Scratch {
        x,
        v,
        base,
        target,
        move_by,
        trial,
        ..
    } = scratch;
    let alpha_s = weights.velocity_s;
    let slope = -way.along / weights.stiffness_s2;
    let inertia = 0.5 * way.square / weights.stiffness_s2;
    let before = inertia + potential;
    // Differences below the rounding of Φ say nothing.
    let rounding = 64.0 * f64::EPSILON * (inertia.abs() + potential.abs());
    let mut share = 1.0;
    for _ in 0..MAX_HALVINGS {
        let (from, along) = (&*x, &*move_by);
        let masses = system.coordinate_masses();
        // In one pass: where that leads to, how fast, and the term of inertia there.
        let square = par::sum_leaves_mut((trial, v), LEAF, |first, trial, v| {
            let range = first..first + trial.len();
            let ways = from[range.clone()].iter().zip(&along[range.clone()]);
            let ends = trial.iter_mut().zip(&mut *v).zip(&base[range.clone()]);
            for (((trial, v), base), (from, along)) in ends.zip(ways) {
                *trial = from + share * along;
                *v = (*trial - base) / alpha_s;
            }
            weighted_square(&masses[range.clone()], trial, &target[range])
        });
        let inertia = 0.5 * square / weights.stiffness_s2;
        let after = inertia + system.potential(trial, v, alpha_s);
        if after <= before + SUFFICIENT_DECREASE * share * slope + rounding {
            std::mem::swap(trial, x);
            return share;
        }
        share *= 0.5;
    }
    0.0
}
