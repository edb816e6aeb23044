//! The fast form of cloths on grids of links: matrix-free, in single precision.
//!
//! The assembled matrix is the reference this is tested against.
//!
//! Verified by: `tests/fast_path.rs`.

mod cloth;
mod links;
pub mod rows;

use crate::config::StepConfig;
use crate::constraints::{StepConstraints, Target};
use crate::forces::{At, DampingKind};
use crate::model::{Materials, Model, Structure};
use crate::solve::form::{Fallback, Form, LinearForm, Parts};
use crate::solve::single::{self, SingleSolve};
use cloth::Grid;
use glam::{DMat3, DVec3};
use toile_numerics::lattice::Multilevel;
use toile_numerics::operator::{Operator, Preconditioner};
use toile_numerics::{Coupling, Hold, pcg};

/// Stiffness of a held direction beside that of the links.
const BARRIER: f64 = 30.0;

/// Operators, preconditioners and vectors of all cloths, one after the other.
pub struct GridForm {
    grids: Vec<Grid>,
    levels: Vec<Multilevel>,
    single: SingleSolve,
}

impl LinearForm for GridForm {
    fn supports(model: &Model, config: &StepConfig) -> Result<(), Fallback> {
        let on_grid = |structure: &Structure| matches!(structure, Structure::Links(_));
        single::supports(model, config, on_grid)
    }

    fn new(model: &Model, _config: &StepConfig) -> Self {
        let (mut grids, mut start) = (Vec::new(), 0);
        for (cloth, shell) in model.shells() {
            if let Structure::Links(links) = &shell.structure {
                let grid = Grid::new(model, links, cloth.particles.start, start);
                start = grid.range().end;
                grids.push(grid);
            }
        }
        let mut single = SingleSolve::new(model.particles(), start);
        let way = vec![model.gravity_m_per_s2; model.particles()];
        for grid in &grids {
            grid.pack(&way, &mut single.fall);
        }
        let levels = |grid: &Grid| Multilevel::new(grid.operator.layout());
        Self {
            levels: grids.iter().map(levels).collect(),
            grids,
            single,
        }
    }

    fn kind(_config: &StepConfig) -> Form {
        Form::Fast
    }

    fn is_single(&self) -> bool {
        true
    }

    fn linearise(
        &mut self,
        materials: &Materials,
        at: &At<'_>,
        forces: &mut [DVec3],
    ) -> Option<f64> {
        let mut potential = 0.0;
        for Grid {
            links, operator, ..
        } in &mut self.grids
        {
            let (placed, strengths) = links.place(at);
            potential += operator.fill_links(strengths, &|direction, row, links, strengths| {
                let direction = placed.direction(direction);
                let family = direction.family(materials);
                let room = (links, strengths);
                let row = placed.row(direction, family, row, &at.weights, room);
                family.linearise_row(direction.class, row)
            });
            links.gather(forces);
        }
        for_each_isotropic_damper(materials, at.v, |[i, j], pull, dissipation_w| {
            forces[i] += pull;
            forces[j] -= pull;
            potential += at.weights.velocity_s * dissipation_w;
        });
        Some(potential)
    }

    fn potential(
        &mut self,
        materials: &Materials,
        x: &[DVec3],
        v: &[DVec3],
        velocity_s: f64,
    ) -> Option<f64> {
        let mut potential = 0.0;
        for grid in &mut self.grids {
            let tried = grid.links.try_at(x, v);
            potential += tried.sum(|direction, row| {
                let family = direction.family(materials);
                let row = tried.row(direction, family, row, velocity_s);
                family.row_potential(direction.class, row)
            });
        }
        for_each_isotropic_damper(materials, v, |_, _, dissipation_w| {
            potential += velocity_s * dissipation_w;
        });
        Some(potential)
    }

    fn refresh(&mut self, parts: &Parts<'_>) {
        let place = |particle: usize| self.grids[grid_of(&self.grids, particle)].place(particle);
        self.single.hold(parts.constraints, place);
        self.single.couple(parts.couplings, place);
        let barriers = self.barriers(parts.constraints);
        let held = &self.single.held;
        for (grid, levels) in self.grids.iter_mut().zip(&mut self.levels) {
            let (first, columns) = (grid.first_particle, grid.operator.layout().columns);
            let block_of = |blocks: &[DMat3], column: usize, row: usize| {
                let block = blocks[first + row * columns + column].as_mat3();
                let [x, y, z] = [block.x_axis, block.y_axis, block.z_axis];
                [x.x, x.y, x.z, y.y, y.z, z.z]
            };
            let extra = |column: usize, row: usize| block_of(parts.diagonal, column, row);
            let barrier = |column: usize, row: usize| block_of(&barriers, column, row);
            let extra: &dyn Fn(usize, usize) -> _ = &extra;
            let barrier: &dyn Fn(usize, usize) -> _ = &barrier;
            grid.operator
                .set_extra_diagonal((!parts.diagonal.is_empty()).then_some(extra));
            grid.operator
                .set_barriers((!barriers.is_empty()).then_some(barrier));
            grid.operator.refresh_diagonal();
            levels.refresh(&grid.operator, &|column, row| {
                held[first + row * columns + column]
            });
        }
    }

    fn solve(
        &mut self,
        _parts: &Parts<'_>,
        b: &[f64],
        p: &mut [f64],
        params: &pcg::Params,
        is_rough: bool,
    ) -> Result<pcg::Info, pcg::Error> {
        let b: &[DVec3] = bytemuck::cast_slice(b);
        let p: &mut [DVec3] = bytemuck::cast_slice_mut(p);
        let SingleSolve { rhs, guess, x, .. } = &mut self.single;
        for grid in &self.grids {
            grid.pack_both((b, rhs), (p, guess, x));
        }
        let mut preconditioner = Additive {
            grids: &self.grids,
            levels: &mut self.levels,
        };
        let operator = Grids(&self.grids);
        let info = (self.single).solve(&operator, &mut preconditioner, params, is_rough)?;
        for grid in &self.grids {
            grid.unpack_change(&self.single.guess, &self.single.x, p);
        }
        Ok(info)
    }

    fn row_product(&self, parts: &Parts<'_>, row: usize, p: &[DVec3]) -> DVec3 {
        let grid = &self.grids[grid_of(&self.grids, row)];
        parts.own_product(row, p) + grid.row_product(row, p)
    }

    fn product(&mut self, _couplings: &[Coupling<f64>], p: &[f64], image: &mut [f64]) {
        for grid in &self.grids {
            grid.pack(bytemuck::cast_slice(p), &mut self.single.x);
        }
        self.single.multiply(&Grids(&self.grids));
        image.fill(0.0);
        for grid in &self.grids {
            let SingleSolve { guess, rhs, .. } = &self.single;
            grid.unpack_change(guess, rhs, bytemuck::cast_slice_mut(image));
        }
    }

    fn record(&mut self, record: bool) {
        self.single.record(record);
    }

    fn residuals(&self) -> &[f64] {
        self.single.residuals()
    }
}

impl GridForm {
    /// Stiffness along the held directions of particles that are free in others; nothing if there are
    /// none. It tells the preconditioner that nothing moves that way.
    fn barriers(&self, constraints: &StepConstraints) -> Vec<DMat3> {
        let partly = |target: &&Target| target.hold != Hold::Fixed;
        let mut barriers = Vec::new();
        for target in constraints.targets.iter().filter(partly) {
            barriers.resize(self.single.held.len(), DMat3::ZERO);
            let particle = target.particle as usize;
            let held = DMat3::IDENTITY - target.hold.projection();
            barriers[particle] =
                BARRIER * self.grids[grid_of(&self.grids, particle)].stiffness(particle) * held;
        }
        barriers
    }
}

/// Which grid a particle is on.
fn grid_of(grids: &[Grid], particle: usize) -> usize {
    grids.partition_point(|grid| grid.first_particle <= particle) - 1
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
