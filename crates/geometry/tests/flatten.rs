//! Rest shapes: what can be laid flat comes out exact, and the rest is said plainly.

use glam::{DMat3, DVec2, DVec3};
use proptest::prelude::*;
use std::f64::consts::{PI, TAU};
use toile_geometry::flatten::{FlattenError, UvScale, flatten_charts, from_shape, from_uvs};
use toile_geometry::{Surface, TriMesh, Triangles};

/// The image of a grid of `n` by `m` cells on the unit square.
fn patch(n: u32, m: u32, place: impl Fn(DVec2) -> DVec3) -> TriMesh {
    let at = |c: u32, r: u32| r * (n + 1) + c;
    let mut mesh = TriMesh::default();
    for r in 0..=m {
        for c in 0..=n {
            let (u, v) = (f64::from(c) / f64::from(n), f64::from(r) / f64::from(m));
            mesh.positions.push(place(DVec2::new(u, v)));
        }
    }
    for r in 0..m {
        for c in 0..n {
            mesh.faces.push([at(c, r), at(c + 1, r), at(c, r + 1)]);
            mesh.faces
                .push([at(c + 1, r), at(c + 1, r + 1), at(c, r + 1)]);
        }
    }
    mesh
}

fn cylinder(n: u32) -> TriMesh {
    patch(n, n, |p| {
        let angle = 1.5 * PI * p.x;
        DVec3::new(0.2 * angle.cos(), p.y, 0.2 * angle.sin())
    })
}

/// A cap of the unit sphere, `angle` from its middle to its border.
fn cap(angle: f64) -> TriMesh {
    let rings = 12;
    let mut mesh = TriMesh {
        positions: vec![DVec3::Y],
        faces: Vec::new(),
    };
    let count = 36;
    for ring in 1..=rings {
        let polar = angle * f64::from(ring) / f64::from(rings);
        for k in 0..count {
            let turn = TAU * f64::from(k) / f64::from(count);
            let (sin, cos) = polar.sin_cos();
            let p = DVec3::new(sin * turn.cos(), cos, -sin * turn.sin());
            mesh.positions.push(p);
        }
    }
    for k in 0..count {
        let next = (k + 1) % count;
        mesh.faces.push([0, 1 + k, 1 + next]);
        for ring in 1..rings {
            let (inner, outer) = (1 + count * (ring - 1), 1 + count * ring);
            mesh.faces.push([inner + k, outer + k, outer + next]);
            mesh.faces.push([inner + k, outer + next, inner + next]);
        }
    }
    mesh
}

fn surface(mesh: &TriMesh, rest: Vec<[DVec2; 3]>) -> Surface {
    let surface = Surface {
        mesh: mesh.clone(),
        rest,
    };
    surface.validate().unwrap();
    surface
}

/// The largest change of the length of an edge.
fn distortion(surface: &Surface) -> f64 {
    let mut worst = 0.0_f64;
    for (face, rest) in surface.mesh.faces.iter().zip(&surface.rest) {
        let corners = face.map(|v| surface.mesh.positions[v as usize]);
        for k in 0..3 {
            let in_world = corners[k].distance(corners[(k + 1) % 3]);
            let at_rest = rest[k].distance(rest[(k + 1) % 3]);
            worst = worst.max((at_rest / in_world - 1.0).abs());
        }
    }
    worst
}

fn seams(surface: &Surface) -> usize {
    let hinges = surface.hinges().unwrap();
    let sewn = hinges.iter().filter(|h| !surface.is_on_one_piece(h));
    sewn.count()
}

#[test]
fn what_can_be_unrolled_comes_out_exact() {
    let slit_cone = patch(40, 15, |p| {
        let (angle, along) = (1.7 * PI * p.x, 0.1 + 0.5 * p.y);
        DVec3::new(
            0.6 * along * angle.cos(),
            -0.8 * along,
            0.6 * along * angle.sin(),
        )
    });
    for mesh in [cylinder(24), cylinder(90), slit_cone] {
        let (rest, charts) = flatten_charts(&mesh, DVec3::Y).unwrap();
        let surface = surface(&mesh, rest);
        let worst = distortion(&surface);
        assert!(worst < 1e-6, "{worst}");
        assert_eq!(charts.len(), 1);
        assert!((charts[0].worst_edge - worst).abs() < 1e-12);
        assert!(charts[0].rms_edge <= charts[0].worst_edge);
        assert_eq!(charts[0].triangles, mesh.faces.len());
        assert_eq!(seams(&surface), 0);
    }
}

#[test]
fn the_warp_lies_along_u() {
    let mesh = cylinder(20);
    for (warp, sign) in [(DVec3::Y, 1.0), (DVec3::NEG_Y, -1.0)] {
        let (rest, _) = flatten_charts(&mesh, warp).unwrap();
        for (face, rest) in mesh.faces.iter().zip(&rest) {
            let heights = face.map(|v| sign * mesh.positions[v as usize].y);
            assert!((rest[1].x - rest[0].x - (heights[1] - heights[0])).abs() < 1e-9);
        }
    }
}

#[test]
fn a_smaller_cap_is_distorted_less() {
    let distortions = [1.2, 0.6, 0.3, 0.15].map(|angle| {
        let mesh = cap(angle);
        let (rest, charts) = flatten_charts(&mesh, DVec3::X).unwrap();
        let worst = distortion(&surface(&mesh, rest));
        assert!((charts[0].worst_edge - worst).abs() < 1e-12);
        charts[0].rms_edge
    });
    // Curvature times area: half the angle, a quarter of the distortion.
    for pair in distortions.windows(2) {
        let ratio = pair[0] / pair[1];
        assert!((3.3..5.0).contains(&ratio), "{distortions:?}");
    }
    assert!(distortions[0] < 0.1, "{distortions:?}");
}

#[test]
fn pieces_lie_apart() {
    let mut mesh = cylinder(6);
    let other = cap(0.5);
    let first = mesh.positions.len() as u32;
    let faces = mesh.faces.len();
    mesh.positions.extend(&other.positions);
    mesh.faces
        .extend(other.faces.iter().map(|f| f.map(|v| v + first)));
    let (rest, charts) = flatten_charts(&mesh, DVec3::X).unwrap();
    assert_eq!(charts.len(), 2);
    assert_eq!(charts[1].first_triangle, faces as u32);
    let reach = |rest: &[[DVec2; 3]], of: fn(f64, f64) -> f64| {
        rest.iter().flatten().map(|p| p.x).reduce(of).unwrap()
    };
    assert!(reach(&rest[..faces], f64::max) < reach(&rest[faces..], f64::min));
}

#[test]
fn what_is_no_disc_is_refused() {
    let tetrahedron = TriMesh {
        positions: vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z],
        faces: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]],
    };
    let error = flatten_charts(&tetrahedron, DVec3::X).unwrap_err();
    assert_eq!(error, FlattenError::Closed(Triangles(vec![0, 1, 2, 3])));
    assert!(error.to_string().contains("take the 3D shape"));
    let renamed = error.renamed(&[4, 5, 6, 8]);
    assert_eq!(renamed, FlattenError::Closed(Triangles(vec![4, 5, 6, 8])));
    let mut tube = cylinder(6);
    for vertex in tube.faces.iter_mut().flatten() {
        if *vertex % 7 == 6 {
            *vertex -= 6;
        }
    }
    let error = flatten_charts(&tube, DVec3::X).unwrap_err();
    let FlattenError::NotADisc {
        borders: 2,
        triangles,
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!(triangles.0.len(), 72);
}

#[test]
fn a_shape_keeps_all_its_lengths() {
    let mesh = cap(1.4);
    // Some triangles stand at right angles to each of these.
    for warp in [DVec3::X, DVec3::Y, DVec3::ONE, DVec3::ZERO] {
        let surface = surface(&mesh, from_shape(&mesh, warp).unwrap());
        assert!(distortion(&surface) < 1e-12);
    }
    // The axis follows the warp as far as it lies in the triangle.
    let rest = from_shape(&mesh, DVec3::X).unwrap();
    for (face, rest) in mesh.faces.iter().zip(&rest) {
        let corners = face.map(|v| mesh.positions[v as usize]);
        let edges = DMat3::from_cols(
            corners[1] - corners[0],
            corners[2] - corners[0],
            (corners[1] - corners[0]).cross(corners[2] - corners[0]),
        );
        // The world's direction of u is the gradient of u.
        let (du, dv) = (rest[1].x - rest[0].x, rest[2].x - rest[0].x);
        let u = edges.transpose().inverse() * DVec3::new(du, dv, 0.0);
        let normal = edges.z_axis.normalize();
        let part = (DVec3::X - normal * normal.x).normalize();
        assert!((u - part).length() < 1e-9);
    }
}

#[test]
fn a_plane_is_one_piece_of_its_own_shape() {
    let turned = DVec3::new(0.3, 0.7, 0.2).any_orthonormal_pair();
    let mesh = patch(5, 4, |p| 3.0 * p.x * turned.0 + 2.0 * p.y * turned.1 + 7.0);
    let surface = surface(&mesh, from_shape(&mesh, DVec3::X).unwrap());
    assert_eq!(seams(&surface), 0);
    assert!(
        seams(&self::surface(
            &cap(0.5),
            from_shape(&cap(0.5), DVec3::X).unwrap()
        )) > 0
    );
}

/// Texture coordinates of a patch, a tenth of its size.
fn uvs(mesh: &TriMesh, place: impl Fn(DVec3) -> DVec2) -> Vec<[DVec2; 3]> {
    let corner = |v: u32| place(mesh.positions[v as usize]);
    mesh.faces.iter().map(|face| face.map(corner)).collect()
}

fn flat(n: u32) -> TriMesh {
    patch(n, n, |p| DVec3::new(2.0 * p.x, 2.0 * p.y, 0.0))
}

#[test]
fn texture_coordinates_are_scaled() {
    let mesh = flat(4);
    let tenth = uvs(&mesh, |p| 0.1 * DVec2::new(p.x, p.y));
    let (rest, report) = from_uvs(&mesh, &tenth, UvScale::EqualArea).unwrap();
    assert!((report.metres_per_unit - 10.0).abs() < 1e-12);
    assert!(distortion(&surface(&mesh, rest)) < 1e-12);
    assert_eq!((report.charts, report.seams), (1, 0));
    assert!((report.area_ratio.least - 1.0).abs() < 1e-12);
    let (rest, report) = from_uvs(&mesh, &tenth, UvScale::MetresPerUnit(5.0)).unwrap();
    assert!((report.area_ratio.median - 4.0).abs() < 1e-12);
    assert!((report.length_ratio.most - 2.0).abs() < 1e-12);
    assert!((rest[0][1].x - 0.25).abs() < 1e-12);
    for bad in [0.0, -1.0, f64::NAN] {
        let error = from_uvs(&mesh, &tenth, UvScale::MetresPerUnit(bad)).unwrap_err();
        assert!(matches!(error, FlattenError::Scale(_)));
    }
    assert!(report.lines()[0].contains("5 m per unit, 1 charts, 0 edges sewn"));
}

#[test]
fn a_mirrored_chart_is_mirrored_back() {
    let mesh = flat(4);
    // The upper half is another chart, mirrored.
    let mut uvs = uvs(&mesh, |p| DVec2::new(p.x, p.y));
    for uv in uvs[16..].iter_mut().flatten() {
        uv.x = 9.0 - uv.x;
    }
    let (rest, report) = from_uvs(&mesh, &uvs, UvScale::EqualArea).unwrap();
    let surface = surface(&mesh, rest);
    assert!(distortion(&surface) < 1e-12);
    assert!(report.mirrored.0.iter().copied().eq(16..32));
    assert_eq!((report.charts, report.seams), (2, 4));
    assert_eq!(seams(&surface), 4);
}

#[test]
fn folds_and_points_are_named() {
    let mesh = flat(4);
    let sound = uvs(&mesh, |p| DVec2::new(p.x, p.y));
    let mut folded = sound.clone();
    // One inner vertex is drawn across the sides of the triangles around it.
    let middle = 2 * 5 + 2;
    for (face, uv) in mesh.faces.iter().zip(&mut folded) {
        for (vertex, uv) in face.iter().zip(uv) {
            if *vertex == middle {
                uv.x += 0.8;
            }
        }
    }
    let error = from_uvs(&mesh, &folded, UvScale::EqualArea).unwrap_err();
    let FlattenError::Folded(triangles) = error else {
        panic!("{error}");
    };
    for &t in &triangles.0 {
        assert!(mesh.faces[t as usize].contains(&middle));
    }
    assert!((1..6).contains(&triangles.0.len()));
    let mut points = sound.clone();
    points[3] = [DVec2::ONE; 3];
    points[9][2] = points[9][0].midpoint(points[9][1]);
    points[12][0].y = f64::NAN;
    let error = from_uvs(&mesh, &points, UvScale::EqualArea).unwrap_err();
    assert_eq!(error, FlattenError::NoUvArea(Triangles(vec![3, 9, 12])));
    let error = from_uvs(&mesh, &sound[1..], UvScale::EqualArea).unwrap_err();
    assert_eq!(
        error,
        FlattenError::Lengths {
            triangles: 32,
            uvs: 31
        }
    );
}

#[test]
fn triangles_without_area_have_no_rest_shape() {
    let mut mesh = flat(2);
    mesh.positions[4] = mesh.positions[1];
    let error = from_shape(&mesh, DVec3::X).unwrap_err();
    let FlattenError::NoArea(triangles) = &error else {
        panic!("{error}");
    };
    for &t in &triangles.0 {
        assert!(mesh.faces[t as usize].contains(&4) && mesh.faces[t as usize].contains(&1));
    }
    assert_eq!(flatten_charts(&mesh, DVec3::X).unwrap_err(), error);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Cloth rolled up any way along one direction is unrolled, however it is divided.
    #[test]
    fn any_roll_is_unrolled(
        turns in prop::collection::vec(-0.6..0.6f64, 3..20),
        n in 1..12u32,
        squash in 0.1..4.0f64,
        warp in prop::array::uniform3(-1.0..1.0f64),
    ) {
        let mut line = vec![DVec2::ZERO];
        let mut angle = 0.0f64;
        for turn in &turns {
            angle += turn;
            line.push(line[line.len() - 1] + 0.1 * DVec2::from_angle(angle));
        }
        let count = turns.len() as u32;
        let mesh = patch(count, n, |p| {
            let at = line[(p.x * f64::from(count)).round() as usize];
            DVec3::new(at.x, at.y, squash * p.y)
        });
        let (rest, _) = flatten_charts(&mesh, DVec3::from_array(warp)).unwrap();
        let worst = distortion(&surface(&mesh, rest));
        prop_assert!(worst < 1e-6, "{}", worst);
    }
}
