//! Going to new places without passing through cloth or bodies.
//!
//! All vertices go on straight lines. Where features would meet on the way, their vertices go only half
//! as far, and again, until nothing meets: standing still is safe, so it ends. Ways end where single
//! precision has a place, because that is what is written.

use crate::bodies;
use crate::model::Model;
use glam::DVec3;
use rayon::prelude::*;
use toile_geometry::broad::{CrossPairs, Method, Pairs, Sweep};
use toile_geometry::ccd;

/// Halvings after which a vertex stays where it is.
const HALVINGS: u32 = 4;

/// Moves vertices of cloth apart from each other and from bodies.
pub(super) struct Apart {
    /// Number of vertices of cloth.
    vertices: usize,
    cloth: Sweep,
    faces: Vec<[u32; 3]>,
    pairs: Pairs,
    bodies: Sweep,
    body_faces: Vec<[u32; 3]>,
    cross_pairs: CrossPairs,
}

/// Vertex and triangle, or edge and edge; vertices of bodies are numbered after those of cloth.
#[derive(Clone, Copy)]
enum Near {
    PointTriangle([u32; 4]),
    EdgeEdge([u32; 4]),
}

impl Near {
    /// Its vertices, if its features meet on the way.
    fn met(&self, from: &[DVec3], to: &[DVec3]) -> Option<[u32; 4]> {
        let at = |x: &[DVec3], corners: [u32; 4]| corners.map(|v| x[v as usize]);
        let (corners, met) = match *self {
            Self::PointTriangle(c) => (c, ccd::point_triangle(&at(from, c), &at(to, c), 0.0)),
            Self::EdgeEdge(c) => (c, ccd::edge_edge(&at(from, c), &at(to, c), 0.0)),
        };
        met.map(|_| corners)
    }
}

impl Apart {
    /// For cloth of these faces, with the bodies of `model` in its way.
    pub fn new(model: &Model, vertices: usize, faces: &[[u32; 3]]) -> Self {
        let body_faces = bodies::mesh(&model.bodies, 0.0).faces;
        Self {
            vertices,
            cloth: Sweep::new(Method::Tree, vertices, faces),
            faces: faces.to_vec(),
            pairs: Pairs::default(),
            bodies: Sweep::new(Method::Tree, model.body_vertices(), &body_faces),
            body_faces,
            cross_pairs: CrossPairs::default(),
        }
    }

    /// Goes as far along `ways` as nothing meets, with the vertices of bodies at `solid`; returns also
    /// how many vertices were held back.
    pub fn go(&mut self, from: &[DVec3], ways: &[DVec3], solid: &[DVec3]) -> (Vec<DVec3>, usize) {
        let mut halvings = vec![0_u32; from.len()];
        let all_from = [from, solid].concat();
        self.bodies.update(solid, solid, 0.0);
        loop {
            let share = |halvings: u32| match halvings {
                HALVINGS.. => 0.0,
                _ => 0.5_f64.powi(halvings as i32),
            };
            let place = |i: usize| from[i] + share(halvings[i]) * ways[i];
            let to: Vec<DVec3> = (0..from.len()).map(place).collect();
            let rounded = to.iter().map(|p| p.as_vec3().as_dvec3());
            let all_to: Vec<DVec3> = rounded.chain(solid.iter().copied()).collect();
            let mut meeting = self.meeting(&all_from, &all_to);
            let goes_on = |i: &u32| {
                let way = ways.get(*i as usize).copied().unwrap_or_default();
                way != DVec3::ZERO && halvings[*i as usize] < HALVINGS
            };
            meeting.retain(goes_on);
            if meeting.is_empty() {
                return (to, halvings.iter().filter(|count| **count > 0).count());
            }
            for i in meeting {
                halvings[i as usize] += 1;
            }
        }
    }

    /// Vertices of features that meet on the way, ascending.
    fn meeting(&mut self, from: &[DVec3], to: &[DVec3]) -> Vec<u32> {
        let near = self.near(from, to);
        let met = near.par_iter().filter_map(|near| near.met(from, to));
        let mut vertices: Vec<u32> = met.collect::<Vec<_>>().into_flattened();
        vertices.sort_unstable();
        vertices.dedup();
        vertices
    }

    /// What comes near each other on the way.
    fn near(&mut self, from: &[DVec3], to: &[DVec3]) -> Vec<Near> {
        let vertices = self.vertices;
        self.cloth.update(&from[..vertices], &to[..vertices], 0.0);
        self.cloth.self_pairs(&mut self.pairs);
        let edges = self.cloth.edges();
        let corners = |vertex: u32, [a, b, c]: [u32; 3]| Near::PointTriangle([vertex, a, b, c]);
        let sides = |[a, b]: [u32; 2], [c, d]: [u32; 2]| Near::EdgeEdge([a, b, c, d]);
        let points = self.pairs.point_face.iter();
        let points = points.map(|[vertex, face]| corners(*vertex, self.faces[*face as usize]));
        let crossed = self.pairs.edge_edge.iter();
        let crossed = crossed.map(|[e, f]| sides(edges[*e as usize], edges[*f as usize]));
        let mut near: Vec<Near> = points.chain(crossed).collect();
        if self.body_faces.is_empty() {
            return near;
        }
        self.cloth.pairs_with(&self.bodies, &mut self.cross_pairs);
        let (edges, body_edges) = (self.cloth.edges(), self.bodies.edges());
        let first = vertices as u32;
        let body_face = |face: u32| self.body_faces[face as usize].map(|v| v + first);
        let body_edge = |edge: u32| body_edges[edge as usize].map(|v| v + first);
        let CrossPairs {
            point_face,
            face_point,
            edge_edge,
        } = &self.cross_pairs;
        near.extend(point_face.iter().map(|[v, f]| corners(*v, body_face(*f))));
        let faces = face_point.iter();
        near.extend(faces.map(|[f, v]| corners(v + first, self.faces[*f as usize])));
        let crossed = edge_edge.iter();
        near.extend(crossed.map(|[e, f]| sides(edges[*e as usize], body_edge(*f))));
        near
    }
}
