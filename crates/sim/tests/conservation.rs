//! What internal forces may not do: push the whole cloth, turn it, or notice that it moves.

mod support;

use glam::DVec3;
use proptest::prelude::*;
use std::sync::Arc;
use support::*;
use toile_sim::{Compression, DampingKind, Integrator, Material, Model, Solve};

const SPACING_M: f64 = 0.02;

fn material(damping: DampingKind) -> Material {
    Material {
        stretch_warp_n_per_m: 200.0,
        stretch_weft_n_per_m: 150.0,
        shear_n_per_m: 100.0,
        bending_warp_n_m: 0.05,
        bending_weft_n_m: 0.07,
        compression: Compression::CurvatureThreshold(20.0),
        damping_n_s_per_m: 0.5,
        damping,
        ..Material::default()
    }
}

fn crumpled(model: &Model, seed: u64) -> Vec<DVec3> {
    let shifts = random_vectors(model.particles(), 0.3 * SPACING_M, seed);
    let place = |(x, s): (&DVec3, &DVec3)| *x + *s;
    model
        .start_positions
        .iter()
        .zip(&shifts)
        .map(place)
        .collect()
}

fn sum(vectors: impl IntoIterator<Item = DVec3>) -> DVec3 {
    vectors.into_iter().sum()
}

fn torque(x: &[DVec3], f: &[DVec3]) -> DVec3 {
    sum(x.iter().zip(f).map(|(x, f)| x.cross(*f)))
}

/// What the dampers alone do.
fn damping_forces(model: &Model, x: &[DVec3], v: &[DVec3]) -> Vec<DVec3> {
    let still = forces(model, x, &vec![DVec3::ZERO; x.len()]);
    let moving = forces(model, x, v);
    moving.iter().zip(&still).map(|(a, b)| *a - *b).collect()
}

fn largest(vectors: &[DVec3]) -> f64 {
    vectors.iter().map(|v| v.length()).fold(0.0, f64::max)
}

fn spin() -> impl Strategy<Value = DVec3> {
    (-9.0..9.0_f64, -9.0..9.0_f64, -9.0..9.0_f64)
        .prop_map(DVec3::from)
        .prop_filter("a rotation", |w| w.length() > 1.0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Property 5, elastic and damping forces together.
    #[test]
    fn internal_forces_neither_push_nor_turn_the_whole(seed in any::<u64>()) {
        let model = weightless(sheet(5, 6, SPACING_M, material(DampingKind::Axial)));
        let x = crumpled(&model, seed);
        let v = random_vectors(x.len(), 2.0, seed ^ 1);
        let f = forces(&model, &x, &v);
        let size = largest(&f);
        prop_assert!(size > 0.1, "nothing happens");
        prop_assert!(sum(f.iter().copied()).length() < 1e-13 * size * x.len() as f64);
        prop_assert!(torque(&x, &f).length() < 1e-13 * size * x.len() as f64);
    }

    /// Property 4 and errata 3: the source describes a damper along the link and prints one that
    /// brakes rotation.
    #[test]
    fn errata_03_only_the_axial_damper_lets_a_cloth_rotate(seed in any::<u64>(), omega in spin()) {
        let rotate = |kind| {
            let model = weightless(sheet(5, 5, SPACING_M, material(kind)));
            let x = crumpled(&model, seed);
            let v: Vec<DVec3> = x.iter().map(|x| omega.cross(*x)).collect();
            let f = damping_forces(&model, &x, &v);
            let power: f64 = f.iter().zip(&v).map(|(f, v)| f.dot(*v)).sum();
            (largest(&f), torque(&x, &f), power)
        };
        prop_assert_eq!(Material::default().damping, DampingKind::Axial);
        // Of the order of k_d ω h.
        let scale = 0.5 * omega.length() * SPACING_M;
        let (force, turn, power) = rotate(DampingKind::Axial);
        let rounding = 1e-11;
        prop_assert!(force < rounding && turn.length() < rounding && power.abs() < rounding);
        let (force, turn, power) = rotate(DampingKind::Isotropic);
        prop_assert!(force > 0.1 * scale);
        prop_assert!(turn.dot(omega) < -0.1 * scale * SPACING_M * omega.length());
        prop_assert!(power < 0.0);
        prop_assert!((power - turn.dot(omega)).abs() < 1e-9 * power.abs());
    }

    /// Dampers only take energy away, whatever the motion; both leave translation alone.
    #[test]
    fn dampers_dissipate_and_ignore_translation(seed in any::<u64>()) {
        for kind in [DampingKind::Axial, DampingKind::Isotropic] {
            let model = weightless(sheet(5, 5, SPACING_M, material(kind)));
            let x = crumpled(&model, seed);
            let v = random_vectors(x.len(), 1.0, seed ^ 2);
            let f = damping_forces(&model, &x, &v);
            let power: f64 = f.iter().zip(&v).map(|(f, v)| f.dot(*v)).sum();
            prop_assert!(power < -1.0, "{power}");
            let drift = vec![DVec3::new(3.0, -2.0, 1.0); x.len()];
            prop_assert!(largest(&damping_forces(&model, &x, &drift)) < 1e-12);
        }
    }
}

/// Positions after some steps from a crumpled, moving start with `drift` added to all velocities.
fn after(model: &Arc<Model>, integrator: Integrator, solve: Solve, drift: DVec3) -> Vec<DVec3> {
    let mut simulation = simulation(model.clone(), integrator, solve);
    let mut state = simulation.state().clone();
    state.positions = crumpled(model, 5);
    state.velocities = random_vectors(model.particles(), 0.3, 6);
    state.velocities.iter_mut().for_each(|v| *v += drift);
    simulation.restore(state);
    for _ in 0..15 {
        simulation.step(0.01).unwrap();
    }
    simulation.state().positions.clone()
}

/// Property 11 and errata 12: stretched, sheared, moving in any direction, no translation is ever
/// filtered; the source asks for an unstretched cloth and orthogonal interactions.
#[test]
fn errata_12_a_constant_velocity_shifts_the_motion_and_nothing_else() {
    let drift = DVec3::new(0.7, -1.1, 0.4);
    let model = weightless(sheet(6, 5, SPACING_M, material(DampingKind::Axial)));
    for (integrator, solve) in [
        (Integrator::BackwardEuler, Solve::Once),
        (Integrator::Bdf2, Solve::Once),
        (Integrator::BackwardEuler, Solve::Newton),
        (Integrator::Bdf2, Solve::Newton),
    ] {
        let still = after(&model, integrator, solve, DVec3::ZERO);
        let moving = after(&model, integrator, solve, drift);
        // Newton stops at a tolerance, so its two runs agree to that.
        let within = if solve == Solve::Once { 1e-11 } else { 1e-6 };
        for (a, b) in still.iter().zip(&moving) {
            let error = (*b - *a - 0.15 * drift).length();
            assert!(error < within, "{integrator:?} {solve:?}: {error:e}");
        }
        let moved = still.iter().zip(crumpled(&model, 5));
        assert!(moved.map(|(a, b)| a.distance(b)).fold(0.0, f64::max) > 1e-3);
    }
}

/// Momentum of a free cloth is kept to rounding; with axial damping Newton's converged step of
/// backward Euler keeps the linear part whatever the cloth does.
#[test]
fn a_free_cloth_keeps_its_momentum() {
    for kind in [DampingKind::Axial, DampingKind::Isotropic] {
        let model = weightless(sheet(6, 6, SPACING_M, material(kind)));
        let mut simulation = simulation(model.clone(), Integrator::Bdf2, Solve::Once);
        let mut state = simulation.state().clone();
        state.positions = crumpled(&model, 8);
        state.velocities = random_vectors(model.particles(), 1.0, 9);
        let momentum = |v: &[DVec3]| sum(v.iter().zip(&model.masses).map(|(v, m)| *m * *v));
        let before = momentum(&state.velocities);
        assert!(before.length() > 1e-6);
        simulation.restore(state);
        for _ in 0..20 {
            simulation.step(0.02).unwrap();
        }
        let after = momentum(&simulation.state().velocities);
        assert!(
            (after - before).length() < 1e-10 * before.length(),
            "{after} {before}"
        );
    }
}

/// Target 9: the handkerchief in free fall stays flat and falls exactly with BDF2, late by
/// `½ g Δt T` with backward Euler.
#[test]
fn a_free_sheet_falls_as_the_schemes_say() {
    let gravity = DVec3::new(0.0, -G, 0.0);
    let (step_s, steps) = (0.05, 20);
    let time = step_s * f64::from(steps);
    for (integrator, late) in [
        (Integrator::Bdf2, 0.0),
        (Integrator::BackwardEuler, 0.5 * G * step_s * time),
    ] {
        let mut cloth = sheet(8, 7, SPACING_M, Material::default());
        cloth.velocity_m_per_s = DVec3::new(0.3, 1.0, -0.2);
        let model = build(&spec(cloth, gravity, Vec::new()));
        for solve in [Solve::Once, Solve::Newton] {
            let mut simulation = simulation(model.clone(), integrator, solve);
            for _ in 0..steps {
                simulation.step(step_s).unwrap();
            }
            let fall = DVec3::new(0.3, 1.0, -0.2) * time
                + 0.5 * time * time * gravity
                + DVec3::NEG_Y * late;
            let positions = &simulation.state().positions;
            let errors: Vec<DVec3> = positions
                .iter()
                .zip(&model.start_positions)
                .map(|(x, start)| *x - *start - fall)
                .collect();
            let mean = sum(errors.iter().copied()) / errors.len() as f64;
            let worst = largest(&errors);
            assert!(mean.y.abs() < 1e-13, "{integrator:?} {solve:?}: {mean}");
            // In the plane, stiff links answer the rounding of coordinates.
            assert!(worst < 1e-9, "{integrator:?} {solve:?}: {worst:e}");
        }
    }
}
