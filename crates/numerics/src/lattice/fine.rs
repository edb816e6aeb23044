//! The grid's own operator, as the first coarse level sees it.
//!
//! Bending links reach over two cells. In smooth motion both halves of one change alike, so it acts
//! like two links of twice its block between neighbours; that is what is coarsened. Leaving them
//! out would let a coarse correction overshoot wherever straight links resist compression.
//!
//! Held nodes do not move, so they take part in no coarse motion: their links become anchors.

use super::coarse::{DIRECTIONS, Source, planes_of_row};
use super::layout::{LANES, Layout, Row, RowMut, cut};
use super::operator::LatticeOperator;
use super::symmetric::{self, PARTS};
use crate::par;

/// Rows one task handles.
const ROW_GRAIN: usize = 8;

/// Eight blocks, part by part.
type BlockGroup = [[f32; LANES]; PARTS];

/// Anchors and held nodes of the grid.
#[derive(Clone, Debug)]
pub(super) struct FineNodes {
    layout: Layout,
    /// One where a node may move, else zero.
    free: Vec<f32>,
    anchors: Vec<f32>,
    /// Whether a row or one beside it has a held node.
    near_held: Vec<bool>,
    /// Whether a row's anchors are its masses and nothing else, and so stay as they are.
    plain: Vec<bool>,
}

/// The operator and its nodes.
pub(super) struct Fine<'a> {
    operator: &'a LatticeOperator,
    nodes: &'a FineNodes,
}

impl FineNodes {
    pub fn new(layout: &Layout) -> Self {
        Self {
            layout: *layout,
            free: vec![0.0; layout.len(1)],
            anchors: vec![0.0; layout.len(PARTS)],
            near_held: vec![false; layout.rows],
            plain: vec![false; layout.rows],
        }
    }

    /// Takes over the operator's anchors; `held(column, row)` nodes cannot move.
    pub fn refresh<'a>(
        &'a mut self,
        operator: &'a LatticeOperator,
        held: &(impl Fn(usize, usize) -> bool + Sync),
    ) -> Fine<'a> {
        let layout = self.layout;
        self.near_held.fill(false);
        for row in 0..layout.rows {
            let mut any = false;
            let start = layout.place(1, 0, row);
            let free = &mut self.free[start..start + layout.columns];
            for (column, free) in free.iter_mut().enumerate() {
                let held = held(column, row);
                any |= held;
                *free = if held { 0.0 } else { 1.0 };
            }
            if any {
                let last = (row + 1).min(layout.rows - 1);
                self.near_held[row.saturating_sub(1)..=last].fill(true);
            }
        }
        let Self {
            free,
            anchors,
            near_held,
            plain,
            ..
        } = self;
        let body = layout.row_start(PARTS, 0, 0)..layout.row_start(PARTS, layout.rows, 0);
        let arrays = (&mut anchors[body], plain.as_mut_slice());
        let widths = (PARTS * layout.stride, 1);
        par::for_each_row_pair(arrays, widths, ROW_GRAIN, |row, out, plain| {
            let was_plain = plain[0];
            plain[0] = operator.has_only_masses() && !near_held[row];
            if was_plain && plain[0] {
                return;
            }
            let mut out = layout.parts_mut(out);
            for group in 0..layout.groups() {
                symmetric::store(&mut out, group, &operator.anchors(row, group));
            }
            if near_held[row] {
                add_links_to_held(operator, free, row, &mut out);
            }
            let [here] = layout.rows::<1>(free, row, (0, 0));
            for part in &mut out {
                for (sum, here) in part.iter_mut().zip(here) {
                    for k in 0..LANES {
                        sum[k] *= here[k];
                    }
                }
            }
        });
        Fine {
            operator,
            nodes: self,
        }
    }
}

/// Adds the links between a row of nodes and held ones.
fn add_links_to_held(
    operator: &LatticeOperator,
    free: &[f32],
    row: usize,
    out: &mut [RowMut<'_>; PARTS],
) {
    for (direction, &(du, dv)) in DIRECTIONS.iter().enumerate() {
        for (link_at, node_at) in [((0, 0), (du, dv)), ((-du, -dv), (-du, -dv))] {
            let rows = neighbour_rows(operator, direction, row, link_at);
            let [there] = operator.layout().rows::<1>(free, row, node_at);
            for (group, there) in there.iter().enumerate() {
                if *there == [1.0; LANES] {
                    continue;
                }
                let mut sum = symmetric::load(out, group);
                for (sum, links) in sum.iter_mut().zip(neighbour_links(&rows, group)) {
                    for k in 0..LANES {
                        sum[k] += (1.0 - there[k]) * links[k];
                    }
                }
                symmetric::store(out, group, &sum);
            }
        }
    }
}

/// Links that act between neighbours: those proper, and the bending links over them with their factor.
type NeighbourRows<'a> = [([Row<'a>; 4], f32); 3];

/// Those leaving the nodes `shift` away from a row.
fn neighbour_rows(
    operator: &LatticeOperator,
    direction: usize,
    row: usize,
    shift: (isize, isize),
) -> NeighbourRows<'_> {
    let (du, dv) = DIRECTIONS[direction];
    let before = (shift.0 - du, shift.1 - dv);
    let groups = operator.layout().groups();
    let rows = |direction, shift| cut(&operator.link_rows(direction, row, shift), groups);
    [
        (rows(direction, shift), 1.0),
        (rows(direction + 4, shift), 2.0),
        (rows(direction + 4, before), 2.0),
    ]
}

/// The blocks of one group of them.
#[inline(always)]
fn neighbour_links(rows: &NeighbourRows<'_>, group: usize) -> BlockGroup {
    let mut sum = [[0.0; LANES]; PARTS];
    for ([x, y, z, c], factor) in rows {
        let (x, y, z, c) = (x[group], y[group], z[group], c[group]);
        for k in 0..LANES {
            let (fx, fy, fz, fc) = (factor * x[k], factor * y[k], factor * z[k], factor * c[k]);
            sum[0][k] += fx * x[k] + fc;
            sum[1][k] += fx * y[k];
            sum[2][k] += fx * z[k];
            sum[3][k] += fy * y[k] + fc;
            sum[4][k] += fy * z[k];
            sum[5][k] += fz * z[k] + fc;
        }
    }
    sum
}

impl Source for Fine<'_> {
    fn layout(&self) -> &Layout {
        &self.nodes.layout
    }

    fn anchors(&self, row: usize) -> &[f32] {
        planes_of_row(&self.nodes.layout, &self.nodes.anchors, row)
    }

    fn links<'a>(&'a self, direction: usize, row: usize, scratch: &'a mut [f32]) -> &'a [f32] {
        let Self { operator, nodes } = *self;
        let layout = &nodes.layout;
        let groups = layout.groups();
        let rows = neighbour_rows(operator, direction, row, (0, 0));
        let mut out = layout.parts_mut(scratch);
        if !nodes.near_held[row] {
            for group in 0..groups {
                symmetric::store(&mut out, group, &neighbour_links(&rows, group));
            }
            return scratch;
        }
        let [here] = layout.rows::<1>(&nodes.free, row, (0, 0));
        let [there] = layout.rows::<1>(&nodes.free, row, DIRECTIONS[direction]);
        for group in 0..groups {
            let mut links = neighbour_links(&rows, group);
            for part in &mut links {
                for k in 0..LANES {
                    part[k] *= here[group][k] * there[group][k];
                }
            }
            symmetric::store(&mut out, group, &links);
        }
        scratch
    }
}
