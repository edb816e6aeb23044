//! What a single linear solve from the start of the step needs: a first guess, a share of the matrix-only
//! stiffness, and whether its linearisation is to be trusted.
//!
//! Links that are slack where the step is linearised show it no stiffness, and may be far beyond their
//! length at its end. What `Φ` then has there above the linear prediction, the next step finds as energy
//! that nobody has put in. The scheme itself takes out the inertia term of `Φ`, in backward Euler half
//! the mass times the square of the change of velocity. So a solve is trusted where the error of its
//! linearisation is no more than a share of that. And as it is checked, it can do with less of the
//! matrix-only stiffness than one that is not.

use super::tuning::{MATRIX_ONLY_OF_LONGEST_MOVE, MATRIX_ONLY_OF_ONE_SOLVE, TRUSTED_SHARE};
use super::{Equations, ImplicitSystem, NewtonParams, Potential, Scratch, inertia_j};
use crate::par;

impl<S: ImplicitSystem> Equations<'_, S> {
    /// Free flight is the first guess: most of a falling cloth does just that.
    pub(super) fn guess_way(&mut self) {
        let Scratch {
            x, target, move_by, ..
        } = &mut *self.scratch;
        let flies = self.start.guess.is_none();
        let guess = self.start.guess.unwrap_or(target);
        for (p, (guess, x)) in move_by.iter_mut().zip(guess.iter().zip(&*x)) {
            *p = guess - x;
        }
        if flies {
            self.system
                .add_free_flight(self.weights.stiffness_s2, move_by);
        }
        self.system.prescribe(x, move_by);
        if flies {
            self.system.improve_guess(x, move_by);
        }
    }

    /// How much of the matrix-only stiffness a single solve that is checked needs: what would not fly
    /// far in this step needs little.
    pub(super) fn matrix_only_stiffness_needed(&mut self, params: &NewtonParams) -> f64 {
        let Scratch {
            x, target, trial, ..
        } = &mut *self.scratch;
        // How the system moves as a whole tears nothing.
        self.system
            .carry(x, target, self.weights.stiffness_s2, trial);
        for (way, (target, x)) in trial.iter_mut().zip(target.iter().zip(&*x)) {
            *way = target - x - *way;
        }
        let farthest_m = par::max_abs(trial);
        let share = MATRIX_ONLY_OF_LONGEST_MOVE * farthest_m / params.max_move_m;
        let [least, most] = MATRIX_ONLY_OF_ONE_SOLVE;
        share.clamp(least, most)
    }

    /// Whether the linearisation, which had this potential, holds at the end of the move that was just made.
    pub(super) fn is_trusted(&mut self, start: &Potential) -> bool {
        let Scratch { rhs, move_by, .. } = &*self.scratch;
        let Some(predicted_j) = self.system.predicted_change_j(move_by, rhs) else {
            return true;
        };
        self.update_velocity();
        let Scratch {
            x,
            v,
            target,
            move_by,
            trial,
            ..
        } = &mut *self.scratch;
        let (at, along) = (&*x, &*move_by);
        par::fill(trial, |i| at[i] - along[i]);
        let masses = self.system.coordinate_masses();
        let before_j = inertia_j(masses, trial, target, self.weights);
        let after_j = inertia_j(masses, x, target, self.weights);
        let potential_j = self.system.potential(x, v, self.weights.velocity_s);
        let grown_j = potential_j - start.lasting_j + (after_j - before_j);
        2.0 * (grown_j - predicted_j) <= TRUSTED_SHARE * after_j
    }
}
