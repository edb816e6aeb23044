//! Lateral buckling: a strip clamped at one end with its width upright falls sideways when it is
//! too long for its weight.

use crate::check::{Band, Check, number};
use crate::experiment::{Error, Findings};
use crate::probe::Probe;
use crate::specimen::{self, GRAVITY};
use crate::statics;
use crate::strip::{self, Kind, Strip};
use crate::table::Table;
use glam::{DVec2, DVec3};
use rayon::prelude::*;
use toile_sim::{Jacobian, Material, PinHold};
use toile_view::plot::{Chart, Series};

const LENGTH_M: f64 = 1.0;
const AREA_DENSITY: f64 = 0.15;
/// Length over width, and cells across.
const CASES: [(f64, f64); 5] = [
    (4.0, 8.0),
    (8.0, 8.0),
    (16.0, 8.0),
    (32.0, 8.0),
    (16.0, 16.0),
];
/// Stretch stiffness over bending rigidity, 1/m²: the strip must not sag within its plane.
const STRETCH_PER_M2: f64 = 1e9;
/// Six times the first zero of the Bessel function J_{−1/6}: `q L³/√(B_y C)` at the onset.
const ONSET: f64 = 12.8538;
/// Poisson's ratio of hinges on equilateral triangles.
const POISSON: f64 = -1.0 / 3.0;

/// `ρ g L³/B` at the onset for a narrow strip of a plate of rigidity B: with free edges its
/// flexural rigidity is `(1 − ν²) B` and its torsional `2 (1 − ν) B`, per width.
fn narrow(poisson: f64) -> f64 {
    ONSET * ((1.0 - poisson * poisson) * 2.0 * (1.0 - poisson)).sqrt()
}

/// Finds the onset for strips of several widths.
pub fn run() -> Result<Findings, Error> {
    let onsets: Vec<f64> = CASES
        .par_iter()
        .map(|(slender, cells)| onset(*slender, *cells))
        .collect::<Result<_, Error>>()?;
    let exact = narrow(POISSON);
    let mut table = Table::new([
        "length/width",
        "cells across",
        "Γ at the onset",
        "narrow strip",
        "difference (%)",
        "Γ of a beam of (1 − ν²) B",
    ]);
    let mut checks = Vec::new();
    for ((slender, cells), gamma) in CASES.iter().zip(&onsets) {
        let difference = 100.0 * (gamma / exact - 1.0);
        table.row([
            number(*slender),
            number(*cells),
            format!("{gamma:.3}"),
            format!("{exact:.3}"),
            format!("{difference:+.2}"),
            format!("{:.3}", gamma / (1.0 - POISSON * POISSON)),
        ]);
    }
    // First order in the width and in the cells' size: twice as slender, twice as fine.
    let [.., plain, slender, fine] = onsets[..] else {
        unreachable!("there are five cases");
    };
    let limit = 2.0 * slender + 2.0 * fine - 3.0 * plain;
    let difference = 100.0 * (limit / exact - 1.0);
    table.row([
        "∞".to_owned(),
        "∞".to_owned(),
        format!("{limit:.3}"),
        format!("{exact:.3}"),
        format!("{difference:+.2}"),
        format!("{:.3}", limit / (1.0 - POISSON * POISSON)),
    ]);
    checks.push(Check::new(
        "narrow and fine: difference of the onset (%)",
        difference,
        Band::Between(-3.0, 3.0),
    ));
    let points = CASES
        .iter()
        .zip(&onsets)
        .map(|((s, _), gamma)| [1.0 / s, *gamma]);
    let chart = Chart::new("Onset of lateral buckling")
        .x("width/length", "")
        .y("Γ = ρ g L³/B", "")
        .series(Series::line(
            "narrow strip, ν = −1/3",
            [[0.0, exact], [0.25, exact]],
        ))
        .series(Series::dashed(
            "narrow strip, ν = 0",
            [[0.0, narrow(0.0)], [0.25, narrow(0.0)]],
        ))
        .series(Series::points("baraff-witkin", points.collect::<Vec<_>>()));
    Ok(Findings {
        table,
        checks,
        figure: Box::new(chart),
        notes: format!(
            "A strip {LENGTH_M} m long of equilateral triangles with hinges, two rows clamped, its width upright. \
             For every Γ the state within the plane is found and the exact matrix factorised there: the strip is \
             stable as long as that succeeds, that is as long as no small push sideways grows. Bisection \
             gives the onset. Theory: q L³ = {ONSET} √(B_y C); hinges on equilateral triangles are a plate of \
             ν = −1/3, of which a narrow strip has B_y = (1 − ν²) B and C = 2 (1 − ν) B per width, so Γ = {exact:.2}, or \
             {:.2} counted with (1 − ν²) B as that of a beam is. A wide strip cannot curl freely \
             at the clamp and is not narrow, and borders of few cells are coarse; the last row is the extrapolation of \
             both, each to first order, from the three rows before it. ν = 0 would have {:.2}.",
            exact / (1.0 - POISSON * POISSON),
            narrow(0.0)
        ),
    })
}

/// Γ at which a strip becomes unstable.
fn onset(slender: f64, cells: f64) -> Result<f64, Error> {
    let (mut low, mut high) = (5.0_f64, 60.0_f64);
    while high / low > 1.0005 {
        let gamma = (low * high).sqrt();
        if is_stable(slender, cells, gamma)? {
            low = gamma;
        } else {
            high = gamma;
        }
    }
    Ok((low * high).sqrt())
}

fn is_stable(slender: f64, cells: f64, gamma: f64) -> Result<bool, Error> {
    let kind = Kind::BARAFF_WITKIN;
    let spacing_m = LENGTH_M / slender / cells;
    let row = kind.mesh.row_m(spacing_m);
    let rows = (LENGTH_M / row).round();
    let strip = Strip {
        kind,
        size_m: DVec2::new(cells * spacing_m, rows * row),
        spacing_m,
        across: DVec3::Y,
        along: DVec3::X,
        grain_rad: 0.0,
    };
    let free_m = (rows - 0.5) * row;
    let rigidity = AREA_DENSITY * GRAVITY * free_m.powi(3) / gamma;
    let stretch = STRETCH_PER_M2 * rigidity;
    let material = Material {
        area_density_kg_per_m2: AREA_DENSITY,
        stretch_warp_n_per_m: stretch,
        stretch_weft_n_per_m: stretch,
        shear_n_per_m: 0.5 * stretch,
        bending_warp_n_m: rigidity,
        bending_weft_n_m: rigidity,
        jacobian: Jacobian::Exact,
        slack_factor: 0.0,
        ..Material::default()
    };
    let cloth = strip.cloth(material);
    let start = cloth.positions();
    let cloth = strip::held(cloth, PinHold::All, |x| strip.arc_m(x) < 1.5 * row);
    let mut probe = Probe::new(specimen::model(cloth, GRAVITY)?);
    let rest = statics::rest(&mut probe, start, 0.5 * spacing_m, 40);
    Ok(statics::is_stable(&mut probe, &rest.positions))
}
