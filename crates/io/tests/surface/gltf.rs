use crate::{file, refusal};
use glam::{DVec2, DVec3};
use serde_json::{Value, json};
use std::fs;
use toile_io::surface::{self, GroupKind, Options};

/// Four positions, four texture coordinates (v down), six indices.
fn numbers() -> Vec<u8> {
    let mut bytes = Vec::new();
    let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0_f32]];
    for [x, y] in corners {
        bytes.extend([x, y, 0.0].map(f32::to_le_bytes).as_flattened());
    }
    for [x, y] in corners {
        bytes.extend([x, 1.0 - y].map(f32::to_le_bytes).as_flattened());
    }
    for index in [0_u16, 1, 2, 0, 2, 3] {
        bytes.extend(index.to_le_bytes());
    }
    bytes
}

/// A square on two nodes: as it is, and mirrored beside it.
fn document(uri: &str) -> Value {
    json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0, 1] }],
        "nodes": [
            { "name": "front", "mesh": 0 },
            { "name": "back", "children": [2], "translation": [0, 0, 5] },
            { "mesh": 0, "scale": [-2, 2, 2] },
        ],
        "materials": [{ "name": "wool" }],
        "meshes": [{ "name": "panel", "primitives": [{
            "attributes": { "POSITION": 0, "TEXCOORD_0": 1 },
            "indices": 2,
            "material": 0,
        }] }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3" },
            { "bufferView": 1, "componentType": 5126, "count": 4, "type": "VEC2" },
            { "bufferView": 2, "componentType": 5123, "count": 6, "type": "SCALAR" },
        ],
        "bufferViews": [
            { "buffer": 0, "byteLength": 48 },
            { "buffer": 0, "byteOffset": 48, "byteLength": 32 },
            { "buffer": 0, "byteOffset": 80, "byteLength": 12 },
        ],
        "buffers": [{ "uri": uri, "byteLength": 92 }],
    })
}

/// The document with its buffer inside.
pub fn inline() -> Vec<u8> {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::from("data:application/octet-stream;base64,");
    for three in numbers().chunks(3) {
        let mut bits = [0; 4];
        bits[1..=three.len()].copy_from_slice(three);
        let bits = u32::from_be_bytes(bits);
        for k in 0..4 {
            let letter = letters[(bits >> (18 - 6 * k) & 63) as usize];
            text.push(if k <= three.len() { letter.into() } else { '=' });
        }
    }
    document(&text).to_string().into_bytes()
}

#[test]
fn buffers_may_be_beside_the_document_or_in_it() {
    let (folder, path) = file("mesh.gltf", document("a%20b.bin").to_string());
    fs::write(folder.path().join("a b.bin"), numbers()).unwrap();
    let beside = surface::read(&path, &Options::default()).unwrap();
    let (_folder, path) = file("mesh.gltf", inline());
    let inside = surface::read(&path, &Options::default()).unwrap();
    assert_eq!(beside, inside);
    assert_eq!(inside.positions[2], DVec3::new(1.0, 1.0, 0.0));
    assert_eq!(inside.positions[6], DVec3::new(-2.0, 2.0, 5.0));
    assert_eq!(
        inside.uvs.as_ref().unwrap()[0],
        [DVec2::ZERO, DVec2::X, DVec2::ONE]
    );
    let names: Vec<_> = { inside.groups.iter() }
        .map(|g| (g.kind, g.name.as_str(), g.iter().count()))
        .collect();
    assert_eq!(
        names,
        [
            (GroupKind::Object, "front", 2),
            (GroupKind::Material, "wool", 4),
            (GroupKind::Object, "panel", 2),
        ]
    );
    // Mirroring turns the front round, and a reader turns it back.
    for triangle in &inside.triangles {
        let [a, b, c] = triangle.map(|v| inside.positions[v as usize]);
        assert!((b - a).cross(c - a).z > 0.0);
    }
    let (_, repairs) = inside.repaired(None).unwrap();
    assert!(repairs.is_clean());
}

#[test]
fn strips_fans_and_lists_are_triangles() {
    let with = |change: &dyn Fn(&mut Value)| {
        let mut document: Value = serde_json::from_slice(&inline()).unwrap();
        document["scenes"][0]["nodes"] = json!([0]);
        change(&mut document["meshes"][0]["primitives"][0]);
        let (_folder, path) = file("mesh.gltf", document.to_string());
        surface::read(&path, &Options::default()).unwrap().triangles
    };
    let plain = |primitive: &mut Value, mode: u32| {
        primitive.as_object_mut().unwrap().remove("indices");
        primitive["mode"] = mode.into();
    };
    assert_eq!(with(&|p| plain(p, 5)), [[0, 1, 2], [1, 3, 2]]);
    assert_eq!(with(&|p| plain(p, 6)), [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(with(&|p| plain(p, 4)), [[0, 1, 2]]);
    assert_eq!(with(&|_| ()), [[0, 1, 2], [0, 2, 3]]);
}

#[test]
fn what_is_wrong_is_located() {
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut document: Value = serde_json::from_slice(&inline()).unwrap();
        change(&mut document);
        refusal("mesh.gltf", document.to_string())
    };
    for (uri, expected) in [
        (
            "../secret",
            "a file in the document's folder or below, or data, found `../secret`",
        ),
        ("/etc/passwd", "a file in the document's folder or below"),
        ("http://a/b.bin", "a file in the document's folder or below"),
        ("data:;base64,AA?A", "base64 data"),
        (
            "data:;base64,AAAA",
            "mesh.gltf, `buffers[0]`: expected 92 bytes, found 3 bytes",
        ),
        ("none.bin", "none.bin: No such file"),
    ] {
        let message = changed(&|d| d["buffers"][0]["uri"] = uri.into());
        assert!(message.contains(expected), "{message}");
    }
    for (change, expected) in [
        (
            ("bufferViews", 1, "buffer", json!(3)),
            "`bufferViews[1]`: expected a buffer that exists, found 3",
        ),
        (
            ("bufferViews", 1, "byteOffset", json!(70)),
            "`bufferViews[1]`: expected a view inside 92 bytes",
        ),
        (
            ("accessors", 0, "count", json!(4_000_000_000_u32)),
            "`accessors[0]`: expected 4000000000 values inside 48 bytes",
        ),
        (
            ("accessors", 0, "type", json!("VEC2")),
            "`accessors[0]`: expected [3] numbers a value",
        ),
        (
            ("meshes", 0, "primitives", json!([{ "attributes": {} }])),
            "`meshes[0].primitives[0]`: expected positions",
        ),
        (
            ("nodes", 0, "children", json!([0])),
            "`nodes[0]`: expected one parent",
        ),
    ] {
        let (list, index, key, value) = change;
        let message = changed(&|d| d[list][index][key] = value.clone());
        assert!(message.contains(expected), "{message}");
    }
    let draco = json!(["KHR_draco_mesh_compression"]);
    let message = changed(&|d| d["extensionsRequired"] = draco.clone());
    assert!(
        message.contains("`extensionsRequired`: expected meshes without compression"),
        "{message}"
    );
    let message = refusal("mesh.gltf", "{ \"asset\": ");
    assert!(message.contains("JSON line 1 column"), "{message}");
}
