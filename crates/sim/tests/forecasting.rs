//! Forecasting: the velocities it gives, its friction, and that it ends at rest.

mod support;

use glam::DVec3;
use support::*;
use toile_sim::colliders::Shape;
use toile_sim::{ClothSpec, ColliderSpec, Integrator, Material, Model, Motion, Solve};

const SCHEMES: [(Integrator, Solve); 3] = [
    (Integrator::BackwardEuler, Solve::Once),
    (Integrator::Bdf2, Solve::Once),
    (Integrator::Bdf2, Solve::Newton),
];

fn floor(friction: f64, forecast_s: Option<f64>) -> ColliderSpec {
    let plane = Shape::Plane {
        normal: DVec3::Y,
        offset_m: 0.0,
    };
    ColliderSpec {
        forecast_s,
        ..ColliderSpec::new(plane, friction)
    }
}

/// A small sheet with this gap to the floor.
fn sheet_at(gap_m: f64, velocity: DVec3) -> ClothSpec {
    let mut cloth = sheet(4, 4, 0.02, Material::default());
    rectangle(&mut cloth).center.y = gap_m + Material::default().thickness_m;
    cloth.velocity_m_per_s = velocity;
    cloth
}

fn gap_m(position: DVec3) -> f64 {
    position.y - Material::default().thickness_m
}

#[test]
fn what_would_be_inside_comes_to_the_surface_within_the_time() {
    let (step_s, relaxation_s) = (0.01, 0.05);
    for (integrator, solve) in SCHEMES {
        // Forecast: 0.06 − 0.05 · 2 < 0 at once.
        let cloth = sheet_at(0.06, DVec3::new(0.0, -2.0, 0.0));
        let model = build(&spec(
            cloth,
            DVec3::ZERO,
            vec![floor(0.0, Some(relaxation_s))],
        ));
        let mut simulation = simulation(model, integrator, solve);
        let mut gap = 0.06;
        let nearly = 0.1 * Material::default().thickness_m;
        while gap > nearly {
            simulation.step(step_s).unwrap();
            let state = simulation.state();
            let (velocity, left) = (-gap / relaxation_s, gap * (1.0 - step_s / relaxation_s));
            for (x, v) in state.positions.iter().zip(&state.velocities) {
                assert!((v.y - velocity).abs() < 1e-9, "{integrator:?}: {v}");
                assert!((gap_m(*x) - left).abs() < 1e-10, "{integrator:?}: {x}");
            }
            gap = left;
        }
        // The rest is gone in a step.
        simulation.step(step_s).unwrap();
        let gaps = simulation.state().positions.iter().map(|x| gap_m(*x));
        assert!(gaps.fold(0.0, f64::max) < 1e-10, "{integrator:?}");
    }
}

#[test]
fn what_would_not_be_inside_is_left_alone() {
    // Forecast: 0.06 − 0.05 · 1 > 0; after a few steps it is not.
    let cloth = sheet_at(0.06, -DVec3::Y);
    let model = build(&spec(cloth, DVec3::ZERO, vec![floor(0.0, Some(0.05))]));
    let mut simulation = simulation(model, Integrator::BackwardEuler, Solve::Once);
    simulation.step(0.01).unwrap();
    let state = simulation.state();
    assert!(state.contacts.is_empty());
    assert!(
        state
            .velocities
            .iter()
            .all(|v| (*v + DVec3::Y).length() < 1e-12)
    );
    simulation.step(0.01).unwrap();
    simulation.step(0.01).unwrap();
    assert_eq!(simulation.state().contacts.len(), 16);
}

#[test]
fn friction_takes_its_share_of_the_change() {
    let (step_s, relaxation_s, friction) = (0.01, 0.05, 0.3);
    let cloth = sheet_at(0.06, DVec3::new(1.5, -2.0, 0.0));
    let model = build(&spec(
        cloth,
        DVec3::ZERO,
        vec![floor(friction, Some(relaxation_s))],
    ));
    let mut simulation = simulation(model, Integrator::BackwardEuler, Solve::Once);
    simulation.step(step_s).unwrap();
    let expected = 1.5 - friction * (2.0 - 0.06 / relaxation_s);
    for v in &simulation.state().velocities {
        assert!((v.x - expected).abs() < 1e-9, "{v}");
    }
}

#[test]
fn a_time_below_the_step_is_the_step() {
    let run = |forecast_s: Option<f64>| {
        let cloth = sheet_at(0.015, DVec3::new(0.0, -2.0, 0.0));
        let model = build(&spec(cloth, DVec3::ZERO, vec![floor(0.0, forecast_s)]));
        let mut simulation = simulation(model, Integrator::BackwardEuler, Solve::Once);
        simulation.step(0.01).unwrap();
        simulation.state().positions.clone()
    };
    let both = run(Some(1e-6)).into_iter().zip(run(None));
    both.for_each(|(a, b)| assert!(a.distance(b) < 1e-12, "{a} {b}"));
}

#[test]
fn cloth_comes_to_rest_on_the_surface_and_stays() {
    for (integrator, solve) in SCHEMES {
        let cloth = sheet_at(0.05, DVec3::ZERO);
        let down = DVec3::new(0.0, -G, 0.0);
        let model = build(&spec(cloth, down, vec![floor(0.3, Some(0.03))]));
        let mut simulation = simulation(model, integrator, solve);
        for _ in 0..100 {
            simulation.step(0.01).unwrap();
        }
        let state = simulation.state();
        let speeds = state.velocities.iter().map(|v| v.length());
        assert!(speeds.fold(0.0, f64::max) < 1e-6, "{integrator:?}");
        for x in &state.positions {
            assert!((-1e-12..1e-6).contains(&gap_m(*x)), "{integrator:?}: {x}");
        }
    }
}

#[test]
fn a_floor_that_rises_carries_it() {
    let lift = ColliderSpec {
        motion: Motion::Velocity(0.5 * DVec3::Y),
        ..floor(0.3, Some(0.04))
    };
    let model = build(&spec(sheet_at(0.01, DVec3::ZERO), DVec3::ZERO, vec![lift]));
    let mut simulation = simulation(model, Integrator::Bdf2, Solve::Once);
    for _ in 0..80 {
        simulation.step(0.01).unwrap();
    }
    let state = simulation.state();
    for (x, v) in state.positions.iter().zip(&state.velocities) {
        assert!((v.y - 0.5).abs() < 1e-6, "{v}");
        let gap = gap_m(*x) - 0.5 * state.time_s;
        assert!((-1e-12..1e-6).contains(&gap), "{gap}");
    }
}

#[test]
fn times_that_are_none_are_refused() {
    for forecast_s in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let cloth = sheet_at(0.1, DVec3::ZERO);
        let spec = spec(cloth, DVec3::ZERO, vec![floor(0.0, Some(forecast_s))]);
        let error = Model::build(&spec).err().unwrap();
        assert_eq!(error.key, "collider[0].forecast_s");
    }
}
