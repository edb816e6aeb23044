//! Newton on small systems made to mislead it.

use std::convert::Infallible;
use toile_numerics::integrate::multistep::step;
use toile_numerics::integrate::{
    ImplicitSystem, Info, LinearInfo, Method, NewtonParams, Potential, Scratch, Start, System,
    Weights, backward_euler,
};

/// One particle pulled by a weight and stopped by a stiff wall at 0: `E = −w x + ½ k max(x, 0)²`.
#[derive(Clone, Copy)]
struct Wall {
    weight_n: f64,
    stiffness_n_per_m: f64,
    /// Whether the matrix has the wall's stiffness even where the particle does not touch it.
    stiffer: bool,
    /// Whether that matrix-only stiffness can be taken back.
    obedient: bool,
    /// Whether a solve that need not be exact returns the guess zero.
    lazy: bool,
    matrix: f64,
}

const FREE: Wall = Wall {
    weight_n: 0.0,
    stiffness_n_per_m: 1e3,
    stiffer: false,
    obedient: true,
    lazy: false,
    matrix: 0.0,
};

impl System for Wall {
    type Error = Infallible;

    fn coordinate_masses(&self) -> &[f64] {
        &[1.0]
    }

    fn force(&mut self, x: &[f64], _v: &[f64], out: &mut [f64]) {
        out[0] = self.weight_n - self.stiffness_n_per_m * x[0].max(0.0);
    }

    fn prescribe(&self, _x: &[f64], _p: &mut [f64]) {}

    fn prescribe_velocity(&self, _x: &[f64], _step_s: f64, _v: &mut [f64]) {}

    fn project(&self, _a: &mut [f64]) {}

    fn solve_damped(
        &mut self,
        _x: &[f64],
        _damping_s: f64,
        b: &[f64],
        p: &mut [f64],
    ) -> Result<LinearInfo, Infallible> {
        p.copy_from_slice(b);
        Ok(LinearInfo::default())
    }
}

impl ImplicitSystem for Wall {
    fn linearise(
        &mut self,
        x: &[f64],
        _frozen_v: &[f64],
        v: &[f64],
        weights: &Weights,
        force: &mut [f64],
    ) -> Potential {
        let share = match (x[0] > 0.0, self.stiffer) {
            (true, _) => 1.0,
            (false, true) if self.obedient => weights.matrix_only_stiffness,
            (false, true) => 1.0,
            (false, false) => 0.0,
        };
        self.matrix = 1.0 + weights.stiffness_s2 * share * self.stiffness_n_per_m;
        self.force(x, v, force);
        Potential::lasting(self.potential(x, v, weights.velocity_s))
    }

    fn potential(&mut self, x: &[f64], _v: &[f64], _alpha_s: f64) -> f64 {
        0.5 * self.stiffness_n_per_m * x[0].max(0.0).powi(2) - self.weight_n * x[0]
    }

    fn solve(&mut self, b: &[f64], p: &mut [f64], slack: f64) -> Result<LinearInfo, Infallible> {
        let careless = self.lazy && slack > 1.0;
        p[0] = if careless { 0.0 } else { b[0] / self.matrix };
        Ok(LinearInfo {
            iterations: 1,
            relative_residual: 0.0,
            converged: true,
        })
    }
}

/// One backward Euler step of 1 s.
fn advance(mut wall: Wall, x: f64, v: f64, tolerance_m: f64) -> (f64, Info) {
    let mut scratch = Scratch::default();
    let start = Start {
        x: &[x],
        v: &[v],
        history: None,
        acceleration: None,
        guess: None,
    };
    let method = Method::Newton(NewtonParams {
        tolerance_m,
        max_move_m: 10.0,
        max_iterations: 60,
    });
    let coefficients = backward_euler::COEFFICIENTS;
    let Ok(info) = step(&mut wall, &start, 1.0, coefficients, method, &mut scratch);
    (scratch.x[0], info)
}

#[test]
fn matrix_only_stiffness_is_taken_back_where_it_holds_newton_up() {
    let stiffer = Wall {
        stiffer: true,
        ..FREE
    };
    let (x, info) = advance(stiffer, -1.0, 0.75, 1e-9);
    assert!(info.converged && (x + 0.25).abs() < 1e-8, "{x}, {info:?}");

    let stubborn = Wall {
        obedient: false,
        ..stiffer
    };
    let (x, info) = advance(stubborn, -1.0, 0.75, 1e-9);
    assert!(!info.converged && x < -0.9, "{x}, {info:?}");
}

#[test]
fn a_small_share_of_a_large_move_is_no_convergence() {
    let steep = Wall {
        weight_n: 1.0,
        stiffness_n_per_m: 1e8,
        ..FREE
    };
    let start = -1e-9;
    let (x, info) = advance(steep, start, 0.0, 1e-7);
    let force = start - x + steep.weight_n - steep.stiffness_n_per_m * x.max(0.0);
    assert!(info.converged && force.abs() < 1e-6, "{force}, {info:?}");
}

#[test]
fn a_rough_solve_is_no_convergence() {
    let lazy = Wall { lazy: true, ..FREE };
    let (x, info) = advance(lazy, -1.0, 0.75, 1e-9);
    assert!(info.converged && (x + 0.25).abs() < 1e-9, "{x}, {info:?}");
}
