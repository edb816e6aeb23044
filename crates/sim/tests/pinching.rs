//! Cloth between bodies that close on it, pass through each other, and part again.

use glam::{DVec2, DVec3};
use std::sync::Arc;
use toile_geometry::generate::Lathe;
use toile_geometry::{QuadGrid, TriMesh, self_intersections};
use toile_sim::colliders::Shape;
use toile_sim::report::Energy;
use toile_sim::{
    BodyMotion, BodySpec, ClothContact, ClothSpec, ColliderSpec, Cut, Integrator, Keyframe,
    Keyframes, Material, Model, ModelSpec, Motion, PinRegion, PinSpec, Sheet, Simulation,
    StepConfig, StepError,
};

const FRAME_S: f64 = 1.0 / 60.0;
/// Gravity, m/s², and the length of the strip, m.
const GRAVITY_M_PER_S2: f64 = 1.0;
const LENGTH_M: f64 = 0.32;
/// Frame by which bodies have parted, and stood still for a while.
const PARTED: usize = 72;

/// A strip in the plane y = 0, held at one end far from where it is pinched.
fn strip() -> ClothSpec {
    let cut = Cut::Sheet(Sheet {
        grid: QuadGrid {
            columns: 17,
            rows: 7,
            size_m: DVec2::new(LENGTH_M, 0.12),
        },
        center: DVec3::new(0.003, 0.0, 0.002),
        u_axis: DVec3::X,
        v_axis: DVec3::NEG_Z,
        curvature_per_m: 0.0,
    });
    let mut strip = ClothSpec::new("strip", cut, Material::default());
    let end = (0..7).map(|row| 17 * row).collect();
    strip.pins.push(PinSpec::fixed(PinRegion::Indices(end)));
    strip
}

fn spec(bodies: Vec<BodySpec>, colliders: Vec<ColliderSpec>) -> ModelSpec {
    ModelSpec {
        gravity_m_per_s2: DVec3::new(0.0, -GRAVITY_M_PER_S2, 0.0),
        cloths: vec![strip()],
        colliders,
        bodies,
        ..ModelSpec::default()
    }
}

/// There by `way` in half a second, and back again.
fn there_and_back(way: DVec3) -> Motion {
    let key = |time_s: f64, offset_m: DVec3| Keyframe {
        time_s,
        offset_m,
        ..Keyframe::START
    };
    Motion::Keyframes(Keyframes {
        keys: vec![key(0.5, way), key(0.6, way), key(1.1, DVec3::ZERO)],
        pivot: None,
        interpolation: Default::default(),
    })
}

/// Whether cloth and bodies cross.
fn crosses_bodies(simulation: &Simulation) -> bool {
    let (model, state) = (simulation.model(), simulation.state());
    if model.bodies.is_empty() {
        return false;
    }
    let cloth = TriMesh {
        positions: state.positions.clone(),
        faces: model.mesh.faces.clone(),
    };
    let bodies = toile_sim::bodies::mesh(&model.bodies, state.time_s);
    let found = toile_geometry::intersections_between(&cloth, &bodies, 0).unwrap();
    found.count > 0
}

/// The fastest that the strip becomes if it just falls, m/s. Its end is cracked like a whip, so that is more
/// than a stone would have over its length.
fn fastest_fall() -> f64 {
    let model = Arc::new(Model::build(&spec(Vec::new(), Vec::new())).unwrap());
    let mut simulation = Simulation::new(model, StepConfig::default());
    let mut fastest = 0.0_f64;
    for _ in 0..60 {
        simulation.advance(FRAME_S, 0.1 * FRAME_S).unwrap();
        let speeds = simulation.state().velocities.iter().map(|v| v.length());
        fastest = speeds.fold(fastest, f64::max);
    }
    assert!(fastest > (2.0 * GRAVITY_M_PER_S2 * LENGTH_M).sqrt());
    fastest
}

/// Plays it to the end and looks at it: how many particles were pinched at most.
fn play(spec: &ModelSpec) -> usize {
    let config = StepConfig {
        // Of the schemes, the one that never gives energy.
        integrator: Integrator::BackwardEuler,
        contact: Some(ClothContact::default()),
        ..StepConfig::default()
    };
    let mut simulation = Simulation::new(Arc::new(Model::build(spec).unwrap()), config);
    let (mut pinched, mut free, mut energy_j) = (0, 0, f64::INFINITY);
    let (mut is_in_body, most) = (false, fastest_fall());
    for frame in 0..150 {
        let report = simulation.advance(FRAME_S, 0.5 * FRAME_S);
        let report = report.unwrap_or_else(|error| panic!("frame {frame}: {error}"));
        pinched = pinched.max(report.contact.pinched_max);
        let state = simulation.state();
        let speeds = state.velocities.iter().map(|v| v.length());
        let fastest = speeds.fold(0.0, f64::max);
        let mesh = TriMesh {
            positions: state.positions.clone(),
            faces: simulation.model().mesh.faces.clone(),
        };
        assert_eq!(self_intersections(&mesh, 0).unwrap().count, 0, "{frame}");
        // Let go, not thrown: while it touches nothing, and is not being let out of a body, it falls.
        let was_in_body = std::mem::replace(&mut is_in_body, crosses_bodies(&simulation));
        let acted = report.contact.contacts_max + report.contact.touches_max + report.guard.touched;
        let is_free = acted == 0 && !was_in_body && !is_in_body;
        let now_j = Energy::of(simulation.model(), state).total_j();
        if pinched > 0 && report.contact.pinched_max == 0 && is_free {
            assert!(now_j < energy_j, "{frame}: {now_j} J after {energy_j} J");
            free += 1;
        }
        energy_j = now_j;
        // The bodies are where they began.
        if frame >= PARTED {
            assert_eq!(report.contact.pinched_max, 0, "{frame}: still pinched");
            assert!(fastest < most || !is_free, "{frame}: {fastest} m/s");
        }
    }
    assert!(free > 3, "{free} frames in the air");
    assert!(!crosses_bodies(&simulation), "cloth is left in a body");
    pinched
}

fn moved(name: &str, mesh: TriMesh, way: DVec3) -> BodySpec {
    BodySpec {
        motion: BodyMotion::Rigid(there_and_back(way)),
        thickness_m: 0.002,
        ..BodySpec::new(name, mesh, 0.3)
    }
}

#[test]
fn plates_that_pass_through_each_other_let_go_of_cloth() {
    let plate = |height_m: f64| {
        let grid = QuadGrid {
            columns: 8,
            rows: 8,
            size_m: DVec2::new(0.14, 0.2),
        };
        TriMesh {
            positions: grid.positions(
                DVec3::new(0.05 + 0.1 * height_m, height_m, 0.004),
                DVec3::X,
                DVec3::NEG_Z,
            ),
            faces: grid.faces(),
        }
    };
    let bodies = vec![
        moved("upper", plate(0.1), DVec3::new(0.0, -0.15, 0.0)),
        moved("lower", plate(-0.1), DVec3::new(0.0, 0.15, 0.0)),
    ];
    assert!(play(&spec(bodies, Vec::new())) > 10);
}

/// A ball of triangles at a height.
fn ball(height_m: f64) -> TriMesh {
    let profile = (0..=10).map(|k| {
        let angle = std::f64::consts::PI * f64::from(k) / 10.0;
        DVec2::new(0.06 * angle.sin(), -0.06 * angle.cos())
    });
    let ball = Lathe {
        profile: profile.collect(),
        spacing_m: 0.02,
        lobes: 0,
        lobe_depth: 0.0,
    };
    let mut mesh = ball.mesh().unwrap();
    for x in &mut mesh.positions {
        *x += DVec3::new(0.06, height_m, 0.003);
    }
    mesh
}

#[test]
fn balls_that_pass_into_each_other_let_go_of_cloth() {
    let bodies = vec![
        moved("upper", ball(0.15), DVec3::new(0.0, -0.11, 0.0)),
        moved("lower", ball(-0.15), DVec3::new(0.0, 0.11, 0.0)),
    ];
    assert!(play(&spec(bodies, Vec::new())) > 0);
}

#[test]
fn colliders_that_pass_into_each_other_let_go_of_cloth() {
    let ball = |height_m: f64, way: DVec3| {
        let shape = Shape::Sphere {
            center: DVec3::new(0.06, height_m, 0.003),
            radius_m: 0.06,
        };
        ColliderSpec {
            motion: there_and_back(way),
            ..ColliderSpec::new(shape, 0.3)
        }
    };
    let colliders = vec![
        ball(0.15, DVec3::new(0.0, -0.11, 0.0)),
        ball(-0.15, DVec3::new(0.0, 0.11, 0.0)),
    ];
    assert!(play(&spec(Vec::new(), colliders)) > 0);
}

/// A ceiling comes down on cloth on a floor until there is no room for it: it lies in the middle between
/// the two, as still as they are, and stays on the floor when the ceiling goes up again.
#[test]
fn cloth_between_floor_and_ceiling_lies_in_the_middle() {
    let plane = |up: f64, height_m: f64| Shape::Plane {
        normal: DVec3::Y * up,
        offset_m: up * height_m,
    };
    let (start_m, closed_m) = (0.05, 2e-4);
    let ceiling = ColliderSpec {
        motion: there_and_back(DVec3::new(0.0, closed_m - start_m, 0.0)),
        ..ColliderSpec::new(plane(-1.0, start_m), 0.3)
    };
    let mut spec = spec(
        Vec::new(),
        vec![ColliderSpec::new(plane(1.0, 0.0), 0.3), ceiling],
    );
    let cloth = &mut spec.cloths[0];
    cloth.pins.clear();
    let thickness_m = cloth.material.thickness_m;
    assert!(closed_m < thickness_m);
    if let Cut::Sheet(sheet) = &mut cloth.cut {
        sheet.center.y = thickness_m;
    }
    let mut simulation = Simulation::new(
        Arc::new(Model::build(&spec).unwrap()),
        StepConfig::default(),
    );
    let mut pinched = 0;
    for frame in 0..150 {
        let report = simulation.advance(FRAME_S, 0.5 * FRAME_S).unwrap();
        pinched = pinched.max(report.contact.pinched_max);
        let state = simulation.state();
        // Closed from 0.5 to 0.6 s.
        if (30..36).contains(&frame) {
            assert_eq!(report.contact.pinched_max, state.positions.len());
            for x in &state.positions {
                assert!((x.y - 0.5 * closed_m).abs() < 1e-9, "{frame}: {} m", x.y);
            }
        }
        let fastest = state.velocities.iter().map(|v| v.length());
        let fastest = fastest.fold(0.0, f64::max);
        assert!(fastest < 0.4, "{frame}: {fastest} m/s");
        if frame > 60 {
            assert_eq!(report.contact.pinched_max, 0);
            let low = |x: &DVec3| (x.y - thickness_m).abs() < 1e-6;
            assert!(state.positions.iter().all(low));
        }
    }
    assert!(pinched > 0);
}

/// Cloth whose border is drawn over a ball has nowhere to go, and is no more let through it if there is a
/// floor far away, or another ball: only what closes on it from the other side lets it go.
#[test]
fn one_body_lets_nothing_through_whatever_else_there_is() {
    let floor = Shape::Plane {
        normal: DVec3::Y,
        offset_m: -5.0,
    };
    let floor = ColliderSpec::new(floor, 0.3);
    let body = |height_m| BodySpec::new("ball", ball(height_m), 0.3);
    let others = [
        (vec![body(-0.1)], Vec::new()),
        (vec![body(-0.1)], vec![floor]),
        (vec![body(-0.1), body(-0.4)], Vec::new()),
    ];
    for (bodies, colliders) in others {
        let mut spec = spec(bodies, colliders);
        let border = |i: &u32| [0, 6].contains(&(i / 17)) || [0, 16].contains(&(i % 17));
        let border = (0..17 * 7).filter(border).collect();
        spec.cloths[0].pins = vec![PinSpec {
            motion: Motion::Velocity(DVec3::new(0.0, -1.0, 0.0)),
            ..PinSpec::fixed(PinRegion::Indices(border))
        }];
        let config = StepConfig {
            contact: Some(ClothContact::default()),
            ..StepConfig::default()
        };
        let mut simulation = Simulation::new(Arc::new(Model::build(&spec).unwrap()), config);
        let ended = (0..30).find_map(|_| simulation.advance(FRAME_S, 0.5 * FRAME_S).err());
        let ended = ended.expect("cloth cannot pass");
        assert!(matches!(ended, StepError::Crushed { .. }), "{ended}");
        assert!(!crosses_bodies(&simulation), "what is kept is clean");
    }
}
