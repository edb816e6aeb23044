//! The broad phase against every pair looked at.

use glam::{DVec3, Vec3};
use proptest::prelude::*;
use std::collections::BTreeSet;
use toile_geometry::broad::{CrossPairs, Lone, Method, Pairs, Sweep};

const METHODS: [Method; 2] = [Method::Tree, Method::Grid];

/// A mesh in motion.
#[derive(Clone, Debug, Default)]
struct Moving {
    start: Vec<DVec3>,
    end: Vec<DVec3>,
    faces: Vec<[u32; 3]>,
    lone_edges: Vec<[u32; 2]>,
    lone_points: Vec<u32>,
}

/// Lowest and highest corner, as rounded as the broad phase rounds them.
type Box3 = [Vec3; 2];

impl Moving {
    fn edges(&self) -> Vec<[u32; 2]> {
        let sides = |&[a, b, c]: &[u32; 3]| [[a, b], [b, c], [c, a]];
        let sides = self
            .faces
            .iter()
            .flat_map(sides)
            .chain(self.lone_edges.clone());
        let edges: BTreeSet<_> = sides.map(|[a, b]| [a.min(b), a.max(b)]).collect();
        edges.into_iter().collect()
    }

    fn bounds(&self, vertices: &[u32], pad: f64) -> Box3 {
        let around = |v: &u32| {
            let (p, q) = (self.start[*v as usize], self.end[*v as usize]);
            [(p.min(q) - pad).as_vec3(), (p.max(q) + pad).as_vec3()]
        };
        let join = |a: Box3, b: Box3| [a[0].min(b[0]), a[1].max(b[1])];
        vertices.iter().map(around).reduce(join).unwrap()
    }

    fn used(&self) -> BTreeSet<u32> {
        let corners = self.faces.iter().flatten();
        let lone = self.lone_edges.iter().flatten().chain(&self.lone_points);
        corners.chain(lone).copied().collect()
    }

    fn sweep(&self, method: Method, pad: f64) -> Sweep {
        let lone = Lone {
            edges: &self.lone_edges,
            points: &self.lone_points,
        };
        let mut sweep = Sweep::with_lone(method, self.start.len(), &self.faces, lone);
        assert_eq!(sweep.edges(), self.edges());
        // Built for other boxes than it is asked about.
        sweep.update(&self.end, &self.end, 0.0);
        sweep.update(&self.start, &self.end, pad);
        sweep
    }
}

fn overlap(a: Box3, b: Box3) -> bool {
    a[0].cmple(b[1]).all() && b[0].cmple(a[1]).all()
}

fn brute_self(mesh: &Moving, pad: f64) -> Pairs {
    let edges = mesh.edges();
    let mut pairs = Pairs::default();
    for v in mesh.used() {
        for (f, face) in mesh.faces.iter().enumerate() {
            let near = overlap(mesh.bounds(&[v], pad), mesh.bounds(face, pad));
            if near && !face.contains(&v) {
                pairs.point_face.push([v, f as u32]);
            }
        }
    }
    for (d, first) in edges.iter().enumerate() {
        for (e, second) in edges.iter().enumerate().skip(d + 1) {
            let near = overlap(mesh.bounds(first, pad), mesh.bounds(second, pad));
            if near && !second.iter().any(|v| first.contains(v)) {
                pairs.edge_edge.push([d as u32, e as u32]);
            }
        }
    }
    pairs
}

fn brute_cross(mesh: &Moving, other: &Moving, pads: [f64; 2]) -> CrossPairs {
    let mut pairs = CrossPairs::default();
    let near = |a: &[u32], b: &[u32]| overlap(mesh.bounds(a, pads[0]), other.bounds(b, pads[1]));
    for v in mesh.used() {
        let met = (0..other.faces.len()).filter(|g| near(&[v], &other.faces[*g]));
        pairs.point_face.extend(met.map(|g| [v, g as u32]));
    }
    for (f, face) in mesh.faces.iter().enumerate() {
        let met = other.used().into_iter().filter(|v| near(face, &[*v]));
        pairs.face_point.extend(met.map(|v| [f as u32, v]));
    }
    let others = other.edges();
    for (d, edge) in mesh.edges().iter().enumerate() {
        let met = (0..others.len()).filter(|e| near(edge, &others[*e]));
        pairs.edge_edge.extend(met.map(|e| [d as u32, e as u32]));
    }
    pairs
}

/// Triangles between random vertices, in a room that is more or less crowded, with edges and points that may
/// be of no triangle.
fn moving() -> impl Strategy<Value = Moving> {
    let point = || prop::array::uniform3(-1.0..1.0_f64).prop_map(DVec3::from_array);
    (3..40_usize).prop_flat_map(move |n| {
        let corner = || 0..n as u32;
        let face = [corner(), corner(), corner()]
            .prop_filter("three corners", |[a, b, c]| a != b && b != c && c != a);
        let positions = prop::collection::vec((point(), point()), n);
        let faces = prop::collection::vec(face, 0..60);
        let edge = [corner(), corner()].prop_filter("two ends", |[a, b]| a != b);
        let lone_edges = prop::collection::vec(edge, 0..9);
        let lone_points = prop::collection::vec(corner(), 0..5);
        let lone = (lone_edges, lone_points);
        (positions, faces, lone, 0.01..1.0_f64, 0.0..1.0_f64).prop_map(
            |(positions, faces, (lone_edges, lone_points), size, motion)| {
                let faces: BTreeSet<[u32; 3]> = faces.into_iter().collect();
                Moving {
                    start: positions.iter().map(|(p, _)| *p).collect(),
                    // Vertices near each other at the end, anywhere at the start, or little moved.
                    end: (positions.iter())
                        .map(|(p, q)| p.lerp(*q * size, motion))
                        .collect(),
                    faces: faces.into_iter().collect(),
                    lone_edges,
                    lone_points,
                }
            },
        )
    })
}

/// A sheet with folds, as positions of one moment.
fn sheet(n: usize, folds: f64, height: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let vertex = |i: usize| {
        let (u, v) = ((i % n) as f64 / n as f64, (i / n) as f64 / n as f64);
        DVec3::new(
            u + 0.1 * (folds * v).sin(),
            height + 0.05 * (folds * u).cos(),
            v,
        )
    };
    let mut faces = Vec::new();
    for row in 0..n as u32 - 1 {
        for column in 0..n as u32 - 1 {
            let a = row * n as u32 + column;
            let (b, c, d) = (a + 1, a + n as u32, a + n as u32 + 1);
            faces.extend([[a, b, d], [a, d, c]]);
        }
    }
    ((0..n * n).map(vertex).collect(), faces)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn both_methods_list_what_brute_force_lists(mesh in moving(), pad in 0.0..0.05_f64) {
        let expected = brute_self(&mesh, pad);
        for method in METHODS {
            let mut pairs = Pairs::default();
            let mut sweep = mesh.sweep(method, pad);
            sweep.self_pairs(&mut pairs);
            prop_assert_eq!(&pairs, &expected, "{:?}", method);
            sweep.rebuild();
            sweep.self_pairs(&mut pairs);
            prop_assert_eq!(&pairs, &expected, "{:?}, rebuilt", method);
        }
    }

    #[test]
    fn both_methods_list_what_brute_force_lists_between_meshes(
        mesh in moving(), other in moving(), pad in 0.0..0.05_f64, scale in 0.001..1.0_f64
    ) {
        // Meshes of very different size, so that faces span many cells of the grid.
        let shrink = |points: &mut Vec<DVec3>| points.iter_mut().for_each(|p| *p *= scale);
        let mut other = other;
        shrink(&mut other.start);
        shrink(&mut other.end);
        let expected = brute_cross(&mesh, &other, [pad, 0.0]);
        for (first, second) in [
            (Method::Tree, Method::Tree),
            (Method::Grid, Method::Grid),
            (Method::Tree, Method::Grid),
        ] {
            let mut pairs = CrossPairs::default();
            let mut sweep = mesh.sweep(first, pad);
            sweep.pairs_with(&other.sweep(second, 0.0), &mut pairs);
            prop_assert_eq!(&pairs, &expected, "{:?} {:?}", first, second);
        }
    }
}

/// A mesh that stands still where this one is at a part of its way.
fn at(mesh: &Moving, share: f64) -> Moving {
    let ways = mesh.start.iter().zip(&mesh.end);
    let there: Vec<DVec3> = ways.map(|(a, b)| a.lerp(*b, share)).collect();
    Moving {
        start: there.clone(),
        end: there,
        ..mesh.clone()
    }
}

/// The same with a motion that all of it has in common.
fn carried(mut mesh: Moving, way: DVec3) -> Moving {
    mesh.end.iter_mut().for_each(|x| *x += way);
    mesh
}

fn missing(wanted: &[[u32; 2]], listed: &[[u32; 2]]) -> Vec<[u32; 2]> {
    let listed: BTreeSet<_> = listed.iter().collect();
    let is_missing = |pair: &&[u32; 2]| !listed.contains(pair);
    wanted.iter().filter(is_missing).copied().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Boxes that go along meet wherever they do so at the same time.
    #[test]
    fn boxes_that_go_along_list_all_that_come_near(
        mesh in moving(), way in prop::array::uniform3(-30.0..30.0_f64), pad in 0.0..0.05_f64
    ) {
        let mesh = carried(mesh, DVec3::from(way));
        let mut pairs = Pairs::default();
        let mut sweep = mesh.sweep(Method::Tree, 0.0);
        sweep.update_along(&mesh.start, &mesh.end, pad);
        prop_assert!(sweep.goes_along());
        sweep.self_pairs(&mut pairs);
        for share in 0..=8 {
            let there = brute_self(&at(&mesh, f64::from(share) / 8.0), pad);
            prop_assert_eq!(missing(&there.point_face, &pairs.point_face), Vec::<[u32; 2]>::new());
            prop_assert_eq!(missing(&there.edge_edge, &pairs.edge_edge), Vec::<[u32; 2]>::new());
        }
        // And boxes that stay are as they were.
        sweep.update(&mesh.start, &mesh.end, pad);
        prop_assert!(!sweep.goes_along());
        sweep.self_pairs(&mut pairs);
        prop_assert_eq!(pairs, brute_self(&mesh, pad));
    }

    /// The same between meshes that go along, or of which one stays; and with one by grid.
    #[test]
    fn boxes_that_go_along_meet_those_of_another_mesh(
        mesh in moving(), other in moving(), way in prop::array::uniform3(-3.0..3.0_f64), pad in 0.0..0.05_f64
    ) {
        let mesh = carried(mesh, DVec3::from(way));
        let mut sweep = mesh.sweep(Method::Tree, 0.0);
        sweep.update_along(&mesh.start, &mesh.end, pad);
        let mut pairs = CrossPairs::default();
        for (method, along) in [(Method::Tree, true), (Method::Tree, false), (Method::Grid, false)] {
            let mut second = other.sweep(method, 0.0);
            if along {
                second.update_along(&other.start, &other.end, 0.0);
            }
            sweep.pairs_with(&second, &mut pairs);
            for share in 0..=8 {
                let share = f64::from(share) / 8.0;
                let there = brute_cross(&at(&mesh, share), &at(&other, share), [pad, 0.0]);
                prop_assert_eq!(missing(&there.point_face, &pairs.point_face), Vec::<[u32; 2]>::new());
                prop_assert_eq!(missing(&there.face_point, &pairs.face_point), Vec::<[u32; 2]>::new());
                prop_assert_eq!(missing(&there.edge_edge, &pairs.edge_edge), Vec::<[u32; 2]>::new());
            }
        }
    }
}

/// However far a sheet moves as a whole, its own pairs are those it has at rest.
#[test]
fn what_moves_together_is_not_listed_for_its_way() {
    let (start, faces) = sheet(40, 9.0, 0.0);
    let mesh = carried(
        Moving {
            end: start.clone(),
            start,
            faces,
            ..Moving::default()
        },
        DVec3::new(1.0, -3.0, 0.5),
    );
    let mut pairs = Pairs::default();
    let mut sweep = mesh.sweep(Method::Tree, 0.0);
    sweep.update_along(&mesh.start, &mesh.end, 0.002);
    sweep.self_pairs(&mut pairs);
    let [least, most] = [0.002, 0.002_01].map(|pad| brute_self(&at(&mesh, 0.0), pad));
    assert!(missing(&least.point_face, &pairs.point_face).is_empty());
    assert!(missing(&least.edge_edge, &pairs.edge_edge).is_empty());
    assert!(missing(&pairs.point_face, &most.point_face).is_empty());
    assert!(missing(&pairs.edge_edge, &most.edge_edge).is_empty());
    let swept = brute_self(&mesh, 0.002);
    assert!(swept.edge_edge.len() > 10 * most.edge_edge.len());
}

#[test]
fn a_folded_sheet_has_the_same_pairs_for_any_method_and_thread_count() {
    let (start, faces) = sheet(40, 9.0, 0.0);
    let end = sheet(40, 9.6, -0.02).0;
    let mesh = Moving {
        start,
        end,
        faces,
        ..Moving::default()
    };
    let expected = brute_self(&mesh, 0.002);
    assert!(expected.point_face.len() > 3_000 && expected.edge_edge.len() > 10_000);
    for method in METHODS {
        for threads in 1..4 {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let mut pairs = Pairs::default();
            let mut sweep = mesh.sweep(method, 0.002);
            (pool.build().unwrap()).install(|| sweep.self_pairs(&mut pairs));
            assert!(pairs == expected, "{method:?}, {threads} threads");
        }
    }
}

#[test]
fn a_huge_face_meets_small_ones() {
    let (start, faces) = sheet(20, 3.0, 0.0);
    let cloth = Moving {
        end: start.clone(),
        start,
        faces,
        ..Moving::default()
    };
    let floor: Vec<DVec3> = [[-1e3, 0.0, -1e3], [1e3, 0.0, -1e3], [0.0, 0.0, 1e3]]
        .map(DVec3::from_array)
        .to_vec();
    let floor = Moving {
        start: floor.clone(),
        end: floor,
        faces: vec![[0, 1, 2]],
        ..Moving::default()
    };
    let expected = brute_cross(&cloth, &floor, [0.01, 0.01]);
    assert!(expected.point_face.len() > 50);
    for method in METHODS {
        let mut pairs = CrossPairs::default();
        cloth
            .sweep(method, 0.01)
            .pairs_with(&floor.sweep(method, 0.01), &mut pairs);
        assert!(pairs == expected, "{method:?}");
    }
}

#[test]
fn one_sweep_meets_large_and_small_meshes_in_turn() {
    let moving = |(start, faces): (Vec<DVec3>, Vec<[u32; 3]>), fall: f64| Moving {
        end: start.iter().map(|p| *p - fall * DVec3::Y).collect(),
        start,
        faces,
        ..Moving::default()
    };
    let cloth = moving(sheet(24, 5.0, 0.05), 0.1);
    let others = [
        moving(sheet(30, 7.0, 0.0), 0.0),
        moving(sheet(4, 2.0, 0.0), 0.02),
        moving((Vec::new(), Vec::new()), 0.0),
        moving(sheet(16, 3.0, 9.0), 0.0),
        moving(sheet(17, 3.0, 0.0), 0.0),
    ];
    for method in METHODS {
        let mut pairs = CrossPairs::default();
        let mut sweep = cloth.sweep(method, 0.001);
        let mut counts = Vec::new();
        for other in &others {
            sweep.pairs_with(&other.sweep(method, 0.001), &mut pairs);
            let expected = brute_cross(&cloth, other, [0.001, 0.001]);
            assert!(pairs == expected, "{method:?}, {} faces", other.faces.len());
            counts.push(pairs.edge_edge.len());
        }
        assert!(counts[0] > 1000 && counts[1] > 100 && counts[4] > 500);
        assert_eq!(counts[2..4], [0, 0]);
    }
}

#[test]
fn an_empty_mesh_has_no_pairs() {
    for method in METHODS {
        let mut sweep = Sweep::new(method, 0, &[]);
        sweep.update(&[], &[], 0.1);
        let mut pairs = Pairs::default();
        sweep.self_pairs(&mut pairs);
        assert_eq!(pairs, Pairs::default());
    }
}
