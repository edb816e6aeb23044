//! The matrix-free path against the assembled reference.

mod support;

use glam::{DVec2, DVec3};
use support::{build, flat, noise, random_vectors, sheet_of_cells, spec};
use toile_numerics::integrate::{ImplicitSystem, System, Weights};
use toile_sim::config::Preconditioner;
use toile_sim::constraints::StepConstraints;
use toile_sim::solve::{ClothSystem, Workspace};
use toile_sim::{
    DampingKind, Jacobian, Material, Model, PinRegion, PinSpec, Simulation, Solve, State,
    StepConfig,
};

/// A crumpled state: some links taut, some slack, bending links compressed.
fn crumpled(model: &Model, seed: u64) -> (Vec<DVec3>, Vec<DVec3>) {
    let mut next = noise(seed);
    let positions = model
        .start_positions
        .iter()
        .map(|p| {
            let wave = 0.01 * (60.0 * p.x).sin() * (45.0 * p.z).cos();
            let jitter = 0.002 * DVec3::new(next(), next(), next());
            DVec3::new(1.01 * p.x, p.y + wave, 0.99 * p.z) + jitter
        })
        .collect();
    let velocities = random_vectors(model.particles(), 0.5, seed + 1);
    (positions, velocities)
}

fn model(columns: usize, rows: usize, material: Material) -> std::sync::Arc<Model> {
    let mut cloth = sheet_of_cells(columns, rows, DVec2::new(0.02, 0.023), material);
    let corner = PinRegion::Indices(vec![0, 1, columns as u32]);
    cloth.pins.push(PinSpec::fixed(corner));
    build(&spec(cloth, DVec3::new(0.0, -9.81, 0.0), Vec::new()))
}

fn config(preconditioner: Preconditioner, linear_tolerance: f64) -> StepConfig {
    StepConfig {
        preconditioner,
        linear_tolerance,
        linear_max_iterations: 5000,
        ..StepConfig::default()
    }
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    let difference: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    norm(&difference)
}

/// Linearises at `state` with the model's pins held and hands the system over.
fn with_system<R>(
    model: &Model,
    config: &StepConfig,
    (x, v): &(Vec<DVec3>, Vec<DVec3>),
    f: impl FnOnce(&mut ClothSystem<'_>, &[f64]) -> R,
) -> R {
    let state = State {
        positions: x.clone(),
        velocities: v.clone(),
        ..State::start(model)
    };
    let mut holds = StepConstraints::default();
    holds.begin(&toile_sim::step::StepStart::new(model, &state, 0.01));
    let mut work = Workspace::new(model, config);
    let mut system = ClothSystem::new(model, config, &holds, &mut work);
    let mut force = vec![0.0; 3 * x.len()];
    let (x, v) = (flat(x), flat(v));
    system.linearise(&x, &v, &v, &Weights::uniform(0.007), &mut force);
    f(&mut system, &force)
}

fn materials() -> [Material; 3] {
    let plain = Material::default();
    [
        plain,
        Material {
            damping: DampingKind::Isotropic,
            damping_n_s_per_m: 0.01,
            bending_warp_n_m: 1e-4,
            bending_weft_n_m: 5e-5,
            ..plain
        },
        Material {
            bending_warp_n_m: 0.0,
            bending_weft_n_m: 0.0,
            slack_factor: 0.3,
            jacobian: Jacobian::Projected,
            ..plain
        },
    ]
}

#[test]
fn the_product_agrees_with_the_assembled_matrix_to_rounding() {
    // Odd, even, narrow and multiple-of-eight sizes.
    for (columns, rows) in [(17, 12), (8, 16), (3, 40), (25, 3), (2, 2)] {
        for (k, material) in materials().into_iter().enumerate() {
            let model = model(columns, rows.max(2), material);
            let state = crumpled(&model, k as u64);
            let p = flat(&random_vectors(model.particles(), 1.0, 77));
            let product = |preconditioner, tolerance| {
                let config = config(preconditioner, tolerance);
                with_system(&model, &config, &state, |system, _| system.work.product(&p))
            };
            let exact = product(Preconditioner::BlockDiagonal, 1e-3);
            let fast = product(Preconditioner::Multilevel, 1e-3);
            let error = distance(&exact, &fast) / norm(&exact);
            assert!(norm(&exact) > 0.0);
            assert!(error < 1e-6, "{columns}×{rows}, material {k}: {error:e}");
            // Single precision cannot be exact: an error of zero would mean that the same path
            // was taken twice.
            assert!(error > 0.0);
        }
    }
}

#[test]
fn the_solution_agrees_with_the_assembled_one() {
    for (k, material) in materials().into_iter().enumerate() {
        let model = model(23, 31, material);
        let state = crumpled(&model, 10 + k as u64);
        let solve = |preconditioner, tolerance| {
            let config = config(preconditioner, tolerance);
            with_system(&model, &config, &state, |system, force| {
                let mut p = vec![0.0; force.len()];
                system.prescribe(&flat(&state.0), &mut p);
                let info = system.solve(force, &mut p, 1.0).unwrap();
                assert!(info.converged, "{preconditioner:?}");
                (p, info.iterations)
            })
        };
        let (exact, plain) = solve(Preconditioner::BlockDiagonal, 1e-10);
        let (fast, multilevel) = solve(Preconditioner::Multilevel, 1e-5);
        let error = distance(&exact, &fast) / norm(&exact);
        assert!(error < 1e-3, "material {k}: {error:e}");
        assert!(multilevel < plain, "{multilevel} and {plain} iterations");
    }
}

#[test]
fn multilevel_needs_far_fewer_iterations_than_block_diagonal() {
    let model = model(61, 61, Material::default());
    let state = crumpled(&model, 3);
    let iterations = |preconditioner| {
        let config = config(preconditioner, 1e-4);
        with_system(&model, &config, &state, |system, force| {
            let mut p = vec![0.0; force.len()];
            system.solve(force, &mut p, 1.0).unwrap().iterations
        })
    };
    let (plain, multilevel) = (
        iterations(Preconditioner::BlockDiagonal),
        iterations(Preconditioner::Multilevel),
    );
    assert!(2 * multilevel < plain, "{multilevel} and {plain}");
}

#[test]
fn both_paths_move_the_cloth_alike() {
    let model = model(15, 15, Material::default());
    let end = |preconditioner, tolerance| {
        let config = StepConfig {
            solve: Solve::Newton,
            newton_max_iterations: 6,
            ..config(preconditioner, tolerance)
        };
        let mut simulation = Simulation::new(model.clone(), config);
        for _ in 0..12 {
            simulation.step(0.01).unwrap();
        }
        simulation.state().positions.clone()
    };
    let exact = end(Preconditioner::BlockDiagonal, 1e-8);
    let fast = end(Preconditioner::Multilevel, 1e-5);
    let moved = distance(&flat(&exact), &flat(&model.start_positions));
    let error = distance(&flat(&exact), &flat(&fast)) / moved;
    assert!(moved > 0.05);
    assert!(error < 1e-2, "{error:e}");
}

#[test]
fn forces_and_potential_agree_with_the_reference_to_rounding() {
    for (columns, rows) in [(17, 12), (8, 16), (3, 40), (25, 3), (2, 2)] {
        for (k, material) in materials().into_iter().enumerate() {
            let model = model(columns, rows, material);
            let state = crumpled(&model, 20 + k as u64);
            let (x, v) = crumpled(&model, 30 + k as u64);
            let (x, v) = (flat(&x), flat(&v));
            let look = |preconditioner| {
                let config = config(preconditioner, 1e-3);
                with_system(&model, &config, &state, |system, force| {
                    let mut again = vec![0.0; force.len()];
                    let (here_x, here_v) = (flat(&state.0), flat(&state.1));
                    let weights = Weights::uniform(0.007);
                    let here = system.linearise(&here_x, &here_v, &here_v, &weights, &mut again);
                    let here = here.total_j();
                    // The dampers' directions stay as they were linearised.
                    let elsewhere = system.potential(&x, &v, 0.007);
                    (force.to_vec(), here, elsewhere)
                })
            };
            let (force, here, elsewhere) = look(Preconditioner::BlockDiagonal);
            let (fast_force, fast_here, fast_elsewhere) = look(Preconditioner::Multilevel);
            let case = format!("{columns}×{rows}, material {k}");
            let error = distance(&force, &fast_force) / norm(&force);
            assert!(error < 1e-12, "{case}: {error:e}");
            for (exact, fast) in [(here, fast_here), (elsewhere, fast_elsewhere)] {
                assert!(exact.abs() > 1e-9, "{case}: {exact:e}");
                let error = ((exact - fast) / exact).abs();
                assert!(error < 1e-11, "{case}: {exact:e} and {fast:e}");
            }
        }
    }
}
