//! Frames made finer and brought out of solids: Loop's places where nothing is in the way, and no
//! crossing anywhere.

mod support;

use glam::DVec3;
use std::sync::Arc;
use support::{build, rectangle, sheet, spec};
use toile_geometry::levelset::{Exact, Field};
use toile_geometry::{TriMesh, intersections_between, self_intersections};
use toile_sim::colliders::{LevelSet, Sampling, Shape};
use toile_sim::wrinkles::{Finish, Keeping, finer};
use toile_sim::{BodySpec, ColliderSpec, Material, Model, Motion};

const RADIUS_M: f64 = 0.2;

fn ball(center: DVec3) -> ColliderSpec {
    let shape = Exact::Sphere { radius_m: RADIUS_M };
    let mut mesh = shape.mesh(0.01);
    mesh.positions.iter_mut().for_each(|p| *p += center);
    let solid = LevelSet::new(Arc::new(mesh), None, Sampling::new(0.01)).unwrap();
    ColliderSpec {
        motion: Motion::Still,
        ..ColliderSpec::new(Shape::LevelSet(solid), 0.0)
    }
}

fn field_of(model: &Model, collider: usize) -> impl Field {
    let Shape::LevelSet(solid) = &model.colliders[collider].shape else {
        unreachable!()
    };
    solid.at(0.0)
}

fn sheet_with(colliders: Vec<ColliderSpec>) -> Arc<Model> {
    let cloth = sheet(9, 9, 0.02, Material::default());
    build(&spec(cloth, DVec3::ZERO, colliders))
}

/// A sheet laid on a ball, with waves from 12 mm inside to 30 mm outside.
fn wavy(model: &Model) -> Vec<DVec3> {
    let place = |p: &DVec3| {
        let wave = 0.5 - 0.5 * (70.0 * p.x).cos() * (55.0 * p.z).cos();
        let out = DVec3::new(p.x, RADIUS_M, p.z).normalize();
        (RADIUS_M - 0.012 + 0.042 * wave) * out
    };
    model.start_positions.iter().map(place).collect()
}

fn finish(model: &Arc<Model>, levels: u32, keeping: Option<Keeping>) -> Finish {
    Finish::new(model.clone(), Arc::new(finer(model, levels)), keeping)
}

/// The written mesh of a model made finer `levels` times.
fn mesh(model: &Model, levels: u32, positions: &[DVec3]) -> TriMesh {
    TriMesh {
        // As it is written.
        positions: positions.iter().map(|p| p.as_vec3().as_dvec3()).collect(),
        faces: finer(model, levels).mesh().faces.clone(),
    }
}

fn crossings(mesh: &TriMesh) -> usize {
    self_intersections(mesh, 1).unwrap().count
}

#[test]
fn without_anything_in_the_way_vertices_are_where_loop_puts_them() {
    let model = sheet_with(Vec::new());
    let coarse = wavy(&model);
    let finer = finer(&model, 2);
    let finished = finish(&model, 2, None).frame(&coarse, 0.0);
    assert_eq!(finished.positions.len(), 33 * 33);
    assert_eq!(finished.held_back, 0);
    let smooth = finer.smooth(&coarse);
    let far = |(a, b): (&DVec3, &DVec3)| a.distance(*b);
    let most = finished.positions.iter().zip(&smooth).map(far);
    assert!(most.fold(0.0, f64::max) < 1e-15);
    // Corners of the sheet are where they were; other particles moved.
    for (k, (p, q)) in coarse.iter().zip(&smooth).enumerate() {
        assert_eq!([0, 8, 72, 80].contains(&k), p == q, "{k}");
    }
}

#[test]
fn finer_cloth_is_left_above_its_offset_in_the_order_of_its_depth_and_crosses_nothing() {
    let model = sheet_with(vec![ball(DVec3::ZERO)]);
    let coarse = wavy(&model);
    let keeping = Keeping::new(0.02, 0.002, 0.005).unwrap();
    let field = field_of(&model, 0);
    let smooth = finer(&model, 2).smooth(&coarse);
    let depths = smooth.iter().map(|p| field.distance_m(*p));
    assert!(depths.fold(f64::INFINITY, f64::min) < -0.002, "some inside");
    let finished = finish(&model, 2, Some(keeping)).frame(&coarse, 0.0);
    assert_eq!(finished.held_back, 0);
    let mut pairs: Vec<[f64; 2]> = (smooth.iter().zip(&finished.positions))
        .map(|(from, to)| [*from, *to].map(|p| field.distance_m(p)))
        .collect();
    pairs.sort_by(|a, b| a[0].total_cmp(&b[0]));
    assert!(pairs.iter().all(|[_, after]| *after >= 0.002 - 1e-9));
    for two in pairs.windows(2) {
        assert!(two[1][1] >= two[0][1] - 2e-9, "{two:?}");
    }
    assert_eq!(crossings(&mesh(&model, 2, &finished.positions)), 0);
}

/// A coarse tent over a fine one: made smooth, the coarse ridge sinks through the fine.
#[test]
fn smoothing_stops_where_cloth_is_in_the_way() {
    let mut both = spec(
        sheet(3, 3, 0.1, Material::default()),
        DVec3::ZERO,
        Vec::new(),
    );
    both.cloths.push(sheet(21, 21, 0.009, Material::default()));
    let model = build(&both);
    let place = |(k, p): (usize, &DVec3)| {
        let above = if k < 9 { 0.5e-3 } else { 0.0 };
        p.with_y(above - 0.8 * p.x.abs())
    };
    let tents: Vec<DVec3> = (model.start_positions.iter().enumerate())
        .map(place)
        .collect();
    assert_eq!(crossings(&mesh(&model, 0, &tents)), 0);
    let smooth = finer(&model, 2).smooth(&tents);
    assert!(crossings(&mesh(&model, 2, &smooth)) > 0);
    let finished = finish(&model, 2, None).frame(&tents, 0.0);
    assert!(finished.held_back > 0 && finished.held_back < finished.moved);
    assert_eq!(crossings(&mesh(&model, 2, &finished.positions)), 0);
}

#[test]
fn pinched_vertices_are_not_brought_out() {
    let apart = (RADIUS_M + 0.002) * DVec3::Y;
    let model = sheet_with(vec![ball(apart), ball(-apart)]);
    // Flat in the middle between two balls.
    let flat = model.start_positions.clone();
    let keeping = Keeping::new(0.02, 0.004, 0.005).unwrap();
    let smooth = finer(&model, 1).smooth(&flat);
    let finished = finish(&model, 1, Some(keeping)).frame(&flat, 0.0);
    let fields = [0, 1].map(|k| field_of(&model, k));
    let mut pinched = 0;
    for (from, to) in smooth.iter().zip(&finished.positions) {
        let near = fields.iter().filter(|f| f.distance_m(*from) < 0.02);
        if near.count() == 2 {
            pinched += 1;
            assert!(from.distance(*to) < 1e-15);
        }
    }
    assert!(pinched > 20, "{pinched}");
}

/// A blade over the middle of a sheet, whose corners are far from it: only edges can meet.
#[test]
fn cloth_does_not_come_out_through_the_edges_of_bodies() {
    let top_m = 0.12;
    let shape = Exact::RoundedBox {
        half_m: DVec3::splat(0.1),
        radius_m: 0.02,
    };
    let solid = LevelSet::new(Arc::new(shape.mesh(0.01)), None, Sampling::new(0.01)).unwrap();
    let collider = ColliderSpec::new(Shape::LevelSet(solid), 0.0);
    let mut cloth = sheet(2, 2, 0.08, Material::default());
    rectangle(&mut cloth).center = (top_m - 0.002) * DVec3::Y;
    let mut scene = spec(cloth, DVec3::ZERO, vec![collider]);
    let blade = TriMesh {
        positions: vec![
            DVec3::new(-0.1, top_m, 0.01),
            DVec3::new(0.1, top_m, 0.01),
            DVec3::new(0.0, top_m + 0.1, 0.02),
        ],
        faces: vec![[0, 1, 2]],
    };
    let free = build(&scene);
    scene
        .bodies
        .push(BodySpec::new("blade", blade.clone(), 0.0));
    let model = build(&scene);
    let keeping = Keeping::new(0.02, 0.0, 0.005).unwrap();
    let passes = |positions: &[DVec3]| {
        let cloth = mesh(&model, 0, positions);
        intersections_between(&cloth, &blade, 1).unwrap().count
    };
    assert_eq!(passes(&model.start_positions), 0);
    let through = finish(&free, 0, Some(keeping)).frame(&model.start_positions, 0.0);
    assert!(passes(&through.positions) > 0);
    let finished = finish(&model, 0, Some(keeping)).frame(&model.start_positions, 0.0);
    assert_eq!(passes(&finished.positions), 0);
    assert_eq!((finished.moved, finished.held_back), (4, 4));
    // And so for a finer sheet.
    let finished = finish(&model, 2, Some(keeping)).frame(&model.start_positions, 0.0);
    let cloth = mesh(&model, 2, &finished.positions);
    assert_eq!(intersections_between(&cloth, &blade, 1).unwrap().count, 0);
    assert!(finished.held_back > 0);
}
