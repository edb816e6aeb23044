//! A step's linear system, kept for study.

use glam::DMat3;
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
