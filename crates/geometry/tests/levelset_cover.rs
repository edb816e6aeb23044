//! Fields that bodies are met by cover their surfaces.

use glam::{DQuat, DVec3};
use toile_geometry::TriMesh;
use toile_geometry::levelset::{Exact, Field, Grid, Settings, Solid, Storage, Stored};

const CELL_M: f64 = 0.015;
/// The margin that cloth keeps from such fields, in cells.
const KEPT: f64 = 0.1;

/// A brick with sharp edges, askew.
fn brick() -> TriMesh {
    let turn = DQuat::from_rotation_y(0.5) * DQuat::from_rotation_x(0.3);
    let corner = |k: u32| {
        let sign = |bit: u32| f64::from(k >> bit & 1) - 0.5;
        turn * (DVec3::new(sign(0), sign(1), sign(2)) * DVec3::new(0.2, 0.12, 0.16))
    };
    let sides = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    TriMesh {
        positions: (0..8).map(corner).collect(),
        faces: { sides.iter() }
            .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]])
            .collect(),
    }
}

/// Places all over a surface, none of them chosen by what is tested.
fn places(mesh: &TriMesh) -> Vec<DVec3> {
    let mut all = Vec::new();
    for (k, face) in mesh.faces.iter().enumerate() {
        let [a, b, c] = face.map(|v| mesh.positions[v as usize]);
        for i in 0..=20_u32 {
            // Along a side, and somewhere inside.
            let along = (f64::from(i) / 20.0 + 0.013 * k as f64).fract();
            let inside = (f64::from(i) * 0.618 + 0.377 * k as f64).fract();
            all.push(a + along * (b - a));
            all.push(a.lerp(b.lerp(c, along), inside.sqrt()));
        }
    }
    all
}

#[test]
fn no_place_of_the_surface_is_outside_by_the_margin() {
    let rod = Exact::Capsule {
        half_m: 0.1,
        radius_m: 0.02,
    };
    for (mesh, least) in [(brick(), 2.0 * KEPT), (rod.mesh(0.004), KEPT)] {
        let solid = Solid::new(&mesh, 0.0).unwrap();
        let settings = Settings::new(CELL_M);
        let plain = Grid::build(&solid, &mesh.positions, None, &settings).unwrap();
        let worst = |field: &dyn Fn(DVec3) -> f64| {
            let all = places(&mesh).into_iter().map(field);
            all.fold(f64::NEG_INFINITY, f64::max) / CELL_M
        };
        let before = worst(&|p| plain.distance_m(p));
        assert!(before > least, "{before}");
        for storage in [Storage::Grid, Storage::Octree] {
            let field = Stored::build(&solid, &mesh.positions, None, &settings, storage).unwrap();
            let after = worst(&|p| field.distance_m(p));
            assert!(after < KEPT, "{storage:?}: {after}, {before} before");
        }
        // Nodes are no farther from a place of the surface than their distance from it, which is half the
        // diagonal of a cell in the mean, at most: so much is the most that a field can be lowered by. Away
        // from the surface it is not.
        let grid = Stored::build(&solid, &mesh.positions, None, &settings, Storage::Grid).unwrap();
        for p in places(&mesh) {
            for out in [0.0, 1.0, 5.0] {
                let at = p + out * CELL_M * p.normalize_or_zero();
                let lowered = (plain.distance_m(at) - grid.distance_m(at)) / CELL_M;
                let is_far = plain.distance_m(at) > 4.0 * CELL_M;
                assert!(
                    (-1e-5..=0.75_f64.sqrt() + 1e-5).contains(&lowered),
                    "{lowered}"
                );
                assert!(!is_far || lowered == 0.0);
            }
        }
    }
}
