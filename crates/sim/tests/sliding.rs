//! Cloth that slides fast on cloth, by several triangles in a few steps, goes as Coulomb's law says.

use glam::{DQuat, DVec2, DVec3};
use std::sync::Arc;
use toile_geometry::QuadGrid;
use toile_sim::{
    ClothContact, ClothSpec, Cut, Material, Model, ModelSpec, PinRegion, PinSpec, Sheet,
    Simulation, Solve, StepConfig,
};

const SPACING_M: f64 = 0.02;
const SMALL: usize = 9;
/// Along the slope and into it, m/s²: that of 20°.
const GRAVITY: DVec3 = DVec3::new(3.355, -9.218, 0.0);

/// A sheet in the plane of this height, its threads turned by an angle.
fn sheet(size: [usize; 2], center: DVec3, turned_rad: f64) -> ClothSpec {
    let turn = DQuat::from_rotation_y(turned_rad);
    let [columns, rows] = size;
    let cut = Cut::Sheet(Sheet {
        grid: QuadGrid {
            columns,
            rows,
            size_m: SPACING_M * DVec2::new(columns as f64 - 1.0, rows as f64 - 1.0),
        },
        center,
        u_axis: turn * DVec3::X,
        v_axis: turn * DVec3::NEG_Z,
        curvature_per_m: 0.0,
    });
    ClothSpec::new("sheet", cut, Material::default())
}

/// Acceleration along a sheet that is held, of a small one that slides on it with 0.8 m/s and more.
fn acceleration(friction: f64, steps_per_s: f64, solve: Solve) -> f64 {
    let place = DVec3::new(-0.3, Material::default().thickness_m, 0.0);
    let mut small = sheet([SMALL, SMALL], place, 0.2);
    small.velocity_m_per_s = 0.8 * DVec3::X;
    let mut large = sheet([51, 15], DVec3::ZERO, 0.0);
    let all = (0..51 * 15).collect();
    large.pins.push(PinSpec::fixed(PinRegion::Indices(all)));
    let model = Model::build(&ModelSpec {
        gravity_m_per_s2: GRAVITY,
        cloths: vec![small, large],
        ..ModelSpec::default()
    });
    let config = StepConfig {
        solve,
        contact: Some(ClothContact { friction }),
        ..StepConfig::default()
    };
    let mut simulation = Simulation::new(Arc::new(model.unwrap()), config);
    let speed = |simulation: &Simulation| {
        let v = &simulation.state().velocities[..SMALL * SMALL];
        v.iter().map(|v| v.x).sum::<f64>() / v.len() as f64
    };
    // What lands is not yet pressed by its weight.
    let (landing_s, end_s) = (0.05, 0.3);
    let mut before = (0.0, 0.0);
    while simulation.state().time_s < end_s {
        simulation.step(steps_per_s.recip()).unwrap();
        if simulation.state().time_s < landing_s {
            before = (simulation.state().time_s, speed(&simulation));
        }
    }
    (speed(&simulation) - before.1) / (simulation.state().time_s - before.0)
}

#[test]
fn without_friction_nothing_brakes() {
    for (steps_per_s, solve) in [(60.0, Solve::Once), (120.0, Solve::Newton)] {
        let share = acceleration(0.0, steps_per_s, solve) / GRAVITY.x;
        assert!((share - 1.0).abs() < 1e-3, "{solve:?}: {share}");
    }
}

#[test]
fn friction_is_that_of_coulomb_however_fast_it_slides() {
    let friction = 0.1;
    let law = GRAVITY.x + friction * GRAVITY.y;
    for (steps_per_s, solve) in [(240.0, Solve::Once), (120.0, Solve::Newton)] {
        let share = acceleration(friction, steps_per_s, solve) / law;
        assert!((share - 1.0).abs() < 5e-3, "{solve:?}: {share}");
    }
}
