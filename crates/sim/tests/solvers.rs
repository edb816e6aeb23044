//! Every way to solve the linear system leads to the same motion.

mod support;

use glam::DVec3;
use std::sync::Arc;
use support::{G, bits, build, pinned, sheet, spec};
use toile_sim::colliders::Shape;
use toile_sim::{
    ClothContact, ColliderSpec, Material, Model, Preconditioner, Simulation, Solve, StepConfig,
    SystemDump,
};

const ALL: [Preconditioner; 6] = [
    Preconditioner::None,
    Preconditioner::Diagonal,
    Preconditioner::BlockDiagonal,
    Preconditioner::IncompleteCholesky,
    Preconditioner::IncompleteLu,
    Preconditioner::Direct,
];

/// A small sheet held at a corner that falls onto a ball: pins and contacts in the filter.
fn model() -> Arc<Model> {
    let cloth = pinned(sheet(12, 9, 0.02, Material::default()), [0, 1]);
    let ball = ColliderSpec::new(
        Shape::Sphere {
            center: DVec3::new(0.02, -0.06, 0.01),
            radius_m: 0.05,
        },
        0.3,
    );
    build(&spec(cloth, DVec3::new(0.0, -G, 0.0), vec![ball]))
}

fn start(preconditioner: Preconditioner) -> Simulation {
    let config = StepConfig {
        preconditioner,
        linear_tolerance: 1e-12,
        linear_max_iterations: 10_000,
        ..StepConfig::default()
    };
    Simulation::new(model(), config)
}

fn simulate(preconditioner: Preconditioner, steps: u32) -> Simulation {
    let mut simulation = start(preconditioner);
    for _ in 0..steps {
        simulation.step(1.0 / 90.0).unwrap();
    }
    simulation
}

/// One step from the same draped state: over many, wrinkles make more of the last digit.
#[test]
fn all_solvers_move_the_cloth_alike() {
    let draped = simulate(Preconditioner::BlockDiagonal, 12).state().clone();
    assert!(!draped.contacts.is_empty(), "nothing was met");
    let end = |preconditioner| {
        let mut simulation = start(preconditioner);
        simulation.restore(draped.clone());
        simulation.step(1.0 / 90.0).unwrap();
        simulation.state().positions.clone()
    };
    let reference = end(Preconditioner::BlockDiagonal);
    let moved = reference.iter().zip(&draped.positions);
    assert!(moved.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max) > 1e-3);
    for preconditioner in ALL {
        let pairs = reference.iter().zip(end(preconditioner));
        let apart = pairs.map(|(a, b)| a.distance(b)).fold(0.0, f64::max);
        assert!(apart < 1e-9, "{preconditioner:?}: {apart:e}");
    }
}

#[test]
fn all_solvers_give_the_same_bits_on_any_number_of_threads() {
    let on = |threads: usize, preconditioner| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build()
            .unwrap()
            .install(|| bits(&simulate(preconditioner, 5).state().positions))
    };
    for preconditioner in ALL {
        assert_eq!(
            on(1, preconditioner),
            on(3, preconditioner),
            "{preconditioner:?}"
        );
    }
}

/// What a dumped solution leaves of its right-hand side, as a share, where nothing is held.
fn unsolved(dump: &SystemDump) -> f64 {
    use toile_numerics::Operator;
    let mut image = vec![0.0; dump.rhs.len()];
    dump.matrix.apply(&dump.solution, &mut image);
    let image: &[DVec3] = bytemuck::cast_slice(&image);
    let rhs: &[DVec3] = bytemuck::cast_slice(&dump.rhs);
    let (mut error, mut size) = (0.0, 0.0);
    for (i, projection) in dump.projections().iter().enumerate() {
        error += (*projection * (image[i] - rhs[i])).length_squared();
        size += (*projection * rhs[i]).length_squared();
    }
    (error / size).sqrt()
}

/// Contacts couple particles that the cloth itself does not: they are in the dump too.
#[test]
fn a_dump_has_the_contacts_of_its_step() {
    let below = pinned(sheet(8, 8, 0.02, Material::default()), 0..64);
    let mut above = sheet(8, 8, 0.02, Material::default());
    support::rectangle(&mut above).center += DVec3::new(0.003, 0.002, 0.004);
    let mut both = spec(below, DVec3::new(0.0, -9.81, 0.0), Vec::new());
    both.cloths.push(above);
    let model = build(&both);
    for preconditioner in [Preconditioner::Direct, Preconditioner::Multilevel] {
        let config = StepConfig {
            preconditioner,
            linear_tolerance: 1e-5,
            solve: Solve::Once,
            contact: Some(ClothContact { friction: 0.3 }),
            ..StepConfig::default()
        };
        let mut simulation = Simulation::new(model.clone(), config);
        while simulation.state().touches.is_empty() {
            assert!(simulation.state().steps < 20, "nothing touches");
            simulation.step(1.0 / 90.0).unwrap();
        }
        simulation.dump_step(simulation.state().steps + 1);
        simulation.step(1.0 / 90.0).unwrap();
        let dump = simulation.take_dump().unwrap();
        let share = unsolved(&dump);
        assert!(share < 1e-3, "{preconditioner:?}: {share:e}");
    }
}

/// The dump is the system that was solved: its residual is small where nothing is held, and its
/// solution is how far the cloth moved.
#[test]
fn a_dump_is_the_system_of_its_step() {
    for preconditioner in [Preconditioner::Direct, Preconditioner::Multilevel] {
        let config = StepConfig {
            preconditioner,
            linear_tolerance: 1e-4,
            solve: Solve::Once,
            ..StepConfig::default()
        };
        let mut simulation = Simulation::new(model(), config);
        simulation.dump_step(3);
        for step in 1..=4 {
            assert!(simulation.take_dump().is_none(), "before step {step}");
            let before = simulation.state().positions.clone();
            simulation.step(1.0 / 90.0).unwrap();
            if step < 3 {
                continue;
            }
            if step == 4 {
                assert!(simulation.take_dump().is_none());
                break;
            }
            let dump = simulation.take_dump().unwrap();
            assert_eq!(dump.step, 3);
            assert!(unsolved(&dump) < 1e-3);
            let free = dump.projections();
            assert_eq!(free[0], glam::DMat3::ZERO);
            let moved: &[DVec3] = bytemuck::cast_slice(&dump.solution);
            let after = &simulation.state().positions;
            let last = after.len() - 1;
            assert!((after[last] - before[last] - moved[last]).length() < 1e-9);
        }
    }
}

#[test]
fn a_solve_can_show_its_residuals() {
    let cloth = pinned(sheet(12, 12, 0.02, Material::default()), 0..12);
    let model = build(&spec(cloth, DVec3::new(0.0, -9.81, 0.0), Vec::new()));
    for preconditioner in [Preconditioner::Multilevel, Preconditioner::BlockDiagonal] {
        let config = StepConfig {
            preconditioner,
            solve: Solve::Once,
            ..StepConfig::default()
        };
        let mut simulation = Simulation::new(model.clone(), config);
        simulation.step(0.01).unwrap();
        assert!(simulation.residuals().is_empty());
        simulation.record_residuals(true);
        let report = simulation.step(0.01).unwrap();
        let residuals = simulation.residuals();
        let iterations = report.integration.linear_iterations as usize;
        assert!(iterations > 0);
        assert_eq!(residuals.len(), iterations + 1);
        assert!(residuals[0] > config.linear_tolerance);
        assert!(residuals[iterations] <= config.linear_tolerance);
    }
}
