//! What a cloth is made of, in SI units.

use crate::error::BuildError;
use crate::forces::curve::{Evaluation, Shape};
use crate::forces::{DampingKind, Jacobian};

/// How stiffly a bending link resists compression before it buckles (`c_b` of the source).
///
/// Below the threshold the link is a weak compression spring; above it, the buckled arc. The
/// threshold decides the smallest curvature at which the sheet has any bending stiffness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Compression {
    /// Keep the full rigidity down to this curvature, in 1/m, at every resolution.
    CurvatureThreshold(f64),
    /// The same, but no stiffer in compression than the cloth is in extension: on fine grids the
    /// threshold is raised accordingly. A small curvature threshold there would make bending links
    /// many times stiffer than what they bend.
    Limited(f64),
    /// Give the stiffness of every axis link directly, in N/m.
    Stiffness(f64),
    /// No regularisation: the link carries its critical load from the first compression on.
    Rigid,
}

/// A fabric as the models see it. Warp runs along u, weft along v.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Mass per area, kg/m².
    pub area_density_kg_per_m2: f64,
    /// Stretch stiffness along warp, N/m: the stiffness of one axis link of a square grid.
    pub stretch_warp_n_per_m: f64,
    /// Stretch stiffness along weft, N/m.
    pub stretch_weft_n_per_m: f64,
    /// Shear stiffness, N/m: the stiffness of one diagonal link of a square grid.
    pub shear_n_per_m: f64,
    /// Flexural rigidity of the sheet for bending along warp, N·m.
    pub bending_warp_n_m: f64,
    /// Flexural rigidity of the sheet for bending along weft, N·m.
    pub bending_weft_n_m: f64,
    /// Resistance to compression before buckling.
    pub compression: Compression,
    /// Shape that a buckled bending link takes.
    pub curve: Shape,
    /// How that shape is evaluated.
    pub evaluation: Evaluation,
    /// Damper along every link, N·s/m.
    pub damping_n_s_per_m: f64,
    /// Direction in which that damper acts.
    pub damping: DampingKind,
    /// Viscosity of hinges as a share of their rigidity, s.
    pub bending_damping_s: f64,
    /// What the solver's matrix keeps of the exact Jacobian.
    pub jacobian: Jacobian,
    /// Share of a slack link's axial stiffness kept in the solver's matrix, 0 to 1. It changes
    /// no force, only how far a link that has gone slack may fly within one linear solve.
    pub slack_factor: f64,
    /// Thickness of the cloth: the distance it keeps from what it touches, m.
    pub thickness_m: f64,
}

impl Default for Material {
    /// A light cotton, the sheet most tests are run with.
    fn default() -> Self {
        Self {
            area_density_kg_per_m2: 0.15,
            stretch_warp_n_per_m: 2000.0,
            stretch_weft_n_per_m: 2000.0,
            shear_n_per_m: 1000.0,
            bending_warp_n_m: 1.7e-5,
            bending_weft_n_m: 1.7e-5,
            compression: Compression::CurvatureThreshold(1.7),
            curve: Shape::Arc,
            evaluation: Evaluation::Table,
            damping_n_s_per_m: 1e-4,
            damping: DampingKind::Axial,
            bending_damping_s: 1e-3,
            jacobian: Jacobian::DropOrthogonal,
            slack_factor: 1.0,
            thickness_m: 1e-3,
        }
    }
}

impl Material {
    /// Refuses values outside their physical range; keys are named as in scene files.
    pub fn validate(&self) -> Result<(), BuildError> {
        let (threshold, stiffness) = match self.compression {
            Compression::CurvatureThreshold(kappa) | Compression::Limited(kappa) => (kappa, 1.0),
            Compression::Stiffness(c_b) => (1.0, c_b),
            Compression::Rigid => (1.0, 1.0),
        };
        let positive = [
            ("area_density_kg_per_m2", self.area_density_kg_per_m2),
            ("stretch_n_per_m", self.stretch_warp_n_per_m),
            ("stretch_weft_n_per_m", self.stretch_weft_n_per_m),
            ("curvature_threshold_per_m", threshold),
            ("compression_n_per_m", stiffness),
        ];
        let not_negative = [
            ("shear_n_per_m", self.shear_n_per_m),
            ("bending_n_m", self.bending_warp_n_m),
            ("bending_weft_n_m", self.bending_weft_n_m),
            ("damping_n_s_per_m", self.damping_n_s_per_m),
            ("bending_damping_s", self.bending_damping_s),
            ("slack_factor", self.slack_factor),
            ("thickness_m", self.thickness_m),
        ];
        let refuse = |name: &str, value: f64, expected: &str| {
            Err(BuildError {
                key: format!("material.{name}"),
                message: format!("{value} is out of range: expected {expected}"),
            })
        };
        for (name, value) in positive {
            if !(value.is_finite() && value > 0.0) {
                return refuse(name, value, "a positive number");
            }
        }
        for (name, value) in not_negative {
            if !(value.is_finite() && value >= 0.0) {
                return refuse(name, value, "a number of at least 0");
            }
        }
        if self.slack_factor > 1.0 {
            return refuse("slack_factor", self.slack_factor, "a number from 0 to 1");
        }
        Ok(())
    }
}
