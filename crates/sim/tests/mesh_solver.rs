//! The fast path of triangles against the assembled matrix and the direct solver.

mod support;

use glam::{DMat2, DVec2, DVec3};
use std::sync::Arc;
use support::*;
use toile_geometry::Surface;
use toile_numerics::integrate::{ImplicitSystem, Weights};
use toile_sim::config::Preconditioner;
use toile_sim::constraints::StepConstraints;
use toile_sim::solve::{ClothSystem, Workspace};
use toile_sim::{
    Bending, ClothModel, ClothSpec, Cut, Integrator, Material, Membrane, Model, Simulation, Solve,
    State, StepConfig,
};

/// A square metre hanging by one side, of `n × n` particles that lie a little irregularly; in two
/// panels where `seam` asks for them.
fn hanging(n: usize, model: ClothModel, seam: bool) -> Arc<Model> {
    let spacing = 1.0 / (n as f64 - 1.0);
    let mut rectangle = *sheet(n, n, spacing, Material::default()).sheet().unwrap();
    rectangle.v_axis = DVec3::NEG_Z;
    let mut surface = rectangle.surface();
    let jitter = random_vectors(n * n, 0.15 * spacing, 7);
    for (face, rest) in surface.mesh.faces.iter().zip(&mut surface.rest) {
        for (particle, place) in face.iter().zip(rest) {
            let j = jitter[*particle as usize];
            *place += DVec2::new(j.x, j.z);
        }
    }
    for (position, j) in surface.mesh.positions.iter_mut().zip(&jitter) {
        *position += DVec3::new(j.x, 0.0, -j.z);
    }
    if seam {
        move_half_away(&mut surface);
    }
    let cloth = ClothSpec {
        model,
        ..ClothSpec::new("cloth", Cut::Mesh(Arc::new(surface)), Material::default())
    };
    let cloth = pinned(cloth, 0..n as u32);
    build(&spec(cloth, DVec3::new(0.0, -G, 0.0), Vec::new()))
}

fn move_half_away(surface: &mut Surface) {
    let half = surface.rest.len() / 2;
    let turn = DMat2::from_angle(0.7);
    for place in surface.rest[half..].iter_mut().flatten() {
        *place = turn * *place + DVec2::new(3.0, -2.0);
    }
}

fn config(preconditioner: Preconditioner) -> StepConfig {
    StepConfig {
        integrator: Integrator::Bdf2,
        solve: Solve::Once,
        preconditioner,
        ..StepConfig::default()
    }
}

/// Some way into the fall.
fn fallen(model: &Arc<Model>) -> State {
    let mut simulation = Simulation::new(model.clone(), config(Preconditioner::Multilevel));
    for _ in 0..20 {
        simulation.step(1.0 / 60.0).unwrap();
    }
    simulation.state().clone()
}

#[test]
fn the_operator_is_the_assembled_matrix_to_single_precision() {
    for kind in [ClothModel::TRIANGLE_BUCKLING, ClothModel::BARAFF_WITKIN] {
        let model = hanging(13, kind, true);
        let state = fallen(&model);
        let (x, v) = (flat(&state.positions), flat(&state.velocities));
        let p = flat(&random_vectors(model.particles(), 1.0, 3));
        let holds = StepConstraints::default();
        let product = |preconditioner| {
            let config = config(preconditioner);
            let mut work = Workspace::new(&model, &config);
            let mut system = ClothSystem::new(&model, &config, &holds, &mut work);
            let mut force = vec![0.0; x.len()];
            system.linearise(&x, &v, &v, &Weights::uniform(0.007), &mut force);
            (work.product(&p), force)
        };
        let (fast, fast_force) = product(Preconditioner::Multilevel);
        let (exact, force) = product(Preconditioner::BlockDiagonal);
        assert_eq!(fast_force, force);
        let size = exact.iter().map(|v| v.abs()).fold(0.0, f64::max);
        for (a, b) in fast.iter().zip(&exact) {
            assert!((a - b).abs() < 1e-6 * size, "{a} and {b} of {size}");
        }
        // It is another arithmetic, not the same numbers.
        assert_ne!(fast, exact);
    }
}

#[test]
fn the_step_is_that_of_the_direct_solver() {
    for seam in [false, true] {
        let model = hanging(13, ClothModel::TRIANGLE_BUCKLING, seam);
        let before = fallen(&model);
        let step = |preconditioner, tolerance| {
            let config = StepConfig {
                linear_tolerance: tolerance,
                ..config(preconditioner)
            };
            let mut simulation = Simulation::new(model.clone(), config);
            simulation.restore(before.clone());
            simulation.step(1.0 / 60.0).unwrap();
            simulation.state().positions.clone()
        };
        let exact = step(Preconditioner::Direct, 1e-9);
        let fast = step(Preconditioner::Multilevel, 1e-5);
        let moved = largest_distance(&exact, &before.positions);
        let error = largest_distance(&exact, &fast);
        assert!(
            moved > 1e-3 && error < 1e-4 * moved,
            "{error:e} of {moved:e}"
        );
    }
}

fn largest_distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| a.distance(*b))
        .fold(0.0, f64::max)
}

/// Mean iterations of a step while the cloth falls.
fn iterations(model: &Arc<Model>, preconditioner: Preconditioner) -> f64 {
    let mut simulation = Simulation::new(model.clone(), config(preconditioner));
    let mut total = 0;
    for _ in 0..20 {
        total += simulation
            .step(1.0 / 60.0)
            .unwrap()
            .integration
            .linear_iterations;
    }
    f64::from(total) / 20.0
}

/// A membrane alone: what bends is left out of the lattices.
const LIMP: ClothModel = ClothModel::Triangles(Membrane::Tension, Bending::Limp);

/// What the lattices are for: iterations hardly grow with the mesh, while those of block-Jacobi
/// double when the spacing is halved.
#[test]
fn iterations_hardly_grow_with_the_mesh() {
    let at = |n: usize, preconditioner| iterations(&hanging(n, LIMP, false), preconditioner);
    let (coarse, fine) = (
        at(25, Preconditioner::Multilevel),
        at(49, Preconditioner::Multilevel),
    );
    assert!(fine < 1.5 * coarse, "{coarse} → {fine}");
    let plain = at(49, Preconditioner::BlockDiagonal);
    assert!(fine < 0.15 * plain, "{fine} of {plain}");
}

/// A seam costs iterations, but far fewer than no lattices would.
#[test]
fn panels_that_lie_apart_in_the_pattern_are_solved_together() {
    let sewn = hanging(33, LIMP, true);
    let lattices = iterations(&sewn, Preconditioner::Multilevel);
    let plain = iterations(&sewn, Preconditioner::BlockDiagonal);
    assert!(lattices < 0.3 * plain, "{lattices} of {plain}");
}

#[test]
fn bits_do_not_depend_on_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let model = hanging(41, ClothModel::BARAFF_WITKIN, true);
            let mut simulation = Simulation::new(model, config(Preconditioner::Multilevel));
            for _ in 0..5 {
                simulation.step(1.0 / 60.0).unwrap();
            }
            simulation.state().clone()
        })
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(3));
}
