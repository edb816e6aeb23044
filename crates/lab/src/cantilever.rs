//! A strip clamped level at one end and bent by its own weight, against the heavy elastica.

use crate::check::{Band, Check, number};
use crate::experiment::{Error, Findings};
use crate::probe::Probe;
use crate::specimen::{self, GRAVITY};
use crate::statics;
use crate::table::Table;
use crate::theory::cantilever as theory;
use rayon::prelude::*;
use toile_sim::{Compression, Jacobian, Material};
use toile_view::plot::{Chart, Panel, Series};

const WEIGHTS: [f64; 5] = [1.0, 5.0, 10.0, 50.0, 100.0];
/// Particles across and along; two rows along are clamped.
const ACROSS: usize = 11;
const ALONG: usize = 41;
const SPACING_M: f64 = 0.005;
/// From midway between the two clamped rows to the tip, m.
const FREE_M: f64 = (ALONG as f64 - 1.5) * SPACING_M;
const AREA_DENSITY: f64 = 0.15;
/// Strain that the links' buckling load may cause.
const PRESTRAIN: f64 = 1e-8;

/// The default curve's curvature threshold, 1/m.
const DEFAULT: Compression = Compression::CurvatureThreshold(1.7);

/// One strip at rest.
struct Strip {
    drop: f64,
    reach: f64,
    residual: f64,
    iterations: u32,
    middle: Vec<[f64; 2]>,
}

/// Bends strips of five weights with the pure and the default curve.
pub fn run() -> Result<Findings, Error> {
    let cases: Vec<(f64, Compression)> = WEIGHTS
        .into_iter()
        .flat_map(|gamma| [(gamma, Compression::Rigid), (gamma, DEFAULT)])
        .collect();
    let strips: Vec<Strip> = cases
        .into_par_iter()
        .map(|(gamma, compression)| bend(gamma, compression))
        .collect::<Result<_, Error>>()?;

    let mut table = Table::new([
        "Γ",
        "theory H/W",
        "pure curve H/W",
        "error (%)",
        "default curve H/W",
        "deviation (%)",
        "force left",
        "iterations",
    ]);
    let mut checks = Vec::new();
    let mut master = Vec::new();
    for (gamma, pair) in WEIGHTS.into_iter().zip(strips.chunks_exact(2)) {
        let (tip, _) = theory::bend(gamma);
        let exact = tip.drop / tip.reach;
        let [pure, regular] = [&pair[0], &pair[1]].map(|strip| strip.drop / strip.reach);
        let error = |ratio: f64| 100.0 * (ratio / exact - 1.0);
        master.push([gamma, exact, pure, regular]);
        table.row([
            number(gamma),
            format!("{exact:.5}"),
            format!("{pure:.5}"),
            format!("{:+.2}", error(pure)),
            format!("{regular:.5}"),
            format!("{:+.2}", error(regular)),
            format!("{:.1e}", pair[0].residual),
            format!("{}", pair[0].iterations),
        ]);
        checks.push(Check::new(
            format!("pure curve at Γ = {gamma}: error of H/W (%)"),
            error(pure),
            Band::Between(-2.0, 2.0),
        ));
    }
    Ok(Findings {
        table,
        checks,
        figure: Box::new(figure(&strips, &master)),
        notes: notes(),
    })
}

/// Share of the sheet's rigidity that a strip has: its diagonals are two rows long, so a strip of
/// n rows has n − 2 of them for its n − 1 cells.
fn edge_share(rows: usize) -> f64 {
    let cells = rows as f64 - 1.0;
    (1.5 * cells + 0.75 * (cells - 1.0)) / (2.25 * cells)
}

fn bend(gamma: f64, compression: Compression) -> Result<Strip, Error> {
    let rigidity = AREA_DENSITY * GRAVITY * FREE_M.powi(3) / gamma;
    let material_rigidity = rigidity / edge_share(ACROSS);
    // Every row carries two bending links' buckling load, 12 k_b/(2h)² each with k_b = B h/2.25.
    let stretch = 8.0 / 3.0 * rigidity / (SPACING_M * SPACING_M) / PRESTRAIN;
    let material = Material {
        area_density_kg_per_m2: AREA_DENSITY,
        stretch_warp_n_per_m: stretch,
        stretch_weft_n_per_m: stretch,
        shear_n_per_m: 0.5 * stretch,
        bending_warp_n_m: material_rigidity,
        bending_weft_n_m: material_rigidity,
        compression,
        damping_n_s_per_m: 0.0,
        jacobian: Jacobian::Exact,
        slack_factor: 0.0,
        ..Material::default()
    };
    let mut cloth = specimen::sheet(ACROSS, ALONG, SPACING_M, material);
    // Rows run across, which keeps the matrix's band narrow.
    (cloth.u_axis, cloth.v_axis) = (-glam::DVec3::Z, glam::DVec3::X);
    let grid = cloth.grid;
    let cloth = specimen::held(cloth, |_, along| along < 2);
    let mut probe = Probe::new(specimen::model(cloth, GRAVITY)?);
    let rest = statics::rest(&mut probe, 0.5 * SPACING_M, 4000);

    let at = |along: usize| rest.positions[grid.index(ACROSS / 2, along)];
    let clamp = 0.5 * (at(0) + at(1));
    let points = (1..ALONG).map(|along| (at(along) - clamp) / FREE_M);
    let tip = (at(ALONG - 1) - clamp) / FREE_M;
    Ok(Strip {
        drop: -tip.y,
        reach: tip.x,
        residual: rest.residual,
        iterations: rest.iterations,
        middle: points.map(|p| [p.x, p.y]).collect(),
    })
}

fn figure(strips: &[Strip], master: &[[f64; 4]]) -> Panel {
    let mut shapes = Chart::new("Strips (points) and the heavy elastica")
        .x("reach", "L")
        .y("height", "L");
    for (index, gamma) in WEIGHTS.into_iter().enumerate() {
        shapes = shapes.series(Series::line(format!("Γ = {gamma}"), theory::bend(gamma).1));
        let every_other = strips[2 * index].middle.iter().copied().step_by(3);
        shapes = shapes.series(Series::points("", every_other).color(0x333333));
    }
    let curve = (0..60).map(|k| 10_f64.powf(-0.5 + 3.0 * f64::from(k) / 59.0));
    let curve = curve.map(|gamma| (gamma, theory::bend(gamma).0));
    let measured = |column: usize| master.iter().map(move |row| [row[0], row[column]]);
    let ratios = Chart::new("Drop over reach")
        .x("Γ = ρ g L³/B", "")
        .y("H/W", "")
        .log_x()
        .log_y()
        .series(Series::line("theory", curve.map(|(gamma, tip)| [gamma, tip.drop / tip.reach])))
        .series(Series::points("pure curve", measured(2)))
        .series(Series::points("default curve", measured(3)));
    Panel::new(2).with(shapes).with(ratios)
}

fn notes() -> String {
    format!(
        "A strip of {ACROSS} × {ALONG} particles, {SPACING_M} m apart, two rows clamped: the clamp acts midway \
         between them, so L = {FREE_M} m. B follows from Γ = ρ g L³/B, corrected by {:.4} because a strip of \
         {ACROSS} rows lacks one row of diagonal bending links (the border's links are already halved). \
         Equilibrium is found by minimising the energy with the exact Jacobian, not by time stepping; \
         'force left' is the largest on a free particle over the strip's weight. Links are stiff \
         enough that the bending links' own load stretches them by {PRESTRAIN:e} only: more would \
         swallow small curvatures.\n\
         The default curve begins as a spring and has no bending stiffness below a curvature of \
         1.7 1/m, that is 1.7 L = {:.2} here: stiff strips (small Γ) bend less than that everywhere \
         and hang far too low. It is made for wrinkles, not for beams; with the pure curve \
         (c_b → ∞) the model is a beam.",
        edge_share(ACROSS),
        1.7 * FREE_M
    )
}
