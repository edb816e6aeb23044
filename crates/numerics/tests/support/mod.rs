//! Small systems whose answers are known.

use nalgebra::{DMatrix, DVector};
use std::convert::Infallible;
use toile_numerics::integrate::bdf2::{self, History};
use toile_numerics::integrate::implicit::{Coefficients, Start, step};
use toile_numerics::integrate::{LinearInfo, Method, Scratch, System, backward_euler};

/// Forces by formula; everything a dense [`Dense`] system needs to know.
pub trait Law {
    /// `f(x, v)`.
    fn force(&self, x: &DVector<f64>, v: &DVector<f64>) -> DVector<f64>;
    /// `∂f/∂x` and `∂f/∂v` as the matrix shall have them.
    fn jacobians(&self, x: &DVector<f64>) -> (DMatrix<f64>, DMatrix<f64>);
    /// Energy plus `α` times half the power dissipated.
    fn potential(&self, x: &DVector<f64>, v: &DVector<f64>, alpha_s: f64) -> f64;
}

/// A system of a few coordinates, solved densely.
pub struct Dense<L> {
    pub law: L,
    pub masses: Vec<f64>,
    matrix: DMatrix<f64>,
}

impl<L: Law> Dense<L> {
    pub fn new(law: L, masses: Vec<f64>) -> Self {
        Self {
            law,
            masses,
            matrix: DMatrix::zeros(0, 0),
        }
    }

    pub fn acceleration(&self, x: &[f64], v: &[f64]) -> Vec<f64> {
        let force = self.law.force(&vector(x), &vector(v));
        force.iter().zip(&self.masses).map(|(f, m)| f / m).collect()
    }
}

pub fn vector(values: &[f64]) -> DVector<f64> {
    DVector::from_column_slice(values)
}

impl<L: Law> System for Dense<L> {
    type Error = Infallible;

    fn coordinate_masses(&self) -> &[f64] {
        &self.masses
    }

    fn force(&mut self, x: &[f64], v: &[f64], out: &mut [f64]) {
        out.copy_from_slice(self.law.force(&vector(x), &vector(v)).as_slice());
    }

    fn linearise(
        &mut self,
        x: &[f64],
        _frozen_v: &[f64],
        v: &[f64],
        alpha_s: f64,
        force: &mut [f64],
    ) -> f64 {
        self.force(x, v, force);
        let (k, d) = self.law.jacobians(&vector(x));
        let mass = DMatrix::from_diagonal(&vector(&self.masses));
        self.matrix = mass - alpha_s * d - alpha_s * alpha_s * k;
        self.potential(x, v, alpha_s)
    }

    fn potential(&mut self, x: &[f64], v: &[f64], alpha_s: f64) -> f64 {
        self.law.potential(&vector(x), &vector(v), alpha_s)
    }

    fn prescribe(&self, _x: &[f64], _p: &mut [f64]) {}

    fn solve(&mut self, b: &[f64], p: &mut [f64], _slack: f64) -> Result<LinearInfo, Infallible> {
        let answer = self.matrix.clone().lu().solve(&vector(b));
        p.copy_from_slice(answer.expect("the matrix is regular").as_slice());
        Ok(LinearInfo {
            iterations: 1,
            relative_residual: 0.0,
            converged: true,
        })
    }
}

/// Which scheme to run.
#[derive(Clone, Copy, PartialEq)]
pub enum Scheme {
    BackwardEuler,
    Bdf2,
}

/// A trajectory through steps of the given lengths, BDF2 starting from the ghost history.
pub struct Run<'a, L> {
    pub system: &'a mut Dense<L>,
    pub scheme: Scheme,
    pub method: Method,
}

impl<L: Law> Run<'_, L> {
    /// State after every step, the start included.
    pub fn through(
        &mut self,
        x: &[f64],
        v: &[f64],
        steps_s: impl IntoIterator<Item = f64>,
    ) -> Vec<(Vec<f64>, Vec<f64>)> {
        let mut states = vec![(x.to_vec(), v.to_vec())];
        let mut history = None;
        let mut scratch = Scratch::default();
        for step_s in steps_s {
            let (x, v) = states.last().expect("it starts with one").clone();
            let past = history.take().unwrap_or_else(|| {
                History::ghost(&x, &v, &self.system.acceleration(&x, &v), step_s)
            });
            let coefficients: Coefficients = match self.scheme {
                Scheme::BackwardEuler => backward_euler::COEFFICIENTS,
                Scheme::Bdf2 => bdf2::coefficients(step_s / past.step_s),
            };
            let start = Start {
                x: &x,
                v: &v,
                history: Some(&past),
            };
            let Ok(_) = step(
                self.system,
                &start,
                step_s,
                coefficients,
                self.method,
                &mut scratch,
            );
            states.push((scratch.x.clone(), scratch.v.clone()));
            history = Some(History {
                positions: x,
                velocities: v,
                step_s,
            });
        }
        states
    }
}
