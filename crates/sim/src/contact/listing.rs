//! The pairs whose swept boxes overlap.

use super::surfaces::{Pair, Surfaces};
use glam::DVec3;
use toile_geometry::broad::{Method, Pairs, Sweep};
use toile_geometry::distance::Kind;

/// The search for pairs, with its memory.
pub struct Listing {
    sweep: Sweep,
    found: Pairs,
    /// What was found, ascending.
    pub pairs: Vec<Pair>,
}

impl Listing {
    /// For these surfaces.
    pub fn new(surfaces: &Surfaces) -> Self {
        Self {
            sweep: Sweep::new(Method::Tree, surfaces.thickness_m.len(), &surfaces.faces),
            found: Pairs::default(),
            pairs: Vec::new(),
        }
    }

    /// Lists all pairs of features without a common vertex whose boxes overlap: boxes around the
    /// motion from `from` to `to`, larger by `pad_m` on all sides.
    pub fn find(&mut self, surfaces: &Surfaces, from: &[DVec3], to: &[DVec3], pad_m: f64) {
        self.sweep.update(from, to, pad_m);
        self.sweep.self_pairs(&mut self.found);
        let points = self.found.point_face.iter().map(|&[vertex, face]| {
            let [a, b, c] = surfaces.faces[face as usize];
            Pair {
                kind: Kind::PointTriangle,
                vertices: [vertex, a, b, c],
            }
        });
        let edges = self.sweep.edges();
        let crossings = self.found.edge_edge.iter().map(|&[first, second]| {
            let ([a, b], [c, d]) = (edges[first as usize], edges[second as usize]);
            Pair {
                kind: Kind::EdgeEdge,
                vertices: [a, b, c, d],
            }
        });
        self.pairs.clear();
        self.pairs.extend(points);
        self.pairs.extend(crossings);
    }
}
