//! The strain limit against its definition and the conservation laws.

mod support;

use glam::DVec3;
use support::{build, pinned, random_vectors, sheet, spec};
use toile_sim::constraints::contact::Holds;
use toile_sim::constraints::strain_limit::{Workspace, project};
use toile_sim::report::Stretch;
use toile_sim::{Limited, Material, Model, Simulation, Solve, State, StepConfig, StrainLimit};

const STEP_S: f64 = 0.01;

/// Moves the resting cloth with random velocities, limited, and returns them with what was done.
fn limited(model: &Model, limit: &StrainLimit, seed: u64) -> (Vec<DVec3>, Vec<DVec3>, Limited) {
    let state = State::start(model);
    let mut holds = Holds::default();
    holds.begin(model, &state, STEP_S);
    let mut before = random_vectors(model.particles(), 0.4, seed);
    for target in &holds.targets {
        before[target.particle as usize] = DVec3::ZERO;
    }
    let mut after = before.clone();
    let from = (state.positions.as_slice(), STEP_S);
    let done = project(
        limit,
        model,
        &holds,
        from,
        &mut after,
        &mut Workspace::default(),
    );
    (before, after, done)
}

fn stretch_after(model: &Model, velocities: &[DVec3]) -> f64 {
    let start = State::start(model);
    let moved = start.positions.iter().zip(velocities);
    let state = State {
        positions: moved.map(|(x, v)| *x + STEP_S * *v).collect(),
        ..start
    };
    Stretch::of(model, &state).max
}

#[test]
fn no_link_stays_longer_than_allowed() {
    let corners = [0, 11];
    let model = build(&spec(
        pinned(sheet(12, 9, 0.02, Material::default()), corners),
        DVec3::ZERO,
        Vec::new(),
    ));
    let limit = StrainLimit {
        max_extension: 0.05,
        max_sweeps: 500,
    };
    for seed in 0..5 {
        let (before, after, done) = limited(&model, &limit, seed);
        assert!(stretch_after(&model, &before) > 0.1);
        let stretch = stretch_after(&model, &after);
        assert!(stretch < 0.05 * 1.0011, "{stretch} after {done:?}");
        assert!(done.projections > 0 && done.sweeps < 500, "{done:?}");
        for corner in corners {
            assert_eq!(after[corner as usize], DVec3::ZERO);
        }
    }
}

#[test]
fn momentum_is_conserved() {
    let model = build(&spec(
        sheet(10, 10, 0.02, Material::default()),
        DVec3::ZERO,
        Vec::new(),
    ));
    let limit = StrainLimit {
        max_extension: 0.02,
        max_sweeps: 7,
    };
    let (before, after, _) = limited(&model, &limit, 3);
    let momentum = |v: &[DVec3]| -> DVec3 {
        let each = v.iter().zip(&model.masses);
        each.map(|(v, m)| *m * *v).sum()
    };
    assert!(before.iter().zip(&after).any(|(a, b)| a != b));
    assert!((momentum(&before) - momentum(&after)).length() < 1e-15);
}

#[test]
fn what_is_within_the_limit_is_left_alone_to_the_last_bit() {
    let model = build(&spec(
        sheet(10, 10, 0.02, Material::default()),
        DVec3::ZERO,
        Vec::new(),
    ));
    let limit = StrainLimit {
        max_extension: 10.0,
        max_sweeps: 7,
    };
    let (before, after, done) = limited(&model, &limit, 3);
    assert_eq!(before, after);
    assert_eq!(done, Limited::default());
}

#[test]
fn a_soft_cloth_hangs_no_longer_than_the_limit_allows() {
    let soft = Material {
        stretch_warp_n_per_m: 20.0,
        stretch_weft_n_per_m: 20.0,
        shear_n_per_m: 10.0,
        ..Material::default()
    };
    let cloth = pinned(sheet(15, 15, 0.02, soft), 0..15);
    let model = build(&spec(cloth, DVec3::new(0.0, -9.81, 0.0), Vec::new()));
    let worst = |strain_limit| {
        let config = StepConfig {
            solve: Solve::Newton,
            strain_limit,
            ..StepConfig::default()
        };
        let mut simulation = Simulation::new(model.clone(), config);
        let mut worst = 0.0_f64;
        for _ in 0..60 {
            simulation.step(STEP_S).unwrap();
            worst = worst.max(Stretch::of(&model, simulation.state()).max);
        }
        worst
    };
    assert!(worst(None) > 0.06);
    let limited = worst(Some(StrainLimit {
        max_extension: 0.03,
        max_sweeps: 200,
    }));
    assert!(limited < 0.031, "{limited}");
}
