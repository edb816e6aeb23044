//! Whole meshes whose intersections are known.

use glam::{DVec2, DVec3};
use std::f64::consts::TAU;
use toile_geometry::Meeting::{Coplanar, Crossing, Duplicate, Touching};
use toile_geometry::predicates::{MAX_MAGNITUDE, MIN_MAGNITUDE};
use toile_geometry::triangle_pair::{Shared, Triangle};
use toile_geometry::{
    CheckError, FacePair, Findings, Kinds, Meeting, MeshError, PairCheckError, QuadGrid, TriMesh,
    intersections_between, self_intersections,
};

const GRID: QuadGrid = QuadGrid {
    columns: 12,
    rows: 9,
    size_m: DVec2::new(1.1, 0.8),
};

/// The grid, each particle placed by its pattern coordinates.
fn sheet(place: impl Fn(DVec2) -> DVec3) -> TriMesh {
    let positions = (0..GRID.len())
        .map(|i| {
            let (column, row) = GRID.cell_of(i);
            place(GRID.pattern(column, row))
        })
        .collect();
    TriMesh {
        positions,
        faces: GRID.faces(),
    }
}

fn flat(p: DVec2) -> DVec3 {
    DVec3::new(p.x, 0.0, p.y)
}

/// Rings of vertices between two poles.
fn sphere(center: DVec3, radius: f64) -> TriMesh {
    let (rings, sectors) = (15u32, 24u32);
    let mut positions = vec![center + radius * DVec3::Y];
    for ring in 1..=rings {
        let (sin, cos) = (0.5 * TAU * f64::from(ring) / f64::from(rings + 1)).sin_cos();
        for sector in 0..sectors {
            let around = TAU * f64::from(sector) / f64::from(sectors);
            let out = DVec3::new(sin * around.cos(), cos, sin * around.sin());
            positions.push(center + radius * out);
        }
    }
    positions.push(center - radius * DVec3::Y);
    let south = positions.len() as u32 - 1;
    let at = |ring: u32, sector: u32| 1 + ring * sectors + sector % sectors;
    let mut faces = Vec::new();
    for s in 0..sectors {
        faces.push([0, at(0, s + 1), at(0, s)]);
        faces.push([south, at(rings - 1, s), at(rings - 1, s + 1)]);
        for r in 0..rings - 1 {
            faces.push([at(r, s), at(r, s + 1), at(r + 1, s + 1)]);
            faces.push([at(r, s), at(r + 1, s + 1), at(r + 1, s)]);
        }
    }
    TriMesh { positions, faces }
}

fn merged(a: &TriMesh, b: &TriMesh) -> TriMesh {
    let offset = a.positions.len() as u32;
    let later = b.faces.iter().map(|f| f.map(|v| v + offset));
    TriMesh {
        positions: [a.positions.as_slice(), &b.positions].concat(),
        faces: a.faces.iter().copied().chain(later).collect(),
    }
}

fn check(mesh: &TriMesh) -> Findings {
    let findings = self_intersections(mesh, usize::MAX).expect("a sound mesh");
    let kinds = Kinds {
        crossing: count(&findings, Crossing),
        touching: count(&findings, Touching),
        coplanar: count(&findings, Coplanar),
        duplicate: count(&findings, Duplicate),
    };
    assert_eq!(findings.kinds, kinds);
    findings
}

/// Every pair of faces, without a tree.
fn every_pair(mesh: &TriMesh) -> Vec<FacePair> {
    let triangle = |f: usize| Triangle::new(mesh.faces[f].map(|v| mesh.positions[v as usize]));
    let mut pairs = Vec::new();
    for a in 0..mesh.faces.len() {
        for b in a + 1..mesh.faces.len() {
            let shared = Shared::of(mesh.faces[a], mesh.faces[b]);
            if let Some(kind) = triangle(a).meets(&triangle(b), shared) {
                let (a, b) = (a as u32, b as u32);
                pairs.push(FacePair { a, b, kind });
            }
        }
    }
    pairs
}

fn count(findings: &Findings, kind: Meeting) -> usize {
    findings.pairs.iter().filter(|p| p.kind == kind).count()
}

#[test]
fn clean_meshes_are_clean() {
    let wavy = |p: DVec2| flat(p) + 0.05 * (9.0 * p.x).sin() * DVec3::Y;
    // A roll of two turns that never meets itself.
    let rolled = |p: DVec2| {
        let (sin, cos) = (2.0 * TAU * p.x / 1.1).sin_cos();
        DVec3::new((0.1 + 0.1 * p.x) * cos, (0.1 + 0.1 * p.x) * sin, p.y)
    };
    for mesh in [
        sheet(flat),
        sheet(wavy),
        sheet(rolled),
        sphere(DVec3::ONE, 0.3),
    ] {
        let findings = check(&mesh);
        assert!(findings.is_clean(), "{:?}", &findings.pairs);
        assert_eq!(findings.degenerate_faces, 0);
        assert!(findings.tested > 2 * mesh.faces.len());
    }
}

#[test]
fn a_fold_through_itself_is_found() {
    // The far half is folded back and slants down through the near half.
    let folded = sheet(|p| {
        let x = if p.x > 0.55 { 1.1 - p.x } else { p.x };
        let y = if p.x > 0.55 { 0.6 * (x - 0.24) } else { 0.0 };
        DVec3::new(x, y, p.y)
    });
    let findings = check(&folded);
    assert_eq!(findings.pairs, every_pair(&folded));
    // The halves cross along a line through all 8 rows of cells.
    assert!(count(&findings, Crossing) >= 8);
    assert_eq!(count(&findings, Coplanar), 0);
}

#[test]
fn a_sheet_folded_flat_onto_itself_touches_everywhere() {
    // Creased along column 5; the upper half rises from the crease with the given slope.
    let creased = |slope: f64| {
        sheet(|p| {
            let from_crease = 0.125 * ((10.0 * p.x).round() - 5.0);
            DVec3::new(from_crease.abs(), slope * from_crease.max(0.0), p.y)
        })
    };
    let shut = creased(0.0);
    let findings = check(&shut);
    assert_eq!(findings.pairs, every_pair(&shut));
    assert_eq!(count(&findings, Coplanar), findings.count);
    // Each of the 5 × 8 cells before the crease has two faces, and meets two or more beyond it.
    assert!(findings.count > 5 * 8 * 2 * 2);
    assert!(check(&creased(MIN_MAGNITUDE)).is_clean());
    // Pressed through, the halves still meet nowhere but at the crease.
    assert!(check(&creased(-MIN_MAGNITUDE)).is_clean());
}

#[test]
fn spheres_that_overlap_cross_and_their_insides_do_not() {
    let (a, b) = (
        sphere(DVec3::ZERO, 1.0),
        sphere(DVec3::new(0.9, 0.2, 0.1), 0.8),
    );
    let between = intersections_between(&a, &b, usize::MAX).expect("sound");
    assert!(between.count > 40);
    // As one mesh, the same pairs and no others.
    let offset = a.faces.len() as u32;
    let together = check(&merged(&a, &b));
    let as_between: Vec<FacePair> = (together.pairs.iter())
        .map(|p| FacePair {
            b: p.b - offset,
            ..*p
        })
        .collect();
    assert_eq!(as_between, between.pairs);
    assert_eq!(count(&between, Crossing), between.count);
    // One inside the other: nothing passes through anything.
    let inner = sphere(DVec3::new(0.1, 0.0, 0.0), 0.5);
    assert!(
        intersections_between(&a, &inner, 9)
            .expect("sound")
            .is_clean()
    );
}

#[test]
fn one_vertex_through_its_neighbour_is_found() {
    // A tent whose pole stands on particle (7, 4), its wall rising from column 6 to column 7.
    let mut mesh = sheet(flat);
    mesh.positions[GRID.index(7, 4)].y = 0.1;
    let moved = GRID.index(5, 4);
    // Particle (5, 4) is pulled over to where the wall is 0.06 high: above it nothing meets.
    mesh.positions[moved] = flat(DVec2::new(0.66, 0.4)) + 0.07 * DVec3::Y;
    assert!(check(&mesh).is_clean());
    mesh.positions[moved].y = 0.02;
    let findings = check(&mesh);
    assert_eq!(findings.pairs, every_pair(&mesh));
    assert!(count(&findings, Crossing) > 0);
    let of_moved = |f: u32| mesh.faces[f as usize].contains(&(moved as u32));
    let one_of_moved = |p: &FacePair| of_moved(p.a) != of_moved(p.b);
    assert!(findings.pairs.iter().all(one_of_moved));
}

#[test]
fn duplicates_degenerates_and_copies_are_told_apart() {
    let mut mesh = sheet(flat);
    mesh.faces.push(mesh.faces[7]);
    let findings = check(&mesh);
    let last = mesh.faces.len() as u32 - 1;
    assert!(findings.pairs.contains(&FacePair {
        a: 7,
        b: last,
        kind: Duplicate
    }));

    // Three corners in a row along the grid's border make a face without area.
    mesh.faces[last as usize] = [0, 1, 2];
    let findings = check(&mesh);
    assert_eq!(findings.degenerate_faces, 1);
    assert_eq!(findings.pairs, every_pair(&mesh));
    assert!(findings.pairs.iter().all(|p| p.b == last));

    // Two sheets that meet along a seam that was never sewn: different vertices, same places.
    let next = sheet(|p| flat(p) + 1.1 * DVec3::X + p.x * DVec3::Y);
    let mut torn = merged(&sheet(flat), &next);
    let seam = |column: usize, row: usize| GRID.index(column, row);
    for row in 0..GRID.rows {
        torn.positions[GRID.len() + seam(0, row)] = torn.positions[seam(GRID.columns - 1, row)];
    }
    let findings = check(&torn);
    assert_eq!(count(&findings, Touching), findings.count);
    assert!(findings.count >= 2 * (GRID.rows - 1));
}

#[test]
fn few_pairs_are_kept_but_all_are_counted_for_any_number_of_threads() {
    let tangle = merged(&sheet(flat), &sheet(flat));
    let all = check(&tangle);
    assert!(all.count > 1000);
    assert!(all.pairs.is_sorted());
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("threads");
        for keep in [0, 1, 100] {
            let some = pool
                .install(|| self_intersections(&tangle, keep))
                .expect("sound");
            assert_eq!(some.count, all.count);
            assert_eq!(some.tested, all.tested);
            assert_eq!(some.pairs, all.pairs[..keep]);
        }
    }
}

#[test]
fn scale_does_not_matter_until_the_span_is_too_large() {
    let tangle = |scale: f64, extra: f64| TriMesh {
        positions: [
            DVec3::ZERO,
            DVec3::X,
            DVec3::Y,
            DVec3::new(0.25, 0.25, -1.0),
            DVec3::new(0.25, 0.25, 1.0),
            DVec3::new(0.3, 0.25, extra / scale),
        ]
        .map(|p| p * scale)
        .to_vec(),
        faces: vec![[0, 1, 2], [3, 4, 5]],
    };
    for scale in [1.0, 2f64.powi(-1000), 2f64.powi(1000)] {
        let findings = check(&tangle(scale, 0.0));
        assert_eq!(findings.pairs.len(), 1);
        assert_eq!(findings.pairs[0].kind, Crossing);
    }
    let narrow = MIN_MAGNITUDE / MAX_MAGNITUDE * 2.0;
    assert_eq!(check(&tangle(1.0, narrow)).count, 1);
    assert_eq!(
        self_intersections(&tangle(1.0, 0.1 * narrow), 1),
        Err(CheckError::Span {
            vertex: 5,
            value: 0.1 * narrow,
            largest: 1.0
        })
    );
}

#[test]
fn broken_meshes_are_refused() {
    let sound = sheet(flat);
    let mut broken = sound.clone();
    broken.positions[3].x = f64::NAN;
    let reason = CheckError::Mesh(MeshError::NotFinite { vertex: 3 });
    assert_eq!(self_intersections(&broken, 1), Err(reason.clone()));
    assert_eq!(
        intersections_between(&sound, &broken, 1),
        Err(PairCheckError::Second(reason.clone()))
    );
    assert_eq!(
        intersections_between(&broken, &sound, 1),
        Err(PairCheckError::First(reason))
    );
    assert!(check(&TriMesh::default()).is_clean());
}
