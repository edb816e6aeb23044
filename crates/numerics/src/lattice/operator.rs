//! `A = M + Σ links (e_i − e_j)(e_i − e_j)ᵀ ⊗ (c I + q qᵀ)` on a grid, without a matrix.

use super::layout::{LANES, Layout, load, store};
use super::symmetric;
use crate::operator::Operator;
use crate::par;

/// Links leave each node in these eight directions (columns, rows): four to neighbours, four to
/// the nodes two cells away. The opposite directions belong to the other ends.
pub const DIRECTIONS: [(isize, isize); 8] = [
    (1, 0),
    (0, 1),
    (1, 1),
    (-1, 1),
    (2, 0),
    (0, 2),
    (2, 2),
    (-2, 2),
];

/// A link's block `c I + q qᵀ`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkCoefficients {
    /// The axial part's root.
    pub q: [f32; 3],
    /// The isotropic part.
    pub c: f32,
}

/// Numbers stored for a link.
const PER_LINK: usize = 4;

/// Rows one task multiplies.
const ROW_GRAIN: usize = 16;

/// The matrix-free operator of one grid.
#[derive(Clone, Debug)]
pub struct LatticeOperator {
    layout: Layout,
    mass: Vec<f32>,
    links: Vec<Vec<f32>>,
    /// Inverse diagonal blocks.
    inverse: Vec<f32>,
}

impl LatticeOperator {
    /// An operator for a grid with the given masses, without links yet.
    pub fn new(columns: usize, rows: usize, masses: impl Fn(usize, usize) -> f64) -> Self {
        let layout = Layout::new(columns, rows);
        let mut mass = vec![0.0; layout.len(1)];
        for row in 0..rows {
            for column in 0..columns {
                mass[layout.place(1, column, row)] = masses(column, row) as f32;
            }
        }
        Self {
            layout,
            mass,
            links: vec![vec![0.0; layout.len(PER_LINK)]; DIRECTIONS.len()],
            inverse: vec![0.0; layout.len(symmetric::PARTS)],
        }
    }

    /// Its layout.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Takes new coefficients: `coefficients(direction, column, row)` for every link that exists,
    /// and refreshes the diagonal.
    pub fn set_links(
        &mut self,
        coefficients: &(impl Fn(usize, usize, usize) -> LinkCoefficients + Sync),
    ) {
        let layout = self.layout;
        for (direction, links) in self.links.iter_mut().enumerate() {
            let (du, dv) = DIRECTIONS[direction];
            let down = dv as usize;
            let first = du.min(0).unsigned_abs();
            let last = layout.columns.saturating_sub(du.max(0) as usize);
            let width = PER_LINK * layout.stride;
            let start = layout.row_start(PER_LINK, 0, 0);
            let end = layout.row_start(PER_LINK, layout.rows.saturating_sub(down), 0);
            par::for_each_row(&mut links[start..end], width, ROW_GRAIN, &|row, data| {
                for column in first..last {
                    let LinkCoefficients { q, c } = coefficients(direction, column, row);
                    let at = super::layout::MARGIN + column;
                    data[at] = q[0];
                    data[at + layout.stride] = q[1];
                    data[at + 2 * layout.stride] = q[2];
                    data[at + 3 * layout.stride] = c;
                }
            });
        }
        self.refresh_diagonal();
    }

    /// The coefficients of the link leaving `(column, row)` in `direction`.
    pub(super) fn link(&self, direction: usize, column: usize, row: usize) -> LinkCoefficients {
        let at = self.layout.place(PER_LINK, column, row);
        let part = |k: usize| self.links[direction][at + k * self.layout.stride];
        LinkCoefficients {
            q: [part(0), part(1), part(2)],
            c: part(3),
        }
    }

    /// Mass of a node.
    pub(super) fn mass(&self, column: usize, row: usize) -> f32 {
        self.mass[self.layout.place(1, column, row)]
    }

    fn refresh_diagonal(&mut self) {
        let layout = self.layout;
        let (mass, links) = (&self.mass, &self.links);
        let width = symmetric::PARTS * layout.stride;
        let start = layout.row_start(symmetric::PARTS, 0, 0);
        let end = layout.row_start(symmetric::PARTS, layout.rows, 0);
        let body = &mut self.inverse[start..end];
        par::for_each_row(body, width, ROW_GRAIN, &|row, out| {
            for group in 0..layout.groups() {
                let at = super::layout::MARGIN + LANES * group;
                let m = load(mass, layout.row_start(1, row, 0) + at);
                let mut diagonal = [m, [0.0; LANES], [0.0; LANES], m, [0.0; LANES], m];
                for (&(du, dv), links) in DIRECTIONS.iter().zip(links) {
                    for (du, dv) in [(0, 0), (-du, -dv)] {
                        let from = layout.row_start(PER_LINK, row, dv) + at;
                        let from = (from as isize + du) as usize;
                        let [x, y, z, c] =
                            [0, 1, 2, 3].map(|k| load(links, from + k * layout.stride));
                        for k in 0..LANES {
                            diagonal[0][k] += x[k] * x[k] + c[k];
                            diagonal[1][k] += x[k] * y[k];
                            diagonal[2][k] += x[k] * z[k];
                            diagonal[3][k] += y[k] * y[k] + c[k];
                            diagonal[4][k] += y[k] * z[k];
                            diagonal[5][k] += z[k] * z[k] + c[k];
                        }
                    }
                }
                for k in 0..LANES {
                    let inverse = symmetric::inverse(&diagonal.map(|part| part[k]));
                    for (part, value) in inverse.into_iter().enumerate() {
                        out[part * layout.stride + at + k] = value;
                    }
                }
            }
        });
    }

    /// `z = D⁻¹ r` with the 3×3 diagonal blocks.
    pub fn apply_inverse_diagonal(&self, r: &[f32], z: &mut [f32]) {
        let layout = self.layout;
        let width = 3 * layout.stride;
        let body = layout.row_start(3, 0, 0)..layout.row_start(3, layout.rows, 0);
        par::for_each_row(&mut z[body], width, ROW_GRAIN, &|row, out| {
            let r_start = layout.row_start(3, row, 0);
            let inverse_start = layout.row_start(symmetric::PARTS, row, 0);
            for group in 0..layout.groups() {
                let at = super::layout::MARGIN + LANES * group;
                let x = [0, 1, 2].map(|k| load(r, r_start + k * layout.stride + at));
                let a = [0, 1, 2, 3, 4, 5]
                    .map(|k| load(&self.inverse, inverse_start + k * layout.stride + at));
                for (k, lanes) in symmetric::multiply(&a, &x).into_iter().enumerate() {
                    store(out, k * layout.stride + at, lanes);
                }
            }
        });
    }

    /// One row of `y = A x`.
    fn apply_row(&self, x: &[f32], row: usize, out: &mut [f32]) {
        let layout = self.layout;
        let stride = layout.stride;
        let own = layout.row_start(3, row, 0);
        let mass = layout.row_start(1, row, 0);
        for group in 0..layout.groups() {
            let at = super::layout::MARGIN + LANES * group;
            let here = [0, 1, 2].map(|k| load(x, own + k * stride + at));
            let m = load(&self.mass, mass + at);
            let mut sum = here.map(|part| std::array::from_fn(|k| m[k] * part[k]));
            for (&(du, dv), links) in DIRECTIONS.iter().zip(&self.links) {
                let mine = layout.row_start(PER_LINK, row, 0) + at;
                let there = layout.row_start(3, row, dv) + at;
                let there = (there as isize + du) as usize;
                add_link(&mut sum, &here, (links, mine), (x, there), stride);
                let theirs = layout.row_start(PER_LINK, row, -dv) + at;
                let theirs = (theirs as isize - du) as usize;
                let there = layout.row_start(3, row, -dv) + at;
                let there = (there as isize - du) as usize;
                add_link(&mut sum, &here, (links, theirs), (x, there), stride);
            }
            for (k, lanes) in sum.into_iter().enumerate() {
                store(out, k * stride + at, lanes);
            }
        }
    }
}

/// `sum += (c I + q qᵀ)(x_here − x_there)`, eight links at once.
#[inline(always)]
fn add_link(
    sum: &mut [[f32; LANES]; 3],
    here: &[[f32; LANES]; 3],
    (links, link): (&[f32], usize),
    (x, there): (&[f32], usize),
    stride: usize,
) {
    let [qx, qy, qz, c] = [0, 1, 2, 3].map(|k| load(links, link + k * stride));
    let other = [0, 1, 2].map(|k| load(x, there + k * stride));
    for k in 0..LANES {
        let (dx, dy, dz) = (
            here[0][k] - other[0][k],
            here[1][k] - other[1][k],
            here[2][k] - other[2][k],
        );
        let along = qx[k] * dx + qy[k] * dy + qz[k] * dz;
        sum[0][k] += c[k] * dx + qx[k] * along;
        sum[1][k] += c[k] * dy + qy[k] * along;
        sum[2][k] += c[k] * dz + qz[k] * along;
    }
}

impl Operator<f32> for LatticeOperator {
    fn len(&self) -> usize {
        self.layout.len(3)
    }

    fn apply(&self, x: &[f32], y: &mut [f32]) {
        let layout = self.layout;
        let body = layout.row_start(3, 0, 0)..layout.row_start(3, layout.rows, 0);
        par::for_each_row(&mut y[body], 3 * layout.stride, ROW_GRAIN, &|row, out| {
            self.apply_row(x, row, out);
        });
    }
}
