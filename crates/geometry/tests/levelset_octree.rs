//! The sparse field: continuous, near to the full one, and small.

use glam::DVec3;
use toile_geometry::levelset::{Coarsening, Exact, Field, Grid, Octree, Settings, Solid};

const SHAPES: [Exact; 3] = [
    Exact::Sphere { radius_m: 0.2 },
    Exact::Torus {
        ring_m: 0.2,
        tube_m: 0.06,
    },
    Exact::RoundedBox {
        half_m: DVec3::new(0.15, 0.1, 0.2),
        radius_m: 0.03,
    },
];

fn grid(shape: Exact, cell_m: f64) -> Grid {
    let mesh = shape.mesh(0.005);
    let solid = Solid::new(&mesh, 0.0).unwrap();
    let velocities: Vec<DVec3> = mesh.positions.iter().map(|p| p.cross(DVec3::Z)).collect();
    let settings = Settings::new(cell_m);
    Grid::build(&solid, &mesh.positions, Some(&velocities), &settings).unwrap()
}

/// Numbers from 0 to 1 that look random.
fn random(count: usize) -> impl Iterator<Item = DVec3> {
    let spread = DVec3::new(0.819_172_5, 0.671_043_6, 0.549_700_5);
    (0..count).map(move |k| (0.5 + k as f64 * spread).fract())
}

#[test]
fn it_is_continuous_across_all_faces() {
    for shape in SHAPES {
        let grid = grid(shape, 0.01);
        let tree = Octree::from_grid(&grid, &Coarsening::new(0.01)).unwrap();
        let bounds = tree.bounds();
        let step = 1e-9;
        let (mut faces_between_levels, mut worst) = (0, 0.0_f64);
        for (k, share) in random(60_000).enumerate() {
            let axis = DVec3::AXES[k % 3];
            let place = bounds.min + share * bounds.size();
            // Onto a plane of the finest cells, most of which are inside of leaves.
            let cells = (place / tree.finest_m()).round() * tree.finest_m();
            let on_plane = place + axis * (cells - place);
            if !bounds.contains(on_plane - step * axis) || !bounds.contains(on_plane + step * axis)
            {
                continue;
            }
            let [below, above] = [-step, step].map(|s| on_plane + s * axis);
            let jump = (tree.distance_m(above) - tree.distance_m(below)).abs();
            worst = worst.max(jump);
            faces_between_levels += usize::from(tree.leaf_m(below) != tree.leaf_m(above));
        }
        assert!(faces_between_levels > 500, "{faces_between_levels}");
        // A distance changes by no more than the way, interpolation may double that, and values are of
        // single precision, up to 0.25 m.
        let rounding = 4.0 * 0.25 * f64::from(f32::EPSILON);
        assert!(worst < 2.0 * 2.0 * step + rounding, "{shape:?}: {worst}");
    }
}

#[test]
fn it_is_as_near_to_the_full_field_as_asked() {
    for shape in SHAPES {
        let grid = grid(shape, 0.01);
        let coarsening = Coarsening::new(0.01);
        let tree = Octree::from_grid(&grid, &coarsening).unwrap();
        let lattice = grid.lattice();
        for index in 0..lattice.nodes() {
            let node = lattice.node(index);
            let (point, full) = (lattice.position(node), grid.value_m(node));
            let beyond = (full.abs() - coarsening.near_m).max(0.0);
            let allowed = coarsening.tolerance_m + coarsening.growth * beyond;
            let miss = (tree.distance_m(point) - full).abs();
            // Twice for corners that hang.
            assert!(
                miss <= 2.0 * allowed + 1e-5,
                "{shape:?} {point} {full}: {miss}"
            );
        }
    }
}

#[test]
fn it_is_smaller_and_carries_velocities() {
    let shape = SHAPES[0];
    let grid = grid(shape, 0.005);
    let tree = Octree::from_grid(&grid, &Coarsening::new(0.005)).unwrap();
    assert!(
        8 * tree.bytes() < grid.bytes(),
        "{} {}",
        tree.bytes(),
        grid.bytes()
    );
    assert!(tree.leaves() > 100);
    for share in random(2000) {
        let point = shape.bounds().min + share * shape.bounds().size();
        if grid.distance_m(point).abs() < 0.01 {
            // Whole cells apart, the surface's velocity, of up to 0.2 m/s, differs by a tenth.
            let miss = tree.velocity(point) - grid.velocity(point);
            assert!(miss.length() < 0.02, "{point} {miss}");
        }
    }
}

#[test]
fn settings_that_are_none_are_refused() {
    let grid = grid(SHAPES[0], 0.04);
    for coarsening in [
        Coarsening {
            tolerance_m: f64::NAN,
            ..Coarsening::new(0.04)
        },
        Coarsening {
            levels: 0,
            ..Coarsening::new(0.04)
        },
        Coarsening {
            growth: -1.0,
            ..Coarsening::new(0.04)
        },
    ] {
        assert!(Octree::from_grid(&grid, &coarsening).is_err());
    }
}
