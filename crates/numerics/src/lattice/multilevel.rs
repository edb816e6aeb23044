//! The preconditioner of the fast path: 3×3 block-Jacobi on the grid itself plus one V(1,1) cycle
//! on Galerkin coarse grids.
//!
//! ```text
//! z = D⁻¹ r + P V(Pᵀ r)
//! ```

use super::banded::Banded;
use super::coarse::{Cells, DIRECTIONS, Stencil, coarsen};
use super::fine::FineNodes;
use super::layout::{LANES, Layout, Row, RowMut, coarsened, cut};
use super::operator::LatticeOperator;
use super::symmetric::{self, PARTS};
use super::transfer::{prolong_row, restrict_row};
use crate::par;

/// Damping of the smoother.
const OMEGA: f32 = 0.7;
/// A level with no more nodes than this is solved directly.
pub(super) const DIRECT_NODES: usize = 32;
/// Rows one task handles.
const ROW_GRAIN: usize = 12;

/// One coarse level, ready to be applied.
#[derive(Clone, Debug)]
pub(super) struct Level {
    pub layout: Layout,
    pub stencil: Stencil,
    inverse: Vec<f32>,
    pub rhs: Vec<f32>,
    pub x: Vec<f32>,
    /// The residual on the way down, the next `x` on the way up.
    spare: Vec<f32>,
}

/// The multilevel preconditioner of one grid.
#[derive(Clone, Debug)]
pub struct Multilevel {
    fine: FineNodes,
    cells: Cells,
    levels: Vec<Level>,
    direct: Banded,
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
            fine: FineNodes::new(layout),
            cells: Cells::default(),
            levels,
            direct: Banded::default(),
        }
    }

    /// Rebuilds the levels from the operator; `held(column, row)` nodes cannot move.
    pub fn refresh(
        &mut self,
        operator: &LatticeOperator,
        held: &(impl Fn(usize, usize) -> bool + Sync),
    ) {
        let Self {
            fine,
            cells,
            levels,
            direct,
        } = self;
        let Some((first, coarser)) = levels.split_first_mut() else {
            return;
        };
        coarsen(&fine.refresh(operator, held), cells, &mut first.stencil);
        let mut finer = &first.stencil;
        for level in coarser {
            coarsen(finer, cells, &mut level.stencil);
            finer = &level.stencil;
        }
        if let Some((last, smoothed)) = levels.split_last_mut() {
            // Not beside each other: a thread would read all of the levels that the others wrote.
            smoothed.iter_mut().for_each(Level::refresh_inverse);
            direct.factor(&last.stencil);
        }
    }

    /// `z = D⁻¹ r + P V(Pᵀ r)`, both in the operator's layout; returns `rᵀz`.
    pub fn apply(&mut self, operator: &LatticeOperator, r: &[f32], z: &mut [f32]) -> f64 {
        let layout = operator.layout();
        cycle(&mut self.levels, &mut self.direct, layout, r);
        let first = self.levels.first();
        let width = 3 * layout.stride;
        par::sum_rows(&mut z[layout.body(3)], width, ROW_GRAIN, move |row, out| {
            operator.inverse_diagonal_row(r, row, out);
            if let Some(first) = first {
                prolong_row(&first.layout, &first.x, layout, row, out);
            }
            par::dot_here(layout.whole_row(r, row), out)
        })
    }
}

impl Level {
    pub fn new(columns: usize, rows: usize) -> Self {
        let stencil = Stencil::new(columns, rows);
        let layout = stencil.layout;
        Self {
            layout,
            stencil,
            inverse: vec![0.0; layout.len(PARTS)],
            rhs: vec![0.0; layout.len(3)],
            x: vec![0.0; layout.len(3)],
            spare: vec![0.0; layout.len(3)],
        }
    }

    /// Inverts the diagonal.
    pub fn refresh_inverse(&mut self) {
        let Self {
            layout,
            stencil,
            inverse,
            ..
        } = self;
        let (layout, stencil) = (&*layout, &*stencil);
        let width = PARTS * layout.stride;
        par::for_each_row(
            &mut inverse[layout.body(PARTS)],
            width,
            ROW_GRAIN,
            move |row, out| {
                let mut blocks = layout.parts_mut(out);
                add_blocks::<true>(&mut blocks, &layout.rows(&stencil.anchors, row, (0, 0)));
                for (&(du, dv), links) in DIRECTIONS.iter().zip(&stencil.links) {
                    for shift in [(0, 0), (-du, -dv)] {
                        add_blocks::<false>(&mut blocks, &layout.rows(links, row, shift));
                    }
                }
                for group in 0..layout.groups() {
                    let inverse = symmetric::inverse(&symmetric::load(&blocks, group));
                    symmetric::store(&mut blocks, group, &inverse);
                }
            },
        );
    }

    /// `rhs = Pᵀ fine`.
    fn restrict(&mut self, fine_layout: &Layout, fine: &[f32]) {
        let layout = &self.layout;
        for_each_row(layout, &mut self.rhs, move |row, out| {
            restrict_row(fine_layout, fine, layout, row, out);
        });
    }

    /// The same, and `x = ω D⁻¹ rhs`.
    fn restrict_and_smooth(&mut self, fine_layout: &Layout, fine: &[f32]) {
        let Self {
            layout,
            inverse,
            rhs,
            x,
            ..
        } = self;
        let (layout, inverse) = (&*layout, &inverse[..]);
        let arrays = (&mut rhs[layout.body(3)], &mut x[layout.body(3)]);
        let width = 3 * layout.stride;
        par::for_each_row_pair(arrays, (width, width), ROW_GRAIN, move |row, rhs, out| {
            restrict_row(fine_layout, fine, layout, row, rhs);
            let (x, y, z) = layout.rows_mut(rhs);
            let (out_x, out_y, out_z) = layout.rows_mut(out);
            let inverse = layout.rows(inverse, row, (0, 0));
            for g in 0..layout.groups() {
                let rhs = [x[g], y[g], z[g]];
                [out_x[g], out_y[g], out_z[g]] = smoothing(&inverse, g, &rhs);
            }
        });
    }

    /// `x = ω D⁻¹ rhs`.
    pub fn smooth_from_zero(&mut self) {
        let Self {
            layout,
            inverse,
            rhs,
            x,
            ..
        } = self;
        let (layout, inverse, rhs) = (&*layout, &inverse[..], &rhs[..]);
        for_each_row(layout, x, move |row, out| {
            let (out_x, out_y, out_z) = layout.rows_mut(out);
            let rhs = layout.rows::<3>(rhs, row, (0, 0));
            let inverse = layout.rows(inverse, row, (0, 0));
            for g in 0..layout.groups() {
                let rhs = [rhs[0][g], rhs[1][g], rhs[2][g]];
                [out_x[g], out_y[g], out_z[g]] = smoothing(&inverse, g, &rhs);
            }
        });
    }

    /// `x += P coarse`.
    fn add_correction(&mut self, coarse: &Level) {
        let layout = &self.layout;
        for_each_row(layout, &mut self.x, move |row, out| {
            prolong_row(&coarse.layout, &coarse.x, layout, row, out);
        });
    }

    /// `spare = rhs − A x`.
    fn find_residual(&mut self) {
        let mut spare = std::mem::take(&mut self.spare);
        let level = &*self;
        for_each_row(&level.layout, &mut spare, move |row, out| {
            level.residual_row(row, out);
        });
        self.spare = spare;
    }

    /// `x += ω D⁻¹ (rhs − A x)`.
    fn improve(&mut self) {
        let mut spare = std::mem::take(&mut self.spare);
        let level = &*self;
        let layout = &level.layout;
        for_each_row(layout, &mut spare, move |row, out| {
            level.residual_row(row, out);
            let (x, y, z) = layout.rows_mut(out);
            let here = layout.rows::<3>(&level.x, row, (0, 0));
            let inverse = layout.rows(&level.inverse, row, (0, 0));
            for g in 0..layout.groups() {
                let mut new = smoothing(&inverse, g, &[x[g], y[g], z[g]]);
                for (new, here) in new.iter_mut().zip(here) {
                    for k in 0..LANES {
                        new[k] += here[g][k];
                    }
                }
                [x[g], y[g], z[g]] = new;
            }
        });
        self.spare = std::mem::replace(&mut self.x, spare);
    }

    /// One row of `rhs − A x`.
    fn residual_row(&self, row: usize, out: &mut [f32]) {
        let (layout, x) = (&self.layout, &self.x);
        let Stencil { anchors, links, .. } = &self.stencil;
        let (out_x, out_y, out_z) = layout.rows_mut(out);
        let mut out = [out_x, out_y, out_z];
        let here = layout.rows(x, row, (0, 0));
        let rhs = layout.rows::<3>(&self.rhs, row, (0, 0));
        for (out, rhs) in out.iter_mut().zip(rhs) {
            out.copy_from_slice(rhs);
        }
        let anchors = layout.rows(anchors, row, (0, 0));
        subtract::<false>(&mut out, &here, &anchors, &here);
        for (&(du, dv), links) in DIRECTIONS.iter().zip(links) {
            for (link_at, node_at) in [((0, 0), (du, dv)), ((-du, -dv), (-du, -dv))] {
                let blocks = layout.rows(links, row, link_at);
                let there = layout.rows(x, row, node_at);
                subtract::<true>(&mut out, &here, &blocks, &there);
            }
        }
    }
}

/// Adds a row of blocks to another; the first replaces what was there.
fn add_blocks<const FIRST: bool>(sum: &mut [RowMut<'_>; PARTS], blocks: &[Row<'_>; PARTS]) {
    for (sum, blocks) in sum.iter_mut().zip(blocks) {
        for (sum, block) in sum.iter_mut().zip(*blocks) {
            for k in 0..LANES {
                sum[k] = if FIRST { block[k] } else { sum[k] + block[k] };
            }
        }
    }
}

/// Calls `f(row, its numbers)` for every row of a vector.
fn for_each_row(layout: &Layout, out: &mut [f32], f: impl Fn(usize, &mut [f32]) + Copy + Send) {
    par::for_each_row(&mut out[layout.body(3)], 3 * layout.stride, ROW_GRAIN, f);
}

/// `ω D⁻¹ r` of one group of nodes.
#[inline(always)]
fn smoothing(inverse: &[Row<'_>; PARTS], group: usize, r: &[[f32; LANES]; 3]) -> [[f32; LANES]; 3] {
    let blocks = std::array::from_fn(|part| inverse[part][group]);
    symmetric::multiply(&blocks, r).map(|part| part.map(|value| OMEGA * value))
}

/// `out −= B (here − there)` with a block a node, or `out −= B here` for anchors.
#[inline]
fn subtract<const LINK: bool>(
    [out_x, out_y, out_z]: &mut [RowMut<'_>; 3],
    here: &[Row<'_>; 3],
    blocks: &[Row<'_>; PARTS],
    there: &[Row<'_>; 3],
) {
    let groups = here[0].len();
    let [here_x, here_y, here_z] = cut(here, groups);
    let [there_x, there_y, there_z] = cut(there, groups);
    let blocks = cut(blocks, groups);
    let (out_x, out_y) = (&mut out_x[..groups], &mut out_y[..groups]);
    let out_z = &mut out_z[..groups];
    for g in 0..groups {
        let mut d = [here_x[g], here_y[g], here_z[g]];
        if LINK {
            let other = [there_x[g], there_y[g], there_z[g]];
            for c in 0..3 {
                for k in 0..LANES {
                    d[c][k] -= other[c][k];
                }
            }
        }
        let block = std::array::from_fn(|part| blocks[part][g]);
        let pull = symmetric::multiply(&block, &d);
        let mut new = [out_x[g], out_y[g], out_z[g]];
        for c in 0..3 {
            for k in 0..LANES {
                new[c][k] -= pull[c][k];
            }
        }
        [out_x[g], out_y[g], out_z[g]] = new;
    }
}

/// One V(1,1) cycle: the first level's answer to what the next finer one leaves, from zero.
fn cycle(levels: &mut [Level], direct: &mut Banded, finer: &Layout, residual: &[f32]) {
    match levels {
        [] => return,
        [last] => last.restrict(finer, residual),
        [level, ..] => level.restrict_and_smooth(finer, residual),
    }
    finish_cycle(levels, direct);
}

/// The rest of a cycle whose first level has its right-hand side and has been smoothed once.
pub(super) fn finish_cycle(levels: &mut [Level], direct: &mut Banded) {
    match levels {
        [] => {}
        [last] => direct.solve(&last.layout, &last.rhs, &mut last.x),
        [level, coarser @ ..] => {
            level.find_residual();
            cycle(coarser, direct, &level.layout, &level.spare);
            level.add_correction(&coarser[0]);
            level.improve();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::LinkCoefficients;
    use crate::operator::Operator;

    fn prolong(layout: &Layout, coarse: &[f32], fine_layout: &Layout, fine: &mut [f32]) {
        for_each_row(fine_layout, fine, |row, out| {
            prolong_row(layout, coarse, fine_layout, row, out);
        });
    }

    fn restrict(fine_layout: &Layout, fine: &[f32], layout: &Layout, coarse: &mut [f32]) {
        for_each_row(layout, coarse, |row, out| {
            restrict_row(fine_layout, fine, layout, row, out);
        });
    }

    /// Numbers between −1 and 1 that look random.
    fn noise(k: usize) -> f32 {
        let mixed = (k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((mixed ^ (mixed >> 29)) % 2000) as f32 / 1000.0 - 1.0
    }

    fn held(column: usize, row: usize) -> bool {
        (column == 0 && row < 2) || (column == 4 && row == 3)
    }

    /// A grid with random links to neighbours, and its levels.
    fn grid(columns: usize, rows: usize) -> (LatticeOperator, Multilevel) {
        let mut operator = LatticeOperator::new(columns, rows, |c, r| {
            0.5 + 0.1 * f64::from(noise(31 * c + r)).abs()
        });
        for direction in 0..4 {
            operator.set_links(direction, &|column, row| {
                let seed = 1000 * direction + 17 * column + 101 * row;
                LinkCoefficients {
                    q: [noise(seed), noise(seed + 7), noise(seed + 13)],
                    c: noise(seed + 19).abs(),
                }
            });
        }
        operator.refresh_diagonal();
        let mut levels = Multilevel::new(operator.layout());
        levels.refresh(&operator, &held);
        (operator, levels)
    }

    fn random(layout: &Layout) -> Vec<f32> {
        let mut vector = vec![0.0; layout.len(3)];
        for row in 0..layout.rows {
            for column in 0..layout.columns {
                let at = layout.place(3, column, row);
                for k in 0..3 {
                    vector[at + k * layout.stride] = noise(5 * column + 77 * row + 3 * k);
                }
            }
        }
        vector
    }

    fn release(layout: &Layout, vector: &mut [f32]) {
        for row in 0..layout.rows {
            for column in 0..layout.columns {
                if held(column, row) {
                    let at = layout.place(3, column, row);
                    (0..3).for_each(|k| vector[at + k * layout.stride] = 0.0);
                }
            }
        }
    }

    fn distance(a: &[f32], b: &[f32]) -> f32 {
        let square: f32 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
        square.sqrt()
    }

    #[test]
    fn the_coarse_operator_is_the_galerkin_product() {
        for (columns, rows) in [(17, 13), (16, 12), (9, 30)] {
            let (operator, mut levels) = grid(columns, rows);
            let fine = *operator.layout();
            let level = &mut levels.levels[0];
            level.x = random(&level.layout);
            level.rhs.fill(0.0);
            level.find_residual();
            let coarse: Vec<f32> = level.spare.iter().map(|r| -r).collect();

            let mut between = vec![0.0; fine.len(3)];
            prolong(&level.layout, &level.x, &fine, &mut between);
            release(&fine, &mut between);
            let mut image = vec![0.0; fine.len(3)];
            operator.apply(&between, &mut image);
            release(&fine, &mut image);
            let mut galerkin = vec![0.0; level.layout.len(3)];
            restrict(&fine, &image, &level.layout, &mut galerkin);
            let size = distance(&galerkin, &vec![0.0; galerkin.len()]);
            assert!(size > 1.0);
            assert!(
                distance(&coarse, &galerkin) < 1e-5 * size,
                "{columns}×{rows}"
            );
        }
    }

    #[test]
    fn restriction_is_the_transpose_of_prolongation() {
        let (operator, levels) = grid(17, 12);
        let (fine, coarse) = (*operator.layout(), levels.levels[0].layout);
        let (x, r) = (random(&coarse), random(&fine));
        let mut up = vec![0.0; fine.len(3)];
        prolong(&coarse, &x, &fine, &mut up);
        let mut down = vec![0.0; coarse.len(3)];
        restrict(&fine, &r, &coarse, &mut down);
        let (a, b) = (par::dot(&up, &r), par::dot(&x, &down));
        assert!(
            a.abs() > 1e-2 && (a - b).abs() < 1e-4 * a.abs(),
            "{a} and {b}"
        );
    }

    #[test]
    fn the_coarsest_level_is_solved() {
        let (_, mut levels) = grid(17, 13);
        let Multilevel { levels, direct, .. } = &mut levels;
        let level = levels.last_mut().unwrap();
        level.rhs = random(&level.layout);
        direct.solve(&level.layout, &level.rhs, &mut level.x);
        level.find_residual();
        let size = distance(&level.rhs, &vec![0.0; level.rhs.len()]);
        let left = distance(&level.spare, &vec![0.0; level.rhs.len()]);
        assert!(left < 1e-3 * size, "{left} of {size}");
    }
}
