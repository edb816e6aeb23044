//! Parts of a surface that are said to lie flat do not meet themselves.

use glam::{DVec2, DVec3};
use proptest::prelude::*;
use std::collections::HashSet;
use toile_geometry::broad::{Flatness, Lone, Method, Pairs, Sweep, Ways};
use toile_geometry::distance::{Kind, between};

const SIDE: usize = 13;

/// Faces of a square grid with alternating diagonals, and its corners in the pattern.
fn pattern() -> (Vec<[u32; 3]>, Vec<[DVec2; 3]>) {
    let vertex = |i: usize, j: usize| (i + SIDE * j) as u32;
    let mut faces = Vec::new();
    for j in 0..SIDE - 1 {
        for i in 0..SIDE - 1 {
            let [a, b, c, d] = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)];
            let [a, b, c, d] = [a, b, c, d].map(|(i, j)| vertex(i, j));
            if (i + j) % 2 == 0 {
                faces.extend([[a, b, c], [a, c, d]]);
            } else {
                faces.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    let place = |v: u32| DVec2::new((v as usize % SIDE) as f64, (v as usize / SIDE) as f64);
    let rest = faces.iter().map(|face| face.map(place)).collect();
    (faces, rest)
}

/// A sheet bent and rippled, each vertex off by its noise.
fn sheet(bend: f64, ripple: f64, noise: &[[f64; 3]]) -> Vec<DVec3> {
    (0..SIDE * SIDE)
        .map(|v| {
            let (x, y) = ((v % SIDE) as f64, (v / SIDE) as f64);
            let angle = bend * x;
            let curved = if bend.abs() < 1e-6 {
                DVec3::new(x, 0.0, y)
            } else {
                DVec3::new(angle.sin() / bend, (1.0 - angle.cos()) / bend, y)
            };
            curved + DVec3::Y * (ripple * (1.3 * y).sin()) + DVec3::from(noise[v])
        })
        .collect()
}

fn noise(most: f64) -> impl Strategy<Value = Vec<[f64; 3]>> {
    prop::collection::vec(prop::array::uniform3(-most..most), SIDE * SIDE)
}

/// Features of a mesh, as their vertices.
fn features(sweep: &Sweep, faces: &[[u32; 3]], pairs: &Pairs) -> Vec<(Kind, [u32; 4])> {
    let points = pairs.point_face.iter().map(|&[v, f]| {
        let [a, b, c] = faces[f as usize];
        (Kind::PointTriangle, [v, a, b, c])
    });
    let edges = sweep.edges();
    let lines = pairs.edge_edge.iter().map(|&[e, f]| {
        let ([a, b], [c, d]) = (edges[e as usize], edges[f as usize]);
        (Kind::EdgeEdge, [a, b, c, d])
    });
    points.chain(lines).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn what_lies_flat_keeps_its_distance(
        bends in prop::array::uniform2(-0.7_f64..0.7),
        ripples in prop::array::uniform2(-0.8_f64..0.8),
        smoothness in 0.0_f64..1.0,
        from in noise(0.2),
        to in noise(0.2),
        strays in noise(1.0),
    ) {
        let (faces, rest) = pattern();
        // Large parts lie flat in smooth sheets only.
        let rough = 1.0 - smoothness;
        let sheet = |k: usize, noise: &[[f64; 3]]| {
            let noise: Vec<_> = noise.iter().map(|n| n.map(|x| rough * x)).collect();
            sheet(rough * bends[k], rough * ripples[k], &noise)
        };
        let (start, end) = (sheet(0, &from), sheet(1, &to));
        let (distance_m, stray_m) = (0.1, 0.05);
        let mut sweep = Sweep::with_pattern(Method::Tree, start.len(), &faces, &rest);
        let (mut all, mut uneven) = (Pairs::default(), Pairs::default());
        sweep.update(&start, &end, 100.0);
        sweep.self_pairs(&mut all);
        sweep.uneven_pairs(&Ways { start: &start, end: &end, distance_m, stray_m }, &mut uneven);
        let all = features(&sweep, &faces, &all);
        let uneven: HashSet<_> = features(&sweep, &faces, &uneven).into_iter().collect();
        prop_assert!(uneven.len() <= all.len());
        let strayed: Vec<DVec3> = strays
            .iter()
            .map(|s| stray_m * DVec3::from(*s).normalize_or_zero())
            .collect();
        for (kind, vertices) in all.into_iter().filter(|pair| !uneven.contains(pair)) {
            for share in [0.0, 0.3, 0.5, 0.7, 1.0] {
                let x = vertices.map(|v| {
                    let v = v as usize;
                    start[v].lerp(end[v], share) + share * strayed[v]
                });
                let apart = between(&kind.closest(&x), &x).length();
                prop_assert!(apart >= distance_m * (1.0 - 1e-9), "{kind:?} {vertices:?} {apart}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Pairs listed for one motion have all pairs of another one where they say so.
    #[test]
    fn a_list_that_serves_another_motion_has_all_its_pairs(
        bends in prop::array::uniform2(-0.7_f64..0.7),
        ripples in prop::array::uniform2(-0.8_f64..0.8),
        from in noise(0.1),
        to in noise(0.1),
        change in -3.0_f64..0.0,
        changes in noise(1.0),
    ) {
        let (faces, rest) = pattern();
        let (start, end) = (sheet(bends[0], ripples[0], &from), sheet(bends[1], ripples[1], &to));
        let change = 10.0_f64.powf(change);
        let other: Vec<DVec3> = (end.iter().zip(&changes))
            .map(|(x, c)| *x + change * DVec3::from(*c))
            .collect();
        let ways = |end, stray_m| Ways { start: &start, end, distance_m: 0.1, stray_m };
        let mut sweep = Sweep::with_pattern(Method::Tree, start.len(), &faces, &rest);
        let (mut listed, mut wanted) = (Pairs::default(), Pairs::default());
        for update in [Sweep::update, Sweep::update_along] {
            update(&mut sweep, &start, &end, 0.2);
            sweep.uneven_pairs(&ways(&end, 0.05), &mut listed);
            let holds = sweep.holds(&start, &other, 0.1);
            let serves = sweep.stays_flat(&ways(&other, 0.0)) && holds;
            // Little changes are what the slack is for.
            if change < 0.005 {
                prop_assert!(serves);
            }
            update(&mut sweep, &start, &other, 0.1);
            sweep.uneven_pairs(&ways(&other, 0.0), &mut wanted);
            if serves {
                let listed: HashSet<_> = features(&sweep, &faces, &listed).into_iter().collect();
                for pair in features(&sweep, &faces, &wanted) {
                    prop_assert!(listed.contains(&pair), "{pair:?}");
                }
            }
        }
    }
}

/// Of a flat sheet at rest nearly all neighbours are known not to meet, and across a tight fold none.
#[test]
fn a_flat_sheet_is_flat_and_a_fold_is_not() {
    let (faces, rest) = pattern();
    let still = vec![[0.0; 3]; SIDE * SIDE];
    let flat = sheet(0.0, 0.0, &still);
    let folded: Vec<DVec3> = flat
        .iter()
        .map(|x| DVec3::new(6.0 - (x.x - 6.0).abs(), 0.1 * x.x, x.z))
        .collect();
    let mut flatness = Flatness::new(flat.len(), &faces, &rest);
    let mut shares = |x: &[DVec3]| {
        flatness.find(&Ways {
            start: x,
            end: x,
            distance_m: 0.1,
            stray_m: 0.05,
        });
        let mut sweep = Sweep::new(Method::Tree, x.len(), &faces);
        sweep.update(x, x, 0.05);
        let mut pairs = Pairs::default();
        sweep.self_pairs(&mut pairs);
        let known = |&&[v, f]: &&[u32; 2]| {
            let [a, b, c] = faces[f as usize];
            flatness.is_flat([v, a, b, c])
        };
        let across_fold = |&&[v, f]: &&[u32; 2]| {
            let side = |v: u32| flat[v as usize].x - 6.0;
            faces[f as usize].iter().any(|c| side(*c) * side(v) < 0.0)
        };
        let all = &pairs.point_face;
        let across: Vec<_> = all.iter().filter(across_fold).collect();
        (
            all.iter().filter(known).count() as f64 / all.len() as f64,
            across.len(),
            across.iter().filter(|pair| known(pair)).count(),
        )
    };
    let (share, ..) = shares(&flat);
    assert!(share > 0.9, "{share}");
    let (_, across_fold, known) = shares(&folded);
    assert!(across_fold > SIDE, "{across_fold}");
    assert_eq!(known, 0);
}

/// A rod through a flat sheet, one between its vertices, and a triangle without a pattern beside it: nothing is
/// known of them, so nothing is left out but what a sheet alone would leave out.
#[test]
fn what_has_no_pattern_is_not_taken_for_flat() {
    let (mut faces, rest) = pattern();
    let mut start = sheet(0.0, 0.0, &vec![[0.0; 3]; SIDE * SIDE]);
    let (of_sheet, first) = (faces.len(), start.len() as u32);
    start.extend([[4.2, -0.3, 4.1], [6.1, 0.3, 5.2]].map(DVec3::from));
    start.extend([[7.1, -0.2, 7.3], [7.6, 0.2, 7.2], [7.2, 0.2, 7.9]].map(DVec3::from));
    faces.push([first + 2, first + 3, first + 4]);
    let across = [30, 60];
    let lone = Lone {
        edges: &[[first, first + 1], across],
        points: &[],
    };
    let mut sweep =
        Sweep::with_lone(Method::Tree, start.len(), &faces, lone).knowing_pattern(&rest);
    sweep.update(&start, &start, 0.1);
    let ways = Ways {
        start: &start,
        end: &start,
        distance_m: 0.1,
        stray_m: 0.05,
    };
    let (mut all, mut uneven) = (Pairs::default(), Pairs::default());
    sweep.self_pairs(&mut all);
    sweep.uneven_pairs(&ways, &mut uneven);
    let edges = sweep.edges();
    let is_foreign = |edge: u32| {
        let edge = edges[edge as usize];
        edge == across || edge.iter().any(|v| *v >= first)
    };
    all.edge_edge
        .retain(|pair| pair.iter().any(|edge| is_foreign(*edge)));
    all.point_face
        .retain(|[v, f]| *v >= first || *f as usize >= of_sheet);
    assert!(all.edge_edge.len() > 20 && all.point_face.len() > 4);
    assert_eq!(
        (uneven.edge_edge, uneven.point_face),
        (all.edge_edge, all.point_face)
    );
}
