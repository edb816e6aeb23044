//! The preconditioner of the fast path: 3×3 block-Jacobi on the grid itself plus one V(1,1) cycle
//! on Galerkin coarse grids.
//!
//! ```text
//! z = D⁻¹ r + P V(Pᵀ r)
//! ```
//!
//! Coarse operators hold mass and the links to neighbours; bending is left out (its share in
//! smooth motion is small, and bending on a diagonal without its off-diagonals acts as mass).
//! Held nodes do not move, so they take part in no coarse motion: their links become anchors.

use super::coarse::{Blocks, DIRECTIONS, coarsen, coarsened};
use super::layout::{LANES, Layout, MARGIN, load, store};
use super::operator::LatticeOperator;
use super::symmetric::{self, PARTS};
use crate::par;

/// Damping of the smoother.
const OMEGA: f32 = 0.7;
/// A level with no more nodes than this is solved directly.
const DIRECT_NODES: usize = 40;
/// Rows one task handles.
const ROW_GRAIN: usize = 16;

/// One coarse level, ready to be applied.
#[derive(Clone, Debug)]
struct Level {
    blocks: Blocks,
    layout: Layout,
    anchors: Vec<f32>,
    links: [Vec<f32>; 4],
    inverse: Vec<f32>,
    rhs: Vec<f32>,
    x: Vec<f32>,
    residual: Vec<f32>,
}

/// The multilevel preconditioner of one grid.
#[derive(Clone, Debug)]
pub struct Multilevel {
    fine: Blocks,
    cells: Vec<[symmetric::Symmetric; 6]>,
    levels: Vec<Level>,
    direct: Dense,
}

impl Multilevel {
    /// Levels for a grid of this layout; none where the grid is small.
    pub fn new(layout: &Layout) -> Self {
        let mut levels = Vec::new();
        let (mut columns, mut rows) = (layout.columns, layout.rows);
        while columns * rows > DIRECT_NODES && columns.min(rows) > 2 {
            (columns, rows) = (coarsened(columns), coarsened(rows));
            levels.push(Level::new(columns, rows));
        }
        Self {
            fine: Blocks::new(layout.columns, layout.rows),
            cells: Vec::new(),
            levels,
            direct: Dense::default(),
        }
    }

    /// Rebuilds the levels from the operator; `held(column, row)` nodes cannot move.
    pub fn refresh(
        &mut self,
        operator: &LatticeOperator,
        held: &(impl Fn(usize, usize) -> bool + Sync),
    ) {
        if self.levels.is_empty() {
            return;
        }
        fill_fine(&mut self.fine, operator, held);
        let mut finer = &self.fine;
        for level in &mut self.levels {
            coarsen(finer, &mut self.cells, &mut level.blocks);
            level.refresh();
            finer = &level.blocks;
        }
        self.direct.factor(finer);
    }

    /// Adds the coarse correction of `r` to `z`; both in the grid's layout.
    pub fn add_correction(&mut self, fine: &Layout, r: &[f32], z: &mut [f32]) {
        let Some(first) = self.levels.first_mut() else {
            return;
        };
        restrict(fine, r, &first.layout, &mut first.rhs);
        cycle(&mut self.levels, &mut self.direct);
        let first = &self.levels[0];
        prolong(&first.layout, &first.x, fine, z);
    }
}

/// The grid's own anchors and links: links to held nodes hold, links between held nodes vanish.
fn fill_fine(
    blocks: &mut Blocks,
    operator: &LatticeOperator,
    held: &(impl Fn(usize, usize) -> bool + Sync),
) {
    let (columns, rows) = (blocks.columns as isize, blocks.rows as isize);
    blocks.fill(&|column, row| {
        let mut node = [[0.0; 8]; 5];
        if held(column, row) {
            return node;
        }
        let mass = operator.mass(column, row);
        node[0] = symmetric::outer([0.0; 3], mass);
        for (direction, &(du, dv)) in DIRECTIONS.iter().enumerate() {
            for sign in [1, -1] {
                let (u, v) = (column as isize + sign * du, row as isize + sign * dv);
                if !(0..columns).contains(&u) || !(0..rows).contains(&v) {
                    continue;
                }
                let (u, v) = (u as usize, v as usize);
                let start = if sign == 1 { (column, row) } else { (u, v) };
                if sign == -1 && !held(u, v) {
                    continue;
                }
                let link = operator.link(direction, start.0, start.1);
                let block = symmetric::outer(link.q, link.c);
                let place = if held(u, v) { 0 } else { 1 + direction };
                symmetric::add(&mut node[place], 1.0, &block);
            }
        }
        node
    });
}

impl Level {
    fn new(columns: usize, rows: usize) -> Self {
        let layout = Layout::new(columns, rows);
        Self {
            blocks: Blocks::new(columns, rows),
            layout,
            anchors: vec![0.0; layout.len(PARTS)],
            links: std::array::from_fn(|_| vec![0.0; layout.len(PARTS)]),
            inverse: vec![0.0; layout.len(PARTS)],
            rhs: vec![0.0; layout.len(3)],
            x: vec![0.0; layout.len(3)],
            residual: vec![0.0; layout.len(3)],
        }
    }

    /// Spreads the blocks out for eight columns at a time, and inverts the diagonal.
    fn refresh(&mut self) {
        let Self {
            blocks,
            layout,
            anchors,
            links,
            inverse,
            ..
        } = self;
        let stride = layout.stride;
        for row in 0..layout.rows {
            for column in 0..layout.columns {
                let at = layout.place(PARTS, column, row);
                let anchor = blocks.anchor(column, row);
                let mut diagonal = *anchor;
                for part in 0..PARTS {
                    anchors[at + part * stride] = anchor[part];
                }
                for (direction, &(du, dv)) in DIRECTIONS.iter().enumerate() {
                    let link = blocks.link(direction, column, row);
                    symmetric::add(&mut diagonal, 1.0, link);
                    for part in 0..PARTS {
                        links[direction][at + part * stride] = link[part];
                    }
                    let (u, v) = (column as isize - du, row as isize - dv);
                    if u >= 0 && (u as usize) < layout.columns && v >= 0 {
                        let incoming = blocks.link(direction, u as usize, v as usize);
                        symmetric::add(&mut diagonal, 1.0, incoming);
                    }
                }
                let parts = std::array::from_fn(|part| diagonal[part]);
                for (part, value) in symmetric::inverse(&parts).into_iter().enumerate() {
                    inverse[at + part * stride] = value;
                }
            }
        }
    }

    /// `x = ω D⁻¹ rhs`.
    fn smooth_from_zero(&mut self) {
        let Self {
            layout,
            inverse,
            rhs,
            x,
            ..
        } = self;
        for_each_group(layout, x, &|row, at, out| {
            let r =
                [0, 1, 2].map(|k| load(rhs, layout.row_start(3, row, 0) + k * layout.stride + at));
            let scaled = scaled_inverse(layout, inverse, row, at, &r);
            for (k, lanes) in scaled.into_iter().enumerate() {
                store(out, k * layout.stride + at, lanes);
            }
        });
    }

    /// `residual = rhs − A x`.
    fn find_residual(&mut self) {
        let Self {
            layout,
            anchors,
            links,
            rhs,
            x,
            residual,
            ..
        } = self;
        let stride = layout.stride;
        for_each_group(layout, residual, &|row, at, out| {
            let own = layout.row_start(3, row, 0) + at;
            let here = [0, 1, 2].map(|k| load(x, own + k * stride));
            let anchor_at = layout.row_start(PARTS, row, 0) + at;
            let load_block = |data: &[f32], from: usize| {
                [0, 1, 2, 3, 4, 5].map(|part| load(data, from + part * stride))
            };
            let mut sum = symmetric::multiply(&load_block(anchors, anchor_at), &here);
            for (&(du, dv), links) in DIRECTIONS.iter().zip(&*links) {
                for sign in [1, -1] {
                    let there = layout.row_start(3, row, sign * dv) + at;
                    let there = (there as isize + sign * du) as usize;
                    let (lu, lv) = if sign == 1 { (0, 0) } else { (-du, -dv) };
                    let link_at = layout.row_start(PARTS, row, lv) + at;
                    let link_at = (link_at as isize + lu) as usize;
                    let other = [0, 1, 2].map(|k| load(x, there + k * stride));
                    let difference =
                        std::array::from_fn(|c| std::array::from_fn(|k| here[c][k] - other[c][k]));
                    let pull = symmetric::multiply(&load_block(links, link_at), &difference);
                    for c in 0..3 {
                        for k in 0..LANES {
                            sum[c][k] += pull[c][k];
                        }
                    }
                }
            }
            for (c, sum) in sum.into_iter().enumerate() {
                let r = load(rhs, own + c * stride);
                store(out, c * stride + at, std::array::from_fn(|k| r[k] - sum[k]));
            }
        });
    }

    /// `x += ω D⁻¹ residual`.
    fn smooth(&mut self) {
        let Self {
            layout,
            inverse,
            x,
            residual,
            ..
        } = self;
        for_each_group(layout, x, &|row, at, out| {
            let start = layout.row_start(3, row, 0) + at;
            let r = [0, 1, 2].map(|k| load(residual, start + k * layout.stride));
            let scaled = scaled_inverse(layout, inverse, row, at, &r);
            for (c, change) in scaled.into_iter().enumerate() {
                let place = c * layout.stride + at;
                let x = load(out, place);
                store(out, place, std::array::from_fn(|k| x[k] + change[k]));
            }
        });
    }
}

/// Calls `f(row, place of the group within a component, the row's three components)`.
fn for_each_group(
    layout: &Layout,
    out: &mut [f32],
    f: &(impl Fn(usize, usize, &mut [f32]) + Sync),
) {
    let body = layout.row_start(3, 0, 0)..layout.row_start(3, layout.rows, 0);
    par::for_each_row(&mut out[body], 3 * layout.stride, ROW_GRAIN, &|row, out| {
        for group in 0..layout.groups() {
            f(row, MARGIN + LANES * group, out);
        }
    });
}

/// `ω D⁻¹ r` for one group.
#[inline(always)]
fn scaled_inverse(
    layout: &Layout,
    inverse: &[f32],
    row: usize,
    at: usize,
    r: &[[f32; LANES]; 3],
) -> [[f32; LANES]; 3] {
    let start = layout.row_start(PARTS, row, 0) + at;
    let blocks = [0, 1, 2, 3, 4, 5].map(|part| load(inverse, start + part * layout.stride));
    symmetric::multiply(&blocks, r).map(|lanes| lanes.map(|value| OMEGA * value))
}

/// One V(1,1) cycle: the answer to the first level's right-hand side, from zero.
fn cycle(levels: &mut [Level], direct: &mut Dense) {
    let [level, coarser @ ..] = levels else {
        return;
    };
    let Some(next) = coarser.first_mut() else {
        direct.solve(&level.layout, &level.rhs, &mut level.x);
        return;
    };
    level.smooth_from_zero();
    level.find_residual();
    restrict(&level.layout, &level.residual, &next.layout, &mut next.rhs);
    cycle(coarser, direct);
    prolong(
        &coarser[0].layout,
        &coarser[0].x,
        &level.layout,
        &mut level.x,
    );
    level.find_residual();
    level.smooth();
}

/// `coarse = Pᵀ fine`.
fn restrict(fine_layout: &Layout, fine: &[f32], layout: &Layout, coarse: &mut [f32]) {
    let body = layout.row_start(3, 0, 0)..layout.row_start(3, layout.rows, 0);
    par::for_each_row(
        &mut coarse[body],
        3 * layout.stride,
        ROW_GRAIN,
        &|row, out| {
            for component in 0..3 {
                // The last coarse row may lie just outside the fine grid; the margin is zero.
                let [low, own, high] = [-1, 0, 1].map(|down| {
                    let start = fine_layout.row_start(3, 2 * row, down);
                    let start = start + component * fine_layout.stride + MARGIN - 1;
                    &fine[start..start + 2 * layout.columns + 1]
                });
                let start = component * layout.stride + MARGIN;
                let out = &mut out[start..start + layout.columns];
                for (k, value) in out.iter_mut().enumerate() {
                    let at = |j: usize| own[j] + 0.5 * (low[j] + high[j]);
                    *value = at(2 * k + 1) + 0.5 * (at(2 * k) + at(2 * k + 2));
                }
            }
        },
    );
}

/// `fine += P coarse`.
fn prolong(layout: &Layout, coarse: &[f32], fine_layout: &Layout, fine: &mut [f32]) {
    let body = fine_layout.row_start(3, 0, 0)..fine_layout.row_start(3, fine_layout.rows, 0);
    let columns = fine_layout.columns;
    par::for_each_row(
        &mut fine[body],
        3 * fine_layout.stride,
        ROW_GRAIN,
        &|row, out| {
            for component in 0..3 {
                let offset = component * layout.stride + MARGIN;
                let [low, high] = [row / 2, row.div_ceil(2)].map(|coarse_row| {
                    let start = layout.row_start(3, coarse_row, 0) + offset;
                    &coarse[start..start + layout.columns]
                });
                let start = component * fine_layout.stride + MARGIN;
                let out = &mut out[start..start + columns];
                let at = |k: usize| 0.5 * (low[k] + high[k]);
                let mut pairs = out.chunks_exact_mut(2);
                let mut k = 0;
                for pair in &mut pairs {
                    let (here, next) = (at(k), at(k + 1));
                    pair[0] += here;
                    pair[1] += 0.5 * (here + next);
                    k += 1;
                }
                if let [last] = pairs.into_remainder() {
                    *last += at(k);
                }
            }
        },
    );
}

/// Dense Cholesky factor of the coarsest level.
#[derive(Clone, Debug, Default)]
struct Dense {
    size: usize,
    factor: Vec<f32>,
    solution: Vec<f32>,
}

impl Dense {
    fn factor(&mut self, blocks: &Blocks) {
        let n = 3 * blocks.columns * blocks.rows;
        self.size = n;
        self.factor.clear();
        self.factor.resize(n * n, 0.0);
        self.solution.resize(n, 0.0);
        let node = |column: usize, row: usize| 3 * (row * blocks.columns + column);
        for row in 0..blocks.rows {
            for column in 0..blocks.columns {
                let i = node(column, row);
                self.add(i, i, 1.0, blocks.anchor(column, row));
                for (direction, &(du, dv)) in DIRECTIONS.iter().enumerate() {
                    let (u, v) = (column as isize + du, row as isize + dv);
                    if u < 0 || u as usize >= blocks.columns || v as usize >= blocks.rows {
                        continue;
                    }
                    let j = node(u as usize, v as usize);
                    let link = blocks.link(direction, column, row);
                    self.add(i, i, 1.0, link);
                    self.add(j, j, 1.0, link);
                    self.add(j, i, -1.0, link);
                }
            }
        }
        self.cholesky();
    }

    /// Adds a block to the lower triangle.
    fn add(&mut self, i: usize, j: usize, factor: f32, block: &symmetric::Symmetric) {
        const PLACE: [[usize; 3]; 3] = [[0, 1, 2], [1, 3, 4], [2, 4, 5]];
        for (r, places) in PLACE.iter().enumerate() {
            for (c, &part) in places.iter().enumerate() {
                self.factor[(i + r) * self.size + j + c] += factor * block[part];
            }
        }
    }

    fn cholesky(&mut self) {
        let n = self.size;
        for i in 0..n {
            let (done, rest) = self.factor.split_at_mut(i * n);
            let row = &mut rest[..n];
            for j in 0..i {
                let other = &done[j * n..j * n + n];
                let sum = dot(&row[..j], &other[..j]);
                row[j] = (row[j] - sum) * other[j];
            }
            let pivot = row[i] - dot(&row[..i], &row[..i]);
            // A node without free support has no stiffness and must not move.
            row[i] = if pivot > 0.0 { 1.0 / pivot.sqrt() } else { 0.0 };
        }
    }

    /// `x = A⁻¹ rhs`; the factor holds inverted pivots.
    fn solve(&mut self, layout: &Layout, rhs: &[f32], x: &mut [f32]) {
        let n = self.size;
        let place = |i: usize| {
            let node = i / 3;
            let at = layout.place(3, node % layout.columns, node / layout.columns);
            at + (i % 3) * layout.stride
        };
        for i in 0..n {
            let row = &self.factor[i * n..i * n + n];
            let sum = dot(&row[..i], &self.solution[..i]);
            self.solution[i] = (rhs[place(i)] - sum) * row[i];
        }
        for i in (0..n).rev() {
            let row = &self.factor[i * n..i * n + n];
            let value = self.solution[i] * row[i];
            self.solution[i] = value;
            x[place(i)] = value;
            for (s, l) in self.solution[..i].iter_mut().zip(row) {
                *s -= l * value;
            }
        }
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0_f32; LANES];
    let (a_groups, b_groups) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let tail: f32 = a_groups
        .remainder()
        .iter()
        .zip(b_groups.remainder())
        .map(|(x, y)| x * y)
        .sum();
    for (x, y) in a_groups.zip(b_groups) {
        for k in 0..LANES {
            lanes[k] += x[k] * y[k];
        }
    }
    lanes.iter().sum::<f32>() + tail
}
