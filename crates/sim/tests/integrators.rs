//! Every integrator on cloth: momentum, pins, weight, contact, limits, and the same bits on any
//! number of threads.

mod support;

use glam::DVec3;
use std::sync::Arc;
use support::*;
use toile_sim::colliders::Shape;
use toile_sim::config::Preconditioner;
use toile_sim::report::{Stretch, collider_penetration_m};
use toile_sim::{
    AirSpec, ClothSpec, ColliderSpec, DampingKind, Integrator, Interpolation, Keyframe, Keyframes,
    Material, Model, Motion, PinHold, PinRegion, PinSpec, Simulation, Solve, State, StepConfig,
    StepError, StrainLimit, WindSpec,
};

const SPACING_M: f64 = 0.02;
const GRAVITY: DVec3 = DVec3::new(0.0, -G, 0.0);

/// With dampers that matter.
fn material() -> Material {
    Material {
        damping_n_s_per_m: 2e-3,
        ..Material::default()
    }
}

fn config(integrator: Integrator) -> StepConfig {
    StepConfig {
        integrator,
        preconditioner: Preconditioner::Direct,
        // The schemes themselves, whatever comes of one solve.
        solve: Solve::Once,
        ..StepConfig::default()
    }
}

fn crumpled(model: &Model, seed: u64) -> State {
    let mut state = State::start(model);
    let shifts = random_vectors(model.particles(), 0.1 * SPACING_M, seed);
    for (x, shift) in state.positions.iter_mut().zip(&shifts) {
        *x += *shift;
    }
    state.velocities = random_vectors(model.particles(), 0.3, seed ^ 1);
    state
}

/// Forces between particles cannot push the whole; no scheme makes them.
#[test]
fn a_free_cloth_keeps_its_momentum_in_every_scheme() {
    for damping in [DampingKind::Axial, DampingKind::Isotropic] {
        let material = Material {
            damping,
            ..material()
        };
        let model = weightless(sheet(7, 6, SPACING_M, material));
        let momentum = |state: &State| -> DVec3 {
            let velocities = state.velocities.iter();
            velocities.zip(&model.masses).map(|(v, m)| *m * *v).sum()
        };
        let start = crumpled(&model, 4);
        let step_s = 0.3 * common_limit_s(&model, &start.positions);
        let before = momentum(&start);
        let size: f64 = start
            .velocities
            .iter()
            .zip(&model.masses)
            .map(|(v, m)| m * v.length())
            .sum();
        for integrator in integrators() {
            let mut simulation = Simulation::new(model.clone(), config(integrator));
            simulation.restore(start.clone());
            for _ in 0..40 {
                simulation.step(step_s).unwrap();
            }
            let drift = (momentum(simulation.state()) - before).length() / size;
            assert!(drift < 1e-12, "{integrator:?} {damping:?}: {drift:e}");
            let changed = simulation.state().velocities[17].distance(start.velocities[17]);
            assert!(changed > 0.05, "{integrator:?}: nothing happened");
        }
    }
}

/// Free fall of the whole: exact but for the schemes of first order.
#[test]
fn a_free_sheet_falls_as_the_schemes_say() {
    let cloth = sheet(6, 6, SPACING_M, material());
    let model = build(&spec(cloth, GRAVITY, Vec::new()));
    let step_s = 0.5 * common_limit_s(&model, &model.start_positions);
    let steps = 100;
    let time = step_s * f64::from(steps);
    for integrator in integrators() {
        let mut simulation = simulation(model.clone(), integrator, Solve::Once);
        for _ in 0..steps {
            simulation.step(step_s).unwrap();
        }
        let late = match integrator {
            Integrator::BackwardEuler | Integrator::SymplecticEuler => 0.5 * G * step_s * time,
            _ => 0.0,
        };
        let positions = &simulation.state().positions;
        let fallen: f64 = positions
            .iter()
            .zip(&model.start_positions)
            .map(|(x, start)| start.y - x.y)
            .sum::<f64>()
            / positions.len() as f64;
        let expected = 0.5 * G * time * time + late;
        assert!(
            (fallen - expected).abs() < 1e-12,
            "{integrator:?}: {fallen}"
        );
    }
}

fn keyframed() -> Motion {
    Motion::Keyframes(Keyframes {
        keys: vec![Keyframe {
            time_s: 0.02,
            offset_m: DVec3::new(0.004, 0.01, -0.006),
            rotation_rad: DVec3::new(0.0, 0.5, 0.0),
            scale: DVec3::ONE,
        }],
        pivot: None,
        interpolation: Interpolation::Smooth,
    })
}

/// Fixed pins do not move by one bit, moved ones are where they should be, and a rail holds all
/// but its own direction.
#[test]
fn pins_hold_in_every_scheme() {
    let mut cloth = pinned(sheet(8, 8, SPACING_M, material()), [0]);
    let pin = |indices: Vec<u32>| PinSpec::fixed(PinRegion::Indices(indices));
    cloth.pins.push(PinSpec {
        motion: keyframed(),
        ..pin(vec![6, 7])
    });
    let rail = DVec3::new(1.0, -1.0, 0.0).normalize();
    cloth.pins.push(PinSpec {
        hold: PinHold::FreeAxis(rail),
        ..pin(vec![56])
    });
    let model = build(&spec(cloth, GRAVITY, Vec::new()));
    let step_s = 0.5 * common_limit_s(&model, &model.start_positions);
    let middle = 0.5 * (model.start_positions[6] + model.start_positions[7]);
    for integrator in integrators() {
        for solve in [Solve::Once, Solve::Newton] {
            let mut simulation = simulation(model.clone(), integrator, solve);
            while simulation.state().time_s < 0.03 {
                simulation.step(step_s).unwrap();
                let state = simulation.state();
                assert_eq!(state.positions[0], model.start_positions[0]);
                assert_eq!(state.velocities[0], DVec3::ZERO);
                let pose = keyframed().pose(state.time_s, middle);
                for pin in [6, 7] {
                    let place = pose.place(model.start_positions[pin]);
                    let gap = state.positions[pin].distance(place);
                    assert!(gap < 1e-15, "{integrator:?} {solve:?}: {gap:e}");
                }
                let slid = state.positions[56] - model.start_positions[56];
                let off = slid.reject_from_normalized(rail).length();
                assert!(off < 1e-14, "{integrator:?} {solve:?}: {off:e}");
            }
            let state = simulation.state();
            let fallen = model.start_positions[35].y - state.positions[35].y;
            assert!(fallen > 1e-3, "{integrator:?}: {fallen}");
            let slid = state.positions[56].distance(model.start_positions[56]);
            assert!(slid > 1e-4, "{integrator:?}: {slid}");
        }
    }
}

/// A curtain of 10 × 8 particles hung by two corners: every scheme tells the same story.
#[test]
fn a_curtain_hangs_alike_in_every_scheme() {
    let cloth = pinned(sheet(10, 8, SPACING_M, material()), [0, 9]);
    let mut spec = spec(cloth, GRAVITY, Vec::new());
    spec.air = AirSpec {
        damping_per_s: 0.5,
        wind: Some(WindSpec {
            velocity_m_per_s: DVec3::new(0.0, 0.0, 1.0),
            ..WindSpec::default()
        }),
    };
    let model = build(&spec);
    let step_s = 0.6 * common_limit_s(&model, &model.start_positions);
    let mut heights = Vec::new();
    for integrator in integrators() {
        let mut simulation = Simulation::new(
            model.clone(),
            StepConfig {
                integrator,
                linear_tolerance: 1e-5,
                ..StepConfig::default()
            },
        );
        while simulation.state().time_s < 0.2 {
            let report = simulation.step(step_s).unwrap();
            assert!(report.share_of_limit < 1.0);
        }
        let state = simulation.state();
        assert!(state.positions.iter().all(|x| x.is_finite()));
        assert!(Stretch::of(&model, state).max < 0.05);
        let mean = state.positions.iter().map(|x| x.y).sum::<f64>() / 80.0;
        heights.push(mean);
    }
    // What is left is the error of the first-order schemes.
    for (height, integrator) in heights.iter().zip(integrators()) {
        let gap = (height - heights[2]).abs();
        assert!(gap < 2e-3, "{integrator:?}: {gap} of {heights:?}");
        assert!(*height < -0.05, "{heights:?}");
    }
}

/// A sheet let fall on a rough floor comes to rest on it in every scheme, and never goes through.
#[test]
fn a_sheet_lands_in_every_scheme() {
    let mut cloth = sheet(6, 6, SPACING_M, material());
    support::rectangle(&mut cloth).center = DVec3::new(0.0, 0.01, 0.0);
    cloth.velocity_m_per_s = DVec3::new(0.2, 0.0, 0.1);
    let floor = ColliderSpec::new(
        Shape::Plane {
            normal: DVec3::Y,
            offset_m: 0.0,
        },
        0.5,
    );
    let model = build(&spec(cloth, GRAVITY, vec![floor]));
    let step_s = 0.5 * common_limit_s(&model, &model.start_positions);
    for integrator in integrators() {
        let mut simulation = simulation(model.clone(), integrator, Solve::Once);
        while simulation.state().time_s < 0.25 {
            simulation.step(step_s).unwrap();
            assert_eq!(collider_penetration_m(&model, simulation.state()), 0.0);
        }
        let state = simulation.state();
        let highest = state.positions.iter().map(|x| x.y).fold(0.0, f64::max);
        assert!(highest < 0.004, "{integrator:?}: {highest}");
        // v²/2μg from there, and something for the way down.
        let slid = state.positions[14] - model.start_positions[14];
        assert!(slid.x > 0.005 && slid.x < 0.03, "{integrator:?}: {slid}");
        let fastest = state
            .velocities
            .iter()
            .map(|v| v.length())
            .fold(0.0, f64::max);
        assert!(fastest < 0.02, "{integrator:?}: {fastest}");
    }
}

fn limited(integrator: &Integrator) -> bool {
    integrator.has_limit()
}

/// Ten times over its limit, a scheme is refused with the limit named, and nothing has changed.
#[test]
fn a_step_above_the_limit_is_refused() {
    let model = build(&spec(
        pinned(sheet(9, 9, SPACING_M, material()), [0, 8]),
        GRAVITY,
        Vec::new(),
    ));
    assert_eq!(integrators().iter().filter(|i| limited(i)).count(), 6);
    for integrator in integrators().into_iter().filter(limited) {
        let mut simulation = Simulation::new(
            model.clone(),
            StepConfig {
                integrator,
                ..StepConfig::default()
            },
        );
        let small_s = 0.2 * common_limit_s(&model, &model.start_positions);
        for _ in 0..3 {
            simulation.step(small_s).unwrap();
        }
        let before = simulation.state().clone();
        let limit = match simulation.step(0.05) {
            Err(StepError::Unstable {
                scheme,
                step_s,
                limit_s,
            }) => {
                assert_eq!((scheme, step_s), (integrator.name(), 0.05));
                limit_s
            }
            other => panic!("{integrator:?}: {other:?}"),
        };
        let message = simulation.step(10.0 * limit).unwrap_err().to_string();
        assert!(
            message.contains(integrator.name()) && message.contains(&format!("{limit:.3e}")),
            "{message}"
        );
        assert!(simulation.advance(10.0 * limit, 1.0).is_err());
        assert_eq!(*simulation.state(), before);

        // A little too long is taken in halves, and counted.
        let report = simulation.advance(1.5 * limit, 1.0).unwrap();
        assert_eq!((report.steps, report.retries), (2, 1), "{integrator:?}");
        assert!((report.solver.share_of_limit_max - 1.5).abs() < 1e-6);
    }
}

/// A place that is no number stops every scheme, and not by way of its limit.
#[test]
fn what_is_not_finite_is_refused_by_every_scheme() {
    let model = weightless(sheet(5, 5, SPACING_M, material()));
    for integrator in integrators() {
        let mut simulation = Simulation::new(
            model.clone(),
            StepConfig {
                integrator,
                ..StepConfig::default()
            },
        );
        let mut state = State::start(&model);
        state.positions[7].y = f64::NAN;
        simulation.restore(state);
        let refused = simulation.step(1e-4).unwrap_err();
        assert!(
            matches!(refused, StepError::NotFinite { .. } | StepError::Solver(_)),
            "{integrator:?}: {refused}"
        );
        assert_eq!(simulation.state().steps, 0);
    }
}

/// The estimate against dense eigenvalues, in both forms of the matrix.
#[test]
fn the_fastest_motions_are_those_of_the_matrix() {
    for preconditioner in [Preconditioner::BlockDiagonal, Preconditioner::Multilevel] {
        let model = weightless(sheet(8, 7, SPACING_M, material()));
        let state = crumpled(&model, 11);
        let config = StepConfig {
            integrator: Integrator::Rk4,
            preconditioner,
            ..StepConfig::default()
        };
        let mut simulation = Simulation::new(model.clone(), config);
        simulation.restore(state.clone());
        simulation.step(1e-6).unwrap();
        let rates = simulation.state().rates.unwrap();

        let n = 3 * model.particles();
        let mass = mass_matrix(&model);
        let (x, v) = (&state.positions, &state.velocities);
        let scaled = |c: nalgebra::DMatrix<f64>| {
            nalgebra::DMatrix::from_fn(n, n, |i, j| {
                c[(i, j)] / (mass[(i, i)] * mass[(j, j)]).sqrt()
            })
            .symmetric_eigenvalues()
            .max()
        };
        // A = M + D' + K' at α = 1 and M + 4D' ... : two matrices give both parts.
        let one = matrix(&model, x, v, 1.0) - &mass;
        let two = matrix(&model, x, v, 2.0) - &mass;
        let stiffness = 0.5 * (&two - 2.0 * &one);
        let damping = &one - &stiffness;
        let (k, d) = (scaled(stiffness).sqrt(), scaled(damping));
        let share = rates.frequency_per_s / k;
        assert!(
            (0.999..1.05).contains(&share),
            "{preconditioner:?}: {share}"
        );
        let share = rates.damping_per_s / d;
        assert!((0.999..1.1).contains(&share), "{preconditioner:?}: {share}");
    }
}

/// The strain limit acts where the schemes' sources ask for it.
#[test]
fn every_scheme_limits_strain() {
    let soft = Material {
        stretch_warp_n_per_m: 2.0,
        stretch_weft_n_per_m: 2.0,
        shear_n_per_m: 1.0,
        ..material()
    };
    let cloth = pinned(sheet(6, 9, SPACING_M, soft), 0..6);
    let model = build(&spec(cloth, GRAVITY, Vec::new()));
    let step_s = (0.4 * common_limit_s(&model, &model.start_positions)).min(2e-3);
    for integrator in integrators() {
        let stretch = |strain_limit: Option<StrainLimit>| {
            let mut simulation = Simulation::new(
                model.clone(),
                StepConfig {
                    strain_limit,
                    linear_tolerance: 1e-5,
                    ..config(integrator)
                },
            );
            let mut largest = 0.0_f64;
            while simulation.state().time_s < 0.15 {
                simulation.step(step_s).unwrap();
                largest = largest.max(Stretch::of(&model, simulation.state()).max);
            }
            largest
        };
        let free = stretch(None);
        let limited = stretch(Some(StrainLimit::extension(0.05, 100)));
        assert!(free > 0.08, "{integrator:?}: {free}");
        assert!(limited < 0.055, "{integrator:?}: {limited}");
    }
}

fn draped() -> Arc<Model> {
    let mut cloth: ClothSpec = sheet(24, 24, SPACING_M, material());
    support::rectangle(&mut cloth).center = DVec3::new(0.013, 0.103, -0.007);
    cloth.velocity_m_per_s = DVec3::new(0.0, -1.0, 0.0);
    let ball = ColliderSpec::new(
        Shape::Sphere {
            center: DVec3::ZERO,
            radius_m: 0.1,
        },
        0.3,
    );
    build(&spec(cloth, GRAVITY, vec![ball]))
}

fn advance(model: &Arc<Model>, integrator: Integrator, threads: usize, from: State) -> State {
    let step_s = 0.5 * common_limit_s(model, &model.start_positions);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build().unwrap().install(|| {
        let config = StepConfig {
            integrator,
            ..StepConfig::default()
        };
        let mut simulation = Simulation::new(model.clone(), config);
        simulation.restore(from);
        for _ in 0..50 {
            simulation.step(step_s).unwrap();
        }
        simulation.state().clone()
    })
}

#[test]
fn the_bits_do_not_depend_on_threads_or_on_a_stop_in_between() {
    let model = draped();
    for integrator in [
        Integrator::Trapezoidal,
        Integrator::Rk4,
        Integrator::LeapfrogTrapezoid,
        Integrator::CentralNewmark,
        Integrator::ImprovedVariableStep,
    ] {
        let one = advance(&model, integrator, 1, State::start(&model));
        assert!(!one.contacts.is_empty(), "{integrator:?}");
        for threads in [2, 3] {
            let other = advance(&model, integrator, threads, State::start(&model));
            assert_eq!(bits(&one.positions), bits(&other.positions));
            assert_eq!(bits(&one.velocities), bits(&other.velocities));
            assert_eq!(one.rates, other.rates);
        }
        let resumed = advance(&model, integrator, 1, one.clone());
        let straight = {
            let step_s = 0.5 * common_limit_s(&model, &model.start_positions);
            let config = StepConfig {
                integrator,
                ..StepConfig::default()
            };
            let mut simulation = Simulation::new(model.clone(), config);
            for _ in 0..100 {
                simulation.step(step_s).unwrap();
            }
            simulation.state().clone()
        };
        assert_eq!(bits(&resumed.positions), bits(&straight.positions));
        assert_eq!(bits(&resumed.velocities), bits(&straight.velocities));
        assert_eq!(resumed.rates, straight.rates);
    }
}

/// The mixed schemes iterate on dampers alone, and only where there are any.
#[test]
fn the_mixed_schemes_report_their_iterations() {
    for (damping, any) in [(0.0, false), (2e-3, true)] {
        let material = Material {
            damping_n_s_per_m: damping,
            ..material()
        };
        let model = weightless(sheet(8, 8, SPACING_M, material));
        let start = crumpled(&model, 3);
        let step_s = 0.5 * common_limit_s(&model, &start.positions);
        for (integrator, solves) in [
            (Integrator::LeapfrogTrapezoid, 1),
            (Integrator::CentralNewmark, 1),
            (Integrator::ImprovedVariableStep, 2),
        ] {
            let mut simulation = Simulation::new(model.clone(), config(integrator));
            simulation.restore(start.clone());
            let info = simulation.step(step_s).unwrap().integration;
            assert_eq!((info.solves, info.unconverged_solves), (solves, 0));
            assert_eq!(info.linear_iterations > 0, any, "{info:?}");
            assert!(info.linear_iterations_max < 40, "{info:?}");
        }
    }
}
