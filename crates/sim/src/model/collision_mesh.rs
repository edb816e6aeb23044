//! The features of a model that can meet: vertices, edges and faces of deformables and bodies.
//!
//! It knows no shape at rest and no energies, only what there is, how thick it is and whose it is. Edges of no
//! face, such as those of rods, meet edges, and their ends meet faces. The vertices of bodies are numbered after
//! the particles.

use super::{Deformable, Model};
use crate::bodies::BodySpec;
use crate::contact::tuning::TUNING;
use std::iter::repeat_n;
use toile_geometry::broad::edges_of;

/// What can meet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CollisionMesh {
    /// Triangles of the deformables.
    pub faces: Vec<[u32; 3]>,
    /// Edges of the deformables that are no sides of faces.
    pub lone_edges: Vec<[u32; 2]>,
    /// Triangles of the bodies, which number the bodies' vertices from 0.
    pub body_faces: Vec<[u32; 3]>,
    /// Distance every vertex keeps from others, m: half of it is its own.
    pub thickness_m: Vec<f64>,
    /// What every vertex belongs to: deformables are numbered first, then bodies.
    pub owner: Vec<u32>,
    /// How many of the vertices, the last ones, belong to bodies.
    pub body_vertices: usize,
}

impl CollisionMesh {
    /// Those of `deformables` with these faces and lone edges, the shortest of all edges at rest being so long,
    /// and of `bodies`.
    pub(crate) fn new(
        (faces, lone_edges): (Vec<[u32; 3]>, Vec<[u32; 2]>),
        (deformables, shortest_link_m): (&[Deformable], f64),
        bodies: &[BodySpec],
    ) -> Self {
        let mut mesh = Self {
            faces,
            lone_edges,
            ..Self::default()
        };
        for deformable in deformables {
            let thickness_m = met_thickness_m(deformable.thickness_m, shortest_link_m);
            mesh.add_vertices(deformable.particles.len(), thickness_m);
        }
        for body in bodies {
            let first = mesh.body_vertices as u32;
            let faces = body.mesh.faces.iter();
            mesh.body_faces
                .extend(faces.map(|face| face.map(|vertex| vertex + first)));
            mesh.add_vertices(body.vertices(), body.thickness_m);
            mesh.body_vertices += body.vertices();
        }
        mesh
    }

    fn add_vertices(&mut self, count: usize, thickness_m: f64) {
        let owner = self.owner.last().map_or(0, |last| last + 1);
        self.owner.extend(repeat_n(owner, count));
        self.thickness_m.extend(repeat_n(thickness_m, count));
    }

    /// Number of vertices of all.
    pub fn vertices(&self) -> usize {
        self.thickness_m.len()
    }

    /// Number of vertices of deformables: the first ones.
    pub fn particles(&self) -> usize {
        self.vertices() - self.body_vertices
    }

    /// Edges of the deformables: all sides of faces and the lone ones, each once, the lower vertex first, in
    /// ascending order. Made anew: whoever searches among them has a list of its own.
    pub fn edges(&self) -> Vec<[u32; 2]> {
        edges_of(&self.faces, &self.lone_edges)
    }
}

/// As how thick something is met that is so thick, m: neighbours at rest must not be in contact with each other.
fn met_thickness_m(thickness_m: f64, shortest_link_m: f64) -> f64 {
    thickness_m.min(TUNING.most_thickness_edges * shortest_link_m)
}

impl Model {
    /// As how thick a deformable is met by others, m: no thicker than neighbours at rest allow.
    pub fn met_thickness_m(&self, deformable: usize) -> f64 {
        met_thickness_m(
            self.deformables[deformable].thickness_m,
            self.shortest_link_m,
        )
    }
}
