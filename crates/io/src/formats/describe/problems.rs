//! What is wrong with a mesh.

use crate::formats::Header;
use glam::{DVec3, Vec3};
use serde::Serialize;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;

/// Something wrong with a mesh, how often, and where first.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Problem {
    /// Faces that use a vertex twice or have no area.
    DegenerateFaces {
        /// How many.
        count: usize,
        /// The first, counted from 0.
        first: usize,
    },
    /// Vertices where another is already.
    DuplicateVertices {
        /// How many.
        count: usize,
        /// The first, counted from 0.
        first: usize,
    },
    /// Vertices no face uses.
    UnusedVertices {
        /// How many.
        count: usize,
        /// The first, counted from 0.
        first: usize,
    },
    /// Edges of more than two faces.
    NonManifoldEdges {
        /// How many.
        count: usize,
        /// The ends of one.
        first: (u32, u32),
    },
    /// Frames with numbers that are infinite or none.
    NotFinite {
        /// How many.
        count: u64,
        /// The first, counted from 0.
        first: u64,
    },
    /// Frames that cannot be read.
    Unreadable {
        /// How many.
        count: u64,
        /// The first, counted from 0.
        first: u64,
        /// Why.
        why: String,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DegenerateFaces { count, first } => {
                write!(f, "{count} faces without area, the first is face {first}")
            }
            Self::DuplicateVertices { count, first } => {
                write!(
                    f,
                    "{count} vertices where others are already, the first is vertex {first}"
                )
            }
            Self::UnusedVertices { count, first } => {
                write!(
                    f,
                    "{count} vertices no face uses, the first is vertex {first}"
                )
            }
            Self::NonManifoldEdges {
                count,
                first: (a, b),
            } => {
                write!(
                    f,
                    "{count} edges of more than two faces, one from vertex {a} to {b}"
                )
            }
            Self::NotFinite { count, first } => {
                write!(
                    f,
                    "{count} frames with numbers that are not finite, the first is frame {first}"
                )
            }
            Self::Unreadable { count, first, why } => {
                write!(
                    f,
                    "{count} frames cannot be read, the first is frame {first}: {why}"
                )
            }
        }
    }
}

/// What is wrong with the mesh in this pose.
pub(super) fn of_mesh(header: &Header, positions: &[Vec3]) -> Vec<Problem> {
    let mut problems = Vec::new();
    if let Some((count, first)) = degenerate_faces(header, positions) {
        problems.push(Problem::DegenerateFaces { count, first });
    }
    if let Some((count, first)) = duplicate_vertices(positions) {
        problems.push(Problem::DuplicateVertices { count, first });
    }
    // A cloud of points has nothing that could use them.
    if !header.faces.is_empty()
        && let Some((count, first)) = unused_vertices(header)
    {
        problems.push(Problem::UnusedVertices { count, first });
    }
    if let Some((count, first)) = non_manifold_edges(header) {
        problems.push(Problem::NonManifoldEdges { count, first });
    }
    problems
}

/// How many there are and which is the first.
fn counted<T>(mut items: impl Iterator<Item = T>) -> Option<(usize, T)> {
    let first = items.next()?;
    Some((1 + items.count(), first))
}

fn degenerate_faces(header: &Header, positions: &[Vec3]) -> Option<(usize, usize)> {
    let degenerate = |face: &[u32]| {
        let repeated = (1..face.len()).any(|i| face[..i].contains(&face[i]));
        let corners = || face.iter().map(|v| positions[*v as usize].as_dvec3());
        let first = corners().next().unwrap_or_default();
        let next = corners().skip(1).chain([first]);
        let (mut twice_area, mut longest) = (DVec3::ZERO, 0.0f64);
        for (a, b) in corners().zip(next) {
            twice_area += (a - first).cross(b - first);
            longest = longest.max((b - a).length_squared());
        }
        // Below what single precision can tell from a line.
        repeated || twice_area.length() <= f64::from(f32::EPSILON) * longest
    };
    let faces = header.faces.iter().enumerate();
    counted(faces.filter(|(_, face)| degenerate(face)).map(|(i, _)| i))
}

fn duplicate_vertices(positions: &[Vec3]) -> Option<(usize, usize)> {
    let mut seen = HashSet::with_capacity(positions.len());
    // Adding zero makes one zero of two.
    let key = |p: &Vec3| (*p + 0.0).to_array().map(f32::to_bits);
    let vertices = positions.iter().enumerate();
    counted(
        vertices
            .filter(|(_, p)| !seen.insert(key(p)))
            .map(|(i, _)| i),
    )
}

fn unused_vertices(header: &Header) -> Option<(usize, usize)> {
    let mut used = vec![false; header.vertices];
    for corner in header.faces.corners() {
        used[*corner as usize] = true;
    }
    let vertices = used.into_iter().enumerate();
    counted(vertices.filter(|(_, used)| !used).map(|(i, _)| i))
}

fn non_manifold_edges(header: &Header) -> Option<(usize, (u32, u32))> {
    let mut faces_of: HashMap<(u32, u32), u32> = HashMap::new();
    for face in header.faces.iter() {
        let next = face.iter().cycle().skip(1);
        let edges = face.iter().zip(next).filter(|(a, b)| a != b);
        // A folded face has an edge twice, and is still one face.
        let edges: BTreeSet<(u32, u32)> = edges.map(|(a, b)| (*a.min(b), *a.max(b))).collect();
        for edge in edges {
            *faces_of.entry(edge).or_default() += 1;
        }
    }
    let edges = faces_of.into_iter().filter(|(_, faces)| *faces > 2);
    let mut edges: Vec<(u32, u32)> = edges.map(|(edge, _)| edge).collect();
    edges.sort_unstable();
    counted(edges.into_iter())
}
