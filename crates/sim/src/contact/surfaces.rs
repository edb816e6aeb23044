//! What can meet, as contact sees it.

use crate::contact::common_normal::Stars;
use crate::model::{CollisionMesh, Model};
use glam::DVec2;
use std::ops::Deref;
use std::sync::Arc;
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

/// The collision mesh of a model with what contact knows of it.
#[derive(Clone, Debug, Default)]
pub struct Surfaces {
    /// What can meet.
    pub mesh: Arc<CollisionMesh>,
    /// Pattern coordinates of the corners of the first faces, those of shells, m; empty where they are not
    /// known.
    pub rest: Vec<[DVec2; 3]>,
    /// The triangles around every vertex.
    pub stars: Stars,
    /// Length of the shortest edge at rest, m.
    pub shortest_edge_m: f64,
    /// Whether what deforms passes through itself and each other, and only bodies are in its way.
    pub bodies_only: bool,
}

impl Deref for Surfaces {
    type Target = CollisionMesh;

    fn deref(&self) -> &CollisionMesh {
        &self.mesh
    }
}

impl Surfaces {
    /// Those of `model`; with `bodies_only`, cloth passes through cloth.
    pub fn new(model: &Model, bodies_only: bool) -> Self {
        let mesh = model.mesh.clone();
        let first = mesh.particles() as u32;
        let of_bodies = mesh.body_faces.iter();
        let of_bodies = of_bodies.map(|face| face.map(|vertex| vertex + first));
        let faces = mesh.faces.iter().copied().chain(of_bodies);
        Self {
            stars: Stars::new(mesh.vertices(), faces),
            mesh,
            rest: model.rest(),
            shortest_edge_m: model.shortest_link_m,
            bodies_only,
        }
    }

    /// Whether no body has a part in a pair.
    pub fn is_between_cloths(&self, pair: &Pair) -> bool {
        let mut vertices = pair.vertices.iter();
        vertices.all(|vertex| (*vertex as usize) < self.particles())
    }

    /// Which edges of a pair of edges are sides of faces; the others are lone.
    pub fn have_faces(&self, pair: &Pair) -> [bool; 2] {
        let [a, b, c, d] = pair.vertices.map(|vertex| self.stars.has_faces(vertex));
        [a && b, c && d]
    }

    /// Distance that a pair should keep, m.
    pub fn distance_m(&self, pair: &Pair) -> f64 {
        let [a, _, _, b] = pair.vertices;
        0.5 * (self.thickness_m[a as usize] + self.thickness_m[b as usize])
    }

    /// The largest share that a vertex has in such a distance, m.
    pub fn reach_m(&self) -> f64 {
        0.5 * self.thickness_m.iter().copied().fold(0.0, f64::max)
    }
}
