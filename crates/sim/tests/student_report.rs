//! What went wrong in the student report on *Stable but Responsive Cloth*, reconstructed, and that
//! it does not here.

mod support;

use glam::{DVec2, DVec3};
use support::*;
use toile_sim::report::Stretch;
use toile_sim::{Integrator, Material, Solve};

const GRAVITY: DVec3 = DVec3::new(0.0, -G, 0.0);

/// Errata 44 and 48: a weight on a spring hangs `m g/k` lower in every scheme. Masking the answer
/// of a free solve instead, as the report does, leaves it `2 g Δt²` lower still.
#[test]
fn errata_44_and_48_a_weight_hangs_where_it_should() {
    let stiff = Material {
        area_density_kg_per_m2: 0.5,
        stretch_warp_n_per_m: 40.0,
        stretch_weft_n_per_m: 40.0,
        shear_n_per_m: 0.0,
        bending_warp_n_m: 0.0,
        bending_weft_n_m: 0.0,
        damping_n_s_per_m: 0.1,
        ..Material::default()
    };
    let mut cloth = sheet_of_cells(2, 2, DVec2::splat(0.2), stiff);
    cloth.v_axis = DVec3::NEG_Y;
    let model = build(&spec(pinned(cloth, [0, 1]), GRAVITY, Vec::new()));
    let expected = G * model.masses[2] / 20.0;
    let step_s = 0.8 * common_limit_s(&model, &model.start_positions);
    assert!(2.0 * G * step_s * step_s > 1e-5);
    for integrator in integrators() {
        let mut simulation = simulation(model.clone(), integrator, Solve::Once);
        while simulation.state().time_s < 3.0 {
            simulation.step(step_s).unwrap();
        }
        let x = &simulation.state().positions;
        let stretch = x[0].distance(x[2]) - 0.2;
        assert!(
            (stretch - expected).abs() < 1e-6,
            "{integrator:?}: {stretch} {expected}"
        );
    }

    // The report's way, written down for one weight: solve for both ends freely, then put the
    // upper one back. Both ends fall together, so the spring resists too little.
    let (m, k, h, c) = (model.masses[2], 20.0, 0.01, 0.1);
    let expected = m * G / k;
    let (mut stretch, mut v) = (0.0, 0.0);
    for _ in 0..20_000 {
        let coupling = h * c + h * h * k;
        let pull = k * stretch + c * v + h * k * v;
        // (m + q, −q; −q, m + q) Δv = h f, with the weight of both.
        let determinant = (m + coupling).powi(2) - coupling * coupling;
        let (upper, lower) = (m * G + pull, m * G - pull);
        v += h * ((m + coupling) * lower + coupling * upper) / determinant;
        stretch += h * v;
    }
    // The damper, which the solve takes for as stiff, adds its part.
    let excess = (stretch - expected) / (2.0 * G * h * (h + c / k));
    assert!((excess - 1.0).abs() < 1e-6, "{excess}");
}

/// Errata 43 and 49: the report's "correction" after every step is an explicit step. With its
/// reconstructed parameters, 5 × 5 particles of 10 g on links of 10 N/m, the cloth is torn apart at
/// 0.1 s; left alone it stays in one piece.
#[test]
fn errata_43_and_49_the_correction_is_what_tears_the_cloth() {
    let material = Material {
        area_density_kg_per_m2: 1.0,
        stretch_warp_n_per_m: 10.0,
        stretch_weft_n_per_m: 10.0,
        shear_n_per_m: 10.0,
        bending_warp_n_m: 0.02,
        bending_weft_n_m: 0.02,
        damping_n_s_per_m: 0.01,
        ..Material::default()
    };
    let cloth = pinned(sheet(5, 5, 0.1, material), [0, 4]);
    let model = build(&spec(cloth, GRAVITY, Vec::new()));
    let step_s = 0.1;
    let run = |corrected: bool| {
        let mut simulation = simulation(model.clone(), Integrator::BackwardEuler, Solve::Once);
        let mut largest = 0.0_f64;
        for _ in 0..100 {
            let before = simulation.state().clone();
            simulation.step(step_s).unwrap();
            let mut state = simulation.state().clone();
            if corrected {
                let forces = forces(&model, &state.positions, &state.velocities);
                for i in (0..25).filter(|i| ![0, 4].contains(i)) {
                    let a = forces[i] / model.masses[i];
                    state.velocities[i] = before.velocities[i] + step_s * a;
                    state.positions[i] = before.positions[i] + step_s * state.velocities[i];
                }
                simulation.restore(state);
            }
            largest = largest.max(Stretch::of(&model, simulation.state()).max);
        }
        largest
    };
    // Two corners carry the weight of all: their links double in length, and more as it falls.
    let (alone, corrected) = (run(false), run(true));
    assert!(alone < 2.5, "{alone}");
    assert!(corrected > 10.0 * alone, "{corrected}");
}

/// Errata 42: the report prints `f_i = +k_d (v_i − v_j)`, which would drive what it should brake.
#[test]
fn errata_42_a_damper_brakes() {
    let material = Material {
        damping_n_s_per_m: 0.01,
        ..Material::default()
    };
    let model = weightless(sheet(3, 3, 0.1, material));
    let x = &model.start_positions;
    let mut v = vec![DVec3::ZERO; 9];
    v[4] = DVec3::new(0.3, 0.0, -0.2);
    let still = forces(&model, x, &vec![DVec3::ZERO; 9]);
    let moving = forces(&model, x, &v);
    let braking = moving[4] - still[4];
    assert!(
        braking.dot(v[4]) < -1e-3 * v[4].length_squared(),
        "{braking}"
    );
    // And the matrix agrees with the force.
    let block = matrix(&model, x, &v, 1e-3);
    assert!(block[(12, 12)] > model.masses[4]);
}
