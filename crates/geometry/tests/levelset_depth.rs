//! Depths in meshes, against shapes whose distance is known.

use glam::DVec3;
use toile_geometry::TriMesh;
use toile_geometry::levelset::{Depths, Exact, Field, Solid};

/// Points of a grid that is in line with nothing, and some that are in line with vertices.
fn points(reach_m: f64) -> impl Iterator<Item = DVec3> {
    let at = move |k: u32| reach_m * (f64::from(k) / 7.5 - 1.0);
    (0..16 * 16 * 16).map(move |k| DVec3::new(at(k % 16), at(k / 16 % 16), at(k / 256)))
}

#[test]
fn depths_are_those_of_the_shape() {
    let shapes = [
        Exact::Sphere { radius_m: 0.3 },
        Exact::Torus {
            ring_m: 0.2,
            tube_m: 0.1,
        },
    ];
    for shape in shapes {
        let mesh = shape.mesh(0.01);
        let solid = Solid::new(&mesh, 0.0).unwrap();
        let depths = Depths::new(&solid, &mesh.positions).unwrap();
        // Facets lie up to spacing²/8 radii inside.
        let facets_m = 0.01 * 0.01 / (8.0 * 0.1) * 2.0;
        for point in points(0.35).chain([DVec3::ZERO, 0.05 * DVec3::Y, 0.2 * DVec3::X]) {
            let exact = -shape.distance_m(point);
            if exact > facets_m {
                let error = depths.depth_m(point) - exact;
                assert!((-facets_m..1e-12).contains(&error), "{point}: {error}");
            } else if exact < 0.0 {
                assert_eq!(depths.depth_m(point), 0.0, "{point}");
            }
        }
    }
}

#[test]
fn rays_through_vertices_and_edges_count_once() {
    // Every vertex and many edges are in line with these points.
    let corners = [0, 1, 2, 3, 4, 5, 6, 7]
        .map(|k: u32| DVec3::from_array([0, 1, 2].map(|axis| f64::from(k >> axis & 1))));
    let quads = [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ];
    let faces = quads
        .iter()
        .flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]);
    let mesh = TriMesh {
        positions: corners.to_vec(),
        faces: faces.collect(),
    };
    let solid = Solid::new(&mesh, 0.0).unwrap();
    let depths = Depths::new(&solid, &mesh.positions).unwrap();
    for k in 1..64_u32 {
        let t = f64::from(k) / 64.0;
        for (point, expected) in [
            (DVec3::new(0.25, t, t), t.min(1.0 - t).min(0.25)),
            (DVec3::new(0.5, t, 1.0 - t), t.min(1.0 - t)),
            (DVec3::new(-0.25, t, t), 0.0),
            (DVec3::new(1.25, t, t), 0.0),
        ] {
            assert!((depths.depth_m(point) - expected).abs() < 1e-12, "{point}");
        }
    }
}
