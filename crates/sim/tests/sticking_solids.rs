//! Cloth that sticks to level sets: to their triangles, wherever these go, and to some of them alone.

mod support;

use glam::DVec3;
use std::sync::Arc;
use support::*;
use toile_geometry::TriMesh;
use toile_geometry::levelset::Exact;
use toile_sim::colliders::{LevelSet, Sampling, Shape};
use toile_sim::report::Sticking;
use toile_sim::{
    AttachSpec, ColliderSpec, Frames, Material, Model, Motion, PinRegion, Simulation, StepConfig,
    StickSpec, Thing,
};

const RADIUS_M: f64 = 0.1;
const STEP_S: f64 = 0.01;
/// How fast the solid goes sideways.
const SPEED_M_PER_S: f64 = 0.4;

fn ball() -> TriMesh {
    Exact::Sphere { radius_m: RADIUS_M }.mesh(0.02)
}

/// The ball, sideways without friction: animated, or moved as a whole.
fn moving(animated: bool) -> ColliderSpec {
    let mesh = ball();
    let frame = |k: u32| {
        let shift = f64::from(k) / 25.0 * SPEED_M_PER_S * DVec3::X;
        mesh.positions.iter().map(|p| *p + shift).collect()
    };
    let frames = animated.then(|| Frames {
        rate_hz: 25.0,
        positions: Arc::new((0..10).map(frame).collect()),
    });
    let mesh = Arc::new(mesh.clone());
    let solid = LevelSet::new(mesh, frames, Sampling::new(0.01)).unwrap();
    ColliderSpec {
        motion: match animated {
            true => Motion::Still,
            false => Motion::Velocity(SPEED_M_PER_S * DVec3::X),
        },
        ..ColliderSpec::new(Shape::LevelSet(solid), 0.0)
    }
}

fn sticky() -> StickSpec {
    StickSpec {
        triangles: 3,
        ..StickSpec::new(vec![Thing::Collider(0)], 0.006, 0.02)
    }
}

/// A sheet above the ball, which touches it in the middle.
fn model(collider: ColliderSpec, stick: Option<StickSpec>) -> Arc<Model> {
    let mut cloth = sheet(9, 9, 0.01, Material::default());
    rectangle(&mut cloth).center = (RADIUS_M + 0.003) * DVec3::Y;
    cloth.sticks.extend(stick);
    build(&spec(cloth, DVec3::ZERO, vec![collider]))
}

fn run(model: &Arc<Model>, steps: u32) -> Simulation {
    let mut simulation = Simulation::new(model.clone(), StepConfig::default());
    for _ in 0..steps {
        simulation.step(STEP_S).unwrap();
    }
    simulation
}

fn mean_x(simulation: &Simulation, particles: &[u32]) -> f64 {
    let x = &simulation.state().positions;
    let sum: f64 = particles.iter().map(|i| x[*i as usize].x).sum();
    sum / particles.len() as f64
}

#[test]
fn what_sticks_goes_with_the_triangles_of_a_level_set() {
    for animated in [false, true] {
        let model = model(moving(animated), Some(sticky()));
        let first = run(&model, 1);
        let mut stuck: Vec<u32> = first.state().bonds.iter().map(|b| b.particle).collect();
        stuck.dedup();
        assert!((4..40).contains(&stuck.len()), "{}", stuck.len());
        // Most of them within reach of several triangles.
        assert!(first.state().bonds.len() > stuck.len());
        let before = mean_x(&first, &stuck);
        let later = run(&model, 31);
        let way = mean_x(&later, &stuck) - before;
        let gone = 0.3 * SPEED_M_PER_S;
        assert!((way - gone).abs() < 2e-3, "{animated}: {way} {gone}");
        // Without it, the ball slips away under the cloth.
        let free = run(&self::model(moving(animated), None), 31);
        assert!(mean_x(&free, &stuck) < 0.5 * gone);
    }
}

#[test]
fn only_the_triangles_chosen_are_sticky() {
    let mesh = ball();
    let on_one_side = |face: &[u32; 3]| {
        let mut corners = face.iter().map(|v| mesh.positions[*v as usize]);
        corners.all(|p| p.x > 1e-6)
    };
    let faces = mesh.faces.iter().zip(0..).filter(|(f, _)| on_one_side(f));
    let faces: Vec<u32> = faces.map(|(_, index)| index).collect();
    let stick = StickSpec {
        to_faces: Some(vec![faces]),
        ..sticky()
    };
    let still = || ColliderSpec {
        motion: Motion::Still,
        ..moving(false)
    };
    let chosen = model(still(), Some(stick.clone()));
    let state = run(&chosen, 1).state().clone();
    assert!(!state.bonds.is_empty());
    let start = |particle: u32| chosen.start_positions[particle as usize];
    assert!(state.bonds.iter().all(|b| start(b.particle).x > -0.007));
    let all = run(&model(still(), Some(sticky())), 1);
    assert!(
        all.state()
            .bonds
            .iter()
            .any(|b| start(b.particle).x < -0.007)
    );
    // Triangles that do not exist are refused, and so is a list that does not fit.
    for to_faces in [vec![vec![1_000_000]], vec![]] {
        let stick = StickSpec {
            to_faces: Some(to_faces),
            ..sticky()
        };
        let mut cloth = sheet(3, 3, 0.01, Material::default());
        cloth.sticks.push(stick);
        let error = Model::build(&spec(cloth, DVec3::ZERO, vec![still()]));
        assert_eq!(error.err().unwrap().key, "cloth[0].stick[0].to_group");
    }
}

#[test]
fn what_is_fastened_goes_with_an_animated_level_set() {
    let mut cloth = sheet(3, 3, 0.01, Material::default());
    rectangle(&mut cloth).center = (RADIUS_M + 0.003) * DVec3::Y;
    cloth.attachments.push(AttachSpec {
        region: PinRegion::Indices(vec![4]),
        to: Thing::Collider(0),
        to_indices: None,
        gap_m: None,
        stiffness_n_per_m: StickSpec::FASTENED_N_PER_M,
    });
    let model = build(&spec(cloth, DVec3::ZERO, vec![moving(true)]));
    let simulation = run(&model, 30);
    let x = simulation.state().positions[4].x;
    assert!((x - 0.3 * SPEED_M_PER_S).abs() < 2e-3, "{x}");
    // What is fastened is not counted among what sticks.
    let bonds = &simulation.state().bonds;
    assert_eq!(bonds.len(), 1);
    assert_eq!(Sticking::between(&model, &[], bonds), Sticking::default());
}

#[test]
fn what_sticks_is_counted_from_frame_to_frame() {
    let stick = StickSpec {
        active_s: vec![[0.05, 0.15]],
        ..sticky()
    };
    let still = ColliderSpec {
        motion: Motion::Still,
        ..moving(false)
    };
    let model = model(still, Some(stick));
    let mut simulation = Simulation::new(model.clone(), StepConfig::default());
    let mut before = simulation.state().bonds.clone();
    let mut counts = Vec::new();
    for _ in 0..20 {
        simulation.step(STEP_S).unwrap();
        let after = simulation.state().bonds.clone();
        counts.push(Sticking::between(&model, &before, &after));
        before = after;
    }
    let most = counts.iter().map(|c| c.stuck).max().unwrap();
    let sum = |of: fn(&Sticking) -> usize| counts.iter().map(of).sum::<usize>();
    assert!(most > 3);
    assert_eq!((sum(|c| c.attached), sum(|c| c.released)), (most, most));
    for (k, count) in counts.iter().enumerate() {
        let held = (5..15).contains(&k);
        assert_eq!(count.stuck, if held { most } else { 0 }, "{k}");
    }
}
