//! Contact by particles alone, as published with the quad model: who pushes whom, with what matrix, and that
//! nothing passes.

mod support;

use glam::{DQuat, DVec3};
use std::sync::Arc;
use toile_geometry::{TriMesh, self_intersections};
use toile_sim::contact::collect::proximity::Ahead;
use toile_sim::contact::{
    ContactPotential, ContactStencil, FrictionTable, Movable, Particles, StepContacts, StepMotion,
    StepPath, Surfaces,
};
use toile_sim::{
    ClothContact, ClothSpec, Cut, Material, Model, ModelSpec, PinRegion, PinSpec, Preconditioner,
    Response, Simulation, StepConfig,
};

const STEP_S: f64 = 1.0 / 120.0;
const EDGE_M: f64 = 0.02;

fn sheet(name: &str, n: usize, center: DVec3, turn: DQuat) -> ClothSpec {
    let mut cloth = support::sheet(n, n, EDGE_M, Material::default());
    cloth.name = name.into();
    if let Cut::Sheet(sheet) = &mut cloth.cut {
        sheet.center = center;
        (sheet.u_axis, sheet.v_axis) = (turn * DVec3::X, turn * DVec3::NEG_Z);
    }
    cloth
}

fn spec(cloths: Vec<ClothSpec>, gravity: DVec3) -> ModelSpec {
    ModelSpec {
        cloths: cloths.clone(),
        ..support::spec(cloths[0].clone(), gravity, Vec::new())
    }
}

fn start(spec: &ModelSpec) -> Simulation {
    let config = StepConfig {
        contact: Some(ClothContact { friction: 0.3 }),
        response: Response::Particles,
        // Momentum is conserved as exactly as linear systems are solved.
        preconditioner: Preconditioner::BlockDiagonal,
        linear_tolerance: 1e-12,
        ..StepConfig::default()
    };
    Simulation::new(Arc::new(Model::build(spec).unwrap()), config)
}

/// The contacts of a model whose particles are at `positions` and stay there.
fn touches(model: &Model, positions: &[DVec3]) -> Vec<ContactStencil> {
    let surfaces = Surfaces::new(model, false);
    let friction = FrictionTable::new(model, 0.3);
    let step = StepContacts {
        step_s: STEP_S,
        motion: StepMotion {
            start: positions.to_vec(),
            free: vec![true; positions.len()],
            ..StepMotion::default()
        },
        path: StepPath {
            reached: positions.to_vec(),
            expected: positions.to_vec(),
            ..StepPath::default()
        },
        movable: Movable {
            inverse_masses: model.masses.iter().map(|m| m.recip()).collect(),
            ..Movable::default()
        },
        ..StepContacts::default()
    };
    let ahead = Ahead {
        step: &step,
        remembered: &[],
        gravity_m_per_s2: 9.81,
        friction: &friction,
        is_potential: true,
    };
    let mut found = Vec::new();
    Particles::new(&surfaces).find(&surfaces, &ahead, &mut found);
    found
}

fn crossings(simulation: &Simulation) -> usize {
    let mesh = TriMesh {
        positions: simulation.state().positions.clone(),
        faces: simulation.model().mesh.faces.clone(),
    };
    self_intersections(&mesh, 0).unwrap().count
}

#[test]
fn particles_near_each_other_push_unless_they_are_linked() {
    // Two sheets, half an edge apart: each particle has one above or below it, and nothing else.
    let lower = sheet("lower", 5, DVec3::ZERO, DQuat::IDENTITY);
    let upper = sheet("upper", 5, 0.5 * EDGE_M * DVec3::Y, DQuat::IDENTITY);
    let model = Model::build(&spec(vec![lower, upper], DVec3::ZERO)).unwrap();
    let found = touches(&model, &model.start_positions);
    let pairs: Vec<[u32; 2]> = found
        .iter()
        .map(|touch| [touch.pair.vertices[0], touch.pair.vertices[1]])
        .collect();
    let wanted: Vec<[u32; 2]> = (0..25).map(|k| [k, k + 25]).collect();
    assert_eq!(pairs, wanted);
    assert!(found.iter().all(|touch| touch.law.friction == 0.0));

    // A sheet pressed together to a fifth of its length: neighbours are nearest, but linked.
    let alone = Model::build(&spec(
        vec![sheet("alone", 5, DVec3::ZERO, DQuat::IDENTITY)],
        DVec3::ZERO,
    ))
    .unwrap();
    let pressed: Vec<DVec3> = alone.start_positions.iter().map(|x| 0.2 * *x).collect();
    let found = touches(&alone, &pressed);
    assert!(!found.is_empty());
    for touch in found {
        let [a, b, ..] = touch.pair.vertices;
        let apart = [a % 5, a / 5].into_iter().zip([b % 5, b / 5]);
        let steps: u32 = apart.map(|(a, b)| a.abs_diff(b)).sum();
        assert!(steps > 2, "{a} and {b}");
        assert!(pressed[a as usize].distance(pressed[b as usize]) < 0.75 * EDGE_M);
    }
}

#[test]
fn cloth_that_is_not_to_meet_cloth_is_not_pushed() {
    // Bodies are met all the same, so that there are contacts to be found.
    let plate = toile_sim::BodySpec::new(
        "plate",
        TriMesh {
            positions: [DVec3::ZERO, DVec3::X, DVec3::Z]
                .map(|x| x - DVec3::Y)
                .to_vec(),
            faces: vec![[0, 1, 2]],
        },
        0.3,
    );
    let lower = sheet("lower", 5, DVec3::ZERO, DQuat::IDENTITY);
    let upper = sheet("upper", 5, 0.5 * EDGE_M * DVec3::Y, DQuat::IDENTITY);
    let mut spec = spec(vec![lower, upper], DVec3::ZERO);
    spec.bodies.push(plate);
    for (contact, pushes) in [(None, false), (Some(ClothContact { friction: 0.3 }), true)] {
        let config = StepConfig {
            contact,
            response: Response::Particles,
            ..StepConfig::default()
        };
        let mut simulation = Simulation::new(Arc::new(Model::build(&spec).unwrap()), config);
        let report = simulation.advance(1.0 / 60.0, STEP_S).unwrap();
        assert_eq!(report.contact.touches_max > 0, pushes);
    }
}

#[test]
fn the_force_is_that_of_the_energy_and_its_matrix_is_of_rank_one() {
    let lower = sheet("lower", 2, DVec3::ZERO, DQuat::IDENTITY);
    let turn = DQuat::from_rotation_x(0.4);
    let upper = sheet("upper", 2, DVec3::new(0.004, 0.006, 0.003), turn);
    let model = Model::build(&spec(vec![lower, upper], DVec3::ZERO)).unwrap();
    let found = touches(&model, &model.start_positions);
    assert!(!found.is_empty());
    for touch in &found {
        let x = touch.pair.of(&model.start_positions);
        let moved = |way: DVec3| {
            let mut x = x;
            x[0] += way;
            x
        };
        let at = |x: &[DVec3; 4]| ContactPotential::at(touch, x, touch.before.normal_force_n);
        let (tiny, force) = (1e-7, at(&x).force_n);
        assert!(force.length() > 0.0 && force.dot(touch.normal) > 0.0);
        for axis in DVec3::AXES {
            let [low, high] = [-tiny, tiny].map(|d| at(&moved(d * axis)).value_j);
            let slope = -(high - low) / (2.0 * tiny);
            assert!((slope - force.dot(axis)).abs() < 1e-5 * force.length());
        }
        // Along the normal it is as stiff as it says; across it the force stays what it is.
        let across = touch.normal.any_orthonormal_vector();
        let other = touch.normal.cross(across);
        let change = at(&moved(tiny * touch.normal)).force_n - force;
        let stiffness = -change / tiny;
        let wanted = touch.law.stiffness_n_per_m * touch.normal;
        assert!((stiffness - wanted).length() < 1e-6 * wanted.length());
        for way in [across, other] {
            let change = at(&moved(tiny * way)).force_n - force;
            assert!(change.length() < 1e-9 * force.length());
        }
    }
}

#[test]
fn a_sheet_that_falls_on_another_stays_on_it() {
    let mut lower = sheet("lower", 11, DVec3::ZERO, DQuat::IDENTITY);
    let is_border = |k: &u32| {
        [k % 11, k / 11]
            .iter()
            .any(|place| *place == 0 || *place == 10)
    };
    let border = (0..121).filter(is_border).collect();
    lower.pins.push(PinSpec::fixed(PinRegion::Indices(border)));
    let turn = DQuat::from_rotation_y(0.3);
    let upper = sheet("upper", 7, DVec3::new(0.003, 0.05, -0.004), turn);
    let mut simulation = start(&spec(vec![lower, upper], DVec3::new(0.0, -9.81, 0.0)));
    let mut pushed = 0;
    for _ in 0..90 {
        let report = simulation.advance(1.0 / 60.0, STEP_S).unwrap();
        pushed = pushed.max(report.contact.touches_max);
        assert_eq!(crossings(&simulation), 0);
    }
    assert!(pushed > 20, "{pushed} pairs at the most");
    let (below, above) = simulation.state().positions.split_at(121);
    let height = |x: &[DVec3]| x.iter().map(|x| x.y).sum::<f64>() / x.len() as f64;
    // It lies in the hammock, not under it, and not far above.
    let apart = height(above) - height(&below[48..73]);
    assert!(apart > 0.0 && apart < 2.0 * EDGE_M, "{apart} m");
    assert!(above.iter().all(|x| x.y > -0.1));
}

#[test]
fn sheets_that_meet_in_flight_keep_their_momentum() {
    let first = sheet("first", 7, DVec3::ZERO, DQuat::IDENTITY);
    let turn = DQuat::from_rotation_x(0.1);
    let second = sheet("second", 7, DVec3::new(0.004, 0.04, 0.002), turn);
    let mut simulation = start(&spec(vec![first, second], DVec3::ZERO));
    let mut state = simulation.state().clone();
    state.velocities[..49].fill(0.5 * DVec3::Y);
    simulation.restore(state);
    let masses = simulation.model().masses.clone();
    let momentum = |simulation: &Simulation| -> DVec3 {
        let velocities = &simulation.state().velocities;
        masses.iter().zip(velocities).map(|(m, v)| *m * *v).sum()
    };
    let before = momentum(&simulation);
    let mut met = 0;
    for _ in 0..30 {
        met += simulation
            .advance(1.0 / 60.0, STEP_S)
            .unwrap()
            .contact
            .touches_max;
        assert_eq!(crossings(&simulation), 0);
    }
    assert!(met > 0);
    let lost = (momentum(&simulation) - before).length() / before.length();
    assert!(lost < 1e-9, "{lost}");
    let second = &simulation.state().velocities[49..];
    assert!(second.iter().map(|v| v.y).sum::<f64>() > 0.0);
}
