//! The guard: whatever the motion asked for, nothing has passed through anything at its end.

use glam::{DVec2, DVec3};
use proptest::prelude::*;
use std::sync::Arc;
use toile_geometry::{QuadGrid, TriMesh, self_intersections};
use toile_sim::contact::guard::zones::Motion;
use toile_sim::contact::{Guard, Listing, Movable, Surfaces};
use toile_sim::model::CollisionMesh;

const SIDE: usize = 6;
const EDGE_M: f64 = 0.02;

/// Two sheets, one a little above the other.
fn sheets() -> (Surfaces, Vec<DVec3>) {
    let grid = QuadGrid {
        columns: SIDE,
        rows: SIDE,
        size_m: DVec2::splat(EDGE_M * (SIDE as f64 - 1.0)),
    };
    let below = grid.positions(DVec3::ZERO, DVec3::X, -DVec3::Z);
    let above = grid.positions(DVec3::new(0.003, 0.004, 0.007), DVec3::X, -DVec3::Z);
    let first = below.len() as u32;
    let faces = grid.faces();
    let lifted = faces.iter().map(|face| face.map(|vertex| vertex + first));
    let positions: Vec<DVec3> = below.into_iter().chain(above).collect();
    let mesh = CollisionMesh {
        faces: faces.iter().copied().chain(lifted).collect(),
        thickness_m: vec![1e-3; positions.len()],
        ..CollisionMesh::default()
    };
    let surfaces = Surfaces {
        mesh: Arc::new(mesh),
        shortest_edge_m: EDGE_M,
        ..Surfaces::default()
    };
    (surfaces, positions)
}

fn crossings(surfaces: &Surfaces, positions: &[DVec3]) -> usize {
    let mesh = TriMesh {
        positions: positions.to_vec(),
        faces: surfaces.faces.clone(),
    };
    self_intersections(&mesh, 0).unwrap().count
}

fn motion() -> impl Strategy<Value = Vec<DVec3>> {
    let number = -1.0..1.0;
    let vector = (number.clone(), number.clone(), number)
        .prop_map(|(x, y, z): (f64, f64, f64)| DVec3::new(x, y, z));
    prop::collection::vec(vector, 2 * SIDE * SIDE)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Noise and a blow that would take one sheet through the other, several times over.
    #[test]
    fn nothing_passes_through_whatever_is_asked_for(
        noise in motion(),
        size in 0.1..2.0_f64,
        blow in -3.0..0.0_f64,
        pinned in any::<bool>(),
    ) {
        let (surfaces, mut from) = sheets();
        let mut inverse_masses = vec![1.0; from.len()];
        if pinned {
            inverse_masses[..SIDE * SIDE].fill(0.0);
        }
        let supports = vec![DVec3::ZERO; from.len()];
        let movable = Movable { inverse_masses: inverse_masses.clone(), supports: supports.clone() };
        let (mut guard, mut listing) = (Guard::default(), Listing::new(&surfaces, &from));
        for _ in 0..3 {
            let mut to = from.clone();
            for (i, to) in to.iter_mut().enumerate() {
                if inverse_masses[i] > 0.0 {
                    *to += size * EDGE_M * noise[i];
                }
                if i >= SIDE * SIDE {
                    to.y += blow * EDGE_M;
                }
            }
            let asked = to.clone();
            let guarded = guard
                .keep_apart(&surfaces, &mut listing, &movable, &from, &mut to)
                .unwrap();
            prop_assert_eq!(crossings(&surfaces, &to), 0);
            // As files hold it, too.
            let written: Vec<DVec3> = to.iter().map(|x| x.as_vec3().as_dvec3()).collect();
            prop_assert_eq!(crossings(&surfaces, &written), 0);
            prop_assert!(to.iter().all(|x| x.is_finite()));
            let changed = to.iter().zip(&asked).filter(|(to, asked)| to != asked).count();
            prop_assert_eq!(changed, guarded.touched);
            if pinned {
                prop_assert_eq!(&to[..SIDE * SIDE], &from[..SIDE * SIDE]);
            }
            from = to;
        }
    }
}

#[test]
fn motion_in_common_is_left_alone() {
    let (surfaces, from) = sheets();
    let mut to: Vec<DVec3> = from
        .iter()
        .map(|x| *x + DVec3::new(0.1, -0.3, 0.2))
        .collect();
    let asked = to.clone();
    let movable = Movable {
        inverse_masses: vec![1.0; from.len()],
        supports: vec![DVec3::ZERO; from.len()],
    };
    let mut listing = Listing::new(&surfaces, &from);
    let guarded = Guard::default()
        .keep_apart(&surfaces, &mut listing, &movable, &from, &mut to)
        .unwrap();
    assert_eq!(guarded.caught, 0);
    assert_eq!(to, asked);
}

#[test]
fn what_is_prescribed_to_cross_is_refused() {
    let (surfaces, from) = sheets();
    let mut to = from.clone();
    for x in &mut to[SIDE * SIDE..] {
        x.y -= 0.5 * EDGE_M;
    }
    let movable = Movable {
        inverse_masses: vec![0.0; from.len()],
        supports: vec![DVec3::ZERO; from.len()],
    };
    let mut listing = Listing::new(&surfaces, &from);
    let refused = Guard::default().keep_apart(&surfaces, &mut listing, &movable, &from, &mut to);
    assert!(refused.is_err());
}

/// A zone goes on with the momentum and the turning that its vertices had, and keeps its shape.
#[test]
fn a_zone_moves_as_one_body_and_keeps_its_momentum() {
    let (_, from) = sheets();
    let masses: Vec<f64> = (0..from.len())
        .map(|i| 1.0 + 0.3 * (i % 5) as f64)
        .collect();
    let movable = Movable {
        inverse_masses: masses.iter().map(|m| m.recip()).collect(),
        supports: vec![DVec3::ZERO; from.len()],
    };
    let small = |i: usize, k: f64| 1e-5 * (k * i as f64).sin();
    let to: Vec<DVec3> = (0..from.len())
        .map(|i| from[i] + DVec3::new(small(i, 1.3), small(i, 2.1), 1e-5 + small(i, 0.7)))
        .collect();
    let zone: Vec<u32> = (10..20).chain(40..50).collect();
    let motion = Motion::of(&zone, &movable, &from, &to);
    let ends: Vec<DVec3> = zone.iter().map(|v| motion.end(from[*v as usize])).collect();
    let (mut momentum, mut turning) = ([DVec3::ZERO; 2], [DVec3::ZERO; 2]);
    for (&vertex, &end) in zone.iter().zip(&ends) {
        let i = vertex as usize;
        for (k, end) in [to[i], end].into_iter().enumerate() {
            momentum[k] += masses[i] * (end - from[i]);
            turning[k] += masses[i] * from[i].cross(end - from[i]);
        }
        for (&other, &other_end) in zone.iter().zip(&ends) {
            let before = from[i].distance(from[other as usize]);
            assert!((end.distance(other_end) - before).abs() < 1e-15);
        }
    }
    // Displacements are differences of positions, and round as these do.
    let moment: f64 = zone
        .iter()
        .map(|v| masses[*v as usize] * from[*v as usize].length())
        .sum();
    assert!((momentum[0] - momentum[1]).length() < 4.0 * f64::EPSILON * moment);
    // To the second order of a turn of 10⁻⁴.
    assert!((turning[0] - turning[1]).length() < 1e-3 * turning[0].length());
}
