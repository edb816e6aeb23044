//! A step with more than a million pairs of features that may meet: all are listed, none is lost.

mod support;

use glam::{DQuat, DVec3, Vec3};
use std::collections::BTreeSet;
use std::sync::Arc;
use support::{build, rectangle, sheet, spec};
use toile_geometry::distance::Kind;
use toile_sim::contact::collect::listing::Wanted;
use toile_sim::contact::{Listing, Pair, Surfaces};
use toile_sim::{ClothContact, Material, Model, Simulation, State, StepConfig, Watch};

const MILLION: usize = 1_000_000;
const STEP_S: f64 = 1.0 / 60.0;
const SHEETS: usize = 30;
const SIDE: usize = 13;
const GAP_M: f64 = 0.003;
/// All fall by more than the height of the stack in a step, every other one by more than the gap further.
const FALL_M: f64 = 0.12;
const FURTHER_M: f64 = 0.01;

/// Sheets above each other, no two of them alike, of which every other one would overtake the next.
fn falling() -> Arc<Model> {
    let cloths = (0..SHEETS).map(|k| {
        let material = Material {
            thickness_m: 2e-4,
            ..Material::default()
        };
        let mut cloth = sheet(SIDE, SIDE, 0.01, material);
        let way_m = FALL_M + FURTHER_M * (k % 2) as f64;
        cloth.velocity_m_per_s = DVec3::new(0.0, -way_m / STEP_S, 0.0);
        let k = k as f64;
        let turn = DQuat::from_rotation_y(0.3 * k);
        let cut = rectangle(&mut cloth);
        cut.center = DVec3::new(0.0013 * k, GAP_M * k, -0.0007 * k);
        (cut.u_axis, cut.v_axis) = (turn * DVec3::X, turn * DVec3::Z);
        cloth
    });
    let cloths: Vec<_> = cloths.collect();
    let mut all = spec(cloths[0].clone(), DVec3::ZERO, Vec::new());
    all.cloths = cloths;
    build(&all)
}

/// Lowest and highest corner, as rounded as the broad phase rounds them.
type Box3 = [Vec3; 2];

fn around(vertices: &[u32], from: &[DVec3], to: &[DVec3]) -> Box3 {
    let each = vertices.iter().map(|v| {
        let (p, q) = (from[*v as usize], to[*v as usize]);
        [p.min(q).as_vec3(), p.max(q).as_vec3()]
    });
    let join = |a: Box3, b: Box3| [a[0].min(b[0]), a[1].max(b[1])];
    each.reduce(join).unwrap()
}

fn overlap(a: &Box3, b: &Box3) -> bool {
    a[0].cmple(b[1]).all() && b[0].cmple(a[1]).all()
}

/// Every vertex with every face, and every edge with every other one.
fn looked_at_one_by_one(faces: &[[u32; 3]], from: &[DVec3], to: &[DVec3]) -> Vec<Pair> {
    let sides = |&[a, b, c]: &[u32; 3]| [[a, b], [b, c], [c, a]];
    let sides = faces.iter().flat_map(sides);
    let edges: BTreeSet<[u32; 2]> = sides.map(|[a, b]| [a.min(b), a.max(b)]).collect();
    let edges = Vec::from_iter(edges);
    let of_faces = faces.iter().map(|face| around(face, from, to));
    let of_faces: Vec<Box3> = of_faces.collect();
    let of_edges: Vec<Box3> = edges.iter().map(|edge| around(edge, from, to)).collect();
    let mut pairs = Vec::new();
    for vertex in 0..from.len() as u32 {
        let own = around(&[vertex], from, to);
        let others = faces.iter().zip(&of_faces);
        let met = others.filter(|(face, other)| overlap(&own, other) && !face.contains(&vertex));
        pairs.extend(met.map(|(&[a, b, c], _)| Pair {
            kind: Kind::PointTriangle,
            vertices: [vertex, a, b, c],
        }));
    }
    for (k, (&[a, b], own)) in edges.iter().zip(&of_edges).enumerate() {
        let others = edges[k + 1..].iter().zip(&of_edges[k + 1..]);
        let met = others.filter(|(edge, other)| {
            overlap(own, other) && !edge.contains(&a) && !edge.contains(&b)
        });
        pairs.extend(met.map(|(&[c, d], _)| Pair {
            kind: Kind::EdgeEdge,
            vertices: [a, b, c, d],
        }));
    }
    pairs.sort_unstable();
    pairs
}

#[test]
fn a_million_pairs_are_listed_one_and_all() {
    let model = falling();
    let surfaces = Surfaces::new(&model, false);
    let from = &model.start_positions;
    let velocities = State::start(&model).velocities;
    let ways = from.iter().zip(&velocities);
    let to: Vec<DVec3> = ways.map(|(x, v)| *x + STEP_S * *v).collect();
    let mut listing = Listing::new(&surfaces, from);
    listing.find(
        &surfaces,
        &Wanted {
            from,
            to: &to,
            pad_m: 0.0,
            flat: None,
            straight: false,
        },
    );
    let mut listed = std::mem::take(&mut listing.pairs);
    listed.sort_unstable();
    let expected = looked_at_one_by_one(&surfaces.faces, from, &to);
    assert!(expected.len() > MILLION, "{}", expected.len());
    assert_eq!(listed.len(), expected.len());
    assert!(listed == expected, "other pairs are listed");
}

#[test]
fn a_step_with_a_million_pairs_ends_clean() {
    let config = StepConfig {
        contact: Some(ClothContact::default()),
        ..StepConfig::default()
    };
    let mut simulation = Simulation::new(falling(), config);
    simulation.watch(Watch::Count);
    let report = simulation.step(STEP_S).unwrap();
    assert!(report.guarded.pairs > MILLION, "{}", report.guarded.pairs);
    assert!(report.guarded.caught > 0, "the guard has something to do");
    assert_eq!(report.crossings, Some(0));
    // Nothing was simply left where it was.
    let ways = (simulation.state().positions.iter()).zip(&simulation.model().start_positions);
    let farthest_m = ways
        .map(|(x, start)| x.distance(*start))
        .fold(0.0, f64::max);
    assert!(farthest_m > FALL_M, "{farthest_m}");
}
