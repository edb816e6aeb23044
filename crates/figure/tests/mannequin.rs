//! The mannequin as a whole: its surface, its skin, its motions.

use glam::DVec3;
use std::collections::HashMap;
use std::sync::OnceLock;
use toile_figure::mannequin::skeleton::Side;
use toile_figure::mannequin::{
    Mannequin, MannequinError, MeasureError, Measurements, Motion, Sex, Size,
};
use toile_figure::measure::measure;
use toile_geometry::character::{Joint, Rig, Transform, human};

fn asked() -> Measurements {
    Measurements::of_size(Sex::Female, Size::M)
}

fn woman() -> &'static Mannequin {
    static MADE: OnceLock<Mannequin> = OnceLock::new();
    MADE.get_or_init(|| Mannequin::new(&asked()).unwrap())
}

#[test]
fn the_tape_says_what_was_asked() {
    let taken = measure(&woman().character.mesh);
    assert_eq!(taken, woman().taken);
    for ((name, asked), (_, found)) in asked().named().into_iter().zip(taken.named()) {
        let found = found.unwrap();
        assert!((found / asked - 1.0).abs() < 0.01, "{name}: {found} m");
    }
}

#[test]
fn what_no_adult_measures_is_doubted() {
    let mesh = &woman().character.mesh;
    let doubted = |change: &dyn Fn(DVec3) -> DVec3| -> Vec<&str> {
        let mut mesh = mesh.clone();
        mesh.positions.iter_mut().for_each(|p| *p = change(*p));
        let taken = measure(&mesh);
        let missing = taken
            .named()
            .into_iter()
            .filter(|(_, found)| found.is_none());
        let doubts = taken.doubts().into_iter().map(|(name, _)| name);
        doubts.chain(missing.map(|(name, _)| name)).collect()
    };
    assert!(doubted(&|p| p).is_empty());
    // In centimetres everything but the height is as it was.
    assert_eq!(doubted(&|p| 100.0 * p), ["height"]);
    // A doll: what is above the shoulders three times as large, so that the neck is where the chest was.
    let shoulders_m = 0.82 * 1.70;
    let doll = |p: DVec3| match p.y > shoulders_m {
        true => DVec3::new(
            3.0 * p.x,
            shoulders_m + 3.0 * (p.y - shoulders_m),
            3.0 * p.z,
        ),
        false => p,
    };
    let found = doubted(&doll);
    assert!(
        found.contains(&"neck") && found.contains(&"leg"),
        "{found:?}"
    );
    // As wide as high.
    assert!(doubted(&|p| p * DVec3::new(2.5, 1.0, 2.5)).contains(&"waist"));
}

#[test]
fn the_surface_is_closed_and_of_the_size_asked() {
    let mesh = &woman().character.mesh;
    assert!((13_000..15_000).contains(&mesh.faces.len()));
    let mut uses: HashMap<[u32; 2], [u32; 2]> = HashMap::new();
    for &[a, b, c] in &mesh.faces {
        for [a, b] in [[a, b], [b, c], [c, a]] {
            uses.entry([a.min(b), a.max(b)]).or_default()[usize::from(a > b)] += 1;
        }
    }
    assert!(uses.values().all(|uses| *uses == [1, 1]));
    let euler = mesh.positions.len() + mesh.faces.len() - uses.len();
    assert_eq!(euler, 2);
    let bounds = mesh.bounds();
    assert!(bounds.min.y.abs() < 1e-3 && (bounds.max.y - 1.70).abs() < 2e-3);
}

#[test]
fn left_and_right_are_mirror_images_to_the_bit() {
    let mesh = &woman().character.mesh;
    let bits = |p: DVec3| p.to_array().map(|x| (x + 0.0).to_bits());
    let places: HashMap<_, usize> = { mesh.positions.iter().enumerate() }
        .map(|(v, p)| (bits(*p), v))
        .collect();
    let skin = &woman().character.skin;
    for (v, p) in mesh.positions.iter().enumerate() {
        let other = places[&bits(DVec3::new(-p.x, p.y, p.z))];
        for influence in skin.influences(v) {
            let bone = Side::mirror(influence.bone as usize) as u32;
            let twin = skin.influences(other).iter().find(|i| i.bone == bone);
            assert!(
                twin.is_some_and(|t| (t.weight - influence.weight).abs() < 1e-9),
                "{p}: {:?}, {:?}",
                skin.influences(v),
                skin.influences(other)
            );
        }
    }
}

#[test]
fn skin_follows_at_most_four_joints() {
    let skin = &woman().character.skin;
    for v in 0..skin.vertices() {
        let own = skin.influences(v);
        assert!((1..=4).contains(&own.len()));
        assert!((own.iter().map(|i| i.weight).sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn the_right_leg_does_half_a_stride_later_what_the_left_did() {
    let length_s = Motion::WalkInPlace.length_s(&woman().poser);
    let at = |time_s: f64| {
        let clip = woman().character.clip("walk-in-place").unwrap();
        let mut pose = woman().character.rest();
        woman().character.clips[clip].apply(time_s, &mut pose);
        woman().character.rig.positions(&pose)
    };
    let rig = &woman().character.rig;
    let [left, right] = ["LeftFoot", "RightFoot"].map(|name| rig.joint(name).unwrap());
    for k in 0..6 {
        let time_s = 0.5 * length_s * f64::from(k) / 6.0;
        let [now, later] = [time_s, time_s + 0.5 * length_s].map(at);
        let mirrored = DVec3::new(-now[left].x, now[left].y, now[left].z);
        assert!(later[right].distance(mirrored) < 1e-9, "at {time_s} s");
    }
}

#[test]
fn a_foot_that_stands_flat_stays() {
    let stride_s = Motion::WalkInPlace.length_s(&woman().poser);
    // The left foot is flat on the floor from 11 % to 28 % of its stride.
    let [a, b] = [0.13, 0.26].map(|share| woman().at(Motion::Walk, share * stride_s));
    let mut compared = 0;
    for (a, b) in a.iter().zip(&b) {
        if a.x > 0.0 && a.y < 0.002 {
            assert!(a.distance(*b) < 1e-3);
            compared += 1;
        }
    }
    assert!(compared > 20);
}

#[test]
fn recorded_motion_finds_the_joints_but_no_helpers() {
    let sided = [
        "clavicle", "upperarm", "forearm", "hand", "thigh", "shin", "foot", "toes",
    ];
    let sided = ["l", "r"].map(|side| sided.map(|word| format!("{side}_{word}")));
    let middle = ["pelvis", "abdomen", "chest", "neck", "head"].map(str::to_owned);
    let names = middle.into_iter().chain(sided.into_iter().flatten());
    let joint = |name: String| Joint {
        name,
        parent: None,
        rest: Transform::IDENTITY,
    };
    let other = Rig::new(names.map(joint).collect()).unwrap();
    let rig = &woman().character.rig;
    let pairs = human::pairs(&other, rig);
    for (k, joint) in rig.joints().iter().enumerate() {
        let is_followed = pairs.iter().any(|pair| pair.0 == k);
        assert_eq!(
            is_followed,
            !joint.name.ends_with("Helper"),
            "{}",
            joint.name
        );
    }
}

#[test]
fn who_nobody_is_is_not_made() {
    let refused = Mannequin::new(&Measurements {
        hip_m: f64::INFINITY,
        ..asked()
    });
    assert!(matches!(refused, Err(MannequinError::Measure(_))));
    // Each of these can be, but not all together on so small hips.
    let refused = Mannequin::new(&Measurements {
        hip_m: 0.80,
        waist_m: 0.85,
        bust_m: 1.30,
        upper_arm_m: 0.50,
        ..asked()
    });
    assert!(matches!(
        refused,
        Err(MannequinError::Measure(
            MeasureError::OutOfRange { .. } | MeasureError::Together { .. }
        ))
    ));
}
