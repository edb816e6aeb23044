//! Contact by impulses after the solve: what they conserve, what comes back, and that nothing passes.

use glam::{DQuat, DVec2, DVec3};
use std::sync::Arc;
use toile_geometry::{QuadGrid, TriMesh, self_intersections};
use toile_sim::colliders::Shape;
use toile_sim::constraints::End;
use toile_sim::contact::impulses::Step;
use toile_sim::contact::{FrictionTable, Impulses, Listing, Movable, Surfaces};
use toile_sim::report::Energy;
use toile_sim::{
    BodySpec, ClothContact, ClothSpec, ColliderSpec, Cut, Material, Model, ModelSpec, PinRegion,
    PinSpec, Preconditioner, Response, Sheet, Simulation, StepConfig, Watch,
};

const STEP_S: f64 = 1.0 / 120.0;
const DOWN: DVec3 = DVec3::new(0.0, -9.81, 0.0);

fn sheet(name: &str, n: usize, center: DVec3, turn: DQuat) -> ClothSpec {
    let cut = Cut::Sheet(Sheet {
        grid: QuadGrid {
            columns: n,
            rows: n,
            size_m: DVec2::splat(0.02 * (n as f64 - 1.0)),
        },
        center,
        u_axis: turn * DVec3::X,
        v_axis: turn * DVec3::NEG_Z,
        curvature_per_m: 0.0,
    });
    ClothSpec::new(name, cut, Material::default())
}

fn model(cloths: Vec<ClothSpec>, gravity: DVec3) -> ModelSpec {
    ModelSpec {
        gravity_m_per_s2: gravity,
        cloths,
        ..ModelSpec::default()
    }
}

fn start(spec: &ModelSpec, restitution: f64, friction: f64) -> Simulation {
    with(spec, restitution, friction, StepConfig::default())
}

fn with(spec: &ModelSpec, restitution: f64, friction: f64, config: StepConfig) -> Simulation {
    let config = StepConfig {
        contact: Some(ClothContact { friction }),
        response: Response::Impulses { restitution },
        ..config
    };
    Simulation::new(Arc::new(Model::build(spec).unwrap()), config)
}

fn momentum(masses: &[f64], velocities: &[DVec3]) -> DVec3 {
    masses.iter().zip(velocities).map(|(m, v)| *m * *v).sum()
}

fn crossings(simulation: &Simulation) -> usize {
    let mesh = TriMesh {
        positions: simulation.state().positions.clone(),
        faces: simulation.model().mesh.faces.clone(),
    };
    self_intersections(&mesh, 0).unwrap().count
}

/// The corner of a small sheet above the inside of a triangle of another: where they start, and the
/// corner.
fn corner_on_triangle() -> (Model, Vec<DVec3>, usize) {
    let turn = DQuat::from_rotation_arc(
        DVec3::new(1.0, 0.0, 1.0).normalize(),
        DVec3::new(0.1, 1.0, 0.2).normalize(),
    );
    let below = sheet("below", 2, DVec3::ZERO, DQuat::IDENTITY);
    let above = sheet("above", 2, DVec3::new(0.003, 0.024, -0.002), turn);
    let model = Model::build(&model(vec![below, above], DVec3::ZERO)).unwrap();
    let positions = model.start_positions.clone();
    let lowest = (4..8).min_by(|a, b| positions[*a].y.total_cmp(&positions[*b].y));
    (model, positions, lowest.unwrap())
}

#[test]
fn what_meets_head_on_leaves_at_e_times_the_speed() {
    let (model, start, corner) = corner_on_triangle();
    let surfaces = Surfaces::new(&model, false);
    let friction = FrictionTable::new(&model, 0.0);
    let inverse_masses: Vec<f64> = model.masses.iter().map(|m| m.recip()).collect();
    let supports = vec![DVec3::ZERO; 8];
    let speed = 2.0;
    let fall = DVec3::new(0.0, -speed, 0.0);
    for held in [false, true] {
        for restitution in [0.0, 0.4, 1.0] {
            let mut inverse_masses = inverse_masses.clone();
            if held {
                inverse_masses[..4].fill(0.0);
            }
            let mut velocities = [[DVec3::ZERO; 4], [fall; 4]].concat();
            let mut positions: Vec<DVec3> = start
                .iter()
                .zip(&velocities)
                .map(|(x, v)| *x + STEP_S * *v)
                .collect();
            let before = momentum(&model.masses, &velocities);
            let step = Step {
                movable: &Movable {
                    inverse_masses: inverse_masses.clone(),
                    supports: supports.clone(),
                },
                friction: &friction,
                start: &start,
                body_ends: &[],
                step_s: STEP_S,
                gravity_m_per_s2: 0.0,
            };
            let mut end = End {
                positions: &mut positions,
                velocities: &mut velocities,
                history: None,
            };
            let mut impulses = Impulses::new(restitution);
            let mut listing = Listing::new(&surfaces, &start);
            let struck = impulses.respond(&surfaces, &mut listing, &step, &mut end);
            assert!(struck.impacts > 0);
            // The triangle is level: the point under the corner moves by its weights.
            let face = surfaces.faces.iter().find(|face| {
                let [a, b, c] = face.map(|v| start[v as usize]);
                let p = start[corner];
                let inside = [(a, b), (b, c), (c, a)]
                    .map(|(a, b)| ((b - a).x * (p - a).z - (b - a).z * (p - a).x).signum());
                face.iter().all(|v| *v < 4) && inside.iter().all(|s| *s == inside[0])
            });
            let [a, b, c] = face.unwrap().map(|v| v as usize);
            let x = [start[corner], start[a], start[b], start[c]];
            let weights = toile_geometry::distance::point_triangle(&x);
            let ends = [corner, a, b, c].map(|i| velocities[i]);
            let apart = toile_geometry::distance::between(&weights, &ends).y;
            let wanted = restitution * speed;
            assert!(
                (apart - wanted).abs() < 1e-9 * speed,
                "{apart} {wanted} held {held}"
            );
            for (i, (end, start)) in positions.iter().zip(&start).enumerate() {
                let way = *start + STEP_S * velocities[i];
                assert!(end.distance(way) < 1e-15, "{i}");
            }
            if held {
                assert!(velocities[..4].iter().all(|v| *v == DVec3::ZERO));
            } else {
                let change = momentum(&model.masses, &velocities) - before;
                assert!(change.length() < 1e-14 * before.length(), "{change}");
            }
        }
    }
}

/// Two free sheets that fly at each other.
fn collision() -> Vec<ClothSpec> {
    let mut below = sheet("below", 7, DVec3::ZERO, DQuat::IDENTITY);
    below.velocity_m_per_s = DVec3::new(0.0, 0.4, 0.0);
    let tilt = DQuat::from_rotation_z(0.1);
    let mut above = sheet("above", 9, DVec3::new(0.003, 0.025, 0.005), tilt);
    above.velocity_m_per_s = DVec3::new(0.3, -1.0, 0.1);
    vec![below, above]
}

#[test]
fn sheets_that_collide_keep_their_momentum_and_gain_no_energy() {
    for friction in [0.0, 0.3] {
        // What the solver leaves is not the impulses' doing.
        let exact = StepConfig {
            preconditioner: Preconditioner::BlockDiagonal,
            linear_tolerance: 1e-12,
            linear_max_iterations: 5000,
            ..StepConfig::default()
        };
        let spec = model(collision(), DVec3::ZERO);
        let mut simulation = with(&spec, 0.0, friction, exact);
        let masses = simulation.model().masses.clone();
        let mass: f64 = masses.iter().sum();
        let energy = |s: &Simulation| Energy::of(s.model(), s.state()).total_j();
        let begun = energy(&simulation);
        simulation.watch(Watch::Forbid);
        let (mut impacts, mut unguarded) = (0, 0);
        for _ in 0..40 {
            let before = momentum(&masses, &simulation.state().velocities);
            let report = simulation.step(STEP_S).unwrap();
            impacts += report.struck.impacts + report.struck.repelled;
            let change = momentum(&masses, &simulation.state().velocities) - before;
            if report.guarded.touched == 0 {
                unguarded += usize::from(report.struck.impacts > 0);
                assert!(change.length() < 1e-10 * mass, "{change} of {mass}");
            }
            assert!(energy(&simulation) < begun * (1.0 + 1e-6));
        }
        assert!(impacts > 0 && unguarded > 0, "{impacts} {unguarded}");
    }
}

#[test]
fn sheets_bounce_more_the_more_comes_back() {
    let parting = |restitution: f64| {
        let mut simulation = start(&model(collision(), DVec3::ZERO), restitution, 0.0);
        for _ in 0..30 {
            simulation.step(STEP_S).unwrap();
        }
        let mean = |range: std::ops::Range<usize>| {
            let n = range.len() as f64;
            simulation.state().velocities[range].iter().sum::<DVec3>() / n
        };
        mean(49..130).y - mean(0..49).y
    };
    let [none, half, all] = [0.0, 0.5, 1.0].map(parting);
    assert!(none < half && half < all, "{none} {half} {all}");
    // They came at 1.4 m/s.
    assert!(none < 0.7 && all < 1.4 * 1.05, "{none} {all}");
}

#[test]
fn a_sheet_that_falls_and_folds_crosses_nothing() {
    // Upright over the floor, where it folds as it lands.
    let tilt = DQuat::from_rotation_x(1.5) * DQuat::from_rotation_z(0.05);
    let cloth = sheet("cloth", 13, DVec3::new(0.0, 0.125, 0.0), tilt);
    let mut spec = model(vec![cloth], DOWN);
    let floor = Shape::Plane {
        normal: DVec3::Y,
        offset_m: 0.0,
    };
    spec.colliders.push(ColliderSpec::new(floor, 0.3));
    let mut simulation = start(&spec, 0.0, 0.3);
    simulation.watch(Watch::Forbid);
    let mut struck = 0;
    for _ in 0..120 {
        let report = simulation.step(STEP_S).unwrap();
        struck += report.struck.impacts + report.struck.repelled;
    }
    assert!(struck > 0, "it never met itself");
    assert_eq!(crossings(&simulation), 0);
    let highest = simulation.state().positions.iter().map(|x| x.y);
    let highest = highest.fold(0.0, f64::max);
    assert!(highest < 0.1, "it has not fallen: {highest} m");
}

#[test]
fn a_sheet_comes_to_lie_on_a_held_one_and_on_a_body() {
    let mut below = sheet("below", 13, DVec3::ZERO, DQuat::IDENTITY);
    below
        .pins
        .push(PinSpec::fixed(PinRegion::Indices((0..169).collect())));
    let above = || {
        sheet(
            "above",
            9,
            DVec3::new(0.003, 0.02, 0.005),
            DQuat::from_rotation_y(0.2),
        )
    };
    let grid = QuadGrid {
        columns: 7,
        rows: 7,
        size_m: DVec2::splat(0.3),
    };
    let plate = TriMesh {
        positions: grid.positions(DVec3::ZERO, DVec3::X, -DVec3::Z),
        faces: grid.faces(),
    };
    let mut on_body = model(vec![above()], DOWN);
    on_body.bodies.push(BodySpec::new("plate", plate, 0.3));
    for (spec, first) in [(model(vec![below, above()], DOWN), 169), (on_body, 0)] {
        let mut simulation = start(&spec, 0.0, 0.3);
        simulation.watch(Watch::Forbid);
        for _ in 0..120 {
            simulation.step(STEP_S).unwrap();
        }
        let state = simulation.state();
        let lowest = state.positions[first..].iter().map(|x| x.y);
        assert!(lowest.fold(f64::MAX, f64::min) > 0.0);
        let fastest = state.velocities[first..].iter().map(|v| v.length());
        let fastest = fastest.fold(0.0, f64::max);
        // A step of free fall.
        assert!(fastest < 9.81 * STEP_S, "{fastest} m/s");
    }
}

/// Below the limit of Coulomb's law friction holds cloth on a slope, and does not only brake it.
#[test]
fn cloth_on_a_slope_does_not_creep() {
    let turn = DQuat::from_rotation_z(-20_f64.to_radians());
    let grid = QuadGrid {
        columns: 5,
        rows: 5,
        size_m: DVec2::splat(0.6),
    };
    let plate = TriMesh {
        positions: grid.positions(DVec3::ZERO, turn * DVec3::X, turn * DVec3::NEG_Z),
        faces: grid.faces(),
    };
    let center = turn * DVec3::new(0.003, 1.5e-3, 0.002);
    let mut spec = model(vec![sheet("sheet", 9, center, turn)], DOWN);
    spec.bodies.push(BodySpec::new("plate", plate, 0.5));
    let mut simulation = start(&spec, 0.0, 0.5);
    for _ in 0..60 {
        simulation.step(STEP_S).unwrap();
    }
    let before = simulation.state().positions.clone();
    for _ in 0..60 {
        simulation.step(STEP_S).unwrap();
    }
    let ways = simulation.state().positions.iter().zip(&before);
    let way_m = ways.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(way_m < 0.5e-6, "{way_m} m in half a second");
}
