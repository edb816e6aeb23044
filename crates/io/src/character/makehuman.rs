//! MakeHuman's rigs: a mesh of any kind, a skeleton (`.mhskel`) whose joints are means of the mesh's
//! vertices, and weights (`.mhw`) bone by bone.
//!
//! Bones begin without a turn of their own: only where they are matters to the skin. What of the mesh
//! belongs to the body, and what are helpers for fitting clothes, its groups say.

use super::{CharacterFile, refused};
use crate::formats::{Error, Place};
use crate::surface::{self, GroupKind};
use glam::{DAffine3, DVec3};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::path::{Component, Path};
use toile_geometry::TriMesh;
use toile_geometry::character::{Bone, Character, Influence, Joint, Rig, Skin, Transform};

/// The skeleton as written.
#[derive(Deserialize)]
struct Skeleton {
    bones: BTreeMap<String, BoneEntry>,
    joints: BTreeMap<String, Vec<usize>>,
    weights_file: String,
}

#[derive(Deserialize)]
struct BoneEntry {
    head: String,
    parent: Option<String>,
}

/// The weights as written: vertices and how much they follow, by bone.
#[derive(Deserialize)]
struct Weights {
    weights: BTreeMap<String, Vec<(usize, f64)>>,
}

/// Reads a skeleton and its weights for the mesh of another file, in its unit.
pub(super) fn read(mesh: &Path, skeleton: &Path) -> Result<CharacterFile, Error> {
    let as_written = surface::Options {
        metres_per_unit: Some(1.0),
        up: Some(crate::formats::UpAxis::Y),
        weld_m: None,
    };
    let surface = surface::read(mesh, &as_written).map_err(|error| match error {
        surface::Error::File(error) => error,
        other => refused(mesh, "mesh", "a surface", &other),
    })?;
    let written: Skeleton = json(skeleton)?;
    let (rig, names) = rig(skeleton, &written, &surface.positions)?;
    let skin = skin(skeleton, &written, &rig, &names, surface.positions.len())?;
    let (parts, part_of) = parts(&surface);
    let mut faces = Vec::with_capacity(surface.triangles.len());
    let mut kept = Vec::with_capacity(surface.triangles.len());
    for (face, part) in surface.triangles.iter().zip(part_of) {
        let [a, b, c] = *face;
        if a != b && b != c && c != a {
            faces.push(*face);
            kept.push(part);
        }
    }
    let character = Character {
        mesh: TriMesh {
            positions: surface.positions,
            faces,
        },
        parts,
        part_of: kept,
        rig,
        skin,
        morphs: Vec::new(),
        clips: Vec::new(),
    };
    character
        .validate()
        .map_err(|problem| refused(mesh, "mesh", "a character", &problem))?;
    Ok(CharacterFile {
        character,
        notes: surface.notes,
    })
}

/// A file of JSON.
fn json<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    let text = std::fs::read(path).map_err(Error::io(path))?;
    serde_json::from_slice(&text).map_err(|error| {
        let place = Place::Line(error.line() as u64);
        Error::malformed(path, place, "a rig of MakeHuman", error.to_string())
    })
}

/// The skeleton, and the number of every bone's joint.
fn rig<'a>(
    path: &Path,
    written: &'a Skeleton,
    positions: &[DVec3],
) -> Result<(Rig, BTreeMap<&'a str, usize>), Error> {
    let numbered = written.bones.keys().enumerate();
    let names: BTreeMap<&str, usize> = numbered.map(|(k, name)| (name.as_str(), k)).collect();
    let head = |bone: &str| {
        let field = format!("bones.{bone}");
        let Some(entry) = written.bones.get(bone) else {
            return Err(refused(path, field, "a bone", &"none"));
        };
        let Some(vertices) = written.joints.get(&entry.head) else {
            return Err(refused(path, field, "a joint as its head", &entry.head));
        };
        let mut sum = DVec3::ZERO;
        for vertex in vertices {
            let Some(position) = positions.get(*vertex) else {
                let field = format!("joints.{}", entry.head);
                let expected = format!("vertices below {}", positions.len());
                return Err(refused(path, field, &expected, vertex));
            };
            sum += *position;
        }
        match vertices.len() {
            0 => Err(refused(path, field, "a joint of some vertices", &"none")),
            count => Ok(sum / count as f64),
        }
    };
    let mut joints = Vec::with_capacity(names.len());
    for (name, entry) in &written.bones {
        let mut at = head(name)?;
        let mut parent = None;
        if let Some(above) = &entry.parent {
            let Some(number) = names.get(above.as_str()) else {
                let field = format!("bones.{name}.parent");
                return Err(refused(path, field, "a bone", above));
            };
            at -= head(above)?;
            parent = Some(*number);
        }
        joints.push(Joint {
            name: name.clone(),
            parent,
            rest: Transform::from_translation(at),
        });
    }
    let rig = Rig::new(joints).map_err(|problem| refused(path, "bones", "a tree", &problem))?;
    Ok((rig, names))
}

/// The skin; vertices without weights follow the first root.
fn skin(
    path: &Path,
    written: &Skeleton,
    rig: &Rig,
    names: &BTreeMap<&str, usize>,
    vertices: usize,
) -> Result<Skin, Error> {
    let file = Path::new(&written.weights_file);
    let is_beside = file.components().all(|c| matches!(c, Component::Normal(_)));
    if !is_beside || written.weights_file.is_empty() {
        let expected = "a file in the same folder or below";
        return Err(refused(
            path,
            "weights_file",
            expected,
            &written.weights_file,
        ));
    }
    let file = path.with_file_name("").join(file);
    let weights: Weights = json(&file)?;
    let mut influences = vec![Vec::new(); vertices];
    for (bone, list) in &weights.weights {
        let field = || format!("weights.{bone}");
        let Some(number) = names.get(bone.as_str()) else {
            return Err(refused(&file, field(), "a bone of the skeleton", bone));
        };
        for (vertex, weight) in list {
            let Some(own) = influences.get_mut(*vertex) else {
                let expected = format!("vertices below {vertices}");
                return Err(refused(&file, field(), &expected, vertex));
            };
            own.push(Influence {
                bone: *number as u32,
                weight: *weight,
            });
        }
    }
    let bones = { rig.rest_globals().into_iter().enumerate() }
        .map(|(joint, global): (usize, DAffine3)| Bone {
            joint,
            inverse_bind: global.inverse(),
        })
        .collect();
    let root = rig.order().first().map(|root| *root as u32);
    Skin::new(bones, influences, root)
        .map_err(|problem| refused(&file, "weights", "weights of bones", &problem))
}

/// Groups as parts; what is in none is in the part without a name.
fn parts(surface: &surface::SurfaceFile) -> (Vec<String>, Vec<u32>) {
    let mut parts = vec![String::new()];
    let mut part_of = vec![0; surface.triangles.len()];
    let groups = surface.groups.iter().filter(|g| g.kind == GroupKind::Group);
    for group in groups {
        group
            .iter()
            .for_each(|triangle| part_of[triangle as usize] = parts.len() as u32);
        parts.push(group.name.clone());
    }
    (parts, part_of)
}
