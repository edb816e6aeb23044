//! Damaged files are refused or still read as whole meshes: never a panic, never memory for what
//! the file cannot hold.

use crate::stl::{TEXT, binary};
use crate::{file, gltf};
use proptest::prelude::*;
use std::sync::Once;
use toile_io::surface::{self, Options};

/// No more address space than small files need: memory taken on a file's word aborts the test.
fn limit_memory() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        #[cfg(target_os = "linux")]
        {
            use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
            let limit = Rlimit {
                current: Some(4 << 30),
                maximum: getrlimit(Resource::As).maximum,
            };
            setrlimit(Resource::As, limit).unwrap();
        }
    });
}

const OBJ: &str = "o a\nv 0 0 0 1 0 0\nv 1 0 0 0 0 0\nv 1 1 0 0 0 0\nv 0 1 0 1 1 1\n\
    vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\ng b\nusemtl c\nf 1/1 2/2 3/3 4/4\nf -4/-4 -2/-2 -1/-1\n";

const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
    property float z\nproperty float s\nproperty float t\nelement face 1\n\
    property list uchar int vertex_indices\nproperty list uchar float texcoord\nend_header\n\
    0 0 0 0 0\n1 0 0 1 0\n1 1 0 1 1\n0 1 0 0 1\n4 0 1 2 3 8 0 0 1 0 1 1 0 1\n";

fn binary_ply(order: &str) -> Vec<u8> {
    let (head, _) = PLY.split_once("end_header\n").unwrap();
    let head = head.replace("ascii", &format!("binary_{order}_endian"));
    let mut bytes = head
        .replace("property list uchar float texcoord\n", "")
        .into_bytes();
    bytes.extend(b"end_header\n");
    bytes.extend((0..20).flat_map(|k| ((k * k % 7) as f32).to_be_bytes()));
    bytes.push(4);
    bytes.extend([0; 16]);
    bytes
}

/// A GLB file of one square.
fn glb() -> Vec<u8> {
    let text = String::from_utf8(gltf::inline()).unwrap();
    let mut json = text.into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bytes = b"glTF".to_vec();
    let total = 20 + json.len() as u32;
    for word in [2, total, json.len() as u32] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(b"JSON");
    bytes.extend(json);
    bytes
}

fn samples() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("mesh.obj", OBJ.into()),
        ("mesh.ply", PLY.into()),
        ("mesh.ply", binary_ply("little")),
        ("mesh.ply", binary_ply("big")),
        ("mesh.gltf", gltf::inline()),
        ("mesh.glb", glb()),
        ("mesh.stl", TEXT.into()),
        ("mesh.stl", binary()),
    ]
}

/// What is read must fit together.
fn load(name: &str, bytes: &[u8]) -> bool {
    limit_memory();
    let (_folder, path) = file(name, bytes);
    let Ok(file) = surface::read(&path, &Options::default()) else {
        return false;
    };
    let vertices = file.positions.len();
    assert!(
        file.triangles
            .iter()
            .flatten()
            .all(|v| (*v as usize) < vertices)
    );
    assert!(
        file.uvs
            .as_ref()
            .is_none_or(|uvs| uvs.len() == file.triangles.len())
    );
    assert!(
        file.colours
            .as_ref()
            .is_none_or(|colours| colours.len() == vertices)
    );
    let triangles = file.triangles.len() as u32;
    assert!(
        file.groups
            .iter()
            .all(|group| group.iter().all(|t| t < triangles))
    );
    let Ok((mesh, repairs)) = file.repaired(None) else {
        return true;
    };
    assert_eq!(repairs.triangles.len(), mesh.triangles.len());
    assert!(mesh.uvs.is_none_or(|uvs| uvs.len() == mesh.triangles.len()));
    assert!(
        mesh.colours
            .is_none_or(|colours| colours.len() == mesh.positions.len())
    );
    let triangles = mesh.triangles.len() as u32;
    assert!(
        mesh.groups
            .iter()
            .all(|group| group.iter().all(|t| t < triangles))
    );
    true
}

#[test]
fn the_samples_are_sound() {
    for (name, bytes) in samples() {
        assert!(load(name, &bytes), "{name}");
    }
}

/// Numbers that ask for too much, as bytes of both orders and as text.
fn tempting() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        Just(vec![0xff; 4]),
        Just(0x7fff_ffffu32.to_le_bytes().to_vec()),
        Just(0x7fff_ffffu32.to_be_bytes().to_vec()),
        Just(b"99999999".to_vec()),
        Just(b"-1e999".to_vec()),
        prop::collection::vec(any::<u8>(), 1..9),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(800))]

    #[test]
    fn changed_bytes(
        (name, mut bytes) in prop::sample::select(samples()),
        changes in prop::collection::vec((any::<prop::sample::Index>(), tempting()), 1..4),
    ) {
        for (place, change) in changes {
            let start = place.index(bytes.len());
            let end = (start + change.len()).min(bytes.len());
            bytes[start..end].copy_from_slice(&change[..end - start]);
        }
        load(name, &bytes);
    }

    #[test]
    fn cut_short((name, bytes) in prop::sample::select(samples()), place in any::<prop::sample::Index>()) {
        let cut = place.index(bytes.len());
        let was_read = load(name, &bytes[..cut]);
        // Lists of lines may end anywhere, solids may end before another, and all but the line
        // break of a text is the text.
        let ends = name == "mesh.obj" || bytes == TEXT.as_bytes() || cut + 1 == bytes.len();
        prop_assert!(!was_read || ends, "{} cut to {} bytes", name, cut);
    }

    #[test]
    fn anything(
        name in prop::sample::select(vec!["a.obj", "a.ply", "a.gltf", "a.glb", "a.stl"]),
        bytes in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        load(name, &bytes);
    }

    #[test]
    fn any_text(
        name in prop::sample::select(vec!["a.obj", "a.ply", "a.stl"]),
        text in "(\\PC{0,9}\n|(v|vt|f|g|solid|facet|vertex|endfacet|endsolid|ply|property|element)( -?[0-9./e]{1,4}){0,5}\n){0,12}",
    ) {
        load(name, text.as_bytes());
    }
}
