//! Writes a character as GLB, for any program that knows skins.
//!
//! A node a joint, one mesh with a primitive a part, one skin and an animation a clip. Numbers are in
//! single precision. A vertex follows at most four joints, because few programs know more: the strongest
//! are kept, their weights made to sum to one again. glTF wants every joint of a skin once, so where
//! several bones are of one joint, all but the first get nodes of their own on it. Weights of morphs must
//! change all at once: where their curves have keys at different times, or splines, all are sampled at
//! all of these times.

mod animation;
mod buffer;

use crate::atomic;
use crate::formats::{Error, Unwritable};
use buffer::Buffer;
use glam::{DAffine3, DMat4, DVec3, Vec3};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use toile_geometry::character::{Character, Transform};

/// Most joints a vertex follows in a file.
const INFLUENCES: usize = 4;

/// Writes a file; it appears whole or not at all.
pub fn write_glb(path: &Path, character: &Character) -> Result<(), Error> {
    let refused = |reason: Unwritable| Error::unwritable(path, reason);
    character
        .validate()
        .map_err(|problem| refused(problem.into()))?;
    if character.mesh.faces.is_empty() {
        return Err(refused(Unwritable::NoTriangles));
    }
    let (document, bytes) = document(character);
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let too_large = |_| {
        refused(Unwritable::TooLarge {
            format: "GLB",
            what: "bytes",
        })
    };
    let total = u32::try_from(12 + 8 + text.len() + 8 + bytes.len()).map_err(too_large)?;
    let words = |words: &[u32]| {
        words
            .iter()
            .flat_map(|w| w.to_le_bytes())
            .collect::<Vec<u8>>()
    };
    atomic::write(path, |file| {
        file.write_all(b"glTF")?;
        file.write_all(&words(&[2, total, text.len() as u32]))?;
        file.write_all(b"JSON")?;
        file.write_all(&text)?;
        file.write_all(&words(&[bytes.len() as u32]))?;
        file.write_all(b"BIN\0")?;
        file.write_all(&bytes)
    })
    .map_err(Error::io(path))
}

/// The document and its buffer.
fn document(character: &Character) -> (Value, Vec<u8>) {
    let mut buffer = Buffer::default();
    let mut tree = Tree::of(character);
    let skin = tree.skin(character, &mut buffer);
    let mesh = mesh(character, &mut buffer);
    let body = tree.nodes.len();
    let weights: Vec<f64> = character.morphs.iter().map(|morph| morph.weight).collect();
    let mut node = json!({"name": "body", "mesh": 0, "skin": 0});
    if !weights.is_empty() {
        node["weights"] = json!(weights);
    }
    tree.nodes.push(node);
    tree.roots.push(body);
    let clips = character.clips.iter();
    let animations: Vec<Value> = clips
        .filter_map(|clip| animation::written(clip, character, body, &mut buffer))
        .collect();
    let material = |name: &String| {
        json!({
            "name": name,
            "pbrMetallicRoughness": {"metallicFactor": 0.0, "roughnessFactor": 0.9},
        })
    };
    let mut document = json!({
        "asset": {
            "version": "2.0",
            "generator": concat!("Toile ", env!("CARGO_PKG_VERSION")),
        },
        "scene": 0,
        "scenes": [{"nodes": tree.roots}],
        "nodes": tree.nodes,
        "meshes": [mesh],
        "skins": [skin],
        "materials": character.parts.iter().map(material).collect::<Vec<_>>(),
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
        "buffers": [{"byteLength": buffer.bytes.len()}],
    });
    if !animations.is_empty() {
        document["animations"] = json!(animations);
    }
    (document, buffer.bytes)
}

/// Nodes, joints first and by their numbers.
struct Tree {
    nodes: Vec<Value>,
    roots: Vec<usize>,
}

impl Tree {
    fn of(character: &Character) -> Self {
        let joints = character.rig.joints();
        let mut nodes: Vec<Value> = { joints.iter() }
            .map(|joint| placed(json!({"name": joint.name}), &joint.rest))
            .collect();
        let mut roots = Vec::new();
        for (k, joint) in joints.iter().enumerate() {
            match joint.parent {
                Some(parent) => add_child(&mut nodes[parent], k),
                None => roots.push(k),
            }
        }
        let frame = character.rig.frame;
        if frame != DAffine3::IDENTITY {
            let matrix = DMat4::from(frame).to_cols_array();
            nodes.push(json!({"name": "frame", "matrix": matrix, "children": roots}));
            roots = vec![nodes.len() - 1];
        }
        Self { nodes, roots }
    }

    /// The skin; bones that share a joint get nodes of their own.
    fn skin(&mut self, character: &Character, buffer: &mut Buffer) -> Value {
        let mut is_used = vec![false; character.rig.joints().len()];
        let mut joints = Vec::new();
        let mut binds = Vec::new();
        for bone in character.skin.bones() {
            let node = match std::mem::replace(&mut is_used[bone.joint], true) {
                false => bone.joint,
                true => {
                    let again = self.nodes.len();
                    let name = &character.rig.joints()[bone.joint].name;
                    self.nodes.push(json!({"name": format!("{name} again")}));
                    add_child(&mut self.nodes[bone.joint], again);
                    again
                }
            };
            joints.push(node);
            let matrix = DMat4::from(bone.inverse_bind).to_cols_array();
            binds.extend(matrix.map(|number| number as f32));
        }
        json!({"joints": joints, "inverseBindMatrices": buffer.floats("MAT4", 16, &binds)})
    }
}

fn add_child(node: &mut Value, child: usize) {
    match node["children"].as_array_mut() {
        Some(children) => children.push(json!(child)),
        None => node["children"] = json!([child]),
    }
}

/// A node where a transform puts it.
fn placed(mut node: Value, at: &Transform) -> Value {
    if at.translation != DVec3::ZERO {
        node["translation"] = json!(at.translation.to_array());
    }
    if at.rotation != glam::DQuat::IDENTITY {
        node["rotation"] = json!(at.rotation.to_array());
    }
    if at.scale != DVec3::ONE {
        node["scale"] = json!(at.scale.to_array());
    }
    node
}

/// The mesh: vertices for all, triangles and a material for every part.
fn mesh(character: &Character, buffer: &mut Buffer) -> Value {
    let single = |v: &DVec3| v.as_vec3();
    let positions: Vec<Vec3> = character.mesh.positions.iter().map(single).collect();
    let (joints, weights) = influences(character);
    let attributes = json!({
        "POSITION": buffer.vertices(&positions, true),
        "NORMAL": buffer.vertices(&normals(character), false),
        "JOINTS_0": buffer.shorts4(&joints),
        "WEIGHTS_0": buffer.floats4(&weights),
    });
    let targets: Vec<Value> = { character.morphs.iter() }
        .map(|morph| {
            let mut differences = vec![Vec3::ZERO; positions.len()];
            for (vertex, delta) in &morph.deltas {
                differences[*vertex as usize] += delta.as_vec3();
            }
            json!({"POSITION": buffer.vertices(&differences, true)})
        })
        .collect();
    let mut primitives = Vec::new();
    for part in 0..character.parts.len() {
        let own = character.mesh.faces.iter().zip(&character.part_of);
        let own = own.filter(|(_, of)| **of as usize == part);
        let corners: Vec<u32> = own.flat_map(|(face, _)| *face).collect();
        if corners.is_empty() {
            continue;
        }
        let mut primitive = json!({
            "attributes": attributes, "indices": buffer.indices(&corners), "material": part,
        });
        if !targets.is_empty() {
            primitive["targets"] = json!(targets);
        }
        primitives.push(primitive);
    }
    let names: Vec<&str> = character.morphs.iter().map(|m| m.name.as_str()).collect();
    let mut mesh = json!({"name": "body", "primitives": primitives});
    if !names.is_empty() {
        mesh["extras"] = json!({"targetNames": names});
    }
    mesh
}

/// Four joints a vertex and their weights, the strongest first.
fn influences(character: &Character) -> (Vec<u16>, Vec<f32>) {
    let (mut joints, mut weights) = (Vec::new(), Vec::new());
    for vertex in 0..character.skin.vertices() {
        let mut own = character.skin.influences(vertex).to_vec();
        own.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        own.truncate(INFLUENCES);
        let sum: f64 = own.iter().map(|influence| influence.weight).sum();
        for k in 0..INFLUENCES {
            let known = own.get(k);
            joints.push(known.map_or(0, |influence| influence.bone as u16));
            weights.push(known.map_or(0.0, |influence| (influence.weight / sum) as f32));
        }
    }
    (joints, weights)
}

/// Unit normals of the vertices where they are bound, faces weighed by their areas.
fn normals(character: &Character) -> Vec<Vec3> {
    let positions = &character.mesh.positions;
    let mut sums = vec![DVec3::ZERO; positions.len()];
    for face in &character.mesh.faces {
        let [a, b, c] = face.map(|v| positions[v as usize]);
        let normal = (b - a).cross(c - a);
        face.iter().for_each(|v| sums[*v as usize] += normal);
    }
    // A vertex of no triangle needs one nevertheless.
    let unit = |sum: &DVec3| sum.normalize_or(DVec3::Y).as_vec3();
    sums.iter().map(unit).collect()
}
