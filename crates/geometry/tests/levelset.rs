//! Distance fields against exact shapes and against every triangle.

use glam::DVec3;
use toile_geometry::TriMesh;
use toile_geometry::distance::{between, point_triangle};
use toile_geometry::levelset::{Exact, Field, Grid, LevelSetError, Settings, Solid};

const SHAPES: [Exact; 4] = [
    Exact::Sphere { radius_m: 0.1 },
    Exact::Torus {
        ring_m: 0.12,
        tube_m: 0.05,
    },
    Exact::Capsule {
        half_m: 0.08,
        radius_m: 0.06,
    },
    Exact::RoundedBox {
        half_m: DVec3::new(0.05, 0.03, 0.07),
        radius_m: 0.03,
    },
];

fn solid(mesh: &TriMesh) -> Solid {
    Solid::new(mesh, 0.02).unwrap()
}

fn grid(mesh: &TriMesh, cell_m: f64) -> Grid {
    let settings = Settings::new(cell_m);
    Grid::build(&solid(mesh), &mesh.positions, None, &settings).unwrap()
}

/// The nearest of all triangles.
fn brute_force_m(mesh: &TriMesh, point: DVec3) -> f64 {
    let distance = |face: &[u32; 3]| {
        let [a, b, c] = face.map(|v| mesh.positions[v as usize]);
        let x = [point, a, b, c];
        between(&point_triangle(&x), &x).length()
    };
    mesh.faces
        .iter()
        .map(distance)
        .fold(f64::INFINITY, f64::min)
}

fn nodes(grid: &Grid) -> impl Iterator<Item = ([usize; 3], DVec3, f64)> {
    let lattice = grid.lattice();
    (0..lattice.nodes()).map(move |index| {
        let node = lattice.node(index);
        (node, lattice.position(node), grid.value_m(node))
    })
}

/// Two balls that overlap, as one mesh.
fn dumbbell(apart_m: f64) -> TriMesh {
    let ball = Exact::Sphere { radius_m: 0.1 }.mesh(0.01);
    let count = ball.positions.len() as u32;
    let mut both = ball.clone();
    both.positions
        .extend(ball.positions.iter().map(|p| *p + apart_m * DVec3::X));
    for p in &mut both.positions {
        *p -= 0.5 * apart_m * DVec3::X;
    }
    both.faces
        .extend(ball.faces.iter().map(|face| face.map(|v| v + count)));
    both
}

#[test]
fn the_meshes_of_exact_shapes_lie_on_them() {
    for shape in SHAPES {
        let mesh = shape.mesh(0.005);
        mesh.validate().unwrap();
        let solid = Solid::new(&mesh, 0.0).unwrap();
        assert!(!solid.was_turned() && solid.holes().is_empty(), "{shape:?}");
        for face in &mesh.faces {
            let corners = face.map(|v| mesh.positions[v as usize]);
            for p in corners {
                let off = shape.distance_m(p);
                assert!(off.abs() < 1e-4, "{shape:?} {p} {off}");
            }
            let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
            let off = shape.distance_m(middle);
            // The rise of an arc over its chord, e²/8r, along both curvatures.
            assert!(
                off.abs() < 0.005_f64.powi(2) / (4.0 * 0.03),
                "{shape:?} {middle} {off}"
            );
        }
    }
}

#[test]
fn the_band_is_exact_and_signs_are_right_everywhere() {
    for shape in SHAPES {
        let mesh = shape.mesh(0.01);
        let grid = grid(&mesh, 0.01);
        let mut checked = 0;
        for (node, point, value) in nodes(&grid) {
            let exact = shape.distance_m(point);
            if exact.abs() > 1e-3 {
                assert_eq!(value < 0.0, exact < 0.0, "{shape:?} {point}");
            }
            if value.abs() < 0.029 && (node[0] + 2 * node[1] + 3 * node[2]) % 7 == 0 {
                checked += 1;
                let nearest = brute_force_m(&mesh, point);
                assert!((value.abs() - nearest).abs() < 1e-8, "{value} {nearest}");
            }
        }
        assert!(checked > 100);
    }
}

#[test]
fn marching_converges_and_stays_close() {
    // Around smooth shapes there is no kink outside, so the order is that of the scheme.
    let shape = Exact::Sphere { radius_m: 0.1 };
    let mesh = shape.mesh(0.003);
    let worst = |cell_m: f64| {
        let settings = Settings {
            margin_cells: (0.1 / cell_m).round(),
            ..Settings::new(cell_m)
        };
        let grid = Grid::build(&solid(&mesh), &mesh.positions, None, &settings).unwrap();
        nodes(&grid)
            .filter(|(_, _, value)| *value > 3.0 * cell_m)
            .map(|(_, point, value)| (value - shape.distance_m(point)).abs())
            .fold(0.0, f64::max)
    };
    let errors = [0.02, 0.01, 0.005].map(worst);
    println!("{errors:?}");
    assert!(errors[0] < 0.2 * 0.02, "{errors:?}");
    assert!(
        errors[1] < 0.5 * errors[0] && errors[2] < 0.5 * errors[1],
        "{errors:?}"
    );
}

#[test]
fn what_overlaps_is_inside_and_what_is_buried_is_not_surface() {
    let mesh = dumbbell(0.12);
    let grid = grid(&mesh, 0.01);
    let ball = |p: DVec3, x: f64| p.distance(x * DVec3::X) - 0.1;
    let mut deepest: f64 = 0.0;
    for (_, point, value) in nodes(&grid) {
        let union = ball(point, -0.06).min(ball(point, 0.06));
        if union.abs() > 1e-3 {
            assert_eq!(value < 0.0, union < 0.0, "{point}");
        }
        deepest = deepest.min(value);
        // A union is at least as deep as either ball, up to a cell in the middle of one.
        let allowed = if union < -0.08 { 0.01 } else { 2e-3 };
        assert!(value < union + allowed, "{point} {value} {union}");
    }
    // In the middle the surface is the circle where the balls meet.
    let middle = grid.distance_m(DVec3::ZERO);
    assert!((middle + 0.08).abs() < 0.01, "{middle}");
    assert!(deepest < -0.09, "{deepest}");
}

#[test]
fn small_holes_are_closed_and_wide_ones_named() {
    let shape = Exact::Sphere { radius_m: 0.1 };
    let whole = shape.mesh(0.01);
    let mut pierced = whole.clone();
    // A pole's fan of triangles.
    let pole = pierced.positions.len() as u32 - 1;
    pierced.faces.retain(|face| !face.contains(&pole));
    let closed = Solid::new(&pierced, 0.03).unwrap();
    assert_eq!(closed.holes().len(), 1);
    let hole = &closed.holes()[0];
    assert!((hole.width_m - 0.02).abs() < 1e-3, "{hole:?}");
    assert!(hole.center.distance(0.0995 * DVec3::Y) < 1e-3, "{hole:?}");
    let field = Grid::build(&closed, &pierced.positions, None, &Settings::new(0.005)).unwrap();
    for (_, point, value) in nodes(&field) {
        // Where all of the surface is equally far, marching is of first order.
        let allowed = if point.length() < 0.02 { 5e-3 } else { 2e-3 };
        let error = (value - shape.distance_m(point)).abs();
        assert!(error < allowed, "{point} {error}");
    }
    match Solid::new(&pierced, 0.01) {
        Err(LevelSetError::Open { count, widest, .. }) => {
            assert_eq!((count, &widest), (1, hole));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn inside_out_is_turned_and_nonsense_refused() {
    let mesh = SHAPES[0].mesh(0.02);
    let mut turned = mesh.clone();
    for face in &mut turned.faces {
        face.swap(0, 1);
    }
    let settings = Settings::new(0.02);
    let right = Grid::build(&solid(&mesh), &mesh.positions, None, &settings).unwrap();
    let solid_of_turned = solid(&turned);
    assert!(solid_of_turned.was_turned());
    let same = Grid::build(&solid_of_turned, &turned.positions, None, &settings).unwrap();
    for ((_, point, a), (_, _, b)) in nodes(&right).zip(nodes(&same)) {
        assert!((a - b).abs() < 1e-6, "{point} {a} {b}");
    }

    assert_eq!(
        Solid::new(&TriMesh::default(), 1.0),
        Err(LevelSetError::Empty)
    );
    let mut broken = mesh.clone();
    broken.positions[3].x = f64::NAN;
    assert!(matches!(
        Solid::new(&broken, 1.0),
        Err(LevelSetError::Mesh(_))
    ));
    let doubled = TriMesh {
        positions: vec![DVec3::ZERO, DVec3::X, DVec3::Y],
        faces: vec![[0, 1, 2], [0, 2, 1]],
    };
    assert!(matches!(
        Solid::new(&doubled, 1.0),
        Err(LevelSetError::NoVolume { .. })
    ));
    let solid = solid(&mesh);
    let small = Settings {
        limit_bytes: 1000,
        ..settings
    };
    assert!(matches!(
        Grid::build(&solid, &mesh.positions, None, &small),
        Err(LevelSetError::TooLarge {
            limit_bytes: 1000,
            ..
        })
    ));
    let tiny = Settings::new(1e-300);
    assert!(matches!(
        Grid::build(&solid, &mesh.positions, None, &tiny),
        Err(LevelSetError::TooLarge { .. })
    ));
    assert!(matches!(
        Grid::build(&solid, &mesh.positions[1..], None, &settings),
        Err(LevelSetError::Count { .. })
    ));
    let nothing = Settings::new(f64::NAN);
    assert!(matches!(
        Grid::build(&solid, &mesh.positions, None, &nothing),
        Err(LevelSetError::Setting { .. })
    ));
}

#[test]
fn cavities_are_outside() {
    let ball = Exact::Sphere { radius_m: 0.1 }.mesh(0.01);
    let mut hollow = ball.clone();
    let count = ball.positions.len() as u32;
    hollow
        .positions
        .extend(ball.positions.iter().map(|p| 0.5 * *p));
    let inner = ball
        .faces
        .iter()
        .map(|&[a, b, c]| [b, a, c].map(|v| v + count));
    hollow.faces.extend(inner);
    let grid = grid(&hollow, 0.01);
    for (_, point, value) in nodes(&grid) {
        let r = point.length();
        let exact = if r > 0.075 { r - 0.1 } else { 0.05 - r };
        // Kinks in the middle and halfway between the two surfaces are of first order.
        let is_kink = r < 0.02 || (r - 0.075).abs() < 0.01;
        let allowed = if is_kink { 0.01 } else { 2e-3 };
        assert!((value - exact).abs() < allowed, "{point} {value} {exact}");
    }
}

#[test]
fn velocities_are_those_of_the_closest_points() {
    let mesh = Exact::Sphere { radius_m: 0.1 }.mesh(0.01);
    let spin = DVec3::new(0.3, -1.0, 0.5);
    let stretch = DVec3::new(2.0, 0.0, -1.0);
    let flow = |p: DVec3| spin.cross(p) + stretch * p + DVec3::X;
    let velocities: Vec<DVec3> = mesh.positions.iter().map(|p| flow(*p)).collect();
    let settings = Settings::new(0.01);
    let field = Grid::build(&solid(&mesh), &mesh.positions, Some(&velocities), &settings).unwrap();
    for (_, point, value) in nodes(&field) {
        let found = field.velocity(point);
        let closest = 0.1 * point.normalize_or_zero();
        if value.abs() < 0.028 {
            assert!(found.distance(flow(closest)) < 3e-2, "{point}");
        } else if point.length() > 0.03 {
            // Carried on from neighbour to neighbour: roughly from the right place.
            assert!(
                found.distance(flow(closest)) < 0.2,
                "{point} {found} {}",
                flow(closest)
            );
        }
    }
}

#[test]
fn threads_change_nothing() {
    let mesh = dumbbell(0.15);
    let velocities: Vec<DVec3> = mesh.positions.iter().map(|p| p.cross(DVec3::Y)).collect();
    let build = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let settings = Settings::new(0.008);
        pool.unwrap().install(|| {
            Grid::build(&solid(&mesh), &mesh.positions, Some(&velocities), &settings).unwrap()
        })
    };
    let one = build(1);
    assert!(one == build(2) && one == build(5));
}

#[test]
fn a_node_in_the_middle_of_a_triangle_is_on_the_surface() {
    let corners = [[0, 0, 0], [3, 0, 0], [0, 3, 0], [0, 0, 3]];
    let tetrahedron = TriMesh {
        positions: corners
            .map(|p| DVec3::from_array(p.map(f64::from)))
            .to_vec(),
        faces: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
    };
    let grid = grid(&tetrahedron, 1.0);
    for middle in [[1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1]] {
        let point = DVec3::from_array(middle.map(f64::from));
        assert!(grid.distance_m(point).abs() < 1e-6, "{point}");
    }
}

#[test]
fn beyond_the_box_the_distance_goes_on() {
    let shape = SHAPES[0];
    let grid = grid(&shape.mesh(0.01), 0.01);
    for direction in [DVec3::X, DVec3::ONE, DVec3::new(-1.0, 0.3, 2.0)] {
        let point = 0.6 * direction.normalize();
        let (found, exact) = (grid.distance_m(point), shape.distance_m(point));
        assert!(
            found >= exact - 1e-3 && found < 1.3 * exact,
            "{found} {exact}"
        );
    }
}
