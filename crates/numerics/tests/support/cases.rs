//! Random linear systems with holds, and their answers by dense Cholesky factors.

// Every test binary uses its own part of this.
#![allow(dead_code)]

use glam::{DMat3, DVec3};
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;
use std::sync::Arc;
use toile_numerics::pcg::{Error, Info, Params, Problem, Workspace, solve};
use toile_numerics::precond::BlockDiagonal;
use toile_numerics::{BlockCsr, Hold, ParticleFilter, Pattern, Preconditioner};

pub const TIGHT: Params = Params {
    tolerance: 1e-12,
    least_reference: 0.0,
    reference: None,
    max_iterations: 1000,
    definite: false,
};

/// A matrix, its right-hand side, the holds and the prescribed and guessed unknowns.
#[derive(Clone, Debug)]
pub struct Case {
    pub dense: DMatrix<f64>,
    pub pairs: Vec<[u32; 2]>,
    pub rhs: Vec<f64>,
    pub start: Vec<f64>,
    pub filter: ParticleFilter,
}

impl Case {
    pub fn matrix(&self) -> BlockCsr {
        let rows = self.rhs.len() / 3;
        let pattern = Arc::new(Pattern::symmetric(rows, self.pairs.iter().copied()));
        let mut matrix = BlockCsr::zeros(pattern.clone());
        matrix.for_each_row(|row, blocks| {
            let first = pattern.row(row).start;
            for (k, block) in blocks.iter_mut().enumerate() {
                let column = pattern.column(first + k) as usize;
                for i in 0..3 {
                    for j in 0..3 {
                        block.col_mut(j)[i] = self.dense[(3 * row + i, 3 * column + j)];
                    }
                }
            }
        });
        matrix
    }

    /// The projection as a matrix, from the definition of each hold.
    pub fn projection(&self) -> DMatrix<f64> {
        let n = self.rhs.len();
        let mut s = DMatrix::identity(n, n);
        for &(particle, hold) in self.filter.holds() {
            let outer = |a: DVec3| DMat3::from_cols(a * a.x, a * a.y, a * a.z);
            let block = match hold {
                Hold::Fixed => DMat3::ZERO,
                Hold::Normal(normal) => DMat3::IDENTITY - outer(normal),
                Hold::Axis(axis) => outer(axis),
            };
            let at = 3 * particle as usize;
            for i in 0..3 {
                for j in 0..3 {
                    s[(at + i, at + j)] = block.col(j)[i];
                }
            }
        }
        s
    }

    /// `x = x_c + y` with `(S A S + I − S) y = S (b − A x_c)`, by Cholesky.
    pub fn answer(&self) -> DVector<f64> {
        let s = self.projection();
        let n = self.rhs.len();
        let start = DVector::from_column_slice(&self.start);
        let held = &start - &s * &start;
        let free = &s * &self.dense * &s + DMatrix::identity(n, n) - &s;
        let rhs = &s * (DVector::from_column_slice(&self.rhs) - &self.dense * &held);
        held + free.cholesky().expect("positive definite").solve(&rhs)
    }

    pub fn solve(
        &self,
        preconditioner: &mut dyn Preconditioner<f64>,
        params: &Params,
    ) -> Result<(Info, Vec<f64>), Error> {
        let matrix = self.matrix();
        let problem = Problem {
            operator: &matrix,
            filter: &self.filter,
            rhs: &self.rhs,
            doubt: None,
        };
        let mut x = self.start.clone();
        let info = solve(
            &problem,
            preconditioner,
            params,
            &mut x,
            &mut Workspace::default(),
        )?;
        Ok((info, x))
    }

    pub fn block_diagonal(&self) -> BlockDiagonal {
        let mut preconditioner = BlockDiagonal::default();
        preconditioner.refresh(&self.matrix());
        preconditioner
    }
}

pub fn numbers(count: usize) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-1.0..1.0_f64, count)
}

pub fn unit() -> impl Strategy<Value = DVec3> {
    (-1.0..1.0_f64, -1.0..1.0_f64, -1.0..1.0_f64)
        .prop_map(|(x, y, z)| DVec3::new(x, y, z))
        .prop_filter("a direction", |v| v.length() > 0.1)
        .prop_map(DVec3::normalize)
}

/// Masses plus `CᵀC` of random 3×6 couplings: positive definite, with unsymmetric blocks.
pub fn cases() -> impl Strategy<Value = Case> {
    (2_usize..8)
        .prop_flat_map(|rows| {
            let coupling = (0..rows as u32, 0..rows as u32, numbers(18));
            (
                prop::collection::vec(coupling, 1..14),
                prop::collection::vec(0.1..1.0_f64, rows),
                numbers(3 * rows),
                numbers(3 * rows),
                prop::collection::vec((0..4_u8, unit()), rows),
            )
        })
        .prop_map(|(couplings, masses, rhs, start, holds)| {
            let n = rhs.len();
            let mut dense = DMatrix::zeros(n, n);
            for (i, mass) in masses.iter().enumerate() {
                (0..3).for_each(|k| dense[(3 * i + k, 3 * i + k)] = *mass);
            }
            let mut pairs = Vec::new();
            for (i, j, c) in couplings {
                let c = DMatrix::from_column_slice(3, 6, &c);
                let mut spread = DMatrix::zeros(3, n);
                for k in 0..3 {
                    let (left, right) = (c.column(k), c.column(3 + k));
                    let sum = spread.column(3 * i as usize + k) + left;
                    spread.set_column(3 * i as usize + k, &sum);
                    let sum = spread.column(3 * j as usize + k) + right;
                    spread.set_column(3 * j as usize + k, &sum);
                }
                dense += spread.transpose() * &spread;
                pairs.push([i, j]);
            }
            let mut filter = ParticleFilter::default();
            for (i, (kind, direction)) in holds.into_iter().enumerate() {
                match kind {
                    0 => filter.push(i as u32, Hold::Fixed),
                    1 => filter.push(i as u32, Hold::Normal(direction)),
                    2 => filter.push(i as u32, Hold::Axis(direction)),
                    _ => {}
                }
            }
            Case {
                dense,
                pairs,
                rhs,
                start,
                filter,
            }
        })
}
