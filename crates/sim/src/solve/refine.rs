//! What single precision loses of a first guess that leads far away, found again in double.
//!
//! In steps of many seconds free flight leads kilometres away, while cloth that hangs moves by
//! millimetres. Single precision then rounds the guess by millimetres, and what it leaves of the
//! equations is so much that the iteration, which stops at a share of it, stops at nonsense. The residual
//! in double precision tells, and a solve for what is missing, without a guess, makes it good.

use crate::error::StepError;
use crate::solve::contact_assembly;
use crate::solve::system::ClothSystem;
use glam::DVec3;
use toile_numerics::{Filter, par, pcg};

/// Steps, in s, below which nothing leads far: most runs need not look.
const SHORT_S: f64 = 0.1;

/// Shortest links beyond which a guess is far away: single precision rounds it by 1e-5 of a link.
const FAR_LINKS: f64 = 100.0;

/// Further solves at most; in steps of minutes one is enough.
const MOST_REFINEMENTS: u32 = 3;

impl ClothSystem<'_> {
    /// Whether what `p` makes of the equations has to be looked at in double precision.
    pub(crate) fn leads_far(&self, p: &[f64]) -> bool {
        let is_long = self.weights.velocity_s > SHORT_S && self.work.form.is_single();
        is_long && par::max_abs(p) > FAR_LINKS * self.model.shortest_link_m
    }

    /// Solves `A p = b` for what is missing in `p`, until the residual is what was asked for.
    pub(crate) fn refine(
        &mut self,
        b: &[f64],
        p: &mut [f64],
        params: &pcg::Params,
        info: &mut pcg::Info,
    ) -> Result<(), StepError> {
        let reference = params.reference.unwrap_or_else(|| norm(&self.free_part(b)));
        let params = pcg::Params {
            reference: Some(reference.max(params.least_reference)),
            ..*params
        };
        let enough = params.tolerance * reference.max(params.least_reference);
        for _ in 0..MOST_REFINEMENTS {
            let residual = self.residual(b, p);
            let missing = self.free_part(&residual);
            if norm(&missing) <= enough {
                break;
            }
            let mut change = vec![0.0; p.len()];
            let (form, parts) = self.form_and_parts();
            let more = form.solve(&parts, &missing, &mut change, &params, false)?;
            let iterations = info.iterations + more.iterations;
            *info = pcg::Info { iterations, ..more };
            for (p, change) in p.iter_mut().zip(self.free_part(&change)) {
                *p += change;
            }
        }
        Ok(())
    }

    fn free_part(&self, vector: &[f64]) -> Vec<f64> {
        let mut free = vector.to_vec();
        self.constraints.filter.project(&mut free);
        free
    }

    /// `b − A p` in double precision.
    fn residual(&mut self, b: &[f64], p: &[f64]) -> Vec<f64> {
        let mut residual = b.to_vec();
        let (b, p): (&[DVec3], &[DVec3]) = (bytemuck::cast_slice(b), bytemuck::cast_slice(p));
        let (form, parts) = self.form_and_parts();
        let contacts = contact_assembly::product(parts.couplings, p);
        par::fill(bytemuck::cast_slice_mut(&mut residual), |i| {
            let contacts = contacts.get(i).copied().unwrap_or_default();
            b[i] - form.row_product(&parts, i, p) - contacts
        });
        residual
    }
}

fn norm(vector: &[f64]) -> f64 {
    par::dot(vector, vector).sqrt()
}
