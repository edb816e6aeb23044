//! The meshes of an FBX scene as one skinned surface.

use super::{affine, vector};
use crate::formats::mesh::plain_name;
use glam::DAffine3;
use std::collections::HashMap;
use toile_geometry::TriMesh;
use toile_geometry::character::{Bone, CharacterError, Influence, Morph, Skin};

/// All meshes of a scene.
#[derive(Default)]
pub(super) struct Surface {
    pub mesh: TriMesh,
    pub parts: Vec<String>,
    pub part_of: Vec<u32>,
    pub skin: Skin,
    pub morphs: Vec<Morph>,
    /// The morph that a channel of the file moves, by the channel's number.
    pub morph_of: HashMap<u32, usize>,
    bones: Vec<Bone>,
    /// What every vertex follows.
    influences: Vec<Vec<Influence>>,
}

/// Reads the meshes of all nodes.
pub(super) fn read(
    scene: &ufbx::Scene,
    notes: &mut Vec<String>,
) -> Result<Surface, CharacterError> {
    let mut made = Surface::default();
    for node in &scene.nodes {
        if let Some(mesh) = &node.mesh {
            let first = made.mesh.positions.len() as u32;
            made.triangles(node, mesh, first);
            made.follow(node, mesh, notes);
            made.morph(mesh, first, notes);
        }
    }
    let bones = std::mem::take(&mut made.bones);
    made.skin = Skin::new(
        bones,
        made.influences.iter().map(|own| own.iter().copied()),
        None,
    )?;
    Ok(made)
}

impl Surface {
    /// Adds vertices and triangles.
    fn triangles(&mut self, node: &ufbx::Node, mesh: &ufbx::Mesh, first: u32) {
        self.mesh.positions.extend(mesh.vertices.iter().map(vector));
        let mut corners = vec![0; 3 * mesh.max_face_triangles];
        for (k, face) in mesh.faces.iter().enumerate() {
            let part = self.part(node, mesh, k);
            let count = 3 * ufbx::triangulate_face(&mut corners, mesh, *face) as usize;
            let vertices = corners[..count]
                .iter()
                .map(|c| mesh.vertex_indices[*c as usize]);
            let vertices: Vec<u32> = vertices.map(|v| v + first).collect();
            for &[a, b, c] in vertices.as_chunks::<3>().0 {
                // Triangles without an area are common in files and nothing to cloth.
                if a != b && b != c && c != a {
                    self.mesh.faces.push([a, b, c]);
                    self.part_of.push(part);
                }
            }
        }
    }

    /// The part of a face: its material, or its mesh where there is none.
    fn part(&mut self, node: &ufbx::Node, mesh: &ufbx::Mesh, face: usize) -> u32 {
        let material = mesh.face_material.get(face).map(|m| *m as usize);
        let material = material.filter(|m| *m < node.materials.count);
        let name = match material {
            Some(material) => &*node.materials[material].element.name,
            None => &*node.element.name,
        };
        let name = plain_name(name);
        let known = self.parts.iter().position(|part| *part == name);
        known.unwrap_or_else(|| {
            self.parts.push(name);
            self.parts.len() - 1
        }) as u32
    }

    /// Adds what the vertices of a mesh follow: the bones of its skin, and its node where it has none.
    fn follow(&mut self, node: &ufbx::Node, mesh: &ufbx::Mesh, notes: &mut Vec<String>) {
        let whole = self.bones.len() as u32;
        self.bones.push(Bone {
            joint: node.element.typed_id as usize,
            inverse_bind: DAffine3::IDENTITY,
        });
        let rigid = Influence {
            bone: whole,
            weight: 1.0,
        };
        let mut deformers = mesh.skin_deformers.into_iter();
        let Some(skin) = deformers.next() else {
            let vertices = std::iter::repeat_n(vec![rigid], mesh.vertices.count);
            return self.influences.extend(vertices);
        };
        if deformers.next().is_some() {
            let name = &*node.element.name;
            notes.push(format!("of the skins of `{name}` only the first counts"));
        }
        for cluster in &skin.clusters {
            let bone = cluster.bone_node.as_ref().map_or(node, |bone| bone);
            self.bones.push(Bone {
                joint: bone.element.typed_id as usize,
                inverse_bind: affine(&cluster.geometry_to_bone),
            });
        }
        let mut unbound = 0;
        for vertex in 0..mesh.vertices.count {
            let span = skin.vertices.get(vertex).map_or(0..0, |v| {
                let begin = v.weight_begin as usize;
                begin..begin.saturating_add(v.num_weights as usize)
            });
            let weights = skin.weights.get(span).unwrap_or_default().iter();
            let own = weights.map(|w| Influence {
                bone: whole + 1 + w.cluster_index,
                weight: w.weight,
            });
            let mut own: Vec<Influence> = own.filter(|i| i.weight != 0.0).collect();
            if own.is_empty() {
                own.push(rigid);
                unbound += 1;
            }
            self.influences.push(own);
        }
        if unbound > 0 {
            notes.push(format!(
                "{unbound} vertices without weights follow their mesh"
            ));
        }
    }

    /// Adds the shapes a mesh can be moved towards.
    fn morph(&mut self, mesh: &ufbx::Mesh, first: u32, notes: &mut Vec<String>) {
        for channel in mesh.blend_deformers.into_iter().flat_map(|d| &d.channels) {
            let Some(shape) = &channel.target_shape else {
                continue;
            };
            let name = channel.element.name.to_string();
            if channel.keyframes.count > 1 {
                notes.push(format!("shapes on the way to `{name}` are passed over"));
            }
            let offsets = shape.offset_vertices.iter().zip(&shape.position_offsets);
            let deltas = offsets.map(|(vertex, offset)| (vertex + first, vector(offset)));
            self.morph_of
                .insert(channel.element.element_id, self.morphs.len());
            self.morphs.push(Morph {
                name,
                weight: channel.weight,
                deltas: deltas.collect(),
            });
        }
    }
}
