//! Wrinkles kept: the map, and cloth brought out of solids by it.

mod support;

use glam::DVec3;
use proptest::prelude::*;
use std::sync::Arc;
use support::{build, sheet, spec};
use toile_geometry::levelset::{Exact, Field, Grid, Parts, Placed, RigidMotion, Settings, Solid};
use toile_geometry::{TriMesh, self_intersections};
use toile_sim::colliders::{LevelSet, Sampling, Shape};
use toile_sim::wrinkles::{Finish, Keeping, KeepingError, finer, project};
use toile_sim::{ColliderSpec, Material, Model};

const RADIUS_M: f64 = 0.2;

fn ball() -> (Exact, Grid) {
    let shape = Exact::Sphere { radius_m: RADIUS_M };
    let mesh = shape.mesh(0.01);
    let solid = Solid::new(&mesh, 0.0).unwrap();
    let grid = Grid::build(&solid, &mesh.positions, None, &Settings::new(0.01)).unwrap();
    (shape, grid)
}

/// Points along an arc over a ball, with waves between two distances.
fn waves(from_m: f64, to_m: f64) -> Vec<DVec3> {
    let at = |k: u32| {
        let angle = 0.01 * f64::from(k) - 1.0;
        let wave = 0.5 - 0.5 * (60.0 * angle).cos();
        let radius = RADIUS_M + from_m + wave * (to_m - from_m);
        radius * DVec3::new(angle.sin(), angle.cos(), 0.1).normalize()
    };
    (0..200).map(at).collect()
}

/// Highest less lowest.
fn height_m(distances: impl Iterator<Item = f64> + Clone) -> f64 {
    let highest = distances.clone().fold(f64::NEG_INFINITY, f64::max);
    highest - distances.fold(f64::INFINITY, f64::min)
}

#[test]
fn wrinkles_inside_keep_half_their_height_where_projection_keeps_none() {
    let depth_m = 0.005;
    let keeping = Keeping::new(4.0 * depth_m, 0.0, depth_m).unwrap();
    let shape = Exact::Sphere { radius_m: RADIUS_M };
    let inside = waves(-depth_m, 0.0);
    let height = |out: &dyn Fn(DVec3) -> Option<DVec3>| {
        let out = |p: &DVec3| out(*p).unwrap_or(*p);
        height_m(inside.iter().map(|p| shape.distance_m(out(p))))
    };
    let before = height(&|p| Some(p));
    assert!((before - depth_m).abs() < 1e-4);
    let share = height(&|p| keeping.place(&shape, p, false)) / before;
    assert!(share >= 0.5, "{share}");
    let flat = height(&|p| project(&shape, p, 0.0));
    assert!(flat < 1e-8, "{flat}");
}

#[test]
fn no_point_is_left_below_its_offset_and_deeper_ones_stay_deeper() {
    let keeping = Keeping::new(0.02, 0.002, 0.005).unwrap();
    let (_, grid) = ball();
    // Some deeper than expected, some above the tolerance.
    let points = waves(-0.012, 0.03);
    let out = |p: &DVec3| keeping.place(&grid, *p, false).unwrap_or(*p);
    let mut pairs: Vec<[f64; 2]> = (points.iter())
        .map(|p| [*p, out(p)].map(|p| grid.distance_m(p)))
        .collect();
    pairs.sort_by(|a, b| a[0].total_cmp(&b[0]));
    for two in pairs.windows(2) {
        assert!(two[0][1] >= 0.002 - 1e-9);
        assert!(two[1][1] >= two[0][1] - 2e-9, "{two:?}");
    }
    for (p, [before, after]) in points
        .iter()
        .map(|p| (p, [*p, out(p)].map(|p| grid.distance_m(p))))
    {
        if before >= 0.02 {
            assert_eq!((out(p), after), (*p, before));
        }
    }
}

#[test]
fn pinched_points_stay() {
    let (_, grid) = ball();
    let placed = |x: f64| Placed {
        field: &grid,
        motion: RigidMotion {
            translation: x * DVec3::X,
            ..RigidMotion::STILL
        },
    };
    let parts = Parts::new([placed(-0.198), placed(0.198)], 0.005);
    let keeping = Keeping::new(0.02, 0.001, 0.005).unwrap();
    let between = parts.sample(DVec3::ZERO, 1.0).unwrap();
    assert!(between.is_pinched());
    let field = parts.parts().nth(between.part).unwrap();
    assert_eq!(
        keeping.place(field, DVec3::ZERO, between.is_pinched()),
        None
    );
    let free = DVec3::new(0.0, 0.0, 0.08);
    let aside = parts.sample(free, 1.0).unwrap();
    assert!(!aside.is_pinched());
    let field = parts.parts().nth(aside.part).unwrap();
    assert!(keeping.place(field, free, aside.is_pinched()).is_some());
}

/// What is written of a model made finer `levels` times.
fn finish(model: &Arc<Model>, levels: u32, keeping: Option<Keeping>) -> Finish {
    Finish::new(model.clone(), Arc::new(finer(model, levels)), keeping)
}

/// Height of the flat top of a box, m.
const TOP_M: f64 = 0.12;

/// A coarse sheet and a fine one, and a box under them.
fn two_sheets() -> Arc<Model> {
    let shape = Exact::RoundedBox {
        half_m: DVec3::splat(0.1),
        radius_m: 0.02,
    };
    let mesh = Arc::new(shape.mesh(0.01));
    let solid = LevelSet::new(mesh, None, Sampling::new(0.01)).unwrap();
    let collider = ColliderSpec::new(Shape::LevelSet(solid), 0.0);
    let material = Material::default();
    let mut spec = spec(sheet(2, 2, 0.1, material), DVec3::ZERO, vec![collider]);
    spec.cloths.push(sheet(3, 3, 0.01, material));
    build(&spec)
}

/// Where its particles are if both sheets slope into the box, the fine one a little above the other.
fn sloping(model: &Model) -> Vec<DVec3> {
    let place = |(k, p): (usize, &DVec3)| {
        let above = if k < 4 { 0.0 } else { 1e-4 };
        p.with_y(TOP_M - 0.0025 + 0.05 * p.x + above)
    };
    model
        .start_positions
        .iter()
        .enumerate()
        .map(place)
        .collect()
}

fn crossings(model: &Model, positions: &[DVec3]) -> usize {
    let mesh = TriMesh {
        positions: positions.to_vec(),
        faces: model.mesh.faces.clone(),
    };
    self_intersections(&mesh, 1).unwrap().count
}

#[test]
fn frames_come_out_and_cloth_does_not_pass_cloth() {
    let model = two_sheets();
    let keeping = Keeping::new(0.02, 0.0, 0.005).unwrap();
    let inside = sloping(&model);
    assert_eq!(crossings(&model, &inside), 0);
    // The map is bent: what is over the middle of an edge may come to be under it.
    let Shape::LevelSet(solid) = &model.colliders[0].shape else {
        unreachable!()
    };
    let field = solid.at(0.0);
    let each = inside
        .iter()
        .map(|p| keeping.place(&field, *p, false).unwrap_or(*p));
    assert!(crossings(&model, &each.collect::<Vec<_>>()) > 0);
    let finished = finish(&model, 0, Some(keeping)).frame(&inside, 0.0);
    assert_eq!(crossings(&model, &finished.positions), 0);
    assert_eq!(finished.moved, 13);
    assert!(finished.held_back > 0);
    let is_higher = |(to, from): (&DVec3, &DVec3)| to.y >= from.y - 1e-9;
    assert!(finished.positions.iter().zip(&inside).all(is_higher));
}

#[test]
fn frames_outside_are_left_as_they_are() {
    let model = two_sheets();
    let keeping = Keeping::new(0.02, 0.0, 0.005).unwrap();
    let outside: Vec<DVec3> = sloping(&model)
        .iter()
        .map(|p| *p + 0.05 * DVec3::Y)
        .collect();
    let finished = finish(&model, 0, Some(keeping)).frame(&outside, 0.0);
    assert_eq!((finished.positions, finished.moved), (outside, 0));
}

#[test]
fn maps_that_are_none_are_refused() {
    for (tolerance_m, offset_m) in [(0.0, 0.0), (0.01, 0.01), (0.01, -1e-3), (f64::NAN, 0.0)] {
        let refused = Keeping::new(tolerance_m, offset_m, 0.01);
        assert!(matches!(refused, Err(KeepingError::Offset { .. })));
    }
    assert!(matches!(
        Keeping::new(0.01, 0.0, f64::INFINITY),
        Err(KeepingError::Depth { .. })
    ));
}

proptest! {
    #[test]
    fn the_map_ascends_is_smooth_and_stays_in_its_range(
        tolerance_m in 1e-4..0.1_f64,
        offset in 0.0..0.95_f64,
        depth_m in 0.0..0.1_f64,
        share in 0.0..1.0_f64,
    ) {
        let offset_m = offset * tolerance_m;
        let keeping = Keeping::new(tolerance_m, offset_m, depth_m).unwrap();
        let span = tolerance_m + depth_m;
        let at = -1.2 * depth_m + share * 1.3 * span;
        let small = 1e-6 * span;
        let [low, here, high] = [at - small, at, at + small].map(|x| keeping.map_m(x));
        prop_assert!(low <= here && here <= high);
        prop_assert!(here >= offset_m);
        prop_assert!(at < tolerance_m || here == at);
        // The slope is 1 where the map begins, from both sides.
        let slope = (tolerance_m - keeping.map_m(tolerance_m - small)) / small;
        let power = span / (tolerance_m - offset_m);
        prop_assert!((slope - 1.0).abs() < 1e-5 * power.max(1.0), "{}", slope);
        prop_assert!((keeping.map_m(tolerance_m) - tolerance_m).abs() < 1e-15);
    }
}
