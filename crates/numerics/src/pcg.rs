//! Preconditioned conjugate gradients with the constraint filter inside the iteration.
//!
//! Solves `S A S y = S (b − A x_c)` for the free part `y`, where `S` is the filter and `x_c` the
//! prescribed part of the unknowns. Filtering every residual and direction keeps the iteration in
//! the free space; correcting the answer afterwards instead would give a different, wrong answer.

use crate::operator::{Filter, Operator, Preconditioner};
use crate::{Scalar, par};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use thiserror::Error;

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// Stop when the filtered residual is this small relative to the reference: the largest of the
    /// filtered right-hand side, the residual at the first guess, and `least_reference`.
    pub tolerance: f64,
    /// The smallest right-hand side that is worth resolving: near equilibrium the right-hand side
    /// vanishes, and a purely relative tolerance would chase rounding.
    pub least_reference: f64,
    /// The reference itself, where the right-hand side is no measure: stiff contacts have large
    /// forces at the start that the answer is to undo, and a share of them would be too coarse for
    /// everything else.
    pub reference: Option<f64>,
    /// Stop after this many iterations at the latest.
    pub max_iterations: u32,
    /// Whether matrix and preconditioner are positive definite by construction: then a product
    /// that is not positive shows that precision is exhausted, and ends the iteration as if its
    /// count had run out.
    pub definite: bool,
}

/// How it went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Info {
    /// Iterations done.
    pub iterations: u32,
    /// Norm of the filtered residual over the reference.
    pub relative_residual: f64,
    /// Whether the tolerance was met. Missing it is not an error: the iterate is still the best
    /// in its Krylov space.
    pub converged: bool,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum Error {
    /// The matrix or preconditioner is not positive definite on the free space.
    #[error(
        "the matrix is not positive definite: curvature {curvature:e} at iteration {iteration}"
    )]
    Indefinite {
        /// Iteration at which it showed.
        iteration: u32,
        /// `pᵀAp` or `rᵀP⁻¹r`, whichever was not positive.
        curvature: f64,
    },
    /// An infinite or undefined number appeared.
    #[error("a number is not finite at iteration {iteration}")]
    NonFinite {
        /// Iteration at which it showed.
        iteration: u32,
    },
    /// The direct solver could not factor the matrix.
    #[error("the matrix has no Cholesky factors: it is not positive definite, or memory ran out")]
    NoFactors,
    /// The vectors do not fit the operator.
    #[error("expected vectors of length {expected}, got {found}")]
    Length {
        /// Length of the operator.
        expected: usize,
        /// Length of the vector.
        found: usize,
    },
}

/// Scratch vectors, kept between solves.
#[derive(Clone, Debug, Default)]
pub struct Workspace<T> {
    residual: Vec<T>,
    preconditioned: Vec<T>,
    direction: Vec<T>,
    image: Vec<T>,
    doubt: Vec<T>,
    history: Option<Vec<f64>>,
}

impl<T> Workspace<T> {
    /// Whether solves record their residuals.
    pub fn record(&mut self, record: bool) {
        self.history = record.then(Vec::new);
    }

    /// Relative residual of the last solve at its start and after every iteration; empty unless
    /// recorded.
    pub fn history(&self) -> &[f64] {
        self.history.as_deref().unwrap_or_default()
    }
}

/// A linear system with its constraints.
pub struct Problem<'a, T: Scalar> {
    /// The matrix `A`.
    pub operator: &'a dyn Operator<T>,
    /// The projection `S` onto free motion.
    pub filter: &'a dyn Filter<T>,
    /// The right-hand side `b`.
    pub rhs: &'a [T],
    /// A direction in which the first guess, if there is one, may be off by some share.
    pub doubt: Option<&'a [T]>,
}

/// Solves `problem` for `x`. On entry the held part of `x` is the prescribed value, which stays
/// as it is, and its free part the direction of a first guess.
pub fn solve<T: Scalar>(
    problem: &Problem<'_, T>,
    preconditioner: &mut dyn Preconditioner<T>,
    params: &Params,
    x: &mut [T],
    work: &mut Workspace<T>,
) -> Result<Info, Error> {
    let n = problem.operator.len();
    for found in [problem.rhs.len(), x.len()] {
        if found != n {
            return Err(Error::Length { expected: n, found });
        }
    }
    for vector in [
        &mut work.residual,
        &mut work.preconditioned,
        &mut work.direction,
        &mut work.image,
    ] {
        vector.resize(n, T::default());
    }

    let (reference, mut square) = start(problem, params, x, work);
    let Workspace {
        residual,
        preconditioned,
        direction,
        image,
        history,
        ..
    } = work;
    if let Some(history) = history {
        history.clear();
    }
    let mut info = Info::default();
    let mut rz = 0.0;
    loop {
        if !(square.is_finite() && reference.is_finite()) {
            return Err(Error::NonFinite {
                iteration: info.iterations,
            });
        }
        info.relative_residual = if reference > 0.0 {
            (square / reference).sqrt()
        } else {
            0.0
        };
        if let Some(history) = history {
            history.push(info.relative_residual);
        }
        info.converged = info.relative_residual <= params.tolerance;
        if info.converged || info.iterations >= params.max_iterations {
            return Ok(info);
        }

        let rz_before = rz;
        rz = preconditioner.apply_dot(residual, preconditioned);
        rz += problem.filter.project_beside(preconditioned, residual);
        if !positive(rz, (residual, preconditioned), params, info.iterations)? {
            return Ok(info);
        }
        let momentum = if info.iterations == 0 {
            0.0
        } else {
            rz / rz_before
        };
        let beta = T::from_f64(momentum);
        let z = &*preconditioned;
        par::for_each_leaf(direction, VECTOR_GRAIN, move |first, leaf| {
            for (p, z) in leaf.iter_mut().zip(&z[first..]) {
                *p = *z + beta * *p;
            }
        });

        let mut curvature = problem.operator.apply_dot(direction, image);
        curvature += problem.filter.project_beside(image, direction);
        if !positive(curvature, (direction, image), params, info.iterations)? {
            return Ok(info);
        }
        let alpha = T::from_f64(rz / curvature);
        square = advance(x, residual, direction, image, alpha);
        info.iterations += 1;
    }
}

/// `x += α p`, `r −= α q`, and the new `rᵀr`, in one pass and in a fixed order.
fn advance<T: Scalar>(x: &mut [T], r: &mut [T], p: &[T], q: &[T], alpha: T) -> f64 {
    par::sum_leaves_mut((x, r), LEAF, move |first, x, r| {
        add_multiple(alpha, &p[first..], x);
        subtract_multiple(alpha, &q[first..], r);
        par::dot_here(r, r)
    })
}

/// Share of a long sum's rounding that one projection commits.
const FILTER_ROUNDING: f64 = 1.0 / 64.0;

/// Elements that one running sum of squares takes in.
const LEAF: usize = 1024;

/// Elements of a vector one task updates.
const VECTOR_GRAIN: usize = 2048;

/// Sets the residual to `S (b − A x)` and returns the squares of the reference norm and of its own.
///
/// A guess `y` that is not good enough as it stands is scaled to `θ y`, `θ = yᵀ(b − A x_c) / yᵀAy`,
/// the best multiple of it in the energy norm. Its residual may well be larger than that of no
/// guess at all: a smooth motion that is nearly right leaves large forces in stiff links, which the
/// first iterations remove, while the smooth part would take many. Where a part of the guess is in
/// doubt, the best combination of both is taken.
fn start<T: Scalar>(
    problem: &Problem<'_, T>,
    params: &Params,
    x: &mut [T],
    work: &mut Workspace<T>,
) -> (f64, f64) {
    let Workspace {
        residual,
        direction: guess,
        preconditioned: held,
        image,
        ..
    } = work;
    par::copy(x, guess);
    problem.filter.project(guess);
    let [mut guessed, mut prescribed] = [false, false].map(AtomicBool::new);
    let (free, whole) = (&*guess, &*x);
    let mut square = par::sum_leaves_mut((held, residual), LEAF, |first, held, residual| {
        let (mut any_free, mut any_held) = (false, false);
        for ((held, x), free) in held.iter_mut().zip(&whole[first..]).zip(&free[first..]) {
            *held = *x - *free;
            any_free |= *free != T::default();
            any_held |= *held != T::default();
        }
        guessed.fetch_or(any_free, Ordering::Relaxed);
        prescribed.fetch_or(any_held, Ordering::Relaxed);
        residual.copy_from_slice(&problem.rhs[first..first + residual.len()]);
        par::dot_here(residual, residual)
    });
    if *prescribed.get_mut() {
        problem.operator.apply(held, image);
        subtract(image, residual);
        square = par::dot(residual, residual);
    }
    // What the filter leaves of a held right-hand side by rounding is nothing to solve for.
    let noise = FILTER_ROUNDING * T::ROUNDING * square.sqrt() / params.tolerance;
    let least = params.least_reference.max(noise).powi(2);
    problem.filter.project(residual);
    let square = par::dot(residual, residual);
    let own = params.reference.map(|norm| norm * norm);
    let reference = own.unwrap_or(square).max(least);
    if !*guessed.get_mut() {
        return (reference, square);
    }
    let enough = params.tolerance.powi(2) * reference;
    let square = take_guess(problem, (square, enough), x, work);
    match own {
        Some(_) => (reference, square),
        None => (reference.max(square), square),
    }
}

/// Makes the best of a guess that leaves the residual, whose square is given, at more than `enough`: scales
/// it, and adds some of what is in doubt. Returns the square of the new residual.
fn take_guess<T: Scalar>(
    problem: &Problem<'_, T>,
    (square, enough): (f64, f64),
    x: &mut [T],
    work: &mut Workspace<T>,
) -> f64 {
    let Workspace {
        residual,
        direction: guess,
        preconditioned: held,
        image,
        doubt,
        ..
    } = work;
    let mut curvature = problem.operator.apply_dot(guess, image);
    curvature += problem.filter.project_beside(image, guess);
    let [gain, shared, left] = products(guess, residual, image);
    if square - 2.0 * shared + left <= enough {
        subtract(image, residual);
        return par::dot(residual, residual);
    }
    par::copy(held, x);
    let Some(way) = problem.doubt.filter(|_| curvature > 0.0) else {
        let useful = gain > 0.0 && curvature > 0.0;
        let scale = if useful { gain / curvature } else { 0.0 };
        return advance(x, residual, guess, image, T::from_f64(scale));
    };
    doubt.resize(way.len(), T::default());
    par::copy(way, doubt);
    problem.filter.project(doubt);
    let doubt_image = held;
    let mut own_curvature = problem.operator.apply_dot(doubt, doubt_image);
    own_curvature += problem.filter.project_beside(doubt_image, doubt);
    // Made conjugate to the guess, it leaves alone what that has gained; what says the same adds nothing.
    let shared = par::dot(guess, doubt_image);
    let rest = own_curvature - shared * shared / curvature;
    let further = if rest > T::ROUNDING * own_curvature {
        (par::dot(doubt, residual) - shared * gain / curvature) / rest
    } else {
        0.0
    };
    let [scale, further] = [(gain - shared * further) / curvature, further].map(T::from_f64);
    par::sum_leaves_mut((x, residual), LEAF, |first, x, r| {
        add_multiple(scale, &guess[first..], x);
        add_multiple(further, &doubt[first..], x);
        subtract_multiple(scale, &image[first..], r);
        subtract_multiple(further, &doubt_image[first..], r);
        par::dot_here(r, r)
    })
}

/// `y += a x` of a leaf; `x` may be longer.
fn add_multiple<T: Scalar>(a: T, x: &[T], y: &mut [T]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * *x;
    }
}

/// `y −= a x` of a leaf.
fn subtract_multiple<T: Scalar>(a: T, x: &[T], y: &mut [T]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y -= a * *x;
    }
}

/// `y −= x`.
fn subtract<T: Scalar>(x: &[T], y: &mut [T]) {
    par::for_each_leaf(y, VECTOR_GRAIN, move |first, leaf| {
        for (y, x) in leaf.iter_mut().zip(&x[first..]) {
            *y -= *x;
        }
    });
}

/// `pᵀr`, `qᵀr` and `qᵀq`, in one pass.
fn products<T: Scalar>(p: &[T], r: &[T], q: &[T]) -> [f64; 3] {
    let of_leaf = move |range: Range<usize>| {
        let (p, r, q) = (&p[range.clone()], &r[range.clone()], &q[range]);
        [
            par::dot_here(p, r),
            par::dot_here(q, r),
            par::dot_here(q, q),
        ]
    };
    par::sum_leaves_with(p.len(), of_leaf, |a, b| {
        [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
    })
}

/// Whether a product that must be positive is. One that is not, but by no more than rounding, only
/// says that nothing is left to gain; otherwise the matrix is to blame.
fn positive<T: Scalar>(
    product: f64,
    (a, b): (&[T], &[T]),
    params: &Params,
    iteration: u32,
) -> Result<bool, Error> {
    if !product.is_finite() {
        return Err(Error::NonFinite { iteration });
    }
    if product > 0.0 {
        return Ok(true);
    }
    let size = (par::dot(a, a) * par::dot(b, b)).sqrt();
    if params.definite || product.abs() <= T::ROUNDING * size {
        Ok(false)
    } else {
        Err(Error::Indefinite {
            iteration,
            curvature: product,
        })
    }
}
