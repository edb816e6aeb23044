//! Parts of a surface that are said to lie flat do not meet themselves.

use glam::{DVec2, DVec3};
use proptest::prelude::*;
use toile_geometry::broad::{Flatness, Method, Pairs, Sweep, Ways};
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

/// All pairs of features without a common vertex.
fn all_pairs(faces: &[[u32; 3]], start: &[DVec3]) -> Vec<(Kind, [u32; 4])> {
    let mut sweep = Sweep::new(Method::Tree, start.len(), faces);
    sweep.update(start, start, 100.0);
    let mut pairs = Pairs::default();
    sweep.self_pairs(&mut pairs);
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
        from in noise(0.2),
        to in noise(0.2),
        strays in noise(1.0),
    ) {
        let (faces, rest) = pattern();
        let start = sheet(bends[0], ripples[0], &from);
        let end = sheet(bends[1], ripples[1], &to);
        let (distance_m, stray_m) = (0.1, 0.05);
        let mut flatness = Flatness::new(start.len(), &faces, &rest);
        flatness.find(&Ways { start: &start, end: &end, distance_m, stray_m });
        let strayed: Vec<DVec3> = strays
            .iter()
            .map(|s| stray_m * DVec3::from(*s).normalize_or_zero())
            .collect();
        for (kind, vertices) in all_pairs(&faces, &start) {
            let is_flat = flatness.part_of(vertices).is_some_and(|part| flatness.is_flat(part));
            if !is_flat {
                continue;
            }
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

/// Of a flat sheet at rest nearly all neighbours are known not to meet, and of a tight fold none.
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
            let part = flatness.part_of([v, a, b, c]);
            part.is_some_and(|part| flatness.is_flat(part))
        };
        let at_fold = |&&[v, _]: &&[u32; 2]| (flat[v as usize].x - 6.0).abs() < 0.5;
        let all = &pairs.point_face;
        let near: Vec<_> = all.iter().filter(at_fold).collect();
        (
            all.iter().filter(known).count() as f64 / all.len() as f64,
            near.iter().filter(|pair| known(pair)).count(),
        )
    };
    let (share, _) = shares(&flat);
    assert!(share > 0.9, "{share}");
    let (_, at_fold) = shares(&folded);
    assert_eq!(at_fold, 0);
}
