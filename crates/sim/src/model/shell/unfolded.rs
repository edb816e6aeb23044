//! Two faces laid flat: what bending across their edge is calibrated by.

use glam::DVec2;
use toile_geometry::{Hinge, Surface};

/// Two faces laid flat about their common edge, each with its own rest shape.
pub(crate) struct Unfolded {
    /// Length of the edge, m.
    pub(crate) edge_m: f64,
    /// Area of both faces, m².
    pub(crate) area_m2: f64,
    /// Distance of the opposite corners, m.
    pub(crate) chord_m: f64,
    /// Unit direction from corner to corner in each face's pattern coordinates.
    pub(crate) chord_directions: [DVec2; 2],
    /// Unit direction across the edge in each face's pattern coordinates.
    pub(crate) across_directions: [DVec2; 2],
}

impl Unfolded {
    pub(crate) fn of(surface: &Surface, hinge: &Hinge) -> Self {
        let edges = surface.edge_at_rest(hinge);
        let corners =
            [0, 1].map(|k| surface.rest[hinge.faces[k] as usize][usize::from(hinge.corners[k])]);
        let lengths = edges.map(|[start, end]| start.distance(end));
        let edge_m = 0.5 * (lengths[0] + lengths[1]);
        let along = [0, 1].map(|k| (edges[k][1] - edges[k][0]) / lengths[k]);
        // Feet of the corners, scaled to the common length of the edge, and heights above it.
        let feet = [0, 1].map(|k| (corners[k] - edges[k][0]).dot(along[k]) * edge_m / lengths[k]);
        let heights = [0, 1].map(|k| along[k].perp_dot(corners[k] - edges[k][0]).abs());
        let chord = DVec2::new(feet[1] - feet[0], heights[0] + heights[1]);
        // From the first corner towards the second: the first face lies to the left of its edge.
        let across = along.map(|along| -along.perp());
        Self {
            edge_m,
            area_m2: hinge
                .faces
                .map(|f| surface.rest_area_m2(f as usize))
                .iter()
                .sum(),
            chord_m: chord.length(),
            chord_directions: [0, 1]
                .map(|k| (chord.x * along[k] + chord.y * across[k]).normalize()),
            across_directions: across,
        }
    }
}
