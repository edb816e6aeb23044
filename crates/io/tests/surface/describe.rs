use crate::stl::TEXT;
use crate::{file, gltf};
use toile_io::formats::{Info, describe};

#[test]
fn files_without_motion_are_described() {
    let (_folder, path) = file("mesh.stl", TEXT);
    let info = describe(&path).unwrap();
    let text = info.to_string();
    for line in [
        "6 vertices, 2 triangles",
        "group     left half: 1 triangles",
        "bounds    [0, 0, 0] to [1, 1, 0]",
        "as cloth  4 vertices, 2 triangles",
        "note      2 vertices welded to others: 3, 4",
    ] {
        assert!(text.contains(line), "{line} in\n{text}");
    }
    let json = serde_json::to_value(&info).unwrap();
    assert_eq!(json["kind"], "surface");
    assert_eq!(json["mesh"][0], 4);
    let (_folder, path) = file("mesh.gltf", gltf::inline());
    assert!(
        describe(&path)
            .unwrap()
            .to_string()
            .contains("holds     texture coordinates")
    );
}

#[test]
fn what_makes_no_mesh_is_said() {
    let (_folder, path) = file("mesh.stl", TEXT.replace("vertex 1 1", "vertex 0 0"));
    let Info::Surface(info) = describe(&path).unwrap() else {
        panic!("a surface");
    };
    assert_eq!((info.triangles, info.mesh), (2, None));
    assert_eq!(info.problem.as_deref(), Some("no triangle with an area"));
}
