//! The trees of a mesh: one over its vertices, one over its edges, one over its faces.

use super::admission::{self, Any, Later, NoCorner};
use super::eight::LANES;
use super::ownership::Ownership;
use super::search::Search;
use super::tree::Tree;
use super::{Boxes, CrossPairs, Pairs};
use toile_numerics::par;

/// Trees of the boxes of a mesh.
#[derive(Clone, Debug)]
pub(super) struct Forest {
    /// Of the corners of faces.
    vertices: Tree,
    edges: Tree,
    faces: Tree,
    /// The vertices of the edges in each leaf.
    ends: Vec<[[u32; LANES]; 2]>,
}

/// Memory of the searches for each kind of pair.
#[derive(Clone, Debug, Default)]
pub(super) struct Searches {
    point_face: Search,
    face_point: Search,
    edge_edge: Search,
}

impl Forest {
    pub fn build(mesh: &Ownership, boxes: &Boxes) -> Self {
        let corners = mesh
            .faces
            .iter()
            .flat_map(|face| face.own_vertices().iter().copied());
        let edges = Tree::build(&boxes.edges, 0..boxes.edges.len() as u32);
        Self {
            vertices: Tree::build(&boxes.vertices, corners),
            ends: admission::ends(mesh, &edges),
            edges,
            faces: Tree::build(&boxes.faces, 0..boxes.faces.len() as u32),
        }
    }

    /// Moves the boxes and keeps the shapes.
    pub fn refit(&mut self, boxes: &Boxes) {
        self.vertices.refit(&boxes.vertices);
        self.edges.refit(&boxes.edges);
        self.faces.refit(&boxes.faces);
    }

    /// Lists the pairs within the mesh.
    pub fn self_pairs(&self, mesh: &Ownership, searches: &mut Searches, pairs: &mut Pairs) {
        let Self {
            vertices, edges, ..
        } = self;
        let (points, lines) = (&mut searches.point_face, &mut searches.edge_edge);
        let no_corner = NoCorner { mesh, vertices };
        let later = Later {
            mesh,
            edges,
            ends: &self.ends,
        };
        par::join(
            || points.run(vertices, &self.faces, &no_corner, &mut pairs.point_face),
            || lines.run(edges, edges, &later, &mut pairs.edge_edge),
        );
    }

    /// Lists the pairs of this mesh and another.
    pub fn pairs_with(&self, other: &Self, searches: &mut Searches, pairs: &mut CrossPairs) {
        let Searches {
            point_face,
            face_point,
            edge_edge,
        } = searches;
        par::join(
            || {
                point_face.run(&self.vertices, &other.faces, &Any, &mut pairs.point_face);
                face_point.run(&self.faces, &other.vertices, &Any, &mut pairs.face_point);
            },
            || edge_edge.run(&self.edges, &other.edges, &Any, &mut pairs.edge_edge),
        );
    }
}
