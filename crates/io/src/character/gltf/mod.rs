//! glTF 2.0 as a character.
//!
//! All nodes are joints, so that skeletons hang where their ancestors put them. A mesh with a skin
//! follows its joints; one without follows its node as a rigid whole. All meshes of the scene become
//! one surface, all animations clips, and morph targets keep their mesh's own vertices.

mod animation;
mod surface;

use super::{CharacterFile, refused};
use crate::formats::Error;
use crate::formats::glb::{Glb, Node};
use glam::{DAffine3, DMat4, DQuat, DVec3};
use std::path::Path;
use toile_geometry::character::{Character, Joint, Rig, Transform};

/// How far, as a share of its size, a matrix may be from a scaling, a rotation and a translation.
const SHEAR: f64 = 1e-4;

/// Reads a file, binary or not.
pub(super) fn read(path: &Path) -> Result<CharacterFile, Error> {
    let mut glb = Glb::at(path)?;
    let mut notes = Vec::new();
    let rig = rig(path, &glb, &mut notes)?;
    let mut budget = Budget::of(&glb);
    let surface = surface::read(path, &mut glb, &rig, &mut budget, &mut notes)?;
    let clips = animation::clips(path, &mut glb, &surface.morphs_of, &mut budget, &mut notes)?;
    let character = Character {
        mesh: surface.mesh,
        parts: surface.parts,
        part_of: surface.part_of,
        rig,
        skin: surface.skin,
        morphs: surface.morphs,
        clips,
    };
    character
        .validate()
        .map_err(|problem| refused(path, "meshes", "a character", &problem))?;
    Ok(CharacterFile { character, notes })
}

/// How many skins a file has.
pub(crate) fn skins(path: &Path) -> Result<usize, Error> {
    Ok(Glb::at(path)?.document.skins.len())
}

/// How many numbers may be taken from a file. Many things of a document may refer to the same numbers,
/// so that a small file could ask for any amount of memory.
struct Budget {
    left: u64,
}

impl Budget {
    /// A few times what the file has bytes: even numbers of one byte may be used more than once.
    fn of(glb: &Glb) -> Self {
        Self {
            left: glb.length().saturating_mul(4),
        }
    }

    /// Takes so many numbers.
    fn spend(&mut self, glb: &Glb, field: &str, numbers: u64) -> Result<(), Error> {
        match self.left.checked_sub(numbers) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                let expected = "no more numbers in all than a few a byte of the file";
                Err(glb.wrong(field, expected, format!("{numbers} besides the others")))
            }
        }
    }
}

/// All nodes as joints.
fn rig(path: &Path, glb: &Glb, notes: &mut Vec<String>) -> Result<Rig, Error> {
    let nodes = &glb.document.nodes;
    let mut parents = vec![None; nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        for &child in &node.children {
            let field = || format!("nodes[{index}].children");
            match parents.get_mut(child) {
                None => return Err(glb.wrong(field(), "a node", child.to_string())),
                Some(Some(_)) => {
                    let found = format!("several for node {child}");
                    return Err(glb.wrong(field(), "one parent", found));
                }
                Some(parent) => *parent = Some(index),
            }
        }
    }
    let mut joints = Vec::with_capacity(nodes.len());
    let mut sheared = 0;
    for (index, (node, parent)) in nodes.iter().zip(parents).enumerate() {
        let Some((rest, is_whole)) = transform(node) else {
            let expected = "a finite scaling, rotation and translation";
            return Err(glb.wrong(format!("nodes[{index}]"), expected, "another matrix"));
        };
        sheared += usize::from(!is_whole);
        let name = node.name.clone();
        joints.push(Joint {
            name: name.unwrap_or_else(|| format!("node {index}")),
            parent,
            rest,
        });
    }
    if sheared > 0 {
        notes.push(format!("{sheared} nodes are sheared, which is passed over"));
    }
    Rig::new(joints).map_err(|problem| refused(path, "nodes", "a tree", &problem))
}

/// Where a node stands in its parent, and whether that is all its matrix says; `None` if nothing is.
fn transform(node: &Node) -> Option<(Transform, bool)> {
    let vector = |v: [f32; 3]| DVec3::from(v.map(f64::from));
    let (transform, is_whole) = match node.matrix {
        None => {
            let rotation = node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
            let rotation = unit(DQuat::from_array(rotation.map(f64::from)))?;
            let transform = Transform {
                translation: node.translation.map_or(DVec3::ZERO, vector),
                rotation,
                scale: node.scale.map_or(DVec3::ONE, vector),
            };
            (transform, true)
        }
        Some(matrix) => {
            let matrix = DAffine3::from_mat4(DMat4::from_cols_array(&matrix.map(f64::from)));
            let size = matrix.matrix3.to_cols_array().map(f64::abs);
            let size = size.into_iter().fold(0.0, f64::max);
            if matrix.matrix3.determinant() == 0.0 {
                return None;
            }
            let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
            let transform = Transform {
                translation,
                rotation: unit(rotation)?,
                scale,
            };
            let again = transform.affine().matrix3;
            let is_whole = again.abs_diff_eq(matrix.matrix3, SHEAR * size);
            (transform, is_whole)
        }
    };
    transform.is_valid().then_some((transform, is_whole))
}

/// A rotation from a quaternion of any length but none.
fn unit(q: DQuat) -> Option<DQuat> {
    let length = q.length();
    (length > 0.0 && length.is_finite()).then(|| q / length)
}
