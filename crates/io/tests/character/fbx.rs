//! FBX files: what is read is what was written by hand, in any unit and with any axis up.

use super::file;
use glam::DVec3;
use toile_geometry::character::{Character, Playback, Scratch};
use toile_io::character::{self, CharacterFile, Options};
use toile_io::formats::{Error, Info, UpAxis, describe};

/// An arm, in words; and the same in bytes, as most programs write it, with an array packed.
const ARM: &str = include_str!("arm.fbx");
const BYTES: &[u8] = include_bytes!("arm-binary.fbx");

fn read(content: impl AsRef<[u8]>, options: &Options) -> Result<CharacterFile, Error> {
    let (_folder, path) = file("arm.fbx", content);
    character::read(&path, options)
}

fn at(character: &Character, time_s: f64) -> Vec<DVec3> {
    let mut positions = Vec::new();
    let scratch = &mut Scratch::default();
    character.place_at(&Playback::of(0), time_s, scratch, &mut positions);
    positions
}

/// Where the vertices of the arm must be, m, its elbow bent by an angle.
fn expected(angle: f64) -> [DVec3; 5] {
    let elbow = DVec3::new(1.0, 1.0, 0.0);
    let turned = |p: DVec3| elbow + glam::DQuat::from_rotation_z(angle) * (p - elbow);
    let at_elbow = DVec3::new(1.0, 1.1, 0.0);
    [
        DVec3::new(0.0, 1.0, 0.05),
        DVec3::new(0.0, 1.1, 0.0),
        at_elbow.midpoint(turned(at_elbow)),
        turned(DVec3::new(2.0, 1.0, 0.0)),
        turned(DVec3::new(2.0, 1.1, 0.0)),
    ]
}

fn near(found: &[DVec3], expected: &[DVec3]) {
    assert_eq!(found.len(), expected.len());
    for (p, q) in found.iter().zip(expected) {
        assert!(p.distance(*q) < 1e-6, "{p} instead of {q}");
    }
}

#[test]
fn an_arm_bends_as_trigonometry_says() {
    bends(&read(ARM, &Options::default()).unwrap());
    bends(&read(BYTES, &Options::default()).unwrap());
}

fn bends(read: &CharacterFile) {
    let it = &read.character;
    for (time_s, angle_deg) in [(0.0, 0.0), (0.5, 45.0), (1.0, 90.0), (5.0, 90.0_f64)] {
        near(&at(it, time_s), &expected(angle_deg.to_radians()));
    }
    assert_eq!(it.parts, ["sleeve", "glove"]);
    assert_eq!(it.mesh.faces.len(), 3, "a triangle and a square");
    assert_eq!(it.part_of, [0, 1, 1]);
    assert_eq!(it.clips.len(), 1);
    assert_eq!(
        (it.clips[0].name.as_str(), it.clips[0].span_s()),
        ("bend", [0.0, 1.0])
    );
    assert_eq!(
        (it.morphs[0].name.as_str(), it.morphs[0].weight),
        ("pull", 0.5)
    );
    assert!(it.rig.joint("Elbow").is_some());
    assert_eq!(read.notes, Vec::<String>::new());
}

#[test]
fn units_and_axes_are_those_of_the_file_unless_told() {
    // The same numbers in metres: a hundred times as large.
    let metres = ARM.replace(
        "\"UnitScaleFactor\", \"double\", \"Number\", \"\",1\n",
        "\"UnitScaleFactor\", \"double\", \"Number\", \"\",100\n",
    );
    assert_ne!(metres, ARM);
    let large = expected(0.5).map(|p| 100.0 * p);
    let seconds = 0.5 / std::f64::consts::FRAC_PI_2;
    let found = at(
        &read(&metres, &Options::default()).unwrap().character,
        seconds,
    );
    let found: Vec<DVec3> = found.iter().map(|p| 0.01 * *p).collect();
    near(&found, &large.map(|p| 0.01 * p));
    // With z up, what was up is towards the viewer.
    let z_up = { ARM }
        .replace(
            "\"UpAxis\", \"int\", \"Integer\", \"\",1",
            "\"UpAxis\", \"int\", \"Integer\", \"\",2",
        )
        .replace(
            "\"FrontAxis\", \"int\", \"Integer\", \"\",2",
            "\"FrontAxis\", \"int\", \"Integer\", \"\",1",
        )
        .replace(
            "\"FrontAxisSign\", \"int\", \"Integer\", \"\",1",
            "\"FrontAxisSign\", \"int\", \"Integer\", \"\",-1",
        );
    let turned = expected(0.5).map(|p| DVec3::new(p.x, p.z, -p.y));
    near(
        &at(
            &read(&z_up, &Options::default()).unwrap().character,
            seconds,
        ),
        &turned,
    );
    // Who knows better than the file is believed.
    let told = Options {
        metres_per_unit: Some(0.02),
        up: Some(UpAxis::Z),
    };
    let doubled = turned.map(|p| 2.0 * p);
    near(&at(&read(ARM, &told).unwrap().character, seconds), &doubled);
}

#[test]
fn damage_is_refused_or_read_as_a_character() {
    let (_folder, path) = file("arm.fbx", ARM);
    let Info::Character(info) = describe(&path).unwrap() else {
        panic!("a character expected");
    };
    assert_eq!((info.vertices, info.morphs.len()), (5, 1));
    for (wrong, said) in [
        (String::new(), "FBX"),
        ("glTF, but not quite".to_owned(), "FBX"),
        (
            ARM.replace("a: 0,2,-2,0,3,4,-3", "a: 0,2,-2,0,3,9,-3"),
            "expected an FBX file",
        ),
    ] {
        let error = read(&wrong, &Options::default()).unwrap_err().to_string();
        assert!(error.contains("arm.fbx") && error.contains(said), "{error}");
    }
    for whole in [ARM.as_bytes(), BYTES] {
        for at in (0..whole.len()).step_by(97) {
            if let Ok(read) = read(&whole[..at], &Options::default()) {
                read.character.validate().unwrap();
            }
        }
    }
}
