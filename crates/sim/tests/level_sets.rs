//! Solids met by their signed distance: still, moved as a whole, and animated.

mod support;

use glam::DVec3;
use std::sync::Arc;
use support::*;
use toile_geometry::levelset::{Exact, Field, LevelSetError, Storage};
use toile_sim::colliders::{LevelSet, Sampling, Shape};
use toile_sim::report::{collider_penetration_m, level_set_crossings};
use toile_sim::{
    ClothSpec, ColliderSpec, Frames, Integrator, Material, Model, Motion, Simulation, Solve, State,
};

const RADIUS_M: f64 = 0.15;

/// The deepest that any particle may be in a body, m.
const DEEPEST_M: f64 = 0.5e-3;

fn ball(frames: Option<Frames>) -> LevelSet {
    let shape = Exact::Sphere { radius_m: RADIUS_M };
    let mesh = Arc::new(shape.mesh(0.02));
    LevelSet::new(mesh, frames, Sampling::new(0.01)).unwrap()
}

/// The same, its fields stored sparse.
fn sparse(frames: Option<Frames>) -> LevelSet {
    let sampling = Sampling {
        storage: Storage::Octree,
        ..*ball(None).sampling()
    };
    let mesh = ball(None).mesh().clone();
    LevelSet::new(mesh, frames, sampling).unwrap()
}

fn still(solid: LevelSet) -> ColliderSpec {
    ColliderSpec::new(Shape::LevelSet(solid), 0.4)
}

fn sheet_over(height_m: f64) -> ClothSpec {
    let mut cloth = sheet(15, 15, 0.025, Material::default());
    rectangle(&mut cloth).center = DVec3::new(0.003, height_m, 0.002);
    cloth
}

/// Makes steps of 10 ms, and looks at every third whether all particles are outside.
fn steps_outside(simulation: &mut Simulation, count: u32) {
    for step in 0..count {
        simulation.step(0.01).unwrap();
        if step % 3 == 0 {
            let depth = collider_penetration_m(simulation.model(), simulation.state());
            assert!(depth < DEEPEST_M, "{depth}");
        }
    }
}

/// The ball over `count` frames, 25 a second, rising by `way_m` in each.
fn rising(count: u32, way_m: f64) -> Frames {
    let start = Exact::Sphere { radius_m: RADIUS_M }.mesh(0.02).positions;
    let frame = |k: u32| {
        let shift = f64::from(k) * way_m * DVec3::Y;
        start.iter().map(|p| *p + shift).collect()
    };
    Frames {
        rate_hz: 25.0,
        positions: Arc::new((0..count).map(frame).collect()),
    }
}

#[test]
fn surfaces_are_those_of_the_shape() {
    let collider = still(ball(None));
    for point in [DVec3::X, DVec3::new(0.1, -0.1, 0.05), 0.2 * DVec3::Z] {
        let surface = collider.surface(point, 0.0);
        let exact = point.length() - RADIUS_M;
        assert!((surface.distance_m - exact).abs() < 1e-3, "{surface:?}");
        let near = (surface.distance_m).abs() < 0.03;
        assert!(!near || surface.normal.dot(point.normalize()) > 0.999);
        assert!((surface.normal.length() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn cloth_drapes_on_a_still_solid_and_keeps_out_of_it() {
    for forecast_s in [None, Some(0.03)] {
        let collider = ColliderSpec {
            forecast_s,
            ..still(ball(None))
        };
        let down = DVec3::new(0.0, -G, 0.0);
        let model = build(&spec(sheet_over(0.17), down, vec![collider]));
        let mut simulation = simulation(model, Integrator::Bdf2, Solve::Once);
        steps_outside(&mut simulation, 60);
        assert!(simulation.state().contacts.len() > 20);
    }
}

#[test]
fn a_solid_that_moves_as_a_whole_has_one_field_and_lifts_cloth() {
    let collider = ColliderSpec {
        motion: Motion::Velocity(DVec3::new(0.1, 0.5, 0.0)),
        ..still(ball(None))
    };
    let at = DVec3::new(0.0, RADIUS_M, 0.0) + 0.4 * DVec3::new(0.1, 0.5, 0.0);
    assert!(collider.surface(at, 0.4).distance_m.abs() < 2e-4);
    let model = build(&spec(sheet_over(0.17), DVec3::ZERO, vec![collider]));
    let mut simulation = simulation(model, Integrator::Bdf2, Solve::Once);
    steps_outside(&mut simulation, 40);
    let highest = simulation.state().positions.iter().map(|p| p.y);
    assert!(highest.fold(0.0, f64::max) > 0.2 + RADIUS_M);
}

#[test]
fn an_animated_solid_goes_from_field_to_field_and_lifts_cloth() {
    let collider = still(ball(Some(rising(6, 0.008))));
    // Between two frames, and after the last.
    for (time_s, height_m) in [(0.0, 0.0), (0.06, 0.012), (1.0, 0.04)] {
        let top = DVec3::new(0.0, RADIUS_M + height_m, 0.0);
        assert!(collider.surface(top, time_s).distance_m.abs() < 2e-4);
    }
    let model = build(&spec(sheet_over(0.153), DVec3::ZERO, vec![collider]));
    let mut simulation = simulation(model, Integrator::Bdf2, Solve::Once);
    steps_outside(&mut simulation, 25);
    let highest = simulation.state().positions.iter().map(|p| p.y);
    assert!(highest.fold(0.0, f64::max) > 0.04 + RADIUS_M);
}

/// Still, moved as a whole and animated: fields agree within a tenth of a cell, which is the margin that
/// cloth keeps, and so do the heights of cloth that rests on them. Free cloth folds as it likes: there the
/// two are millimetres apart after a quarter of a second.
#[test]
fn cloth_on_sparse_fields_is_as_on_full_ones() {
    let cell_m = 0.01;
    let [full, octree] = [ball(None), sparse(None)].map(|solid| solid.at(0.0));
    assert_eq!(octree.before.storage(), Storage::Octree);
    assert!(2 * octree.before.bytes() < full.before.bytes());
    for k in 0..500_u32 {
        let turn = f64::from(k) * DVec3::new(0.7, 1.1, 1.9);
        let out = DVec3::new(turn.x.cos(), turn.y.sin(), turn.z.cos()).normalize();
        let point = (RADIUS_M + 0.015 * turn.z.sin()) * out;
        let apart = (full.distance_m(point) - octree.distance_m(point)).abs();
        assert!(apart < 0.1 * cell_m, "{apart}");
    }
    let up = Motion::Velocity(DVec3::new(0.05, 0.1, 0.0));
    for (motion, frames) in [
        (Motion::Still, None),
        (up, None),
        (Motion::Still, Some(rising(8, 0.004))),
    ] {
        let down = DVec3::new(0.0, -G, 0.0);
        let is_animated = frames.is_some();
        let ends = [ball(frames.clone()), sparse(frames)].map(|solid| {
            let collider = ColliderSpec {
                motion: motion.clone(),
                ..still(solid)
            };
            let model = build(&spec(sheet_over(0.155), down, vec![collider]));
            let mut simulation = simulation(model, Integrator::Bdf2, Solve::Once);
            steps_outside(&mut simulation, 24);
            assert!(simulation.state().contacts.len() > 20);
            let state = simulation.state();
            let touching: Vec<u32> = state.contacts.iter().map(|c| c.particle).collect();
            (state.positions.clone(), touching)
        });
        let center = match &motion {
            Motion::Velocity(velocity) => 0.24 * *velocity,
            _ if is_animated => 0.024 * DVec3::Y,
            _ => DVec3::ZERO,
        };
        let [(first, touching), (second, also)] = &ends;
        let both = touching.iter().filter(|i| also.contains(i));
        let heights = both.map(|i| [first, second].map(|x| x[*i as usize].distance(center)));
        let apart = heights.map(|[a, b]| (a - b).abs()).collect::<Vec<_>>();
        assert!(apart.len() > 15, "{}", apart.len());
        let most = apart.into_iter().fold(0.0, f64::max);
        assert!(most < 0.1 * cell_m, "{motion:?}: {most}");
    }
}

/// In every frame against the triangles where they are then, whatever the field says.
#[test]
fn depth_is_measured_against_the_posed_mesh() {
    let moving = ColliderSpec {
        motion: Motion::Velocity(DVec3::new(0.1, 0.5, 0.0)),
        ..still(ball(None))
    };
    let animated = still(ball(Some(rising(6, 0.008))));
    for time_s in [0.0, 0.03, 0.1, 0.2] {
        for (collider, shift) in [
            (&moving, time_s * DVec3::new(0.1, 0.5, 0.0)),
            (&animated, (0.2 * time_s).min(0.04) * DVec3::Y),
        ] {
            // At a vertex of the mesh, so that its roundness does not matter.
            let inside = shift + (RADIUS_M - 0.003) * DVec3::Y;
            let points = [inside, shift + 2.0 * RADIUS_M * DVec3::X];
            let depth = collider.deepest_m(&points, time_s);
            assert!((depth - 0.003).abs() < 1e-4, "{time_s}: {depth}");
            assert_eq!(collider.deepest_m(&points[1..], time_s), 0.0);
        }
    }
}

/// Pairs that cross are those that the exact test finds in the triangles where they are.
#[test]
fn edges_that_cross_the_posed_mesh_are_counted() {
    let collider = ColliderSpec {
        motion: Motion::Velocity(DVec3::X),
        ..still(ball(None))
    };
    let model = build(&spec(sheet_over(0.0), DVec3::ZERO, vec![collider]));
    let mut state = State::start(&model);
    let count = |state: &State| level_set_crossings(&model, state).unwrap();
    // Around the equator, once around.
    let around = count(&state);
    assert!(around > 40, "{around}");
    // The ball has gone.
    state.time_s = 2.0;
    assert_eq!(count(&state), 0);
    state.positions.iter_mut().for_each(|p| p.x += 2.0);
    assert_eq!(count(&state), around);
    let free = build(&spec(sheet_over(0.0), DVec3::ZERO, Vec::new()));
    assert_eq!(level_set_crossings(&free, &State::start(&free)), None);
}

#[test]
fn what_can_be_no_field_is_refused_before_any_is_made() {
    let mut open = Exact::Sphere { radius_m: RADIUS_M }.mesh(0.02);
    open.faces
        .retain(|face| face.iter().all(|v| open.positions[*v as usize].y < 0.1));
    let refused = LevelSet::new(Arc::new(open), None, Sampling::new(0.01));
    assert!(matches!(refused, Err(LevelSetError::Open { .. })));
    let mesh = Arc::new(Exact::Sphere { radius_m: RADIUS_M }.mesh(0.02));
    let fine = LevelSet::new(mesh.clone(), None, Sampling::new(1e-5));
    assert!(matches!(fine, Err(LevelSetError::TooLarge { .. })));
    // The last pose is farther away than any grid goes.
    let mut far = mesh.positions.clone();
    far[0].x = 1e7;
    let frames = Frames {
        rate_hz: 25.0,
        positions: Arc::new(vec![mesh.positions.clone(), far]),
    };
    let animated = LevelSet::new(mesh.clone(), Some(frames), Sampling::new(0.01));
    assert!(matches!(animated, Err(LevelSetError::TooLarge { .. })));
    // A pose in which nothing is left of the solid is named.
    let collapsed = vec![DVec3::ONE; mesh.positions.len()];
    let frames = Frames {
        rate_hz: 25.0,
        positions: Arc::new(vec![mesh.positions.clone(), collapsed]),
    };
    let refused = LevelSet::new(mesh.clone(), Some(frames), Sampling::new(0.01));
    let error = refused.unwrap_err();
    assert!(matches!(error, LevelSetError::Pose { frame: 1, .. }));
    assert!(error.to_string().contains("frame 1"), "{error}");
    let animated_and_moved = ColliderSpec {
        motion: Motion::Velocity(DVec3::X),
        ..still(ball(Some(rising(2, 0.01))))
    };
    let error = Model::build(&spec(
        sheet_over(1.0),
        DVec3::ZERO,
        vec![animated_and_moved],
    ));
    assert_eq!(error.err().unwrap().key, "collider[0].shape.mesh.frames");
}
