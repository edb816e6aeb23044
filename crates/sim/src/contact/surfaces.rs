//! What can meet: the triangles, edges and vertices of all cloths.

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

/// The surfaces of all cloths.
#[derive(Clone, Debug, Default)]
pub struct Surfaces {
    /// Triangles.
    pub faces: Vec<[u32; 3]>,
    /// Distance every vertex keeps from others, m: half of it is its own.
    pub thickness_m: Vec<f64>,
    /// Length of the shortest edge at rest, m.
    pub shortest_edge_m: f64,
}

impl Surfaces {
    /// Distance that a pair keeps, m.
    pub fn distance_m(&self, pair: &Pair) -> f64 {
        let [a, _, _, b] = pair.vertices;
        0.5 * (self.thickness_m[a as usize] + self.thickness_m[b as usize])
    }

    /// The largest share that a vertex has in such a distance, m.
    pub fn reach_m(&self) -> f64 {
        0.5 * self.thickness_m.iter().copied().fold(0.0, f64::max)
    }
}
