//! Slips of *Stable but Responsive Cloth* that only the whole cloth shows: the half of its bending
//! energy, its backward differences, and how much its matrix leaves out.

mod support;

use glam::{DQuat, DVec3};
use nalgebra::DMatrix;
use std::sync::Arc;
use support::lattice::inverse_sinc;
use support::{
    G, build, crumpled, energy, forces, mass_matrix, random_vectors, sheet, simulation, spec,
    stiffness, undamped, weightless,
};
use toile_sim::forces::{AxialLaw, BucklingLink, arc};
use toile_sim::{ClothModel, ClothSpec, Compression, Cut, Integrator, Jacobian, Material, Solve};

const SPACING_M: f64 = 0.02;

/// Errata 16: equation 15 sums `∇x/1 + ∇²x/2` of the backward difference `∇x = x^{n+1} − x^n`, from
/// which equation 16 follows. As printed, with Δ⁻¹, which undoes a difference, it would be sums over
/// the past: no velocity at all, and another one wherever the cloth is. A forward difference, which the
/// sign may stand for, would be the velocity of the step before.
#[test]
fn errata_16_a_step_is_made_of_backward_differences() {
    const STEP_S: f64 = 0.005;
    let material = Material {
        damping_n_s_per_m: 0.02,
        ..Material::default()
    };
    let cloth = sheet(4, 4, SPACING_M, material);
    let model = build(&spec(cloth, DVec3::new(0.0, -G, 0.0), vec![]));
    let mut simulation = simulation(model.clone(), Integrator::Bdf2, Solve::Newton);
    let mut state = simulation.state().clone();
    state.positions = crumpled(SPACING_M, 16);
    state.velocities = random_vectors(16, 0.5, 17);
    simulation.restore(state);
    let mut states = Vec::new();
    for _ in 0..4 {
        simulation.step(STEP_S).unwrap();
        let state = simulation.state();
        states.push([state.positions.clone(), state.velocities.clone()]);
    }
    let [.., before, here, there] = &states[..] else {
        panic!("four steps");
    };
    let force = forces(&model, &there[0], &there[1]);
    let largest = |error: &dyn Fn(usize) -> f64| (0..16).map(error).fold(0.0, f64::max);
    // Positions and velocities of particle i at the last three times, newest first.
    let series = |k: usize, i: usize| [there[k][i], here[k][i], before[k][i]];
    let backward = |[a, b, c]: [DVec3; 3]| (a - b) + 0.5 * (a - 2.0 * b + c);
    let velocity = largest(&|i| (backward(series(0, i)) / STEP_S - there[1][i]).length());
    assert!(velocity < 1e-10, "{velocity:e} m/s");
    let most_n = largest(&|i| force[i].length());
    let left = |sum: fn([DVec3; 3]) -> DVec3| {
        let inertia = |i: usize| model.masses[i] / STEP_S * sum(series(1, i));
        largest(&|i| (inertia(i) - force[i]).length()) / most_n
    };
    // Newton stops at its tolerance.
    assert!(left(backward) < 0.01, "{:e} of the force", left(backward));

    let printed = |[_, b, c]: [DVec3; 3]| (b + c) + 0.5 * c;
    assert!(left(printed) > 1.0, "{:e} of the force", left(printed));
    let wrong = largest(&|i| (printed(series(0, i)) / STEP_S - there[1][i]).length());
    assert!(wrong > 1.0, "{wrong:e} m/s");
    let away = series(0, 0).map(|x| x + DVec3::X);
    assert!((printed(away) - printed(series(0, 0))).length() > 1.0);
    assert!((backward(away) - backward(series(0, 0))).length() < 1e-14);
    let forward = largest(&|i| (backward(series(0, i)) / STEP_S - here[1][i]).length());
    assert!(forward > 0.01, "{forward:e} m/s");
}

/// A sheet of default cloth, `scale` times as rigid.
fn rigid(spacing_m: f64, scale: f64, jacobian: Jacobian) -> ClothSpec {
    let mut material = undamped(jacobian);
    material.bending_warp_n_m *= scale;
    material.bending_weft_n_m *= scale;
    sheet(9, 9, spacing_m, material)
}

/// `M^{-1/2} S M^{-1/2}` with the part S of a cloth's matrix at `x` that makes up its stiffness, 1/s².
fn rates(cloth: &ClothSpec, x: &[DVec3]) -> DMatrix<f64> {
    let model = weightless(cloth.clone());
    let inverse_root = |mass: f64| if mass > 0.0 { mass.sqrt().recip() } else { 0.0 };
    let root = mass_matrix(&model).map(inverse_root);
    &root * stiffness(&model, x, &vec![DVec3::ZERO; x.len()]) * &root
}

/// The fastest rate of what the stiffness of one cloth has more than that of another, 1/s².
fn fastest(a: &ClothSpec, b: &ClothSpec, x: &[DVec3]) -> f64 {
    (rates(a, x) - rates(b, x)).symmetric_eigenvalues().max()
}

/// A 9 × 9 sheet in wrinkles of four cells, its cells `steepness` up or down.
fn wrinkled(spacing_m: f64, steepness: f64) -> Vec<DVec3> {
    let place = |i: usize| {
        let (column, row) = ((i % 9) as f64, (i / 9) as f64);
        let height = [0.0, steepness, 0.0, -steepness][i % 9 % 4];
        spacing_m * DVec3::new(column * (1.0 - steepness * steepness).sqrt(), height, row)
    };
    (0..81).map(place).collect()
}

/// Errata 20: "very small compared to the stretch force". What the matrix leaves out of the default
/// cloth, wrinkled, grows by itself within 0.02 s, by its own Jacobian and by the whole true one. At
/// 0.1 s that is e⁵ and more in a step. It grows with the rigidity, and beats stretch in the end.
#[test]
fn errata_20_the_dropped_part_is_no_small_matter() {
    let times_at = |spacing_m: f64, scale: f64, steepness: f64| {
        let of = |jacobian| rigid(spacing_m, scale, jacobian);
        let (exact, used) = (of(Jacobian::Exact), of(Jacobian::DropOrthogonal));
        let x = wrinkled(spacing_m, steepness);
        let true_one = rates(&exact, &x).symmetric_eigenvalues().min();
        [fastest(&used, &exact, &x), -true_one].map(|rate| rate.sqrt().recip())
    };
    let times_s = |scale, steepness| times_at(SPACING_M, scale, steepness);
    for steepness in [0.3, 0.5, 0.7, 0.9] {
        for (soft_s, stiff_s) in times_s(1.0, steepness)
            .into_iter()
            .zip(times_s(4.0, steepness))
        {
            assert!((0.01..0.02).contains(&soft_s), "{steepness}: {soft_s} s");
            assert!(
                (soft_s / stiff_s - 2.0).abs() < 0.02,
                "{steepness}: {stiff_s} s"
            );
        }
    }
    // Steeper wrinkles, more of it.
    let [gentle, steep] = [0.5, 0.9].map(|steepness| times_s(1.0, steepness)[0]);
    assert!(steep < 0.7 * gentle, "{steep} and {gentle} s");
    // In wrinkles of as many cells it is faster on a finer mesh.
    let fine = times_at(0.5 * SPACING_M, 1.0, 0.5)[0];
    assert!((gentle / fine - 4.0).abs() < 0.1, "{gentle} and {fine} s");
    let x = wrinkled(SPACING_M, 0.7);
    let limp = rigid(SPACING_M, 0.0, Jacobian::DropOrthogonal);
    let nothing = ClothSpec {
        material: Material {
            stretch_warp_n_per_m: 1e-9,
            stretch_weft_n_per_m: 1e-9,
            shear_n_per_m: 1e-9,
            ..limp.material
        },
        ..limp.clone()
    };
    let stretch = fastest(&limp, &nothing, &x);
    let share = |scale: f64| {
        let of = |jacobian| rigid(SPACING_M, scale, jacobian);
        fastest(&of(Jacobian::DropOrthogonal), &of(Jacobian::Exact), &x) / stretch
    };
    assert!(
        share(1.0) < 1e-3 && share(1e5) > 1.0,
        "{} {}",
        share(1.0),
        share(1e5)
    );
}

/// Errata 20, as to coarseness: on one and the same cylinder the dropped part grows beside what is kept of
/// bending, as `(κL)²/24` where links are hardly bent, and beyond their threshold it is the larger one.
#[test]
fn errata_20_the_dropped_part_grows_with_coarseness() {
    let share = |curvature_per_m: f64, spacing_m: f64| {
        let x = (0..81).map(|i| {
            let turn = curvature_per_m * spacing_m * ((i % 9) as f64 - 4.0);
            // Stretched along its axis: links are at work round it only.
            let along = 1.1 * spacing_m * (i / 9) as f64;
            DVec3::new(turn.sin(), 1.0 - turn.cos(), 0.0) / curvature_per_m + along * DVec3::Z
        });
        let x: Vec<DVec3> = x.collect();
        let of = |scale, jacobian| rigid(spacing_m, scale, jacobian);
        let used = of(1.0, Jacobian::DropOrthogonal);
        let dropped = fastest(&used, &of(1.0, Jacobian::Exact), &x);
        dropped / fastest(&used, &of(0.0, Jacobian::DropOrthogonal), &x)
    };
    let mut before = [0.0, 0.0];
    for spacing_m in [0.01, 0.02, 0.04] {
        let shares = [1.0, 20.0].map(|curvature_per_m| share(curvature_per_m, spacing_m));
        let expected = (2.0 * spacing_m).powi(2) / 24.0;
        assert!((shares[0] / expected - 1.0).abs() < 0.1, "{shares:?}");
        assert!(shares[1] > 1.0, "{shares:?}");
        assert!(
            shares[0] > 3.0 * before[0] && shares[1] > before[1],
            "{shares:?}"
        );
        before = shares;
    }
}

/// Errata 15: the slides' bending energy lacks a factor ½ that the triangle paper has. The quad
/// model's `½ k_b L κ²` has it: half the work of a constant moment `k_b κ` turning by `L κ`.
#[test]
fn errata_15_the_bending_energy_has_its_half() {
    let (k_b, length_m) = (3e-7, 0.05);
    let link = BucklingLink::new(k_b, length_m, f64::INFINITY).unwrap();
    for e in [0.1, 0.5, 0.9_f64] {
        let curvature = 2.0 * arc::at(e).angle_squared.sqrt() / length_m;
        let work = k_b * curvature * (length_m * curvature);
        let energy = link.respond(length_m * (1.0 - e)).energy_j;
        assert!((energy / work - 0.5).abs() < 1e-12);
    }
}

/// The same of the triangles: `½ (A₁ + A₂) k κ²` with `k = 4B/3`, not `(A₁ + A₂) K_b κ²` with the same
/// number.
#[test]
fn errata_15_pairs_of_triangles_have_it_too() {
    let material = Material {
        compression: Compression::Rigid,
        ..undamped(Jacobian::DropOrthogonal)
    };
    let surface = sheet(2, 2, SPACING_M, material).sheet().unwrap().surface();
    let [one, other] = surface.mesh.faces[..] else {
        panic!("two triangles");
    };
    let [tip] = one
        .iter()
        .filter(|i| !other.contains(i))
        .collect::<Vec<_>>()[..]
    else {
        panic!("a shared edge");
    };
    let mut x = surface.mesh.positions.clone();
    let tip = *tip as usize;
    let shared: Vec<DVec3> = one
        .iter()
        .filter(|i| other.contains(i))
        .map(|i| x[*i as usize])
        .collect();
    let axis = (shared[1] - shared[0]).normalize();
    let chord_m = 2.0_f64.sqrt() * SPACING_M;
    x[tip] = shared[0] + DQuat::from_axis_angle(axis, 0.8) * (x[tip] - shared[0]);
    let opposite = x[*other.iter().find(|i| !one.contains(i)).unwrap() as usize];
    let ratio = x[tip].distance(opposite) / chord_m;
    let model = weightless(ClothSpec {
        model: ClothModel::TRIANGLE_BUCKLING,
        ..ClothSpec::new("fold", Cut::Mesh(Arc::new(surface)), material)
    });
    let curvature = 2.0 / chord_m * inverse_sinc(ratio);
    let area_m2 = SPACING_M * SPACING_M;
    let expected = 0.5 * area_m2 * (4.0 / 3.0 * material.bending_warp_n_m) * curvature * curvature;
    assert!((energy(&model, &x) / expected - 1.0).abs() < 1e-6);
}
