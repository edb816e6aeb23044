//! The pairs whose swept boxes overlap.

use super::pinch::Pinches;
use super::surfaces::{Pair, Surfaces};
use super::untangle::one_form;
use glam::DVec3;
use toile_geometry::broad::{CrossPairs, Method, Pairs, Sweep};
use toile_geometry::distance::Kind;

/// The search for pairs, with its memory.
pub struct Listing {
    sweep: Sweep,
    found: Pairs,
    bodies: Option<Bodies>,
    /// What was found, ascending.
    pub pairs: Vec<Pair>,
    /// What is not to be found, in [`one_form`] each, ascending.
    pub loose: Vec<Pair>,
    /// What bodies pinch, and are not to be found with.
    pub pinches: Pinches,
}

/// The search for pairs of cloth and bodies.
struct Bodies {
    sweep: Sweep,
    found: CrossPairs,
    /// Where the boxes were made for.
    from: Vec<DVec3>,
    to: Vec<DVec3>,
    pad_m: f64,
}

impl Listing {
    /// For these surfaces.
    pub fn new(surfaces: &Surfaces) -> Self {
        let bodies = (surfaces.body_vertices > 0).then(|| Bodies {
            sweep: Sweep::new(Method::Tree, surfaces.body_vertices, &surfaces.body_faces),
            found: CrossPairs::default(),
            from: Vec::new(),
            to: Vec::new(),
            pad_m: 0.0,
        });
        Self {
            sweep: Sweep::new(Method::Tree, surfaces.particles(), &surfaces.faces),
            found: Pairs::default(),
            bodies,
            pairs: Vec::new(),
            loose: Vec::new(),
            pinches: Pinches::default(),
        }
    }

    /// Lists all pairs of features without a common vertex whose boxes overlap: boxes around the
    /// motion from `from` to `to`, larger by `pad_m` on all sides. Features of bodies are listed with
    /// those of cloths only.
    pub fn find(&mut self, surfaces: &Surfaces, from: &[DVec3], to: &[DVec3], pad_m: f64) {
        let particles = surfaces.particles();
        let (from, bodies_from) = from.split_at(particles);
        let (to, bodies_to) = to.split_at(particles);
        self.sweep.update(from, to, pad_m);
        self.pairs.clear();
        if !surfaces.bodies_only {
            self.list_cloth(surfaces);
        }
        if let Some(bodies) = &mut self.bodies {
            bodies.update(bodies_from, bodies_to, pad_m);
            self.sweep.pairs_with(&bodies.sweep, &mut bodies.found);
            self.list_bodies(surfaces);
        }
        self.drop_loose();
    }

    fn drop_loose(&mut self) {
        if !self.loose.is_empty() {
            let loose = &self.loose;
            self.pairs
                .retain(|pair| loose.binary_search(&one_form(pair)).is_err());
        }
        if self.pinches.is_busy() {
            let pinches = &self.pinches;
            self.pairs.retain(|pair| !pinches.lets_through(pair));
        }
    }

    fn list_cloth(&mut self, surfaces: &Surfaces) {
        self.sweep.self_pairs(&mut self.found);
        let points = self.found.point_face.iter();
        let points = points.map(|&[vertex, face]| point(vertex, surfaces.faces[face as usize]));
        let edges = self.sweep.edges();
        let crossings = self.found.edge_edge.iter();
        let crossings =
            crossings.map(|&[first, second]| edge(edges[first as usize], edges[second as usize]));
        self.pairs.extend(points);
        self.pairs.extend(crossings);
    }

    fn list_bodies(&mut self, surfaces: &Surfaces) {
        let Some(Bodies { sweep, found, .. }) = &self.bodies else {
            return;
        };
        let first = surfaces.particles() as u32;
        let face_of_body = |face: u32| surfaces.body_faces[face as usize].map(|v| v + first);
        let onto = found.point_face.iter();
        let onto = onto.map(|&[vertex, face]| point(vertex, face_of_body(face)));
        let into = found.face_point.iter();
        let into = into.map(|&[face, vertex]| point(vertex + first, surfaces.faces[face as usize]));
        let crossings = found.edge_edge.iter().map(|&[own, other]| {
            let other = sweep.edges()[other as usize].map(|vertex| vertex + first);
            edge(self.sweep.edges()[own as usize], other)
        });
        self.pairs.extend(onto);
        self.pairs.extend(into);
        self.pairs.extend(crossings);
        self.pairs.sort_unstable();
    }
}

impl Bodies {
    /// Moves the boxes, if they are not there already.
    fn update(&mut self, from: &[DVec3], to: &[DVec3], pad_m: f64) {
        if self.pad_m == pad_m && self.from == from && self.to == to {
            return;
        }
        self.sweep.update(from, to, pad_m);
        self.pad_m = pad_m;
        self.from.clear();
        self.from.extend_from_slice(from);
        self.to.clear();
        self.to.extend_from_slice(to);
    }
}

fn point(vertex: u32, [a, b, c]: [u32; 3]) -> Pair {
    Pair {
        kind: Kind::PointTriangle,
        vertices: [vertex, a, b, c],
    }
}

fn edge([a, b]: [u32; 2], [c, d]: [u32; 2]) -> Pair {
    Pair {
        kind: Kind::EdgeEdge,
        vertices: [a, b, c, d],
    }
}
