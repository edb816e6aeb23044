//! Coarsening: every other node is kept, values between are interpolated bilinearly.
//!
//! A level's operator is written as anchors (blocks that tie a node to the ground: mass, and links
//! to held nodes) and links to the eight neighbours. Because interpolation reproduces constants,
//! `PᵀAP` has the same form: a link of block `H` whose ends interpolate from the corners `a` of a
//! coarse cell with weights `w` gives coarse links `−δ_a δ_b H`, `δ_a = w_a(end) − w_a(start)`,
//! and an anchor `B` gives anchors `w_a B` and links `−w_a w_b B`. Every fine link lies inside one
//! coarse cell, so one cell gathers all it needs, a row of cells at a time.

use super::layout::{LANES, Layout, MARGIN};
use super::symmetric::PARTS;
use crate::par;

/// Directions of a level's links, in columns and rows.
pub(super) const DIRECTIONS: [(isize, isize); 4] = [(1, 0), (0, 1), (1, 1), (-1, 1)];

/// Rows of cells one task gathers.
const CELL_ROW_GRAIN: usize = 4;
/// Rows of nodes one task sums up.
const NODE_ROW_GRAIN: usize = 8;

/// An operator that can be coarsened, given row by row in planes of its layout: the parts of the
/// blocks one after the other, a stride apart, margins included. The margin after the last one is there too,
/// so that each plane has [`PAST`] zeros behind it.
pub(super) trait Source: Sync {
    fn layout(&self) -> &Layout;
    /// The anchors of a row.
    fn anchors(&self, row: usize) -> &[f32];
    /// The links leaving a row; `scratch` is as long as the answer and may hold it.
    fn links<'a>(&'a self, direction: usize, row: usize, scratch: &'a mut [f32]) -> &'a [f32];
}

/// A level's operator in planes.
#[derive(Clone, Debug)]
pub(super) struct Stencil {
    pub layout: Layout,
    pub anchors: Vec<f32>,
    pub links: [Vec<f32>; 4],
}

impl Stencil {
    pub fn new(columns: usize, rows: usize) -> Self {
        let layout = Layout::new(columns, rows);
        Self {
            layout,
            anchors: vec![0.0; layout.len(PARTS)],
            links: std::array::from_fn(|_| vec![0.0; layout.len(PARTS)]),
        }
    }

    /// The anchor of a node.
    pub fn anchor(&self, column: usize, row: usize) -> [f32; PARTS] {
        self.block(&self.anchors, column, row)
    }

    /// The link leaving a node.
    pub fn link(&self, direction: usize, column: usize, row: usize) -> [f32; PARTS] {
        self.block(&self.links[direction], column, row)
    }

    fn block(&self, planes: &[f32], column: usize, row: usize) -> [f32; PARTS] {
        let at = self.layout.place(PARTS, column, row);
        std::array::from_fn(|part| planes[at + part * self.layout.stride])
    }
}

impl Source for Stencil {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn anchors(&self, row: usize) -> &[f32] {
        planes_of_row(&self.layout, &self.anchors, row)
    }

    fn links<'a>(&'a self, direction: usize, row: usize, _: &'a mut [f32]) -> &'a [f32] {
        planes_of_row(&self.layout, &self.links[direction], row)
    }
}

/// Zeros that follow a plane: the margin of the next.
const PAST: usize = MARGIN;

/// Length of all planes of a row of blocks.
fn length_of_row(layout: &Layout) -> usize {
    PARTS * layout.stride + PAST
}

/// All planes of one row of blocks.
pub(super) fn planes_of_row<'a>(layout: &Layout, data: &'a [f32], row: usize) -> &'a [f32] {
    &data[layout.row_start(PARTS, row, 0)..][..length_of_row(layout)]
}

/// One of them, with the zeros that follow it.
fn plane_of<'a>(layout: &Layout, planes: &'a [f32], part: usize) -> &'a [f32] {
    &planes[part * layout.stride..][..layout.stride + PAST]
}

/// The six pairs of corners of a cell, corners numbered (0,0), (1,0), (0,1), (1,1).
const PAIRS: [(usize, usize); 6] = [(0, 1), (0, 2), (1, 3), (2, 3), (0, 3), (1, 2)];
const BOTTOM: usize = 0;
const LEFT: usize = 1;
const RIGHT: usize = 2;
const TOP: usize = 3;
const DIAGONAL: usize = 4;
const ANTIDIAGONAL: usize = 5;

/// Weight of each corner at fine place `(u, v)` of a cell, 0 to 2 along each side.
const fn weights(u: usize, v: usize) -> [f32; 4] {
    let (x, y) = (0.5 * u as f32, 0.5 * v as f32);
    [(1.0 - x) * (1.0 - y), x * (1.0 - y), (1.0 - x) * y, x * y]
}

/// A cell owns the links that leave its first two rows from two neighbouring columns: those on its
/// bottom and left sides and in its inside. Their first column, by direction.
const FIRST_COLUMN: [usize; 4] = [0, 0, 0, 1];

/// Share in each pair of the link leaving `(u, v)` of a cell.
const fn shares(u: usize, v: usize, direction: usize) -> [f32; 6] {
    let (du, dv) = DIRECTIONS[direction];
    let from = weights(u, v);
    let to = weights((u as isize + du) as usize, (v as isize + dv) as usize);
    let mut share = [0.0; 6];
    let mut k = 0;
    while k < 6 {
        let (a, b) = PAIRS[k];
        share[k] = -(to[a] - from[a]) * (to[b] - from[b]);
        k += 1;
    }
    share
}

/// The shares by row, direction and column.
const SHARES: [[[[f32; 6]; 2]; 4]; 2] = {
    let mut all = [[[[0.0; 6]; 2]; 4]; 2];
    let mut v = 0;
    while v < 2 {
        let mut direction = 0;
        while direction < 4 {
            let first = FIRST_COLUMN[direction];
            all[v][direction] = [shares(first, v, direction), shares(first + 1, v, direction)];
            direction += 1;
        }
        v += 1;
    }
    all
};

/// Numbers of a plane that eight coarse cells or nodes look at.
const WINDOW: usize = 2 * LANES + 1;
type Window = [f32; WINDOW];

/// The windows from a place on in planes. All of them are found first: what is summed up from them then
/// stays in registers.
#[inline(always)]
fn windows<'a, const N: usize>(planes: &[&'a [f32]; N], from: usize) -> [&'a Window; N] {
    planes.map(|plane| {
        let window = plane[from..].first_chunk();
        window.expect("a layout is as long as its coarser level looks")
    })
}

/// Every other number of a window from a place on, and the eight between them.
#[inline(always)]
fn halves<const FROM: usize>(window: &Window) -> [[f32; LANES]; 2] {
    let (mut low, mut high) = ([0.0; LANES], [0.0; LANES]);
    for k in 0..LANES {
        (low[k], high[k]) = (window[FROM + 2 * k], window[FROM + 2 * k + 1]);
    }
    [low, high]
}

/// `sum += a·x`, eight at a time.
#[inline(always)]
fn add(sum: &mut [f32; LANES], a: f32, x: &[f32; LANES]) {
    for k in 0..LANES {
        sum[k] = a.mul_add(x[k], sum[k]);
    }
}

/// Coarse links inside cells, by pair of corners: scratch memory. Cell `(C, R)` has its low corner
/// at coarse node `(C − 1, R − 1)`, so that each node finds the four cells around it.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    stride: usize,
    planes: Vec<f32>,
}

/// Planes a row of cells has.
const CELL_PLANES: usize = 6 * PARTS;

impl Cells {
    /// One plane of a row of cells.
    fn plane(&self, row: usize, pair: usize, part: usize) -> &[f32] {
        let start = (row * CELL_PLANES + pair * PARTS + part) * self.stride;
        &self.planes[start..start + self.stride]
    }

    /// The links of one direction that leave one coarse row.
    fn sum_links(&self, layout: &Layout, direction: usize, row: usize, out: &mut [f32]) {
        for (part, out) in out.chunks_exact_mut(layout.stride).enumerate() {
            let out = &mut out[MARGIN..MARGIN + layout.groups() * LANES];
            // A node is the low corner of its own cell, one column and row on.
            let own = |pair| &self.plane(row + 1, pair, part)[1..];
            let below = |pair| &self.plane(row, pair, part)[1..];
            let before = |pair| self.plane(row + 1, pair, part);
            match direction {
                0 => sum_of(own(BOTTOM), below(TOP), out),
                1 => sum_of(own(LEFT), before(RIGHT), out),
                2 => out.copy_from_slice(&own(DIAGONAL)[..out.len()]),
                _ => out.copy_from_slice(&before(ANTIDIAGONAL)[..out.len()]),
            }
        }
    }

    fn gather(&mut self, fine: &impl Source, coarse: &Layout) {
        self.stride = coarse.groups() * LANES + LANES;
        let width = CELL_PLANES * self.stride;
        let length = width * (coarse.rows + 1);
        // All levels use it: cut down for a coarser one, it would be cleared for a finer one.
        if self.planes.len() < length {
            self.planes.resize(length, 0.0);
        }
        let memory = || [(); 2].map(|()| FineRow::new(fine.layout()));
        let planes = &mut self.planes[..length];
        par::for_each_row_with(planes, width, CELL_ROW_GRAIN, memory, |memory, row, out| {
            let [low, high] = memory;
            // Row 0 of cells lies below the grid, and the last one may end above it.
            let low = low.of(fine, (2 * row).checked_sub(2));
            let high = high.of(fine, (2 * row).checked_sub(1));
            for part in 0..PARTS {
                gather_part(&low, &high, part, coarse.columns, out);
            }
        });
    }
}

/// Memory for the links of one fine row, by direction.
struct FineRow {
    links: [Vec<f32>; 4],
    nothing: Vec<f32>,
}

/// The links and anchors of one fine row, in planes.
struct FinePlanes<'a> {
    layout: &'a Layout,
    links: [&'a [f32]; 4],
    anchors: &'a [f32],
}

impl FineRow {
    fn new(layout: &Layout) -> Self {
        let planes = || vec![0.0; length_of_row(layout)];
        Self {
            links: [(); 4].map(|()| planes()),
            nothing: planes(),
        }
    }

    /// A row, or nothing where there is none.
    fn of<'a>(&'a mut self, fine: &'a impl Source, row: Option<usize>) -> FinePlanes<'a> {
        let layout = fine.layout();
        let Some(row) = row.filter(|row| *row < layout.rows) else {
            return FinePlanes {
                layout,
                links: [&self.nothing; 4],
                anchors: &self.nothing,
            };
        };
        let [a, b, c, d] = &mut self.links;
        FinePlanes {
            layout,
            links: [
                fine.links(0, row, a),
                fine.links(1, row, b),
                fine.links(2, row, c),
                fine.links(3, row, d),
            ],
            anchors: fine.anchors(row),
        }
    }
}

impl FinePlanes<'_> {
    /// The planes of one part: of the links by direction, and of the anchors.
    fn part(&self, part: usize) -> ([&[f32]; 4], &[f32]) {
        let plane = |planes| plane_of(self.layout, planes, part);
        (self.links.map(plane), plane(self.anchors))
    }
}

/// One part of the links inside a row of cells, from its lower and its upper fine row. Cell `C` starts
/// at fine column `2C − 2`, which is place `2C` behind a margin of two; past the `last` there are none.
fn gather_part(
    low: &FinePlanes<'_>,
    high: &FinePlanes<'_>,
    part: usize,
    last: usize,
    out: &mut [f32],
) {
    let stride = out.len() / CELL_PLANES;
    let ([a, b, c, d], low_anchors) = low.part(part);
    let ([e, f, g, h], high_anchors) = high.part(part);
    let planes = [a, b, c, d, e, f, g, h, low_anchors, high_anchors];
    for first in (0..stride).step_by(LANES) {
        let sums = if first > last {
            [[0.0; LANES]; 6]
        } else {
            gather_cells(&windows(&planes, 2 * first))
        };
        store(&sums, part, first, out);
    }
}

/// The links inside eight cells from those that leave their lower and their upper fine row, by direction,
/// and from the anchors of both rows.
#[inline(always)]
fn gather_cells(windows: &[&Window; 10]) -> [[f32; LANES]; 6] {
    let mut sums = [[0.0; LANES]; 6];
    add_links::<0, 0, 0>(windows[0], &mut sums);
    add_links::<0, 1, 0>(windows[1], &mut sums);
    add_links::<0, 2, 0>(windows[2], &mut sums);
    add_links::<0, 3, 1>(windows[3], &mut sums);
    add_links::<1, 0, 0>(windows[4], &mut sums);
    add_links::<1, 1, 0>(windows[5], &mut sums);
    add_links::<1, 2, 0>(windows[6], &mut sums);
    add_links::<1, 3, 1>(windows[7], &mut sums);
    // Anchors between two corners of a cell, or in the middle between four.
    let [_, side] = halves::<0>(windows[8]);
    add(&mut sums[BOTTOM], -0.25, &side);
    let [side, middle] = halves::<0>(windows[9]);
    add(&mut sums[LEFT], -0.25, &side);
    for sum in &mut sums {
        add(sum, -0.0625, &middle);
    }
    sums
}

/// Writes one part of eight cells from `first` on.
#[inline(always)]
fn store(sums: &[[f32; LANES]; 6], part: usize, first: usize, out: &mut [f32]) {
    let stride = out.len() / CELL_PLANES;
    for (pair, sum) in sums.iter().enumerate() {
        out[(pair * PARTS + part) * stride + first..][..LANES].copy_from_slice(sum);
    }
}

/// Adds the links of one direction that leave one of its two fine rows to eight cells; the first of them
/// leaves column `FIRST` of a cell.
#[inline(always)]
fn add_links<const ROW: usize, const DIRECTION: usize, const FIRST: usize>(
    window: &Window,
    sums: &mut [[f32; LANES]; 6],
) {
    const { assert!(FIRST == FIRST_COLUMN[DIRECTION]) };
    let [low, high] = halves::<FIRST>(window);
    for (pair, sum) in sums.iter_mut().enumerate() {
        let [a, b] = [0, 1].map(|column| SHARES[ROW][DIRECTION][column][pair]);
        if a != 0.0 {
            add(sum, a, &low);
        }
        if b != 0.0 {
            add(sum, b, &high);
        }
    }
}

/// The coarse level of `fine`, into `coarse` and using `cells` as scratch.
pub(super) fn coarsen(fine: &impl Source, cells: &mut Cells, coarse: &mut Stencil) {
    let Stencil {
        layout,
        anchors,
        links,
    } = coarse;
    cells.gather(fine, layout);
    let (layout, cells) = (&*layout, &*cells);
    let mut arrays: Vec<_> = links.iter_mut().chain([anchors]).collect();
    let arrays = arrays
        .iter_mut()
        .map(|array| &mut array[layout.body(PARTS)]);
    let width = PARTS * layout.stride;
    par::for_each_row_of(
        arrays.collect(),
        width,
        NODE_ROW_GRAIN,
        move |array, row, out| {
            if array < DIRECTIONS.len() {
                cells.sum_links(layout, array, row, out);
            } else {
                sum_anchors(fine, layout, row, out);
            }
        },
    );
}

/// The anchors of one coarse row.
fn sum_anchors(fine: &impl Source, layout: &Layout, row: usize, out: &mut [f32]) {
    out.fill(0.0);
    for (down, weight) in [(0, 0.5), (1, 1.0), (2, 0.5)] {
        let fine_row = (2 * row + down).checked_sub(1);
        let Some(fine_row) = fine_row.filter(|row| *row < fine.layout().rows) else {
            continue;
        };
        let planes = fine.anchors(fine_row);
        for (part, out) in out.chunks_exact_mut(layout.stride).enumerate() {
            let plane = plane_of(fine.layout(), planes, part);
            let out = &mut out[MARGIN..MARGIN + layout.groups() * LANES];
            // Node C lies at place 2C + 2, behind the margin.
            for (group, sum) in out.as_chunks_mut().0.iter_mut().enumerate() {
                let [window] = windows(&[plane], 2 * LANES * group + 1);
                let [before, here] = halves::<0>(window);
                let [_, after] = halves::<1>(window);
                add(sum, weight, &here);
                add(sum, 0.5 * weight, &before);
                add(sum, 0.5 * weight, &after);
            }
        }
    }
}

fn sum_of(a: &[f32], b: &[f32], out: &mut [f32]) {
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        *out = a + b;
    }
}
