//! The same bits for any number of threads, and nothing changed by a step that fails.

mod support;

use glam::DVec3;
use std::sync::Arc;
use support::*;
use toile_numerics::pcg;
use toile_sim::colliders::Shape;
use toile_sim::config::Preconditioner;
use toile_sim::{
    ColliderSpec, Integrator, Jacobian, Material, Model, Simulation, Solve, State, StepConfig,
    StepError,
};

/// A sheet of 20 × 20 particles over a rough ball.
fn draped() -> Arc<Model> {
    let mut cloth = sheet(20, 20, 0.02, Material::default());
    support::rectangle(&mut cloth).center = DVec3::new(0.013, 0.11, -0.007);
    let ball = ColliderSpec::new(
        Shape::Sphere {
            center: DVec3::ZERO,
            radius_m: 0.1,
        },
        0.3,
    );
    build(&spec(cloth, DVec3::new(0.0, -G, 0.0), vec![ball]))
}

fn run(model: &Arc<Model>, config: StepConfig, threads: usize, steps: usize) -> State {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build().unwrap().install(|| {
        let mut simulation = Simulation::new(model.clone(), config);
        for _ in 0..steps {
            simulation.step(1.0 / 90.0).unwrap();
        }
        simulation.state().clone()
    })
}

fn same_bits(a: &State, b: &State) -> bool {
    // Equality of states would take −0 for 0 and NaN for a difference.
    let past = |s: &State| {
        s.history.as_ref().map(|h| {
            let all = h.positions.iter().chain(&h.velocities);
            all.map(|c| c.to_bits()).collect::<Vec<_>>()
        })
    };
    bits(&a.positions) == bits(&b.positions)
        && bits(&a.velocities) == bits(&b.velocities)
        && past(a) == past(b)
        && a.contacts == b.contacts
        && (a.time_s.to_bits(), a.steps) == (b.time_s.to_bits(), b.steps)
}

#[test]
fn the_state_does_not_depend_on_the_number_of_threads() {
    let model = draped();
    let default = StepConfig::default();
    for (config, steps) in [
        (default, 30),
        (
            StepConfig {
                preconditioner: Preconditioner::BlockDiagonal,
                ..default
            },
            30,
        ),
        (
            StepConfig {
                solve: Solve::Newton,
                newton_max_iterations: 4,
                ..default
            },
            10,
        ),
    ] {
        let one = run(&model, config, 1, steps);
        assert!(one.contacts.len() > 10, "{} contacts", one.contacts.len());
        assert!(one.positions != model.start_positions);
        for threads in [1, 2, 3] {
            let other = run(&model, config, threads, steps);
            assert!(same_bits(&one, &other), "{threads} threads, {config:?}");
        }
    }
}

/// A run that was stopped and resumed from its state goes on as if nothing had happened.
#[test]
fn a_restored_state_continues_with_the_same_bits() {
    let model = draped();
    let whole = run(&model, StepConfig::default(), 1, 24);
    let half = run(&model, StepConfig::default(), 1, 12);
    let mut resumed = Simulation::new(model, StepConfig::default());
    resumed.restore(half);
    for _ in 0..12 {
        resumed.step(1.0 / 90.0).unwrap();
    }
    assert!(same_bits(resumed.state(), &whole));
}

/// The exact matrix of a strongly compressed sheet is indefinite at a large step.
#[test]
fn a_step_that_fails_leaves_the_state_untouched() {
    let material = Material {
        bending_warp_n_m: 1e-2,
        bending_weft_n_m: 1e-2,
        jacobian: Jacobian::Exact,
        ..Material::default()
    };
    let model = build(&spec(
        sheet(8, 8, 0.02, material),
        DVec3::new(0.0, -G, 0.0),
        Vec::new(),
    ));
    let mut simulation = simulation(model.clone(), Integrator::Bdf2, Solve::Once);
    let mut crushed = simulation.state().clone();
    let shifts = random_vectors(64, 0.002, 3);
    for (x, shift) in crushed.positions.iter_mut().zip(&shifts) {
        *x = 0.7 * *x + *shift;
    }
    simulation.restore(crushed.clone());
    let failed = simulation.step(0.5);
    assert!(
        matches!(
            failed,
            Err(StepError::Solver(pcg::Error::Indefinite { .. }))
        ),
        "{failed:?}"
    );
    assert!(same_bits(simulation.state(), &crushed));
    // A step small enough for the masses to win is possible from there.
    simulation.step(1e-5).unwrap();
    assert_eq!(simulation.state().steps, 1);
}

#[test]
fn a_number_that_is_not_finite_stops_the_step_and_nothing_else() {
    for preconditioner in [Preconditioner::BlockDiagonal, Preconditioner::Multilevel] {
        let config = StepConfig {
            preconditioner,
            ..StepConfig::default()
        };
        for bad in [f64::NAN, f64::INFINITY] {
            let mut simulation = Simulation::new(draped(), config);
            simulation.step(0.01).unwrap();
            let mut poisoned = simulation.state().clone();
            poisoned.positions[37].y = bad;
            simulation.restore(poisoned.clone());
            let failed = simulation.step(0.01);
            assert!(failed.is_err(), "{bad} passed with {preconditioner:?}");
            assert!(same_bits(simulation.state(), &poisoned));
        }
    }
}

#[test]
fn impossible_steps_are_refused() {
    let mut simulation = Simulation::new(draped(), StepConfig::default());
    let before = simulation.state().clone();
    for step_s in [0.0, -0.01, f64::NAN, f64::INFINITY] {
        let refused = simulation.step(step_s);
        assert!(
            matches!(refused, Err(StepError::BadStep { .. })),
            "{refused:?}"
        );
        assert!(same_bits(simulation.state(), &before));
    }
}

/// A frame is cut into equal steps, none longer than asked.
#[test]
fn a_frame_is_a_whole_number_of_steps() {
    let mut simulation = Simulation::new(draped(), StepConfig::default());
    let report = simulation.advance(1.0 / 30.0, 1.0 / 90.0).unwrap();
    assert_eq!((report.steps, report.retries), (3, 0));
    let report = simulation.advance(1.0 / 30.0, 1.0 / 100.0).unwrap();
    assert_eq!(report.steps, 4);
    assert!((simulation.state().time_s - 2.0 / 30.0).abs() < 1e-15);
}
