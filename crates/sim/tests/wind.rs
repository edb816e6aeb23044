//! Wind and air damping against closed forms.

mod support;

use glam::DVec3;
use nalgebra::DMatrix;
use std::sync::Arc;
use support::*;
use toile_numerics::integrate::{ImplicitSystem, Weights};
use toile_sim::constraints::StepConstraints;
use toile_sim::forces::wind::{AIR_DENSITY_KG_PER_M3, Field};
use toile_sim::solve::{ClothSystem, Workspace};
use toile_sim::{
    AirSpec, BuildError, ClothSpec, Integrator, Material, Model, Preconditioner, Simulation, Solve,
    StepConfig, WindSpec,
};

fn in_air(cloth: ClothSpec, gravity: DVec3, air: AirSpec) -> Result<Arc<Model>, BuildError> {
    let mut spec = spec(cloth, gravity, Vec::new());
    spec.air = air;
    Model::build(&spec).map(Arc::new)
}

fn windy(cloth: ClothSpec, wind: WindSpec) -> Arc<Model> {
    let air = AirSpec {
        damping_per_s: 0.0,
        wind: Some(wind),
    };
    in_air(cloth, DVec3::ZERO, air).unwrap()
}

fn wind(velocity_m_per_s: DVec3) -> WindSpec {
    WindSpec {
        velocity_m_per_s,
        ..WindSpec::default()
    }
}

/// A sheet of 7 × 5 particles and 0.12 m × 0.08 m.
fn cloth() -> ClothSpec {
    sheet(7, 5, 0.02, Material::default())
}

const AREA_M2: f64 = 0.12 * 0.08;

/// The sheet somewhere else, crumpled, and moving.
fn crumpled(model: &Model) -> (Vec<DVec3>, Vec<DVec3>) {
    let n = model.particles();
    let moved = random_vectors(n, 0.008, 3);
    let x = model.start_positions.iter().zip(moved).map(|(x, d)| *x + d);
    (x.collect(), random_vectors(n, 2.0, 4))
}

#[test]
fn a_sheet_falling_face_on_reaches_the_terminal_velocity_of_a_plate() {
    let drag = 1.3;
    let density = Material::default().area_density_kg_per_m2;
    let terminal = (2.0 * density * G / (AIR_DENSITY_KG_PER_M3 * drag)).sqrt();
    let air = AirSpec {
        damping_per_s: 0.0,
        wind: Some(WindSpec {
            drag,
            ..WindSpec::default()
        }),
    };
    let model = in_air(cloth(), DVec3::new(0.0, -G, 0.0), air).unwrap();
    for integrator in [Integrator::BackwardEuler, Integrator::Bdf2] {
        for solve in [Solve::Once, Solve::Newton] {
            let mut simulation = simulation(model.clone(), integrator, solve);
            for _ in 0..240 {
                simulation.step(1.0 / 120.0).unwrap();
            }
            for v in &simulation.state().velocities {
                let error = v.distance(DVec3::new(0.0, -terminal, 0.0));
                assert!(error < 1e-4 * terminal, "{integrator:?} {solve:?} {v}");
            }
        }
    }
}

/// Falling from rest: `v = v_t tanh(g t / v_t)`.
#[test]
fn the_fall_to_terminal_velocity_takes_its_time() {
    let air = AirSpec {
        damping_per_s: 0.0,
        wind: Some(WindSpec::default()),
    };
    let model = in_air(cloth(), DVec3::new(0.0, -G, 0.0), air).unwrap();
    let terminal = (2.0 * 0.15 * G / (AIR_DENSITY_KG_PER_M3 * 1.2)).sqrt();
    let mut simulation = simulation(model, Integrator::Bdf2, Solve::Newton);
    for _ in 0..100 {
        simulation.step(0.001).unwrap();
    }
    let expected = terminal * (G * 0.1 / terminal).tanh();
    let v = -simulation.state().velocities[17].y;
    assert!((v - expected).abs() < 1e-3 * expected, "{v} {expected}");
}

#[test]
fn drag_and_lift_follow_the_angle_of_attack() {
    let (drag, lift) = (1.1, 0.7);
    for angle in [0.0_f64, 0.3, 0.8, 1.2, std::f64::consts::FRAC_PI_2] {
        // The normal of the sheet is −y; u is along x.
        let along = DVec3::new(angle.sin(), -angle.cos(), 0.0);
        let speed = 3.0;
        let model = windy(
            cloth(),
            WindSpec {
                velocity_m_per_s: speed * along,
                drag,
                lift,
                ..WindSpec::default()
            },
        );
        let at_rest = vec![DVec3::ZERO; model.particles()];
        let total: DVec3 = forces(&model, &model.start_positions, &at_rest)
            .iter()
            .sum();
        let pressure = 0.5 * AIR_DENSITY_KG_PER_M3 * AREA_M2 * speed * speed;
        let (sin, cos) = angle.sin_cos();
        let expected_drag = pressure * (drag * cos * cos + (drag - lift) * sin * sin);
        let expected_lift = pressure * lift * cos * sin;
        assert!((total.dot(along) - expected_drag).abs() < 1e-12);
        let across = total - total.dot(along) * along;
        assert!((across.length() - expected_lift).abs() < 1e-12, "{across}");
        // Lift pushes the face away from the side that the air hits.
        assert!(across.y <= 1e-15);
    }
}

/// Even pressure moves a flat sheet evenly: the force on a particle is in proportion to its mass.
#[test]
fn even_pressure_gives_an_even_acceleration() {
    let model = windy(cloth(), wind(DVec3::new(0.4, 2.0, -0.3)));
    let at_rest = vec![DVec3::ZERO; model.particles()];
    let f = forces(&model, &model.start_positions, &at_rest);
    let first = f[0] / model.masses[0];
    assert!(first.length() > 1.0);
    for (f, m) in f.iter().zip(&model.masses) {
        // Links at rest pull with the rounding of their length.
        assert!((*f / *m).distance(first) < 1e-9 * first.length());
    }
}

#[test]
fn only_the_relative_velocity_counts() {
    let shift = DVec3::new(5.0, -2.0, 1.0);
    let blown = windy(cloth(), wind(shift));
    let with_the_wind = vec![shift; blown.particles()];
    for f in forces(&blown, &blown.start_positions, &with_the_wind) {
        // Links at rest pull with the rounding of their length.
        assert!(f.length() < 1e-13, "{f}");
    }
    let still = windy(cloth(), wind(DVec3::ZERO));
    let (x, v) = crumpled(&still);
    let faster: Vec<DVec3> = v.iter().map(|v| *v + shift).collect();
    for (a, b) in forces(&still, &x, &v)
        .iter()
        .zip(forces(&blown, &x, &faster))
    {
        assert!(a.distance(b) < 1e-13, "{a} {b}");
    }
}

fn with_system<R>(model: &Model, f: impl FnOnce(&mut ClothSystem<'_>) -> R) -> R {
    let config = StepConfig {
        preconditioner: Preconditioner::BlockDiagonal,
        ..StepConfig::default()
    };
    let mut work = Workspace::new(model, &config);
    f(&mut ClothSystem::new(
        model,
        &config,
        &StepConstraints::default(),
        &mut work,
    ))
}

/// The frozen force is linear in velocity, with the matrix's block as slope and the potential
/// as its integral.
#[test]
fn the_dissipation_block_is_minus_the_derivative_of_the_frozen_force() {
    let cloth = sheet(
        4,
        3,
        0.02,
        Material {
            damping_n_s_per_m: 0.0,
            ..Material::default()
        },
    );
    let air = AirSpec {
        damping_per_s: 0.7,
        wind: Some(WindSpec {
            velocity_m_per_s: DVec3::new(3.0, 1.0, -2.0),
            gust_m_per_s: 2.0,
            ..WindSpec::default()
        }),
    };
    let alpha_s = 0.01;
    let calm = weightless(cloth.clone());
    let model = in_air(cloth, DVec3::ZERO, air).unwrap();
    let (x, frozen_v) = crumpled(&model);
    let n = 3 * x.len();

    let block =
        (matrix(&model, &x, &frozen_v, alpha_s) - matrix(&calm, &x, &frozen_v, alpha_s)) / alpha_s;
    assert_eq!(block, block.transpose());
    let largest = block.amax();
    let eigenvalues = block.clone().symmetric_eigenvalues();
    assert!(eigenvalues.min() > 0.0 && largest > 1e-5);
    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
        assert!(i / 3 == j / 3 || block[(i, j)] == 0.0);
    }

    let v = random_vectors(x.len(), 1.0, 9);
    let (slope, gradient) = with_system(&model, |system| {
        let mut at = |v: &[DVec3]| {
            let mut force = vec![DVec3::ZERO; x.len()];
            let potential = system.linearise(
                bytemuck::cast_slice(&x),
                bytemuck::cast_slice(&frozen_v),
                bytemuck::cast_slice(v),
                &Weights::uniform(alpha_s),
                bytemuck::cast_slice_mut(&mut force),
            );
            (flat(&force), potential.total_j())
        };
        (
            differences(&v, 1e-2, |v| at(v).0),
            differences(&v, 1e-2, |v| vec![at(v).1]),
        )
    });
    assert!((&slope + &block).amax() < 1e-9 * largest);

    // −α times the air's force is the derivative of the potential by velocity.
    let push = air_force(&model, &calm, &x, &frozen_v, &v);
    let expected = DMatrix::from_row_slice(1, n, &flat(&push)) * -alpha_s;
    let size = expected.amax();
    assert!((&gradient - &expected).amax() < 1e-9 * size && size > 0.0);
}

/// Force with the air's coefficients frozen, less the same without air.
fn air_force(
    model: &Model,
    calm: &Model,
    x: &[DVec3],
    frozen_v: &[DVec3],
    v: &[DVec3],
) -> Vec<DVec3> {
    let force = |model: &Model| {
        with_system(model, |system| {
            let mut force = vec![DVec3::ZERO; x.len()];
            system.linearise(
                bytemuck::cast_slice(x),
                bytemuck::cast_slice(frozen_v),
                bytemuck::cast_slice(v),
                &Weights::uniform(0.01),
                bytemuck::cast_slice_mut(&mut force),
            );
            force
        })
    };
    let pairs = force(model).into_iter().zip(force(calm));
    pairs.map(|(a, b)| a - b).collect()
}

#[test]
fn gusts_are_repeatable_smooth_and_as_strong_as_asked() {
    let spec = WindSpec {
        velocity_m_per_s: DVec3::new(4.0, 0.0, 1.0),
        gust_m_per_s: 2.5,
        gust_size_m: 0.8,
        gust_period_s: 0.5,
        seed: 11,
        ..WindSpec::default()
    };
    let field = Field::new(&spec);
    assert_eq!(field, Field::new(&spec));
    let other = Field::new(&WindSpec { seed: 12, ..spec });
    let mut next = noise(1);
    let (mut square, mut mean, count) = (0.0, DVec3::ZERO, 40_000);
    for _ in 0..count {
        let x = 50.0 * DVec3::new(next(), next(), next());
        let t = 100.0 * next();
        let gust = field.velocity(x, t) - spec.velocity_m_per_s;
        square += gust.length_squared() / f64::from(count);
        mean += gust / f64::from(count);
        assert!(gust.distance(other.velocity(x, t) - spec.velocity_m_per_s) > 0.0);
        // A centimetre and a hundredth of a second away it is nearly the same.
        let near = field.velocity(x + DVec3::splat(0.01), t + 0.01) - spec.velocity_m_per_s;
        assert!(gust.distance(near) < 2.5);
    }
    assert!((square.sqrt() - 2.5).abs() < 0.1, "{}", square.sqrt());
    assert!(mean.length() < 0.1, "{mean}");
    let calm = Field::new(&wind(DVec3::X));
    assert_eq!(calm.velocity(DVec3::splat(3.0), 2.0), DVec3::X);
}

/// Backward Euler divides the velocity by `1 + k Δt` every step, exactly.
#[test]
fn air_damping_slows_everything_at_one_rate() {
    let air = AirSpec {
        damping_per_s: 3.0,
        wind: None,
    };
    let mut cloth = cloth();
    cloth.velocity_m_per_s = DVec3::new(1.0, 2.0, -1.0);
    let model = in_air(cloth, DVec3::ZERO, air).unwrap();
    let mut simulation = simulation(model.clone(), Integrator::BackwardEuler, Solve::Once);
    for _ in 0..50 {
        simulation.step(0.02).unwrap();
    }
    let expected = DVec3::new(1.0, 2.0, -1.0) / 1.06_f64.powi(50);
    for v in &simulation.state().velocities {
        assert!(v.distance(expected) < 1e-10, "{v} {expected}");
    }
}

/// Light cloth in a strong wind with large steps: the implicit drag keeps it bounded.
#[test]
fn a_storm_does_not_blow_up() {
    let mut cloth = sheet(
        11,
        11,
        0.02,
        Material {
            area_density_kg_per_m2: 0.03,
            ..Material::default()
        },
    );
    cloth = pinned(cloth, [0, 10]);
    let air = AirSpec {
        damping_per_s: 0.0,
        wind: Some(WindSpec {
            velocity_m_per_s: DVec3::new(30.0, 10.0, 20.0),
            gust_m_per_s: 10.0,
            ..WindSpec::default()
        }),
    };
    let model = in_air(cloth, DVec3::new(0.0, -G, 0.0), air).unwrap();
    let mut simulation = Simulation::new(model, StepConfig::default());
    for _ in 0..100 {
        simulation.step(1.0 / 30.0).unwrap();
        for (x, v) in simulation
            .state()
            .positions
            .iter()
            .zip(&simulation.state().velocities)
        {
            assert!(x.length() < 1.0 && v.length() < 120.0, "{x} {v}");
        }
    }
}

#[test]
fn impossible_air_is_refused() {
    let refused = |change: &dyn Fn(&mut AirSpec)| {
        let mut air = AirSpec {
            damping_per_s: 0.0,
            wind: Some(WindSpec::default()),
        };
        change(&mut air);
        match in_air(cloth(), DVec3::ZERO, air) {
            Err(error) => error.key,
            Ok(_) => panic!("accepted"),
        }
    };
    fn blow(air: &mut AirSpec) -> &mut WindSpec {
        air.wind.as_mut().unwrap()
    }
    assert_eq!(refused(&|a| a.damping_per_s = -1.0), "air_damping_per_s");
    assert_eq!(refused(&|a| blow(a).lift = 1.3), "wind.lift");
    assert_eq!(refused(&|a| blow(a).drag = f64::NAN), "wind.drag");
    assert_eq!(refused(&|a| blow(a).gust_size_m = 0.0), "wind.gust_size_m");
    assert_eq!(
        refused(&|a| blow(a).velocity_m_per_s.y = f64::INFINITY),
        "wind.velocity_m_per_s"
    );
}

/// A face without area has no normal and feels nothing, rather than something infinite.
#[test]
fn a_collapsed_sheet_stays_finite() {
    let model = windy(cloth(), wind(DVec3::X));
    let x = vec![DVec3::ZERO; model.particles()];
    let v = vec![DVec3::Y; model.particles()];
    let a = matrix(&model, &x, &v, 0.01);
    assert!(a.iter().all(|a| a.is_finite()));
    assert!(forces(&model, &x, &v).iter().all(|f| f.is_finite()));
}
