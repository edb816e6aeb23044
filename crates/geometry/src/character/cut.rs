//! Characters cut down to some of their triangles, or with equal vertices made one.

use super::{Character, Influence, Morph, Skin};
use std::collections::HashMap;

/// Everything that tells one vertex from another, bit by bit.
type Print = Vec<u64>;

impl Character {
    /// The same with vertices that cannot be told apart made one, and what is left of triangles. Files
    /// split vertices where materials, normals or texture coordinates change; a closed body is closed
    /// again after this.
    pub fn welded(&self) -> Self {
        let mut differences: Vec<Print> = vec![Vec::new(); self.mesh.positions.len()];
        for (k, morph) in self.morphs.iter().enumerate() {
            for (vertex, delta) in &morph.deltas {
                let print = &mut differences[*vertex as usize];
                print.push(k as u64);
                // Zero has two signs.
                print.extend(delta.to_array().map(|number| (number + 0.0).to_bits()));
            }
        }
        let mut known: HashMap<Print, u32> = HashMap::new();
        let same: Vec<u32> = { self.mesh.positions.iter().zip(differences).enumerate() }
            .map(|(vertex, (position, differences))| {
                let mut print: Print = position.to_array().map(|n| (n + 0.0).to_bits()).into();
                for influence in self.skin.influences(vertex) {
                    print.extend([u64::from(influence.bone), influence.weight.to_bits()]);
                }
                print.extend(differences);
                *known.entry(print).or_insert(vertex as u32)
            })
            .collect();
        self.kept(|_| true, |vertex| same[vertex as usize])
    }

    /// The same with the triangles alone that `keep` names, and the vertices they need.
    pub fn cut(&self, keep: impl Fn(usize) -> bool) -> Self {
        self.kept(keep, |vertex| vertex)
    }

    /// The triangles to keep, with vertices replaced; those that are left without an area go.
    fn kept(&self, keep: impl Fn(usize) -> bool, replaced: impl Fn(u32) -> u32) -> Self {
        let (mut faces, mut part_of) = (Vec::new(), Vec::new());
        for (k, face) in self.mesh.faces.iter().enumerate() {
            let face = face.map(&replaced);
            let [a, b, c] = face;
            if keep(k) && a != b && b != c && c != a {
                faces.push(face);
                part_of.push(self.part_of[k]);
            }
        }
        // Vertices keep their order.
        let mut is_used = vec![false; self.mesh.positions.len()];
        faces
            .iter()
            .flatten()
            .for_each(|v| is_used[*v as usize] = true);
        let used: Vec<usize> = (0..is_used.len()).filter(|v| is_used[*v]).collect();
        let mut number = vec![0; is_used.len()];
        (0_u32..).zip(&used).for_each(|(k, v)| number[*v] = k);
        faces
            .iter_mut()
            .flatten()
            .for_each(|v| *v = number[*v as usize]);
        let morphs = self.morphs.iter().map(|morph| {
            let kept = morph.deltas.iter().filter(|(v, _)| is_used[*v as usize]);
            Morph {
                deltas: kept
                    .map(|(v, delta)| (number[*v as usize], *delta))
                    .collect(),
                ..morph.clone()
            }
        });
        Self {
            morphs: morphs.collect(),
            skin: self.skin.of(&used),
            mesh: crate::TriMesh {
                positions: used.iter().map(|v| self.mesh.positions[*v]).collect(),
                faces,
            },
            parts: self.parts.clone(),
            part_of,
            rig: self.rig.clone(),
            clips: self.clips.clone(),
        }
    }
}

impl Skin {
    /// That of some of its vertices.
    fn of(&self, vertices: &[usize]) -> Self {
        let mut skin = Self {
            bones: self.bones.clone(),
            ..Self::default()
        };
        for vertex in vertices {
            let own: &[Influence] = self.influences(*vertex);
            skin.influences.extend_from_slice(own);
            skin.offsets.push(skin.influences.len() as u32);
        }
        skin
    }
}
