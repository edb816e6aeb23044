//! Pins that move and slide, against closed forms.

mod support;

use glam::{DQuat, DVec3};
use std::sync::Arc;
use support::*;
use toile_sim::{
    AirSpec, ClothSpec, Integrator, Interpolation, Keyframe, Keyframes, Material, Model, Motion,
    PinHold, PinRegion, PinSpec, Simulation, Solve, StepConfig, WindSpec,
};

const DOWN: DVec3 = DVec3::new(0.0, -G, 0.0);

fn cloth() -> ClothSpec {
    sheet(6, 5, 0.02, Material::default())
}

fn all(cloth: &ClothSpec) -> Vec<u32> {
    (0..cloth.particles() as u32).collect()
}

fn pin(indices: Vec<u32>) -> PinSpec {
    PinSpec::fixed(PinRegion::Indices(indices))
}

fn held(mut cloth: ClothSpec, pin: PinSpec, gravity: DVec3) -> Arc<Model> {
    cloth.pins.push(pin);
    build(&spec(cloth, gravity, Vec::new()))
}

/// The reference solver with both schemes, and the solver that scenes get.
fn simulations(model: &Arc<Model>) -> Vec<Simulation> {
    vec![
        simulation(model.clone(), Integrator::Bdf2, Solve::Once),
        simulation(model.clone(), Integrator::BackwardEuler, Solve::Once),
        Simulation::new(model.clone(), StepConfig::default()),
    ]
}

fn keyframes(interpolation: Interpolation, pivot: Option<DVec3>) -> Motion {
    Motion::Keyframes(Keyframes {
        keys: vec![
            Keyframe {
                time_s: 0.1,
                offset_m: DVec3::new(0.01, 0.02, 0.0),
                rotation_rad: DVec3::ZERO,
                scale: DVec3::ONE,
            },
            Keyframe {
                time_s: 0.3,
                offset_m: DVec3::new(0.01, -0.03, 0.02),
                rotation_rad: DVec3::new(0.0, 0.5, 0.2),
                scale: DVec3::new(0.8, 1.0, 1.1),
            },
        ],
        pivot,
        interpolation,
    })
}

/// The same poses, written out by hand.
fn expected(start: DVec3, time_s: f64, ease: impl Fn(f64) -> f64, pivot: DVec3) -> DVec3 {
    let (first, second) = (
        ease((time_s / 0.1).clamp(0.0, 1.0)),
        ease(((time_s - 0.1) / 0.2).clamp(0.0, 1.0)),
    );
    let offset = first * DVec3::new(0.01, 0.02, 0.0) + second * DVec3::new(0.0, -0.05, 0.02);
    let scale = DVec3::ONE + second * DVec3::new(-0.2, 0.0, 0.1);
    let turn = DQuat::from_scaled_axis(second * DVec3::new(0.0, 0.5, 0.2));
    pivot + offset + turn * (scale * (start - pivot))
}

#[test]
fn keyframed_pins_are_where_their_keyframes_say() {
    let pins = vec![0, 1, 5, 24];
    let smooth = |s: f64| s * s * (3.0 - 2.0 * s);
    type Ease = fn(f64) -> f64;
    let cases: [(_, Ease, _); 2] = [
        (
            Interpolation::Linear,
            |s| s,
            Some(DVec3::new(0.1, 0.2, 0.3)),
        ),
        (Interpolation::Smooth, smooth, None),
    ];
    for (interpolation, ease, pivot) in cases {
        let mut spec = pin(pins.clone());
        spec.motion = keyframes(interpolation, pivot);
        let model = held(cloth(), spec, DOWN);
        let sum: DVec3 = pins
            .iter()
            .map(|&i| model.start_positions[i as usize])
            .sum();
        let pivot = pivot.unwrap_or(sum / 4.0);
        let newton = simulation(model.clone(), Integrator::Bdf2, Solve::Newton);
        for mut simulation in simulations(&model).into_iter().chain([newton]) {
            for _ in 0..50 {
                let before = simulation.state().clone();
                simulation.step(0.008).unwrap();
                let state = simulation.state();
                for i in pins.iter().map(|&i| i as usize) {
                    let start = model.start_positions[i];
                    let place = expected(start, state.time_s, ease, pivot);
                    assert!(state.positions[i].distance(place) < 1e-12);
                    let velocity = (state.positions[i] - before.positions[i]) / 0.008;
                    assert!(state.velocities[i].distance(velocity) < 1e-10);
                }
            }
            // They end at rest, to the last bit.
            let state = simulation.state();
            assert_eq!(state.velocities[24], DVec3::ZERO);
            // And they did take the cloth along.
            assert!(state.positions[14].is_finite());
            assert!(state.positions[14].distance(state.positions[15]) < 0.03);
        }
    }
}

#[test]
fn prescribed_velocity_is_uniform_motion() {
    let velocity = DVec3::new(0.3, -0.1, 0.2);
    let mut spec = pin(vec![0, 5]);
    spec.motion = Motion::Velocity(velocity);
    let model = held(cloth(), spec, DOWN);
    for mut simulation in simulations(&model) {
        for _ in 0..40 {
            simulation.step(0.01).unwrap();
        }
        let state = simulation.state();
        for i in [0, 5] {
            let place = model.start_positions[i] + 0.4 * velocity;
            assert!(state.positions[i].distance(place) < 1e-12);
            assert!(state.velocities[i].distance(velocity) < 1e-11);
        }
    }
}

/// A cloth that already moves with its pins feels nothing of being held.
#[test]
fn moving_along_with_the_pins_takes_no_force() {
    let velocity = DVec3::new(0.4, 0.2, -0.3);
    let mut cloth = cloth();
    cloth.velocity_m_per_s = velocity;
    let mut spec = pin(vec![0, 5, 29]);
    let by_keyframes = Motion::Keyframes(Keyframes {
        keys: vec![Keyframe {
            time_s: 2.0,
            offset_m: 2.0 * velocity,
            ..Keyframe::START
        }],
        pivot: None,
        interpolation: Interpolation::Linear,
    });
    for motion in [Motion::Velocity(velocity), by_keyframes] {
        spec.motion = motion;
        let model = held(cloth.clone(), spec.clone(), DVec3::ZERO);
        for (k, mut simulation) in simulations(&model).into_iter().enumerate() {
            // Longer steps are solved by Newton's iterations, to their tolerance.
            for _ in 0..40 {
                simulation.step(0.015).unwrap();
            }
            let state = simulation.state();
            for (i, x) in state.positions.iter().enumerate() {
                let place = model.start_positions[i] + 0.6 * velocity;
                assert!(x.distance(place) < 1e-10, "{k} {i} {}", x.distance(place));
                assert!(state.velocities[i].distance(velocity) < 1e-9);
            }
        }
    }
}

/// Beads on a wire: only the wire's share of gravity moves them, and nothing leaves it.
#[test]
fn axis_limited_pins_slide_like_beads() {
    let axis = DVec3::new(1.0, -2.0, 0.5);
    let along = axis.normalize();
    let mut spec = pin(all(&cloth()));
    spec.hold = PinHold::FreeAxis(axis);
    let model = held(cloth(), spec, DOWN);
    for (k, mut simulation) in simulations(&model).into_iter().enumerate() {
        for _ in 0..50 {
            simulation.step(0.01).unwrap();
        }
        // Backward Euler falls `½ g t Δt` too far.
        let time_square = if k == 1 { 0.5 * 0.51 } else { 0.25 };
        let slide = 0.5 * DOWN.dot(along) * time_square;
        for (x, start) in simulation
            .state()
            .positions
            .iter()
            .zip(&model.start_positions)
        {
            let moved = *x - *start;
            assert!(moved.reject_from_normalized(along).length() < 1e-12);
            assert!(
                (moved.dot(along) - slide).abs() < 1e-9,
                "{k}: {}",
                moved.dot(along)
            );
        }
    }
}

#[test]
fn plane_limited_pins_stay_in_their_moving_plane() {
    let normal = DVec3::new(0.3, 1.0, -0.4);
    let n = normal.normalize();
    let lift = 0.2 * n;
    let mut cloth = cloth();
    cloth.velocity_m_per_s = lift;
    let mut spec = pin(all(&cloth));
    spec.hold = PinHold::Normal(normal);
    spec.motion = Motion::Velocity(lift);
    let model = held(cloth, spec, DOWN);
    for (k, mut simulation) in simulations(&model).into_iter().enumerate() {
        for _ in 0..50 {
            simulation.step(0.01).unwrap();
        }
        let time_square = if k == 1 { 0.5 * 0.51 } else { 0.25 };
        let slide = 0.5 * time_square * DOWN.reject_from_normalized(n);
        for (x, start) in simulation
            .state()
            .positions
            .iter()
            .zip(&model.start_positions)
        {
            let moved = *x - *start;
            assert!((moved.dot(n) - 0.5 * 0.2).abs() < 1e-12);
            let along = moved.reject_from_normalized(n);
            assert!(along.distance(slide) < 1e-9, "{k}: {along} {slide}");
        }
    }
}

/// Particles belong to the first pin that names them; others are not disturbed.
#[test]
fn the_first_pin_wins() {
    let mut cloth = cloth();
    let mut moving = pin(vec![0, 1]);
    moving.motion = Motion::Velocity(DVec3::Y);
    cloth.pins = vec![pin(vec![1, 2]), moving];
    let model = build(&spec(cloth, DVec3::ZERO, Vec::new()));
    assert_eq!(model.pins, [0, 1, 2]);
    let mut simulation = simulation(model.clone(), Integrator::Bdf2, Solve::Once);
    simulation.step(0.001).unwrap();
    let moved = |i: usize| (simulation.state().positions[i] - model.start_positions[i]).y;
    assert!((moved(0) - 0.001).abs() < 1e-15);
    assert_eq!((moved(1), moved(2)), (0.0, 0.0));
}

/// Everything that changes with time is a function of time: a restored state goes on alike.
#[test]
fn a_run_resumed_has_the_same_bits() {
    let mut cloth = cloth();
    let mut moving = pin(vec![0, 1]);
    moving.motion = keyframes(Interpolation::Smooth, None);
    moving.release_s = Some(0.2);
    let mut soft = pin(vec![5]);
    soft.soft_n_per_m = Some(50.0);
    soft.motion = Motion::Velocity(DVec3::new(0.0, 0.3, 0.0));
    let mut sliding = pin(vec![24, 29]);
    sliding.hold = PinHold::FreeAxis(DVec3::new(1.0, 0.2, 0.0));
    cloth.pins = vec![moving, soft, sliding];
    let mut spec = spec(cloth, DOWN, Vec::new());
    spec.air = AirSpec {
        damping_per_s: 0.5,
        wind: Some(WindSpec {
            velocity_m_per_s: DVec3::new(2.0, 0.0, 3.0),
            gust_m_per_s: 1.0,
            ..WindSpec::default()
        }),
    };
    let model = build(&spec);
    let mut straight = Simulation::new(model.clone(), StepConfig::default());
    for _ in 0..15 {
        straight.step(0.01).unwrap();
    }
    let mut resumed = Simulation::new(model, StepConfig::default());
    resumed.restore(straight.state().clone());
    for _ in 0..15 {
        straight.step(0.01).unwrap();
        resumed.step(0.01).unwrap();
    }
    assert_eq!(straight.state(), resumed.state());
    assert!(straight.state().velocities[14].length() > 0.0);
}

#[test]
fn impossible_motions_are_refused() {
    let refused = |change: &dyn Fn(&mut PinSpec)| {
        let mut cloth = cloth();
        let mut spec_of_pin = pin(vec![3]);
        change(&mut spec_of_pin);
        cloth.pins = vec![pin(vec![0]), spec_of_pin];
        match Model::build(&spec(cloth, DVec3::ZERO, Vec::new())) {
            Err(error) => error.key.replace("cloth[0].pin[1].", ""),
            Ok(_) => panic!("accepted"),
        }
    };
    let keys = |times: &[f64], offset_m: DVec3| {
        Motion::Keyframes(Keyframes {
            keys: times
                .iter()
                .map(|&time_s| Keyframe {
                    time_s,
                    offset_m,
                    ..Keyframe::START
                })
                .collect(),
            pivot: None,
            interpolation: Interpolation::Linear,
        })
    };
    assert_eq!(refused(&|p| p.motion = keys(&[], DVec3::ZERO)), "keyframes");
    assert_eq!(
        refused(&|p| p.motion = keys(&[1.0, 1.0], DVec3::X)),
        "keyframes[1].time_s"
    );
    assert_eq!(
        refused(&|p| p.motion = keys(&[0.0, 1.0], DVec3::X)),
        "keyframes[0]"
    );
    assert_eq!(
        refused(&|p| p.motion = keys(&[1.0], DVec3::NAN)),
        "keyframes[0]"
    );
    assert_eq!(
        refused(&|p| p.motion = Motion::Velocity(DVec3::INFINITY)),
        "velocity_m_per_s"
    );
    assert_eq!(
        refused(&|p| p.hold = PinHold::FreeAxis(DVec3::ZERO)),
        "free_axis"
    );
    assert_eq!(
        refused(&|p| p.hold = PinHold::Normal(DVec3::NAN)),
        "hold_normal"
    );
    assert_eq!(refused(&|p| p.soft_n_per_m = Some(0.0)), "soft_n_per_m");
    assert_eq!(refused(&|p| p.release_s = Some(-1.0)), "release_s");
}
