//! The meshes of a glTF scene as one skinned surface.

use super::Budget;
use crate::character::refused;
use crate::formats::Error;
use crate::formats::glb::{Glb, Piece};
use crate::formats::mesh::plain_name;
use glam::{DAffine3, DMat4, DVec3};
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use toile_geometry::TriMesh;
use toile_geometry::character::{Bone, Influence, Morph, Rig, Skin};

/// All meshes of a scene.
pub(super) struct Surface {
    pub mesh: TriMesh,
    pub parts: Vec<String>,
    pub part_of: Vec<u32>,
    pub skin: Skin,
    pub morphs: Vec<Morph>,
    /// The morphs of every node that has any.
    pub morphs_of: HashMap<usize, Range<usize>>,
}

/// Reads all meshes that the scene shows.
pub(super) fn read(
    path: &Path,
    glb: &mut Glb,
    rig: &Rig,
    budget: &mut Budget,
    notes: &mut Vec<String>,
) -> Result<Surface, Error> {
    let mut builder = Builder {
        glb,
        globals: rig.rest_globals(),
        budget,
        skins: HashMap::new(),
        bones: Vec::new(),
        influences: Vec::new(),
        ends: vec![0],
        unbound: 0,
        made: Surface {
            mesh: TriMesh::default(),
            parts: Vec::new(),
            part_of: Vec::new(),
            skin: Skin::default(),
            morphs: Vec::new(),
            morphs_of: HashMap::new(),
        },
    };
    for node in builder.shown(rig) {
        builder.node(node)?;
    }
    if builder.unbound > 0 {
        notes.push(format!(
            "{} vertices without weights follow the first joint of their skin",
            builder.unbound
        ));
    }
    let Builder {
        bones,
        influences,
        ends,
        mut made,
        ..
    } = builder;
    let vertices = ends.windows(2).map(|span| &influences[span[0]..span[1]]);
    made.skin = Skin::new(bones, vertices.map(|own| own.iter().copied()), None)
        .map_err(|problem| refused(path, "meshes", "weights of joints", &problem))?;
    Ok(made)
}

struct Builder<'a> {
    glb: &'a mut Glb,
    /// Where nodes are at rest.
    globals: Vec<DAffine3>,
    budget: &'a mut Budget,
    /// The first bone of every skin met so far.
    skins: HashMap<usize, u32>,
    bones: Vec<Bone>,
    influences: Vec<Influence>,
    /// Where the influences of every vertex end.
    ends: Vec<usize>,
    /// Vertices that no joint moves.
    unbound: usize,
    made: Surface,
}

/// What the vertices of a mesh follow.
#[derive(Clone, Copy)]
struct Bound {
    /// The first bone.
    first: u32,
    /// How many of them weights may speak of; without a skin there is nothing to speak of.
    skinned: Option<usize>,
}

/// The mesh of a node while it is read.
struct Instance {
    mesh: usize,
    name: String,
    bound: Bound,
    first_morph: usize,
    /// The first vertex of every primitive so far.
    starts: Vec<u32>,
}

impl Builder<'_> {
    /// Nodes with a mesh that the scene shows, in the document's order.
    fn shown(&self, rig: &Rig) -> Vec<usize> {
        let document = &self.glb.document;
        let mut shown = vec![document.scenes.is_empty(); document.nodes.len()];
        if let Some(scene) = document.scenes.get(document.scene) {
            for &root in &scene.nodes {
                if let Some(shown) = shown.get_mut(root) {
                    *shown = true;
                }
            }
        }
        for &node in rig.order() {
            if let Some(parent) = rig.joints()[node].parent {
                shown[node] |= shown[parent];
            }
        }
        let has_mesh = |node: &usize| document.nodes[*node].mesh.is_some() && shown[*node];
        (0..document.nodes.len()).filter(has_mesh).collect()
    }

    /// Adds the mesh of a node.
    fn node(&mut self, node: usize) -> Result<(), Error> {
        let document = &self.glb.document;
        let index = document.nodes[node].mesh.unwrap_or(0);
        let Some(mesh) = document.meshes.get(index) else {
            let field = format!("nodes[{node}].mesh");
            return Err(self.glb.wrong(field, "a mesh", index.to_string()));
        };
        let name = document.nodes[node].name.as_ref().or(mesh.name.as_ref());
        let name = plain_name(name.map_or("", String::as_str));
        let primitives = mesh.primitives.len();
        let mut instance = Instance {
            mesh: index,
            name,
            bound: self.bound(node)?,
            first_morph: self.made.morphs.len(),
            starts: Vec::with_capacity(primitives),
        };
        for primitive in 0..primitives {
            self.primitive(&mut instance, primitive)?;
        }
        self.name_morphs(node, index, instance.first_morph);
        Ok(())
    }

    /// What the mesh of a node follows; new bones if it is the first with its skin.
    fn bound(&mut self, node: usize) -> Result<Bound, Error> {
        let next = self.bones.len() as u32;
        let Some(index) = self.glb.document.nodes[node].skin else {
            self.bones.push(Bone {
                joint: node,
                inverse_bind: DAffine3::IDENTITY,
            });
            return Ok(Bound {
                first: next,
                skinned: None,
            });
        };
        let field = format!("skins[{index}]");
        let Some(skin) = self.glb.document.skins.get(index) else {
            return Err(self.glb.wrong(field, "a skin", "none"));
        };
        let joints = skin.joints.clone();
        let nodes = self.glb.document.nodes.len();
        if let Some(joint) = joints.iter().find(|joint| **joint >= nodes) {
            return Err(self.glb.wrong(field, "nodes as joints", joint.to_string()));
        }
        if joints.is_empty() {
            return Err(self.glb.wrong(field, "at least one joint", "none"));
        }
        let bound = |first| Bound {
            first,
            skinned: Some(joints.len()),
        };
        if let Some(first) = self.skins.get(&index) {
            return Ok(bound(*first));
        }
        let binds = match skin.inverse_bind_matrices {
            None => vec![DAffine3::IDENTITY; joints.len()],
            Some(accessor) => {
                let matrices = self.glb.accessor(accessor, &[16])?;
                if matrices.count < joints.len() as u64 {
                    let expected = format!("{} inverse bind matrices", joints.len());
                    return Err(self.glb.wrong(field, expected, matrices.count.to_string()));
                }
                let numbers = self.glb.read(matrices, 0, joints.len() as u64)?;
                let (matrices, _) = numbers.as_chunks::<16>();
                let affine = |m| DAffine3::from_mat4(DMat4::from_cols_array(m));
                matrices.iter().map(affine).collect()
            }
        };
        let bones = joints.iter().zip(binds);
        self.bones.extend(bones.map(|(joint, inverse_bind)| Bone {
            joint: *joint,
            inverse_bind,
        }));
        self.skins.insert(index, next);
        Ok(bound(next))
    }

    /// Adds a primitive of a mesh.
    fn primitive(&mut self, instance: &mut Instance, index: usize) -> Result<(), Error> {
        let (mesh, bound) = (instance.mesh, instance.bound);
        let field = format!("meshes[{mesh}].primitives[{index}]");
        let mut piece = Piece::still(self.glb, mesh, index)?;
        let count = piece.positions.count;
        self.budget.spend(self.glb, &field, piece.corners())?;
        // A mirrored surface shows its back: seen at rest, by the first bone.
        let bone = &self.bones[bound.first as usize];
        let turn = self.globals[bone.joint] * bone.inverse_bind;
        piece.transform = DMat4::from(turn).as_mat4();
        let triangles = piece.triangles(self.glb)?;
        // Parts of a mesh often share their vertices and differ in their triangles.
        let primitives = &self.glb.document.meshes[mesh].primitives;
        let vertices = |k: usize| (&primitives[k].attributes, &primitives[k].targets);
        let shared = (0..index).find(|k| vertices(*k) == vertices(index));
        let next = self.made.mesh.positions.len() as u32;
        let first = shared.map_or(next, |k| instance.starts[k]);
        instance.starts.push(first);
        let part = self.part(piece.material, &instance.name);
        for triangle in triangles {
            // Triangles without an area are common in files and nothing to cloth.
            let [a, b, c] = triangle;
            if a != b && b != c && c != a {
                self.made.mesh.faces.push(triangle.map(|v| v + first));
                self.made.part_of.push(part);
            }
        }
        if shared.is_some() {
            return Ok(());
        }
        self.budget.spend(self.glb, &field, 3 * count)?;
        let positions = self.glb.read(piece.positions, 0, count)?;
        self.made.mesh.positions.extend(vectors(&positions));
        self.follow(mesh, index, bound, count)?;
        self.morph(&piece, &field, first, instance.first_morph)
    }

    /// The part of a material, or of a mesh without any.
    fn part(&mut self, material: Option<usize>, name: &str) -> u32 {
        let materials = &self.glb.document.materials;
        let material = material.and_then(|m| materials.get(m)?.name.as_deref());
        let name = material.map_or_else(|| name.to_owned(), plain_name);
        let parts = &mut self.made.parts;
        let known = parts.iter().position(|part| *part == name);
        known.unwrap_or_else(|| {
            parts.push(name);
            parts.len() - 1
        }) as u32
    }

    /// Adds what the vertices of a primitive follow.
    fn follow(&mut self, mesh: usize, index: usize, bound: Bound, count: u64) -> Result<(), Error> {
        let whole = |bone| Influence { bone, weight: 1.0 };
        let field = format!("meshes[{mesh}].primitives[{index}].attributes");
        let mut sets = Vec::new();
        while let Some(joints) = bound.skinned {
            let attributes = &self.glb.document.meshes[mesh].primitives[index].attributes;
            let set = |of: &str| attributes.get(&format!("{of}_{}", sets.len())).copied();
            let (Some(bones), Some(weights)) = (set("JOINTS"), set("WEIGHTS")) else {
                break;
            };
            let lists = [
                self.glb.accessor(bones, &[4])?,
                self.glb.accessor(weights, &[4])?,
            ];
            if let Some(list) = lists.iter().find(|list| list.count != count) {
                let expected = format!("{count} values, one a vertex");
                return Err(self.glb.wrong(field, expected, list.count.to_string()));
            }
            self.budget.spend(self.glb, &field, 8 * count)?;
            let [bones, weights] = lists;
            let bones = self.glb.read(bones, 0, count)?;
            let weights = self.glb.read(weights, 0, count)?;
            let outside = |(bone, weight): &(&f64, &f64)| {
                **weight != 0.0 && !(0.0..joints as f64).contains(*bone)
            };
            if let Some((bone, _)) = bones.iter().zip(&weights).find(outside) {
                let expected = format!("joints below {joints}");
                return Err(self.glb.wrong(field, expected, bone.to_string()));
            }
            sets.push((bones, weights));
        }
        for vertex in 0..count as usize {
            let four = 4 * vertex..4 * vertex + 4;
            let before = self.influences.len();
            for (bones, weights) in &sets {
                let pairs = bones[four.clone()].iter().zip(&weights[four.clone()]);
                let given = pairs.filter(|(_, weight)| **weight != 0.0);
                self.influences
                    .extend(given.map(|(bone, weight)| Influence {
                        bone: bound.first + *bone as u32,
                        weight: *weight,
                    }));
            }
            if self.influences.len() == before {
                self.unbound += usize::from(bound.skinned.is_some());
                self.influences.push(whole(bound.first));
            }
            self.ends.push(self.influences.len());
        }
        Ok(())
    }

    /// Adds the morph targets of a primitive to those of its mesh.
    fn morph(
        &mut self,
        piece: &Piece,
        field: &str,
        first_vertex: u32,
        first_morph: usize,
    ) -> Result<(), Error> {
        for (k, target) in piece.targets.iter().enumerate() {
            if self.made.morphs.len() <= first_morph + k {
                self.made.morphs.push(Morph::default());
            }
            let Some(differences) = target[0] else {
                continue;
            };
            self.budget.spend(self.glb, field, 3 * differences.count)?;
            let differences = self.glb.read(differences, 0, differences.count)?;
            let moving = (first_vertex..).zip(vectors(&differences));
            let moving = moving.filter(|(_, difference)| *difference != DVec3::ZERO);
            self.made.morphs[first_morph + k].deltas.extend(moving);
        }
        Ok(())
    }

    /// Gives the morphs of a node their names and what there is of them at rest.
    fn name_morphs(&mut self, node: usize, mesh: usize, first: usize) {
        let morphs = &mut self.made.morphs[first..];
        if morphs.is_empty() {
            return;
        }
        let (node_entry, mesh) = (
            &self.glb.document.nodes[node],
            &self.glb.document.meshes[mesh],
        );
        let names = &mesh.extras["targetNames"];
        let weights = match node_entry.weights.is_empty() {
            true => &mesh.weights,
            false => &node_entry.weights,
        };
        for (k, morph) in morphs.iter_mut().enumerate() {
            let name = names.get(k).and_then(|name| name.as_str());
            morph.name = name.map_or_else(|| format!("morph {k}"), str::to_owned);
            morph.weight = weights.get(k).copied().map_or(0.0, f64::from);
        }
        let count = morphs.len();
        self.made.morphs_of.insert(node, first..first + count);
    }
}

/// Numbers in threes.
fn vectors(numbers: &[f64]) -> impl Iterator<Item = DVec3> {
    numbers.as_chunks::<3>().0.iter().map(|v| DVec3::from(*v))
}
