//! The trees of a mesh: one over its vertices, one over its edges, one over its faces.

use super::admission::{self, Any, Later, NoCorner, Uneven};
use super::eight::LANES;
use super::flat::Flatness;
use super::ownership::Ownership;
use super::search::Search;
use super::tiling::Span;
use super::tree::{NOTHING, Tree};
use super::{Boxes, CrossPairs, Pairs};
use toile_numerics::par;

/// Trees of the boxes of a mesh.
#[derive(Clone, Debug)]
pub(super) struct Forest {
    /// Of the corners of faces, and those of no face that take part.
    vertices: Tree,
    edges: Tree,
    faces: Tree,
    /// The vertices of the edges in each leaf.
    ends: Vec<[[u32; LANES]; 2]>,
    /// Where in the pattern the leaves are, if there is one.
    spans: Option<Spans>,
    /// Whether boxes have ways to go.
    moves: bool,
}

/// Where in a pattern the boxes in the leaves of each tree are.
#[derive(Clone, Debug)]
struct Spans {
    vertices: Vec<Span>,
    edges: Vec<Span>,
    faces: Vec<Span>,
}

/// Memory of the searches for each kind of pair.
#[derive(Clone, Debug, Default)]
pub(super) struct Searches {
    point_face: Search,
    face_point: Search,
    edge_edge: Search,
}

impl Forest {
    pub fn build(mesh: &Ownership, boxes: &Boxes, flatness: Option<&Flatness>) -> Self {
        let owners = mesh.owners.iter();
        let corners = owners.flat_map(|owner| owner.own_vertices().iter().copied());
        let count = mesh.vertex_count;
        let vertices = Tree::build(count, |v| boxes.vertex(v as u32), corners);
        let count = mesh.edges.len();
        let edges = Tree::build(count, |e| boxes.edge(mesh, e), 0..count as u32);
        let count = mesh.face_count;
        let faces = Tree::build(count, |f| boxes.face(mesh, f), 0..count as u32);
        let spans = flatness.map(|flatness| {
            let of_edges = mesh.edge_spans(flatness);
            Spans {
                vertices: spans(&vertices, |v| flatness.span([v])),
                edges: spans(&edges, |e| of_edges[e as usize]),
                faces: spans(&faces, |f| flatness.span(mesh.owners[f as usize].corners)),
            }
        });
        Self {
            vertices,
            ends: admission::ends(mesh, &edges),
            edges,
            faces,
            spans,
            moves: boxes.go_along(),
        }
    }

    /// Moves the boxes and keeps the shapes.
    pub fn refit(&mut self, mesh: &Ownership, boxes: &Boxes) {
        self.vertices.refit(|v| boxes.vertex(v as u32));
        self.edges.refit(|e| boxes.edge(mesh, e));
        self.faces.refit(|f| boxes.face(mesh, f));
        self.moves = boxes.go_along();
    }

    /// Lists the pairs within the mesh, except those between leaves that lie flat.
    pub fn self_pairs(
        &self,
        mesh: &Ownership,
        flatness: Option<&Flatness>,
        searches: &mut Searches,
        pairs: &mut Pairs,
    ) {
        let Self {
            vertices, edges, ..
        } = self;
        let (points, lines) = (&mut searches.point_face, &mut searches.edge_edge);
        let moves = self.moves;
        let no_corner = NoCorner { mesh, vertices };
        let later = Later {
            mesh,
            edges,
            ends: &self.ends,
        };
        let (faces, point_face, edge_edge) =
            (&self.faces, &mut pairs.point_face, &mut pairs.edge_edge);
        let Some((flatness, spans)) = flatness.zip(self.spans.as_ref()) else {
            par::join(
                || points.run(vertices, faces, moves, &no_corner, point_face),
                || lines.run(edges, edges, moves, &later, edge_edge),
            );
            return;
        };
        let no_corner = Uneven {
            inner: no_corner,
            flatness,
            first: &spans.vertices,
            second: &spans.faces,
        };
        let later = Uneven {
            inner: later,
            flatness,
            first: &spans.edges,
            second: &spans.edges,
        };
        par::join(
            || points.run(vertices, faces, moves, &no_corner, point_face),
            || lines.run(edges, edges, moves, &later, edge_edge),
        );
    }

    /// Lists the pairs of this mesh and another.
    pub fn pairs_with(&self, other: &Self, searches: &mut Searches, pairs: &mut CrossPairs) {
        let Searches {
            point_face,
            face_point,
            edge_edge,
        } = searches;
        let moves = self.moves || other.moves;
        par::join(
            || {
                point_face.run(
                    &self.vertices,
                    &other.faces,
                    moves,
                    &Any,
                    &mut pairs.point_face,
                );
                face_point.run(
                    &self.faces,
                    &other.vertices,
                    moves,
                    &Any,
                    &mut pairs.face_point,
                );
            },
            || edge_edge.run(&self.edges, &other.edges, moves, &Any, &mut pairs.edge_edge),
        );
    }
}

/// Where in the pattern the boxes in each leaf are, given where each box is.
fn spans(tree: &Tree, span: impl Fn(u32) -> Span) -> Vec<Span> {
    let leaves = tree.leaves().iter();
    let numbers = leaves.map(|leaf| leaf.iter().take_while(|number| **number != NOTHING));
    numbers
        .filter_map(|numbers| {
            numbers
                .map(|number| span(*number))
                .reduce(|a, b| a.with(&b))
        })
        .collect()
}
