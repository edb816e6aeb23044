//! Forces against energies, matrices against forces, and what the matrices promise the solver.

mod support;

use glam::DVec3;
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;
use std::sync::Arc;
use support::lattice::{self, Branch, Kind};
use support::*;
use toile_sim::forces::{AxialLaw, BucklingLink};
use toile_sim::{Compression, DampingKind, Jacobian, Material, Model};

/// Stretch, bending and pre-buckling stiffness of like size, so that none hides behind another.
fn material() -> Material {
    Material {
        stretch_warp_n_per_m: 200.0,
        stretch_weft_n_per_m: 200.0,
        shear_n_per_m: 130.0,
        bending_warp_n_m: 0.1,
        bending_weft_n_m: 0.1,
        compression: Compression::CurvatureThreshold(50.0),
        damping_n_s_per_m: 0.0,
        slack_factor: 0.0,
        ..Material::default()
    }
}

const SPACING_M: f64 = 0.02;
/// Shift of the finite differences, and the distance kept from kinks as a share of a link.
const SHIFT_M: f64 = 1e-4 * SPACING_M;
const MARGIN: f64 = 1e-3;

fn model(material: Material) -> Arc<Model> {
    weightless(sheet(4, 4, SPACING_M, material))
}

/// The sheet stretched, compressed and crumpled at random, away from every kink.
fn deformed() -> impl Strategy<Value = Vec<DVec3>> {
    let links = lattice::links(&sheet(4, 4, SPACING_M, material()));
    (0.7..1.15_f64, 0.7..1.15_f64, 0.05..0.35_f64, any::<u64>())
        .prop_map(|(u, v, crumpling, seed)| {
            let rest = &model(material()).start_positions;
            let shifts = random_vectors(rest.len(), crumpling * SPACING_M, seed);
            let place = |(x, s): (&DVec3, &DVec3)| *x * DVec3::new(u, 1.0, v) + *s;
            rest.iter().zip(&shifts).map(place).collect::<Vec<_>>()
        })
        .prop_filter("near a kink", move |x| {
            lattice::away_from_kinks(&links, x, MARGIN)
        })
}

/// `−∂f/∂x` by differences of the model's force.
fn measured_stiffness(model: &Model, x: &[DVec3], v: &[DVec3]) -> DMatrix<f64> {
    -differences(x, SHIFT_M, |x| flat(&forces(model, x, v)))
}

fn assert_close(a: &DMatrix<f64>, b: &DMatrix<f64>, relative: f64) -> Result<(), TestCaseError> {
    let scale = b.amax();
    prop_assert!(scale > 1.0, "nothing to compare");
    let error = (a - b).amax() / scale;
    prop_assert!(error < relative, "relative error {error:e}");
    Ok(())
}

/// The smallest eigenvalue.
fn lowest(matrix: &DMatrix<f64>) -> f64 {
    matrix.clone().symmetric_eigenvalues().min()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Property 1, positions.
    #[test]
    fn the_exact_matrix_is_the_derivative_of_the_force(x in deformed()) {
        let rest = vec![DVec3::ZERO; x.len()];
        let model = model(Material { jacobian: Jacobian::Exact, ..material() });
        let measured = measured_stiffness(&model, &x, &rest);
        assert_close(&stiffness(&model, &x, &rest), &measured, 1e-8)?;
    }

    /// Property 1: what the other matrices lack or add is exactly what they say.
    #[test]
    fn other_matrices_differ_by_their_named_terms_only(x in deformed(), slack in 0.0..1.0_f64) {
        let rest = vec![DVec3::ZERO; x.len()];
        let cloth = sheet(4, 4, SPACING_M, material());
        let links = lattice::links(&cloth);
        let exact = lattice::stiffness(&links, &x, Jacobian::Exact, 0.0);
        let measured = measured_stiffness(&model(material()), &x, &rest);
        for jacobian in [Jacobian::DropOrthogonal, Jacobian::Projected] {
            let model = model(Material { jacobian, slack_factor: slack, ..material() });
            let named = lattice::stiffness(&links, &x, jacobian, slack) - &exact;
            assert_close(&stiffness(&model, &x, &rest), &(&measured + named), 1e-8)?;
        }
    }

    /// Property 1, velocities.
    #[test]
    fn the_damping_matrix_is_the_derivative_of_the_force(x in deformed(), seed in any::<u64>()) {
        let v = random_vectors(x.len(), 1.0, seed);
        for damping in [DampingKind::Axial, DampingKind::Isotropic] {
            let undamped = stiffness(&model(material()), &x, &v);
            let damped = model(Material { damping_n_s_per_m: 150.0, damping, ..material() });
            let damping_part = stiffness(&damped, &x, &v) - undamped;
            let measured = -differences(&v, 1.0, |v| flat(&forces(&damped, &x, v)));
            assert_close(&damping_part, &measured, 1e-8)?;
        }
    }

    /// Property 6.
    #[test]
    fn the_force_is_minus_the_gradient_of_the_energy(x in deformed()) {
        let model = model(material());
        let force = DVector::from_vec(flat(&forces(&model, &x, &vec![DVec3::ZERO; x.len()])));
        let gradient = differences(&x, SHIFT_M, |x| vec![energy(&model, x)]).transpose();
        prop_assert!(force.amax() > 1e-2, "nothing to compare");
        let error = (&force + gradient).amax() / force.amax();
        prop_assert!(error < 1e-8, "relative error {error:e}");
    }

    /// Property 2, for the matrices that promise it; property 3; and errata 13: definite they
    /// are not.
    #[test]
    fn errata_13_the_matrix_is_semidefinite_and_translations_are_its_null_space(
        x in deformed(),
        slack in 0.0..1.0_f64,
        damping in prop_oneof![Just(DampingKind::Axial), Just(DampingKind::Isotropic)],
    ) {
        let v = random_vectors(x.len(), 1.0, 7);
        for jacobian in [Jacobian::DropOrthogonal, Jacobian::Projected] {
            let material = Material {
                jacobian, slack_factor: slack, damping, damping_n_s_per_m: 10.0, ..material()
            };
            let undamped = Material { damping_n_s_per_m: 0.0, ..material };
            for material in [undamped, material] {
                let k = stiffness(&model(material), &x, &v);
                let norm = k.norm();
                prop_assert!((&k - k.transpose()).amax() <= 1e-15 * norm);
                prop_assert!(lowest(&k) >= -1e-12 * norm, "lowest {:e}", lowest(&k));
                prop_assert!(lowest(&k) <= 1e-12 * norm, "a translation costs energy");
            }
            let model = model(material);
            let translation = DVector::from_vec(flat(&vec![DVec3::new(1.0, -2.0, 0.5); x.len()]));
            let image = stiffness(&model, &x, &v) * &translation;
            prop_assert!(image.amax() < 1e-12 * stiffness(&model, &x, &v).norm());

            let lightest = model.masses.iter().copied().fold(f64::INFINITY, f64::min);
            for step_s in [0.01, 0.1, 1.0, 10.0, 100.0] {
                let a = matrix(&model, &x, &v, step_s);
                let floor = lightest - 1e-13 * a.norm();
                prop_assert!(lowest(&a) >= floor, "Δt = {step_s}: {:e}", lowest(&a));
                if step_s <= 1.0 {
                    prop_assert!(a.cholesky().is_some(), "Δt = {step_s}");
                }
            }
        }
    }
}

/// The tests above see every branch of both laws.
#[test]
fn the_random_sheets_reach_every_branch() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let links = lattice::links(&sheet(4, 4, SPACING_M, material()));
    let mut runner = TestRunner::deterministic();
    let mut seen = Vec::new();
    for _ in 0..30 {
        let x = deformed().new_tree(&mut runner).unwrap().current();
        seen.extend(links.iter().map(|link| link.respond(&x).2));
    }
    for branch in [
        Branch::Taut,
        Branch::Slack,
        Branch::Straight,
        Branch::Linear,
        Branch::Arc,
    ] {
        let count = seen.iter().filter(|b| **b == branch).count();
        assert!(count > 20, "{branch:?}: {count}");
    }
}

/// With the exact matrix a pushing link has a negative direction: that is what is dropped.
#[test]
fn the_exact_matrix_of_a_compressed_sheet_is_indefinite() {
    let model = model(Material {
        jacobian: Jacobian::Exact,
        ..material()
    });
    let x: Vec<DVec3> = model.start_positions.iter().map(|x| 0.8 * *x).collect();
    let k = stiffness(&model, &x, &vec![DVec3::ZERO; x.len()]);
    assert!(lowest(&k) < -1e-2 * k.norm());
}

/// Two particles that pull: the axial part must be `k nnᵀ`. Printed as `k xxᵀ/|x|` it would be
/// too small by the length of the link, here 0.02.
#[test]
fn errata_01_the_axial_projector_divides_by_the_squared_length() {
    let soft = Material {
        bending_warp_n_m: 0.0,
        bending_weft_n_m: 0.0,
        shear_n_per_m: 0.0,
        ..material()
    };
    let model = weightless(sheet(2, 2, SPACING_M, soft));
    let mut x = model.start_positions.clone();
    // Only the first edge along u is extended; along v everything is slack.
    for p in &mut x {
        p.z *= 0.9;
    }
    x[1] += DVec3::new(0.3, 0.4, 0.0) * SPACING_M;
    let k = stiffness(&model, &x, &[DVec3::ZERO; 4]);
    let d = x[1] - x[0];
    let (r, n) = (d.length(), d.normalize());
    assert!(r > SPACING_M);
    let (half, tension_per_m) = (100.0, 100.0 * (1.0 - SPACING_M / r));
    for p in 0..3 {
        for q in 0..3 {
            let unit = if p == q { 1.0 } else { 0.0 };
            let block = half * n[p] * n[q] + tension_per_m * (unit - n[p] * n[q]);
            assert!((k[(p, 3 + q)] + block).abs() < 1e-10, "{p} {q}");
        }
    }
    let along = -(0..9)
        .map(|e| n[e / 3] * k[(e / 3, 3 + e % 3)] * n[e % 3])
        .sum::<f64>();
    assert!((along - half).abs() < 1e-10);
    assert!(
        (half * r - along).abs() > 0.9 * half,
        "the printed form passes too"
    );
}

/// Beyond its length a bending link is gone; extrapolated, its linear branch would pull.
#[test]
fn errata_09_an_extended_bending_link_does_nothing() {
    let link = BucklingLink::new(1.5e-7, 0.04, 200.0).unwrap();
    for length_m in [0.04, 0.04 + 1e-12, 0.05, 1.0] {
        let response = link.respond(length_m);
        assert_eq!(
            (
                response.energy_j,
                response.tension_n,
                response.slope_n_per_m
            ),
            (0.0, 0.0, 0.0)
        );
    }
    assert!(link.respond(0.04 - 1e-9).tension_n < 0.0);

    // In a stretched sheet, forces and matrix are those of a sheet without bending.
    let limp = Material {
        bending_warp_n_m: 0.0,
        bending_weft_n_m: 0.0,
        ..material()
    };
    let (stiff, limp) = (model(material()), model(limp));
    let x: Vec<DVec3> = stiff.start_positions.iter().map(|x| 1.05 * *x).collect();
    let rest = vec![DVec3::ZERO; x.len()];
    let force = forces(&stiff, &x, &rest);
    assert!(force.iter().any(|f| f.length() > 0.01));
    assert_eq!(force, forces(&limp, &x, &rest));
    assert_eq!(stiffness(&stiff, &x, &rest), stiffness(&limp, &x, &rest));
}

/// The rest length of a bending link is two cells: a sheet shrunk by a tenth bends all its links
/// by that much, although every one is longer than a cell.
#[test]
fn errata_19_bending_links_are_two_cells_long() {
    let cloth = sheet(4, 4, SPACING_M, material());
    let model = weightless(cloth.clone());
    let at_rest = vec![DVec3::ZERO; model.particles()];
    assert!(energy(&model, &model.start_positions) < 1e-25);
    let flat_forces = forces(&model, &model.start_positions, &at_rest);
    assert!(flat_forces.iter().all(|f| f.length() < 1e-12));
    let shrunk: Vec<DVec3> = model.start_positions.iter().map(|x| 0.9 * *x).collect();
    let expected: f64 = lattice::links(&cloth)
        .iter()
        .filter_map(|link| match link.kind {
            // Crossovers lie beyond a tenth: this is the linear branch.
            Kind::Bending(_, c_b) => Some(0.5 * c_b * (0.1 * link.rest_m).powi(2)),
            Kind::Stretch(_) => None,
        })
        .sum();
    assert!(expected > 1e-3);
    assert!((energy(&model, &shrunk) / expected - 1.0).abs() < 1e-12);
}
