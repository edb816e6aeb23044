//! `A = M + Σ links (e_i − e_j)(e_i − e_j)ᵀ ⊗ (c I + q qᵀ)` on a grid, without a matrix.

use super::layout::{LANES, Layout, MARGIN, Row, RowMut, cut};
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

/// One row of links: the parts of each column's block. Rows are padded to a multiple of
/// [`LANES`], with zeros.
pub struct LinkRow<'a> {
    /// The components of `q`.
    pub q: [&'a mut [f32]; 3],
    /// The isotropic parts.
    pub c: &'a mut [f32],
}

/// Which parts of a row's blocks are not zero throughout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// `q qᵀ` alone.
    Axial,
    /// Both.
    AxialAndIsotropic,
}

/// Numbers stored for a link.
const PER_LINK: usize = 4;

/// Rows one task multiplies.
const ROW_GRAIN: usize = 12;

/// The links of one direction.
#[derive(Clone, Debug)]
struct Links {
    data: Vec<f32>,
    /// Whether any of them has an isotropic part.
    isotropic: bool,
}

/// The matrix-free operator of one grid.
#[derive(Clone, Debug)]
pub struct LatticeOperator {
    layout: Layout,
    mass: Vec<f32>,
    links: Vec<Links>,
    /// Further diagonal blocks, or nothing.
    extra: Vec<f32>,
    /// Blocks that only what inverts the operator knows of, or nothing.
    barriers: Vec<f32>,
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
            links: vec![
                Links {
                    data: vec![0.0; layout.len(PER_LINK)],
                    isotropic: false,
                };
                DIRECTIONS.len()
            ],
            extra: Vec::new(),
            barriers: Vec::new(),
            inverse: vec![0.0; layout.len(symmetric::PARTS)],
        }
    }

    /// Its layout.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Rewrites the links of every direction that has an array `aside`, with a row for each of the
    /// grid's, that is filled along with them: `fill(direction, row, links, aside)` for every row
    /// from which links leave. Returns the sum of the numbers that it gives. The diagonal must be
    /// refreshed afterwards.
    pub fn fill_links(
        &mut self,
        aside: [Option<&mut [f64]>; DIRECTIONS.len()],
        fill: &(impl Fn(usize, usize, LinkRow<'_>, &mut [f64]) -> (f64, Parts) + Sync),
    ) -> f64 {
        let layout = self.layout;
        let (mut directions, mut arrays) = (Vec::new(), Vec::new());
        for (direction, (links, aside)) in self.links.iter_mut().zip(aside).enumerate() {
            if let Some(aside) = aside {
                directions.push(direction);
                arrays.push((&mut links.data[layout.body(PER_LINK)], aside));
            }
        }
        let Some((_, aside)) = arrays.first() else {
            return 0.0;
        };
        let widths = (PER_LINK * layout.stride, aside.len() / layout.rows);
        // Close together: what another thread wrote is slow to read.
        let count = directions.len();
        let mut given = vec![(0.0, Parts::Axial); count * layout.rows];
        par::map_rows_of_pairs(
            arrays,
            widths,
            ROW_GRAIN,
            &mut given,
            |k, row, data, aside| {
                let direction = directions[k];
                if row + DIRECTIONS[direction].1 as usize >= layout.rows {
                    return (0.0, Parts::Axial);
                }
                let mut planes = data.chunks_exact_mut(layout.stride);
                let width = LANES * layout.groups();
                let mut plane = || &mut planes.next().unwrap_or_default()[MARGIN..][..width];
                let links = LinkRow {
                    q: [plane(), plane(), plane()],
                    c: plane(),
                };
                fill(direction, row, links, aside)
            },
        );
        let mut total = 0.0;
        for (k, direction) in directions.into_iter().enumerate() {
            let rows = || given.iter().skip(k).step_by(count);
            self.links[direction].isotropic = rows().any(|row| row.1 == Parts::AxialAndIsotropic);
            total += rows().map(|row| row.0).sum::<f64>();
        }
        total
    }

    /// Takes new coefficients of one direction: `coefficients(column, row)` for every link that
    /// exists. The diagonal must be refreshed afterwards.
    pub fn set_links(
        &mut self,
        direction: usize,
        coefficients: &(impl Fn(usize, usize) -> LinkCoefficients + Sync),
    ) {
        let (du, _) = DIRECTIONS[direction];
        let first = du.min(0).unsigned_abs();
        let last = self.layout.columns.saturating_sub(du.max(0) as usize);
        let mut nothing = vec![0.0; self.layout.rows];
        let mut aside = [const { None }; DIRECTIONS.len()];
        aside[direction] = Some(nothing.as_mut_slice());
        self.fill_links(aside, &|_, row, mut links, _| {
            for column in first..last {
                let LinkCoefficients { q, c } = coefficients(column, row);
                for (plane, part) in links.q.iter_mut().zip(q) {
                    plane[column] = part;
                }
                links.c[column] = c;
            }
            (0.0, Parts::AxialAndIsotropic)
        });
    }

    /// Adds symmetric positive semidefinite blocks `[xx, xy, xz, yy, yz, zz]` to the diagonal,
    /// replacing earlier ones; `None` for nothing. The diagonal must be refreshed afterwards.
    pub fn set_extra_diagonal(&mut self, block: Option<&dyn Fn(usize, usize) -> [f32; 6]>) {
        set_blocks(&self.layout, &mut self.extra, block);
    }

    /// Sets blocks that count in the inverse diagonal and in coarser levels, but in no product: the
    /// stiffness of directions that a filter holds. The diagonal must be refreshed afterwards.
    pub fn set_barriers(&mut self, block: Option<&dyn Fn(usize, usize) -> [f32; 6]>) {
        set_blocks(&self.layout, &mut self.barriers, block);
    }

    /// Whether nothing else ties the nodes to the ground.
    pub(super) fn has_only_masses(&self) -> bool {
        self.extra.is_empty() && self.barriers.is_empty()
    }

    /// Masses, further diagonal blocks and barriers of a group of nodes, part by part.
    pub(super) fn anchors(&self, row: usize, group: usize) -> [[f32; LANES]; symmetric::PARTS] {
        let [mass] = self.layout.rows(&self.mass, row, (0, 0));
        let (m, none) = (mass[group], [0.0; LANES]);
        let mut anchors = [m, none, none, m, none, m];
        for blocks in [&self.extra, &self.barriers] {
            if blocks.is_empty() {
                continue;
            }
            let blocks = self
                .layout
                .rows::<{ symmetric::PARTS }>(blocks, row, (0, 0));
            for (sum, block) in anchors.iter_mut().zip(blocks) {
                for k in 0..LANES {
                    sum[k] += block[group][k];
                }
            }
        }
        anchors
    }

    /// The links leaving the nodes `shift` away from a row.
    pub(super) fn link_rows(
        &self,
        direction: usize,
        row: usize,
        shift: (isize, isize),
    ) -> [Row<'_>; PER_LINK] {
        self.layout.rows(&self.links[direction].data, row, shift)
    }

    /// The coefficients of the link leaving `(column, row)` in `direction`.
    pub fn link(&self, direction: usize, column: usize, row: usize) -> LinkCoefficients {
        let at = self.layout.place(PER_LINK, column, row);
        let part = |k: usize| self.links[direction].data[at + k * self.layout.stride];
        LinkCoefficients {
            q: [part(0), part(1), part(2)],
            c: part(3),
        }
    }

    /// Recomputes the inverse diagonal blocks from masses and links.
    pub fn refresh_diagonal(&mut self) {
        let layout = self.layout;
        let mut inverse = std::mem::take(&mut self.inverse);
        let width = symmetric::PARTS * layout.stride;
        let body = layout.body(symmetric::PARTS);
        let operator = &*self;
        par::for_each_row(&mut inverse[body], width, ROW_GRAIN, move |row, out| {
            let mut blocks = layout.parts_mut(out);
            for group in 0..layout.groups() {
                symmetric::store(&mut blocks, group, &operator.anchors(row, group));
            }
            for (direction, &(du, dv)) in DIRECTIONS.iter().enumerate() {
                let ends =
                    [(0, 0), (-du, -dv)].map(|shift| operator.link_rows(direction, row, shift));
                add_to_diagonal(&ends, &mut blocks);
            }
            for group in 0..layout.groups() {
                let inverse = symmetric::inverse(&symmetric::load(&blocks, group));
                symmetric::store(&mut blocks, group, &inverse);
            }
        });
        self.inverse = inverse;
    }

    /// One row of `z = D⁻¹ r` with the 3×3 diagonal blocks.
    pub(super) fn inverse_diagonal_row(&self, r: &[f32], row: usize, out: &mut [f32]) {
        let layout = self.layout;
        let groups = layout.groups();
        let r = cut(&layout.rows::<3>(r, row, (0, 0)), groups);
        let inverse = layout.rows::<{ symmetric::PARTS }>(&self.inverse, row, (0, 0));
        let inverse = cut(&inverse, groups);
        let (x, y, z) = layout.rows_mut(out);
        let (x, y, z) = (&mut x[..groups], &mut y[..groups], &mut z[..groups]);
        for g in 0..groups {
            let blocks = std::array::from_fn(|k| inverse[k][g]);
            [x[g], y[g], z[g]] = symmetric::multiply(&blocks, &[r[0][g], r[1][g], r[2][g]]);
        }
    }

    /// One row of `y = A x`.
    fn apply_row(&self, x: &[f32], row: usize, out: &mut [f32]) {
        let layout = self.layout;
        let groups = layout.groups();
        let here = cut(&layout.rows::<3>(x, row, (0, 0)), groups);
        let [m] = cut(&layout.rows(&self.mass, row, (0, 0)), groups);
        let (sum_x, sum_y, sum_z) = layout.rows_mut(out);
        let mut sum = [
            &mut sum_x[..groups],
            &mut sum_y[..groups],
            &mut sum_z[..groups],
        ];
        for g in 0..groups {
            for k in 0..LANES {
                sum[0][g][k] = m[g][k] * here[0][g][k];
                sum[1][g][k] = m[g][k] * here[1][g][k];
                sum[2][g][k] = m[g][k] * here[2][g][k];
            }
        }
        if !self.extra.is_empty() {
            let extra = layout.rows::<{ symmetric::PARTS }>(&self.extra, row, (0, 0));
            for g in 0..groups {
                let blocks = std::array::from_fn(|part| extra[part][g]);
                let x = [here[0][g], here[1][g], here[2][g]];
                for (sum, pull) in sum.iter_mut().zip(symmetric::multiply(&blocks, &x)) {
                    for k in 0..LANES {
                        sum[g][k] += pull[k];
                    }
                }
            }
        }
        for (links, &(du, dv)) in self.links.iter().zip(&DIRECTIONS) {
            let end = |link_at, node_at| End {
                there: layout.rows(x, row, node_at),
                links: layout.rows(&links.data, row, link_at),
            };
            let ends = [end((0, 0), (du, dv)), end((-du, -dv), (-du, -dv))];
            if links.isotropic {
                add_links::<true>(&mut sum, &here, &ends);
            } else {
                add_links::<false>(&mut sum, &here, &ends);
            }
        }
    }
}

/// Adds the blocks of a row's links of one direction, to both sides.
fn add_to_diagonal(ends: &[[Row<'_>; PER_LINK]; 2], blocks: &mut [RowMut<'_>; symmetric::PARTS]) {
    let groups = blocks[0].len();
    let ends = [cut(&ends[0], groups), cut(&ends[1], groups)];
    for group in 0..groups {
        let mut sum = symmetric::load(blocks, group);
        for [x, y, z, c] in &ends {
            let (x, y, z, c) = (x[group], y[group], z[group], c[group]);
            for k in 0..LANES {
                sum[0][k] += x[k] * x[k] + c[k];
                sum[1][k] += x[k] * y[k];
                sum[2][k] += x[k] * z[k];
                sum[3][k] += y[k] * y[k] + c[k];
                sum[4][k] += y[k] * z[k];
                sum[5][k] += z[k] * z[k] + c[k];
            }
        }
        symmetric::store(blocks, group, &sum);
    }
}

/// A row's links of one direction, to one side.
struct End<'a> {
    there: [Row<'a>; 3],
    links: [Row<'a>; PER_LINK],
}

impl<'a> End<'a> {
    /// Cut to one known length.
    #[inline(always)]
    fn cut(&self, groups: usize) -> ([Row<'a>; 3], [Row<'a>; PER_LINK]) {
        (cut(&self.there, groups), cut(&self.links, groups))
    }
}

/// `sum += (c I + q qᵀ)(x_here − x_there)` for the links of a row to both sides, eight columns at
/// a time; the part with `c` only if there is one.
#[inline]
fn add_links<const ISOTROPIC: bool>(
    [sum_x, sum_y, sum_z]: &mut [RowMut<'_>; 3],
    here: &[Row<'_>; 3],
    ends: &[End<'_>; 2],
) {
    let groups = here[0].len();
    let [here_x, here_y, here_z] = cut(here, groups);
    let ends = [ends[0].cut(groups), ends[1].cut(groups)];
    let (sum_x, sum_y) = (&mut sum_x[..groups], &mut sum_y[..groups]);
    let sum_z = &mut sum_z[..groups];
    for g in 0..groups {
        let (here_x, here_y, here_z) = (here_x[g], here_y[g], here_z[g]);
        let (mut x, mut y, mut z) = (sum_x[g], sum_y[g], sum_z[g]);
        for ([there_x, there_y, there_z], [qx, qy, qz, c]) in &ends {
            let (mut dx, mut dy, mut dz) = (there_x[g], there_y[g], there_z[g]);
            let (qx, qy, qz) = (qx[g], qy[g], qz[g]);
            let mut along = [0.0; LANES];
            for k in 0..LANES {
                dx[k] = here_x[k] - dx[k];
                dy[k] = here_y[k] - dy[k];
                dz[k] = here_z[k] - dz[k];
                along[k] = qz[k].mul_add(dz[k], qy[k].mul_add(dy[k], qx[k] * dx[k]));
            }
            for k in 0..LANES {
                x[k] = qx[k].mul_add(along[k], x[k]);
                y[k] = qy[k].mul_add(along[k], y[k]);
                z[k] = qz[k].mul_add(along[k], z[k]);
            }
            if ISOTROPIC {
                let c = c[g];
                for k in 0..LANES {
                    x[k] = c[k].mul_add(dx[k], x[k]);
                    y[k] = c[k].mul_add(dy[k], y[k]);
                    z[k] = c[k].mul_add(dz[k], z[k]);
                }
            }
        }
        (sum_x[g], sum_y[g], sum_z[g]) = (x, y, z);
    }
}

/// Takes over a block a node; `None` for none at all.
fn set_blocks(
    layout: &Layout,
    blocks: &mut Vec<f32>,
    block: Option<&dyn Fn(usize, usize) -> [f32; 6]>,
) {
    let Some(block) = block else {
        return blocks.clear();
    };
    blocks.resize(layout.len(symmetric::PARTS), 0.0);
    for row in 0..layout.rows {
        for column in 0..layout.columns {
            let at = layout.place(symmetric::PARTS, column, row);
            for (part, value) in block(column, row).into_iter().enumerate() {
                blocks[at + part * layout.stride] = value;
            }
        }
    }
}

impl Operator<f32> for LatticeOperator {
    fn len(&self) -> usize {
        self.layout.len(3)
    }

    fn apply(&self, x: &[f32], y: &mut [f32]) {
        let layout = self.layout;
        par::for_each_row(
            &mut y[layout.body(3)],
            3 * layout.stride,
            ROW_GRAIN,
            move |row, out| {
                self.apply_row(x, row, out);
            },
        );
    }

    fn apply_dot(&self, x: &[f32], y: &mut [f32]) -> f64 {
        let layout = self.layout;
        par::sum_rows(
            &mut y[layout.body(3)],
            3 * layout.stride,
            ROW_GRAIN,
            move |row, out| {
                self.apply_row(x, row, out);
                par::dot_here(layout.whole_row(x, row), out)
            },
        )
    }
}
