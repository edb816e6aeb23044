//! A step's linear system, kept for study.

use crate::forces::{At, Terms};
use crate::model::Materials;
use crate::solve::assembled;
use crate::solve::form::Parts;
use glam::DMat3;
use toile_numerics::integrate::Weights;
use toile_numerics::{BlockCsr, Hold};

/// The first linear system of a step, as it was solved: `A p = b` for the free part of `p`.
#[derive(Clone, Debug)]
pub struct SystemDump {
    /// The step, counted from 1.
    pub step: u64,
    /// `α` in `A = M − α D − s K`, s.
    pub alpha_s: f64,
    /// `s` in it, s²; `α²` for backward Euler and BDF2.
    pub stiffness_s2: f64,
    /// `A`, with held particles like any other.
    pub matrix: BlockCsr,
    /// `b`, kg·m.
    pub rhs: Vec<f64>,
    /// `p`, m: how far each particle moves.
    pub solution: Vec<f64>,
    /// What is held, in ascending order of particle; all else is free.
    pub holds: Vec<(u32, Hold)>,
    /// Relative residual at the start and after every iteration; empty for a direct solve.
    pub residuals: Vec<f64>,
}

impl SystemDump {
    /// Projection of every particle onto its free directions.
    pub fn projections(&self) -> Vec<DMat3> {
        let mut projections = vec![DMat3::IDENTITY; self.matrix.pattern().rows()];
        for &(particle, hold) in &self.holds {
            projections[particle as usize] = hold.projection();
        }
        projections
    }
}

/// Keeps the first linear system of a step. Whatever form solves it, all elements are linearised once more
/// in double precision.
#[derive(Default)]
pub struct SystemRecorder {
    /// The step, counted from 1.
    pub step: u64,
    /// What was kept in the last try of that step, if that came as far.
    pub kept: Option<SystemDump>,
    terms: Vec<Terms>,
}

impl SystemRecorder {
    /// One for a step, counted from 1.
    pub fn of_step(step: u64) -> Self {
        Self {
            step,
            ..Self::default()
        }
    }

    /// Linearises every element.
    pub fn linearise(&mut self, materials: &Materials, at: &At<'_>) {
        self.terms
            .resize_with(materials.families().count(), Terms::default);
        for (family, terms) in materials.families().zip(&mut self.terms) {
            family.linearise(at, None, terms);
        }
    }

    /// Keeps the system `A p = b` as it was solved. The first of a step's systems, where there are several,
    /// is that of the step as it starts.
    pub fn keep(
        &mut self,
        weights: &Weights,
        parts: &Parts<'_>,
        [b, p]: [&[f64]; 2],
        residuals: &[f64],
    ) {
        let Self { step, kept, terms } = self;
        kept.get_or_insert_with(|| SystemDump {
            step: *step,
            alpha_s: weights.damping_s,
            stiffness_s2: weights.stiffness_s2,
            matrix: assembled::matrix(&Parts { terms, ..*parts }),
            rhs: b.to_vec(),
            solution: p.to_vec(),
            holds: parts.constraints.filter.holds().to_vec(),
            residuals: residuals.to_vec(),
        });
    }
}
