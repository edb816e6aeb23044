//! Cloth that starts crossed frees itself, and stays free.

use glam::{DQuat, DVec2, DVec3};
use std::sync::Arc;
use toile_geometry::generate::Tube;
use toile_geometry::{QuadGrid, TriMesh, self_intersections};
use toile_sim::{
    BodySpec, ClothContact, ClothModel, ClothSpec, Cut, Material, Model, ModelSpec, Preconditioner,
    Sheet, Simulation, StepConfig, Watch,
};

const STEP_S: f64 = 1.0 / 120.0;
/// Steps that are looked at after it is clean.
const AFTER: usize = 30;

fn sheet(columns: usize, rows: usize, center: DVec3, turn: DQuat) -> ClothSpec {
    let cut = Cut::Sheet(Sheet {
        grid: QuadGrid {
            columns,
            rows,
            size_m: 0.02 * DVec2::new(columns as f64 - 1.0, rows as f64 - 1.0),
        },
        center,
        u_axis: turn * DVec3::X,
        v_axis: turn * DVec3::NEG_Z,
        curvature_per_m: 0.0,
    });
    ClothSpec::new("sheet", cut, Material::default())
}

fn start(cloths: Vec<ClothSpec>, bodies: Vec<BodySpec>, untangle: bool) -> Simulation {
    let spec = ModelSpec {
        air: toile_sim::AirSpec::default(),
        cloths: named(cloths),
        bodies,
        ..ModelSpec::default()
    };
    // What the solver leaves is not the doing of whatever is tested here.
    let config = StepConfig {
        contact: Some(ClothContact::default()),
        untangle,
        preconditioner: Preconditioner::BlockDiagonal,
        linear_tolerance: 1e-12,
        linear_max_iterations: 5000,
        ..StepConfig::default()
    };
    Simulation::new(Arc::new(Model::build(&spec).unwrap()), config)
}

fn named(mut cloths: Vec<ClothSpec>) -> Vec<ClothSpec> {
    for (k, cloth) in cloths.iter_mut().enumerate() {
        cloth.name = format!("cloth-{k}");
    }
    cloths
}

fn crossings(simulation: &Simulation) -> usize {
    let mesh = TriMesh {
        positions: simulation.state().positions.clone(),
        faces: simulation.model().mesh.faces.clone(),
    };
    self_intersections(&mesh, 0).unwrap().count
}

fn momentum(simulation: &Simulation) -> DVec3 {
    let velocities = &simulation.state().velocities;
    let all = simulation.model().masses.iter().zip(velocities);
    all.map(|(m, v)| *m * *v).sum()
}

fn fastest(simulation: &Simulation) -> f64 {
    let speeds = simulation.state().velocities.iter().map(|v| v.length());
    speeds.fold(0.0, f64::max)
}

/// Takes steps until it is clean, at most `most`, and some more; returns how many it took.
fn frees_itself(simulation: &mut Simulation, most: usize) -> usize {
    let mut counts = vec![crossings(simulation)];
    assert!(counts[0] > 0, "it starts clean");
    simulation.watch(Watch::Count);
    while *counts.last().unwrap() > 0 {
        assert!(counts.len() <= most, "still crossed: {counts:?}");
        let report = simulation.step(STEP_S).unwrap();
        assert_eq!(report.tangled, *counts.last().unwrap());
        counts.push(report.crossings.unwrap());
        // Edges go out at 0.3 m/s, and cloth that springs back is not much faster.
        assert!(fastest(simulation) < 3.0, "{}", fastest(simulation));
    }
    simulation.watch(Watch::Forbid);
    for _ in 0..AFTER {
        let report = simulation.step(STEP_S).unwrap();
        assert_eq!(report.tangled, 0);
    }
    counts.len() - 1
}

/// A level sheet, and one that is stuck through it with a border.
fn stuck_through(turn: DQuat, center: DVec3) -> Vec<ClothSpec> {
    let level = sheet(13, 13, DVec3::ZERO, DQuat::IDENTITY);
    vec![level, sheet(9, 9, center, turn)]
}

#[test]
fn sheets_whose_borders_overlap_part() {
    // The borders of both cross the other sheet: nothing is cut off.
    let tilt = DQuat::from_rotation_x(0.6) * DQuat::from_rotation_y(0.2);
    let cloths = stuck_through(tilt, DVec3::new(0.185, 0.004, 0.03));
    let mut simulation = start(cloths, Vec::new(), true);
    frees_itself(&mut simulation, 100);
}

#[test]
fn a_border_stuck_through_a_sheet_comes_out() {
    let turn = DQuat::from_rotation_y(0.1) * DQuat::from_rotation_z(1.3);
    let cloths = stuck_through(turn, DVec3::new(0.011, 0.055, 0.013));
    let mut simulation = start(cloths, Vec::new(), true);
    frees_itself(&mut simulation, 100);
    // On the side where most of it was.
    let upper = &simulation.state().positions[169..];
    let mean = upper.iter().sum::<DVec3>() / upper.len() as f64;
    assert!(mean.y > 0.05, "{mean}");
}

#[test]
fn a_corner_poked_through_a_sheet_comes_out() {
    let turn = DQuat::from_rotation_x(0.8) * DQuat::from_rotation_z(0.8);
    let cloths = stuck_through(turn, DVec3::new(0.003, 0.08, 0.005));
    let mut simulation = start(cloths, Vec::new(), true);
    frees_itself(&mut simulation, 100);
}

#[test]
fn a_sheet_stuck_half_through_another_comes_out() {
    let turn = DQuat::from_rotation_z(0.5) * DQuat::from_rotation_y(0.1);
    let cloths = stuck_through(turn, DVec3::new(0.01, 0.003, 0.004));
    let mut simulation = start(cloths, Vec::new(), true);
    frees_itself(&mut simulation, 100);
}

#[test]
fn a_strip_that_is_bent_through_itself_comes_apart() {
    let strip = sheet(25, 5, DVec3::ZERO, DQuat::IDENTITY);
    let mut simulation = start(vec![strip], Vec::new(), true);
    let mut state = simulation.state().clone();
    // Straight, round by 240° in the middle, and straight again: the end goes through the beginning.
    let bend = |along: f64| 4.2 * ((along - 0.14) / 0.2).clamp(0.0, 1.0);
    let mut curve = vec![DVec3::ZERO];
    for k in 1..25 {
        let mut at = curve[k - 1];
        for j in 0..20 {
            let angle = bend(0.02 * (k as f64 - 1.0) + 0.001 * (f64::from(j) + 0.5));
            at += 0.001 * DVec3::new(angle.cos(), angle.sin(), 0.0);
        }
        curve.push(at);
    }
    for (i, x) in state.positions.iter_mut().enumerate() {
        // Its own width askew, so that no two edges are parallel.
        let z = x.z;
        *x = curve[i % 25] + DVec3::new(0.01 * z, 0.02 * z, z);
    }
    simulation.restore(state);
    frees_itself(&mut simulation, 200);
}

#[test]
fn a_tube_that_crosses_another_at_its_rim_comes_out() {
    let tube = |radius_m: f64, center: DVec3, turn: DQuat| {
        let tube = Tube {
            radius_m,
            length_m: 0.12,
            around: 20,
            along: 7,
        };
        let mut surface = tube.surface();
        for x in &mut surface.mesh.positions {
            *x = center + turn * *x;
        }
        let mut cloth = ClothSpec::new("tube", Cut::Mesh(Arc::new(surface)), Material::default());
        cloth.model = ClothModel::TRIANGLE_BUCKLING;
        cloth
    };
    let inner = tube(0.05, DVec3::ZERO, DQuat::IDENTITY);
    // Over the end of the other, and tilted: its rim dips into it.
    let outer = tube(
        0.06,
        DVec3::new(0.0, 0.07, 0.0),
        DQuat::from_rotation_z(0.25),
    );
    let mut simulation = start(vec![inner, outer], Vec::new(), true);
    frees_itself(&mut simulation, 200);
}

#[test]
fn freeing_keeps_momentum() {
    let turn = DQuat::from_rotation_x(0.8) * DQuat::from_rotation_z(0.8);
    let mut cloths = stuck_through(turn, DVec3::new(0.003, 0.08, 0.005));
    cloths[1].velocity_m_per_s = DVec3::new(0.2, 0.0, 0.1);
    let mut simulation = start(cloths, Vec::new(), true);
    let before = momentum(&simulation);
    let mass: f64 = simulation.model().masses.iter().sum();
    let mut unguarded = 0;
    while crossings(&simulation) > 0 {
        let was = momentum(&simulation);
        let report = simulation.step(STEP_S).unwrap();
        if report.guarded.touched == 0 {
            unguarded += 1;
            let change = (momentum(&simulation) - was).length();
            assert!(change < 1e-10 * mass, "{change} of {mass}");
        }
    }
    assert!(unguarded > 0);
    let speed = (momentum(&simulation) - before).length() / mass;
    assert!(speed < 0.01, "{speed} m/s");
}

#[test]
fn crossings_stay_where_they_are_not_to_be_freed() {
    let turn = DQuat::from_rotation_x(0.8) * DQuat::from_rotation_z(0.8);
    let cloths = stuck_through(turn, DVec3::new(0.003, 0.08, 0.005));
    let mut simulation = start(cloths, Vec::new(), false);
    for _ in 0..60 {
        assert_eq!(simulation.step(STEP_S).unwrap().tangled, 0);
    }
    assert!(crossings(&simulation) > 0);
}

#[test]
fn a_clean_start_goes_the_very_same_way() {
    let run = |untangle: bool| {
        let mut upper = sheet(9, 9, DVec3::new(0.003, 0.012, 0.005), DQuat::IDENTITY);
        upper.velocity_m_per_s = DVec3::new(0.1, -1.0, 0.0);
        let cloths = vec![sheet(13, 13, DVec3::ZERO, DQuat::IDENTITY), upper];
        let mut simulation = start(cloths, Vec::new(), untangle);
        for _ in 0..20 {
            simulation.step(STEP_S).unwrap();
        }
        simulation.state().clone()
    };
    assert_eq!(run(true), run(false));
}

#[test]
fn a_resumed_run_goes_on_as_it_would_have() {
    let turn = DQuat::from_rotation_y(0.1) * DQuat::from_rotation_z(1.3);
    let cloths = || stuck_through(turn, DVec3::new(0.011, 0.055, 0.013));
    let mut straight = start(cloths(), Vec::new(), true);
    let mut saved = None;
    for k in 0..12 {
        if k == 4 {
            assert!(crossings(&straight) > 0);
            saved = Some(straight.state().clone());
        }
        straight.step(STEP_S).unwrap();
    }
    // One that has known better goes back.
    let mut resumed = start(cloths(), Vec::new(), true);
    while crossings(&resumed) > 0 {
        resumed.step(STEP_S).unwrap();
    }
    resumed.step(STEP_S).unwrap();
    resumed.restore(saved.unwrap());
    for _ in 4..12 {
        resumed.step(STEP_S).unwrap();
    }
    assert_eq!(straight.state(), resumed.state());
}

#[test]
fn bodies_that_cross_themselves_do_not_matter() {
    let plate = |tilt: f64| {
        let grid = QuadGrid {
            columns: 5,
            rows: 5,
            size_m: DVec2::splat(0.2),
        };
        let turn = DQuat::from_rotation_z(tilt);
        (
            grid.positions(
                DVec3::new(0.0, -0.06, 0.0),
                turn * DVec3::X,
                DVec3::new(0.0, 0.0, -1.0),
            ),
            grid.faces(),
        )
    };
    let (mut positions, mut faces) = plate(0.3);
    let (more, again) = plate(-0.3);
    let first = positions.len() as u32;
    positions.extend(more);
    faces.extend(again.iter().map(|face| face.map(|v| v + first)));
    let body = BodySpec::new("crossed", TriMesh { positions, faces }, 0.3);
    let mut cloth = sheet(9, 9, DVec3::ZERO, DQuat::IDENTITY);
    cloth.velocity_m_per_s = DVec3::new(0.0, -0.3, 0.0);
    let mut simulation = start(vec![cloth], vec![body], true);
    simulation.watch(Watch::Forbid);
    for _ in 0..60 {
        assert_eq!(simulation.step(STEP_S).unwrap().tangled, 0);
    }
}
