//! Cloth that is fastened to things, and cloth that sticks to cloth and to bodies.

mod support;

use glam::{DVec2, DVec3};
use std::sync::Arc;
use support::*;
use toile_geometry::{QuadGrid, TriMesh};
use toile_sim::colliders::Shape;
use toile_sim::constraints::stick::{Place, Tie};
use toile_sim::{
    AttachSpec, BodyMotion, BodySpec, ClothSpec, ColliderSpec, Integrator, Interpolation, Keyframe,
    Keyframes, Material, Model, ModelSpec, Motion, PinRegion, Simulation, Solve, StickSpec, Thing,
};

const DOWN: DVec3 = DVec3::new(0.0, -G, 0.0);

/// A level sheet of 4 × 4 cells of 2 cm around a place.
fn level(center: DVec3) -> ClothSpec {
    let mut cloth = sheet(5, 5, 0.02, Material::default());
    support::rectangle(&mut cloth).center = center;
    cloth
}

fn weightless_spec(cloths: Vec<ClothSpec>) -> ModelSpec {
    ModelSpec {
        cloths,
        ..spec(level(DVec3::ZERO), DVec3::ZERO, Vec::new())
    }
}

fn momentum(model: &Model, velocities: &[DVec3]) -> DVec3 {
    let pairs = model.masses.iter().zip(velocities);
    pairs.map(|(m, v)| *m * *v).sum()
}

fn momentum_of_second(model: &Model, velocities: &[DVec3]) -> DVec3 {
    let pairs = model.masses.iter().zip(velocities);
    pairs.skip(25).map(|(m, v)| *m * *v).sum()
}

/// A square of 8 × 8 cells of 2.5 cm around a place, of triangles.
fn plate(center: DVec3) -> TriMesh {
    let grid = QuadGrid {
        columns: 9,
        rows: 9,
        size_m: DVec2::splat(0.2),
    };
    TriMesh {
        positions: grid.positions(center, DVec3::X, DVec3::Z),
        faces: grid.faces(),
    }
}

/// A quarter turn about an axis, ending at 0.5 s.
fn quarter_turn(axis: DVec3) -> Motion {
    Motion::Keyframes(Keyframes {
        keys: vec![Keyframe {
            time_s: 0.5,
            rotation_rad: std::f64::consts::FRAC_PI_2 * axis,
            ..Keyframe::START
        }],
        pivot: Some(DVec3::ZERO),
        interpolation: Interpolation::Smooth,
    })
}

fn all(cloth: &ClothSpec) -> PinRegion {
    PinRegion::Indices((0..cloth.particles() as u32).collect())
}

#[test]
fn the_force_of_a_tie_is_the_slope_of_its_energy_and_adds_up_to_nothing() {
    let tie = Tie {
        particles: [4, 0, 2, 3],
        weights: [1.0, -0.3, -0.6, -0.1],
        offset: DVec3::new(0.01, -0.02, 0.03),
        stiffness_n_per_m: 70.0,
    };
    let x = random_vectors(5, 0.1, 7);
    let mut force = vec![DVec3::ZERO; 5];
    tie.add_forces(&x, &mut force);
    assert!(force[4].length() > 0.1);
    assert!(force.iter().sum::<DVec3>().length() < 1e-14);
    let slope = differences(&x, 1e-4, |x| vec![tie.energy(x)]);
    for (slope, force) in slope.iter().zip(flat(&force)) {
        assert!((slope + force).abs() < 1e-9, "{slope} {force}");
    }
}

/// One of two sheets is thrown; fastened or stuck to each other, what one loses the other gains.
#[test]
fn cloths_exchange_momentum_and_lose_none() {
    let thrown = |fasten: &dyn Fn(&mut ClothSpec)| {
        let mut first = level(DVec3::ZERO);
        first.velocity_m_per_s = DVec3::new(0.3, 0.2, -0.1);
        let mut second = level(DVec3::new(0.003, 0.002, 0.004));
        fasten(&mut second);
        weightless_spec(vec![first, second])
    };
    let glued = thrown(&|cloth| {
        let attach = AttachSpec::new(all(cloth), Thing::Deformable(0));
        cloth.attachments.push(attach);
    });
    let stuck = thrown(&|cloth| {
        let to = vec![Thing::Deformable(0)];
        cloth.sticks.push(StickSpec {
            triangles: 3,
            ..StickSpec::new(to, 0.01, 0.5)
        });
    });
    let buttoned = thrown(&|cloth| {
        cloth.attachments.push(AttachSpec {
            to_indices: Some(vec![0, 4, 20, 24]),
            ..AttachSpec::new(PinRegion::Indices(vec![0, 4, 20, 24]), Thing::Deformable(0))
        });
    });
    for (name, spec) in [("glued", glued), ("stuck", stuck), ("buttoned", buttoned)] {
        let model = build(&spec);
        let start = momentum(&model, &model.start_velocities);
        for integrator in [Integrator::BackwardEuler, Integrator::Bdf2] {
            let mut simulation = simulation(model.clone(), integrator, Solve::Newton);
            for _ in 0..15 {
                simulation.step(0.005).unwrap();
            }
            let state = simulation.state();
            assert!(!state.bonds.is_empty(), "{name}");
            let lost = momentum(&model, &state.velocities) - start;
            assert!(lost.length() < 1e-9 * start.length(), "{name} {lost}");
            // It did reach the other.
            let gained = momentum_of_second(&model, &state.velocities);
            assert!(
                gained.dot(start) > 0.1 * start.length_squared(),
                "{name} {gained}"
            );
        }
    }
}

/// Without weight, fastened cloth turns with what it is fastened to.
#[test]
fn fastened_cloth_turns_with_colliders_and_bodies() {
    let center = DVec3::new(0.0, 0.02, 0.0);
    let ball = ColliderSpec {
        motion: quarter_turn(DVec3::X),
        ..ColliderSpec::new(
            Shape::Sphere {
                center: -0.05 * DVec3::Y,
                radius_m: 0.01,
            },
            0.3,
        )
    };
    let body = BodySpec {
        motion: BodyMotion::Rigid(quarter_turn(DVec3::X)),
        ..BodySpec::new("plate", plate(DVec3::ZERO), 0.3)
    };
    let fastened = |to: Thing| {
        let mut cloth = level(center);
        let attach = AttachSpec::new(all(&cloth), to);
        cloth.attachments.push(attach);
        ModelSpec {
            colliders: vec![ball.clone()],
            bodies: vec![body.clone()],
            ..weightless_spec(vec![cloth])
        }
    };
    for to in [Thing::Collider(0), Thing::Body(0)] {
        let model = build(&fastened(to));
        let mut simulation = simulation(model.clone(), Integrator::BackwardEuler, Solve::Once);
        for _ in 0..140 {
            simulation.step(0.005).unwrap();
        }
        let turn = glam::DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
        let pairs = simulation
            .state()
            .positions
            .iter()
            .zip(&model.start_positions);
        for (x, start) in pairs {
            let off = x.distance(turn * *start);
            assert!(off < 1e-4, "{to:?} {off}");
        }
    }
}

/// A spring to a bone sags by weight over stiffness.
#[test]
fn springs_to_colliders_give_way_by_weight_over_stiffness() {
    let mut cloth = sheet(2, 2, 0.1, Material::default());
    cloth.attachments.push(AttachSpec {
        stiffness_n_per_m: 0.5,
        ..AttachSpec::new(all(&cloth), Thing::Collider(0))
    });
    let bone = Shape::Sphere {
        center: DVec3::new(0.0, 0.3, 0.0),
        radius_m: 0.02,
    };
    let model = build(&spec(cloth, DOWN, vec![ColliderSpec::new(bone, 0.3)]));
    let mut simulation = simulation(model.clone(), Integrator::BackwardEuler, Solve::Once);
    for _ in 0..600 {
        simulation.step(0.05).unwrap();
    }
    let sag = model.masses[0] * G / 0.5;
    let pairs = simulation
        .state()
        .positions
        .iter()
        .zip(&model.start_positions);
    for (x, start) in pairs {
        let place = *start - sag * DVec3::Y;
        assert!(x.distance(place) < 1e-6, "{}", x.distance(place));
    }
}

/// A button with no gap draws its two points together.
#[test]
fn a_gap_is_kept() {
    for gap_m in [0.0, 0.002] {
        let first = level(DVec3::ZERO);
        let mut second = level(DVec3::new(0.0, 0.01, 0.0));
        second.attachments.push(AttachSpec {
            to_indices: Some(vec![12]),
            gap_m: Some(gap_m),
            ..AttachSpec::new(PinRegion::Indices(vec![12]), Thing::Deformable(0))
        });
        let model = build(&ModelSpec {
            air: toile_sim::AirSpec {
                damping_per_s: 5.0,
                wind: None,
            },
            ..weightless_spec(vec![first, second])
        });
        let mut simulation = simulation(model, Integrator::BackwardEuler, Solve::Once);
        for _ in 0..400 {
            simulation.step(0.01).unwrap();
        }
        let x = &simulation.state().positions;
        let apart = x[12].distance(x[25 + 12]);
        assert!((apart - gap_m).abs() < 1e-4, "{gap_m} {apart}");
    }
}

/// A cloth sticks to a body that comes down on it, shared by several of its triangles, and goes with it.
#[test]
fn cloth_sticks_to_a_body_and_is_lifted() {
    let mut cloth = level(DVec3::ZERO);
    cloth.sticks.push(StickSpec {
        triangles: 3,
        ..StickSpec::new(vec![Thing::Body(0)], 0.004, 0.01)
    });
    let keys = [(0.2, -0.017), (0.4, 0.1)].map(|(time_s, y)| Keyframe {
        time_s,
        offset_m: y * DVec3::Y,
        ..Keyframe::START
    });
    let body = BodySpec {
        motion: BodyMotion::Rigid(Motion::Keyframes(Keyframes {
            keys: keys.to_vec(),
            pivot: None,
            interpolation: Interpolation::Smooth,
        })),
        ..BodySpec::new("plate", plate(0.02 * DVec3::Y), 0.3)
    };
    let floor = ColliderSpec::new(
        Shape::Plane {
            normal: DVec3::Y,
            offset_m: -0.001,
        },
        0.4,
    );
    let model: Arc<Model> = build(&ModelSpec {
        bodies: vec![body],
        ..spec(cloth, DOWN, vec![floor])
    });
    let mut simulation = Simulation::new(model, Default::default());
    for _ in 0..60 {
        simulation.step(0.01).unwrap();
    }
    let state = simulation.state();
    let on_triangles = |p: &Place| matches!(p, Place::Triangle { .. });
    assert!(state.bonds.iter().all(|bond| on_triangles(&bond.place)));
    let of_middle = state.bonds.iter().filter(|bond| bond.particle == 12);
    assert_eq!(of_middle.count(), 3);
    for x in &state.positions {
        // The body is at 0.12; the cloth hangs below it where it was taken.
        assert!((0.11..0.12).contains(&x.y), "{x}");
    }
}

/// A cloth that sticks to itself does not stick to what is next to it anyway.
#[test]
fn neighbours_do_not_stick_to_each_other() {
    let mut cloth = level(DVec3::ZERO);
    let to = vec![Thing::Deformable(0)];
    cloth.sticks.push(StickSpec::new(to, 0.01, 0.02));
    let model = build(&weightless_spec(vec![cloth]));
    let mut simulation = simulation(model, Integrator::BackwardEuler, Solve::Once);
    simulation.step(0.01).unwrap();
    assert!(simulation.state().bonds.is_empty());
}

/// A strip bent to three quarters of a ring, whose sides are thrown at each other.
#[test]
fn a_cloth_sticks_to_its_own_far_parts() {
    let mut cloth = sheet(21, 3, 0.02, Material::default());
    support::rectangle(&mut cloth).curvature_per_m = -1.5 * std::f64::consts::PI / 0.4;
    let to = vec![Thing::Deformable(0)];
    cloth.sticks.push(StickSpec::new(to, 0.01, 0.02));
    let model = build(&weightless_spec(vec![cloth]));
    let ends = model.start_positions[0].distance(model.start_positions[20]);
    assert!(ends > 0.115, "{ends}");
    let mut simulation = simulation(model.clone(), Integrator::BackwardEuler, Solve::Once);
    let mut state = simulation.state().clone();
    for (v, x) in state.velocities.iter_mut().zip(&model.start_positions) {
        *v = -2.0 * x.x.signum() * DVec3::X;
    }
    simulation.restore(state);
    let mut most = 0;
    for _ in 0..20 {
        simulation.step(0.005).unwrap();
        most = most.max(simulation.state().bonds.len());
    }
    assert!(most > 0);
}

#[test]
fn what_cannot_be_is_refused_with_its_place() {
    let refused = |attach: AttachSpec| {
        let mut cloth = level(DVec3::ZERO);
        cloth.attachments.push(attach);
        let error = Model::build(&weightless_spec(vec![cloth, level(DVec3::Y)]));
        error.err().expect("an error").key
    };
    let corner = || AttachSpec::new(PinRegion::Indices(vec![0]), Thing::Deformable(1));
    let to_indices = |indices: Vec<u32>| AttachSpec {
        to_indices: Some(indices),
        ..corner()
    };
    let key = "cloth[0].attach[0]";
    assert_eq!(
        refused(to_indices(vec![25])),
        format!("{key}.to_indices[0]")
    );
    assert_eq!(refused(to_indices(vec![1, 2])), format!("{key}.to_indices"));
    let itself = AttachSpec {
        to: Thing::Deformable(0),
        ..corner()
    };
    assert_eq!(refused(itself), format!("{key}.to_indices"));
    let nothing = AttachSpec {
        to: Thing::Body(0),
        ..corner()
    };
    assert_eq!(refused(nothing), format!("{key}.to"));
    let gap = AttachSpec {
        gap_m: Some(0.1),
        ..corner()
    };
    assert_eq!(refused(gap), format!("{key}.gap_m"));
}
