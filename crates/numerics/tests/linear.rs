//! One step against closed forms that hold for linear systems.

mod support;

use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;
use support::{Dense, Law, Linear, Run, Scheme, oscillator, vector};
use toile_numerics::integrate::bdf2::{self, History};
use toile_numerics::integrate::multistep::{Coefficients, step};
use toile_numerics::integrate::{Method, Scratch, Start, backward_euler};

const N: usize = 4;

fn numbers(count: usize) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-1.0..1.0_f64, count)
}

/// A symmetric negative semidefinite matrix.
fn negative() -> impl Strategy<Value = DMatrix<f64>> {
    numbers(N * N).prop_map(|g| {
        let g = DMatrix::from_column_slice(N, N, &g);
        -(g.transpose() * g)
    })
}

proptest! {
    /// The velocity form, `(M − βΔt D − β²Δt² K) Δv = c M e + βΔt [f + K (c d + βΔt v)]`, written
    /// down directly. Errata 2: with anything but `K = ∂f/∂x` in it the two disagree.
    #[test]
    fn errata_02_a_step_is_the_velocity_form_of_the_family(
        (stiffness, damping, constant) in (negative(), negative(), numbers(N)),
        (x, v, past_x, past_v) in (numbers(N), numbers(N), numbers(N), numbers(N)),
        masses in prop::collection::vec(0.1..2.0_f64, N),
        (step_s, ratio) in (0.01..3.0_f64, 0.3..2.4_f64),
        backward in any::<bool>(),
    ) {
        let law = Linear { constant: vector(&constant), stiffness: 50.0 * stiffness, damping };
        let history = History {
            positions: past_x,
            velocities: past_v,
            step_s: step_s / ratio,
        };
        let Coefficients { beta, c } = if backward {
            backward_euler::COEFFICIENTS
        } else {
            bdf2::coefficients(ratio)
        };
        if !backward {
            prop_assert!((beta - (1.0 + ratio) / (1.0 + 2.0 * ratio)).abs() < 1e-15);
            prop_assert!((c - ratio * ratio / (1.0 + 2.0 * ratio)).abs() < 1e-15);
        }

        let mut system = Dense::new(law.clone(), masses.clone());
        let mut scratch = Scratch::default();
        let start = Start { x: &x, v: &v, history: Some(&history) , acceleration: None, guess: None };
        let coefficients = Coefficients { beta, c };
        let Ok(info) = step(&mut system, &start, step_s, coefficients, Method::Once, &mut scratch);
        prop_assert_eq!(info.solves, 1);

        let (x, v) = (vector(&x), vector(&v));
        let d = &x - vector(&history.positions);
        let e = &v - vector(&history.velocities);
        let mass = DMatrix::from_diagonal(&vector(&masses));
        let alpha = beta * step_s;
        let (k, f) = (&law.stiffness, law.force(&x, &v));
        let matrix = &mass - alpha * &law.damping - alpha * alpha * k;
        let velocity_form = |k_in_rhs: &DMatrix<f64>| {
            let rhs = c * &mass * &e + alpha * (&f + k_in_rhs * (c * &d + alpha * &v));
            let v_end = &v + matrix.clone().lu().solve(&rhs).unwrap();
            (&x + c * &d + alpha * &v_end, v_end)
        };
        let (x_end, v_end) = velocity_form(k);
        let scale = 1.0 + x_end.amax() + v_end.amax() + (&x / alpha).amax();
        prop_assert!((vector(&scratch.x) - &x_end).amax() < 1e-11 * scale);
        prop_assert!((vector(&scratch.v) - &v_end).amax() < 1e-10 * scale);
        // The second derivative of a linear force is zero.
        let (printed, _) = velocity_form(&DMatrix::zeros(N, N));
        prop_assert!((vector(&scratch.x) - printed).amax() > 1e-9);
    }
}

/// `½ (v² + ω² x²)` after every step.
fn energies(scheme: Scheme, omega: f64, step_s: f64, steps: usize) -> Vec<f64> {
    let mut system = oscillator(omega, 0.0);
    let mut run = Run {
        system: &mut system,
        scheme,
        method: Method::Once,
    };
    let states = run.through(&[0.3], &[0.7], vec![step_s; steps]);
    let energy = |(x, v): &(Vec<f64>, Vec<f64>)| 0.5 * (v[0].powi(2) + (omega * x[0]).powi(2));
    states.iter().map(energy).collect()
}

#[test]
fn backward_euler_keeps_exactly_its_share_of_an_oscillators_energy() {
    for (omega, step_s) in [(1.0, 0.01), (3.0, 0.2), (10.0, 5.0)] {
        let expected = 1.0 / (1.0 + (omega * step_s) * (omega * step_s));
        for pair in energies(Scheme::BackwardEuler, omega, step_s, 20).windows(2) {
            let share = pair[1] / pair[0];
            assert!((share / expected - 1.0).abs() < 1e-12, "{share} {expected}");
        }
    }
}

#[test]
fn bdf2_loses_half_the_fourth_power_of_the_phase_each_step() {
    let mut losses = Vec::new();
    for phase in [0.05, 0.1, 0.2] {
        // The second root of the scheme dies out as 3⁻ⁿ.
        let all = energies(Scheme::Bdf2, 4.0, phase / 4.0, 80);
        let share = (all[80] / all[40]).powf(1.0 / 40.0);
        let loss = (1.0 - share) / (0.5 * phase.powi(4));
        assert!(
            (loss - 1.0).abs() < 3.0 * phase * phase,
            "{loss} at {phase}"
        );
        losses.push((loss - 1.0).abs());
    }
    assert!(losses[0] < losses[1] && losses[1] < losses[2], "{losses:?}");
    assert!(losses[0] < 0.01);
}

fn falling() -> Dense<Linear> {
    let law = Linear {
        constant: vector(&[-9.81 * 2.0]),
        stiffness: DMatrix::zeros(1, 1),
        damping: DMatrix::zeros(1, 1),
    };
    Dense::new(law, vec![2.0])
}

/// Errata 6: the source gives its two-step scheme no start. A first step of backward Euler leaves
/// `¾ g Δt²` behind for good; the ghost history leaves nothing.
#[test]
fn errata_06_the_ghost_start_makes_free_fall_exact() {
    let (step_s, steps, g) = (0.1, 30, 9.81);
    let time = step_s * steps as f64;
    let exact = 5.0 + 2.0 * time - 0.5 * g * time * time;
    let end = |scheme| {
        let mut system = falling();
        let mut run = Run {
            system: &mut system,
            scheme,
            method: Method::Once,
        };
        let states = run.through(&[5.0], &[2.0], vec![step_s; steps]);
        states.last().unwrap().0[0]
    };
    assert!((end(Scheme::Bdf2) - exact).abs() < 1e-12);
    let behind = exact - end(Scheme::BackwardEuler);
    assert!((behind - 0.5 * g * step_s * time).abs() < 1e-11, "{behind}");

    // One step of backward Euler, then BDF2 on its history.
    let mut system = falling();
    let mut scratch = Scratch::default();
    let mut history = History {
        positions: vec![5.0],
        velocities: vec![2.0],
        step_s,
    };
    let (mut x, mut v) = (vec![5.0], vec![2.0]);
    for k in 0..steps {
        let coefficients = if k == 0 {
            backward_euler::COEFFICIENTS
        } else {
            bdf2::coefficients(1.0)
        };
        let start = Start {
            x: &x,
            v: &v,
            history: Some(&history),
            acceleration: None,
            guess: None,
        };
        let Ok(_) = step(
            &mut system,
            &start,
            step_s,
            coefficients,
            Method::Once,
            &mut scratch,
        );
        (history.positions, history.velocities) = (x, v);
        (x, v) = (scratch.x.clone(), scratch.v.clone());
    }
    assert!((v[0] - (2.0 - g * time)).abs() < 1e-12);
    let behind = exact - x[0];
    // The first step is ½gΔt² low and its memory adds half of that again, in the limit.
    assert!(
        (behind - 0.75 * g * step_s * step_s).abs() < 1e-10,
        "{behind}"
    );
}

/// Motion after a particle coming at speed 3 has been stopped dead at 0.
fn after_stop(repaired: bool) -> Vec<(f64, f64)> {
    let (speed, step_s) = (3.0, 0.02);
    let mut history = History {
        positions: vec![-step_s * speed],
        velocities: vec![speed],
        step_s,
    };
    if repaired {
        history.transport(0, -speed, 0.0);
    }
    let law = Linear {
        constant: DVector::zeros(1),
        stiffness: DMatrix::zeros(1, 1),
        damping: DMatrix::zeros(1, 1),
    };
    let mut system = Dense::new(law, vec![1.0]);
    let mut scratch = Scratch::default();
    let (mut x, mut v) = (vec![0.0], vec![0.0]);
    let mut states = Vec::new();
    for _ in 0..40 {
        let start = Start {
            x: &x,
            v: &v,
            history: Some(&history),
            acceleration: None,
            guess: None,
        };
        let Ok(_) = step(
            &mut system,
            &start,
            step_s,
            bdf2::coefficients(1.0),
            Method::Once,
            &mut scratch,
        );
        (history.positions, history.velocities) = (x, v);
        (x, v) = (scratch.x.clone(), scratch.v.clone());
        states.push((x[0], v[0]));
    }
    states
}

/// Errata 6, second half: a stop that the memory does not hear of comes back as a rebound of a
/// third of the speed, then of half of it.
#[test]
fn errata_06_a_stop_must_repair_the_memory() {
    let naive = after_stop(false);
    assert!((naive[0].1 - -1.0).abs() < 1e-12, "{:?}", naive[0]);
    assert!(
        (naive[0].0 - 0.02 * 3.0 / 9.0).abs() < 1e-14,
        "{:?}",
        naive[0]
    );
    assert!((naive[39].1 - -1.5).abs() < 1e-9, "{:?}", naive[39]);

    for (x, v) in after_stop(true) {
        assert!(x.abs() < 1e-15 && v.abs() < 1e-13, "{x} {v}");
    }
}

#[test]
fn transport_follows_a_jump_of_position_and_velocity() {
    let mut history = History {
        positions: vec![1.0, 2.0],
        velocities: vec![3.0, 4.0],
        step_s: 0.5,
    };
    history.transport(1, 2.0, 0.25);
    assert_eq!(history.positions, [1.0, 1.25]);
    assert_eq!(history.velocities, [3.0, 6.0]);
}
