//! Files split along seams: several vertices in one place that are one vertex of the surface.

use std::collections::BTreeMap;
use toile::geometry::TriMesh;

/// Which vertices of a sequence are one.
pub struct Weld {
    /// For each vertex, the first that lies in the same place in the first frame.
    firsts: Vec<u32>,
}

impl Weld {
    /// That of a sequence with this first frame.
    pub fn new(mesh: &TriMesh) -> Self {
        let mut seen = BTreeMap::new();
        let firsts = mesh.positions.iter().enumerate().map(|(v, x)| {
            // The two zeros are one place.
            let place = x.to_array().map(|c| (c + 0.0).to_bits());
            *seen.entry(place).or_insert(v as u32)
        });
        Self {
            firsts: firsts.collect(),
        }
    }

    /// Makes one of vertices that are, as long as they still lie in one place: what has come apart, or
    /// has only met since, is as it is. Faces keep three corners.
    pub fn apply(&self, mesh: &mut TriMesh) {
        let TriMesh { positions, faces } = mesh;
        let first = |vertex: u32| {
            let first = self.firsts.get(vertex as usize).copied();
            let is_there =
                |first: &u32| positions.get(*first as usize) == positions.get(vertex as usize);
            first.filter(is_there).unwrap_or(vertex)
        };
        for face in faces {
            let [a, b, c] = face.map(first);
            if a != b && b != c && c != a {
                *face = [a, b, c];
            }
        }
    }
}
