//! Cloth that falls on a still ball: whatever the step, nothing gives it energy.

use glam::{DVec2, DVec3};
use std::sync::Arc;
use toile_geometry::QuadGrid;
use toile_sim::colliders::Shape;
use toile_sim::report::Energy;
use toile_sim::{
    ClothContact, ClothSpec, ColliderSpec, Cut, Integrator, Material, Model, ModelSpec, Sheet,
    Simulation, Solve, StepConfig,
};

/// The ball is below one half of the strip.
const BESIDE: [f64; 2] = [0.06, 0.003];

/// A strip that falls at `speed_m_per_s` on a ball whose centre is at these x and z.
fn model(speed_m_per_s: f64, [x, z]: [f64; 2]) -> Arc<Model> {
    let cut = Cut::Sheet(Sheet {
        grid: QuadGrid {
            columns: 17,
            rows: 7,
            size_m: DVec2::new(0.32, 0.12),
        },
        center: DVec3::new(0.003, 0.07, 0.002),
        u_axis: DVec3::X,
        v_axis: DVec3::NEG_Z,
        curvature_per_m: 0.0,
    });
    let mut strip = ClothSpec::new("strip", cut, Material::default());
    strip.velocity_m_per_s = DVec3::new(0.0, -speed_m_per_s, 0.0);
    let ball = Shape::Sphere {
        center: DVec3::new(x, 0.0, z),
        radius_m: 0.06,
    };
    let spec = ModelSpec {
        gravity_m_per_s2: DVec3::new(0.0, -1.0, 0.0),
        cloths: vec![strip],
        colliders: vec![ColliderSpec::new(ball, 0.3)],
        ..ModelSpec::default()
    };
    Arc::new(Model::build(&spec).unwrap())
}

/// The most that the energy rises in a step, as a share of what there is at the start.
fn rise(integrator: Integrator, solve: Solve, model: Arc<Model>, step_s: f64) -> f64 {
    let config = StepConfig {
        integrator,
        solve,
        contact: Some(ClothContact::default()),
        ..StepConfig::default()
    };
    let mut simulation = Simulation::new(model, config);
    let energy =
        |simulation: &Simulation| Energy::of(simulation.model(), simulation.state()).total_j();
    let start_j = energy(&simulation);
    let (mut before_j, mut rise_j) = (start_j, 0.0_f64);
    for _ in 0..(0.5 / step_s) as usize {
        simulation.advance(step_s, step_s).unwrap();
        let now_j = energy(&simulation);
        rise_j = rise_j.max(now_j - before_j);
        before_j = now_j;
    }
    rise_j / start_j
}

#[test]
fn nothing_gives_energy() {
    let speeds = [0.2, 0.4, 0.6, 0.8, 1.0, 1.4, 2.0];
    for integrator in [Integrator::Bdf2, Integrator::BackwardEuler] {
        for (step_s, every) in [(1.0 / 60.0, 1), (1.0 / 120.0, 1), (1.0 / 480.0, 3)] {
            for &speed_m_per_s in speeds.iter().step_by(every) {
                let model = model(speed_m_per_s, BESIDE);
                let rise = rise(integrator, Solve::Auto, model, step_s);
                assert!(
                    rise < 0.005,
                    "{integrator:?}, {speed_m_per_s} m/s, {step_s} s: {rise}"
                );
            }
        }
    }
}

/// Falls that gained most, of 480, when nothing was made of holds that draw particles to the ball.
#[test]
fn holds_give_none() {
    for (integrator, speed_m_per_s, ball) in [
        (Integrator::Bdf2, 0.59, [0.0241, -0.0109]),
        (Integrator::Bdf2, 0.95, [0.034, -0.016]),
        (Integrator::Bdf2, 2.03, [0.0637, -0.0313]),
        (Integrator::BackwardEuler, 2.39, [0.0736, -0.0364]),
    ] {
        let model = model(speed_m_per_s, ball);
        let rise = rise(integrator, Solve::Auto, model, 1.0 / 60.0);
        assert!(
            rise < 0.005,
            "{integrator:?}, {speed_m_per_s} m/s, {ball:?}: {rise}"
        );
    }
}

/// Links that are slack at the start of the step are stretched unseen.
#[test]
fn a_single_solve_does() {
    assert!(
        rise(
            Integrator::Bdf2,
            Solve::Once,
            model(0.6, BESIDE),
            1.0 / 120.0
        ) > 1.0
    );
}
