//! Small systems whose answers are known.

// Every test binary uses its own part of this.
#![allow(dead_code)]

use nalgebra::{DMatrix, DVector};
use std::convert::Infallible;
use toile_numerics::integrate::bdf2::{self, History};
use toile_numerics::integrate::multistep;
use toile_numerics::integrate::newmark::Newmark;
use toile_numerics::integrate::{
    ImplicitSystem, LinearInfo, Method, Potential, Rates, Scratch, Start, System, Weights,
    backward_euler, central_difference, central_newmark, improved_variable_step,
    leapfrog_trapezoid, rk4, symplectic_euler, trapezoidal,
};

/// Forces by formula; everything a dense [`Dense`] system needs to know.
pub trait Law {
    /// `f(x, v)`.
    fn force(&self, x: &DVector<f64>, v: &DVector<f64>) -> DVector<f64>;
    /// `∂f/∂x` and `∂f/∂v` as the matrix shall have them.
    fn jacobians(&self, x: &DVector<f64>) -> (DMatrix<f64>, DMatrix<f64>);
    /// Energy plus `α` times half the power dissipated.
    fn potential(&self, x: &DVector<f64>, v: &DVector<f64>, alpha_s: f64) -> f64;
}

/// `f = f₀ + K x + D v`.
#[derive(Clone)]
pub struct Linear {
    pub constant: DVector<f64>,
    pub stiffness: DMatrix<f64>,
    pub damping: DMatrix<f64>,
}

impl Law for Linear {
    fn force(&self, x: &DVector<f64>, v: &DVector<f64>) -> DVector<f64> {
        &self.constant + &self.stiffness * x + &self.damping * v
    }
    fn jacobians(&self, _x: &DVector<f64>) -> (DMatrix<f64>, DMatrix<f64>) {
        (self.stiffness.clone(), self.damping.clone())
    }
    fn potential(&self, x: &DVector<f64>, v: &DVector<f64>, alpha_s: f64) -> f64 {
        -self.constant.dot(x)
            - 0.5 * x.dot(&(&self.stiffness * x))
            - 0.5 * alpha_s * v.dot(&(&self.damping * v))
    }
}

/// A unit mass on a spring of angular frequency `omega` with a damper of rate `c`.
pub fn oscillator(omega: f64, c: f64) -> Dense<Linear> {
    let law = Linear {
        constant: DVector::zeros(1),
        stiffness: DMatrix::from_element(1, 1, -omega * omega),
        damping: DMatrix::from_element(1, 1, -c),
    };
    Dense::new(law, vec![1.0])
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

    fn prescribe(&self, _x: &[f64], _p: &mut [f64]) {}

    fn prescribe_velocity(&self, _x: &[f64], _step_s: f64, _v: &mut [f64]) {}

    fn project(&self, _a: &mut [f64]) {}

    fn solve_damped(
        &mut self,
        x: &[f64],
        damping_s: f64,
        b: &[f64],
        p: &mut [f64],
    ) -> Result<LinearInfo, Infallible> {
        let (_, d) = self.law.jacobians(&vector(x));
        let mass = DMatrix::from_diagonal(&vector(&self.masses));
        self.matrix = mass - damping_s * d;
        self.solve(b, p, 1.0)
    }
}

impl<L: Law> ImplicitSystem for Dense<L> {
    fn linearise(
        &mut self,
        x: &[f64],
        _frozen_v: &[f64],
        v: &[f64],
        weights: &Weights,
        force: &mut [f64],
    ) -> Potential {
        self.force(x, v, force);
        let (k, d) = self.law.jacobians(&vector(x));
        let mass = DMatrix::from_diagonal(&vector(&self.masses));
        self.matrix = mass - weights.damping_s * d - weights.stiffness_s2 * k;
        Potential::lasting(self.potential(x, v, weights.velocity_s))
    }

    fn potential(&mut self, x: &[f64], v: &[f64], alpha_s: f64) -> f64 {
        self.law.potential(&vector(x), &vector(v), alpha_s)
    }

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
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scheme {
    BackwardEuler,
    Bdf2,
    Trapezoidal,
    Newmark(Newmark),
    SymplecticEuler,
    CentralDifference,
    Rk4,
    LeapfrogTrapezoid,
    CentralNewmark,
    ImprovedVariableStep,
}

/// The mixed schemes.
pub const MIXED: [Scheme; 3] = [
    Scheme::LeapfrogTrapezoid,
    Scheme::CentralNewmark,
    Scheme::ImprovedVariableStep,
];

impl Scheme {
    /// Longest stable step, s.
    pub fn limit_s(self, omega: f64, c: f64) -> f64 {
        let rates = Rates {
            frequency_per_s: omega,
            damping_per_s: c,
        };
        match self {
            Self::BackwardEuler | Self::Bdf2 => f64::INFINITY,
            Self::Trapezoidal => trapezoidal::MEMBER.longest_step_s(&rates),
            Self::Newmark(member) => member.longest_step_s(&rates),
            Self::SymplecticEuler => symplectic_euler::longest_step_s(&rates),
            Self::CentralDifference => central_difference::longest_step_s(&rates),
            Self::Rk4 => rk4::longest_step_s(&rates),
            Self::LeapfrogTrapezoid => leapfrog_trapezoid::longest_step_s(&rates),
            Self::CentralNewmark => central_newmark::longest_step_s(&rates),
            Self::ImprovedVariableStep => improved_variable_step::longest_step_s(&rates),
        }
    }
}

/// A trajectory through steps of the given lengths, BDF2 starting from the ghost history.
pub struct Run<'a, S> {
    pub system: &'a mut S,
    pub scheme: Scheme,
    pub method: Method,
}

impl<S: ImplicitSystem> Run<'_, S> {
    /// State after every step, the start included.
    pub fn through(
        &mut self,
        x: &[f64],
        v: &[f64],
        steps_s: impl IntoIterator<Item = f64>,
    ) -> Vec<(Vec<f64>, Vec<f64>)> {
        let mut states = vec![(x.to_vec(), v.to_vec())];
        let (mut history, mut acceleration) = (None, Vec::new());
        let mut scratch = Scratch::default();
        for step_s in steps_s {
            let (x, v) = states.last().expect("it starts with one").clone();
            let past = history.take().unwrap_or_else(|| {
                let mut a = vec![0.0; x.len()];
                self.system.force(&x, &v, &mut a);
                let masses = self.system.coordinate_masses();
                a.iter_mut().zip(masses).for_each(|(a, m)| *a /= m);
                History::ghost(&x, &v, &a, step_s)
            });
            let start = Start {
                x: &x,
                v: &v,
                history: Some(&past),
                // Empty before the first step, and for schemes that do not remember it.
                acceleration: Some(acceleration.as_slice()).filter(|a| !a.is_empty()),
                guess: None,
            };
            self.step(&start, step_s, &mut scratch);
            acceleration.clone_from(&scratch.acceleration);
            states.push((scratch.x.clone(), scratch.v.clone()));
            history = Some(History {
                positions: x,
                velocities: v,
                step_s,
            });
        }
        states
    }

    fn step(&mut self, start: &Start<'_>, step_s: f64, scratch: &mut Scratch) {
        let (system, method) = (&mut *self.system, self.method);
        let done = match self.scheme {
            Scheme::BackwardEuler => {
                let member = backward_euler::COEFFICIENTS;
                multistep::step(system, start, step_s, member, method, scratch)
            }
            Scheme::Bdf2 => {
                let ratio = start.history.map_or(1.0, |past| step_s / past.step_s);
                let member = bdf2::coefficients(ratio);
                multistep::step(system, start, step_s, member, method, scratch)
            }
            Scheme::Trapezoidal => trapezoidal::MEMBER.step(system, start, step_s, method, scratch),
            Scheme::Newmark(member) => member.step(system, start, step_s, method, scratch),
            Scheme::SymplecticEuler => symplectic_euler::step(system, start, step_s, scratch),
            Scheme::CentralDifference => central_difference::step(system, start, step_s, scratch),
            Scheme::Rk4 => rk4::step(system, start, step_s, scratch),
            Scheme::LeapfrogTrapezoid => leapfrog_trapezoid::step(system, start, step_s, scratch),
            Scheme::CentralNewmark => central_newmark::step(system, start, step_s, scratch),
            Scheme::ImprovedVariableStep => {
                improved_variable_step::step(system, start, step_s, scratch)
            }
        };
        done.unwrap_or_else(|error| panic!("{error}"));
    }
}
