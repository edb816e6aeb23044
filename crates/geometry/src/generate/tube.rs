//! Tubes: a strip of cloth sewn together along its sides.
//!
//! Rings of particles, each turned by half a cell against the next, so that the triangles lean to
//! neither side and the tube twists as easily one way as the other. All triangles are alike, so
//! the tube unrolls exactly: u goes around, v along the axis, and the seam is where the first
//! column meets the last.

use crate::{Surface, TriMesh};
use glam::{DVec2, DVec3};
use std::f64::consts::{PI, TAU};

/// An open tube around the y axis and the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tube {
    /// Radius, m.
    pub radius_m: f64,
    /// Length, m.
    pub length_m: f64,
    /// Particles around; at least 3.
    pub around: usize,
    /// Rings of particles; at least 2.
    pub along: usize,
}

impl Tube {
    /// Its triangles, fronts outside, and the flat strip they are at rest.
    pub fn surface(&self) -> Surface {
        let (around, along) = (self.around.max(3), self.along.max(2));
        let ring = self.length_m / (along - 1) as f64;
        let column = |i: usize, row: usize| i as f64 + 0.5 * (row % 2) as f64;
        let place = |i: usize, row: usize| {
            let (sine, cosine) = (TAU * column(i, row) / around as f64).sin_cos();
            let height = ring * row as f64 - 0.5 * self.length_m;
            DVec3::new(self.radius_m * cosine, height, -self.radius_m * sine)
        };
        // Sides are chords, and the way up leads over the middle of a chord, which lies inside.
        let half = PI / around as f64;
        let side = 2.0 * self.radius_m * half.sin();
        let rise = ring.hypot(self.radius_m * (1.0 - half.cos()));
        let pattern = |i: usize, row: usize| DVec2::new(side * column(i, row), rise * row as f64);

        let mut faces = Vec::with_capacity(2 * around * (along - 1));
        let mut rest = Vec::with_capacity(faces.capacity());
        for row in 0..along - 1 {
            for i in 0..around {
                // The particle over the middle of a side of the lower ring.
                let over = i + row % 2;
                let up = [[i, row], [i + 1, row], [over, row + 1]];
                let next = i + 1 - row % 2;
                let down = [[next, row], [i + 1, row + 1], [i, row + 1]];
                for corners in [up, down] {
                    faces.push(corners.map(|[i, row]| (row * around + i % around) as u32));
                    rest.push(corners.map(|[i, row]| pattern(i, row)));
                }
            }
        }
        let positions = (0..along).flat_map(|row| (0..around).map(move |i| place(i, row)));
        Surface {
            mesh: TriMesh {
                positions: positions.collect(),
                faces,
            },
            rest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_unrolls_exactly() {
        let (around, along) = (12, 6);
        let tube = Tube {
            radius_m: 0.1,
            length_m: 0.3,
            around,
            along,
        };
        let surface = tube.surface();
        surface.validate().unwrap();
        assert_eq!(surface.mesh.positions.len(), around * along);
        assert_eq!(surface.mesh.faces.len(), 2 * around * (along - 1));
        for (face, rest) in surface.mesh.faces.iter().zip(&surface.rest) {
            let corners = face.map(|v| surface.mesh.positions[v as usize]);
            for k in 0..3 {
                let [a, b] = [k, (k + 1) % 3];
                let stretched = corners[a].distance(corners[b]) / rest[a].distance(rest[b]);
                assert!((stretched - 1.0).abs() < 1e-12, "{stretched}");
            }
            // The front looks away from the axis.
            let middle = corners.iter().sum::<DVec3>() * DVec3::new(1.0, 0.0, 1.0);
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
            assert!(normal.dot(middle) > 0.0);
        }
        // One seam along the whole tube, and nothing else is cut.
        let hinges = surface.hinges().unwrap();
        let seam = hinges.iter().filter(|h| !surface.is_on_one_piece(h));
        assert_eq!(seam.count(), along - 1);
    }
}
