//! Colliders that move: what lies on them goes with them.

mod support;

use glam::DVec3;
use std::sync::Arc;
use support::*;
use toile_sim::colliders::{Passage, Shape};
use toile_sim::contact::collider::{ColliderContact, Slip};
use toile_sim::report::{Stretch, collider_penetration_m};
use toile_sim::{
    ClothSpec, ColliderSpec, FrictionLaw, Integrator, Interpolation, Keyframe, Keyframes, Material,
    Model, Motion, Simulation, Solve, StepConfig,
};

const SCHEMES: [(Integrator, Solve); 4] = [
    (Integrator::BackwardEuler, Solve::Once),
    (Integrator::Bdf2, Solve::Once),
    (Integrator::BackwardEuler, Solve::Newton),
    (Integrator::Bdf2, Solve::Newton),
];

const DOWN: DVec3 = DVec3::new(0.0, -G, 0.0);

fn plane(normal: DVec3, friction: f64) -> ColliderSpec {
    let shape = Shape::Plane {
        normal,
        offset_m: 0.0,
    };
    ColliderSpec::new(shape, friction)
}

fn moving(collider: ColliderSpec, motion: Motion) -> ColliderSpec {
    ColliderSpec { motion, ..collider }
}

fn keyframes(keys: Vec<Keyframe>) -> Motion {
    Motion::Keyframes(Keyframes {
        keys,
        pivot: None,
        interpolation: Interpolation::Linear,
    })
}

fn thickness() -> f64 {
    Material::default().thickness_m
}

fn sheet_at(height_m: f64, velocity: DVec3) -> ClothSpec {
    let mut cloth = sheet(4, 4, 0.02, Material::default());
    rectangle(&mut cloth).center.y = height_m;
    cloth.velocity_m_per_s = velocity;
    cloth
}

/// A lift: up or down and aside at constant speed.
#[test]
fn cloth_on_a_moving_floor_goes_with_it() {
    for (integrator, solve) in SCHEMES {
        for velocity in [
            DVec3::new(0.0, 0.7, 0.0),
            DVec3::new(0.0, -0.4, 0.0),
            DVec3::new(0.5, 0.3, -0.2),
        ] {
            let lift = moving(plane(DVec3::Y, 0.5), Motion::Velocity(velocity));
            let cloth = sheet_at(thickness(), velocity);
            let model = build(&spec(cloth, DOWN, vec![lift]));
            let weight = G * model.masses.iter().sum::<f64>();
            let mut simulation = simulation(model, integrator, solve);
            for _ in 0..5 {
                simulation.step(0.01).unwrap();
            }
            let before = simulation.state().clone();
            for _ in 0..100 {
                simulation.step(0.01).unwrap();
                let state = simulation.state();
                let what = format!("{integrator:?} {solve:?} {velocity}");
                assert_eq!(state.contacts.len(), 16, "{what}");
                for (i, (x, v)) in state.positions.iter().zip(&state.velocities).enumerate() {
                    let height = x.y - velocity.y * state.time_s;
                    assert!((height - thickness()).abs() < 1e-12, "{what}: {height}");
                    assert!(v.distance(velocity) < 1e-9, "{what}: {v}");
                    let moved = velocity * (state.time_s - before.time_s);
                    let off = x.distance(before.positions[i] + moved);
                    assert!(off < 1e-9, "{what}: {off}");
                }
                let push: f64 = state.contacts.iter().map(|c| c.normal_force_n).sum();
                assert!(
                    (push / weight - 1.0).abs() < 1e-6,
                    "{what}: {push} {weight}"
                );
            }
        }
    }
}

/// A conveyor that starts under a resting sheet drags it at `μ g` until it goes along.
#[test]
fn a_belt_drags_by_friction_until_the_sheet_goes_along() {
    for integrator in [Integrator::BackwardEuler, Integrator::Bdf2] {
        let belt = moving(plane(DVec3::Y, 0.2), Motion::Velocity(DVec3::X));
        let model = build(&spec(sheet_at(thickness(), DVec3::ZERO), DOWN, vec![belt]));
        let mut simulation = simulation(model, integrator, Solve::Once);
        let step_s = 0.002;
        let speed = |simulation: &Simulation| {
            let sum: DVec3 = simulation.state().velocities.iter().sum();
            sum.x / 16.0
        };
        let mut speeds = Vec::new();
        for _ in 0..400 {
            simulation.step(step_s).unwrap();
            speeds.push(speed(&simulation));
        }
        let acceleration = (speeds[199] - speeds[49]) / (150.0 * step_s);
        assert!(
            (acceleration / (0.2 * G) - 1.0).abs() < 0.01,
            "{integrator:?}: {acceleration}"
        );
        // v = μ g t reaches the belt's at 0.51 s.
        let arrived = speeds.iter().position(|v| *v > 0.999).unwrap() as f64 * step_s;
        assert!((arrived - 1.0 / (0.2 * G)).abs() < 0.02, "{arrived}");
        assert!(speeds.iter().all(|v| *v < 1.0 + 1e-9));
        assert!((speeds[399] - 1.0).abs() < 1e-9, "{}", speeds[399]);
    }
}

fn ball_turning_at(rad_per_s: f64, friction: f64) -> ColliderSpec {
    let shape = Shape::Sphere {
        center: DVec3::ZERO,
        radius_m: 0.1,
    };
    let key = Keyframe {
        time_s: 10.0,
        rotation_rad: DVec3::new(0.0, 10.0 * rad_per_s, 0.0),
        ..Keyframe::START
    };
    moving(ColliderSpec::new(shape, friction), keyframes(vec![key]))
}

/// A small cap of cloth on top of a turning ball sticks, and turns with it.
#[test]
fn a_turning_ball_takes_the_cloth_round() {
    for integrator in [Integrator::BackwardEuler, Integrator::Bdf2] {
        let mut cloth = sheet(5, 5, 0.01, Material::default());
        rectangle(&mut cloth).center.y = 0.1 + 2.0 * thickness();
        let ball = ball_turning_at(0.8, 0.9);
        let model = build(&spec(cloth, DOWN, vec![ball]));
        // One linear solve a step would slow the turn by the stiffness it lends slack links.
        let mut simulation = simulation(model, integrator, Solve::Newton);
        for _ in 0..200 {
            simulation.step(0.01).unwrap();
        }
        let before = simulation.state().clone();
        for _ in 0..100 {
            simulation.step(0.01).unwrap();
            let deepest = collider_penetration_m(simulation.model(), simulation.state());
            assert_eq!(deepest, 0.0);
        }
        let state = simulation.state();
        let angle = |p: DVec3| (-p.z).atan2(p.x);
        let turned = |i: usize| {
            let turned = angle(state.positions[i]) - angle(before.positions[i]);
            turned.rem_euclid(std::f64::consts::TAU)
        };
        let sticks = |contacts: &[ColliderContact], i: usize| {
            let mut contacts = contacts.iter();
            contacts.any(|c| c.particle as usize == i && c.slip == Slip::Stick)
        };
        let mut stuck = 0;
        // The middle is on the axis.
        for i in (0..25).filter(|i| *i != 12) {
            if sticks(&before.contacts, i) && sticks(&state.contacts, i) {
                stuck += 1;
                assert!(
                    (turned(i) - 0.8).abs() < 1e-6,
                    "{integrator:?}: {}",
                    turned(i)
                );
                assert!((before.positions[i].y - state.positions[i].y).abs() < 1e-9);
                let spin = DVec3::new(0.0, 0.8, 0.0).cross(state.positions[i]);
                assert!(state.velocities[i].distance(spin) < 1e-6);
            }
            // What hangs over goes with the rest.
            assert!(
                (turned(i) - 0.8).abs() < 0.02,
                "{integrator:?}: {}",
                turned(i)
            );
        }
        assert!(stuck >= 3, "{stuck}");
    }
}

/// Without friction, it does not.
#[test]
fn a_smooth_turning_ball_takes_nothing_round() {
    let mut cloth = sheet(5, 5, 0.01, Material::default());
    rectangle(&mut cloth).center.y = 0.1 + 2.0 * thickness();
    let model = build(&spec(cloth, DOWN, vec![ball_turning_at(3.0, 0.0)]));
    let mut simulation = simulation(model, Integrator::Bdf2, Solve::Once);
    for _ in 0..50 {
        simulation.step(0.01).unwrap();
    }
    let state = simulation.state();
    let spin: f64 = state
        .positions
        .iter()
        .zip(&state.velocities)
        .map(|(x, v)| x.cross(*v).y)
        .sum();
    assert!(spin.abs() < 1e-6, "{spin}");
}

/// Downhill speeds of a sheet on a plane of 20° that itself moves.
fn on_a_moving_slope(friction: f64, integrator: Integrator) -> Vec<f64> {
    let velocity = DVec3::new(0.3, 0.2, 0.1);
    let (s, c) = 20.0_f64.to_radians().sin_cos();
    let (normal, downhill) = (DVec3::new(s, c, 0.0), DVec3::new(c, -s, 0.0));
    let mut cloth = sheet_at(0.0, velocity);
    rectangle(&mut cloth).u_axis = downhill;
    rectangle(&mut cloth).center = thickness() * normal;
    let slope = moving(plane(normal, friction), Motion::Velocity(velocity));
    let model = build(&spec(cloth, DOWN, vec![slope]));
    let mut simulation = simulation(model, integrator, Solve::Once);
    (0..100)
        .map(|_| {
            simulation.step(0.01).unwrap();
            let state = simulation.state();
            assert_eq!(state.contacts.len(), 16);
            let sum: DVec3 = state.velocities.iter().map(|v| *v - velocity).sum();
            sum.dot(downhill) / 16.0
        })
        .collect()
}

#[test]
fn a_moving_slope_holds_and_lets_slide_as_a_still_one() {
    for integrator in [Integrator::BackwardEuler, Integrator::Bdf2] {
        // tan 20° is 0.364.
        let held = on_a_moving_slope(0.5, integrator);
        assert!(
            held[80..].iter().all(|v| v.abs() < 1e-9),
            "{integrator:?}: {held:?}"
        );
        let sliding = on_a_moving_slope(0.2, integrator);
        let acceleration = (sliding[99] - sliding[19]) / 0.8;
        let (s, c) = 20.0_f64.to_radians().sin_cos();
        let expected = G * (s - 0.2 * c);
        let error = (acceleration / expected - 1.0).abs();
        assert!(
            error < 0.01,
            "{integrator:?}: {acceleration} for {expected}"
        );
    }
}

fn draped(motion: Motion) -> Arc<Model> {
    let mut cloth = sheet(12, 12, 0.02, Material::default());
    rectangle(&mut cloth).center = DVec3::new(0.013, 0.11, -0.007);
    let ball = ColliderSpec::new(
        Shape::Sphere {
            center: DVec3::ZERO,
            radius_m: 0.1,
        },
        0.3,
    );
    build(&spec(cloth, DOWN, vec![moving(ball, motion)]))
}

/// Poses that change nothing change nothing.
#[test]
fn a_collider_keyframed_to_stand_still_is_a_still_one() {
    let run = |motion: Motion| {
        let mut simulation = Simulation::new(draped(motion), StepConfig::default());
        for _ in 0..40 {
            simulation.step(0.01).unwrap();
        }
        simulation.state().clone()
    };
    let still = run(Motion::Still);
    assert!(still.contacts.len() > 10);
    let key = |time_s| Keyframe {
        time_s,
        ..Keyframe::START
    };
    assert!(run(keyframes(vec![key(0.0), key(0.1), key(2.0)])) == still);
    assert!(run(Motion::Velocity(DVec3::ZERO)) == still);
}

/// A box that is turned and shifted has the surface of the box, turned and shifted.
#[test]
fn a_pose_moves_the_surface() {
    let shape = Shape::Cuboid {
        center: DVec3::new(0.2, 0.1, 0.0),
        size_m: DVec3::new(0.4, 0.2, 0.1),
        radius_m: 0.01,
    };
    let turned = Keyframe {
        time_s: 1.0,
        offset_m: DVec3::new(0.0, 0.0, 0.5),
        rotation_rad: DVec3::new(0.0, 0.0, std::f64::consts::FRAC_PI_2),
        ..Keyframe::START
    };
    let collider = moving(ColliderSpec::new(shape, 0.0), keyframes(vec![turned]));
    // What was its right end is its top.
    let above = DVec3::new(0.2, 0.1 + 0.2 + 0.05, 0.5);
    let found = collider.surface(above, 1.0);
    assert!((found.distance_m - 0.05).abs() < 1e-12);
    assert!(found.normal.distance(DVec3::Y) < 1e-12);
    assert!(
        (collider.surface(above, 0.0).distance_m - (0.16_f64.hypot(0.46) - 0.01)).abs() < 1e-12
    );

    // Velocities are those of its points: half way through, by differences.
    let (start, end) = (0.5, 0.5 + 1e-5);
    let passage = Passage::new(&collider, start, end);
    for point in [above, DVec3::ZERO, DVec3::new(0.3, -0.2, 0.1)] {
        let moved = (passage.carry(point) - point) / (end - start);
        assert!(moved.length() > 0.1);
        assert!(passage.velocity_at(point).distance(moved) < 1e-4);
    }
}

/// Viscous friction lets a sheet creep down a slope at `tan θ/c`, and never holds it.
#[test]
fn viscous_friction_slows_to_its_terminal_speed() {
    for integrator in [Integrator::BackwardEuler, Integrator::Bdf2] {
        let coefficient_s_per_m = 2.0;
        let (s, c) = 20.0_f64.to_radians().sin_cos();
        let (normal, downhill) = (DVec3::new(s, c, 0.0), DVec3::new(c, -s, 0.0));
        let mut cloth = sheet_at(0.0, DVec3::ZERO);
        rectangle(&mut cloth).u_axis = downhill;
        rectangle(&mut cloth).center = thickness() * normal;
        let slope = ColliderSpec {
            friction_law: FrictionLaw::Viscous,
            ..plane(normal, coefficient_s_per_m)
        };
        let model = build(&spec(cloth, DOWN, vec![slope]));
        let mut simulation = simulation(model, integrator, Solve::Once);
        for _ in 0..200 {
            simulation.step(0.005).unwrap();
        }
        let sum: DVec3 = simulation.state().velocities.iter().sum();
        let (speed, expected) = (sum.dot(downhill) / 16.0, s / c / coefficient_s_per_m);
        assert!(
            (speed / expected - 1.0).abs() < 1e-3,
            "{integrator:?}: {speed} for {expected}"
        );
    }
}

/// A fast ball pushes a hanging sheet aside, and never has a particle inside.
#[test]
fn nothing_is_inside_a_ball_that_is_thrown() {
    for speed in [1.0, 5.0] {
        let mut cloth = sheet(13, 13, 0.02, Material::default());
        rectangle(&mut cloth).v_axis = DVec3::Y;
        let cloth = pinned(cloth, 13 * 12..13 * 13);
        let ball = ColliderSpec::new(
            Shape::Sphere {
                center: DVec3::new(0.0, 0.0, -0.1),
                radius_m: 0.05,
            },
            0.3,
        );
        let ball = moving(ball, Motion::Velocity(speed * DVec3::Z));
        let model = build(&spec(cloth, DOWN, vec![ball]));
        let mut simulation = Simulation::new(model, StepConfig::default());
        let mut touched = 0;
        for _ in 0..40 {
            // The faster one goes by more than a link in a step, which is then taken in halves.
            simulation.advance(0.005, 0.005).unwrap();
            touched = touched.max(simulation.state().contacts.len());
            let deepest = collider_penetration_m(simulation.model(), simulation.state());
            assert_eq!(deepest, 0.0, "{speed} m/s");
        }
        assert!(touched > 3, "{touched}");
    }
}

/// In long steps a blow would draw cloth out like rubber; steps that stretch it much are taken in halves,
/// and only those.
#[test]
fn a_blow_in_long_steps_does_not_draw_the_cloth_out() {
    let worst_stretch = |max_stretch_step: f64| {
        let mut cloth = sheet(13, 13, 0.02, Material::default());
        rectangle(&mut cloth).v_axis = DVec3::Y;
        let cloth = pinned(cloth, 13 * 12..13 * 13);
        let shape = Shape::Sphere {
            center: DVec3::new(0.0, 0.0, -0.1),
            radius_m: 0.05,
        };
        let ball = moving(
            ColliderSpec::new(shape, 0.3),
            Motion::Velocity(4.0 * DVec3::Z),
        );
        let model = build(&spec(cloth, DOWN, vec![ball]));
        let config = StepConfig {
            max_stretch_step,
            solve: Solve::Once,
            ..StepConfig::default()
        };
        let mut simulation = Simulation::new(model, config);
        let (mut worst, mut retries) = (0.0_f64, 0);
        for _ in 0..20 {
            let before = simulation.state().clone();
            let report = simulation.advance(1.0 / 60.0, 1.0 / 60.0).unwrap();
            retries += report.retries;
            let (model, state) = (simulation.model().clone(), simulation.state().clone());
            worst = worst.max(Stretch::of(&model, &state).max);
            if report.retries == 0 {
                simulation.restore(before);
                simulation.step(1.0 / 60.0).unwrap();
                assert_eq!(simulation.state().positions, state.positions);
            }
        }
        (worst, retries)
    };
    let (free, strikes) = worst_stretch(f64::INFINITY);
    let (held, retries) = worst_stretch(0.1);
    assert!(retries > strikes, "{retries} and {strikes}");
    assert!(held < 0.5 * free, "{held} and {free}");
}

/// The fillet of a union holds cloth at its thickness, although its distance is only a bound.
#[test]
fn no_particle_is_inside_a_union() {
    let ball = |x: f64| Shape::Sphere {
        center: DVec3::new(x, 0.0, 0.0),
        radius_m: 0.08,
    };
    let shape = Shape::Union {
        blend_m: 0.08,
        of: vec![ball(-0.08), ball(0.08)],
    };
    let mut cloth = sheet(17, 11, 0.02, Material::default());
    rectangle(&mut cloth).center = DVec3::new(0.004, 0.1, 0.003);
    let model = build(&spec(cloth, DOWN, vec![ColliderSpec::new(shape, 0.3)]));
    let mut simulation = Simulation::new(model, StepConfig::default());
    let mut touched = 0;
    for _ in 0..80 {
        let report = simulation.step(0.01).unwrap();
        touched = touched.max(report.contacts);
        let (model, state) = (simulation.model(), simulation.state());
        for x in &state.positions {
            let gap = model.colliders[0].surface(*x, state.time_s).distance_m - thickness();
            assert!(gap > -1e-11, "{gap:e}");
        }
    }
    assert!(touched > 20, "{touched}");
}
