//! The pairs whose swept boxes overlap.

use super::chosen::Chosen;
use super::pinch::Pinches;
use super::surfaces::{Pair, Surfaces};
use super::untangle::one_form;
use glam::DVec3;
use toile_geometry::Bounds;
use toile_geometry::broad::{CrossPairs, Flatness, Method, Pairs, Sweep, Ways};
use toile_geometry::distance::Kind;
use toile_numerics::par;

/// What is added to boxes when pairs are listed, in shortest edges: the list can then be used until some
/// vertex leaves its box.
const EXTRA_EDGES: f64 = 0.2;

/// The search for pairs, with its memory.
pub struct Listing {
    sweep: Sweep,
    found: Pairs,
    bodies: Option<Bodies>,
    flatness: Option<Flatness>,
    /// The box of each vertex that all was listed for, and the one it has now.
    boxes: Vec<Bounds>,
    now: Vec<Bounds>,
    /// All pairs of features in these boxes, ascending, and the part of the surface both are in.
    listed: Vec<Pair>,
    parts: Vec<Option<u32>>,
    chosen: Chosen,
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
}

/// A motion, and which of the pairs in it are wanted.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// Where vertices begin, m.
    pub from: &'a [DVec3],
    /// Where they end, m.
    pub to: &'a [DVec3],
    /// How much larger boxes are than the motion, m.
    pub pad_m: f64,
    /// Pairs are left out that keep their distance for certain, as long as no vertex strays further
    /// than this from its straight way, m.
    pub stray_m: Option<f64>,
}

impl Listing {
    /// For these surfaces.
    pub fn new(surfaces: &Surfaces) -> Self {
        let sweep = |vertices: usize, faces: &[[u32; 3]]| Sweep::new(Method::Tree, vertices, faces);
        let is_known = surfaces.rest.len() == surfaces.faces.len();
        Self {
            sweep: sweep(surfaces.particles(), &surfaces.faces),
            found: Pairs::default(),
            bodies: (surfaces.body_vertices > 0).then(|| Bodies {
                sweep: sweep(surfaces.body_vertices, &surfaces.body_faces),
                found: CrossPairs::default(),
            }),
            flatness: is_known
                .then(|| Flatness::new(surfaces.particles(), &surfaces.faces, &surfaces.rest)),
            boxes: Vec::new(),
            now: Vec::new(),
            listed: Vec::new(),
            parts: Vec::new(),
            chosen: Chosen::default(),
            pairs: Vec::new(),
            loose: Vec::new(),
            pinches: Pinches::default(),
        }
    }

    /// Lists all pairs of features without a common vertex whose boxes around the motion overlap, as
    /// far as they are wanted. Features of bodies are listed with those of cloths only.
    pub fn find(&mut self, surfaces: &Surfaces, wanted: &Wanted<'_>) {
        let &Wanted {
            from, to, pad_m, ..
        } = wanted;
        self.now.resize(from.len(), Bounds::EMPTY);
        par::fill(&mut self.now, |i| Bounds {
            min: from[i].min(to[i]) - pad_m,
            max: from[i].max(to[i]) + pad_m,
        });
        let within = |inner: &Bounds, outer: &Bounds| {
            inner.min.cmpge(outer.min).all() && inner.max.cmple(outer.max).all()
        };
        let is_listed = self.boxes.len() == self.now.len()
            && (self.now.iter().zip(&self.boxes)).all(|(now, listed)| within(now, listed));
        if !is_listed {
            self.list(surfaces, wanted);
        }
        let particles = surfaces.particles();
        if let (Some(flatness), Some(stray_m)) = (&mut self.flatness, wanted.stray_m) {
            flatness.find(&Ways {
                start: &from[..particles],
                end: &to[..particles],
                distance_m: 2.0 * surfaces.reach_m(),
                stray_m,
            });
        }
        let flatness = self.flatness.as_ref().filter(|_| wanted.stray_m.is_some());
        let lies_flat = |part: Option<u32>| {
            flatness
                .zip(part)
                .is_some_and(|(flatness, part)| flatness.is_flat(part))
        };
        let now = &self.now;
        let (listed, parts) = (&self.listed, &self.parts);
        self.chosen.find(listed.len(), |k| {
            !lies_flat(parts[k]) && overlap(&listed[k], now)
        });
        self.pairs.clear();
        self.pairs.extend(self.chosen.iter().map(|k| listed[k]));
        self.drop_loose();
    }

    /// Lists the pairs of somewhat larger boxes.
    fn list(&mut self, surfaces: &Surfaces, wanted: &Wanted<'_>) {
        let extra_m = EXTRA_EDGES * surfaces.shortest_edge_m;
        let pad_m = wanted.pad_m + extra_m;
        self.boxes.clear();
        self.boxes.extend(self.now.iter().map(|now| Bounds {
            min: now.min - extra_m,
            max: now.max + extra_m,
        }));
        let particles = surfaces.particles();
        let (from, bodies_from) = wanted.from.split_at(particles);
        let (to, bodies_to) = wanted.to.split_at(particles);
        self.sweep.update(from, to, pad_m);
        self.pairs.clear();
        if !surfaces.bodies_only {
            self.list_cloth(surfaces);
        }
        if let Some(bodies) = &mut self.bodies {
            bodies.sweep.update(bodies_from, bodies_to, pad_m);
            self.sweep.pairs_with(&bodies.sweep, &mut bodies.found);
            self.list_bodies(surfaces);
        }
        let flatness = self.flatness.as_ref();
        let part_of = |pair: &Pair| {
            let is_cloth = pair.vertices.iter().all(|v| (*v as usize) < particles);
            let flatness = flatness.filter(|_| is_cloth)?;
            flatness.part_of(pair.vertices)
        };
        std::mem::swap(&mut self.listed, &mut self.pairs);
        self.parts.resize(self.listed.len(), None);
        let listed = &self.listed;
        par::fill(&mut self.parts, |k| part_of(&listed[k]));
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

/// Whether the boxes of two features overlap.
fn overlap(pair: &Pair, boxes: &[Bounds]) -> bool {
    let all = pair.vertices.map(|vertex| &boxes[vertex as usize]);
    let (first, second) = all.split_at(pair.first());
    let union = |side: &[&Bounds]| {
        let (mut min, mut max) = (side[0].min, side[0].max);
        for other in &side[1..] {
            (min, max) = (min.min(other.min), max.max(other.max));
        }
        (min, max)
    };
    let (first, second) = (union(first), union(second));
    first.0.cmple(second.1).all() && second.0.cmple(first.1).all()
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
