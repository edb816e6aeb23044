//! Cloth that sticks to what comes near, and lets go of it.

mod support;

use glam::DVec3;
use std::sync::Arc;
use support::*;
use toile_sim::colliders::Shape;
use toile_sim::constraints::stick::{Bond, Place};
use toile_sim::{
    ClothSpec, ColliderSpec, Integrator, Interpolation, Keyframe, Keyframes, Material, Model,
    ModelSpec, Motion, PinRegion, Simulation, State, StepConfig, StickSpec, Thing,
};

const DOWN: DVec3 = DVec3::new(0.0, -G, 0.0);
const STEP_S: f64 = 1.0 / 120.0;
/// The most that the releasing step may change a velocity, besides gravity, m/s.
const SMOOTH_M_PER_S: f64 = 0.05;

fn keyframes(keys: &[(f64, DVec3)]) -> Motion {
    let key = |&(time_s, offset_m): &(f64, DVec3)| Keyframe {
        time_s,
        offset_m,
        ..Keyframe::START
    };
    Motion::Keyframes(Keyframes {
        keys: keys.iter().map(key).collect(),
        pivot: None,
        interpolation: Interpolation::Smooth,
    })
}

/// A rod along x whose lowest line is at this height.
fn rod(bottom_m: f64, motion: Motion) -> ColliderSpec {
    let middle = (bottom_m + 0.02) * DVec3::Y;
    let shape = Shape::Capsule {
        from: middle - 0.2 * DVec3::X,
        to: middle + 0.2 * DVec3::X,
        radius_m: 0.02,
    };
    ColliderSpec {
        motion,
        ..ColliderSpec::new(shape, 0.3)
    }
}

/// A sheet of 8 × 10 cells of 2 cm that hangs from y = 0, sticking to collider 0 with its upper rows.
fn hanging(stick: StickSpec) -> ClothSpec {
    let mut cloth = sheet(9, 11, 0.02, Material::default());
    let rectangle = support::rectangle(&mut cloth);
    rectangle.center = -0.1 * DVec3::Y;
    rectangle.v_axis = DVec3::Y;
    cloth.sticks.push(stick);
    cloth
}

fn to_rod() -> StickSpec {
    StickSpec::new(vec![Thing::Collider(0)], 0.005, 0.01)
}

/// The same, of the uppermost row alone: the others come within reach when it is shaken.
fn top_to_rod() -> StickSpec {
    StickSpec {
        region: Some(PinRegion::Indices((90..99).collect())),
        ..to_rod()
    }
}

/// `hanging` from a rod that shakes it up and down and sideways, by 8 cm in a tenth of a second.
fn shaken(stick: StickSpec) -> ModelSpec {
    let (up, side) = (0.08 * DVec3::Y, 0.08 * DVec3::Z);
    let shaking = keyframes(&[
        (0.1, DVec3::ZERO),
        (0.2, up),
        (0.3, side),
        (0.4, up - side),
        (0.5, DVec3::ZERO),
    ]);
    spec(hanging(stick), DOWN, vec![rod(0.008, shaking)])
}

fn simulation_of(model: &Arc<Model>, integrator: Integrator) -> Simulation {
    let config = StepConfig {
        integrator,
        ..StepConfig::default()
    };
    Simulation::new(model.clone(), config)
}

/// The particles that stick.
fn stuck(state: &State) -> Vec<u32> {
    state.bonds.iter().map(|bond| bond.particle).collect()
}

/// How far a bonded particle is from its place on a collider, m.
fn stretch_m(model: &Model, state: &State, bond: &Bond) -> f64 {
    let Place::Collider { collider, start } = bond.place else {
        panic!("no collider: {bond:?}")
    };
    let pose = model.colliders[collider as usize].pose(state.time_s);
    let place = pose.place(start);
    state.positions[bond.particle as usize].distance(place)
}

/// The largest |Δv − g Δt| of particles in the step that ends their bonds, and how many those are.
fn releases(simulation: &mut Simulation, steps: usize) -> (f64, usize) {
    let (mut worst, mut count) = (0.0_f64, 0);
    for _ in 0..steps {
        let before = simulation.state().clone();
        simulation.step(STEP_S).unwrap();
        let after = simulation.state();
        let left = stuck(after);
        for particle in stuck(&before) {
            if !left.contains(&particle) {
                let i = particle as usize;
                let change = after.velocities[i] - before.velocities[i] - STEP_S * DOWN;
                worst = worst.max(change.length());
                count += 1;
            }
        }
    }
    (worst, count)
}

#[test]
fn what_is_within_reach_attaches_and_nothing_else() {
    let model = build(&shaken(to_rod()));
    let mut simulation = simulation_of(&model, Integrator::Bdf2);
    assert!(simulation.state().bonds.is_empty());
    simulation.step(STEP_S).unwrap();
    let top: Vec<u32> = (90..99).collect();
    assert_eq!(stuck(simulation.state()), top);

    let out_of_reach = StickSpec {
        reach_m: 1e-3,
        ..to_rod()
    };
    let other_side = toile_geometry::Bounds {
        min: DVec3::new(0.01, -1.0, -1.0),
        max: DVec3::ONE,
    };
    let one_side = StickSpec {
        to_box: Some(other_side),
        ..to_rod()
    };
    let one_particle = StickSpec {
        region: Some(PinRegion::Indices(vec![3, 95])),
        ..to_rod()
    };
    let off = StickSpec {
        active_s: vec![[0.5, 1.0]],
        ..to_rod()
    };
    for (stick, expected) in [
        (out_of_reach, vec![]),
        (one_side, vec![95, 96, 97, 98]),
        (one_particle, vec![95]),
        (off, vec![]),
    ] {
        let mut simulation = simulation_of(&build(&shaken(stick)), Integrator::Bdf2);
        simulation.step(STEP_S).unwrap();
        assert_eq!(stuck(simulation.state()), expected);
    }
}

/// Nine particles carry 99 at several times gravity.
#[test]
fn it_holds_under_shaking() {
    for integrator in [Integrator::Bdf2, Integrator::BackwardEuler] {
        let model = build(&shaken(top_to_rod()));
        let mut simulation = simulation_of(&model, integrator);
        for _ in 0..84 {
            simulation.step(STEP_S).unwrap();
            let state = simulation.state();
            assert_eq!(state.bonds.len(), 9);
            for bond in &state.bonds {
                let stretch_m = stretch_m(&model, state, bond);
                assert!(stretch_m < 3e-3, "{integrator:?} {stretch_m}");
                assert!(!bond.letting_go);
            }
        }
    }
}

#[test]
fn it_is_switched_off_without_a_jerk() {
    for integrator in [Integrator::Bdf2, Integrator::BackwardEuler] {
        let stick = StickSpec {
            active_s: vec![[0.0, 0.6]],
            ..top_to_rod()
        };
        // Shaken, it would come to lie on the rod, and not fall from it.
        let still = spec(hanging(stick), DOWN, vec![rod(0.008, Motion::Still)]);
        let mut simulation = simulation_of(&build(&still), integrator);
        let (change, count) = releases(&mut simulation, 120);
        println!("{integrator:?}: {change} m/s in {count} releases");
        assert_eq!(count, 9);
        assert!(simulation.state().bonds.is_empty());
        assert!(change <= SMOOTH_M_PER_S, "{integrator:?} {change}");
        // It does fall.
        let middle = simulation.state().positions[5 * 9 + 4];
        assert!(middle.y < -0.3, "{middle}");
    }
}

#[test]
fn it_lets_go_above_its_strength_without_a_jerk() {
    for integrator in [Integrator::Bdf2, Integrator::BackwardEuler] {
        // Enough for the weight of all, 6 mN, and not for the shaking.
        let stick = StickSpec {
            strength_n: Some(0.004),
            reach_m: 0.002,
            ..to_rod()
        };
        let mut cloth = shaken(stick);
        cloth.colliders[0] = ColliderSpec {
            motion: cloth.colliders[0].motion.clone(),
            ..rod(0.007, Motion::Still)
        };
        let mut simulation = simulation_of(&build(&cloth), integrator);
        let (change, before) = releases(&mut simulation, 11);
        assert_eq!((change, before), (0.0, 0));
        assert_eq!(simulation.state().bonds.len(), 9);
        let (change, count) = releases(&mut simulation, 110);
        println!("{integrator:?}: {change} m/s in {count} releases");
        assert!(count >= 9);
        assert!(simulation.state().bonds.is_empty());
        assert!(change <= SMOOTH_M_PER_S, "{integrator:?} {change}");
    }
}

/// Dropped on the floor, it is picked up again.
#[test]
fn it_attaches_again() {
    let stick = StickSpec {
        active_s: vec![[0.0, 0.2], [0.9, 2.0]],
        ..to_rod()
    };
    let floor = ColliderSpec::new(
        Shape::Plane {
            normal: DVec3::Y,
            offset_m: -0.25,
        },
        0.4,
    );
    let reaching = keyframes(&[
        (0.5, 0.1 * DVec3::Y),
        (0.9, -0.25 * DVec3::Y),
        (1.1, -0.25 * DVec3::Y),
        (1.5, 0.1 * DVec3::Y),
    ]);
    let mut spec = shaken(stick);
    spec.colliders = vec![rod(0.008, reaching), floor];
    let mut simulation = simulation_of(&build(&spec), Integrator::BackwardEuler);
    let mut counts = Vec::new();
    for _ in 0..180 {
        simulation.step(STEP_S).unwrap();
        counts.push(simulation.state().bonds.len());
    }
    assert_eq!(counts[10], 9);
    assert_eq!(counts[70], 0);
    let again = counts[179];
    assert!(again > 0);
    let state = simulation.state();
    let lifted = stuck(state).into_iter();
    let lowest = lifted.map(|i| state.positions[i as usize].y);
    assert!(lowest.fold(f64::INFINITY, f64::min) > 0.0);
}

#[test]
fn a_resumed_run_goes_on_to_the_bit_and_threads_change_nothing() {
    let stick = StickSpec {
        active_s: vec![[0.0, 0.35]],
        ..to_rod()
    };
    let model = build(&shaken(stick));
    let run = |threads: usize, stop: Option<usize>| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            let mut simulation = simulation_of(&model, Integrator::Bdf2);
            for k in 0..60 {
                if stop == Some(k) {
                    let state = simulation.state().clone();
                    assert!(!state.bonds.is_empty());
                    simulation = simulation_of(&model, Integrator::Bdf2);
                    simulation.restore(state);
                }
                simulation.step(STEP_S).unwrap();
            }
            simulation.state().clone()
        })
    };
    let straight = run(1, None);
    // Holding, and fading.
    for (threads, stop) in [(2, None), (1, Some(20)), (3, Some(44))] {
        let other = run(threads, stop);
        assert_eq!(bits(&straight.positions), bits(&other.positions));
        assert_eq!(bits(&straight.velocities), bits(&other.velocities));
        assert_eq!(straight.bonds, other.bonds);
    }
}

/// Explicit schemes learn of bonds as they are made, and refuse steps that these make too long.
#[test]
fn explicit_schemes_hold_too() {
    let stiff = StickSpec {
        stiffness_n_per_m: 1e5,
        active_s: vec![[0.0015, 1.0]],
        ..to_rod()
    };
    let mut refused = simulation_of(&build(&shaken(stiff)), Integrator::SymplecticEuler);
    for _ in 0..15 {
        refused.step(1e-4).unwrap();
    }
    assert!(refused.step(1e-4).is_err());

    let model = build(&shaken(to_rod()));
    let mut simulation = simulation_of(&model, Integrator::SymplecticEuler);
    for _ in 0..1000 {
        simulation.step(1e-4).unwrap();
    }
    let state = simulation.state();
    assert_eq!(state.bonds.len(), 9);
    for bond in &state.bonds {
        assert!(stretch_m(&model, state, bond) < 3e-3);
    }
}

#[test]
fn what_cannot_be_is_refused_with_its_place() {
    let refused = |stick: StickSpec| {
        let error = Model::build(&shaken(stick)).err().expect("an error");
        error.key
    };
    let ok = to_rod;
    assert_eq!(
        refused(StickSpec {
            reach_m: -1.0,
            ..ok()
        }),
        "cloth[0].stick[0].reach_m"
    );
    assert_eq!(
        refused(StickSpec {
            release_m: 0.0,
            ..ok()
        }),
        "cloth[0].stick[0].release_m"
    );
    assert_eq!(
        refused(StickSpec {
            to: vec![Thing::Collider(7)],
            ..ok()
        }),
        "cloth[0].stick[0].to[0]"
    );
    assert_eq!(
        refused(StickSpec {
            active_s: vec![[1.0, 0.5]],
            ..ok()
        }),
        "cloth[0].stick[0].active_s[0]"
    );
}
