//! Newton's method with a line search.
//!
//! The matrix may be stiffer than the energy, so that one solve does not throw away what nothing holds
//! at the moment. Newton has its line search for that, and the matrix-only stiffness makes it creep:
//! every iteration moves too little wherever it acts. So from the third iteration on it is taken back as
//! long as whole moves are accepted, and restored when they are not, as a trust region would be.

use super::line_search::Way;
use super::tuning::{
    FIRST_SLACK, LEAST_MATRIX_ONLY, MATRIX_ONLY_FALL, MATRIX_ONLY_RISE, TRUSTED_SHARE,
};
use super::{Equations, ImplicitSystem, Info, NewtonParams, Scratch, VECTOR_GRAIN, inertia_j};
use crate::par;

/// How Newton searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Search {
    /// For the end of the step, from where it starts or from a guess.
    Whole,
    /// From the end of a single solve, until its linearisation is to be trusted.
    GoesOn,
}

impl<S: ImplicitSystem> Equations<'_, S> {
    pub(super) fn newton(mut self, params: NewtonParams, search: Search) -> Result<Info, S::Error> {
        let goes_on = search == Search::GoesOn;
        let starts = self.start.guess.is_none() && !goes_on;
        if !goes_on {
            let from = self.start.guess.unwrap_or(self.start.x);
            par::copy(from, &mut self.scratch.x);
        }
        self.move_held(starts);
        let mut matrix_only = MatrixOnlyStiffness::default();
        for iteration in 0..params.max_iterations {
            let is_first = iteration == 0;
            self.update_velocity();
            let Scratch { x, v, force, .. } = &mut *self.scratch;
            let weights = self.weights.keeping(matrix_only.share);
            let at_start = is_first && !goes_on;
            let frozen_v = if at_start { self.start.v } else { &*v };
            let potential = self.system.linearise(x, frozen_v, v, &weights, force);
            self.set_right_hand_side();
            if goes_on && !is_first && self.is_settled() {
                break;
            }
            self.guess_move(is_first && starts);
            let rough = is_first && params.max_iterations > 1 && !goes_on;
            match self.solve_linear(if rough { FIRST_SLACK } else { 1.0 }) {
                Ok(()) => {}
                // So little was too little for the solver's precision.
                Err(_) if matrix_only.share < 1.0 => {
                    matrix_only.refuse();
                    continue;
                }
                Err(error) => return Err(error),
            }
            let (largest_m, way) = self.limit_move(params.max_move_m);
            let moved = self.line_search(potential.total_j(), &way);
            // It is the whole move that must be small: a small share of a large one is no
            // convergence, and neither is a small move found by a rough solve.
            if largest_m <= params.tolerance_m && !rough {
                self.info.converged = true;
                break;
            }
            if moved == 0.0 && matrix_only.share == 1.0 {
                // No share of this direction helps, and the next one would be the same.
                break;
            }
            if !is_first {
                matrix_only.adapt(moved);
            }
        }
        Ok(self.info)
    }

    /// Held coordinates move first, so that every later iterate satisfies the constraints and Φ
    /// is compared on equal terms. What is free is `carried` along.
    fn move_held(&mut self, carried: bool) {
        let Scratch {
            x, target, move_by, ..
        } = &mut *self.scratch;
        if carried {
            let square_s2 = self.weights.stiffness_s2;
            self.system.carry(x, target, square_s2, move_by);
        } else {
            par::fill(move_by, |_| 0.0);
        }
        self.system.prescribe(x, move_by);
        let way = &*move_by;
        par::for_each_leaf(x, VECTOR_GRAIN, move |first, leaf| {
            for (x, p) in leaf.iter_mut().zip(&way[first..]) {
                *x += p;
            }
        });
    }

    /// Whether the work of what is left of the residual on the way from the start of the step, which is
    /// energy that the step gives, is small beside what the scheme dissipates.
    fn is_settled(&mut self) -> bool {
        let Scratch {
            x,
            rhs,
            target,
            trial,
            ..
        } = &mut *self.scratch;
        par::copy(rhs, trial);
        self.system.project(trial);
        let start = self.start.x;
        let (x, residual) = (&*x, &*trial);
        let work = par::sum(x.len(), |i| residual[i] * (start[i] - x[i]));
        let gained_j = work / self.weights.stiffness_s2;
        let masses = self.system.coordinate_masses();
        gained_j <= TRUSTED_SHARE * inertia_j(masses, x, target, self.weights)
    }

    /// Sets the first guess of the next move: none, or where free flight leads.
    fn guess_move(&mut self, flies: bool) {
        let Scratch {
            x, target, move_by, ..
        } = &mut *self.scratch;
        if flies {
            let (x, target) = (&*x, &*target);
            par::fill(move_by, |i| target[i] - x[i]);
            self.system
                .add_free_flight(self.weights.stiffness_s2, move_by);
        } else {
            par::fill(move_by, |_| 0.0);
        }
        self.system.prescribe(x, move_by);
        if flies {
            self.system.improve_guess(x, move_by);
        }
    }

    /// Shortens a move of which a coordinate is longer than this. Returns how long its longest one was,
    /// and the way that is left.
    fn limit_move(&mut self, max_move_m: f64) -> (f64, Way) {
        let mut way = Way::of(self.system.coordinate_masses(), self.scratch);
        let largest_m = way.largest_m;
        if largest_m > max_move_m {
            let shrink = max_move_m / largest_m;
            self.scratch.move_by.iter_mut().for_each(|p| *p *= shrink);
            way = Way::of(self.system.coordinate_masses(), self.scratch);
        }
        (largest_m, way)
    }
}

/// How much of the matrix-only stiffness is kept.
struct MatrixOnlyStiffness {
    share: f64,
    least: f64,
}

impl Default for MatrixOnlyStiffness {
    fn default() -> Self {
        Self {
            share: 1.0,
            least: LEAST_MATRIX_ONLY,
        }
    }
}

impl MatrixOnlyStiffness {
    /// After a line search that took the share `moved` of the move.
    fn adapt(&mut self, moved: f64) {
        if moved == 0.0 {
            self.share = 1.0;
        } else if moved == 1.0 {
            self.share = (self.share * MATRIX_ONLY_FALL).max(self.least);
        } else if moved < 0.5 {
            self.share = (self.share * MATRIX_ONLY_RISE).min(1.0);
        }
    }

    /// After a solve that failed: never as little again.
    fn refuse(&mut self) {
        self.least = (self.share * MATRIX_ONLY_RISE).min(1.0);
        self.share = 1.0;
    }
}
