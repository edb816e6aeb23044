//! The plane that two surfaces have in common where they touch.
//!
//! Smooth surfaces that touch have one tangent plane, but each of their meshes knows it only as well as it
//! is flat there: facets lean by as much as the surface bends within an edge. The direction between the
//! closest points of two features is that of a facet, or of two edges, and leans with it. Cloth that
//! ripples on a flat surface would be pushed back wherever it rises and pushed on wherever it falls; as
//! it moves on within a step, more of the first than of the second remains, and what slides is braked.
//! So the normals of both surfaces and that direction are weighed against each other, each the less the
//! further it may be wrong.
//!
//! Verified by: `tests/sliding.rs`.

use crate::contact::surfaces::Pair;
use crate::contact::tuning::TUNING;
use glam::DVec3;
use toile_geometry::distance::Weights;
use toile_numerics::Csr;

/// The triangles around every vertex.
#[derive(Clone, Debug, Default)]
pub struct Stars {
    /// The other two corners of each triangle, in its order.
    others: Csr<[u32; 2]>,
}

impl Stars {
    /// Of these triangles.
    pub fn new(vertices: usize, faces: impl Iterator<Item = [u32; 3]> + Clone) -> Self {
        let corners = faces.flat_map(|[a, b, c]| {
            [(a, [b, c]), (b, [c, a]), (c, [a, b])].map(|(own, pair)| (own as usize, pair))
        });
        Self {
            others: Csr::from_pairs(vertices, corners),
        }
    }

    /// Whether there are any around a vertex.
    pub fn has_faces(&self, vertex: u32) -> bool {
        !self.others.row(vertex as usize).is_empty()
    }

    /// Sum of the areas around a vertex as vectors along their normals, and of their sizes.
    fn areas(&self, vertex: u32, x: &[DVec3]) -> (DVec3, f64) {
        let own = x[vertex as usize];
        let others = self.others.row(vertex as usize).iter();
        others.fold((DVec3::ZERO, 0.0), |(sum, size), &[a, b]| {
            let area = (x[a as usize] - own).cross(x[b as usize] - own);
            (sum + area, size + area.length())
        })
    }

    /// The normal of the common plane of the features of a pair whose closest points have these weights,
    /// `nearest` being the direction between these.
    pub fn normal(&self, pair: &Pair, weights: &Weights, x: &[DVec3], nearest: DVec3) -> DVec3 {
        let mut sum = nearest / TUNING.normal_nearest_variance;
        for side in [0..pair.first(), pair.first()..4] {
            let (mut area, mut size) = (DVec3::ZERO, 0.0);
            for k in side.filter(|k| weights[*k] != 0.0) {
                let own = self.areas(pair.vertices[k], x);
                area += weights[k].abs() * own.0;
                size += weights[k].abs() * own.1;
            }
            let length = area.length();
            let along = area.dot(nearest);
            if along.abs() >= TUNING.normal_least_cosine * length && length > 0.0 {
                let variance = (1.0 - length / size).max(0.0) + TUNING.normal_least_variance;
                sum += along.signum() / (length * variance) * area;
            }
        }
        sum.normalize()
    }
}
