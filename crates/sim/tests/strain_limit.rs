//! The strain limit against its definition and the conservation laws.

mod support;

use glam::DVec3;
use std::sync::Arc;
use support::{build, pinned, random_vectors, sheet, spec};
use toile_sim::constraints::StepConstraints;
use toile_sim::model::shell::quad::{self, Thread};
use toile_sim::report::Stretch;
use toile_sim::step::StepStart;
use toile_sim::strain_limit::{Order, PerDirection, Workspace, project};
use toile_sim::{
    ClothModel, ClothSpec, Limited, Material, Model, Simulation, Solve, State, StepConfig,
    StrainLimit,
};

const STEP_S: f64 = 0.01;

/// Moves the resting cloth with random velocities, limited, and returns them with what was done.
fn limited(model: &Model, limit: &StrainLimit, seed: u64) -> (Vec<DVec3>, Vec<DVec3>, Limited) {
    let state = State::start(model);
    let mut holds = StepConstraints::default();
    holds.begin(&StepStart::new(model, &state, STEP_S));
    let mut before = random_vectors(model.particles(), 0.4, seed);
    for target in &holds.targets {
        before[target.particle as usize] = DVec3::ZERO;
    }
    let mut after = before.clone();
    let from = (state.positions.as_slice(), STEP_S);
    let done = project(
        limit,
        (&model.masses, &model.materials),
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
    let limit = StrainLimit::extension(0.05, 500);
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
fn edges_of_triangles_are_limited_in_either_order() {
    let cloth = ClothSpec {
        model: ClothModel::TRIANGLE_BUCKLING,
        ..sheet(12, 9, 0.02, Material::default())
    };
    let model = build(&spec(cloth, DVec3::ZERO, Vec::new()));
    for order in [Order::Sequential, Order::Coloured] {
        let limit = StrainLimit {
            order,
            ..StrainLimit::extension(0.05, 500)
        };
        let (before, after, done) = limited(&model, &limit, 3);
        assert!(stretch_after(&model, &before) > 0.1);
        let stretch = stretch_after(&model, &after);
        assert!(stretch < 0.05 * 1.0011, "{stretch} after {done:?}");
        let momentum =
            |v: &[DVec3]| -> DVec3 { model.masses.iter().zip(v).map(|(m, v)| *m * *v).sum() };
        let lost = momentum(&before).distance(momentum(&after));
        assert!(lost < 1e-15, "{lost:e}");
    }
}

#[test]
fn momentum_is_conserved() {
    let model = build(&spec(
        sheet(10, 10, 0.02, Material::default()),
        DVec3::ZERO,
        Vec::new(),
    ));
    let limit = StrainLimit::extension(0.02, 7);
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
    let limit = StrainLimit::extension(10.0, 7);
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
    let limited = worst(Some(StrainLimit::extension(0.03, 200)));
    assert!(limited < 0.031, "{limited}");
}

/// Smallest length over rest length of warp and weft edges after a step with these velocities.
fn shortest_edge_after(model: &Model, velocities: &[DVec3]) -> f64 {
    let start = &model.start_positions;
    let after = |i: u32| start[i as usize] + STEP_S * velocities[i as usize];
    let mut shortest = f64::INFINITY;
    for family in &model.materials.stretch {
        for (ends, class) in family.ends().iter().zip(family.class_of_links()) {
            let edge = quad::thread_of_class(usize::from(*class)) != Thread::Diagonal;
            if edge {
                let length = after(ends[0]).distance(after(ends[1]));
                let rest = family.class_rest_length_m(usize::from(*class));
                shortest = shortest.min(length / rest);
            }
        }
    }
    shortest
}

fn square_sheet() -> Arc<Model> {
    build(&spec(
        sheet(10, 10, 0.02, Material::default()),
        DVec3::ZERO,
        Vec::new(),
    ))
}

#[test]
fn edges_get_no_shorter_than_allowed_and_diagonals_may() {
    let model = square_sheet();
    let limit = StrainLimit {
        max_compression: PerDirection::all(0.02),
        max_sweeps: 2000,
        ..StrainLimit::default()
    };
    let (before, after, done) = limited(&model, &limit, 8);
    assert!(shortest_edge_after(&model, &before) < 0.9);
    let shortest = shortest_edge_after(&model, &after);
    assert!(shortest > 0.98 - 1.1e-4, "{shortest} after {done:?}");
    assert!(stretch_after(&model, &after) < 0.1 * 1.0011);
}

#[test]
fn every_direction_has_its_own_limit() {
    let model = square_sheet();
    // Growing by 20 % both ways makes the diagonals grow as much.
    let velocities: Vec<DVec3> = model.start_positions.iter().map(|x| 20.0 * *x).collect();
    let stretches = |limit: &StrainLimit| {
        let state = State::start(&model);
        let mut after = velocities.clone();
        let from = (state.positions.as_slice(), STEP_S);
        let mut work = Workspace::default();
        project(
            limit,
            (&model.masses, &model.materials),
            &StepConstraints::default(),
            from,
            &mut after,
            &mut work,
        );
        let mut worst = [0.0_f64; 3];
        let family = &model.materials.stretch[0];
        for (ends, class) in family.ends().iter().zip(family.class_of_links()) {
            let class = usize::from(*class);
            let [i, j] = ends.map(|end| {
                let i = end as usize;
                state.positions[i] + STEP_S * after[i]
            });
            let stretch = i.distance(j) / family.class_rest_length_m(class) - 1.0;
            let worst = &mut worst[quad::thread_of_class(class) as usize];
            *worst = worst.max(stretch);
        }
        worst
    };
    let limit = StrainLimit {
        max_extension: PerDirection {
            warp: 0.05,
            weft: 0.15,
            shear: 0.5,
        },
        max_sweeps: 2000,
        ..StrainLimit::default()
    };
    let [warp, weft, shear] = stretches(&limit);
    assert!((0.0499..0.0501).contains(&warp), "{warp}");
    assert!((0.1499..0.1502).contains(&weft), "{weft}");
    assert!(shear > 0.05 && shear < 0.15, "{shear}");
}

#[test]
fn a_rate_limit_slows_the_change_of_length_and_brings_back_what_is_outside() {
    let model = square_sheet();
    let limit = StrainLimit {
        max_extension: PerDirection::all(0.5),
        max_compression: PerDirection::all(1.0),
        max_rate_per_s: 2.0,
        max_sweeps: 3000,
        ..StrainLimit::default()
    };
    let (before, after, done) = limited(&model, &limit, 2);
    assert!(stretch_after(&model, &before) > 0.1);
    // Two a second for a hundredth of one, and what goes unnoticed.
    let most = 2.0 * STEP_S + 1e-3 * 0.5;
    assert!(stretch_after(&model, &after) <= 1.01 * most, "{done:?}");
    assert!(shortest_edge_after(&model, &after) >= 1.0 - 1.01 * most);

    // Stretched by 20 % where 10 % are allowed: back at the rate, not at once.
    let stretched: Vec<DVec3> = model.start_positions.iter().map(|x| 1.2 * *x).collect();
    let limit = StrainLimit {
        max_extension: PerDirection::all(0.1),
        ..limit
    };
    let mut v = vec![DVec3::ZERO; stretched.len()];
    let mut work = Workspace::default();
    let from = (stretched.as_slice(), STEP_S);
    project(
        &limit,
        (&model.masses, &model.materials),
        &StepConstraints::default(),
        from,
        &mut v,
        &mut work,
    );
    let ends = model.materials.stretch[0].ends()[0].map(|end| end as usize);
    let at = ends.map(|i| stretched[i] + STEP_S * v[i]);
    let strain = at[0].distance(at[1]) / 0.02 - 1.0;
    assert!((strain - 0.18).abs() < 2e-4, "{strain}");
}

#[test]
fn in_colours_the_limit_is_met_with_the_same_bits_on_any_number_of_threads() {
    let model = square_sheet();
    let limit = StrainLimit {
        max_extension: PerDirection::all(0.02),
        max_compression: PerDirection::all(0.05),
        order: Order::Coloured,
        max_sweeps: 2000,
        ..StrainLimit::default()
    };
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| limited(&model, &limit, 4))
    };
    let (before, one, done) = run(1);
    assert!(done.sweeps < 2000);
    assert!(stretch_after(&model, &one) < 0.02 * 1.0011);
    assert!(shortest_edge_after(&model, &one) > 0.95 - 2.1e-5);
    let momentum = |v: &[DVec3]| -> DVec3 {
        let each = v.iter().zip(&model.masses);
        each.map(|(v, m)| *m * *v).sum()
    };
    assert!((momentum(&before) - momentum(&one)).length() < 1e-15);
    for threads in 2..5 {
        assert!(run(threads).1 == one, "{threads} threads");
    }
}
