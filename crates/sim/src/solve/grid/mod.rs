//! The fast path: matrix-free single-precision solves for cloths on grids.
//!
//! Positions, forces and the residual stay in double precision; only the correction is found in
//! single. The assembled matrix is the reference this is tested against.
//!
//! Verified by: `tests/fast_path.rs`.

mod links;
pub mod rows;

use crate::constraints::{StepConstraints, Target};
use crate::forces::{At, DampingKind};
use crate::model::{GridOfLinks, Materials, Model, Structure};
use crate::solve::held::{HeldPlace, HeldPlaces};
use glam::{DMat3, DVec3, Vec3};
use links::GridLinks;
use toile_numerics::lattice::{DIRECTIONS, LatticeOperator, Layout, Multilevel};
use toile_numerics::operator::{Operator, Preconditioner};
use toile_numerics::{Coupled, Coupling, Hold, par, pcg};

/// Single precision cannot be relied on to reach a smaller relative residual than this.
pub const TIGHTEST_TOLERANCE: f64 = 1e-5;

/// Stiffness of a held direction beside that of the links.
const BARRIER: f64 = 30.0;

/// Rows one task handles.
const ROW_GRAIN: usize = 16;

/// Operators, preconditioners and vectors of all cloths, one after the other.
pub struct FastSolver {
    grids: Vec<Grid>,
    levels: Vec<Multilevel>,
    held: Vec<bool>,
    filter: HeldPlaces,
    couplings: Vec<Coupling<f32>>,
    rhs: Vec<f32>,
    guess: Vec<f32>,
    x: Vec<f32>,
    /// The way everything would fall.
    fall: Vec<f32>,
    /// Scratch memory of the iteration.
    pub work: pcg::Workspace<f32>,
}

/// One cloth's operator and where its numbers come from.
struct Grid {
    operator: LatticeOperator,
    /// Its first particle.
    first_particle: usize,
    /// Where its vectors start.
    start: usize,
    links: GridLinks,
}

impl FastSolver {
    /// Memory for `model`; `None` unless all its cloths are grids of links.
    pub fn new(model: &Model) -> Option<Self> {
        let mut start = 0;
        let mut grids = Vec::new();
        if !model.is_all_shells() {
            return None;
        }
        for (cloth, shell) in model.shells() {
            let Structure::Links(links) = &shell.structure else {
                return None;
            };
            let grid = Grid::new(model, links, cloth.particles.start, start);
            start += grid.operator.len();
            grids.push(grid);
        }
        let way = vec![model.gravity_m_per_s2; model.particles()];
        let mut fall = vec![0.0; start];
        grids
            .iter()
            .for_each(|grid: &Grid| grid.pack(&way, &mut fall));
        Some(Self {
            levels: grids
                .iter()
                .map(|grid| Multilevel::new(grid.operator.layout()))
                .collect(),
            grids,
            held: vec![false; model.particles()],
            filter: HeldPlaces::default(),
            couplings: Vec::new(),
            rhs: vec![0.0; start],
            guess: vec![0.0; start],
            x: vec![0.0; start],
            fall,
            work: pcg::Workspace::default(),
        })
    }

    /// Linearises every link at these positions and velocities: takes over its share of
    /// `A = M − αD − sK`, adds its force, and returns the links' potential. To be followed by
    /// [`Self::refresh`].
    pub fn linearise(&mut self, materials: &Materials, at: &At<'_>, forces: &mut [DVec3]) -> f64 {
        let mut potential = 0.0;
        for Grid {
            links, operator, ..
        } in &mut self.grids
        {
            potential += links.linearise(materials, at, operator, forces);
        }
        for_each_isotropic_damper(materials, at.v, |[i, j], pull, dissipation_w| {
            forces[i] += pull;
            forces[j] -= pull;
            potential += at.weights.velocity_s * dissipation_w;
        });
        potential
    }

    /// The links' potential elsewhere, with the dampers' directions as linearised.
    pub fn potential(
        &mut self,
        materials: &Materials,
        x: &[DVec3],
        v: &[DVec3],
        velocity_s: f64,
    ) -> f64 {
        let mut potential = 0.0;
        for grid in &mut self.grids {
            potential += grid.links.potential(materials, x, v, velocity_s);
        }
        for_each_isotropic_damper(materials, v, |_, _, dissipation_w| {
            potential += velocity_s * dissipation_w;
        });
        potential
    }

    /// The links' share of one block row of `A p`.
    pub fn row_product(&self, particle: usize, p: &[DVec3]) -> DVec3 {
        let grid = &self.grids[self.grid_of(particle)];
        let (first, columns) = (grid.first_particle, grid.operator.layout().columns);
        let (column, row) = ((particle - first) % columns, (particle - first) / columns);
        let (p, here) = (&p[first..], p[particle]);
        let mut sum = DVec3::ZERO;
        for (direction, &(du, dv)) in DIRECTIONS.iter().enumerate() {
            for (side, sign) in [(1, 1), (-1, 0)] {
                let Some(other) = grid.neighbour((column, row), (side * du, side * dv)) else {
                    continue;
                };
                let from = if sign == 1 { (column, row) } else { other };
                let link = grid.operator.link(direction, from.0, from.1);
                let between = here - p[other.1 * columns + other.0];
                let q = Vec3::from_array(link.q).as_dvec3();
                sum += f64::from(link.c) * between + q * q.dot(between);
            }
        }
        sum
    }

    fn grid_of(&self, particle: usize) -> usize {
        self.grids
            .partition_point(|grid| grid.first_particle <= particle)
            - 1
    }

    /// Prepares a solve with the links as linearised. `extra_diagonal` holds a further block for
    /// every particle, or nothing.
    pub fn refresh(&mut self, extra_diagonal: &[DMat3], holds: &StepConstraints) {
        self.held.fill(false);
        self.filter.clear();
        for target in &holds.targets {
            let particle = target.particle as usize;
            self.held[particle] = target.hold == Hold::Fixed;
            let grid = self.grid_of(particle);
            self.filter.push(HeldPlace {
                place: self.grids[grid].place(particle),
                stride: self.grids[grid].operator.layout().stride,
                hold: target.hold,
            });
        }
        let barriers = self.barriers(holds);
        let held = &self.held;
        for (grid, levels) in self.grids.iter_mut().zip(&mut self.levels) {
            let (first, columns) = (grid.first_particle, grid.operator.layout().columns);
            let block_of = |blocks: &[DMat3], column: usize, row: usize| {
                let block = blocks[first + row * columns + column].as_mat3();
                let [x, y, z] = [block.x_axis, block.y_axis, block.z_axis];
                [x.x, x.y, x.z, y.y, y.z, z.z]
            };
            let extra = |column: usize, row: usize| block_of(extra_diagonal, column, row);
            let barrier = |column: usize, row: usize| block_of(&barriers, column, row);
            let extra: &dyn Fn(usize, usize) -> _ = &extra;
            let barrier: &dyn Fn(usize, usize) -> _ = &barrier;
            grid.operator
                .set_extra_diagonal((!extra_diagonal.is_empty()).then_some(extra));
            grid.operator
                .set_barriers((!barriers.is_empty()).then_some(barrier));
            grid.operator.refresh_diagonal();
            levels.refresh(&grid.operator, &|column, row| {
                held[first + row * columns + column]
            });
        }
    }

    /// Stiffness along the held directions of particles that are free in others; nothing if there are
    /// none. It tells the preconditioner that nothing moves that way.
    fn barriers(&self, holds: &StepConstraints) -> Vec<DMat3> {
        let partly = |target: &&Target| target.hold != Hold::Fixed;
        let mut barriers = Vec::new();
        for target in holds.targets.iter().filter(partly) {
            barriers.resize(self.held.len(), DMat3::ZERO);
            let particle = target.particle as usize;
            let held = DMat3::IDENTITY - target.hold.projection();
            barriers[particle] = BARRIER * self.stiffness(particle) * held;
        }
        barriers
    }

    /// The links' share of a diagonal block, as the mean of its diagonal.
    fn stiffness(&self, particle: usize) -> f64 {
        let grid = &self.grids[self.grid_of(particle)];
        let layout = grid.operator.layout();
        let local = particle - grid.first_particle;
        let here = (local % layout.columns, local / layout.columns);
        let mut sum = 0.0;
        for (direction, &(du, dv)) in DIRECTIONS.iter().enumerate() {
            for side in [1, -1] {
                let Some(other) = grid.neighbour(here, (side * du, side * dv)) else {
                    continue;
                };
                let (column, row) = if side == 1 { here } else { other };
                let link = grid.operator.link(direction, column, row);
                let axial = Vec3::from_array(link.q).length_squared() / 3.0;
                sum += f64::from(link.c + axial);
            }
        }
        sum
    }

    /// Takes over what contacts add off the diagonal; after [`Self::refresh`].
    pub fn couple(&mut self, couplings: &[Coupling<f64>]) {
        let mut own = std::mem::take(&mut self.couplings);
        own.clear();
        own.extend(couplings.iter().map(|coupling| {
            let grid = |place: u32| &self.grids[self.grid_of(place as usize / 3)];
            let stride = |place| grid(place).operator.layout().stride as u32;
            Coupling {
                places: coupling
                    .places
                    .map(|place| grid(place).place(place as usize / 3) as u32),
                strides: coupling.places.map(stride),
                weights: coupling.weights.map(|weight| weight as f32),
                block: coupling.block.map(|value| value as f32),
            }
        }));
        self.couplings = own;
    }

    /// `image = A p`, in single precision.
    pub fn product(&mut self, p: &[f64], image: &mut [f64]) {
        for grid in &self.grids {
            grid.pack(bytemuck::cast_slice(p), &mut self.x);
        }
        let operator = Coupled {
            inner: &Grids(&self.grids),
            couplings: &self.couplings,
        };
        operator.apply(&self.x, &mut self.rhs);
        self.guess.fill(0.0);
        image.fill(0.0);
        for grid in &self.grids {
            let image = bytemuck::cast_slice_mut(image);
            grid.unpack_change(&self.guess, &self.rhs, image);
        }
    }

    /// Solves `A p = b`; see [`pcg::solve`]. A rough solve, which another one corrects, may guess more freely
    /// how far cloth falls.
    pub fn solve(
        &mut self,
        b: &[f64],
        p: &mut [f64],
        params: &pcg::Params,
        is_rough: bool,
    ) -> Result<pcg::Info, pcg::Error> {
        let b: &[DVec3] = bytemuck::cast_slice(b);
        let p: &mut [DVec3] = bytemuck::cast_slice_mut(p);
        for grid in &self.grids {
            grid.pack_both((b, &mut self.rhs), (p, &mut self.guess, &mut self.x));
        }
        let problem = pcg::Problem {
            operator: &Coupled {
                inner: &Grids(&self.grids),
                couplings: &self.couplings,
            },
            filter: &self.filter,
            rhs: &self.rhs,
            doubt: is_rough.then_some(&self.fall),
        };
        let mut preconditioner = Additive {
            grids: &self.grids,
            levels: &mut self.levels,
        };
        let info = pcg::solve(
            &problem,
            &mut preconditioner,
            params,
            &mut self.x,
            &mut self.work,
        )?;
        for grid in &self.grids {
            grid.unpack_change(&self.guess, &self.x, p);
        }
        Ok(info)
    }
}

impl Grid {
    fn new(model: &Model, links: &GridOfLinks, first_particle: usize, start: usize) -> Self {
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

    fn place(&self, particle: usize) -> usize {
        let layout = self.operator.layout();
        let local = particle - self.first_particle;
        self.start + layout.place(3, local % layout.columns, local / layout.columns)
    }

    fn pack(&self, from: &[DVec3], to: &mut [f32]) {
        let layout = self.operator.layout();
        let from = &from[self.first_particle..];
        let to = &mut to[self.body()];
        par::for_each_row(to, 3 * layout.stride, ROW_GRAIN, move |row, to| {
            pack_row(layout, from, row, to);
        });
    }

    /// Packs a right-hand side, and a guess twice.
    fn pack_both(
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
    fn unpack_change(&self, guess: &[f32], x: &[f32], to: &mut [DVec3]) {
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

    fn range(&self) -> std::ops::Range<usize> {
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

/// Calls `f(ends, force on the first, half the power dissipated)` for every link with a damper
/// that acts in all directions.
fn for_each_isotropic_damper(
    materials: &Materials,
    v: &[DVec3],
    mut f: impl FnMut([usize; 2], DVec3, f64),
) {
    for family in materials.link_families() {
        let options = family.options();
        if options.damping != DampingKind::Isotropic || options.damping_n_s_per_m == 0.0 {
            continue;
        }
        for ends in family.ends() {
            let [i, j] = ends.map(|end| end as usize);
            let approach = v[j] - v[i];
            let pull = options.damping_n_s_per_m * approach;
            f([i, j], pull, 0.5 * approach.dot(pull));
        }
    }
}

/// All grids as one operator.
struct Grids<'a>(&'a [Grid]);

impl Operator<f32> for Grids<'_> {
    fn len(&self) -> usize {
        self.0.last().map_or(0, |grid| grid.range().end)
    }

    fn apply(&self, x: &[f32], y: &mut [f32]) {
        for grid in self.0 {
            grid.operator.apply(&x[grid.range()], &mut y[grid.range()]);
        }
    }

    fn apply_dot(&self, x: &[f32], y: &mut [f32]) -> f64 {
        let mut product = 0.0;
        for grid in self.0 {
            let (x, y) = (&x[grid.range()], &mut y[grid.range()]);
            product += grid.operator.apply_dot(x, y);
        }
        product
    }
}

/// Block-Jacobi plus coarse correction, grid by grid.
struct Additive<'a> {
    grids: &'a [Grid],
    levels: &'a mut [Multilevel],
}

impl Preconditioner<f32> for Additive<'_> {
    fn apply(&mut self, r: &[f32], z: &mut [f32]) {
        self.apply_dot(r, z);
    }

    fn apply_dot(&mut self, r: &[f32], z: &mut [f32]) -> f64 {
        let mut product = 0.0;
        for (grid, levels) in self.grids.iter().zip(&mut *self.levels) {
            let (r, z) = (&r[grid.range()], &mut z[grid.range()]);
            product += levels.apply(&grid.operator, r, z);
        }
        product
    }
}
