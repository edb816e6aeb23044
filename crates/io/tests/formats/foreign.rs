//! Files as other programs write them, and what is said of files that are none.

use crate::sample;
use glam::{Vec2, Vec3};
use std::fs;
use std::path::Path;
use toile_io::formats::{self, Error, Format, Options, Place, SequenceReader, UpAxis};

fn open(name: &str, bytes: &[u8]) -> Result<Box<dyn SequenceReader>, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    formats::open(&path)
}

#[test]
fn obj_with_seams_negative_indices_and_shared_groups() {
    let text = "# Blender\nmtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt .5 0\nvt 1 1\n\
        vn 0 0 1\ng front\nusemtl x\ns 1\nf -4/1/1 -3/2/1 -2/3/1\ng back\nf 1/2/1 3/3/1 4/1/1\n";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("patch.obj");
    fs::write(&path, text).unwrap();
    let mut reader = formats::open(&path).unwrap();
    let header = reader.header();
    let faces: Vec<&[u32]> = header.faces.iter().collect();
    assert_eq!(faces, [&[0, 1, 2], &[0, 2, 3]]);
    assert_eq!(
        header.uvs,
        [Vec2::ZERO, Vec2::new(0.5, 0.0), Vec2::ONE, Vec2::ZERO]
    );
    assert_eq!(header.parts.len(), 1);
    assert_eq!(header.parts[0].name, "patch");
    let notes = reader.notes().join("; ");
    assert!(notes.contains("different texture coordinates") && notes.contains("share vertices"));
    assert_eq!(reader.read_frame(0).unwrap().normals, vec![Vec3::Z; 4]);
}

#[test]
fn ply_as_text_with_things_nobody_asked_for() {
    let text = "ply\nformat ascii 1.0\ncomment made by hand\nelement camera 1\nproperty float angle\n\
        element vertex 3\nproperty double x\nproperty double y\nproperty double z\n\
        property uchar red\nproperty uchar green\nproperty uchar blue\nproperty uchar alpha\n\
        element face 1\nproperty int flags\nproperty list uchar int vertex_index\nend_header\n\
        45.5\n0 0 0 255 0 0 255\n1 0 0 0 255 0 255\n0 1 0.25 0 0 255 255\n7 3 0 1 2";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ply");
    fs::write(&path, text).unwrap();
    let mut reader = formats::open(&path).unwrap();
    let frame = reader.read_frame(0).unwrap();
    assert_eq!(
        frame.positions,
        [Vec3::ZERO, Vec3::X, Vec3::new(0.0, 1.0, 0.25)]
    );
    assert_eq!(frame.colours, [Vec3::X, Vec3::Y, Vec3::Z]);
    assert_eq!(
        reader.header().faces.iter().collect::<Vec<_>>(),
        [&[0, 1, 2]]
    );
}

#[test]
fn usda_as_the_usd_library_lays_it_out() {
    let text = r#"#usda 1.0
(
    'a (note) with "quotes"'
    metersPerUnit = 0.01
    timeCodesPerSecond = 30
    upAxis = "Z"
)

def Xform "World"
{
    double3 xformOp:translate = (0, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]

    def Mesh "Cloth" (
        assetInfo = {
            string name = "a"
        }
        prepend references = @other } file.usda@</Root>
    )
    {
        int[] faceVertexCounts = [3]
        int[]   faceVertexIndices=[0,1,2]   # corners
        custom rel material:binding
        prepend rel material:binding = </World/Mat>
        point3f[] points.timeSamples = { 10: [(0, 0, 0), (1, 0, 0), (0, 1.5e-7, 0)],
            12: [(0, 0, 1), (1, 0, 1),
                (0, 1, 1)], 14 : [ (0,0,2), (1,0,2), (0,1,2) ] }
        texCoord2f[] primvars:st = [(0, 0), (1, 0), (0, 1)] (
            interpolation = "faceVarying"
        )
    }
}
"#;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.usda");
    fs::write(&path, text).unwrap();
    let mut reader = formats::open(&path).unwrap();
    let header = reader.header().clone();
    assert_eq!(
        (header.up, header.metres_per_unit),
        (Some(UpAxis::Z), Some(0.01))
    );
    // Samples are two time codes apart.
    assert_eq!((header.first_frame, header.frame_rate_hz), (10, Some(15.0)));
    assert_eq!(header.parts[0].name, "Cloth");
    assert!(header.uvs.is_empty());
    assert_eq!(reader.notes().len(), 2, "{:?}", reader.notes());
    assert_eq!(
        reader.read_frame(0).unwrap().positions[2],
        Vec3::new(0.0, 1.5e-7, 0.0)
    );
    assert_eq!(
        reader.read_frame(2).unwrap().positions[1],
        Vec3::new(1.0, 0.0, 2.0)
    );
}

/// A GLB file of this document and this buffer.
fn glb(document: &str, buffer: &[u8]) -> Vec<u8> {
    let mut text = document.as_bytes().to_vec();
    text.resize(text.len().next_multiple_of(4), b' ');
    let total = 12 + 8 + text.len() + 8 + buffer.len();
    let word = |n: usize| (n as u32).to_le_bytes();
    let chunks = [
        b"glTF".as_slice(),
        &word(2),
        &word(total),
        &word(text.len()),
        b"JSON",
        &text,
        &word(buffer.len()),
        b"BIN\0",
        buffer,
    ];
    chunks.concat()
}

const QUANTIZED: &str = r#"{"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],
    "nodes":[{"children":[1],"translation":[0,10,0]},{"mesh":0,"name":"tile","scale":[2,2,2]}],
    "meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],
    "accessors":[
        {"bufferView":0,"componentType":5122,"normalized":true,"count":3,"type":"VEC3"},
        {"bufferView":1,"componentType":5121,"count":3,"type":"SCALAR"}],
    "bufferViews":[
        {"buffer":0,"byteLength":24,"byteStride":8},
        {"buffer":0,"byteOffset":24,"byteLength":4}]}"#;

fn quantized_buffer() -> Vec<u8> {
    let shorts = [0i16, 0, 0, 0, 32767, 0, 0, 0, 0, 0, -32767, 0];
    let mut buffer: Vec<u8> = shorts.iter().flat_map(|s| s.to_le_bytes()).collect();
    buffer.extend([0, 1, 2, 0]);
    buffer
}

#[test]
fn glb_with_transforms_and_quantized_positions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.glb");
    fs::write(&path, glb(QUANTIZED, &quantized_buffer())).unwrap();
    let mut reader = formats::open(&path).unwrap();
    assert_eq!((reader.frames(), reader.header().frame_rate_hz), (1, None));
    assert_eq!(reader.header().parts[0].name, "tile");
    let expected = [
        Vec3::new(0.0, 10.0, 0.0),
        Vec3::new(2.0, 10.0, 0.0),
        Vec3::new(0.0, 10.0, -2.0),
    ];
    assert_eq!(reader.read_frame(0).unwrap().positions, expected);
}

/// Where a refused file is wrong, and the whole message.
fn refused(result: Result<Box<dyn SequenceReader>, Error>) -> (Place, String) {
    let error = result.err().expect("a file that is refused");
    let message = error.to_string();
    match error {
        Error::Malformed { place, .. } => (place, message),
        other => panic!("{other}"),
    }
}

#[test]
fn errors_name_place_and_expectation() {
    let mut pc2 = b"POINTCACHE2\0".to_vec();
    for word in [1u32, i32::MAX as u32, 0, 1f32.to_bits(), 1000] {
        pc2.extend(word.to_le_bytes());
    }
    let (place, message) = refused(open("a.pc2", &pc2));
    assert_eq!(place, Place::Byte(32));
    assert!(
        message.contains("1000 frames of 2147483647 points"),
        "{message}"
    );
    assert!(
        message.contains("found 0 bytes to the end of the file"),
        "{message}"
    );

    let mdd = [i32::MAX.to_be_bytes(), 3i32.to_be_bytes()].concat();
    assert_eq!(refused(open("a.mdd", &mdd)).0, Place::Byte(8));

    let ply =
        b"ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty float x\n\
        property float y\nproperty float z\nend_header\n";
    let (place, message) = refused(open("a.ply", ply));
    assert_eq!(place, Place::Byte(ply.len() as u64));
    assert!(
        message.contains("expected 4000000000 of `vertex`"),
        "{message}"
    );
    assert_eq!(
        refused(open("a.ply", b"ply\nformat ascii 2.0\n")).0,
        Place::Line(2)
    );

    let usda = "#usda 1.0\ndef Mesh \"a\"\n{\n  point3f[] points = [(0, 0, 0), (1, 0)]\n}\n";
    let (place, message) = refused(open("a.usda", usda.as_bytes()));
    assert_eq!(place, Place::Line(4));
    assert!(message.contains("expected `,`, found `)`"), "{message}");

    let far = QUANTIZED.replace("\"byteLength\":24", "\"byteLength\":9999999999");
    let (place, _) = refused(open("a.glb", &glb(&far, &quantized_buffer())));
    assert_eq!(place, Place::Field("bufferViews[0]".to_owned()));

    assert!(matches!(
        formats::open(Path::new("nowhere.glb")),
        Err(Error::Missing { .. })
    ));
    assert!(matches!(
        formats::open(Path::new("nowhere.obj")),
        Err(Error::Missing { .. })
    ));
    // That a file is not there is said before anything about its name.
    assert!(matches!(
        formats::open(Path::new("nowhere.fbx")),
        Err(Error::Missing { .. })
    ));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.fbx");
    std::fs::write(&path, "a scene").unwrap();
    assert!(matches!(
        formats::open(&path),
        Err(Error::UnknownFormat { .. })
    ));
}

#[test]
fn a_cache_without_its_mesh_is_points_and_with_another_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = sample::path(folder.path(), Format::Mdd);
    sample::write(&path, &sample::fixed(), &Options::default()).unwrap();
    let rest = folder.path().join("cloth_mdd_rest.obj");
    fs::write(&rest, "v 0 0 0\n").unwrap();
    let message = formats::open(&path).err().unwrap().to_string();
    assert!(message.contains("expected 9 vertices"), "{message}");
    fs::remove_file(&rest).unwrap();
    let reader = formats::open(&path).unwrap();
    assert_eq!(
        (reader.header().vertices, reader.header().faces.len()),
        (9, 0)
    );
    // The times in the file tell the rate.
    assert_eq!(reader.header().frame_rate_hz, Some(25.0));
    assert_eq!(reader.header().first_frame, 7);
    assert!(reader.notes()[0].contains("points without faces"));
}

#[test]
fn frames_of_another_mesh_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (name, face) in [("a_0000.obj", "f 1 2 3"), ("a_0001.obj", "f 1 3 2")] {
        let text = format!("v 0 0 0\nv 1 0 0\nv 0 1 0\n{face}\n");
        fs::write(folder.path().join(name), text).unwrap();
    }
    let mut reader = formats::open(&folder.path().join("a.obj")).unwrap();
    reader.read_frame(0).unwrap();
    let message = reader.read_frame(1).unwrap_err().to_string();
    assert!(
        message.contains("a_0001.obj, frame 1: expected the faces of the first"),
        "{message}"
    );
}

#[test]
fn few_bytes_of_nodes_cannot_ask_for_many_vertices() {
    let shared = |nodes: usize| {
        let list: Vec<String> = (0..nodes).map(|n| n.to_string()).collect();
        let document = format!(
            r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[{}]}}],"nodes":[{}],
            "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"mode":0}}]}}],
            "accessors":[{{"bufferView":0,"componentType":5126,"count":100,"type":"VEC3"}}],
            "bufferViews":[{{"buffer":0,"byteLength":1200}}]}}"#,
            list.join(","),
            vec![r#"{"mesh":0}"#; nodes].join(","),
        );
        open("a.glb", &glb(&document, &[0; 1200]))
    };
    assert_eq!(shared(4).unwrap().header().vertices, 400);
    assert_eq!(refused(shared(1000)).0, Place::Field("nodes".to_owned()));
}
