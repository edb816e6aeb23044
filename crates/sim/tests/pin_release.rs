//! Pins that give way and pins that let go, against closed forms.

mod support;

use glam::DVec3;
use std::sync::Arc;
use support::*;
use toile_sim::{
    ClothSpec, Integrator, Interpolation, Keyframe, Keyframes, Material, Model, Motion, PinHold,
    PinRegion, PinSpec, Solve, State,
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

/// Each particle of a 2 × 2 sheet hangs `m g / k` below its goal, wherever that has gone.
#[test]
fn soft_pins_give_way_by_weight_over_stiffness() {
    let square = sheet(2, 2, 0.1, Material::default());
    let shift = DVec3::new(0.2, 0.1, 0.0);
    let mut spec = pin(all(&square));
    spec.soft_n_per_m = Some(0.5);
    spec.motion = Motion::Keyframes(Keyframes {
        keys: vec![Keyframe {
            time_s: 0.5,
            offset_m: shift,
            ..Keyframe::START
        }],
        pivot: None,
        interpolation: Interpolation::Smooth,
    });
    let model = held(square, spec, DOWN);
    let sag = model.masses[0] * G / 0.5;
    assert!(sag > 1e-3);
    for solve in [Solve::Once, Solve::Newton] {
        let mut simulation = simulation(model.clone(), Integrator::BackwardEuler, solve);
        for _ in 0..600 {
            simulation.step(0.05).unwrap();
        }
        for (x, start) in simulation
            .state()
            .positions
            .iter()
            .zip(&model.start_positions)
        {
            let place = *start + shift - sag * DVec3::Y;
            assert!(x.distance(place) < 1e-6, "{solve:?} {}", x.distance(place));
        }
    }
}

/// A soft pin that holds along a normal lets everything else go.
#[test]
fn soft_pins_can_be_limited_too() {
    let mut spec = pin(all(&cloth()));
    spec.soft_n_per_m = Some(100.0);
    spec.hold = PinHold::Normal(DVec3::X);
    let model = held(cloth(), spec, DOWN);
    let mut simulation = simulation(model.clone(), Integrator::Bdf2, Solve::Once);
    for _ in 0..20 {
        simulation.step(0.01).unwrap();
    }
    for (x, start) in simulation
        .state()
        .positions
        .iter()
        .zip(&model.start_positions)
    {
        let fallen = DVec3::new(0.0, -0.5 * G * 0.04, 0.0);
        assert!((*x - *start).distance(fallen) < 1e-9);
    }
}

/// What is let go leaves with the velocity it had and falls freely, exactly.
#[test]
fn released_cloth_flies_on_in_a_parabola() {
    let velocity = DVec3::new(0.5, 1.0, -0.2);
    for hold in [
        PinHold::All,
        PinHold::FreeAxis(DVec3::new(1.0, 1.0, 0.0)),
        PinHold::Normal(DVec3::new(0.0, 1.0, 1.0)),
    ] {
        let mut cloth = cloth();
        cloth.velocity_m_per_s = velocity;
        let mut spec = pin(all(&cloth));
        spec.motion = Motion::Velocity(velocity);
        spec.hold = hold;
        spec.release_s = Some(0.1);
        let model = held(cloth, spec, DOWN);
        let mut simulation = simulation(model, Integrator::Bdf2, Solve::Once);
        for _ in 0..10 {
            simulation.step(0.01).unwrap();
        }
        let release = simulation.state().clone();
        if hold == PinHold::All {
            assert!(release.velocities[7].distance(velocity) < 1e-10);
        }
        for _ in 0..30 {
            simulation.step(0.01).unwrap();
            let state = simulation.state();
            let t = state.time_s - release.time_s;
            for i in 0..state.positions.len() {
                let place = release.positions[i] + t * release.velocities[i] + 0.5 * t * t * DOWN;
                let error = state.positions[i].distance(place);
                assert!(error < 1e-10, "{hold:?} after {t} s: {error:e}");
            }
        }
    }
}

/// A hanging sheet that is let go: its middle falls with gravity from rest, no faster.
#[test]
fn releasing_a_hanging_sheet_gives_no_kick() {
    let mut sheet = sheet(9, 9, 0.02, Material::default());
    support::rectangle(&mut sheet).v_axis = DVec3::Y;
    let mut spec = pin((72..81).collect());
    spec.release_s = Some(1.0);
    let model = held(sheet, spec, DOWN);
    let mut simulation = simulation(model.clone(), Integrator::Bdf2, Solve::Newton);
    for _ in 0..100 {
        simulation.step(0.01).unwrap();
    }
    let momentum = |state: &State| -> DVec3 {
        let pairs = state.velocities.iter().zip(&model.masses);
        pairs.map(|(v, m)| *m * *v).sum()
    };
    let total: f64 = model.masses.iter().sum();
    let before = momentum(simulation.state()) / total;
    for _ in 0..10 {
        simulation.step(0.01).unwrap();
    }
    let gained = momentum(simulation.state()) / total - before;
    // A two-step scheme notices a sudden force half a step late.
    let late = (gained - 0.1 * DOWN) / (0.01 * G);
    assert!(late.x.abs() < 1e-9 && late.z.abs() < 1e-9, "{late}");
    assert!((0.0..0.6).contains(&late.y), "{late}");
}
