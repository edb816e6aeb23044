//! Ribbons laid along a path.
//!
//! The middle line follows a smooth curve through given points; the width lies along one world
//! direction as far as that is at a right angle to the curve. At rest a ribbon is a flat
//! rectangle, u along and v across. Bends about that direction therefore cost it nothing but
//! bending; where the path winds towards it the two sides differ in length, by the width over the
//! radius of that bend, and the ribbon starts a little strained.

use super::{Curve, ShapeError};
use crate::{Surface, TriMesh};
use glam::{DVec2, DVec3};

/// How far from parallel the path and the direction of the width must stay, as a sine.
const LEAST_SINE: f64 = 0.05;

/// A ribbon along a path.
#[derive(Clone, Debug, PartialEq)]
pub struct Ribbon {
    /// Points that the middle line goes through, m.
    pub path: Vec<DVec3>,
    /// Width, m.
    pub width_m: f64,
    /// World direction of the width; any length.
    pub across: DVec3,
    /// Particles along the path and across it; at least 2 each.
    pub particles: [usize; 2],
}

impl Ribbon {
    /// Its triangles and their flat rest shape. Particle (column, row) has index
    /// row · columns + column, as in a grid; the front is where u × v points to.
    pub fn surface(&self) -> Result<Surface, ShapeError> {
        let [columns, rows] = self.particles.map(|n| n.max(2));
        let curve = Curve::through(&self.path)?;
        let across = self.across.normalize_or_zero();
        let mut middles = Vec::with_capacity(columns);
        for (place, along) in curve.divided(columns - 1) {
            let side = across.reject_from_normalized(along);
            if side.length() < LEAST_SINE {
                return Err(ShapeError::AlongWidth(place));
            }
            middles.push((place, side.normalize()));
        }
        let size = DVec2::new(curve.length_m(), self.width_m);
        let cell = size / DVec2::new((columns - 1) as f64, (rows - 1) as f64);
        let pattern = |particle: u32| {
            let (column, row) = (particle as usize % columns, particle as usize / columns);
            cell * DVec2::new(column as f64, row as f64)
        };
        let place = |row: usize, (middle, side): (DVec3, DVec3)| {
            middle + (cell.y * row as f64 - 0.5 * self.width_m) * side
        };
        let positions = (0..rows).flat_map(|row| middles.iter().map(move |m| place(row, *m)));

        let mut faces = Vec::with_capacity(2 * (columns - 1) * (rows - 1));
        for row in 0..rows - 1 {
            for column in 0..columns - 1 {
                let corner = |right, up| ((row + up) * columns + column + right) as u32;
                let [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                // Diagonals by turns, so that neither side of the weave is favoured.
                if (row + column) % 2 == 0 {
                    faces.extend([[a, b, c], [a, c, d]]);
                } else {
                    faces.extend([[a, b, d], [b, c, d]]);
                }
            }
        }
        Ok(Surface {
            rest: faces.iter().map(|face| face.map(pattern)).collect(),
            mesh: TriMesh {
                positions: positions.collect(),
                faces,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ribbon(path: Vec<DVec3>) -> Ribbon {
        Ribbon {
            path,
            width_m: 0.1,
            across: DVec3::Z,
            particles: [101, 5],
        }
    }

    #[test]
    fn a_bent_ribbon_is_not_strained() {
        let arc = |k: i32| 0.5 * glam::DVec2::from_angle(0.3 * f64::from(k)).extend(0.0);
        let surface = ribbon((0..10).map(arc).collect()).surface().unwrap();
        surface.validate().unwrap();
        assert_eq!(surface.mesh.positions.len(), 505);
        for (face, rest) in surface.mesh.faces.iter().zip(&surface.rest) {
            let corners = face.map(|v| surface.mesh.positions[v as usize]);
            for k in 0..3 {
                let [a, b] = [k, (k + 1) % 3];
                let stretched = corners[a].distance(corners[b]) / rest[a].distance(rest[b]);
                assert!((stretched - 1.0).abs() < 1e-3, "{stretched}");
            }
        }
        // u goes counter-clockwise about z and v along z: the front looks outwards.
        let [a, b, c] = surface.mesh.faces[0].map(|v| surface.mesh.positions[v as usize]);
        assert!((b - a).cross(c - a).dot(a) > 0.0);
    }

    #[test]
    fn a_path_along_its_width_is_refused() {
        let path = vec![DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Z];
        let refused = ribbon(path).surface();
        assert!(matches!(refused, Err(ShapeError::AlongWidth(_))));
    }
}
