//! Velocity solves of the mixed schemes, `(M − w D) p = b`, matrix-free and in double precision.
//!
//! - The operator is made of the elements' dampers, linearised at the step's positions, and the
//!   frozen drag of the air; every particle gathers from its own elements, so the bits do not
//!   depend on threads.
//! - The masses precondition it, and the iteration starts from the undamped answer `M⁻¹ b`. All
//!   that is added then has no net momentum whatever the tolerance, as `D` has none for links.
//! - Where the source solves with the conjugate residual method for an indefinite matrix, `−D` here
//!   is positive semidefinite.
//!
//! Source: *Simulation of Clothing with Folds and Wrinkles*, section 3 (the velocity updates).
//! Verified by: `tests/integrators.rs`.

use crate::forces::air::Drag;
use crate::forces::{At, Terms};
use crate::model::{Materials, Model};
use glam::DVec3;
use toile_numerics::integrate::{LinearInfo, Weights};
use toile_numerics::{Filter, Operator, ParticleFilter, Preconditioner, par, pcg};

/// Residual, relative to the right-hand side, at which the iteration stops. Every iteration gains
/// digits: the operator is a mass matrix, disturbed by what dampers do in half a step.
const TOLERANCE: f64 = 1e-10;

/// Particles one task multiplies.
const PARTICLE_GRAIN: usize = 256;

/// All dampers and scratch memory.
#[derive(Default)]
pub struct VelocitySolver {
    terms: Vec<Terms>,
    rhs: Vec<f64>,
    change: Vec<f64>,
    work: pcg::Workspace<f64>,
}

/// What the operator is made of but for the elements' dampers.
pub struct Dampers<'a> {
    /// Masses and elements.
    pub model: &'a Model,
    /// What those are made of.
    pub materials: &'a Materials,
    /// The air as frozen; empty without.
    pub drags: &'a [Drag],
    /// What is held.
    pub filter: &'a ParticleFilter,
    /// `w`, s.
    pub damping_s: f64,
}

impl VelocitySolver {
    /// Keeps all dampers at `x`.
    pub fn freeze(&mut self, materials: &Materials, x: &[DVec3], memory: &[f64]) {
        let at = At {
            x,
            // Dampers do not depend on velocities: they are multiplied by them.
            v: x,
            memory,
            weights: Weights {
                damping_s: 1.0,
                ..Weights::default()
            },
        };
        self.terms
            .resize_with(materials.families().count(), Terms::default);
        for (family, terms) in materials.families().zip(&mut self.terms) {
            family.linearise(&at, None, terms);
        }
    }

    /// Solves for the free part of `p`; the held part becomes zero.
    pub fn solve(
        &mut self,
        dampers: &Dampers<'_>,
        b: &[f64],
        p: &mut [f64],
        max_iterations: u32,
    ) -> Result<LinearInfo, pcg::Error> {
        let Self {
            terms,
            rhs,
            change,
            work,
        } = self;
        let masses = &dampers.model.coordinate_masses;
        let operator = VelocityOperator { dampers, terms };
        par::fill(p, |i| b[i] / masses[i]);
        dampers.filter.project(p);
        rhs.resize(b.len(), 0.0);
        change.resize(b.len(), 0.0);
        operator.apply(p, rhs);
        for (rhs, b) in rhs.iter_mut().zip(b) {
            *rhs = b - *rhs;
        }
        change.fill(0.0);
        let problem = pcg::Problem {
            operator: &operator,
            filter: dampers.filter,
            rhs,
            doubt: None,
        };
        let params = pcg::Params {
            tolerance: TOLERANCE,
            least_reference: par::dot(b, b).sqrt(),
            reference: None,
            max_iterations,
            definite: false,
        };
        let info = pcg::solve(&problem, &mut InverseMasses(masses), &params, change, work)?;
        for (p, change) in p.iter_mut().zip(&*change) {
            *p += change;
        }
        Ok(LinearInfo {
            iterations: info.iterations,
            relative_residual: info.relative_residual,
            converged: info.converged,
        })
    }
}

/// `M − w D`.
struct VelocityOperator<'a> {
    dampers: &'a Dampers<'a>,
    terms: &'a [Terms],
}

impl Operator<f64> for VelocityOperator<'_> {
    fn len(&self) -> usize {
        3 * self.dampers.model.particles()
    }

    fn apply(&self, x: &[f64], y: &mut [f64]) {
        let Dampers {
            model,
            materials,
            drags,
            damping_s,
            ..
        } = *self.dampers;
        let x: &[DVec3] = bytemuck::cast_slice(x);
        let y: &mut [DVec3] = bytemuck::cast_slice_mut(y);
        par::for_each_leaf(y, PARTICLE_GRAIN, |first, leaf| {
            for (k, image) in leaf.iter_mut().enumerate() {
                let row = first + k;
                let mut damped = DVec3::ZERO;
                for (family, terms) in materials.families().zip(self.terms) {
                    damped += family.row_product(row, terms, x);
                }
                if let Some(drag) = drags.get(row) {
                    damped += drag.resistance * x[row];
                }
                *image = model.masses[row] * x[row] + damping_s * damped;
            }
        });
    }
}

/// `M⁻¹`.
struct InverseMasses<'a>(&'a [f64]);

impl Preconditioner<f64> for InverseMasses<'_> {
    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        par::fill(z, |i| r[i] / self.0[i]);
    }
}
