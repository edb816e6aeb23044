//! The pairs whose swept boxes overlap.

use super::surfaces::{Pair, Surfaces};
use glam::DVec3;
use toile_geometry::distance::Kind;
use toile_geometry::{Bounds, BoxTree};

/// Scratch memory of the search.
#[derive(Default)]
pub struct Listing {
    /// The box of every vertex over its whole motion.
    pub boxes: Vec<Bounds>,
    face_boxes: Vec<Bounds>,
    tree: Option<BoxTree>,
    /// What was found, ascending.
    pub pairs: Vec<Pair>,
}

impl Listing {
    /// Lists all pairs of features without a common vertex whose boxes overlap, the box of a vertex
    /// being that of its motion from `from` to `to`, larger by `pad` on all sides.
    pub fn find(
        &mut self,
        surfaces: &Surfaces,
        from: &[DVec3],
        to: &[DVec3],
        pad: impl Fn(usize) -> f64,
    ) {
        self.boxes.clear();
        self.boxes.extend((0..from.len()).map(|i| {
            let pad = pad(i);
            Bounds {
                min: from[i].min(to[i]) - pad,
                max: from[i].max(to[i]) + pad,
            }
        }));
        let boxes = &self.boxes;
        let around = |face: &[u32; 3]| {
            let [a, b, c] = face.map(|vertex| boxes[vertex as usize]);
            a.union(b).union(c)
        };
        self.face_boxes.clear();
        self.face_boxes.extend(surfaces.faces.iter().map(around));
        let tree = match &mut self.tree {
            Some(tree) => {
                tree.refit(&self.face_boxes);
                tree
            }
            none => none.insert(BoxTree::build(&self.face_boxes)),
        };
        self.pairs.clear();
        for [a, b] in tree.self_pairs() {
            self.add_features(surfaces, a, b);
        }
        self.pairs.sort_unstable();
    }

    fn add_features(&mut self, surfaces: &Surfaces, a: u32, b: u32) {
        let Self {
            boxes,
            face_boxes,
            pairs,
            ..
        } = self;
        for (own, other) in [(a, b), (b, a)] {
            let face = surfaces.faces[other as usize];
            for vertex in surfaces.corners_of(own) {
                let apart = !face.contains(&vertex);
                if apart && overlap(&boxes[vertex as usize], &face_boxes[other as usize]) {
                    pairs.push(Pair {
                        kind: Kind::PointTriangle,
                        vertices: [vertex, face[0], face[1], face[2]],
                    });
                }
            }
        }
        let around = |[i, j]: [u32; 2]| boxes[i as usize].union(boxes[j as usize]);
        for own in surfaces.edges_of(a) {
            for other in surfaces.edges_of(b) {
                let apart = !other.contains(&own[0]) && !other.contains(&own[1]);
                if apart && overlap(&around(own), &around(other)) {
                    // The same order whichever way the faces were found.
                    let (first, second) = if own < other {
                        (own, other)
                    } else {
                        (other, own)
                    };
                    pairs.push(Pair {
                        kind: Kind::EdgeEdge,
                        vertices: [first[0], first[1], second[0], second[1]],
                    });
                }
            }
        }
    }
}

fn overlap(a: &Bounds, b: &Bounds) -> bool {
    a.min.cmple(b.max).all() && b.min.cmple(a.max).all()
}
