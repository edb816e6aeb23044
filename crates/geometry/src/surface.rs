//! Cloth of any shape: triangles in the world, each with its own flat rest shape.
//!
//! Rest is kept per corner, not per vertex, since a vertex on a seam lies at one place of every
//! panel it joins. Where two triangles give a shared edge the same pattern coordinates they lie on
//! one piece; where not, the edge is a seam.

use crate::{MeshError, TriMesh};
use glam::DVec2;
use thiserror::Error;

/// A mesh with a flat rest shape.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// The triangles as they start in the world.
    pub mesh: TriMesh,
    /// Pattern coordinates (u = warp, v = weft) of the corners of every face, m.
    pub rest: Vec<[DVec2; 3]>,
}

/// Two triangles that share an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hinge {
    /// The vertex opposite to the edge in each of the two faces, then the edge, which runs as the
    /// first face's order has it and against the second's.
    pub vertices: [u32; 4],
    /// The two faces.
    pub faces: [u32; 2],
    /// Corner of each face that is opposite to the edge, 0 to 2.
    pub corners: [u8; 2],
}

/// Why a surface was refused.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SurfaceError {
    /// The triangles are unsound.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// Not one rest shape a face.
    #[error("{faces} faces, but {rest} rest shapes")]
    Lengths {
        /// Number of faces.
        faces: usize,
        /// Number of rest shapes.
        rest: usize,
    },
    /// A rest shape has no area, is turned over, or is not finite.
    #[error("the rest shape of face {face} has an area of {area_m2} m²; expected more than 0")]
    Area {
        /// Which face, counted from 0.
        face: usize,
        /// Its signed area, m².
        area_m2: f64,
    },
    /// An edge has more than two faces.
    #[error("the edge {edge:?} has more than two faces: {faces:?}")]
    Crowded {
        /// Its vertices.
        edge: [u32; 2],
        /// Some of its faces.
        faces: [u32; 3],
    },
    /// Two neighbours look to opposite sides.
    #[error("faces {faces:?} share the edge {edge:?} but look to opposite sides")]
    Opposed {
        /// Its vertices.
        edge: [u32; 2],
        /// The two faces.
        faces: [u32; 2],
    },
}

impl Surface {
    /// Checks the mesh, the rest shapes, and that neighbours fit together.
    pub fn validate(&self) -> Result<(), SurfaceError> {
        self.mesh.validate()?;
        let (faces, rest) = (self.mesh.faces.len(), self.rest.len());
        if faces != rest {
            return Err(SurfaceError::Lengths { faces, rest });
        }
        for face in 0..faces {
            let area_m2 = self.rest_area_m2(face);
            if !(area_m2.is_finite() && area_m2 > 0.0) {
                return Err(SurfaceError::Area { face, area_m2 });
            }
        }
        self.hinges().map(drop)
    }

    /// Signed area of a face's rest shape, m².
    pub fn rest_area_m2(&self, face: usize) -> f64 {
        let [a, b, c] = self.rest[face];
        0.5 * (b - a).perp_dot(c - a)
    }

    /// All pairs of faces that share an edge, in order of the second face's number.
    pub fn hinges(&self) -> Result<Vec<Hinge>, SurfaceError> {
        hinges(&self.mesh.faces)
    }

    /// Whether a hinge's faces lie on one piece of the pattern.
    pub fn is_on_one_piece(&self, hinge: &Hinge) -> bool {
        let [first, second] = self.edge_at_rest(hinge);
        let tolerance = 1e-6 * (first[1] - first[0]).length();
        first[0].distance(second[0]) <= tolerance && first[1].distance(second[1]) <= tolerance
    }

    /// Pattern coordinates of a hinge's edge in its first and in its second face.
    pub fn edge_at_rest(&self, hinge: &Hinge) -> [[DVec2; 2]; 2] {
        let [first, second] = [0, 1].map(|k| {
            let (rest, corner) = (self.rest[hinge.faces[k] as usize], hinge.corners[k]);
            let corner = usize::from(corner);
            [rest[(corner + 1) % 3], rest[(corner + 2) % 3]]
        });
        [first, [second[1], second[0]]]
    }
}

/// All pairs of faces that share an edge, in order of the second face's number.
fn hinges(faces: &[[u32; 3]]) -> Result<Vec<Hinge>, SurfaceError> {
    // Half-edges sorted by their edge meet their partners; ties keep the order of faces.
    let mut halves: Vec<([u32; 2], u32, u8)> = Vec::with_capacity(3 * faces.len());
    for (face, vertices) in faces.iter().enumerate() {
        for corner in 0..3_u8 {
            let [a, b] = edge_opposite(vertices, corner);
            halves.push(([a.min(b), a.max(b)], face as u32, corner));
        }
    }
    halves.sort_unstable();
    let mut hinges = Vec::with_capacity(halves.len() / 2);
    for group in halves.chunk_by(|a, b| a.0 == b.0) {
        let (edge, [one, other]) = match group {
            [] | [_] => continue,
            [one, other] => (one.0, [one, other]),
            [one, other, third, ..] => {
                return Err(SurfaceError::Crowded {
                    edge: one.0,
                    faces: [one.1, other.1, third.1],
                });
            }
        };
        let vertices = [one, other].map(|half| &faces[half.1 as usize]);
        let [start, end] = edge_opposite(vertices[0], one.2);
        if edge_opposite(vertices[1], other.2) != [end, start] {
            let faces = [one.1, other.1];
            return Err(SurfaceError::Opposed { edge, faces });
        }
        let opposite = [one, other].map(|half| faces[half.1 as usize][usize::from(half.2)]);
        hinges.push(Hinge {
            vertices: [opposite[0], opposite[1], start, end],
            faces: [one.1, other.1],
            corners: [one.2, other.2],
        });
    }
    hinges.sort_unstable_by_key(|hinge| (hinge.faces[1], hinge.faces[0], hinge.corners[1]));
    Ok(hinges)
}

/// The edge opposite to a corner, as the face's order runs.
fn edge_opposite(face: &[u32; 3], corner: u8) -> [u32; 2] {
    let corner = usize::from(corner);
    [face[(corner + 1) % 3], face[(corner + 2) % 3]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    fn square() -> Surface {
        let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
        let corners = corners.map(|(u, v)| DVec2::new(u, v));
        let faces = vec![[0, 1, 2], [0, 2, 3]];
        Surface {
            rest: faces
                .iter()
                .map(|face: &[u32; 3]| face.map(|v| corners[v as usize]))
                .collect(),
            mesh: TriMesh {
                positions: corners.map(|p| DVec3::new(p.x, p.y, 0.0)).to_vec(),
                faces,
            },
        }
    }

    #[test]
    fn two_faces_share_one_hinge() {
        let square = square();
        let hinges = square.hinges().unwrap();
        assert_eq!(hinges.len(), 1);
        assert_eq!(hinges[0].vertices, [1, 3, 2, 0]);
        assert_eq!(hinges[0].faces, [0, 1]);
        assert!(square.is_on_one_piece(&hinges[0]));
        square.validate().unwrap();
    }

    #[test]
    fn a_moved_panel_makes_a_seam() {
        let mut square = square();
        for corner in &mut square.rest[1] {
            *corner += DVec2::new(5.0, 0.0);
        }
        let hinges = square.hinges().unwrap();
        assert!(!square.is_on_one_piece(&hinges[0]));
    }

    #[test]
    fn what_does_not_fit_together_is_named() {
        let mut opposed = square();
        opposed.mesh.faces[1] = [0, 3, 2];
        opposed.rest[1].swap(1, 2);
        assert!(matches!(
            opposed.validate(),
            Err(SurfaceError::Area { face: 1, .. })
        ));
        opposed.rest[1].swap(1, 2);
        assert_eq!(
            opposed.validate(),
            Err(SurfaceError::Opposed {
                edge: [0, 2],
                faces: [0, 1]
            })
        );
        let mut crowded = square();
        crowded.mesh.positions.push(DVec3::Z);
        crowded.mesh.faces.push([0, 2, 4]);
        crowded.rest.push(crowded.rest[0]);
        assert!(matches!(
            crowded.validate(),
            Err(SurfaceError::Crowded { edge: [0, 2], .. })
        ));
    }
}
