//! One cloth on a grid: its operator, its links, and where its vectors are.

use super::links::GridLinks;
use crate::model::{GridOfLinks, Model};
use crate::solve::single::Place;
use glam::{DVec3, Vec3};
use toile_numerics::lattice::{DIRECTIONS, LatticeOperator, Layout};
use toile_numerics::{Operator, par};

/// Rows one task handles.
const ROW_GRAIN: usize = 16;

/// One cloth's operator and where its numbers come from.
pub struct Grid {
    /// Multiplies its vectors.
    pub operator: LatticeOperator,
    /// Its first particle.
    pub first_particle: usize,
    /// Where its vectors start.
    start: usize,
    /// Its links.
    pub links: GridLinks,
}

impl Grid {
    /// A cloth whose particles and vectors start there.
    pub fn new(model: &Model, links: &GridOfLinks, first_particle: usize, start: usize) -> Self {
        let grid = &links.grid;
        let operator = LatticeOperator::new(grid.columns, grid.rows, |column, row| {
            model.masses[first_particle + grid.index(column, row)]
        });
        Self {
            links: GridLinks::new(links, first_particle, *operator.layout()),
            operator,
            first_particle,
            start,
        }
    }

    /// The node `step` away, if it is on the grid.
    fn neighbour(
        &self,
        (column, row): (usize, usize),
        (du, dv): (isize, isize),
    ) -> Option<(usize, usize)> {
        let layout = self.operator.layout();
        let column = column.checked_add_signed(du)?;
        let row = row.checked_add_signed(dv)?;
        (column < layout.columns && row < layout.rows).then_some((column, row))
    }

    /// Column and row of a particle.
    fn node(&self, particle: usize) -> (usize, usize) {
        let (local, columns) = (
            particle - self.first_particle,
            self.operator.layout().columns,
        );
        (local % columns, local / columns)
    }

    /// Where a particle's components are.
    pub fn place(&self, particle: usize) -> Place {
        let (layout, (column, row)) = (self.operator.layout(), self.node(particle));
        Place {
            first: self.start + layout.place(3, column, row),
            stride: layout.stride,
        }
    }

    /// The links' share of one block row of `A p`.
    pub fn row_product(&self, particle: usize, p: &[DVec3]) -> DVec3 {
        let columns = self.operator.layout().columns;
        let (column, row) = self.node(particle);
        let (p, here) = (&p[self.first_particle..], p[particle]);
        let mut sum = DVec3::ZERO;
        for (direction, &(du, dv)) in DIRECTIONS.iter().enumerate() {
            for (side, sign) in [(1, 1), (-1, 0)] {
                let Some(other) = self.neighbour((column, row), (side * du, side * dv)) else {
                    continue;
                };
                let from = if sign == 1 { (column, row) } else { other };
                let link = self.operator.link(direction, from.0, from.1);
                let between = here - p[other.1 * columns + other.0];
                let q = Vec3::from_array(link.q).as_dvec3();
                sum += f64::from(link.c) * between + q * q.dot(between);
            }
        }
        sum
    }

    /// The links' share of a diagonal block, as the mean of its diagonal.
    pub fn stiffness(&self, particle: usize) -> f64 {
        let here = self.node(particle);
        let mut sum = 0.0;
        for (direction, &(du, dv)) in DIRECTIONS.iter().enumerate() {
            for side in [1, -1] {
                let Some(other) = self.neighbour(here, (side * du, side * dv)) else {
                    continue;
                };
                let (column, row) = if side == 1 { here } else { other };
                let link = self.operator.link(direction, column, row);
                let axial = Vec3::from_array(link.q).length_squared() / 3.0;
                sum += f64::from(link.c + axial);
            }
        }
        sum
    }

    /// Rounds vectors.
    pub fn pack(&self, from: &[DVec3], to: &mut [f32]) {
        let layout = self.operator.layout();
        let from = &from[self.first_particle..];
        let to = &mut to[self.body()];
        par::for_each_row(to, 3 * layout.stride, ROW_GRAIN, move |row, to| {
            pack_row(layout, from, row, to);
        });
    }

    /// Packs a right-hand side, and a guess twice.
    pub fn pack_both(
        &self,
        (b, rhs): (&[DVec3], &mut [f32]),
        (p, guess, x): (&[DVec3], &mut [f32], &mut [f32]),
    ) {
        let layout = self.operator.layout();
        let [b, p] = [b, p].map(|from| &from[self.first_particle..]);
        let [rhs, guess, x] = [rhs, guess, x].map(|to| &mut to[self.body()]);
        let width = 3 * layout.stride;
        par::for_each_row_of_three(
            [rhs, guess, x],
            width,
            ROW_GRAIN,
            move |row, [rhs, guess, x]| {
                pack_row(layout, b, row, rhs);
                pack_row(layout, p, row, guess);
                x.copy_from_slice(guess);
            },
        );
    }

    /// Where the vectors of its particles are.
    fn body(&self) -> std::ops::Range<usize> {
        let layout = self.operator.layout();
        let start = self.start + layout.place(3, 0, 0);
        start..start + 3 * layout.stride * layout.rows
    }

    /// Adds what the solve changed, so that a guess that was right stays right to the last bit.
    pub fn unpack_change(&self, guess: &[f32], x: &[f32], to: &mut [DVec3]) {
        let layout = self.operator.layout();
        let columns = layout.columns;
        let to = &mut to[self.first_particle..][..columns * layout.rows];
        par::for_each_row(to, columns, ROW_GRAIN, move |row, to| {
            let place = self.start + layout.place(3, 0, row);
            for (k, value) in to.iter_mut().enumerate() {
                let change = |component: usize| {
                    let at = place + component * layout.stride + k;
                    f64::from(x[at] - guess[at])
                };
                *value += DVec3::new(change(0), change(1), change(2));
            }
        });
    }

    /// Where its vectors are.
    pub fn range(&self) -> std::ops::Range<usize> {
        self.start..self.start + self.operator.len()
    }
}

/// Rounds a row of vectors, component by component.
fn pack_row(layout: &Layout, from: &[DVec3], row: usize, to: &mut [f32]) {
    let particles = row * layout.columns..(row + 1) * layout.columns;
    let (x, rest) = to.split_at_mut(layout.stride);
    let (y, z) = rest.split_at_mut(layout.stride);
    for (((value, x), y), z) in from[particles].iter().zip(x).zip(y).zip(z) {
        (*x, *y, *z) = (value.x as f32, value.y as f32, value.z as f32);
    }
}
