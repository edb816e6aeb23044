//! The links of one grid, evaluated row by row and many columns at a time.
//!
//! Here is where rows of links are; `mod.rs` asks their law row by row. A link's force is `s (x_j − x_i)` with the strength `s = (T + k_d n·w)/r`, so one number a link
//! is kept, and every particle gathers its force from the strengths around it. The links' matrix
//! coefficients go straight to the operator. Links that do not exist have weight zero, links along
//! the border a half: so every row is one straight loop.
//!
//! Two ends at the same place have no direction; here they feel no force, whereas the assembled
//! reference pushes them along a fixed direction of their class.
//!
//! Verified by: `tests/fast_path.rs`.

use crate::assembly::lanes::{LANES, Lanes};
use crate::forces::{At, DampingKind, LinkFamily};
use crate::model::shell::quad;
use crate::model::{GridOfLinks, Materials};
use crate::solve::grid::rows::{Ends, LinearisedRow, Row, RowOptions, TrialRow};
use glam::DVec3;
use toile_geometry::QuadGrid;
use toile_numerics::integrate::Weights;
use toile_numerics::lattice::{DIRECTIONS, Layout, LinkRow};
use toile_numerics::par;

/// Rows one task handles.
const ROW_GRAIN: usize = 16;
/// Index of the first of the bending directions.
const BENDING: usize = 4;
/// Cells of margin in the rows of strengths, as far as the longest link reaches.
const MARGIN: usize = 2;

/// One grid's links.
pub struct GridLinks {
    layout: Layout,
    first_particle: usize,
    directions: Vec<Direction>,
    /// Strengths of each direction's links in N/m, with a margin of zeros.
    strengths: Vec<Vec<f64>>,
    /// Where the links were linearised.
    positions: Planes,
    /// Where else the potential is asked for.
    trial: Planes,
    velocities: Planes,
}

/// The links of one direction.
pub struct Direction {
    /// As an index into [`DIRECTIONS`].
    index: usize,
    family: usize,
    /// Class of its links in their family.
    pub class: usize,
    /// Share of the class's strength of each column's link, and zero where there is none.
    weights: Vec<f64>,
    /// Share of the first and last row.
    border_row_weight: f64,
}

/// Links where they are linearised.
pub struct PlacedLinks<'a> {
    directions: &'a [Direction],
    positions: &'a Planes,
    velocities: &'a Planes,
}

/// Links where else their potential is asked for.
pub struct TriedLinks<'a> {
    directions: &'a [Direction],
    positions: &'a Planes,
    frozen: &'a Planes,
    velocities: &'a Planes,
}

/// Vectors over the grid, component by component.
struct Planes {
    layout: Layout,
    data: Vec<f64>,
}

impl Planes {
    fn new(layout: Layout) -> Self {
        Self {
            layout,
            // The last chunk of the last row reads past the end of the grid.
            data: vec![0.0; layout.len(3) + LANES],
        }
    }

    /// Takes over vectors, and others into planes of the same layout.
    fn fill_both(&mut self, vectors: &[DVec3], other: &mut Self, others: &[DVec3]) {
        let layout = self.layout;
        let body = layout.place(3, 0, 0)..layout.place(3, 0, layout.rows);
        let width = 3 * layout.stride;
        let planes = (&mut self.data[body.clone()], &mut other.data[body]);
        par::for_each_row_pair(
            planes,
            (width, width),
            ROW_GRAIN,
            move |row, planes, others_planes| {
                let row = row * layout.columns..(row + 1) * layout.columns;
                fill_row(layout.stride, &vectors[row.clone()], planes);
                fill_row(layout.stride, &others[row], others_planes);
            },
        );
    }

    /// The components of a row, shifted by `step`.
    fn rows(&self, row: usize, step: (isize, isize)) -> [Row<'_>; 3] {
        let (layout, width) = (&self.layout, self.layout.columns.next_multiple_of(LANES));
        let start = layout.place_from(3, (0, row), step);
        [0, 1, 2].map(|k| groups(&self.data[start + k * layout.stride..][..width]))
    }

    /// A row, and the one `step` away.
    fn ends(&self, row: usize, step: (isize, isize)) -> Ends<'_> {
        Ends {
            here: self.rows(row, (0, 0)),
            there: self.rows(row, step),
        }
    }
}

/// Writes a row of vectors component by component, a stride apart.
fn fill_row(stride: usize, vectors: &[DVec3], planes: &mut [f64]) {
    let (x, rest) = planes.split_at_mut(stride);
    let (y, z) = rest.split_at_mut(stride);
    for (((vector, x), y), z) in vectors.iter().zip(x).zip(y).zip(z) {
        (*x, *y, *z) = (vector.x, vector.y, vector.z);
    }
}

/// Numbers in groups of lanes.
fn groups(numbers: &[f64]) -> Row<'_> {
    numbers.as_chunks().0
}

impl Direction {
    fn new(index: usize, family: usize, grid: &QuadGrid, layout: &Layout) -> Self {
        let (du, dv) = DIRECTIONS[index];
        let (class, reach) = (index % 4, if index < 4 { 1 } else { 2 });
        let unit = (du / reach, dv / reach);
        let strength = |column: usize, row: usize| {
            if quad::on_border(grid, unit, (column, row)) {
                quad::BORDER_STRENGTH
            } else {
                1.0
            }
        };
        let first = du.min(0).unsigned_abs();
        let last = layout.columns.saturating_sub(du.max(0) as usize);
        let inner_row = if layout.rows > 2 { 1 } else { 0 };
        let inner_column = if layout.columns > 2 { 1 } else { 0 };
        let mut weights = vec![0.0; layout.columns.next_multiple_of(LANES)];
        for (column, weight) in weights.iter_mut().enumerate().take(last).skip(first) {
            *weight = match unit {
                (1, 0) => 1.0,
                _ => strength(column, inner_row),
            };
        }
        Self {
            index,
            family,
            class,
            weights,
            border_row_weight: match unit {
                (1, 0) => strength(inner_column, 0),
                _ => 1.0,
            },
        }
    }

    fn row_weight(&self, row: usize, rows: usize) -> f64 {
        if row == 0 || row + 1 == rows {
            self.border_row_weight
        } else {
            1.0
        }
    }

    fn options(&self, family: &dyn LinkFamily, row: usize, rows: usize) -> RowOptions<'_> {
        let options = family.options();
        RowOptions {
            weights: groups(&self.weights),
            row_weight: self.row_weight(row, rows),
            axial_damper: axial_damper(options.damping, options.damping_n_s_per_m),
        }
    }

    /// The family of its links.
    pub fn family<'m>(&self, materials: &'m Materials) -> &'m dyn LinkFamily {
        if self.index < BENDING {
            &*materials.stretch[self.family]
        } else {
            &*materials.bending[self.family]
        }
    }
}

impl GridLinks {
    /// Links whose grid starts at a particle, laid out as the grid's operator is.
    pub fn new(links: &GridOfLinks, first_particle: usize, layout: Layout) -> Self {
        let stretch = (0..BENDING).map(|index| (index, Some(links.stretch)));
        let bending = (BENDING..DIRECTIONS.len()).map(|index| (index, links.bending));
        let directions: Vec<_> = stretch
            .chain(bending)
            .filter_map(|(index, family)| Some((index, family?)))
            .map(|(index, family)| Direction::new(index, family, &links.grid, &layout))
            .collect();
        let strengths = vec![0.0; (layout.rows + 2 * MARGIN) * layout.stride + LANES];
        Self {
            layout,
            first_particle,
            strengths: vec![strengths; directions.len()],
            directions,
            positions: Planes::new(layout),
            trial: Planes::new(layout),
            velocities: Planes::new(layout),
        }
    }

    fn particles(&self) -> std::ops::Range<usize> {
        self.first_particle..self.first_particle + self.layout.columns * self.layout.rows
    }

    /// Takes over where the links are to be linearised; returns them there, and room for the strengths of
    /// each direction of [`DIRECTIONS`] that there is.
    pub fn place(
        &mut self,
        at: &At<'_>,
    ) -> (PlacedLinks<'_>, [Option<&mut [f64]>; DIRECTIONS.len()]) {
        let particles = self.particles();
        let (x, v) = (&at.x[particles.clone()], &at.v[particles]);
        self.positions.fill_both(x, &mut self.velocities, v);
        let layout = self.layout;
        let mut room = [const { None }; DIRECTIONS.len()];
        // The first directions are always there, those of bending possibly not.
        for (direction, strengths) in self.directions.iter().zip(&mut self.strengths) {
            let rows = MARGIN * layout.stride..(MARGIN + layout.rows) * layout.stride;
            room[direction.index] = Some(&mut strengths[rows]);
        }
        let placed = PlacedLinks {
            directions: &self.directions,
            positions: &self.positions,
            velocities: &self.velocities,
        };
        (placed, room)
    }

    /// Strengths of a direction's links that leave the nodes `step` away from a row.
    fn strengths_at(&self, direction: usize, row: usize, (du, dv): (isize, isize)) -> Row<'_> {
        let row = ((row + MARGIN) as isize + dv) as usize;
        let start = row * self.layout.stride + (MARGIN as isize + du) as usize;
        let width = self.directions[direction].weights.len();
        groups(&self.strengths[direction][start..][..width])
    }

    /// Adds every particle's links' pulls, with the strengths as linearised.
    pub fn gather(&self, forces: &mut [DVec3]) {
        let layout = self.layout;
        let forces = &mut forces[self.particles()];
        par::for_each_row(forces, layout.columns, ROW_GRAIN, move |row, forces| {
            let here = self.positions.rows(row, (0, 0));
            let none = Pull {
                strengths: &[],
                there: here,
            };
            let mut pulls = [none; 2 * DIRECTIONS.len()];
            let mut count = 0;
            for (k, direction) in self.directions.iter().enumerate() {
                let (du, dv) = DIRECTIONS[direction.index];
                for (link_at, node_at) in [((0, 0), (du, dv)), ((-du, -dv), (-du, -dv))] {
                    pulls[count] = Pull {
                        strengths: self.strengths_at(k, row, link_at),
                        there: self.positions.rows(row, node_at),
                    };
                    count += 1;
                }
            }
            gather_row(&here, &pulls[..count], forces);
        });
    }

    /// Takes over where else the potential is asked for.
    pub fn try_at(&mut self, x: &[DVec3], v: &[DVec3]) -> TriedLinks<'_> {
        let particles = self.particles();
        let (x, v) = (&x[particles.clone()], &v[particles]);
        self.trial.fill_both(x, &mut self.velocities, v);
        TriedLinks {
            directions: &self.directions,
            positions: &self.trial,
            frozen: &self.positions,
            velocities: &self.velocities,
        }
    }
}

impl<'a> PlacedLinks<'a> {
    /// The links of one of [`DIRECTIONS`].
    pub fn direction(&self, index: usize) -> &'a Direction {
        &self.directions[index]
    }

    /// A row of links of a direction and its family, about to be linearised.
    pub fn row<'r>(
        &self,
        direction: &'r Direction,
        family: &dyn LinkFamily,
        row: usize,
        step: &'r Weights,
        (links, room): (LinkRow<'r>, &'r mut [f64]),
    ) -> LinearisedRow<'r>
    where
        'a: 'r,
    {
        let away = DIRECTIONS[direction.index];
        let options = direction.options(family, row, self.positions.layout.rows);
        let strengths = &mut room[MARGIN..][..direction.weights.len()];
        LinearisedRow {
            options,
            positions: self.positions.ends(row, away),
            velocities: self.velocities.ends(row, away),
            isotropic_damper: family.options().damping_n_s_per_m - options.axial_damper,
            step,
            links,
            strengths: strengths.as_chunks_mut().0,
        }
    }
}

impl TriedLinks<'_> {
    /// Sums up what is asked of every row of every direction.
    pub fn sum(&self, of_row: impl Fn(&Direction, usize) -> f64 + Sync) -> f64 {
        let rows = self.positions.layout.rows;
        let mut sums = vec![0.0; rows];
        par::for_each_row(&mut sums, 1, ROW_GRAIN, |row, sum| {
            for direction in self.directions {
                let (_, dv) = DIRECTIONS[direction.index];
                if row + (dv as usize) < rows {
                    sum[0] += of_row(direction, row);
                }
            }
        });
        sums.iter().sum()
    }

    /// A row of links of a direction and its family.
    pub fn row<'r>(
        &'r self,
        direction: &'r Direction,
        family: &dyn LinkFamily,
        row: usize,
        velocity_s: f64,
    ) -> TrialRow<'r> {
        let away = DIRECTIONS[direction.index];
        TrialRow {
            options: direction.options(family, row, self.positions.layout.rows),
            positions: self.positions.ends(row, away),
            frozen: self.frozen.ends(row, away),
            velocities: self.velocities.ends(row, away),
            velocity_s,
        }
    }
}

/// What one kind of link pulls a row of particles with.
#[derive(Clone, Copy)]
struct Pull<'a> {
    strengths: Row<'a>,
    there: [Row<'a>; 3],
}

/// Adds the pulls on one row of particles.
fn gather_row(here: &[Row<'_>; 3], pulls: &[Pull<'_>], forces: &mut [DVec3]) {
    for (g, forces) in forces.chunks_mut(LANES).enumerate() {
        let own = here.map(|row| Lanes::from(row[g]));
        let mut sum = [Lanes::ZERO; 3];
        for Pull { strengths, there } in pulls {
            let strengths = Lanes::from(strengths[g]);
            for k in 0..3 {
                sum[k] += strengths * (Lanes::from(there[k][g]) - own[k]);
            }
        }
        let (x, y, z) = (sum[0].to_array(), sum[1].to_array(), sum[2].to_array());
        for (k, force) in forces.iter_mut().enumerate() {
            *force += DVec3::new(x[k], y[k], z[k]);
        }
    }
}

/// The damper that acts along the links; isotropic ones are handled link by link.
fn axial_damper(kind: DampingKind, damping_n_s_per_m: f64) -> f64 {
    match kind {
        DampingKind::Axial => damping_n_s_per_m,
        DampingKind::Isotropic => 0.0,
    }
}
