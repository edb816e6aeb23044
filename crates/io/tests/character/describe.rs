//! What `toile info` says of characters and motions.

use super::{file, sample};
use toile_io::formats::{ClipInfo, Info, describe};

#[test]
fn a_skinned_file_is_a_character() {
    let (_folder, path) = file("figure.glb", sample::arm().glb());
    let info = describe(&path).unwrap();
    let Info::Character(it) = &info else {
        panic!("a character expected, found {info:?}");
    };
    assert_eq!(it.triangles, 4);
    // A vertex is counted once, however many parts it is of.
    let read = toile_io::character::read(&path, &Default::default()).unwrap();
    assert_eq!(it.vertices, read.character.mesh.positions.len());
    let of_parts: usize = it.parts.iter().map(|(_, triangles)| triangles).sum();
    assert_eq!(of_parts, it.triangles);
    assert!(it.joints.iter().any(|name| name == "elbow"));
    assert_eq!(it.morphs.len(), 2);
    let names: Vec<&str> = it.clips.iter().map(|clip| clip.name.as_str()).collect();
    assert_eq!(names, ["bend", "wave"]);
    // The hand is at x = 4, and its glove reaches 0.1 farther at twice the size.
    let [_, high] = it.bounds.unwrap();
    assert!((high[0] - 4.2).abs() < 1e-6, "{high:?}");
    let text = info.to_string();
    for line in [
        "clip      bend: ",
        "skin      follows 4 joints",
        "morph     ",
    ] {
        assert!(text.contains(line), "{line} expected in {text}");
    }
}

#[test]
fn parts_that_share_vertices_count_them_once() {
    let mut it = sample::arm();
    let mut second = it.json["meshes"][0]["primitives"][0].clone();
    second["material"] = 0.into();
    let primitives = it.json["meshes"][0]["primitives"].as_array_mut().unwrap();
    primitives.push(second);
    let count = |content: Vec<u8>| {
        let (_folder, path) = file("figure.glb", content);
        match describe(&path).unwrap() {
            Info::Character(it) => (it.vertices, it.triangles),
            other => panic!("a character expected, found {other:?}"),
        }
    };
    let [(alone, few), (shared, more)] = [sample::arm().glb(), it.glb()].map(count);
    assert_eq!(alone, shared);
    assert!(more > few);
}

#[test]
fn a_motion_says_how_long_it_is() {
    let (_folder, path) = file("walk.bvh", sample::BVH);
    let info = describe(&path).unwrap();
    let Info::Motion(it) = &info else {
        panic!("a motion expected, found {info:?}");
    };
    assert_eq!((it.frames, it.clip.length_s), (3, 1.0));
    assert!(it.joints.iter().any(|name| name == "Elbow"));
    // The hand is at x = 3 in the first frame, and at y = 4 in the second.
    let [_, high] = it.bounds.unwrap();
    assert!((high[0] - 3.0).abs() < 1e-12 && (high[1] - 4.0).abs() < 1e-12);
    assert!(info.to_string().contains("3 frames, 1.000 s"));
    let ClipInfo { name, .. } = &it.clip;
    assert_eq!(name, "walk");
}
