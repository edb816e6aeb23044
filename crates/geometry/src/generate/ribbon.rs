//! Ribbons laid along a path.
//!
//! The middle line follows a smooth curve through given points; the width lies along one world
//! direction as far as that is at a right angle to the curve and to its bends. At rest a ribbon is a
//! flat rectangle, u along and v across: it bends about its width at no cost but bending, while a
//! bend towards its width would make one side longer than the other. So where the path winds that
//! way the ribbon leans into the bend.

use super::{Curve, ShapeError};
use crate::{Surface, TriMesh};
use glam::{DVec2, DVec3};

/// How far from parallel the path and the direction of the width must stay, as a sine.
const LEAST_SINE: f64 = 0.05;

/// The radius of a bend, in widths, beyond which the ribbon hardly leans; where a bend changes
/// sides, leaning does so too, and the larger this is, the more suddenly.
const STRAIGHT: f64 = 6.0;

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
        let middles = self.sides(&curve.divided(columns - 1), curve.length_m())?;
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

    /// Places of the middle line, given with the directions of the path, and of the width there.
    fn sides(
        &self,
        line: &[(DVec3, DVec3)],
        length_m: f64,
    ) -> Result<Vec<(DVec3, DVec3)>, ShapeError> {
        let across = self.across.normalize_or_zero();
        let step_m = length_m / (line.len() - 1) as f64;
        // Bends are seen over two widths: the curve's own change suddenly from point to point.
        let reach = (self.width_m / step_m).ceil() as usize;
        let least = (STRAIGHT * self.width_m).recip().powi(2);
        let side = |k: usize| {
            let (place, along) = line[k];
            let wished = across.reject_from_normalized(along);
            if wished.length() < LEAST_SINE {
                return Err(ShapeError::AlongWidth(place));
            }
            let [from, to] = [k.saturating_sub(reach), (k + reach).min(line.len() - 1)];
            let bend = (line[to].1 - line[from].1) / ((to - from) as f64 * step_m);
            let bend = bend.reject_from_normalized(along);
            // Nearest to the wished side, with the bend along it weighed against that.
            let side = wished - bend * (bend.dot(wished) / (bend.length_squared() + least));
            Ok((place, side.normalize()))
        };
        (0..line.len()).map(side).collect()
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
    fn it_leans_into_bends_along_its_width() {
        // A ring that goes up and down by turns, as strands do that pass over and under others.
        let wave = |k: i32| {
            let angle = 0.15 * f64::from(k);
            0.2 * DVec3::new(angle.cos(), angle.sin(), 0.1 * (3.0 * angle).sin())
        };
        let ribbon = Ribbon {
            width_m: 0.03,
            particles: [201, 3],
            ..ribbon((0..40).map(wave).collect())
        };
        let surface = ribbon.surface().unwrap();
        let rest = surface.rest.iter().flatten();
        let cell = rest.fold(0.0, |most: f64, p| most.max(p.x)) / 200.0;
        let strains = surface.mesh.positions.chunks(201).flat_map(|row| {
            let lengths = row.windows(2).map(|two| two[0].distance(two[1]));
            // Away from the ends, whose neighbours are guessed.
            let lengths = lengths.skip(12).take(176);
            lengths.map(|length| (length / cell - 1.0).abs())
        });
        let most = strains.fold(0.0, f64::max);
        // Upright, the sides would differ from the middle by 0.015 m · 9 · 0.02 m / (0.2 m)².
        assert!(most < 0.65 * 0.0675, "{most}");
    }

    #[test]
    fn a_path_along_its_width_is_refused() {
        let path = vec![DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Z];
        let refused = ribbon(path).surface();
        assert!(matches!(refused, Err(ShapeError::AlongWidth(_))));
    }
}
