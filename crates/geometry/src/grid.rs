//! Rectangular grids of particles in pattern coordinates (u = warp, v = weft).

use glam::{DVec2, DVec3};

/// A rectangle of `columns × rows` particles, `columns` along u and `rows` along v.
///
/// Particle `(column, row)` has index `row * columns + column`; (0, 0) is the corner of lowest
/// u and v. Triangles split each cell along alternating diagonals, so that no direction is
/// favoured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuadGrid {
    /// Particles along u; at least 2.
    pub columns: usize,
    /// Particles along v; at least 2.
    pub rows: usize,
    /// Extent along u and v in metres.
    pub size_m: DVec2,
}

impl QuadGrid {
    /// Number of particles.
    pub fn len(&self) -> usize {
        self.columns * self.rows
    }

    /// A grid always has particles; present for symmetry with `len`.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Distance between neighbours along u and v.
    pub fn spacing_m(&self) -> DVec2 {
        self.size_m / DVec2::new((self.columns - 1) as f64, (self.rows - 1) as f64)
    }

    /// Index of the particle at `(column, row)`.
    pub fn index(&self, column: usize, row: usize) -> usize {
        row * self.columns + column
    }

    /// Column and row of particle `index`.
    pub fn cell_of(&self, index: usize) -> (usize, usize) {
        (index % self.columns, index / self.columns)
    }

    /// Pattern coordinates of a particle, in metres from the corner of lowest u and v.
    pub fn pattern(&self, column: usize, row: usize) -> DVec2 {
        self.spacing_m() * DVec2::new(column as f64, row as f64)
    }

    /// Positions of all particles, laid out flat around `center` along the world directions
    /// `u_axis` and `v_axis`.
    pub fn positions(&self, center: DVec3, u_axis: DVec3, v_axis: DVec3) -> Vec<DVec3> {
        let mut positions = Vec::with_capacity(self.len());
        for row in 0..self.rows {
            for column in 0..self.columns {
                let offset = self.pattern(column, row) - 0.5 * self.size_m;
                positions.push(center + offset.x * u_axis + offset.y * v_axis);
            }
        }
        positions
    }

    /// Two triangles a cell, counter-clockwise in (u, v), alternating diagonals.
    pub fn faces(&self) -> Vec<[u32; 3]> {
        let mut faces = Vec::with_capacity(2 * (self.columns - 1) * (self.rows - 1));
        for row in 0..self.rows - 1 {
            for column in 0..self.columns - 1 {
                let a = self.index(column, row) as u32;
                let b = self.index(column + 1, row) as u32;
                let c = self.index(column + 1, row + 1) as u32;
                let d = self.index(column, row + 1) as u32;
                if (column + row).is_multiple_of(2) {
                    faces.extend([[a, b, c], [a, c, d]]);
                } else {
                    faces.extend([[a, b, d], [b, c, d]]);
                }
            }
        }
        faces
    }

    /// Pairs of particles `(du, dv)` columns and rows apart, in order of the first particle.
    pub fn pairs(&self, du: isize, dv: isize) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.rows).flat_map(move |row| {
            (0..self.columns).filter_map(move |column| {
                let other_column = column.checked_add_signed(du)?;
                let other_row = row.checked_add_signed(dv)?;
                (other_column < self.columns && other_row < self.rows)
                    .then(|| (self.index(column, row), self.index(other_column, other_row)))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TriMesh;

    const GRID: QuadGrid = QuadGrid {
        columns: 4,
        rows: 3,
        size_m: DVec2::new(0.3, 0.4),
    };

    #[test]
    fn faces_cover_the_rectangle_facing_one_way() {
        let positions = GRID.positions(DVec3::ZERO, DVec3::X, DVec3::Y);
        let mesh = TriMesh {
            positions,
            faces: GRID.faces(),
        };
        let area: f64 = mesh
            .faces
            .iter()
            .map(|f| {
                let [a, b, c] = f.map(|v| mesh.positions[v as usize]);
                let twice = (b - a).cross(c - a);
                assert!(twice.z > 0.0);
                0.5 * twice.z
            })
            .sum();
        assert!((area - 0.12).abs() < 1e-15);
    }

    #[test]
    fn pairs_are_all_inside_and_complete() {
        assert_eq!(GRID.pairs(1, 0).count(), 3 * 3);
        assert_eq!(GRID.pairs(0, 1).count(), 4 * 2);
        assert_eq!(GRID.pairs(1, 1).count(), 3 * 2);
        assert_eq!(GRID.pairs(-1, 1).count(), 3 * 2);
        assert_eq!(GRID.pairs(2, 2).count(), 2);
        for (a, b) in GRID.pairs(-2, 2) {
            let (pa, pb) = (GRID.cell_of(a), GRID.cell_of(b));
            assert_eq!((pa.0, pa.1 + 2), (pb.0 + 2, pb.1));
        }
    }
}
