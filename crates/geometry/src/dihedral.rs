//! Angle between two triangles that share an edge, and its gradient.
//!
//! With opposite vertices `x₁`, `x₂`, shared edge `E = x₄ − x₃`, `N₁ = (x₁ − x₃) × (x₁ − x₄)` and
//! `N₂ = (x₂ − x₄) × (x₂ − x₃)`:
//!
//! - Angle: `θ = atan2((n̂₁ × n̂₂)·ê, n̂₁·n̂₂)`, 0 when flat, in (−π, π].
//! - Gradient: `∇₁θ = −|E| N₁/|N₁|²`, `∇₂θ = −|E| N₂/|N₂|²`, and for the ends of the edge
//!   `∇₃θ = −((x₁ − x₄)·ê) N₁/|N₁|² − ((x₂ − x₄)·ê) N₂/|N₂|²`,
//!   `∇₄θ = ((x₁ − x₃)·ê) N₁/|N₁|² + ((x₂ − x₃)·ê) N₂/|N₂|²`. It neither translates nor rotates
//!   the four vertices.
//! - Units: radians, radians per metre.
//! - Degenerate cases: an edge or a triangle without extent has no angle: `None`.
//! - Source: *Simulation of Clothing with Folds and Wrinkles*, whose `u` is `−∇θ`, not `∇θ`.
//! - Verified by: `tests/dihedral.rs`.

use glam::DVec3;

/// Doubled areas below this share of the squared edge count as none.
const SMALLEST_AREA: f64 = 1e-12;

/// Two triangles that share an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hinge {
    /// The vertices opposite the edge.
    pub opposite: [DVec3; 2],
    /// The ends of the edge.
    pub edge: [DVec3; 2],
}

/// Normals and edge of a hinge that has an angle.
struct Frame {
    normals: [DVec3; 2],
    edge_m: f64,
    direction: DVec3,
}

impl Hinge {
    fn frame(&self) -> Option<Frame> {
        let [x1, x2] = self.opposite;
        let [x3, x4] = self.edge;
        let edge = x4 - x3;
        let edge_m = edge.length();
        let normals = [(x1 - x3).cross(x1 - x4), (x2 - x4).cross(x2 - x3)];
        let least = SMALLEST_AREA * edge_m * edge_m;
        let solid = edge_m > 0.0 && normals.iter().all(|n| n.length() > least);
        solid.then(|| Frame {
            normals,
            edge_m,
            direction: edge / edge_m,
        })
    }

    /// The angle, 0 when flat and in (−π, π].
    pub fn angle(&self) -> Option<f64> {
        let frame = self.frame()?;
        let [n1, n2] = frame.normals;
        // Both arguments carry the same factor |N₁||N₂|, which does not matter to the angle.
        Some(n1.cross(n2).dot(frame.direction).atan2(n1.dot(n2)))
    }

    /// The gradient of the angle by the two opposite vertices, then by the two ends of the edge.
    pub fn angle_gradient(&self) -> Option<[DVec3; 4]> {
        let frame = self.frame()?;
        let [x1, x2] = self.opposite;
        let [x3, x4] = self.edge;
        let [n1, n2] = frame.normals.map(|n| n / n.length_squared());
        let along = |from: DVec3, to: DVec3| (to - from).dot(frame.direction);
        Some([
            -frame.edge_m * n1,
            -frame.edge_m * n2,
            -along(x4, x1) * n1 - along(x4, x2) * n2,
            along(x3, x1) * n1 + along(x3, x2) * n2,
        ])
    }
}
