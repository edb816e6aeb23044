//! Materials that change over time, as scenes write them.

use std::fs;
use toile_io::scene::{self, Scene};
use toile_sim::{Model, Simulation};

fn load(cloth: &str) -> Result<Scene, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.toml");
    let text = format!(
        "[[cloth]]\ngrid = {{ size_m = [1, 1], particles = [5, 5] }}\n\
         model = \"baraff-witkin\"\n{cloth}"
    );
    fs::write(&path, text).unwrap();
    let scene = scene::load(&path, &[]).map_err(|error| error.to_string())?;
    // What is saved says the same.
    let saved = folder.path().join("saved.toml");
    scene::save(&scene, &saved).unwrap();
    let again = scene::load(&saved, &[]).unwrap();
    assert_eq!(again.model, scene.model);
    assert_eq!(again.fingerprint(), scene.fingerprint());
    Ok(scene)
}

#[test]
fn maps_have_keyframes() {
    // Everywhere, and in a box that holds the faces of the left half.
    let scene = load(
        "[[cloth.map]]\nvalue = \"stretch\"\n\
         keyframes = [{ time_s = 1, factor = 3 }, { time_s = 2, factor = 0.5 }]\n\
         interpolation = \"linear\"\n\
         [[cloth.map]]\nvalue = \"bending\"\nfactor = 2\n\
         box = { min = [-1, -1, -1], max = [0, 1, 1] }\n\
         keyframes = [{ time_s = 1, factor = 4 }]\n",
    )
    .unwrap();
    let cloth = &scene.model.cloths[0];
    let plain = cloth.material;
    let stretch = |face, time_s| {
        cloth.material_of(face, time_s).stretch_warp_n_per_m / plain.stretch_warp_n_per_m
    };
    for (time_s, expected) in [(0.0, 1.0), (0.5, 2.0), (1.0, 3.0), (1.2, 2.5), (9.0, 0.5)] {
        let (left, right) = (stretch(0, time_s), stretch(7, time_s));
        assert!((left - expected).abs() < 1e-12, "{time_s}: {left}");
        assert_eq!(left, right);
    }
    let bending =
        |face, time_s| cloth.material_of(face, time_s).bending_warp_n_m / plain.bending_warp_n_m;
    // Smooth unless said otherwise: 3s² − 2s³ of the way.
    for (time_s, expected) in [(0.0, 2.0), (0.25, 2.3125), (0.5, 3.0), (5.0, 4.0)] {
        assert!((bending(0, time_s) - expected).abs() < 1e-12);
        assert_eq!(bending(7, time_s), 1.0);
    }
    let mut simulation = Simulation::new(Model::build(&scene.model).unwrap().into(), scene.config);
    simulation.advance(0.1, 0.05).unwrap();
}

#[test]
fn creases_have_keyframes() {
    let crease = |keys: &str| {
        load(&format!(
            "[[cloth.crease]]\nfrom = [0.5, 0]\nto = [0.5, 1]\nangle_deg = 30\n{keys}"
        ))
    };
    let opens = "keyframes = [{ time_s = 2, angle_deg = 90 }]\ninterpolation = \"linear\"\n";
    let scene = crease(opens).unwrap();
    for (_, angle) in &scene.model.cloths[0].rest_angles.painted {
        for (time_s, expected_deg) in [(0.0, 30.0_f64), (1.0, 60.0), (2.0, 90.0), (3.0, 90.0)] {
            let error = angle.at(time_s) - expected_deg.to_radians();
            assert!(error.abs() < 1e-12, "{time_s}");
        }
    }
    Model::build(&scene.model).unwrap();
    assert_ne!(scene.fingerprint(), crease("").unwrap().fingerprint());
}

#[test]
fn friction_of_pairs_has_keyframes() {
    let scene = load(
        "[[contact.pair]]\nbetween = [\"cloth\", \"cloth\"]\nfriction = 0.4\n\
         keyframes = [{ time_s = 1, friction = 0 }]\ninterpolation = \"linear\"\n",
    )
    .unwrap();
    let friction = &scene.model.friction[0].friction;
    assert_eq!([0.0, 0.5, 2.0].map(|t| friction.at(t)), [0.4, 0.2, 0.0]);
    let bad = "[[contact.pair]]\nbetween = [\"cloth\", \"cloth\"]\nfriction = 0.4\n\
               keyframes = [{ time_s = 1, friction = -1 }]\n";
    let error = load(bad).unwrap_err();
    assert!(
        error.contains("contact.pair[0].keyframes[0].friction"),
        "{error}"
    );
}

#[test]
fn what_is_wrong_with_keyframes_is_located() {
    let map = |value: &str, keys: &str| format!("[[cloth.map]]\nvalue = \"{value}\"\n{keys}\n");
    for (text, key, expected) in [
        (map("stretch", ""), "map[0]", "expected a `factor`"),
        (
            map("area-density", "keyframes = [{ time_s = 1, factor = 2 }]"),
            "map[0].keyframes",
            "mass cannot change",
        ),
        (
            map("shear", "keyframes = [{ time_s = 0, factor = 2 }]"),
            "map[0].keyframes[0].time_s",
            "expected more than 0",
        ),
        (
            map(
                "shear",
                "keyframes = [{ time_s = 2, factor = 2 }, { time_s = 1, factor = 3 }]",
            ),
            "map[0].keyframes[1].time_s",
            "expected more than 2",
        ),
        (
            map("rest-length", "keyframes = [{ time_s = 1, factor = 0 }]"),
            "map[0].keyframes[0].factor",
            "greater than 0",
        ),
        (
            map("damping", "keyframes = [{ time_s = 1, factor = -1 }]"),
            "map[0].keyframes[0].factor",
            "0 or more",
        ),
        (
            map("bending", "factor = 2\ninterpolation = \"linear\""),
            "map[0].interpolation",
            "only goes with `keyframes`",
        ),
        (
            map("bending", "keyframes = [{ time_s = 1, angle_deg = 2 }]"),
            "keyframes",
            "angle_deg",
        ),
        (
            "bending = \"buckling\"\n".to_owned() + &map("rest-angle", "factor = 2"),
            "map[0].value",
            "only hinges rest at an angle",
        ),
        (
            "[[cloth.crease]]\nfrom = [0.5, 0]\nto = [0.5, 1]\nangle_deg = 0\n\
             keyframes = [{ time_s = 1, angle_deg = 200 }]\n"
                .to_owned(),
            "crease[0].keyframes[0].angle_deg",
            "expected -180 to 180",
        ),
    ] {
        let error = load(&text).unwrap_err();
        assert!(error.contains(key), "{key}: {error}");
        assert!(error.contains(expected), "{expected}: {error}");
        assert!(error.contains("scene.toml"), "{error}");
    }
}
