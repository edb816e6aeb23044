//! A good file of every kind.

#[path = "../../tests/character/sample.rs"]
#[allow(dead_code)]
pub mod character_sample;
#[path = "../../tests/formats/sample.rs"]
#[allow(dead_code)]
mod sequence_sample;

use crate::{Seed, mend, readers};
use std::fs;
use std::path::Path;
use toile_io::checkpoint::{self, Snapshot};
use toile_io::formats::{Format, Options};
use toile_io::{FrameMetrics, metrics};

/// All of them.
pub fn all() -> Vec<Seed> {
    let mut seeds = Vec::new();
    let mut seed = |name: &str, bytes: Vec<u8>, read: fn(&Path) -> bool| {
        let mend: fn(&mut [u8]) = match name {
            "checkpoint" => mend::checkpoint,
            _ if name.ends_with(".png") => mend::png,
            _ if name.ends_with(".npz") => mend::zip,
            _ => mend::nothing,
        };
        seeds.push(Seed {
            name: name.to_owned(),
            bytes,
            read,
            mend,
        });
    };
    let figure = character_sample::arm();
    seed("figure.glb", figure.glb(), readers::character);
    let arm = include_bytes!("../../tests/character/arm.fbx");
    seed("words.fbx", arm.to_vec(), readers::character);
    let arm = include_bytes!("../../tests/character/arm-binary.fbx");
    seed("bytes.fbx", arm.to_vec(), readers::character);
    seed("walk.bvh", character_sample::BVH.into(), readers::motion);
    for (name, text) in [
        ("arm.obj", character_sample::MESH),
        ("arm.mhskel", character_sample::SKELETON),
        ("arm.mhw", character_sample::WEIGHTS),
    ] {
        seed(name, text.into(), readers::rig);
    }
    let folder = tempfile::tempdir().expect("a folder");
    for format in Format::ALL {
        let path = sequence_sample::path(folder.path(), format);
        sequence_sample::write(&path, &sequence_sample::fixed(), &Options::default())
            .expect("a good sequence");
        let ending = format.extension();
        let file = match format.is_numbered() {
            true => folder.path().join(format!("cloth_0008.{ending}")),
            false => path,
        };
        let bytes = fs::read(file).expect("the file just written");
        seed(&format!("cloth.{ending}"), bytes, readers::sequence);
    }
    seed("words.stl", STL.into(), readers::mesh);
    seed("bytes.stl", binary_stl(), readers::mesh);
    seed("square.gltf", GLTF.into(), readers::mesh);
    seed(
        "checkpoint",
        saved_state(folder.path()),
        readers::saved_state,
    );
    let fabrics = include_bytes!("../../data/fabrics.toml");
    seed("fabrics.toml", fabrics.to_vec(), readers::fabrics);
    let tables = include_bytes!("../../data/fabrics-wang2011.toml");
    seed("tables.toml", tables.to_vec(), readers::fabrics);
    let scene = include_bytes!("../../data/starter.toml");
    seed("scene.toml", scene.to_vec(), readers::whole_scene);
    seed("paint.png", picture(folder.path()), readers::picture);
    seed("metrics.csv", table(folder.path()), readers::described);
    seed("system.mtx", MATRIX.into(), readers::described);
    seeds
}

const STL: &str = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0
vertex 1 1e0 0\nendloop\nendfacet\nendsolid a\n";

/// A square, its numbers in the document itself.
const GLTF: &str = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],
"nodes":[{"mesh":0,"translation":[0,1,0]}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],
"accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":4},
{"bufferView":1,"componentType":5123,"type":"SCALAR","count":6}],
"bufferViews":[{"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":12}],
"buffers":[{"byteLength":60,"uri":"data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAACAPwAAgD8AAAAAAAAAAAAAgD8AAAAAAAABAAIAAAACAAMA"}]}
"#;

const MATRIX: &str = "%%MatrixMarket matrix coordinate real symmetric\n% a step\n3 3 4
1 1 2.5\n2 2 1e-3\n3 3 4\n3 1 -0.5\n";

fn binary_stl() -> Vec<u8> {
    let mut bytes = vec![b' '; 80];
    bytes.extend(1_u32.to_le_bytes());
    let numbers = [0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0].map(|n| n as f32);
    bytes.extend(numbers.iter().flat_map(|n| n.to_le_bytes()));
    bytes.extend([0; 2]);
    bytes
}

fn saved_state(folder: &Path) -> Vec<u8> {
    let path = folder.join("checkpoint");
    let snapshot = Snapshot {
        frame: 3,
        step: 12,
        time_s: 0.05,
        arrays: vec![("positions".into(), vec![0.5; 30]), ("none".into(), vec![])],
        integers: vec![("bonds".into(), vec![1, 2, 3])],
    };
    checkpoint::write(&path, 0, &snapshot).expect("room for a checkpoint");
    fs::read(path).expect("the file just written")
}

fn picture(folder: &Path) -> Vec<u8> {
    let path = folder.join("paint.png");
    let file = fs::File::create(&path).expect("room for a picture");
    let mut encoder = png::Encoder::new(file, 8, 8);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_compression(png::Compression::NoCompression);
    let mut writer = encoder.write_header().expect("room for a header");
    let pixels: Vec<u8> = (0..=255).collect();
    writer.write_image_data(&pixels).expect("room for pixels");
    writer.finish().expect("room for the end");
    fs::read(path).expect("the file just written")
}

fn table(folder: &Path) -> Vec<u8> {
    let path = folder.join("metrics.csv");
    let mut table = metrics::Writer::create(&path).expect("room for a table");
    for frame in 0..3 {
        let row = FrameMetrics {
            frame,
            ..FrameMetrics::default()
        };
        table.write(&row).expect("room for a row");
    }
    fs::read(path).expect("the file just written")
}
