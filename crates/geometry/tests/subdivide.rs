//! Loop's subdivision: against its own limits, closed forms and what it must leave alone.

use glam::{DVec2, DVec3};
use std::f64::consts::TAU;
use toile_geometry::{Pieces, QuadGrid, Subdivision, TriMesh};

fn grid(columns: usize, rows: usize) -> (QuadGrid, Vec<DVec3>) {
    let size_m = DVec2::new((columns - 1) as f64, (rows - 1) as f64);
    let grid = QuadGrid {
        columns,
        rows,
        size_m,
    };
    let at = |i: usize| {
        let (column, row) = grid.cell_of(i);
        grid.pattern(column, row).extend(0.0)
    };
    let places = (0..grid.len()).map(at).collect();
    (grid, places)
}

fn one_piece(vertices: usize, faces: Vec<[u32; 3]>) -> Pieces {
    Pieces {
        vertices: std::iter::once(0..vertices).collect(),
        triangles: std::iter::once(0..faces.len()).collect(),
        faces,
    }
}

/// Vertices of a mesh that is closed: eight of an octahedron.
fn octahedron() -> TriMesh {
    let positions = [
        DVec3::X,
        -DVec3::X,
        DVec3::Y,
        -DVec3::Y,
        DVec3::Z,
        -DVec3::Z,
    ];
    TriMesh {
        positions: positions.to_vec(),
        faces: vec![
            [0, 2, 4],
            [2, 1, 4],
            [1, 3, 4],
            [3, 0, 4],
            [2, 0, 5],
            [1, 2, 5],
            [3, 1, 5],
            [0, 3, 5],
        ],
    }
}

#[test]
fn triangles_become_four_with_the_same_area_and_side_and_edges_fit() {
    let mesh = octahedron();
    let finer = Subdivision::new(one_piece(6, mesh.faces.clone()), &[], 2);
    assert_eq!((finer.vertices(), finer.mesh().faces.len()), (66, 128));
    let flat = TriMesh {
        positions: finer.flat(&mesh.positions),
        faces: finer.mesh().faces.clone(),
    };
    // Euler: a closed surface without handles.
    assert_eq!(66 + 128 - flat.edges().len() as i64, 2);
    let area = |mesh: &TriMesh, face: usize| {
        let [a, b, c] = mesh.faces[face].map(|v| mesh.positions[v as usize]);
        0.5 * (b - a).cross(c - a)
    };
    for face in 0..128 {
        let part = 16.0 * area(&flat, face) - area(&mesh, face / 16);
        assert!(part.length() < 1e-14, "{part}");
    }
}

#[test]
fn a_flat_regular_sheet_is_kept_inside_and_corners_that_stay_keep_all_of_it() {
    let (grid, places) = grid(5, 4);
    let is_corner = |i: usize| {
        let (column, row) = grid.cell_of(i);
        (column == 0 || column == 4) && (row == 0 || row == 3)
    };
    let stays: Vec<bool> = (0..grid.len()).map(is_corner).collect();
    // With diagonals that all go the same way; others would draw new vertices along the sheet.
    let cells = (0..grid.len()).filter(|i| i % 5 < 4 && i / 5 < 3);
    let two = |i: usize| {
        let [a, b, c, d] = [i, i + 1, i + 6, i + 5].map(|v| v as u32);
        [[a, b, c], [a, c, d]]
    };
    let faces: Vec<[u32; 3]> = cells.flat_map(two).collect();
    let finer = Subdivision::new(one_piece(grid.len(), faces), &stays, 1);
    let (flat, smooth) = (finer.flat(&places), finer.smooth(&places));
    assert_eq!(flat[..grid.len()], places);
    for (i, (flat, smooth)) in flat.iter().zip(&smooth).enumerate() {
        let from_border = flat.x.min(4.0 - flat.x).min(flat.y).min(3.0 - flat.y);
        if from_border >= 1.0 {
            assert!(flat.distance(*smooth) < 1e-14, "{i}: {flat} {smooth}");
        }
        // What is on a border stays on it.
        if from_border == 0.0 {
            let corner = [0.0, 4.0].contains(&flat.x) && [0.0, 3.0].contains(&flat.y);
            let along = smooth
                .x
                .min(4.0 - smooth.x)
                .min(smooth.y)
                .min(3.0 - smooth.y);
            assert!(along.abs() < 1e-15 && (!corner || smooth == flat));
        }
    }
}

/// Eigenvalues of Loop's scheme around a vertex with many neighbours: those of the tangents are
/// `3/8 + cos(2π/n)/4` after a level, and the scheme does not turn.
#[test]
fn a_fan_shrinks_as_loop_says() {
    for n in [3_u32, 4, 5, 6, 7, 11] {
        // Two rings, so that the first is inside.
        let ring = |radius: f64| {
            (0..n).map(move |k| {
                let angle = TAU * f64::from(k) / f64::from(n);
                radius * DVec3::new(angle.cos(), angle.sin(), 0.0)
            })
        };
        let height = 0.7;
        let mut places = vec![height * DVec3::Z];
        places.extend(ring(1.0));
        places.extend(ring(2.0));
        let mut faces = Vec::new();
        for k in 0..n {
            let (a, b) = (1 + k, 1 + (k + 1) % n);
            faces.push([0, a, b]);
            faces.push([a, a + n, b]);
            faces.push([b, a + n, b + n]);
        }
        let finer = Subdivision::new(one_piece(places.len(), faces), &[], 1);
        let smooth = finer.smooth(&places);
        let c = 0.375 + 0.25 * (TAU / f64::from(n)).cos();
        // The middle keeps its place in the plane and falls towards its ring.
        let own = 1.0 - (0.625 - c * c);
        assert!(smooth[0].distance(own * places[0]) < 1e-14, "{n}");
        // New vertices around it: 3/8 of both ends, 1/8 of the neighbours of the outer one.
        let around = (places.len()..smooth.len()).map(|k| smooth[k]);
        let near: Vec<DVec3> = around.filter(|p| p.z > 0.2).collect();
        assert_eq!(near.len(), n as usize);
        for (p, q) in near.iter().zip(ring(1.0)) {
            assert!(
                p.distance(c * q + 0.375 * height * DVec3::Z) < 1e-14,
                "{n} {p}"
            );
        }
    }
}

#[test]
fn borders_depend_on_themselves_alone_and_odd_places_stay() {
    let (grid, mut places) = grid(4, 4);
    // Two triangles more on an edge inside, and a vertex of no triangle.
    let mut faces = grid.faces();
    let [a, b] = [5, 6];
    let tip = places.len() as u32;
    places.extend([DVec3::Z, -DVec3::Z, 9.0 * DVec3::Z]);
    faces.extend([[a, b, tip], [a, b, tip + 1]]);
    let finer = Subdivision::new(one_piece(places.len(), faces), &[], 1);
    let smooth = finer.smooth(&places);
    // Three borders meet at the ends of the odd edge.
    for v in [5, 6] {
        assert_eq!(smooth[v], places[v]);
    }
    assert_eq!(smooth[18], places[18]);
    let on_rim = |p: &DVec3| p.x.min(3.0 - p.x).min(p.y).min(3.0 - p.y) == 0.0;
    let lifted: Vec<DVec3> = (places.iter())
        .map(|p| match on_rim(p) {
            true => *p,
            false => *p + DVec3::Z,
        })
        .collect();
    let flat = finer.flat(&places);
    for (i, (before, after)) in smooth.iter().zip(finer.smooth(&lifted)).enumerate() {
        if on_rim(&flat[i]) && flat[i].z == 0.0 {
            assert_eq!(*before, after, "{i}");
        }
    }
}

#[test]
fn parts_stay_in_one_piece_and_keep_their_vertices_in_front() {
    let (grid, places) = grid(3, 3);
    let mut pieces = one_piece(9, grid.faces());
    pieces.vertices.push(9..18);
    let second = grid.faces().into_iter().map(|face| face.map(|v| v + 9));
    pieces.faces.extend(second);
    pieces.triangles.push(8..16);
    let both: Vec<DVec3> = places.iter().chain(&places).copied().collect();
    let finer = Subdivision::new(pieces, &[], 2);
    let alone = Subdivision::new(one_piece(9, grid.faces()), &[], 2);
    let count = alone.vertices();
    assert_eq!(finer.mesh().vertices, [0..count, count..2 * count]);
    assert_eq!(finer.mesh().triangles, [0..128, 128..256]);
    let twice = alone.smooth(&places).repeat(2);
    assert_eq!(finer.smooth(&both), twice);
    let shifted = alone
        .mesh()
        .faces
        .iter()
        .map(|f| f.map(|v| v + count as u32));
    assert!(finer.mesh().faces[128..].iter().copied().eq(shifted));
    assert_eq!(finer.flat(&both)[count..][..9], places);
    let none = Subdivision::new(one_piece(9, grid.faces()), &[], 0);
    assert!(none.is_none() && none.smooth(&places) == places && none.flat(&places) == places);
}
