//! Broken meshes: refused with a reason or made fields of, within their memory, and never a panic.

use glam::DVec3;
use proptest::prelude::*;
use toile_geometry::TriMesh;
use toile_geometry::levelset::{
    Coarsening, Depths, Exact, Field, Grid, LevelSetError, Octree, Settings, Solid,
};

/// Memory that fields may take, bytes.
const LIMIT_BYTES: u64 = 1 << 21;

/// One thing that goes wrong with a mesh; numbers choose where.
#[derive(Clone, Debug)]
enum Harm {
    LoseFaces { every: usize },
    Turn { every: usize },
    Repeat { every: usize },
    Flatten { axis: usize },
    Collapse { share: f64 },
    Move { vertex: usize, to: f64 },
    Spoil { vertex: usize, with: f64 },
    Mistake { face: usize, vertex: u32 },
    Overlap { by_m: f64, turned: bool },
    TurnAll,
    Twist { by: f64 },
    OneFace,
    Nothing,
}

fn harm() -> impl Strategy<Value = Harm> {
    let spoiled = prop_oneof![
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(-f64::INFINITY),
        Just(1e300),
    ];
    prop_oneof![
        (2..40_usize).prop_map(|every| Harm::LoseFaces { every }),
        (1..40_usize).prop_map(|every| Harm::Turn { every }),
        (1..40_usize).prop_map(|every| Harm::Repeat { every }),
        (0..3_usize).prop_map(|axis| Harm::Flatten { axis }),
        (0.0..1.0).prop_map(|share| Harm::Collapse { share }),
        (any::<usize>(), -1e9..1e9).prop_map(|(vertex, to)| Harm::Move { vertex, to }),
        (any::<usize>(), spoiled).prop_map(|(vertex, with)| Harm::Spoil { vertex, with }),
        (any::<usize>(), any::<u32>()).prop_map(|(face, vertex)| Harm::Mistake { face, vertex }),
        (0.0..0.3, any::<bool>()).prop_map(|(by_m, turned)| Harm::Overlap { by_m, turned }),
        Just(Harm::TurnAll),
        (-3.0..3.0).prop_map(|by| Harm::Twist { by }),
        Just(Harm::OneFace),
        Just(Harm::Nothing),
    ]
}

fn turn(face: &mut [u32; 3]) {
    face.swap(0, 1);
}

impl Harm {
    fn to(&self, mesh: &mut TriMesh) {
        let (vertices, faces) = (mesh.positions.len(), mesh.faces.len());
        match *self {
            Self::LoseFaces { every } => {
                let mut k = 0;
                mesh.faces.retain(|_| {
                    k += 1;
                    k % every != 0
                });
            }
            Self::Turn { every } => mesh.faces.iter_mut().step_by(every).for_each(turn),
            Self::Repeat { every } => {
                let again: Vec<_> = mesh.faces.iter().step_by(every).copied().collect();
                mesh.faces.extend(again);
            }
            Self::Flatten { axis } => mesh.positions.iter_mut().for_each(|p| p[axis] = 0.1),
            Self::Collapse { share } => {
                let count = (share * vertices as f64) as usize;
                mesh.positions[..count].fill(DVec3::splat(0.05));
            }
            Self::Move { vertex, to } => mesh.positions[vertex % vertices].y = to,
            Self::Spoil { vertex, with } => mesh.positions[vertex % vertices].x = with,
            Self::Mistake { face, vertex } if faces > 0 => mesh.faces[face % faces][1] = vertex,
            Self::Overlap { by_m, turned } => {
                let moved = mesh.positions.iter().map(|p| *p + by_m * DVec3::X);
                let moved: Vec<DVec3> = moved.collect();
                let first = vertices as u32;
                let copies = mesh.faces.iter();
                let mut copies: Vec<[u32; 3]> = copies
                    .map(|face| face.map(|v| v.saturating_add(first)))
                    .collect();
                if turned {
                    copies.iter_mut().for_each(turn);
                }
                mesh.positions.extend(moved);
                mesh.faces.extend(copies);
            }
            Self::TurnAll => mesh.faces.iter_mut().for_each(turn),
            // About the axis, in proportion to the height: it comes to cross itself.
            Self::Twist { by } => {
                for p in &mut mesh.positions {
                    let (sin, cos) = (by * 20.0 * p.y).sin_cos();
                    *p = DVec3::new(cos * p.x - sin * p.z, p.y * by.cos(), sin * p.x + cos * p.z);
                }
            }
            Self::OneFace => mesh.faces.truncate(1),
            Self::Mistake { .. } | Self::Nothing => {}
        }
    }
}

fn whole(kind: usize) -> TriMesh {
    let shapes = [
        Exact::Sphere { radius_m: 0.1 },
        Exact::Torus {
            ring_m: 0.1,
            tube_m: 0.04,
        },
        Exact::RoundedBox {
            half_m: DVec3::new(0.1, 0.05, 0.02),
            radius_m: 0.02,
        },
    ];
    shapes[kind].mesh(0.04)
}

/// A field of a mesh, with all that can be said of it whatever the mesh.
fn tried(mesh: &TriMesh, hole_limit_m: f64, cell_m: f64) -> Result<(), LevelSetError> {
    let solid = Solid::new(mesh, hole_limit_m)?;
    let settings = Settings {
        limit_bytes: LIMIT_BYTES,
        ..Settings::new(cell_m)
    };
    let grid = Grid::build(&solid, &mesh.positions, Some(&mesh.positions), &settings)?;
    assert!(grid.bytes() as u64 <= LIMIT_BYTES + 1024);
    let tree = Octree::from_grid(&grid, &Coarsening::new(cell_m))?;
    let depths = Depths::new(&solid, &mesh.positions)?;
    let bounds = grid.bounds();
    for k in 0..20 {
        let share = (0.5 + f64::from(k) * DVec3::new(0.819, 0.671, 0.549)).fract();
        let point = bounds.min + share * bounds.size();
        for field in [&grid as &dyn Field, &tree] {
            assert!(field.distance_m(point).is_finite());
            assert!(field.velocity(point).is_finite());
        }
        assert!(depths.depth_m(point) >= 0.0);
    }
    let outside = bounds.max + bounds.size();
    assert!(grid.distance_m(outside) > 0.0 && depths.depth_m(outside) == 0.0);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn broken_meshes_are_refused_or_handled(
        kind in 0..3_usize,
        harms in prop::collection::vec(harm(), 1..4),
        hole_limit_m in 0.0..0.1_f64,
        cell_m in 0.012..0.03_f64,
    ) {
        let mut mesh = whole(kind);
        harms.iter().for_each(|harm| harm.to(&mut mesh));
        if let Err(error) = tried(&mesh, hole_limit_m, cell_m) {
            // It says what is wrong, and where it can.
            prop_assert!(!error.to_string().is_empty());
            if let LevelSetError::Open { widest, .. } = &error {
                prop_assert!(widest.center.is_finite() && widest.width_m > hole_limit_m);
            }
        }
    }
}

#[test]
fn whole_meshes_are_not_refused() {
    for kind in 0..3 {
        tried(&whole(kind), 0.0, 0.02).unwrap();
    }
}

#[test]
fn poses_that_enclose_nothing_are_refused() {
    let mesh = whole(0);
    let solid = Solid::new(&mesh, 0.0).unwrap();
    solid.check_pose(&mesh.positions).unwrap();
    let refused = |place: &dyn Fn(&DVec3) -> DVec3| {
        let pose: Vec<DVec3> = mesh.positions.iter().map(place).collect();
        matches!(solid.check_pose(&pose), Err(LevelSetError::NoVolume { .. }))
    };
    assert!(refused(&|_| DVec3::ONE), "collapsed");
    assert!(refused(&|p| p.with_y(0.3)), "flat");
    assert!(refused(&|p| -*p), "inside out");
    assert!(!refused(&|p| 1e-3 * *p), "small");
}
