//! The homework of the course on *Stable but Responsive Cloth*, answered in numbers: derivations,
//! eigenvalues, projections and definiteness.

mod support;

use glam::{DMat3, DVec3};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use proptest::prelude::*;
use support::{
    G, build, crumpled, forces, mass_matrix, matrix, random_vectors, sheet, simulation, spec,
    stiffness, undamped, weightless,
};
use toile_sim::forces::{AxialLaw, BucklingLink, arc};
use toile_sim::{Integrator, Jacobian, Material, Solve};

const SPACING_M: f64 = 0.02;

fn direction() -> impl Strategy<Value = Vector3<f64>> {
    (-1.0..1.0_f64, -1.0..1.0_f64, -1.0..1.0_f64)
        .prop_map(|(u, v, w)| Vector3::new(u, v, w))
        .prop_filter("a direction", |d| d.norm() > 0.1)
}

fn vector() -> impl Strategy<Value = Vector3<f64>> {
    (-9.0..9.0_f64, -9.0..9.0_f64, -9.0..9.0_f64).prop_map(|(x, y, z)| Vector3::new(x, y, z))
}

/// `A = x xᵀ/(xᵀx)`.
fn projector(x: &Vector3<f64>) -> Matrix3<f64> {
    x * x.transpose() / x.dot(x)
}

proptest! {
    /// HW 1: equations 8 to 10. An arc of length L and chord r has curvature κ = (2/L) sinc⁻¹(r/L)
    /// and energy ½ k_b L κ²; the force is its derivative by r, written there as
    /// k_b κ²/(cos(κL/2) − sinc(κL/2)).
    #[test]
    fn homework_1_the_force_of_a_bent_strip(e in 0.01..0.95_f64) {
        let (k_b, length_m) = (3e-7, 0.05);
        let link = BucklingLink::new(k_b, length_m, f64::INFINITY).unwrap();
        let chord = length_m * (1.0 - e);
        let a = arc::at(e).angle_squared.sqrt();
        prop_assert!((a.sin() / a - chord / length_m).abs() < 1e-12);
        let curvature = 2.0 * a / length_m;
        // The chord of a circular arc, from geometry.
        prop_assert!((2.0 / curvature * (0.5 * curvature * length_m).sin() - chord).abs() < 1e-12);
        let energy = 0.5 * k_b * length_m * curvature * curvature;
        prop_assert!((link.respond(chord).energy_j / energy - 1.0).abs() < 1e-10);
        let force = k_b * curvature * curvature / (a.cos() - a.sin() / a);
        prop_assert!((link.respond(chord).tension_n / force - 1.0).abs() < 1e-8);
        let h = 1e-5 * length_m * e.min(1.0 - e);
        let difference = link.respond(chord + h).energy_j - link.respond(chord - h).energy_j;
        prop_assert!((difference / (2.0 * h) / force - 1.0).abs() < 1e-5);
    }

    /// HW 2: `(I − h M⁻¹ ∂f/∂v − h² M⁻¹ ∂f/∂x) Δv = h M⁻¹ (f₀ + h ∂f/∂x v₀)`: one step of backward
    /// Euler with one solve is exactly that. Errata 14: without the mass and the inertia term
    /// `M v/Δt`, as `(I/Δt² + K) Δx = f`, it would be another.
    #[test]
    fn homework_2_and_errata_14_the_linearised_step(seed in any::<u64>(), step_s in 1e-3..0.05_f64) {
        let material = Material { damping_n_s_per_m: 0.02, slack_factor: 0.0, ..Material::default() };
        let model = build(&spec(sheet(4, 4, SPACING_M, material), DVec3::new(0.0, -G, 0.0), vec![]));
        let (x, v) = (crumpled(SPACING_M, seed), random_vectors(16, 0.5, seed ^ 1));
        let mut simulation = simulation(model.clone(), Integrator::BackwardEuler, Solve::Once);
        let mut state = simulation.state().clone();
        (state.positions, state.velocities) = (x.clone(), v.clone());
        simulation.restore(state);
        simulation.step(step_s).unwrap();

        let flat = |v: &[DVec3]| DVector::from_column_slice(bytemuck::cast_slice(v));
        // K from the undamped model; D from what the damped matrix has more.
        let still = weightless(sheet(4, 4, SPACING_M, undamped(Jacobian::DropOrthogonal)));
        let k = -stiffness(&still, &x, &v);
        let a = matrix(&model, &x, &v, step_s);
        let d = (mass_matrix(&model) - step_s * step_s * &k - &a) / step_s;
        let mass_inverse = mass_matrix(&model).try_inverse().unwrap();
        let (h, n) = (step_s, 48);
        let left = DMatrix::identity(n, n) - h * &mass_inverse * d - h * h * &mass_inverse * &k;
        let right = h * &mass_inverse * (flat(&forces(&model, &x, &v)) + h * &k * flat(&v));
        let change = left.lu().solve(&right).unwrap();
        let taken = flat(&simulation.state().velocities) - flat(&v);
        prop_assert!((&taken - &change).amax() < 1e-6 * change.amax());
        let schematic = (DMatrix::identity(n, n) / (h * h) - &k)
            .lu()
            .solve(&flat(&forces(&model, &x, &v)))
            .unwrap();
        let moved = flat(&simulation.state().positions) - flat(&x);
        prop_assert!((moved - schematic).amax() > 1e-3 * change.amax() * h);
    }

    /// HW 3: `∂f_i/∂x_j = f' nnᵀ + (f/r)(I − nnᵀ)`, against differences of the link's force.
    #[test]
    fn homework_3_the_jacobian_of_a_link(d in direction(), e in 0.05..0.9_f64) {
        let link = BucklingLink::new(3e-7, 0.05, f64::INFINITY).unwrap();
        let x = d.normalize() * (0.05 * (1.0 - e));
        let force = |x: &Vector3<f64>| x / x.norm() * link.respond(x.norm()).tension_n;
        let response = link.respond(x.norm());
        let a = projector(&x);
        let formula = response.slope_n_per_m * a
            + response.tension_n / x.norm() * (Matrix3::identity() - a);
        let h = 1e-4 * x.norm().min(0.05 * e);
        let mut measured = Matrix3::zeros();
        for k in 0..3 {
            let step = Matrix3::identity().column(k) * h;
            measured.set_column(k, &((force(&(x + step)) - force(&(x - step))) / (2.0 * h)));
        }
        prop_assert!((formula - measured).amax() < 1e-5 * formula.amax());
    }

    /// HW 4: `det(A − λI) = λ²(1 − λ)`; so A is only *semi*definite.
    #[test]
    fn homework_4_the_characteristic_polynomial(x in direction(), l in -2.0..3.0_f64) {
        let determinant = (projector(&x) - l * Matrix3::identity()).determinant();
        prop_assert!((determinant - l * l * (1.0 - l)).abs() < 1e-12);
    }

    /// HW 5: the eigenvector of 1 is the direction of the link: `A x = x (xᵀx)/(xᵀx)`.
    #[test]
    fn homework_5_the_eigenvector_is_the_direction(x in direction(), z in vector()) {
        let a = projector(&x);
        prop_assert!((a * x - x).amax() < 1e-13);
        let across = x.cross(&z);
        prop_assert!((a * across).amax() < 1e-12);
    }

    /// HW 6: A projects onto the link: what is left is orthogonal to it, and projecting again
    /// changes nothing. `I − A` projects onto the plane across it.
    #[test]
    fn homework_6_it_is_a_projection(x in direction(), z in vector()) {
        let a = projector(&x);
        prop_assert!((a * a - a).amax() < 1e-14);
        prop_assert!((z - a * z).dot(&x).abs() < 1e-12);
        prop_assert!((a * z).cross(&x).amax() < 1e-12);
        let rest = Matrix3::identity() - a;
        let mut eigenvalues: Vec<f64> = rest.symmetric_eigenvalues().iter().copied().collect();
        eigenvalues.sort_by(f64::total_cmp);
        for (found, expected) in eigenvalues.iter().zip([0.0, 1.0, 1.0]) {
            prop_assert!((found - expected).abs() < 1e-12);
        }
    }

    /// HW 8: with positive semidefinite blocks `H` off the diagonal, `−yᵀ(∂f/∂x)y` is the sum of
    /// `(y_i − y_j)ᵀ H (y_i − y_j)` over the links, so the global matrix is negative semidefinite;
    /// uniform translations are its null vectors, so it is not definite.
    #[test]
    fn homework_8_the_global_matrix_is_negative_semidefinite(seed in any::<u64>()) {
        let model = weightless(sheet(4, 4, SPACING_M, undamped(Jacobian::DropOrthogonal)));
        let (x, v) = (crumpled(SPACING_M, seed), vec![DVec3::ZERO; 16]);
        let minus_k = stiffness(&model, &x, &v);
        let scale = minus_k.amax();
        prop_assert!((&minus_k - minus_k.transpose()).amax() < 1e-12 * scale);
        prop_assert!(minus_k.clone().symmetric_eigenvalues().min() > -1e-12 * scale);
        let y = random_vectors(16, 1.0, seed ^ 2);
        let flat = DVector::from_column_slice(bytemuck::cast_slice(&y));
        let mut sum = 0.0;
        for i in 0..16 {
            for j in 0..i {
                let h = DMat3::from_cols_array(&std::array::from_fn(|k| {
                    -minus_k[(3 * i + k % 3, 3 * j + k / 3)]
                }));
                sum += (y[i] - y[j]).dot(h * (y[i] - y[j]));
            }
        }
        let form = flat.dot(&(&minus_k * &flat));
        prop_assert!((form - sum).abs() < 1e-10 * form.abs().max(scale));
        let shift = DVector::from_fn(48, |k, _| [0.3, -1.0, 0.7][k % 3]);
        prop_assert!((&minus_k * shift).amax() < 1e-12 * scale);
    }
}
