//! Contact of cloth with cloth: forces in the solve, friction, and what they conserve.

mod support;

use glam::{DVec2, DVec3};
use std::sync::Arc;
use toile_geometry::{QuadGrid, TriMesh, self_intersections};
use toile_sim::{
    ClothContact, ClothSpec, Cut, Material, Model, ModelSpec, PinRegion, PinSpec, Sheet,
    Simulation, StepConfig,
};

fn sheet(name: &str, n: usize, center: DVec3) -> ClothSpec {
    let cut = Cut::Sheet(Sheet {
        grid: QuadGrid {
            columns: n,
            rows: n,
            size_m: DVec2::splat(0.02 * (n as f64 - 1.0)),
        },
        center,
        u_axis: DVec3::X,
        v_axis: -DVec3::Z,
        curvature_per_m: 0.0,
    });
    ClothSpec::new(name, cut, Material::default())
}

fn run(cloths: Vec<ClothSpec>, gravity: DVec3, friction: f64) -> Simulation {
    let spec = ModelSpec {
        gravity_m_per_s2: gravity,
        cloths,
        colliders: Vec::new(),
        air: Default::default(),
    };
    let config = StepConfig {
        contact: Some(ClothContact { friction }),
        ..StepConfig::default()
    };
    Simulation::new(Arc::new(Model::build(&spec).unwrap()), config)
}

fn crossings(simulation: &Simulation) -> usize {
    let mesh = TriMesh {
        positions: simulation.state().positions.clone(),
        faces: simulation.model().faces.clone(),
    };
    self_intersections(&mesh, 0).unwrap().count
}

#[test]
fn a_sheet_that_falls_on_a_held_one_is_stopped_by_the_solve() {
    let mut below = sheet("below", 13, DVec3::ZERO);
    let all = (0..169).collect();
    below.pins.push(PinSpec::fixed(PinRegion::Indices(all)));
    let mut above = sheet("above", 9, DVec3::new(0.003, 0.012, 0.005));
    above.velocity_m_per_s = DVec3::new(0.0, -2.5, 0.0);
    let mut simulation = run(vec![below, above], DVec3::ZERO, 0.3);
    for _ in 0..5 {
        let report = simulation.step(1.0 / 120.0).unwrap();
        let heights = simulation.state().positions[169..].iter().map(|x| x.y);
        let (low, high) = heights.fold((f64::MAX, f64::MIN), |(l, h), y| (l.min(y), h.max(y)));
        println!(
            "{low} {high} {:?} {} touches",
            report.guarded, report.touches
        );
        assert_eq!(crossings(&simulation), 0);
    }
}
