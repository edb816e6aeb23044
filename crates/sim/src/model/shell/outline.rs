//! The border of a cloth: edges with a face on one side only.

use crate::constraints::pin::Sides;
use crate::model::spec::Border;
use glam::DVec2;
use std::collections::HashMap;

/// The border of one cloth.
pub struct Outline {
    edges: Vec<Edge>,
    sides: Sides,
}

struct Edge {
    ends: [u32; 2],
    rest: [DVec2; 2],
}

impl Outline {
    /// Of a cloth with these faces, each with its corners' pattern coordinates.
    pub fn of(faces: &[[u32; 3]], rest: &[[DVec2; 3]], pattern: &[DVec2]) -> Self {
        let mut uses: HashMap<[u32; 2], u32> = HashMap::new();
        let edge = |face: &[u32; 3], corner: usize| [face[corner], face[(corner + 1) % 3]];
        let unordered = |[a, b]: [u32; 2]| [a.min(b), a.max(b)];
        for face in faces {
            for corner in 0..3 {
                *uses.entry(unordered(edge(face, corner))).or_default() += 1;
            }
        }
        let mut edges = Vec::new();
        for (face, rest) in faces.iter().zip(rest) {
            for corner in 0..3 {
                let ends = edge(face, corner);
                if uses[&unordered(ends)] == 1 {
                    edges.push(Edge {
                        ends,
                        rest: [rest[corner], rest[(corner + 1) % 3]],
                    });
                }
            }
        }
        Self {
            edges,
            sides: Sides::of(pattern),
        }
    }

    /// Edges along some sides of the pattern, with their lengths at rest in m; twice where two
    /// sides hold the same edge.
    pub fn along<'a>(
        &'a self,
        borders: &'a [Border],
    ) -> impl Iterator<Item = ([u32; 2], f64)> + 'a {
        borders.iter().flat_map(|border| {
            let on = |edge: &&Edge| {
                let is_on = |place: DVec2| self.sides.is_within(0.0, *border, place);
                edge.rest.iter().all(|place| is_on(*place))
            };
            self.edges
                .iter()
                .filter(on)
                .map(|edge| (edge.ends, edge.rest[0].distance(edge.rest[1])))
        })
    }
}
