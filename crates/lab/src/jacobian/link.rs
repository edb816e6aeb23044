//! The links of the audited sheet, written down a second time from their definition.

use super::{CURVATURE_THRESHOLD, MARGIN, SIDE, SPACING_M};
use crate::experiment::Error;
use crate::specimen;
use glam::{DMat3, DVec3};
use toile_sim::forces::{AxialLaw, BucklingLink, Curve};
use toile_sim::{Jacobian, Material};

/// What a link does.
#[derive(Clone, Copy, PartialEq)]
pub enum Law {
    /// Pulls.
    Stretch,
    /// Pushes.
    Bending,
}

/// A link, written down a second time from its definition.
pub struct Link {
    /// Its particles.
    pub ends: [usize; 2],
    rest_m: f64,
    /// What it does.
    pub law: Law,
    /// Stiffness, before buckling if it is a bending link, N/m.
    stiffness: f64,
    bending: Option<BucklingLink>,
}

impl Link {
    /// The links of the audited sheet.
    pub fn all(material: &Material) -> Result<Vec<Self>, Error> {
        let sheet = specimen::sheet(SIDE, SIDE, SPACING_M, *material);
        let grid = specimen::rectangle(&sheet).grid;
        let model = specimen::model(sheet, 0.0)?;
        let curve = Curve::new(material.curve, material.evaluation).unwrap_or_default();
        let mut links = Vec::new();
        let pattern = model.pattern_positions();
        for (law, family) in [
            (Law::Stretch, &model.materials.stretch[0]),
            (Law::Bending, &model.materials.bending[0]),
        ] {
            for ends in family.ends() {
                let ends = ends.map(|end| end as usize);
                let [(c0, r0), (c1, r1)] = ends.map(|end| grid.cell_of(end));
                let rest_m = pattern[ends[0]].distance(pattern[ends[1]]);
                let diagonal = c0 != c1 && r0 != r1;
                let last = SIDE - 1;
                let border = !diagonal
                    && if r0 == r1 {
                        r0 == 0 || r0 == last
                    } else {
                        c0 == 0 || c0 == last
                    };
                let share = if border { 0.5 } else { 1.0 };
                let axis = material.bending_warp_n_m * SPACING_M / 2.25;
                // The sheet's rigidity is that of arcs, whose critical load is 12.
                let rigidity = 12.0 / curve.critical_load()
                    * share
                    * if diagonal {
                        axis / 2.0_f64.sqrt()
                    } else {
                        axis
                    };
                let before = curve.critical_load() * rigidity
                    / (CURVATURE_THRESHOLD.powi(2) * (0.5 * rest_m).powi(5));
                let stiffness = match law {
                    Law::Bending => before,
                    Law::Stretch if diagonal => share * material.shear_n_per_m,
                    Law::Stretch => share * material.stretch_warp_n_per_m,
                };
                links.push(Self {
                    ends,
                    rest_m,
                    law,
                    stiffness,
                    bending: BucklingLink::bent_as(curve, rigidity, rest_m, before).ok(),
                });
            }
        }
        Ok(links)
    }

    fn between(&self, x: &[DVec3]) -> DVec3 {
        x[self.ends[1]] - x[self.ends[0]]
    }

    /// Whether a small shift stays on the same branch of the law.
    pub fn is_clear_of_kinks(&self, x: &[DVec3]) -> bool {
        let compression = 1.0 - self.between(x).length() / self.rest_m;
        let crossover = self.bending.map_or(0.0, |link| link.crossover());
        compression.abs() > MARGIN && (compression - crossover).abs() > MARGIN
    }

    /// What a matrix leaves out of the link's exact block (less what it adds).
    pub fn left_out(
        &self,
        x: &[DVec3],
        jacobian: Jacobian,
        slack_factor: f64,
    ) -> ([usize; 2], DMat3) {
        let d = self.between(x);
        let (r, n) = (d.length(), d.normalize());
        let axial = outer(n, n);
        let block = match (self.law, self.bending) {
            (Law::Stretch, _) if r < self.rest_m => -slack_factor * self.stiffness * axial,
            (Law::Bending, Some(law)) if jacobian != Jacobian::Exact => {
                law.respond(r).tension_n / r * (DMat3::IDENTITY - axial)
            }
            _ => DMat3::ZERO,
        };
        (self.ends, block)
    }

    /// The same of a spring in its place.
    pub fn left_out_as_spring(&self, x: &[DVec3], jacobian: Jacobian) -> ([usize; 2], DMat3) {
        let d = self.between(x);
        let (r, n) = (d.length(), d.normalize());
        let across = self.stiffness * (1.0 - self.rest_m / r);
        let share = match jacobian {
            Jacobian::Exact => 0.0,
            Jacobian::DropOrthogonal => across,
            Jacobian::Projected => across.min(0.0),
        };
        (self.ends, share * (DMat3::IDENTITY - outer(n, n)))
    }

    /// `∂f_i/∂x_j` of an axial damper.
    pub fn damper_turn(&self, x: &[DVec3], v: &[DVec3], k_d: f64) -> DMat3 {
        let d = self.between(x);
        let (r, n) = (d.length(), d.normalize());
        let w = v[self.ends[1]] - v[self.ends[0]];
        let across = DMat3::IDENTITY - outer(n, n);
        k_d / r * (n.dot(w) * across + outer(n, across * w))
    }
}

/// `a bᵀ`.
fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(b.x * a, b.y * a, b.z * a)
}
