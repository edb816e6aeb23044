//! What can meet: the triangles, edges and vertices of all cloths.

use std::collections::HashMap;
use toile_geometry::distance::Kind;

/// A vertex and a triangle, or two edges, that have no vertex in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair {
    /// Which of the two.
    pub kind: Kind,
    /// Vertex and triangle, or edge and edge.
    pub vertices: [u32; 4],
}

impl Pair {
    /// The values at its vertices.
    pub fn of<T: Copy>(&self, values: &[T]) -> [T; 4] {
        self.vertices.map(|vertex| values[vertex as usize])
    }

    /// How many of its vertices belong to the first feature.
    pub fn first(&self) -> usize {
        match self.kind {
            Kind::PointTriangle => 1,
            Kind::EdgeEdge => 2,
        }
    }
}

/// The features of all surfaces. Every vertex and edge is in the charge of one of its faces, so that
/// pairs of faces name every pair of features once.
#[derive(Clone, Debug, Default)]
pub struct Surfaces {
    /// Triangles.
    pub faces: Vec<[u32; 3]>,
    /// Edges, each once.
    pub edges: Vec<[u32; 2]>,
    /// The edges in the charge of every face: those whose bit is set, edge `k` leading from corner
    /// `k` to the next.
    charge: Vec<Charge>,
    /// Distance every vertex keeps from others, m: half of it is its own.
    pub thickness_m: Vec<f64>,
    /// Length of the shortest edge at rest, m.
    pub shortest_edge_m: f64,
}

/// What a face is in charge of, a bit for each corner, and for each edge that begins there.
#[derive(Clone, Copy, Debug, Default)]
struct Charge {
    corners: u8,
    edges: u8,
}

impl Surfaces {
    /// The surfaces with these faces.
    pub fn new(faces: Vec<[u32; 3]>, thickness_m: Vec<f64>, shortest_edge_m: f64) -> Self {
        let mut taken = vec![false; thickness_m.len()];
        let mut edge_of = HashMap::new();
        let mut edges = Vec::new();
        let charge = faces
            .iter()
            .map(|face| {
                let mut charge = Charge::default();
                for k in 0..3 {
                    let (a, b) = (face[k], face[(k + 1) % 3]);
                    if !std::mem::replace(&mut taken[a as usize], true) {
                        charge.corners |= 1 << k;
                    }
                    edge_of.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                        edges.push([a, b]);
                        charge.edges |= 1 << k;
                    });
                }
                charge
            })
            .collect();
        Self {
            faces,
            edges,
            charge,
            thickness_m,
            shortest_edge_m,
        }
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.thickness_m.len()
    }

    /// Corners of a face in its charge.
    pub fn corners_of(&self, face: u32) -> impl Iterator<Item = u32> + '_ {
        let (face, charge) = (&self.faces[face as usize], self.charge[face as usize]);
        (0..3)
            .filter(move |k| charge.corners & (1 << k) != 0)
            .map(|k| face[k])
    }

    /// Edges of a face in its charge.
    pub fn edges_of(&self, face: u32) -> impl Iterator<Item = [u32; 2]> + '_ {
        let (face, charge) = (&self.faces[face as usize], self.charge[face as usize]);
        (0..3)
            .filter(move |k| charge.edges & (1 << k) != 0)
            .map(|k| [face[k], face[(k + 1) % 3]])
    }

    /// Distance that a pair keeps, m.
    pub fn distance_m(&self, pair: &Pair) -> f64 {
        let [a, _, _, b] = pair.vertices;
        0.5 * (self.thickness_m[a as usize] + self.thickness_m[b as usize])
    }
}
