//! Solids in their smallest form: one tetrahedron, its force and matrix, its flight and its fall.

mod support;

use glam::{DQuat, DVec3};
use nalgebra::DMatrix;
use std::sync::Arc;
use support::*;
use toile_sim::colliders::Shape;
use toile_sim::{
    ColliderSpec, Integrator, Jacobian, Model, ModelSpec, Simulation, SolidSpec, State, StepConfig,
};

/// Length of its edges, m.
const EDGE_M: f64 = 0.1;

/// A regular tetrahedron on one of its faces, with its lowest corners at the height 0.
fn regular() -> SolidSpec {
    let height_m = EDGE_M * (2.0_f64 / 3.0).sqrt();
    let around = EDGE_M / 3_f64.sqrt();
    let corner = |k: u32| {
        let angle = f64::from(k) * std::f64::consts::TAU / 3.0;
        around * DVec3::new(angle.cos(), 0.0, angle.sin())
    };
    let points = vec![corner(0), corner(1), corner(2), height_m * DVec3::Y];
    SolidSpec {
        young_pa: 1e6,
        ..SolidSpec::new("tetrahedron", points, vec![[0, 1, 2, 3]])
    }
}

fn model(solid: SolidSpec, gravity: DVec3, colliders: Vec<ColliderSpec>) -> Arc<Model> {
    build(&ModelSpec {
        gravity_m_per_s2: gravity,
        solids: vec![solid],
        colliders,
        ..ModelSpec::default()
    })
}

fn volume_m3(x: &[DVec3]) -> f64 {
    ((x[1] - x[0]).cross(x[2] - x[0]).dot(x[3] - x[0]) / 6.0).abs()
}

fn relative_error(a: &DMatrix<f64>, b: &DMatrix<f64>) -> f64 {
    (a - b).amax() / b.amax()
}

/// Strained by a few tenths, and turned.
fn strained(seed: u64) -> Vec<DVec3> {
    let shifts = random_vectors(4, 0.2 * EDGE_M, seed);
    let turn = DQuat::from_rotation_x(seed as f64);
    let start = regular().points;
    start
        .iter()
        .zip(shifts)
        .map(|(x, shift)| turn * *x + shift)
        .collect()
}

#[test]
fn force_and_matrix_are_derivatives_of_the_energy() {
    let exact = model(
        SolidSpec {
            jacobian: Jacobian::Exact,
            ..regular()
        },
        DVec3::ZERO,
        Vec::new(),
    );
    let step_m = 1e-4 * EDGE_M;
    for seed in 1..9 {
        let x = strained(seed);
        let still = vec![DVec3::ZERO; 4];
        let slope = differences(&x, step_m, |x| vec![energy(&exact, x)]);
        let force = flat(&forces(&exact, &x, &still));
        let force = DMatrix::from_row_slice(1, 12, &force);
        assert!(relative_error(&-&force, &slope) < 1e-8);
        let by_place = differences(&x, step_m, |x| flat(&forces(&exact, x, &still)));
        let by_speed = differences(&still, 1e-3, |v| flat(&forces(&exact, &x, v)));
        assert!(by_speed.amax() > 0.0);
        let matrix = stiffness(&exact, &x, &still);
        assert!(relative_error(&matrix, &-(by_place + by_speed)) < 1e-8);
    }
}

#[test]
fn the_matrix_without_the_part_of_the_stress_is_positive_and_exact_at_rest() {
    let solid = regular();
    let start = solid.points.clone();
    let model = model(solid, DVec3::ZERO, Vec::new());
    let still = vec![DVec3::ZERO; 4];
    for seed in 1..9 {
        let matrix = stiffness(&model, &strained(seed), &still);
        let lowest = matrix.clone().symmetric_eigenvalues().min();
        assert!(lowest > -1e-9 * matrix.amax(), "{lowest}");
    }
    let by_place = differences(&start, 1e-4 * EDGE_M, |x| flat(&forces(&model, x, &still)));
    let by_speed = differences(&still, 1e-3, |v| flat(&forces(&model, &start, v)));
    let matrix = stiffness(&model, &start, &still);
    assert!(relative_error(&matrix, &-(by_place + by_speed)) < 1e-7);
}

/// Momentum, and angular momentum about the origin.
fn momenta(model: &Model, state: &State) -> [DVec3; 2] {
    let moving = || {
        model
            .masses
            .iter()
            .zip(&state.positions)
            .zip(&state.velocities)
    };
    [
        moving().map(|((m, _), v)| *m * *v).sum(),
        moving().map(|((m, x), v)| *m * x.cross(*v)).sum(),
    ]
}

#[test]
fn momentum_is_kept_in_free_flight() {
    for (integrator, step_s) in [
        (Integrator::Bdf2, 1.0 / 240.0),
        (Integrator::SymplecticEuler, 1e-4),
    ] {
        let config = StepConfig {
            integrator,
            linear_tolerance: 1e-12,
            ..StepConfig::default()
        };
        let model = model(regular(), DVec3::ZERO, Vec::new());
        let mut simulation = Simulation::new(model.clone(), config);
        let mut state = State::start(&model);
        // It tumbles, and is stretched on top of that.
        let spin = DVec3::new(3.0, -5.0, 2.0);
        for (v, x) in state.velocities.iter_mut().zip(&state.positions) {
            *v = DVec3::new(0.3, 0.1, -0.2) + spin.cross(*x) + 2.0 * *x;
        }
        let [momentum, spin] = momenta(&model, &state);
        simulation.restore(state);
        for _ in 0..200 {
            simulation.step(step_s).unwrap();
        }
        let [after, spin_after] = momenta(&model, simulation.state());
        let lost = (after - momentum).length() / momentum.length();
        assert!(lost < 1e-10, "{integrator:?}: {lost}");
        // The integrator's own error is all that angular momentum has.
        if integrator == Integrator::SymplecticEuler {
            let lost = (spin_after - spin).length() / spin.length();
            assert!(lost < 1e-10, "{lost}");
        }
    }
}

/// One that falls on a floor, tilted, for a while; checked after every step.
fn fallen(threads: usize, mut check: impl FnMut(&Simulation) + Send) -> State {
    let mut solid = regular();
    let tilt = DQuat::from_rotation_x(0.3) * DQuat::from_rotation_z(-0.2);
    for point in &mut solid.points {
        *point = tilt * *point + 0.08 * DVec3::Y;
    }
    let floor = Shape::Plane {
        normal: DVec3::Y,
        offset_m: 0.0,
    };
    let floor = ColliderSpec::new(floor, 0.5);
    let model = model(solid, DVec3::new(0.0, -G, 0.0), vec![floor]);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build().unwrap().install(|| {
        let mut simulation = Simulation::new(model, StepConfig::default());
        for _ in 0..360 {
            simulation.step(1.0 / 240.0).unwrap();
            check(&simulation);
        }
        simulation.state().clone()
    })
}

#[test]
fn it_falls_on_a_floor_and_comes_to_rest_with_its_volume() {
    let whole_m3 = volume_m3(&regular().points);
    let margin_m = regular().thickness_m;
    let (mut least, mut most) = (1.0_f64, 1.0_f64);
    let end = fallen(1, |simulation| {
        let x = &simulation.state().positions;
        let share = volume_m3(x) / whole_m3;
        (least, most) = (least.min(share), most.max(share));
        assert!(x.iter().all(|x| x.y > 0.999 * margin_m), "{x:?}");
    });
    assert!(
        0.95 < least && most < 1.05,
        "{least} to {most} of its volume"
    );
    let fastest = end
        .velocities
        .iter()
        .map(|v| v.length())
        .fold(0.0, f64::max);
    assert!(fastest < 1e-3, "{fastest} m/s");
    let on_the_floor = end.positions.iter().filter(|x| x.y < 1.01 * margin_m);
    assert_eq!(on_the_floor.count(), 3, "{:?}", end.positions);
    let share = volume_m3(&end.positions) / whole_m3;
    assert!((share - 1.0).abs() < 1e-3, "{share}");
    // And it fell from where it was.
    let top_m = end.positions.iter().map(|x| x.y).fold(0.0, f64::max);
    assert!(
        (top_m - margin_m - EDGE_M * (2.0_f64 / 3.0).sqrt()).abs() < 1e-3,
        "{top_m}"
    );
}

#[test]
fn the_fall_does_not_depend_on_the_number_of_threads() {
    let [one, two] = [1, 2].map(|threads| fallen(threads, |_| {}));
    assert_eq!(bits(&one.positions), bits(&two.positions));
    assert_eq!(bits(&one.velocities), bits(&two.velocities));
}
