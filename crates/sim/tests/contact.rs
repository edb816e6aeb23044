//! Contact with planes and spheres: resting, sliding, letting go.

mod support;

use glam::DVec3;
use std::sync::Arc;
use support::*;
use toile_sim::colliders::Shape;
use toile_sim::report::{Energy, collider_penetration_m};
use toile_sim::{
    ClothSpec, ColliderSpec, Integrator, Material, Model, Simulation, Solve, StepConfig,
};

const SCHEMES: [(Integrator, Solve); 4] = [
    (Integrator::BackwardEuler, Solve::Once),
    (Integrator::Bdf2, Solve::Once),
    (Integrator::BackwardEuler, Solve::Newton),
    (Integrator::Bdf2, Solve::Newton),
];

const DOWN: DVec3 = DVec3::new(0.0, -G, 0.0);

fn floor(friction: f64) -> ColliderSpec {
    ColliderSpec::new(
        Shape::Plane {
            normal: DVec3::Y,
            offset_m: 0.0,
        },
        friction,
    )
}

/// A small sheet at some height.
fn sheet_at(height_m: f64, velocity: DVec3) -> ClothSpec {
    let mut cloth = sheet(4, 4, 0.02, Material::default());
    support::rectangle(&mut cloth).center.y = height_m;
    cloth.velocity_m_per_s = velocity;
    cloth
}

fn thickness() -> f64 {
    Material::default().thickness_m
}

#[test]
fn a_sheet_comes_to_rest_on_the_floor_at_its_thickness() {
    for (integrator, solve) in SCHEMES {
        for step_s in [0.01, 0.1] {
            let cloth = sheet_at(0.05, DVec3::ZERO);
            let model = build(&spec(cloth, DOWN, vec![floor(0.3)]));
            let mut simulation = simulation(model, integrator, solve);
            for _ in 0..60 {
                simulation.step(step_s).unwrap();
            }
            let state = simulation.state();
            assert_eq!(
                state.contacts.len(),
                16,
                "{integrator:?} {solve:?} {step_s}"
            );
            for (x, v) in state.positions.iter().zip(&state.velocities) {
                assert!(
                    (x.y - thickness()).abs() < 1e-12,
                    "{integrator:?} {solve:?}: {x}"
                );
                assert!(v.length() < 1e-9, "{integrator:?} {solve:?}: {v}");
            }
            // The floor carries the weight.
            let push: f64 = state.contacts.iter().map(|c| c.normal_force_n).sum();
            let weight = G * simulation.model().masses.iter().sum::<f64>();
            assert!((push / weight - 1.0).abs() < 1e-6, "{push} {weight}");
        }
    }
}

/// Property 10 and errata 6: a two-step scheme that remembered the approach would rebound with a
/// third of its speed.
#[test]
fn errata_06_an_inelastic_stop_does_not_rebound() {
    for gravity in [DVec3::ZERO, DOWN] {
        for solve in [Solve::Once, Solve::Newton] {
            let cloth = sheet_at(0.031, DVec3::new(0.0, -2.0, 0.0));
            let model = build(&spec(cloth, gravity, vec![floor(0.0)]));
            let mut simulation = simulation(model, Integrator::Bdf2, solve);
            let mut stopped = 0;
            for _ in 0..20 {
                let approach = simulation.state().velocities[0].y;
                simulation.step(0.005).unwrap();
                let state = simulation.state();
                for (x, v) in state.positions.iter().zip(&state.velocities) {
                    assert!(v.y <= 0.0, "rebounds at {} of {approach}", v.y);
                    if stopped > 0 {
                        assert_eq!(v.y, 0.0);
                        assert!((x.y - thickness()).abs() < 1e-15);
                    }
                }
                if state.velocities[0].y == 0.0 {
                    // From the step of the impact on, the memory says that it has always lain
                    // there, but for the step's worth of gravity that the push-out leaves.
                    let past = state.history.as_ref().unwrap();
                    let up =
                        |all: &[f64]| all.iter().skip(1).step_by(3).copied().collect::<Vec<_>>();
                    let slack = 0.005 * gravity.length() + 1e-12;
                    assert!(up(&past.velocities).iter().all(|v| v.abs() <= slack));
                    let lay = |y: &f64| (y - thickness()).abs() <= 0.005 * slack;
                    assert!(up(&past.positions).iter().all(lay));
                }
                stopped += usize::from(state.velocities[0].y == 0.0);
            }
            assert!(stopped > 10 && stopped < 20, "{stopped}");
        }
    }
}

/// A plane through the origin, tilted by `angle` about z, and a sheet lying on it.
fn incline(angle: f64, friction: f64) -> (Arc<Model>, DVec3) {
    above_incline(0.0, angle, friction)
}

/// The same with a gap between the two.
fn above_incline(gap_m: f64, angle: f64, friction: f64) -> (Arc<Model>, DVec3) {
    let (s, c) = angle.sin_cos();
    let (normal, downhill) = (DVec3::new(s, c, 0.0), DVec3::new(c, -s, 0.0));
    let mut cloth = sheet_at(0.0, DVec3::ZERO);
    support::rectangle(&mut cloth).u_axis = downhill;
    support::rectangle(&mut cloth).center = (thickness() + gap_m) * normal;
    let plane = ColliderSpec::new(
        Shape::Plane {
            normal,
            offset_m: 0.0,
        },
        friction,
    );
    (build(&spec(cloth, DOWN, vec![plane])), downhill)
}

/// Mean motion down the plane: place and speed after every step.
fn slide(angle: f64, friction: f64, integrator: Integrator, step_s: f64) -> Vec<(f64, f64)> {
    let (model, downhill) = incline(angle, friction);
    let mut simulation = simulation(model.clone(), integrator, Solve::Once);
    let mean = |vectors: &[DVec3]| vectors.iter().sum::<DVec3>().dot(downhill) / 16.0;
    (0..100)
        .map(|_| {
            simulation.step(step_s).unwrap();
            let state = simulation.state();
            assert_eq!(state.contacts.len(), 16);
            (mean(&state.positions), mean(&state.velocities))
        })
        .collect()
}

#[test]
fn a_sheet_sticks_to_an_incline_below_the_friction_angle() {
    for (friction, share) in [(0.2, 0.95), (0.5, 0.95), (1.0, 0.8)] {
        for integrator in [Integrator::BackwardEuler, Integrator::Bdf2] {
            let angle = f64::atan(share * friction);
            let motion = slide(angle, friction, integrator, 0.01);
            // It takes a step to find that the plane is there, and so close to the cone a few
            // more to lose the speed of that step.
            let (end, _) = motion[99];
            for (place, speed) in &motion[80..] {
                assert_eq!(*speed, 0.0, "{integrator:?} μ = {friction}");
                assert!((place - end).abs() < 1e-15);
            }
            assert!(
                end.abs() < 1e-3,
                "{integrator:?} μ = {friction}: slid {end}"
            );
        }
    }
}

/// Friction stops a sheet that gets in unannounced, and does not drive it back up.
#[test]
fn a_sheet_that_is_stopped_on_an_incline_stays_there() {
    for gap_m in [1e-5, 3e-5, 1e-4, 3e-4] {
        let (model, downhill) = above_incline(gap_m, 20f64.to_radians(), 0.5);
        let mut simulation = simulation(model, Integrator::Bdf2, Solve::Auto);
        let along_m = |simulation: &Simulation| simulation.state().positions[0].dot(downhill);
        let start_m = along_m(&simulation);
        // It falls through the gap within this step.
        simulation.step(1.0 / 60.0).unwrap();
        let landed_m = along_m(&simulation);
        assert!(landed_m > start_m);
        for _ in 0..5 {
            simulation.step(1.0 / 60.0).unwrap();
            let back_m = landed_m - along_m(&simulation);
            assert!(back_m.abs() < 1e-9, "{back_m} m back from {gap_m} m");
        }
    }
}

/// Nor does friction drive back what comes down as foreseen and slides to a stop.
#[test]
fn friction_gives_no_energy_to_a_sheet_that_lands_on_an_incline() {
    for gap_m in [1e-4, 3e-4, 1e-3, 2e-3] {
        for steps_per_s in [60.0, 120.0, 240.0] {
            let (model, _) = above_incline(gap_m, 20f64.to_radians(), 0.5);
            let mut simulation = simulation(model, Integrator::Bdf2, Solve::Auto);
            let energy =
                |simulation: &Simulation| Energy::of(simulation.model(), simulation.state());
            let mut before_j = energy(&simulation).total_j();
            let (mut rise_j, mut largest_j) = (0.0_f64, 0.0_f64);
            for _ in 0..60 {
                let step_s = f64::recip(steps_per_s);
                simulation.advance(step_s, step_s).unwrap();
                let now = energy(&simulation);
                rise_j = rise_j.max(now.total_j() - before_j);
                largest_j = largest_j.max(now.kinetic_j);
                before_j = now.total_j();
            }
            let share = rise_j / largest_j;
            assert!(
                share < 1e-3,
                "{share} from {gap_m} m at {steps_per_s} steps/s"
            );
            assert_eq!(energy(&simulation).kinetic_j, 0.0);
        }
    }
}

#[test]
fn a_sheet_slides_down_a_steeper_incline_at_coulombs_acceleration() {
    for (friction, degrees) in [(0.0, 10.0), (0.2, 12.0), (0.2, 20.0), (0.5, 40.0_f64)] {
        let angle = degrees.to_radians();
        let expected = G * (angle.sin() - friction * angle.cos());
        assert!(expected > 0.1);
        for integrator in [Integrator::BackwardEuler, Integrator::Bdf2] {
            for step_s in [0.001, 0.01] {
                let motion = slide(angle, friction, integrator, step_s);
                let time = 80.0 * step_s;
                let acceleration = (motion[99].1 - motion[19].1) / time;
                let error = (acceleration / expected - 1.0).abs();
                assert!(
                    error < 0.01,
                    "{integrator:?} μ = {friction}: {acceleration} for {expected}"
                );
                // The places follow the speeds.
                let moved = motion[99].0 - motion[19].0;
                let mean_speed = 0.5 * (motion[99].1 + motion[19].1);
                assert!((moved / (mean_speed * time) - 1.0).abs() < 0.02);
            }
        }
    }
}

/// Friction stops a sliding sheet after `v²/2μg` and holds it there.
#[test]
fn friction_stops_a_sliding_sheet_where_it_must() {
    for integrator in [Integrator::BackwardEuler, Integrator::Bdf2] {
        let cloth = sheet_at(thickness(), DVec3::new(1.0, 0.0, 0.0));
        let model = build(&spec(cloth, DOWN, vec![floor(0.4)]));
        let mut simulation = simulation(model, integrator, Solve::Once);
        for _ in 0..1000 {
            simulation.step(0.001).unwrap();
        }
        let state = simulation.state();
        let speed = state
            .velocities
            .iter()
            .map(|v| v.length())
            .fold(0.0, f64::max);
        assert!(speed < 1e-9, "{integrator:?}: {speed}");
        let distance = state.positions.iter().map(|x| x.x).sum::<f64>() / 16.0;
        let expected = 1.0 / (2.0 * 0.4 * G);
        assert!(
            (distance / expected - 1.0).abs() < 0.02,
            "{distance} for {expected}"
        );
    }
}

/// Contact does not glue: when gravity turns round, the sheet falls off the floor freely.
#[test]
fn a_sheet_pulled_up_is_let_go() {
    for (integrator, solve) in SCHEMES {
        let rest = build(&spec(sheet_at(0.01, DVec3::ZERO), DOWN, vec![floor(0.3)]));
        let mut resting = simulation(rest, integrator, solve);
        for _ in 0..30 {
            resting.step(0.01).unwrap();
        }
        assert_eq!(resting.state().contacts.len(), 16);

        let lifted = build(&spec(sheet_at(0.01, DVec3::ZERO), -DOWN, vec![floor(0.3)]));
        let mut lifting = simulation(lifted, integrator, solve);
        lifting.restore(resting.state().clone());
        for _ in 0..50 {
            lifting.step(0.01).unwrap();
        }
        let state = lifting.state();
        assert!(state.contacts.is_empty());
        // At most two steps late.
        for (x, v) in state.positions.iter().zip(&state.velocities) {
            assert!(
                v.y > G * 0.475 && v.y < G * 0.501,
                "{integrator:?} {solve:?}: {v}"
            );
            assert!(
                x.y > 0.5 * G * 0.47_f64.powi(2),
                "{integrator:?} {solve:?}: {x}"
            );
        }
    }
}

fn on_sphere(friction: f64, integrator: Integrator) -> Simulation {
    let mut cloth = sheet(13, 13, 0.02, Material::default());
    support::rectangle(&mut cloth).center = DVec3::new(0.01, 0.12, 0.0);
    let ball = ColliderSpec::new(
        Shape::Sphere {
            center: DVec3::ZERO,
            radius_m: 0.08,
        },
        friction,
    );
    let config = StepConfig {
        integrator,
        ..StepConfig::default()
    };
    Simulation::new(
        build(&spec(cloth, DOWN, vec![ball, floor_at(-0.15)])),
        config,
    )
}

fn floor_at(height_m: f64) -> ColliderSpec {
    ColliderSpec::new(
        Shape::Plane {
            normal: DVec3::Y,
            offset_m: height_m,
        },
        0.3,
    )
}

#[test]
fn no_particle_is_ever_inside_a_collider() {
    for integrator in [Integrator::BackwardEuler, Integrator::Bdf2] {
        for friction in [0.0, 0.5] {
            let mut simulation = on_sphere(friction, integrator);
            let mut touched = 0;
            for _ in 0..80 {
                let report = simulation.step(0.01).unwrap();
                touched = touched.max(report.contacts);
                let (model, state) = (simulation.model(), simulation.state());
                assert_eq!(collider_penetration_m(model, state), 0.0);
                for collider in &model.colliders {
                    for x in &state.positions {
                        let gap = collider.surface(*x, state.time_s).distance_m - thickness();
                        assert!(gap > -1e-11, "{integrator:?} μ = {friction}: {gap:e}");
                    }
                }
            }
            assert!(touched > 10, "{touched} contacts");
        }
    }
}

/// Thrown at the sphere faster than a step can see, a sheet still does not get in.
#[test]
fn a_fast_sheet_does_not_get_in() {
    for speed in [5.0, 20.0] {
        let mut simulation = on_sphere(0.3, Integrator::Bdf2);
        let mut state = simulation.state().clone();
        state.velocities.fill(DVec3::new(0.0, -speed, 0.0));
        simulation.restore(state);
        for _ in 0..20 {
            simulation.step(0.01).unwrap();
            let (model, state) = (simulation.model(), simulation.state());
            assert_eq!(collider_penetration_m(model, state), 0.0, "{speed} m/s");
        }
    }
}
