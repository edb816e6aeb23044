//! `quad-hookean`: two-sided springs in the places of the buckling model's links.

mod support;

use glam::DVec3;
use proptest::prelude::*;
use std::sync::Arc;
use support::{
    differences, energy, flat, forces, random_vectors, sheet, spec, stiffness, weightless,
};
use toile_sim::forces::{AxialLaw, HookeanLink};
use toile_sim::{ClothModel, ClothSpec, Compression, Jacobian, Material, Model};

const SPACING_M: f64 = 0.02;

fn cloth(material: Material) -> ClothSpec {
    ClothSpec {
        model: ClothModel::QuadHookean,
        ..sheet(4, 4, SPACING_M, material)
    }
}

fn model(jacobian: Jacobian) -> Arc<Model> {
    weightless(cloth(Material {
        jacobian,
        damping_n_s_per_m: 0.0,
        ..Material::default()
    }))
}

fn deformed() -> impl Strategy<Value = Vec<DVec3>> {
    (0.7..1.15_f64, 0.05..0.35_f64, any::<u64>()).prop_map(|(scale, crumpling, seed)| {
        let rest = model(Jacobian::Exact).start_positions.clone();
        let shifts = random_vectors(rest.len(), crumpling * SPACING_M, seed);
        rest.iter()
            .zip(shifts)
            .map(|(x, s)| scale * *x + s)
            .collect()
    })
}

#[test]
fn a_spring_pulls_and_pushes_alike() {
    let spring = HookeanLink {
        stiffness_n_per_m: 50.0,
        rest_length_m: 0.1,
    };
    for (length_m, tension_n) in [(0.1, 0.0), (0.12, 1.0), (0.08, -1.0), (0.0, -5.0)] {
        let response = spring.respond(length_m);
        assert!((response.tension_n - tension_n).abs() < 1e-14);
        assert!((response.energy_j - 0.5 * tension_n * tension_n / 50.0).abs() < 1e-14);
        assert_eq!(response.slope_n_per_m, 50.0);
    }
}

#[test]
fn nothing_acts_at_rest() {
    let model = model(Jacobian::Exact);
    let x = &model.start_positions;
    assert!(energy(&model, x) < 1e-28);
    let none = vec![DVec3::ZERO; x.len()];
    assert!(forces(&model, x, &none).iter().all(|f| f.length() < 1e-12));
}

/// Up to the curvature threshold the bending springs are the buckling links' linear branch.
#[test]
fn gentle_compression_is_that_of_the_buckling_model() {
    let limp = Material {
        // Only bending is to act.
        stretch_warp_n_per_m: 1e-9,
        stretch_weft_n_per_m: 1e-9,
        shear_n_per_m: 0.0,
        ..Material::default()
    };
    let [hookean, buckling] = [ClothModel::QuadHookean, ClothModel::QuadBuckling].map(|model| {
        weightless(ClothSpec {
            model,
            ..cloth(limp)
        })
    });
    let shrunk = |share: f64| -> Vec<DVec3> {
        let rest = &hookean.start_positions;
        rest.iter().map(|x| (1.0 - share) * *x).collect()
    };
    let ratio = |share| energy(&hookean, &shrunk(share)) / energy(&buckling, &shrunk(share));
    assert!((ratio(1e-5) - 1.0).abs() < 1e-4, "{}", ratio(1e-5));
    assert!(ratio(0.1) > 10.0, "{}", ratio(0.1));
}

#[test]
fn infinitely_stiff_bending_springs_are_refused() {
    let rigid = Material {
        compression: Compression::Rigid,
        ..Material::default()
    };
    let error = Model::build(&spec(cloth(rigid), DVec3::ZERO, Vec::new()));
    let key = error.err().unwrap().key;
    assert_eq!(key, "cloth[0].material.curvature_threshold_per_m");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn forces_and_matrix_are_derivatives_of_the_energy(x in deformed()) {
        let model = model(Jacobian::Exact);
        let rest = vec![DVec3::ZERO; x.len()];
        let step = 1e-4 * SPACING_M;
        let force = flat(&forces(&model, &x, &rest));
        let gradient = differences(&x, step, |x| vec![energy(&model, x)]);
        let size = force.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        prop_assert!(size > 0.1);
        for (f, g) in force.iter().zip(gradient.iter()) {
            prop_assert!((f + g).abs() < 1e-7 * size);
        }
        let measured = -differences(&x, step, |x| flat(&forces(&model, x, &rest)));
        let error = (stiffness(&model, &x, &rest) - &measured).amax() / measured.amax();
        prop_assert!(error < 1e-7, "{:e}", error);
    }

    /// A compressed sheet of springs has directions of negative stiffness; without the transverse
    /// parts it has none.
    #[test]
    fn the_exact_matrix_is_indefinite_under_compression(share in 0.05..0.4_f64, seed in any::<u64>()) {
        let lowest = |jacobian| {
            let model = model(jacobian);
            let shifts = random_vectors(16, 1e-3 * SPACING_M, seed);
            let rest = model.start_positions.iter().zip(shifts);
            let x: Vec<_> = rest.map(|(x, s)| (1.0 - share) * *x + s).collect();
            let matrix = stiffness(&model, &x, &vec![DVec3::ZERO; x.len()]);
            let scale = matrix.amax();
            matrix.symmetric_eigenvalues().min() / scale
        };
        prop_assert!(lowest(Jacobian::Exact) < -1e-3);
        prop_assert!(lowest(Jacobian::DropOrthogonal) > -1e-12);
        prop_assert!(lowest(Jacobian::Projected) > -1e-12);
    }
}
