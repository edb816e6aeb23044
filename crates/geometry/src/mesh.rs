//! Indexed triangle meshes.

use crate::Bounds;
use glam::DVec3;
use std::collections::HashMap;
use thiserror::Error;

/// A triangle mesh. Faces index into `positions`, counter-clockwise seen from the front.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriMesh {
    /// Vertex positions in metres.
    pub positions: Vec<DVec3>,
    /// Three vertex indices a face.
    pub faces: Vec<[u32; 3]>,
}

/// Why a mesh was refused.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum MeshError {
    /// A coordinate is infinite or not a number.
    #[error("vertex {vertex} is not finite")]
    NotFinite {
        /// Which vertex, counted from 0.
        vertex: usize,
    },
    /// A face refers to a vertex that does not exist.
    #[error("face {face} refers to vertex {vertex}, but there are only {count}")]
    OutOfRange {
        /// Which face, counted from 0.
        face: usize,
        /// The index it holds.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
    /// A face uses one vertex twice.
    #[error("face {face} uses vertex {vertex} twice")]
    Repeated {
        /// Which face, counted from 0.
        face: usize,
        /// The vertex it repeats.
        vertex: u32,
    },
}

impl TriMesh {
    /// Checks that every coordinate is finite and every face names three different vertices.
    pub fn validate(&self) -> Result<(), MeshError> {
        if let Some(vertex) = self.positions.iter().position(|p| !p.is_finite()) {
            return Err(MeshError::NotFinite { vertex });
        }
        let count = self.positions.len();
        for (face, &[a, b, c]) in self.faces.iter().enumerate() {
            if let Some(&vertex) = [a, b, c].iter().find(|&&v| v as usize >= count) {
                return Err(MeshError::OutOfRange {
                    face,
                    vertex,
                    count,
                });
            }
            if a == b || a == c {
                return Err(MeshError::Repeated { face, vertex: a });
            }
            if b == c {
                return Err(MeshError::Repeated { face, vertex: b });
            }
        }
        Ok(())
    }

    /// The box around all vertices.
    pub fn bounds(&self) -> Bounds {
        Bounds::of(&self.positions)
    }

    /// Unique undirected edges, each with its lower vertex first, in order of first appearance.
    pub fn edges(&self) -> Vec<[u32; 2]> {
        let mut seen = HashMap::new();
        let mut edges = Vec::with_capacity(self.faces.len() * 3 / 2 + 1);
        for &[a, b, c] in &self.faces {
            for (p, q) in [(a, b), (b, c), (c, a)] {
                let edge = [p.min(q), p.max(q)];
                seen.entry(edge).or_insert_with(|| edges.push(edge));
            }
        }
        edges
    }

    /// Area-weighted unit vertex normals; zero where a vertex has no area around it.
    pub fn vertex_normals(&self) -> Vec<DVec3> {
        vertex_normals(&self.positions, &self.faces)
    }
}

/// Area-weighted unit vertex normals of any indexed triangles; zero where there is no area.
pub fn vertex_normals(positions: &[DVec3], faces: &[[u32; 3]]) -> Vec<DVec3> {
    let mut normals = vec![DVec3::ZERO; positions.len()];
    for face in faces {
        let [a, b, c] = face.map(|v| positions[v as usize]);
        let twice_area = (b - a).cross(c - a);
        for &v in face {
            normals[v as usize] += twice_area;
        }
    }
    for n in &mut normals {
        *n = n.normalize_or_zero();
    }
    normals
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square() -> TriMesh {
        TriMesh {
            positions: vec![DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y],
            faces: vec![[0, 1, 2], [0, 2, 3]],
        }
    }

    #[test]
    fn square_has_five_edges_and_upward_normals() {
        let mesh = square();
        assert_eq!(mesh.validate(), Ok(()));
        assert_eq!(mesh.edges(), [[0, 1], [1, 2], [0, 2], [2, 3], [0, 3]]);
        assert!(mesh.vertex_normals().iter().all(|n| *n == DVec3::Z));
    }

    #[test]
    fn broken_meshes_are_named() {
        let mut mesh = square();
        mesh.faces[1] = [0, 9, 3];
        assert!(matches!(
            mesh.validate(),
            Err(MeshError::OutOfRange {
                face: 1,
                vertex: 9,
                count: 4
            })
        ));
        mesh.faces[1] = [0, 3, 3];
        assert_eq!(
            mesh.validate(),
            Err(MeshError::Repeated { face: 1, vertex: 3 })
        );
        mesh.positions[2].y = f64::NAN;
        assert_eq!(mesh.validate(), Err(MeshError::NotFinite { vertex: 2 }));
    }
}
