//! How often a surface winds around a point, by counting crossings of a line along x.
//!
//! Triangles are listed in columns along x, one for each cell of a lattice's yz plane. A line crosses
//! a triangle if it passes its projection, which exact predicates decide; a line through an edge or a
//! vertex is moved aside by an amount smaller than any number, the same for all triangles. So the
//! crossings of a closed surface always add up, and the count is right for every point that rounding
//! can tell from the surface.

use super::lattice::Lattice;
use glam::{DVec2, DVec3, Vec3Swizzles};
use robust::{Coord, orient2d};
use toile_numerics::Csr;

/// Triangles by columns.
pub(super) struct Columns<'a> {
    positions: &'a [DVec3],
    faces: &'a [[u32; 3]],
    lattice: Lattice,
    /// Faces of every column, ascending.
    listed: Csr<u32>,
}

/// A line's passage through a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Crossing {
    /// Where, m.
    pub x: f64,
    /// 1 if the line leaves the solid towards +x there, −1 if it enters.
    pub out: i32,
}

impl<'a> Columns<'a> {
    /// Lists the triangles, all of which must be inside of the lattice's box.
    pub fn new(positions: &'a [DVec3], faces: &'a [[u32; 3]], lattice: Lattice) -> Self {
        let [_, ny, nz] = lattice.counts();
        let ranges = |face: &[u32; 3]| {
            let [a, b, c] = face.map(|v| lattice.in_cells(positions[v as usize]));
            let (low, high) = (a.min(b).min(c), a.max(b).max(c));
            // Cells may be missed by rounding of the lowest: one more is listed.
            let from = |x: f64| (x - 1e-6).floor().max(0.0) as usize;
            let to = |x: f64, n: usize| ((x + 1e-6).floor() as usize).min(n - 1);
            (from(low.y)..=to(high.y, ny), from(low.z)..=to(high.z, nz))
        };
        let in_columns = faces.iter().enumerate().flat_map(|(index, face)| {
            let (y, z) = ranges(face);
            z.flat_map(move |k| y.clone().map(move |j| (j + ny * k, index as u32)))
        });
        Self {
            positions,
            faces,
            lattice,
            listed: Csr::from_pairs(ny * nz, in_columns),
        }
    }

    /// All crossings of the line along x through `y` and `z`, ascending.
    pub fn crossings(&self, y: f64, z: f64, found: &mut Vec<Crossing>) {
        found.clear();
        let [_, ny, nz] = self.lattice.counts();
        let at = self.lattice.in_cells(DVec3::new(0.0, y, z)).floor();
        if at.y < 0.0 || at.z < 0.0 || at.y >= ny as f64 || at.z >= nz as f64 {
            return;
        }
        let column = at.y as usize + ny * at.z as usize;
        let line = DVec2::new(y, z);
        for &face in self.listed.row(column) {
            let corners = self.faces[face as usize].map(|v| self.positions[v as usize]);
            found.extend(crossing(corners, line));
        }
        found.sort_unstable_by(|a, b| a.x.total_cmp(&b.x));
    }

    /// How often the surface winds around a point: 0 outside, 1 inside, more where parts overlap.
    pub fn winding(&self, point: DVec3, scratch: &mut Vec<Crossing>) -> i32 {
        self.crossings(point.y, point.z, scratch);
        let beyond = scratch.iter().filter(|c| c.x > point.x);
        beyond.map(|c| c.out).sum()
    }
}

/// Where a line along x passes a triangle.
fn crossing(corners: [DVec3; 3], line: DVec2) -> Option<Crossing> {
    let [a, b, c] = corners.map(|p| p.yz());
    let low = a.min(b).min(c);
    let high = a.max(b).max(c);
    if line.cmplt(low).any() || line.cmpgt(high).any() {
        return None;
    }
    let sides = [(b, c), (c, a), (a, b)].map(|(p, q)| side(p, q, line));
    let [first, second, third] = sides.map(|(sign, _)| sign);
    if first == 0 || first != second || first != third {
        return None;
    }
    let weights = sides.map(|(_, area)| area.abs());
    let sum: f64 = weights.iter().sum();
    let [xa, xb, xc] = corners.map(|p| p.x);
    let x = if sum > 0.0 {
        (weights[0] * xa + weights[1] * xb + weights[2] * xc) / sum
    } else {
        xa
    };
    Some(Crossing {
        x: x.clamp(xa.min(xb).min(xc), xa.max(xb).max(xc)),
        // Counter-clockwise in the yz plane: the normal has a positive x.
        out: first,
    })
}

/// On which side of p–q the point is, once moved aside by (ε, ε²), and twice the triangle's area.
fn side(p: DVec2, q: DVec2, point: DVec2) -> (i32, f64) {
    let [pc, qc, at] = [p, q, point].map(|v| Coord { x: v.x, y: v.y });
    let area = orient2d(pc, qc, at);
    let along = q - p;
    let sign = |x: f64| i32::from(x > 0.0) - i32::from(x < 0.0);
    let tied = [sign(-along.y), sign(along.x)];
    let decided = [sign(area), tied[0], tied[1]];
    (decided.into_iter().find(|s| *s != 0).unwrap_or(0), area)
}
