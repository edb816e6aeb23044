//! Strips of triangles that hang over an edge, and where they come to rest.

use super::{AREA_DENSITY, SPACING_M};
use crate::experiment::Error;
use crate::probe::Probe;
use crate::specimen::{self, GRAVITY};
use crate::statics;
use crate::strip::{self, Kind, Mesh, Strip};
use crate::theory::cantilever as theory;
use glam::{DVec2, DVec3};
use toile_sim::{ClothSpec, Compression, Jacobian, Material, PinHold};

pub(super) const CELLS_ACROSS: f64 = 10.0;
pub(super) const LENGTH_M: f64 = 0.2;
/// Stretch stiffness over bending rigidity of hinged cloth, 1/m²: on equilateral triangles so high
/// that free edges do not curl across the strip, elsewhere that of a light cotton, since stiffer
/// triangles that do not fold along straight lines lock.
pub(super) const STIFF_PER_M2: f64 = 1e10;
pub(super) const COTTON_PER_M2: f64 = 1e8;

/// Curvatures over the free length from which on buckling links bend, stage by stage: from one to the
/// next the rest state moves little.
const THRESHOLDS: [f64; 5] = [0.3, 0.17, 0.1, 0.055, 0.03];
/// What the search may take in a stage. Where pairs of irregular triangles share out their loads the first
/// stage takes some thousands.
const MOST_ITERATIONS: u32 = 30_000;

/// A strip of the kind, level, its length along x.
pub(super) fn strip(kind: Kind) -> Strip {
    let row = kind.mesh.row_m(SPACING_M);
    Strip {
        kind,
        size_m: DVec2::new(CELLS_ACROSS * SPACING_M, (LENGTH_M / row).round() * row),
        spacing_m: SPACING_M,
        across: -DVec3::Z,
        along: DVec3::X,
        grain_rad: 0.0,
    }
}

/// The strip made of cloth of this rigidity whose buckling links bend from this curvature on, with
/// the rows up to `clamp_m` along it held.
pub(super) fn clamped(
    strip: &Strip,
    rigidity_n_m: f64,
    threshold_per_m: f64,
    clamp_m: f64,
) -> ClothSpec {
    let pairs = strip.kind.laws == Kind::BUCKLING.laws;
    let stretch = if pairs {
        // Pairs load the sheet with their own buckling load, B/h² and more; it must not give way.
        let prestrain = 1e-7 * (threshold_per_m * LENGTH_M / 0.3).powi(2);
        rigidity_n_m / strip.spacing_m.powi(2) / prestrain
    } else {
        let per_m2 = match strip.kind.mesh {
            Mesh::Equilateral => STIFF_PER_M2,
            _ => COTTON_PER_M2,
        };
        per_m2 * rigidity_n_m
    };
    let material = Material {
        area_density_kg_per_m2: AREA_DENSITY,
        stretch_warp_n_per_m: stretch,
        stretch_weft_n_per_m: stretch,
        shear_n_per_m: 0.5 * stretch,
        bending_warp_n_m: rigidity_n_m,
        bending_weft_n_m: rigidity_n_m,
        compression: Compression::CurvatureThreshold(threshold_per_m),
        jacobian: Jacobian::Exact,
        slack_factor: 0.0,
        ..Material::default()
    };
    strip::held(strip.cloth(material), PinHold::All, |x| {
        strip.arc_m(x) < clamp_m
    })
}

/// Where a strip of weight number Γ, clamped at `clamp_m` along it, has its particles by theory.
fn by_theory(strip: &Strip, flat: &[DVec3], clamp_m: f64, gamma: f64) -> Vec<DVec3> {
    let free_m = strip.size_m.y - clamp_m;
    let (_, shape) = theory::bend(gamma);
    let place = |x: &DVec3| {
        let along = (strip.arc_m(*x) - clamp_m) / free_m * (shape.len() - 1) as f64;
        if along <= 0.0 {
            return *x;
        }
        let k = (along as usize).min(shape.len() - 2);
        let share = along - k as f64;
        let [a, b] = [shape[k], shape[k + 1]].map(DVec2::from);
        let point = a.lerp(b, share) * free_m;
        let clamp = clamp_m - 0.5 * strip.size_m.y;
        DVec3::new(clamp + point.x, point.y, x.z)
    };
    flat.iter().map(place).collect()
}

/// Mean place of the particles at the free end, relative to the clamp, m.
fn tip(strip: &Strip, flat: &[DVec3], at: &[DVec3], clamp_m: f64) -> DVec3 {
    let end = flat.iter().zip(at);
    let end: Vec<DVec3> = end
        .filter(|(x, _)| strip.arc_m(**x) > strip.size_m.y - 1e-9)
        .map(|(_, at)| *at)
        .collect();
    let mean = end.iter().sum::<DVec3>() / end.len() as f64;
    mean - (clamp_m - 0.5 * strip.size_m.y) * DVec3::X
}

/// A strip at rest.
pub struct Overhang {
    /// Where its tip is, from the clamp, m.
    pub tip: DVec3,
    /// The largest force left on a free particle over the weight.
    pub residual: f64,
}

impl Overhang {
    /// Length that is free with so many rows held, m: a fold at a row stands for the half row on
    /// either side of it, so the clamp acts half a row before the last row held.
    pub fn length_m(kind: Kind, rows_held: usize) -> f64 {
        strip(kind).size_m.y - (rows_held as f64 - 1.5) * kind.mesh.row_m(SPACING_M)
    }

    /// Finds the rest state, from the theory's shape. Buckling links start soft and set in at lower
    /// and lower curvatures.
    pub fn settle(kind: Kind, rigidity_n_m: f64, rows_held: usize) -> Result<Self, Error> {
        let strip = strip(kind);
        let free_m = Self::length_m(kind, rows_held);
        let clamp_m = strip.size_m.y - free_m;
        let gamma = AREA_DENSITY * GRAVITY * free_m.powi(3) / rigidity_n_m;
        let stages: &[f64] = if kind.laws == Kind::BUCKLING.laws {
            &THRESHOLDS
        } else {
            &[1.0]
        };
        let held_m = clamp_m + kind.mesh.row_m(SPACING_M);
        let flat = clamped(&strip, rigidity_n_m, 1.0, held_m).positions();
        let mut rest = statics::Rest {
            positions: by_theory(&strip, &flat, clamp_m, gamma),
            residual: f64::NAN,
        };
        for stage in stages {
            let cloth = clamped(&strip, rigidity_n_m, stage / free_m, held_m);
            let mut probe = Probe::new(specimen::model(cloth, GRAVITY)?);
            for pin in &probe.model().pins {
                rest.positions[*pin as usize] = flat[*pin as usize];
            }
            let max_move_m = 0.5 * SPACING_M;
            rest = statics::rest(&mut probe, rest.positions, max_move_m, MOST_ITERATIONS);
        }
        Ok(Self {
            tip: tip(&strip, &flat, &rest.positions, clamp_m),
            residual: rest.residual,
        })
    }
}
