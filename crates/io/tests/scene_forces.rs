//! Wind, weights, moving pins and solver choices in scene files.

use glam::DVec3;
use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;
use toile_io::checkpoint::Snapshot;
use toile_io::scene::{self, Scene};
use toile_sim::{
    Border, DampingKind, Interpolation, Jacobian, Model, Motion, PinHold, Preconditioner,
    Simulation, WeightSpec, WindSpec,
};

/// A scene with all of it, a line of which each bad case replaces.
const GOOD: &str = r#"frames = 10
air_damping_per_s = 0.5
[solver]
preconditioner = "block-diagonal"
[wind]
velocity_m_per_s = [3, 0, 1]
gust_m_per_s = 1.5
gust_size_m = 0.7
gust_period_s = 0.4
seed = 9
drag = 1.1
lift = 0.9
[[cloth]]
grid = { size_m = [0.4, 0.2], particles = [9, 5], center = [0, 1, 0] }
[cloth.material]
damping = "isotropic"
jacobian = "projected"
[[cloth.pin]]
indices = [0, 1]
keyframes = [
  { time_s = 0.1, offset_m = [0, 0.05, 0] },
  { time_s = 0.3, axis = [0, 0, 2], angle_deg = 90, scale = [1, 1, 0.5] },
]
interpolation = "linear"
pivot = [0, 1, 0]
[[cloth.pin]]
corners = ["u-max-v-min"]
velocity_m_per_s = [0, 0.1, 0]
release_s = 0.15
[[cloth.pin]]
borders = ["v-max"]
free_axis = [1, 0, 0]
soft_n_per_m = 20
[[cloth.pin]]
indices = [20]
hold_normal = [0, 0, 1]
[[cloth.weight]]
borders = ["v-min", "u-max"]
kg_per_m = 0.05
[[cloth.weight]]
indices = [3, 4]
kg = 0.002
"#;

fn parse(text: &str, sets: &[&str]) -> Scene {
    let sets: Vec<_> = sets.iter().map(|s| (*s).to_owned()).collect();
    scene::parse(text, "forces.toml", &sets).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn every_key_reaches_the_model() {
    let scene = parse(GOOD, &[]);
    assert_eq!(scene.config.preconditioner, Preconditioner::BlockDiagonal);
    assert_eq!(scene.model.air.damping_per_s, 0.5);
    assert_eq!(
        scene.model.air.wind,
        Some(WindSpec {
            velocity_m_per_s: DVec3::new(3.0, 0.0, 1.0),
            gust_m_per_s: 1.5,
            gust_size_m: 0.7,
            gust_period_s: 0.4,
            seed: 9,
            drag: 1.1,
            lift: 0.9,
        })
    );
    let cloth = &scene.model.cloths[0];
    assert_eq!(cloth.material.damping, DampingKind::Isotropic);
    assert_eq!(cloth.material.jacobian, Jacobian::Projected);
    let [moving, leaving, sliding, flat] = cloth.pins.as_slice() else {
        panic!("four pins expected");
    };
    let Motion::Keyframes(keyframes) = &moving.motion else {
        panic!("keyframes expected");
    };
    assert_eq!(keyframes.interpolation, Interpolation::Linear);
    assert_eq!(keyframes.pivot, Some(DVec3::Y));
    assert_eq!(keyframes.keys[0].offset_m, DVec3::new(0.0, 0.05, 0.0));
    assert_eq!(keyframes.keys[0].scale, DVec3::ONE);
    let turn = keyframes.keys[1].rotation_rad;
    assert!(turn.distance(FRAC_PI_2 * DVec3::Z) < 1e-15);
    assert_eq!(leaving.motion, Motion::Velocity(DVec3::new(0.0, 0.1, 0.0)));
    assert_eq!(leaving.release_s, Some(0.15));
    assert_eq!(sliding.hold, PinHold::FreeAxis(DVec3::X));
    assert_eq!(sliding.soft_n_per_m, Some(20.0));
    assert_eq!(flat.hold, PinHold::Normal(DVec3::Z));
    assert_eq!(
        cloth.weights,
        [
            WeightSpec::Hem {
                borders: vec![Border::VMin, Border::UMax],
                kg_per_m: 0.05
            },
            WeightSpec::Points {
                indices: vec![3, 4],
                kg: 0.002
            },
        ]
    );
}

#[test]
fn an_empty_wind_is_still_air_and_none_is_none() {
    let short = "[[cloth]]\ngrid = { size_m = [1, 1], particles = [3, 3] }";
    assert_eq!(parse(short, &[]).model.air.wind, None);
    let still = parse(&format!("[wind]\n{short}"), &[]);
    assert_eq!(still.model.air.wind, Some(WindSpec::default()));
}

#[test]
fn the_resolved_scene_and_the_fingerprint_hold_all_of_it() {
    let scene = parse(GOOD, &[]);
    let resolved = toml::to_string(&scene::resolved_json(&scene)).unwrap();
    assert_eq!(parse(&resolved, &[]), scene);
    let print = |sets: &[&str]| parse(GOOD, sets).fingerprint();
    let same = print(&[]);
    assert_eq!(same, print(&["frames=3"]));
    for set in [
        "air_damping_per_s=0.6",
        "wind.seed=10",
        "wind.lift=0.8",
        "wind.velocity_m_per_s=[3, 0, 0]",
        "solver.preconditioner=multilevel",
        "cloth.material.damping=axial",
        "cloth.material.jacobian=exact",
        "cloth.pin.0.keyframes.1.angle_deg=80",
        "cloth.pin.0.interpolation=smooth",
        "cloth.pin.1.release_s=0.2",
        "cloth.pin.1.velocity_m_per_s=[0, 0, 0]",
        "cloth.pin.2.soft_n_per_m=30",
        "cloth.pin.3.hold_normal=[0, 1, 0]",
        "cloth.weight.0.kg_per_m=0.06",
        "cloth.weight.1.indices=[3]",
    ] {
        assert_ne!(same, print(&[set]), "{set}");
    }
}

#[test]
fn bad_values_are_located_and_explained() {
    #[rustfmt::skip]
    let cases = [
        ("air_damping_per_s = 0.5", "air_damping_per_s = -1", 2, "air_damping_per_s", "0 or more"),
        ("air_damping_per_s = 0.5", "air_damping_per_s = 1e16", 2, "air_damping_per_s", "1e15 at the most, found 1e16"),
        ("\"block-diagonal\"", "\"block\"", 4, "solver.preconditioner", "one of \"multilevel\", \"block-diagonal\""),
        ("velocity_m_per_s = [3, 0, 1]", "force = 3", 6, "wind.force", "unknown key"),
        ("gust_m_per_s = 1.5", "gust_m_per_s = -1", 7, "wind.gust_m_per_s", "0 or more"),
        ("gust_size_m = 0.7", "gust_size_m = 0", 8, "wind.gust_size_m", "greater than 0"),
        ("gust_period_s = 0.4", "gust_period_s = -0.4", 9, "wind.gust_period_s", "greater than 0"),
        ("seed = 9", "seed = 1.5", 10, "wind.seed", "whole number"),
        ("lift = 0.9", "lift = 1.2", 12, "wind.lift", "expected 0 to 1.1, which is `wind.drag`, found 1.2"),
        ("\"isotropic\"", "\"all\"", 16, "cloth[0].material.damping", "\"axial\" or \"isotropic\""),
        ("\"projected\"", "\"exakt\"", 17, "cloth[0].material.jacobian", "did you mean `exact`?"),
        ("time_s = 0.3, ", "time_s = 0.1, ", 22, "cloth[0].pin[0].keyframes[1].time_s", "more than 0.1, found 0.1"),
        ("time_s = 0.1, ", "time_s = 0, ", 21, "cloth[0].pin[0].keyframes[0]", "where the cloth starts"),
        ("time_s = 0.1, ", "", 21, "cloth[0].pin[0].keyframes[0].time_s", "missing key"),
        ("axis = [0, 0, 2]", "axis = [0, 0, 0]", 22, "cloth[0].pin[0].keyframes[1].axis", "a direction"),
        ("\"linear\"", "\"cubic\"", 24, "cloth[0].pin[0].interpolation", "\"smooth\" or \"linear\""),
        ("velocity_m_per_s = [0, 0.1, 0]", "pivot = [0, 0, 0]", 28, "cloth[0].pin[1].pivot", "only goes with `keyframes`"),
        ("velocity_m_per_s = [0, 0.1, 0]", "interpolation = \"smooth\"", 28, "cloth[0].pin[1].interpolation", "only goes with"),
        ("release_s = 0.15", "release_s = -1", 29, "cloth[0].pin[1].release_s", "0 or more"),
        ("release_s = 0.15", "keyframes = [{ time_s = 1 }]", 29, "cloth[0].pin[1].keyframes", "found both"),
        ("free_axis = [1, 0, 0]", "free_axis = [0, 0, 0]", 32, "cloth[0].pin[2].free_axis", "a direction"),
        ("free_axis = [1, 0, 0]", "free_axis = [1, 0, 0]\nhold_normal = [0, 1, 0]", 33, "cloth[0].pin[2].hold_normal", "found both"),
        ("soft_n_per_m = 20", "soft_n_per_m = 0", 33, "cloth[0].pin[2].soft_n_per_m", "greater than 0"),
        ("kg_per_m = 0.05", "kg_per_m = -0.05", 39, "cloth[0].weight[0].kg_per_m", "0 or more"),
        ("kg_per_m = 0.05", "kg = 0.05", 37, "cloth[0].weight[0]", "either `borders` and `kg_per_m`"),
        ("indices = [3, 4]", "indices = [3, 45]", 41, "cloth[0].weight[1].indices[1]", "from 0 to 44"),
        ("kg = 0.002", "kg = -1", 42, "cloth[0].weight[1].kg", "0 or more"),
    ];
    for (from, to, line, key, says) in cases {
        assert_eq!(GOOD.matches(from).count(), 1, "`{from}` is not unique");
        let text = GOOD.replace(from, to);
        let error = match scene::parse(&text, "bad.toml", &[]) {
            Err(error) => error,
            Ok(_) => panic!("accepted: {to}"),
        };
        let shown = error.to_string();
        assert_eq!(error.key(), Some(key), "{shown}");
        assert_eq!(error.line(), Some(line), "{shown}");
        assert!(shown.contains(says), "`{says}` is not in:\n{shown}");
    }
}

/// Wind, moving, soft and released pins, accelerations that a scheme remembers and the length of
/// the next adaptive step depend on nothing that a checkpoint does not hold.
#[test]
fn a_checkpoint_continues_with_the_same_bits() {
    for more in [
        &[][..],
        &[
            "solver.integrator=newmark",
            "solver.newmark_gamma=0.6",
            "solver.newmark_beta=0.3025",
        ],
        &["solver.adaptive={ control = \"strain\", tolerance = 1e-3 }"],
    ] {
        let sets = [&["solver.preconditioner=multilevel"], more].concat();
        let scene = parse(GOOD, &sets);
        let model = Arc::new(Model::build(&scene.model).unwrap());
        let mut straight = Simulation::new(model.clone(), scene.config);
        for _ in 0..12 {
            straight.advance(0.01, 0.01).unwrap();
        }
        let snapshot = Snapshot::of(straight.state(), 12);
        let mut resumed = Simulation::new(model.clone(), scene.config);
        resumed.restore(snapshot.state(&model).unwrap());
        assert_eq!(straight.state(), resumed.state());
        for _ in 0..25 {
            straight.advance(0.01, 0.01).unwrap();
            resumed.advance(0.01, 0.01).unwrap();
        }
        assert_eq!(straight.state(), resumed.state());
        // The gusts did move it, and what is remembered was there to be forgotten.
        assert!(straight.state().velocities[22].length() > 0.01);
        let state = straight.state();
        assert_eq!(state.acceleration.is_some(), sets.len() == 4, "{sets:?}");
        assert_eq!(state.next_step_s.is_some(), scene.config.adaptive.is_some());
    }
}
