//! How a triangle is deformed: the gradient of its map from pattern to space.

use glam::{DVec2, DVec3};

/// Where a unit step along warp, and one along weft, lead in space. Both are unit vectors at a
/// right angle where the cloth is undeformed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gradient {
    /// Along warp.
    pub warp: DVec3,
    /// Along weft.
    pub weft: DVec3,
}

impl Gradient {
    /// Of a triangle with these corners in space and in the pattern, and its area in the pattern
    /// in square metres. `None` for a triangle without area there.
    pub fn of(positions: [DVec3; 3], uv: [DVec2; 3]) -> Option<(Self, f64)> {
        let (e, f) = (uv[1] - uv[0], uv[2] - uv[0]);
        let (p, q) = (positions[1] - positions[0], positions[2] - positions[0]);
        let doubled = e.perp_dot(f);
        // Slivers to the last bits of their coordinates have no gradient worth the name.
        let least = 1e-12 * e.length_squared().max(f.length_squared());
        let usable = doubled.abs() > least && p.is_finite() && q.is_finite();
        usable.then(|| {
            let gradient = Self {
                warp: (p * f.y - q * e.y) / doubled,
                weft: (q * e.x - p * f.x) / doubled,
            };
            (gradient, 0.5 * doubled.abs())
        })
    }

    /// Strain along warp: length over rest length, less 1.
    pub fn strain_warp(&self) -> f64 {
        self.warp.length() - 1.0
    }

    /// Strain along weft.
    pub fn strain_weft(&self) -> f64 {
        self.weft.length() - 1.0
    }

    /// Shear angle: by how much warp and weft have turned towards each other from a right angle.
    /// Zero where either has shrunk to nothing.
    pub fn shear_rad(&self) -> f64 {
        let [warp, weft] = [self.warp, self.weft].map(DVec3::normalize_or_zero);
        warp.dot(weft).clamp(-1.0, 1.0).asin()
    }
}
