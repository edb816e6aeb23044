//! The line search on the potential `Φ`: Armijo's condition, by halving.

use super::tuning::{MAX_HALVINGS, SUFFICIENT_DECREASE};
use super::{Equations, ImplicitSystem, Scratch, weighted_square};
use crate::par;
use std::ops::Range;

/// Coordinates that one sum takes in.
const LEAF: usize = 1024;

/// What a line search must know of the move from `x` along `move_by`, found in one pass.
pub(super) struct Way {
    /// Largest coordinate, m.
    pub largest_m: f64,
    /// `bᵀp`.
    along: f64,
    /// `(x − x̂)ᵀM(x − x̂)` where it starts.
    square: f64,
}

impl Way {
    pub fn of(masses: &[f64], scratch: &Scratch) -> Self {
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

impl<S: ImplicitSystem> Equations<'_, S> {
    /// Moves `x` along `move_by` as far as `Φ` decreases enough; returns the share of it taken.
    /// `potential` is the system's at `x`.
    pub(super) fn line_search(&mut self, potential: f64, way: &Way) -> f64 {
        let Scratch {
            x,
            v,
            base,
            target,
            move_by,
            trial,
            ..
        } = &mut *self.scratch;
        let (alpha_s, square_s2) = (self.weights.velocity_s, self.weights.stiffness_s2);
        let slope = -way.along / square_s2;
        let inertia = 0.5 * way.square / square_s2;
        let before = inertia + potential;
        // Differences below the rounding of Φ say nothing.
        let rounding = 64.0 * f64::EPSILON * (inertia.abs() + potential.abs());
        let mut share = 1.0;
        for _ in 0..MAX_HALVINGS {
            let (from, along) = (&*x, &*move_by);
            let masses = self.system.coordinate_masses();
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
            let inertia = 0.5 * square / square_s2;
            let lasting = self.system.potential(trial, v, alpha_s);
            let after = inertia + (lasting + self.system.active_set_potential(trial));
            if after <= before + SUFFICIENT_DECREASE * share * slope + rounding {
                std::mem::swap(trial, x);
                return share;
            }
            share *= 0.5;
        }
        0.0
    }
}
