//! The pairs whose swept boxes overlap.

use crate::contact::collect::f32_reject::F32Reject;
use crate::contact::pinch::Pinches;
use crate::contact::surfaces::{Pair, Surfaces};
use crate::contact::tuning::TUNING;
use crate::contact::untangle::one_form;
use glam::DVec3;
use toile_geometry::broad::{CrossPairs, Lone, Method, Pairs, Sweep, Ways};
use toile_geometry::distance::Kind;

/// The search for pairs, with its memory.
pub struct Listing {
    sweep: Sweep,
    found: Pairs,
    bodies: Option<Bodies>,
    /// Whether anything was looked for yet.
    is_filled: bool,
    /// What was found, ascending.
    pub pairs: Vec<Pair>,
    /// What tells pairs apart for certain in the motion in which contacts are sought.
    pub f32_reject: F32Reject,
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
    /// What is left out of the pairs of cloth; nothing if `None`.
    pub flat: Option<Flat>,
    /// Whether vertices go straight and nothing is to turn them away: boxes may then go along with what they
    /// hold, and are small however fast it is.
    pub straight: bool,
}

/// Pairs that keep their distance for certain, as the cloth around them lies flat.
#[derive(Clone, Copy)]
pub struct Flat {
    /// What distance, m.
    pub distance_m: f64,
    /// As long as no vertex strays further than this from its straight way, m.
    pub stray_m: f64,
}

impl Flat {
    fn on<'a>(&self, start: &'a [DVec3], end: &'a [DVec3]) -> Ways<'a> {
        Ways {
            start,
            end,
            distance_m: self.distance_m,
            stray_m: self.stray_m,
        }
    }
}

impl Listing {
    /// For these surfaces, whose vertices, those of bodies too, are at `start` at the very beginning: what
    /// is listed depends on the motion and on this alone.
    pub fn new(surfaces: &Surfaces, start: &[DVec3]) -> Self {
        let (start, bodies_start) = start.split_at(surfaces.particles());
        let lone = Lone {
            edges: &surfaces.lone_edges,
            points: &[],
        };
        let mut sweep = Sweep::with_lone(Method::Tree, start.len(), &surfaces.faces, lone);
        if !surfaces.rest.is_empty() {
            sweep = sweep.knowing_pattern(&surfaces.rest);
        }
        sweep.update(start, start, 0.0);
        Self {
            sweep,
            found: Pairs::default(),
            bodies: (!bodies_start.is_empty()).then(|| Bodies {
                sweep: Sweep::new(Method::Tree, bodies_start.len(), &surfaces.body_faces),
                found: CrossPairs::default(),
            }),
            is_filled: false,
            pairs: Vec::new(),
            f32_reject: F32Reject::default(),
            loose: Vec::new(),
            pinches: Pinches::default(),
        }
    }

    /// Makes sure that all pairs are listed that [`Self::find`] would list: what was found last is kept if
    /// it has them all.
    pub fn provide(&mut self, surfaces: &Surfaces, wanted: &Wanted<'_>) {
        if self.has_all(surfaces, wanted) {
            self.drop_loose();
        } else {
            self.find(surfaces, wanted);
        }
    }

    /// Whether what was found last has all pairs of this motion, and what was left out as flat then is to be
    /// left out now.
    fn has_all(&mut self, surfaces: &Surfaces, wanted: &Wanted<'_>) -> bool {
        let particles = surfaces.particles();
        let (from, bodies_from) = wanted.from.split_at(particles);
        let (to, bodies_to) = wanted.to.split_at(particles);
        let holds_bodies =
            |bodies: &Bodies| bodies.sweep.holds(bodies_from, bodies_to, wanted.pad_m);
        self.is_filled
            && (wanted.straight || !self.goes_along())
            && self.sweep.holds(from, to, wanted.pad_m)
            && self.bodies.as_ref().is_none_or(holds_bodies)
            && match &wanted.flat {
                Some(flat) if !surfaces.bodies_only => self.sweep.stays_flat(&flat.on(from, to)),
                Some(_) => true,
                None => surfaces.bodies_only,
            }
    }

    /// Lists all pairs of features without a common vertex whose boxes around the motion overlap, as
    /// far as they are wanted. Features of bodies are listed with those of cloths only.
    pub fn find(&mut self, surfaces: &Surfaces, wanted: &Wanted<'_>) {
        let particles = surfaces.particles();
        let (from, bodies_from) = wanted.from.split_at(particles);
        let (to, bodies_to) = wanted.to.split_at(particles);
        let along = wanted.straight
            && mean_way_m(from, to) > TUNING.boxes_along_edges * surfaces.shortest_edge_m;
        let update = if along {
            Sweep::update_along
        } else {
            Sweep::update
        };
        update(&mut self.sweep, from, to, wanted.pad_m);
        self.is_filled = true;
        self.pairs.clear();
        if !surfaces.bodies_only {
            match wanted.flat {
                None => self.sweep.self_pairs(&mut self.found),
                Some(flat) => self.sweep.uneven_pairs(&flat.on(from, to), &mut self.found),
            }
            self.list_cloth(surfaces);
        }
        if let Some(bodies) = &mut self.bodies {
            update(&mut bodies.sweep, bodies_from, bodies_to, wanted.pad_m);
            self.sweep.pairs_with(&bodies.sweep, &mut bodies.found);
            self.list_bodies(surfaces);
        }
        self.drop_loose();
    }

    /// Whether the pairs found last are those of straight ways only.
    pub fn goes_along(&self) -> bool {
        self.sweep.goes_along()
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

/// How far vertices go on average, along the axis in which each goes farthest, m.
fn mean_way_m(from: &[DVec3], to: &[DVec3]) -> f64 {
    let ways = from.iter().zip(to);
    let sum: f64 = ways
        .map(|(from, to)| (*to - *from).abs().max_element())
        .sum();
    sum / from.len().max(1) as f64
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
