//! What can meet: the triangles, edges and vertices of all cloths, and of all bodies.

use crate::contact::common_normal::Stars;
use crate::contact::tuning::TUNING;
use crate::model::Model;
use glam::DVec2;
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

/// The surfaces of all cloths and bodies. The vertices of bodies are numbered after the particles.
#[derive(Clone, Debug, Default)]
pub struct Surfaces {
    /// Triangles of the cloths.
    pub faces: Vec<[u32; 3]>,
    /// Pattern coordinates of their corners, m; empty where they are not known.
    pub rest: Vec<[DVec2; 3]>,
    /// Triangles of the bodies, which number the bodies' vertices from 0.
    pub body_faces: Vec<[u32; 3]>,
    /// The triangles around every vertex.
    pub stars: Stars,
    /// Distance every vertex keeps from others, m: half of it is its own.
    pub thickness_m: Vec<f64>,
    /// How many of the vertices, the last ones, belong to bodies.
    pub body_vertices: usize,
    /// Length of the shortest edge of cloth at rest, m.
    pub shortest_edge_m: f64,
    /// Whether cloth passes through cloth, and only bodies are in its way.
    pub bodies_only: bool,
}

impl Surfaces {
    /// Those of `model`; with `bodies_only`, cloth passes through cloth.
    pub fn new(model: &Model, bodies_only: bool) -> Self {
        let vertices = model.particles() + model.body_vertices();
        let mut surfaces = Self {
            faces: model.faces.clone(),
            rest: model.rest.clone(),
            thickness_m: Vec::with_capacity(vertices),
            body_vertices: model.body_vertices(),
            shortest_edge_m: model.shortest_link_m,
            bodies_only,
            ..Self::default()
        };
        for cloth in &model.cloths {
            // Neighbours at rest must not be in contact with each other.
            let most = TUNING.most_thickness_edges * model.shortest_link_m;
            let thickness = cloth.thickness_m.min(most);
            let all = std::iter::repeat_n(thickness, cloth.particles.len());
            surfaces.thickness_m.extend(all);
        }
        let mut first = 0;
        for body in &model.bodies {
            let faces = body.mesh.faces.iter();
            surfaces
                .body_faces
                .extend(faces.map(|face| face.map(|vertex| vertex + first)));
            let all = std::iter::repeat_n(body.thickness_m, body.vertices());
            surfaces.thickness_m.extend(all);
            first += body.vertices() as u32;
        }
        let particles = model.particles() as u32;
        let of_bodies = surfaces.body_faces.iter();
        let of_bodies = of_bodies.map(|face| face.map(|vertex| vertex + particles));
        surfaces.stars = Stars::new(vertices, surfaces.faces.iter().copied().chain(of_bodies));
        surfaces
    }

    /// Number of vertices of cloths.
    pub fn particles(&self) -> usize {
        self.thickness_m.len() - self.body_vertices
    }

    /// Whether no body has a part in a pair.
    pub fn is_between_cloths(&self, pair: &Pair) -> bool {
        let mut vertices = pair.vertices.iter();
        vertices.all(|vertex| (*vertex as usize) < self.particles())
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
