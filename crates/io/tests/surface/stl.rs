use crate::{file, read, refusal};
use glam::DVec3;
use toile_io::surface::{self, Options};

/// A square in two triangles.
pub const TEXT: &str = "\
solid left half
  facet normal 0 0 1
    outer loop
      vertex 0 0 0
      vertex 1 0 0
      vertex 1 1e0 0
    endloop
  endfacet
endsolid left half
solid
  facet normal 0 0 1
    outer loop
      vertex 0 0 0
      vertex 1 1 0
      vertex 0 1 0
    endloop
  endfacet
endsolid
";

/// The same in bytes.
pub fn binary() -> Vec<u8> {
    let mut bytes = b"solid but binary".to_vec();
    bytes.resize(80, b' ');
    bytes.extend(2u32.to_le_bytes());
    for corners in [[(0, 0), (1, 0), (1, 1)], [(0, 0), (1, 1), (0, 1)]] {
        bytes.extend([0; 12]);
        for (x, y) in corners {
            let corner = [x, y, 0].map(|n| (n as f32).to_le_bytes());
            bytes.extend(corner.as_flattened());
        }
        bytes.extend([0; 2]);
    }
    bytes
}

#[test]
fn corners_become_vertices_again() {
    for content in [TEXT.as_bytes(), &binary()] {
        let (_folder, path) = file("mesh.stl", content);
        let (mesh, repairs) = surface::load(&path, &Options::default()).unwrap();
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(
            mesh.positions,
            [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Y]
        );
        assert_eq!(repairs.welded, [3, 4]);
        assert_eq!(repairs.vertices, [0, 1, 2, 0, 2, 3].map(Some));
    }
    let names: Vec<String> = { read("mesh.stl", TEXT).unwrap().groups.into_iter() }
        .map(|g| format!("{}: {:?}", g.name, g.triangles))
        .collect();
    assert_eq!(names, ["left half: [0..1]", "mesh: [1..2]"]);
}

#[test]
fn bytes_at_the_end_are_passed_over() {
    let mut bytes = binary();
    bytes[..5].copy_from_slice(b"plain");
    bytes.extend([7; 60]);
    let mesh = read("mesh.stl", &bytes).unwrap();
    assert_eq!(mesh.triangles.len(), 2);
    assert_eq!(
        mesh.notes,
        ["60 bytes behind the last triangle are passed over"]
    );
}

#[test]
fn what_is_wrong_is_located() {
    for (from, to, expected) in [
        (
            "vertex 1 1e0 0",
            "vertex 1 one 0",
            "mesh.stl, line 6: expected a corner, found expected a number, found `one`",
        ),
        (
            "vertex 1 1e0 0",
            "vertex 1 1",
            "mesh.stl, line 6: expected a corner",
        ),
        (
            "      vertex 1 1e0 0\n",
            "",
            "mesh.stl, line 7: expected three corners, found 2",
        ),
        (
            "vertex 1 1e0 0",
            "vertex 1 1 0\nvertex 0 0 1",
            "mesh.stl, line 7: expected three corners and `endfacet`, found `vertex 0 0 1`",
        ),
        (
            "endsolid left half\n",
            "",
            "mesh.stl, line 9: expected `facet` or `endsolid`, found `solid`",
        ),
        (
            "endsolid\n",
            "",
            "mesh.stl, line 18: expected `endsolid`, found the end of the file",
        ),
    ] {
        assert!(TEXT.contains(from));
        let message = refusal("mesh.stl", TEXT.replacen(from, to, 1));
        assert!(message.starts_with(expected), "{message}");
    }
    let bytes = binary();
    let message = refusal("mesh.stl", &bytes[..140]);
    // Without its last bytes it is taken for the text its title says it is, but for its zeros.
    assert_eq!(
        message,
        "mesh.stl, byte 80: expected 2 triangles, found bytes for 1"
    );
    let message = refusal("mesh.stl", &b"short"[..]);
    assert_eq!(
        message,
        "mesh.stl, byte 0: expected `solid`, or a binary head of 84 bytes, found 5 bytes"
    );
}
