//! Colliders in scene files: every shape, every motion, and what a saved scene says of them.

use glam::DVec3;
use toile_io::scene;
use toile_sim::colliders::Shape;
use toile_sim::{FrictionLaw, Interpolation, Model, Motion};

const SCENE: &str = r#"
name = "shapes"
[[cloth]]
grid = { size_m = [0.2, 0.2], particles = [3, 3], center = [0, 3, 0] }
[[collider]]
shape = { capsule = { from = [0, 0, 0], to = [0, 1, 0], radius_m = 0.1 } }
[[collider]]
shape = { box = { center = [1, 0, 0], size_m = [1, 0.5, 0.01] } }
velocity_m_per_s = [0, 0, 1]
[[collider]]
shape = { cylinder = { from = [0, 0, 0], to = [0, 0, 2], radius_m = 0.1, edge_radius_m = 0 } }
friction = 2
friction_law = "viscous"
[[collider]]
shape = { torus = { center = [0, 0, 1], axis = [0, 0, 3], ring_m = 0.3, tube_m = 0.1 } }
keyframes = [{ time_s = 1 }, { time_s = 2, axis = [0, 1, 0], angle_deg = 90 }]
interpolation = "linear"
pivot = [0, 1, 0]
[[collider]]
[collider.shape.union]
blend_m = 0.05
of = [
    { sphere = { center = [0, 0, 0], radius_m = 0.2 } },
    { union = { of = [{ plane = { normal = [0, 2, 0], offset_m = -1 } }] } },
]
"#;

#[test]
fn every_shape_and_motion_is_read() {
    let scene = scene::parse(SCENE, "shapes.toml", &[]).unwrap_or_else(|e| panic!("{e}"));
    let [capsule, cuboid, cylinder, torus, union] = scene.model.colliders.as_slice() else {
        panic!("five colliders expected");
    };
    let expected = Shape::Capsule {
        from: DVec3::ZERO,
        to: DVec3::Y,
        radius_m: 0.1,
    };
    assert_eq!(capsule.shape, expected);
    assert_eq!(capsule.motion, Motion::Still);
    assert_eq!(capsule.friction_law, FrictionLaw::Coulomb);
    // The edges of a thin board are as round as they can be.
    let expected = Shape::Cuboid {
        center: DVec3::X,
        size_m: DVec3::new(1.0, 0.5, 0.01),
        radius_m: 0.005,
    };
    assert_eq!(cuboid.shape, expected);
    assert_eq!(cuboid.motion, Motion::Velocity(DVec3::Z));
    let expected = Shape::Cylinder {
        from: DVec3::ZERO,
        to: DVec3::new(0.0, 0.0, 2.0),
        radius_m: 0.1,
        edge_radius_m: 0.0,
    };
    assert_eq!(cylinder.shape, expected);
    assert_eq!(
        (cylinder.friction, cylinder.friction_law),
        (2.0, FrictionLaw::Viscous)
    );
    let expected = Shape::Torus {
        center: DVec3::Z,
        axis: DVec3::Z,
        ring_m: 0.3,
        tube_m: 0.1,
    };
    assert_eq!(torus.shape, expected);
    let Motion::Keyframes(keyframes) = &torus.motion else {
        panic!("{:?}", torus.motion);
    };
    assert_eq!(keyframes.keys.len(), 2);
    assert_eq!(keyframes.pivot, Some(DVec3::Y));
    assert_eq!(keyframes.interpolation, Interpolation::Linear);
    let quarter = DVec3::new(0.0, std::f64::consts::FRAC_PI_2, 0.0);
    assert!(keyframes.keys[1].rotation_rad.distance(quarter) < 1e-15);
    let expected = Shape::Union {
        blend_m: 0.05,
        of: vec![
            Shape::Sphere {
                center: DVec3::ZERO,
                radius_m: 0.2,
            },
            Shape::Union {
                blend_m: 0.0,
                of: vec![Shape::Plane {
                    normal: DVec3::Y,
                    offset_m: -1.0,
                }],
            },
        ],
    };
    assert_eq!(union.shape, expected);
    Model::build(&scene.model).unwrap();
}

#[test]
fn a_saved_scene_has_the_same_colliders() {
    let scene = scene::parse(SCENE, "shapes.toml", &[]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved.toml");
    scene::save(&scene, &path).unwrap();
    let again = scene::load(&path, &[]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(again.model, scene.model);
    assert_eq!(again.fingerprint(), scene.fingerprint());
    // Whatever moves a collider otherwise makes another run.
    for set in [
        "collider.1.velocity_m_per_s=[0, 0, 2]",
        "collider.3.interpolation=smooth",
        "collider.0.friction_law=viscous",
        "collider.2.shape.cylinder.edge_radius_m=0.01",
    ] {
        let other = scene::parse(SCENE, "shapes.toml", &[set.to_owned()]).unwrap();
        assert_ne!(other.fingerprint(), scene.fingerprint(), "{set}");
    }
}

/// A bottomless union is refused, not followed.
#[test]
fn unions_go_only_so_deep() {
    let nested = |depth: usize| {
        let open = "{ union = { of = [".repeat(depth);
        let close = "] } }".repeat(depth);
        let ball = "{ sphere = { center = [0, 0, 0], radius_m = 1 } }";
        let cloth = "[[cloth]]\ngrid = { size_m = [1, 1], particles = [2, 2] }\n";
        format!("{cloth}[[collider]]\nshape = {open}{ball}{close}\n")
    };
    assert!(scene::parse(&nested(16), "deep.toml", &[]).is_ok());
    let error = scene::parse(&nested(17), "deep.toml", &[]).unwrap_err();
    assert!(error.message().contains("at most 16 deep"), "{error}");
}
