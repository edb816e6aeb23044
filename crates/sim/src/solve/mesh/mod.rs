//! The fast form of cloths on triangles: block rows in single precision, with block-Jacobi plus a
//! cycle over coarse lattices in pattern space.
//!
//! The assembled matrix is the reference this is tested against.
//!
//! Verified by: `tests/mesh_solver.rs`.

mod chart;
mod panels;

use crate::config::StepConfig;
use crate::model::{Model, Structure};
use crate::solve::form::{Fallback, Form, LinearForm, Parts};
use crate::solve::single::{self, Place, SingleSolve};
use chart::{Chart, Follower};
use glam::DVec3;
use panels::panels;
use std::ops::Range;
use toile_numerics::operator::Preconditioner;
use toile_numerics::single_csr::{STRIDE, SingleCsr};
use toile_numerics::single_sum::{Blocks, BlocksMut};
use toile_numerics::{Coupling, Csr, par, pcg};
use wide::f32x4;

/// Particles one task handles.
const PARTICLE_GRAIN: usize = 256;

/// The matrix, what inverts it nearly, and vectors.
pub struct MeshForm {
    matrix: SingleCsr,
    /// The elements' blocks, and which of them each family has.
    blocks: Blocks,
    of_family: Vec<Range<usize>>,
    charts: Vec<Chart>,
    cloth_of_chart: Vec<usize>,
    /// How every particle follows the charts' lattices.
    followers: Csr<Follower>,
    single: SingleSolve,
}

impl LinearForm for MeshForm {
    fn supports(model: &Model, config: &StepConfig) -> Result<(), Fallback> {
        let on_triangles = |structure: &Structure| matches!(structure, Structure::Triangles { .. });
        single::supports(model, config, on_triangles)
    }

    fn new(model: &Model, _config: &StepConfig) -> Self {
        let particles = model.particles();
        let panels = panels(model);
        // A particle with several places follows each of them by an equal share.
        let mut count = vec![0_u32; particles];
        for (particle, _) in panels.iter().flat_map(|panel| &panel.places) {
            count[*particle as usize] += 1;
        }
        let shares: Vec<f64> = count.iter().map(|n| 1.0 / f64::from(*n).max(1.0)).collect();
        let mut of_particle: Vec<Vec<Follower>> = vec![Vec::new(); particles];
        let charts = panels.iter().enumerate();
        let charts = charts
            .map(|(chart, panel)| {
                Chart::new(chart as u32, panel, &shares, |particle, follower| {
                    of_particle[particle as usize].push(follower);
                })
            })
            .collect();
        let mut single = SingleSolve::new(particles, STRIDE * particles);
        pack(&vec![model.gravity_m_per_s2; particles], &mut single.fall);
        let symmetric = model
            .materials
            .families()
            .all(|family| family.has_symmetric_blocks());
        let (mut of_family, mut couplings, mut count) = (Vec::new(), Vec::new(), 0);
        for family in &model.materials.elements {
            let mut block = count as u32;
            family.for_each_coupling(&mut |pair| {
                couplings.push((block, pair));
                block += 1;
            });
            of_family.push(count..count + family.blocks());
            count += family.blocks();
        }
        Self {
            matrix: SingleCsr::zeros(model.matrix_pattern.clone(), symmetric, &couplings),
            blocks: Blocks::new(count, symmetric),
            of_family,
            charts,
            cloth_of_chart: panels.iter().map(|panel| panel.cloth).collect(),
            followers: Csr::from_rows(of_particle),
            single,
        }
    }

    fn kind(_config: &StepConfig) -> Form {
        Form::Fast
    }

    fn is_single(&self) -> bool {
        true
    }

    fn blocks_of(&mut self, family: usize) -> Option<BlocksMut<'_>> {
        Some(self.blocks.range_mut(self.of_family[family].clone()))
    }

    fn refresh(&mut self, parts: &Parts<'_>) {
        let own = |row: usize| {
            let mut own = [0.0; 6];
            if let Some(extra) = parts.diagonal.get(row) {
                let (x, y, z) = (extra.x_axis, extra.y_axis, extra.z_axis);
                own = [x.x, x.y, x.z, y.y, y.z, z.z];
            }
            for diagonal in [0, 3, 5] {
                own[diagonal] += parts.model.masses[row];
            }
            own
        };
        self.matrix.fill(&self.blocks, &own);
        self.single.hold(parts.constraints, place);
        self.single.couple(parts.couplings, place);
        let held = &self.single.held;
        for (chart, cloth) in self.charts.iter_mut().zip(&self.cloth_of_chart) {
            let cloth = &parts.model.deformables[*cloth];
            let Some(Structure::Triangles { membrane }) = cloth.shell().map(|s| s.structure) else {
                continue;
            };
            let triangles = self.blocks.halves(self.of_family[membrane].clone());
            let blocks = |face: u32| {
                let first = 3 * (face as usize - cloth.faces.start);
                [triangles[first], triangles[first + 1], triangles[first + 2]]
            };
            chart.refresh(&blocks, held, &|particle| {
                own(particle as usize).map(|value| value as f32)
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
        let SingleSolve { rhs, guess, x, .. } = &mut self.single;
        pack(bytemuck::cast_slice(b), rhs);
        pack(bytemuck::cast_slice(p), guess);
        par::copy(guess, x);
        let mut preconditioner = Additive {
            matrix: &self.matrix,
            charts: &mut self.charts,
            followers: &self.followers,
        };
        let info = (self.single).solve(&self.matrix, &mut preconditioner, params, is_rough)?;
        let SingleSolve { guess, x, .. } = &self.single;
        unpack_change(guess, x, bytemuck::cast_slice_mut(p));
        Ok(info)
    }

    fn row_product(&self, _parts: &Parts<'_>, row: usize, p: &[DVec3]) -> DVec3 {
        self.matrix.row_product(row, p)
    }

    fn product(&mut self, _couplings: &[Coupling<f64>], p: &[f64], image: &mut [f64]) {
        pack(bytemuck::cast_slice(p), &mut self.single.x);
        self.single.multiply(&self.matrix);
        image.fill(0.0);
        let SingleSolve { guess, rhs, .. } = &self.single;
        unpack_change(guess, rhs, bytemuck::cast_slice_mut(image));
    }

    fn record(&mut self, record: bool) {
        self.single.record(record);
    }

    fn residuals(&self) -> &[f64] {
        self.single.residuals()
    }
}

/// Where a particle's components are.
fn place(particle: usize) -> Place {
    Place {
        first: STRIDE * particle,
        stride: 1,
    }
}

fn pack(from: &[DVec3], to: &mut [f32]) {
    par::for_each_row(to, STRIDE, PARTICLE_GRAIN, |k, to| {
        let value = from[k].as_vec3();
        to.copy_from_slice(&[value.x, value.y, value.z, 0.0]);
    });
}

/// Adds what the solve changed, so that a guess that was right stays right to the last bit.
fn unpack_change(guess: &[f32], x: &[f32], to: &mut [DVec3]) {
    par::for_each_leaf(to, PARTICLE_GRAIN, |first, leaf| {
        for (k, value) in leaf.iter_mut().enumerate() {
            let at = STRIDE * (first + k);
            let change = |i: usize| f64::from(x[at + i] - guess[at + i]);
            *value += DVec3::new(change(0), change(1), change(2));
        }
    });
}

/// Block-Jacobi plus the answers of the charts' lattices.
struct Additive<'a> {
    matrix: &'a SingleCsr,
    charts: &'a mut [Chart],
    followers: &'a Csr<Follower>,
}

impl Preconditioner<f32> for Additive<'_> {
    fn apply(&mut self, r: &[f32], z: &mut [f32]) {
        for chart in &mut *self.charts {
            chart.solve(r);
        }
        let (charts, followers) = (&*self.charts, self.followers);
        self.matrix.apply_inverse_diagonal(r, z, &|particle| {
            let answer = |f: &Follower| charts[f.chart as usize].answer(f);
            match followers.row(particle) {
                [only] => answer(only),
                several => several.iter().map(answer).fold(f32x4::ZERO, |a, b| a + b),
            }
        });
    }
}
