//! The preconditioner of the fast path: 3×3 block-Jacobi on the grid itself plus one V(1,1) cycle
//! on Galerkin coarse grids.
//!
//! ```text
//! z = D⁻¹ r + P V(Pᵀ r)
//! ```

use super::banded::Banded;
use super::coarse::{Cells, DIRECTIONS, Stencil, coarsen, coarsened};
use super::fine::FineNodes;
use super::layout::{LANES, Layout, MARGIN, Row, RowMut, cut};
use super::operator::LatticeOperator;
use super::symmetric::{self, PARTS};
use crate::par;

/// Damping of the smoother.
const OMEGA: f32 = 0.7;
/// A level with no more nodes than this is solved directly.
pub(super) const DIRECT_NODES: usize = 64;
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
    residual: Vec<f32>,
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
        let [first, coarser @ ..] = levels.as_mut_slice() else {
            return;
        };
        coarsen(&fine.refresh(operator, held), cells, &mut first.stencil);
        first.refresh_inverse();
        let mut finer = &first.stencil;
        for level in coarser {
            coarsen(finer, cells, &mut level.stencil);
            level.refresh_inverse();
            finer = &level.stencil;
        }
        direct.factor(finer);
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
            residual: vec![0.0; layout.len(3)],
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
        let body = layout.row_start(PARTS, 0, 0)..layout.row_start(PARTS, layout.rows, 0);
        let width = PARTS * layout.stride;
        par::for_each_row(&mut inverse[body], width, ROW_GRAIN, &|row, out| {
            let anchors = layout.rows::<PARTS>(&stencil.anchors, row, (0, 0));
            for group in 0..layout.groups() {
                let mut diagonal: [_; PARTS] = std::array::from_fn(|part| anchors[part][group]);
                for (&(du, dv), links) in DIRECTIONS.iter().zip(&stencil.links) {
                    for shift in [(0, 0), (-du, -dv)] {
                        let links = layout.rows::<PARTS>(links, row, shift);
                        for (sum, links) in diagonal.iter_mut().zip(links) {
                            for k in 0..LANES {
                                sum[k] += links[group][k];
                            }
                        }
                    }
                }
                for (part, lanes) in symmetric::inverse(&diagonal).iter().enumerate() {
                    let at = part * layout.stride + MARGIN + LANES * group;
                    out[at..at + LANES].copy_from_slice(lanes);
                }
            }
        });
    }

    /// `x = ω D⁻¹ rhs`.
    fn smooth_from_zero(&mut self) {
        self.x.fill(0.0);
        smooth(&self.layout, &self.inverse, &self.rhs, &mut self.x);
    }

    /// `x += ω D⁻¹ residual`.
    fn smooth(&mut self) {
        smooth(&self.layout, &self.inverse, &self.residual, &mut self.x);
    }

    /// `residual = rhs − A x`.
    fn find_residual(&mut self) {
        let Self {
            layout,
            stencil: Stencil { anchors, links, .. },
            rhs,
            x,
            residual,
            ..
        } = self;
        for_each_row(layout, residual, &|row, mut out| {
            let here = layout.rows(x, row, (0, 0));
            let rhs = layout.rows::<3>(rhs, row, (0, 0));
            for (out, rhs) in out.iter_mut().zip(rhs) {
                out.copy_from_slice(rhs);
            }
            let anchors = layout.rows(anchors, row, (0, 0));
            subtract::<false>(&mut out, &here, &anchors, &here);
            for (&(du, dv), links) in DIRECTIONS.iter().zip(&*links) {
                for (link_at, node_at) in [((0, 0), (du, dv)), ((-du, -dv), (-du, -dv))] {
                    let blocks = layout.rows(links, row, link_at);
                    let there = layout.rows(x, row, node_at);
                    subtract::<true>(&mut out, &here, &blocks, &there);
                }
            }
        });
    }
}

/// Calls `f(row, its three components)` for every row of `out`.
fn for_each_row(layout: &Layout, out: &mut [f32], f: &(impl Fn(usize, [RowMut<'_>; 3]) + Sync)) {
    let body = layout.row_start(3, 0, 0)..layout.row_start(3, layout.rows, 0);
    par::for_each_row(&mut out[body], 3 * layout.stride, ROW_GRAIN, &|row, out| {
        let (x, y, z) = layout.rows_mut(out);
        f(row, [x, y, z]);
    });
}

/// `x += ω D⁻¹ r`.
fn smooth(layout: &Layout, inverse: &[f32], r: &[f32], x: &mut [f32]) {
    for_each_row(layout, x, &|row, [x, y, z]| {
        let groups = layout.groups();
        let r = cut(&layout.rows::<3>(r, row, (0, 0)), groups);
        let inverse = cut(&layout.rows::<PARTS>(inverse, row, (0, 0)), groups);
        let (x, y, z) = (&mut x[..groups], &mut y[..groups], &mut z[..groups]);
        for g in 0..groups {
            let blocks = std::array::from_fn(|part| inverse[part][g]);
            let change = symmetric::multiply(&blocks, &[r[0][g], r[1][g], r[2][g]]);
            let mut new = [x[g], y[g], z[g]];
            for c in 0..3 {
                for k in 0..LANES {
                    new[c][k] += OMEGA * change[c][k];
                }
            }
            [x[g], y[g], z[g]] = new;
        }
    });
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

/// One V(1,1) cycle: the answer to the first level's right-hand side, from zero.
pub(super) fn cycle(levels: &mut [Level], direct: &mut Banded) {
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
    let width = 3 * fine_layout.stride;
    let columns = fine_layout.columns;
    par::for_each_row(&mut fine[body], width, ROW_GRAIN, &|row, out| {
        // Between two coarse rows both count half; on one, it counts twice half.
        let low = layout.row_start(3, row / 2, 0) + MARGIN;
        let high = layout.row_start(3, row.div_ceil(2), 0) + MARGIN;
        for component in 0..3 {
            let low = &coarse[low + component * layout.stride..][..layout.columns];
            let high = &coarse[high + component * layout.stride..][..layout.columns];
            let out = &mut out[component * fine_layout.stride + MARGIN..][..columns];
            let (pairs, last) = out.as_chunks_mut::<2>();
            let count = pairs.len();
            let here = low[..count].iter().zip(&high[..count]);
            let next = low[1..].iter().zip(&high[1..]);
            for (pair, (here, next)) in pairs.iter_mut().zip(here.zip(next)) {
                let (here, next) = (0.5 * (here.0 + here.1), 0.5 * (next.0 + next.1));
                pair[0] += here;
                pair[1] += 0.5 * (here + next);
            }
            if let [last] = last {
                *last += 0.5 * (low[count] + high[count]);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::LinkCoefficients;
    use crate::operator::Operator;

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
            let coarse: Vec<f32> = level.residual.iter().map(|r| -r).collect();

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
        let left = distance(&level.residual, &vec![0.0; level.rhs.len()]);
        assert!(left < 1e-3 * size, "{left} of {size}");
    }
}
