//! The exact test of every step's end: counting, and refusing what crosses.

mod support;

use glam::DVec3;
use std::sync::Arc;
use support::*;
use toile_sim::{
    Adaptive, ClothSpec, Control, Integrator, Material, Model, Simulation, Solve, StepConfig,
    StepError, Watch,
};

/// Two sheets without contact, of which the upper flies through the lower within a few steps.
fn flying_through() -> Arc<Model> {
    let sheet_at = |height_m: f64, velocity: DVec3| -> ClothSpec {
        let mut cloth = sheet(5, 5, 0.02, Material::default());
        let center = &mut support::rectangle(&mut cloth).center;
        *center = DVec3::new(0.3 * height_m, height_m, 0.2 * height_m);
        cloth.velocity_m_per_s = velocity;
        cloth
    };
    let mut spec = spec(sheet_at(0.0, DVec3::ZERO), DVec3::ZERO, Vec::new());
    // It falls askew: corner first, so that it crosses for a while.
    let mut upper = sheet_at(0.05, DVec3::NEG_Y);
    let rectangle = support::rectangle(&mut upper);
    rectangle.u_axis = DVec3::new(1.0, 0.5, 0.0).normalize();
    spec.cloths.push(upper);
    build(&spec)
}

const STEP_S: f64 = 0.01;

#[test]
fn crossings_are_counted_where_they_are_allowed() {
    let mut simulation = simulation(flying_through(), Integrator::Bdf2, Solve::Once);
    assert_eq!(simulation.step(STEP_S).unwrap().crossings, None);
    simulation.watch(Watch::Count);
    let counts: Vec<usize> = (0..12)
        .map(|_| simulation.step(STEP_S).unwrap().crossings.unwrap())
        .collect();
    assert_eq!(counts[0], 0, "still apart");
    assert!(counts.iter().any(|n| *n > 0), "{counts:?}");
    assert_eq!(counts.last(), Some(&0), "and through: {counts:?}");
    // A frame says the most, and what it ends with.
    let mut simulation = support::simulation(flying_through(), Integrator::Bdf2, Solve::Once);
    simulation.watch(Watch::Count);
    let frame = simulation.advance(13.0 * STEP_S, STEP_S).unwrap();
    assert_eq!(frame.crossings.cloth_max, counts.iter().copied().max());
    assert_eq!(frame.crossings.cloth_last, Some(0));
}

#[test]
fn crossings_end_a_step_where_they_are_forbidden() {
    let model = flying_through();
    let mut free = simulation(model.clone(), Integrator::Bdf2, Solve::Once);
    free.watch(Watch::Count);
    let mut clean = 0;
    while free.step(STEP_S).unwrap().crossings == Some(0) {
        clean += 1;
    }
    for adaptive in [None, Some(Control::Strain)] {
        let config = StepConfig {
            integrator: Integrator::Bdf2,
            adaptive: adaptive.map(|control| Adaptive {
                control,
                tolerance: 1.0,
                min_step_s: 1e-5,
            }),
            ..StepConfig::default()
        };
        let mut simulation = Simulation::new(model.clone(), config);
        simulation.watch(Watch::Forbid);
        // A whole frame, which must not be retried in smaller steps.
        let error = simulation.advance(20.0 * STEP_S, STEP_S).unwrap_err();
        let StepError::Crossed { triangles, pairs } = error else {
            panic!("{error:?}");
        };
        assert_eq!(simulation.state().steps, clean, "{adaptive:?}");
        // One triangle of each sheet; the positions that were refused show it.
        assert!(triangles[0] < 32 && triangles[1] >= 32, "{triangles:?}");
        assert!(pairs > 0);
        let names = format!("triangles {} and {}", triangles[0], triangles[1]);
        assert!(error.to_string().contains(&names), "{error}");
        let tried = simulation.tried_positions();
        assert_eq!(tried.len(), model.particles());
        assert_ne!(tried, &simulation.state().positions[..]);
    }
}
