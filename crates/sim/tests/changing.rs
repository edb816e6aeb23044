//! Materials that change over time: new states of rest against closed forms, and what a step owes to
//! whoever goes on from it.

mod support;

use glam::DVec3;
use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::Arc;
use support::*;
use toile_geometry::{Surface, TriMesh};
use toile_sim::forces::hinge::Angle;
use toile_sim::model::spec::AirSpec;
use toile_sim::report::Energy;
use toile_sim::{
    Bending, ClothModel, ClothSpec, Cut, HingeForm, Integrator, Interpolation, Key, KeyedScalar,
    Map, Mapped, Material, Membrane, Model, ModelSpec, RestAngles, Simulation, StepConfig,
    StepError,
};

const HINGES: ClothModel = ClothModel::BARAFF_WITKIN;

/// From a number to another one, which is reached after half a second.
fn course(start: f64, end: f64) -> KeyedScalar {
    KeyedScalar {
        start,
        keys: [Key {
            time_s: 0.5,
            value: end,
        }]
        .into(),
        interpolation: Interpolation::Linear,
    }
}

/// A map of a whole cloth.
fn everywhere(value: Mapped, factor: impl Into<KeyedScalar>) -> Map {
    Map {
        value,
        shares: vec![1.0; 1000].into(),
        factor: factor.into(),
        factor_at_zero: 1.0,
    }
}

fn of_triangles(model: ClothModel, mut cloth: ClothSpec) -> ClothSpec {
    cloth.model = model;
    cloth
}

/// In air that takes motion away.
fn in_air(cloth: ClothSpec, gravity: DVec3, damping_per_s: f64) -> Arc<Model> {
    build(&ModelSpec {
        air: AirSpec {
            damping_per_s,
            wind: None,
        },
        ..spec(cloth, gravity, Vec::new())
    })
}

fn settled(model: &Arc<Model>) -> Simulation {
    let config = StepConfig {
        integrator: Integrator::BackwardEuler,
        ..StepConfig::default()
    };
    let mut simulation = Simulation::new(model.clone(), config);
    simulation.advance(20.0, 0.05).unwrap();
    simulation
}

/// ρ g L²/(2Y) of the stiffness that there is at the end, a quarter of the one at the start.
#[test]
fn a_hanging_strip_goes_to_the_length_of_its_new_stiffness() {
    let material = Material {
        area_density_kg_per_m2: 0.2,
        stretch_warp_n_per_m: 20.0,
        stretch_weft_n_per_m: 20.0,
        shear_n_per_m: 0.0,
        ..Material::default()
    };
    let tension = ClothModel::Triangles(Membrane::Tension, Bending::Limp);
    let mut cloth = of_triangles(tension, sheet(21, 3, 0.02, material));
    // u hangs down.
    let down = rectangle(&mut cloth);
    (down.u_axis, down.v_axis) = (DVec3::NEG_Y, DVec3::X);
    let mut cloth = pinned(cloth, [0, 21, 42]);
    cloth
        .maps
        .push(everywhere(Mapped::Stretch, course(1.0, 0.25)));
    let gravity = DVec3::new(0.0, -G, 0.0);
    let simulation = settled(&in_air(cloth, gravity, 3.0));
    let length_m = 0.4;
    let expected = 0.2 * G * length_m * length_m / (2.0 * 5.0);
    let x = &simulation.state().positions;
    for column in 0..3 {
        let found = x[21 * column].distance(x[21 * column + 20]) - length_m;
        let error = (found - expected).abs() / expected;
        assert!(error < 0.02, "{found} {expected}");
    }
}

/// Two triangles that share an edge.
fn book(angle: KeyedScalar) -> ClothSpec {
    let positions = vec![
        DVec3::ZERO,
        DVec3::new(0.1, 0.0, 0.0),
        DVec3::new(0.05, 0.0, -0.1),
        DVec3::new(0.05, 0.0, 0.1),
    ];
    let faces = vec![[0, 1, 2], [1, 0, 3]];
    let flat = |p: DVec3| glam::DVec2::new(p.x, -p.z);
    let rest = faces
        .iter()
        .map(|face| face.map(|v: u32| flat(positions[v as usize])));
    let surface = Surface {
        rest: rest.collect(),
        mesh: TriMesh { positions, faces },
    };
    let mut cloth = ClothSpec::new("book", Cut::Mesh(Arc::new(surface)), Material::default());
    cloth.model = HINGES;
    cloth.rest_angles = RestAngles {
        as_started: false,
        painted: vec![([0, 1], angle)],
    };
    pinned(cloth, [0, 1, 2])
}

fn angle_of(x: &[DVec3]) -> f64 {
    Angle::of([x[2], x[3], x[0], x[1]]).unwrap().theta
}

#[test]
fn a_fold_goes_to_its_new_angle() {
    let simulation = settled(&in_air(book(course(0.0, FRAC_PI_2)), DVec3::ZERO, 2.0));
    let angle = angle_of(&simulation.state().positions);
    assert!((angle - FRAC_PI_2).abs() < 1e-4, "{angle}");
    // The same by a map of angles at rest: pressed in to 120°, half of it left.
    let mut cloth = book((2.0 * PI / 3.0).into());
    cloth
        .maps
        .push(everywhere(Mapped::RestAngle, course(1.0, 0.5)));
    let simulation = settled(&in_air(cloth, DVec3::ZERO, 2.0));
    let angle = angle_of(&simulation.state().positions);
    assert!((angle - PI / 3.0).abs() < 1e-4, "{angle}");
}

/// Free cloth follows its lengths at rest, along one thread or both, and keeps its mass.
#[test]
fn cloth_shrinks_to_its_new_size() {
    for (value, expected) in [
        (Mapped::RestLength, [0.8, 0.8]),
        (Mapped::RestLengthWarp, [0.8, 1.0]),
        (Mapped::RestLengthWeft, [1.0, 0.8]),
    ] {
        let mut cloth = of_triangles(HINGES, sheet(6, 5, 0.02, Material::default()));
        let whole = weightless(cloth.clone());
        cloth.maps.push(everywhere(value, course(1.0, 0.8)));
        let simulation = settled(&in_air(cloth, DVec3::ZERO, 2.0));
        let model = simulation.model();
        assert_eq!(model.masses, whole.masses);
        let x = &simulation.state().positions;
        let size = [x[0].distance(x[5]) / 0.1, x[0].distance(x[24]) / 0.08];
        for (found, expected) in size.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-3, "{value:?}: {size:?}");
        }
        // What is said of the stretch is said of the new lengths.
        let stretch = toile_sim::report::Stretch::of(model, simulation.state());
        assert!(stretch.max < 1e-3, "{value:?}: {stretch:?}");
    }
}

/// A curved sheet whose every value changes.
fn busy(values: &[(Mapped, KeyedScalar)]) -> ClothSpec {
    let mut cloth = of_triangles(
        ClothModel::Triangles(Membrane::BaraffWitkin, Bending::Hinges(HingeForm::Sine)),
        sheet(6, 5, 0.02, Material::default()),
    );
    rectangle(&mut cloth).curvature_per_m = 5.0;
    cloth.rest_angles.as_started = true;
    for (value, factor) in values {
        cloth.maps.push(everywhere(*value, factor.clone()));
    }
    pinned(cloth, [0, 5])
}

fn all_values() -> Vec<(Mapped, KeyedScalar)> {
    vec![
        (Mapped::Stretch, course(1.0, 3.0)),
        (Mapped::Shear, course(2.0, 0.0)),
        (Mapped::Bending, course(0.0, 4.0)),
        (Mapped::Damping, course(0.0, 2.0)),
        (Mapped::RestLength, course(1.0, 0.9)),
        (Mapped::RestLengthWarp, course(1.1, 1.0)),
        (Mapped::RestAngle, course(1.0, -1.0)),
    ]
}

const DOWN: DVec3 = DVec3::new(0.0, -G, 0.0);

/// After any number of steps the model is the one that would be built of the values of that time.
#[test]
fn a_model_at_a_time_is_the_model_of_its_values() {
    for model in [HINGES, ClothModel::TRIANGLE_BUCKLING] {
        let cloth = |values: &[(Mapped, KeyedScalar)]| {
            let mut cloth = of_triangles(model, busy(values));
            cloth.rest_angles.as_started = model == HINGES;
            cloth
        };
        let changing = build(&spec(cloth(&all_values()), DOWN, Vec::new()));
        let mut simulation = Simulation::new(changing.clone(), StepConfig::default());
        for _ in 0..7 {
            simulation.step(1.0 / 60.0).unwrap();
        }
        let time_s = simulation.state().time_s;
        let now: Vec<(Mapped, KeyedScalar)> = all_values()
            .into_iter()
            .map(|(value, course)| (value, course.at(time_s).into()))
            .collect();
        let fixed = build(&spec(cloth(&now), DOWN, Vec::new()));
        let (x, v) = (&changing.start_positions, random_vectors(30, 0.1, 3));
        let mut there = Model::clone(simulation.model());
        there.materials = there.materials_at(time_s);
        let found = bits(&forces(&there, x, &v));
        assert_eq!(found, bits(&forces(&fixed, x, &v)));
        assert_ne!(found, bits(&forces(&changing, x, &v)));
        assert_eq!(there.materials.edges, fixed.materials.edges);
    }
}

#[test]
fn a_resumed_run_goes_on_to_the_bit() {
    let model = build(&spec(busy(&all_values()), DOWN, Vec::new()));
    for integrator in [Integrator::Bdf2, Integrator::Rk4] {
        let config = StepConfig {
            integrator,
            ..StepConfig::default()
        };
        let step_s = match integrator {
            Integrator::Rk4 => 2e-5,
            _ => 1.0 / 60.0,
        };
        let mut whole = Simulation::new(model.clone(), config);
        let mut saved = None;
        for step in 0..40 {
            if step == 13 {
                saved = Some(whole.state().clone());
            }
            whole.step(step_s).unwrap();
        }
        let mut resumed = Simulation::new(model.clone(), config);
        resumed.restore(saved.unwrap());
        for _ in 13..40 {
            resumed.step(step_s).unwrap();
        }
        assert_eq!(whole.state(), resumed.state(), "{integrator:?}");
    }
}

#[test]
fn a_failed_step_changes_nothing() {
    let model = build(&spec(busy(&all_values()), DOWN, Vec::new()));
    let config = StepConfig {
        integrator: Integrator::Rk4,
        ..StepConfig::default()
    };
    let mut simulation = Simulation::new(model, config);
    simulation.step(2e-5).unwrap();
    let before = simulation.state().clone();
    let energy = Energy::of(simulation.model(), &before);
    let error = simulation.step(0.1).unwrap_err();
    assert!(matches!(error, StepError::Unstable { .. }), "{error}");
    assert_eq!(simulation.state(), &before);
    assert_eq!(Energy::of(simulation.model(), &before), energy);
}

/// A stiffness that grows between two estimates of the limit is noticed at once.
#[test]
fn an_explicit_step_knows_the_stiffness_at_its_end() {
    let step_s = 2e-5;
    let stiffer = KeyedScalar {
        start: 1.0,
        keys: [Key {
            time_s: 3.0 * step_s,
            value: 1e4,
        }]
        .into(),
        interpolation: Interpolation::Linear,
    };
    let model = build(&spec(busy(&[(Mapped::Stretch, stiffer)]), DOWN, Vec::new()));
    let config = StepConfig {
        integrator: Integrator::Rk4,
        ..StepConfig::default()
    };
    let mut simulation = Simulation::new(model, config);
    let steps = (0..4).map(|_| simulation.step(step_s));
    let error = steps.filter_map(Result::err).next().unwrap();
    assert!(matches!(error, StepError::Unstable { .. }), "{error}");
}

#[test]
fn what_cannot_change_or_is_no_course_is_refused() {
    for (value, factor, key) in [
        (Mapped::AreaDensity, course(1.0, 2.0), "map[0].keyframes"),
        (Mapped::Bending, course(1.0, -1.0), "map[0].factor"),
        (Mapped::RestLength, course(1.0, 0.0), "map[0].factor"),
        (Mapped::Stretch, course(1.0, f64::NAN), "map[0].factor"),
        // Finite, but not with the rigidity it is multiplied by.
        (Mapped::Bending, course(1.0, f64::MAX), "map[0].factor"),
    ] {
        let mut cloth = busy(&[(value, factor)]);
        cloth.material.bending_warp_n_m = 10.0;
        cloth.model = ClothModel::TRIANGLE_BUCKLING;
        cloth.rest_angles.as_started = false;
        let error = Model::build(&spec(cloth, DOWN, Vec::new())).err().unwrap();
        assert!(error.key.starts_with("cloth[0]."), "{error}");
        if !error.key.contains("bending_n_m") {
            assert_eq!(error.key, format!("cloth[0].{key}"));
        }
    }
}
