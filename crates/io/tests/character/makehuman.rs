use crate::sample::{MESH, SKELETON, WEIGHTS};
use glam::{DQuat, DVec3};
use std::fs;
use std::path::Path;
use toile_geometry::character::Scratch;
use toile_io::character::{self, CharacterFile, Options};
use toile_io::formats::Error;

fn read(folder: &Path, [mesh, skeleton, weights]: [&str; 3]) -> Result<CharacterFile, Error> {
    let [mesh_path, skeleton_path] = ["arm.obj", "arm.mhskel"].map(|name| folder.join(name));
    fs::write(&mesh_path, mesh).unwrap();
    fs::write(&skeleton_path, skeleton).unwrap();
    fs::write(folder.join("arm.mhw"), weights).unwrap();
    character::read_makehuman(&mesh_path, &skeleton_path, &Options::default())
}

#[test]
fn joints_are_means_of_vertices_and_bones_move_them() {
    let folder = tempfile::tempdir().unwrap();
    let character = read(folder.path(), [MESH, SKELETON, WEIGHTS])
        .unwrap()
        .character;
    assert_eq!(character.parts, ["", "body", "helper"]);
    assert_eq!(character.part_of, [1, 1, 2]);
    let mut pose = character.rest();
    let mut there = Vec::new();
    character.posed(&pose, &mut Scratch::default(), &mut there);
    assert!(
        there[3].distance(DVec3::new(2.0, 0.1, 0.0)) < 1e-12,
        "in metres"
    );
    let elbow = character.rig.joint("elbow").unwrap();
    pose.locals[elbow].rotation = DQuat::from_rotation_z(90f64.to_radians());
    character.posed(&pose, &mut Scratch::default(), &mut there);
    assert!(there[2].distance(DVec3::new(1.0, 1.0, 0.0)) < 1e-12);
    // Half with the shoulder, which stays, and half with the elbow.
    assert!(there[3].distance(DVec3::new(1.45, 0.55, 0.0)) < 1e-12);
    // A helper without weights follows the root.
    assert!(there[5].distance(DVec3::new(0.8, 0.0, 0.0)) < 1e-12);
}

#[test]
fn what_is_wrong_is_shown_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let skeleton =
        |from: &str, to: &str| [MESH.into(), SKELETON.replacen(from, to, 1), WEIGHTS.into()];
    let weights =
        |from: &str, to: &str| [MESH.into(), SKELETON.into(), WEIGHTS.replacen(from, to, 1)];
    for (files, place, words) in [
        (
            skeleton("\"parent\": null", "\"parent\": \"elbow\""),
            "arm.mhskel, `bones`",
            "itself",
        ),
        (
            skeleton("\"shoulder\" }", "\"knee\" }"),
            "bones.elbow.parent",
            "knee",
        ),
        (
            skeleton("\"head\": \"middle\"", "\"head\": \"centre\""),
            "bones.elbow",
            "centre",
        ),
        (skeleton("[5, 6]", "[5, 66]"), "joints.middle", "66"),
        (skeleton("[5, 6]", "[]"), "bones.elbow", "some vertices"),
        (
            skeleton("arm.mhw", "../arm.mhw"),
            "weights_file",
            "same folder",
        ),
        (skeleton("arm.mhw", ""), "weights_file", "same folder"),
        (skeleton("{", "["), "line 2", "MakeHuman"),
        (skeleton("arm.mhw", "none.mhw"), "none.mhw", "No such file"),
        (weights("[2, 1.0]", "[2, -1.0]"), "arm.mhw, `weights`", "-1"),
        (weights("[2, 1.0]", "[22, 1.0]"), "weights.elbow", "22"),
        (weights("\"elbow\"", "\"knee\""), "weights.knee", "a bone"),
    ] {
        let files = files.each_ref().map(String::as_str);
        let error = read(folder.path(), files).expect_err(words).to_string();
        assert!(error.contains(place), "{place} expected in {error}");
        assert!(error.contains(words), "{words} expected in {error}");
    }
}
