//! The strip on the quad model's grid.

use super::{AREA_DENSITY, Bent, Ledger, SPACING_M, WEIGHTS};
use crate::check::{Band, Check};
use crate::experiment::Error;
use crate::probe::Probe;
use crate::specimen::{self, GRAVITY};
use crate::statics;
use crate::strip::Kind;
use crate::theory::cantilever as theory;
use glam::DVec3;
use rayon::prelude::*;
use toile_geometry::QuadGrid;
use toile_io::fabric;
use toile_sim::{ClothSpec, Compression, Jacobian, Material};
use toile_view::plot::{Chart, Series};

/// Particles across and along; two rows along are clamped.
const ACROSS: usize = 11;
const ALONG: usize = 41;
/// From midway between the two clamped rows to the tip, m.
const FREE_M: f64 = (ALONG as f64 - 1.5) * SPACING_M;

/// What a strip is made of: the curvature at which its bending stiffness sets in, 1/m, and how
/// far the bending links' own load may stretch it.
#[derive(Clone, Copy)]
struct Curve {
    threshold_per_m: f64,
    prestrain: f64,
}

const fn curve(threshold_per_m: f64, prestrain: f64) -> Curve {
    Curve {
        threshold_per_m,
        prestrain,
    }
}

/// The pure curve as the limit of large c_b: each stage starts where the one before came to rest,
/// because a strip of nearly inextensible links moves in small steps only.
const PURE: &[Curve] = &[
    curve(0.3 / FREE_M, 1e-5),
    curve(0.1 / FREE_M, 1e-6),
    curve(0.03 / FREE_M, 1e-7),
];
/// The default curve of the library's material.
const LIBRARY: &[Curve] = &[curve(1.7, 1e-6)];

/// What a strip is made of, stage by stage.
#[derive(Clone, Copy)]
enum Make {
    /// Cloth of any rigidity, with these curves.
    Ideal(&'static [Curve]),
    /// The first built-in fabric as a scene has it, of another mass: weight alone makes Γ.
    Scene,
}

/// A strip of one weight and curve.
struct Strip {
    /// Drop over reach and force left after every stage.
    stages: Vec<(f64, f64)>,
    middle: Vec<[f64; 2]>,
}

impl Strip {
    fn bent(&self, curve: &str, gamma: f64, stage: usize) -> Bent {
        let (ratio, residual) = self.stages[stage];
        Bent {
            laws: format!("{}, {curve}", Kind::QUAD.name),
            mesh: Kind::QUAD.mesh,
            gamma,
            ratio,
            residual,
        }
    }
}

/// Bends strips of five weights with the pure curve and the two defaults; returns their shapes, and
/// drop over reach.
pub fn measure(ledger: &mut Ledger) -> Result<[Chart; 2], Error> {
    let makes = [Make::Ideal(PURE), Make::Ideal(LIBRARY), Make::Scene];
    let cases: Vec<(f64, Make)> = WEIGHTS
        .into_iter()
        .flat_map(|gamma| makes.map(|make| (gamma, make)))
        .collect();
    let strips: Vec<Strip> = cases
        .into_par_iter()
        .map(|(gamma, make)| bend(gamma, make))
        .collect::<Result<_, Error>>()?;
    let mut master = Vec::new();
    for (gamma, made) in WEIGHTS.into_iter().zip(strips.chunks_exact(makes.len())) {
        let [soft, firm, pure] = [
            made[0].bent("c_b at 0.3/L", gamma, 0),
            made[0].bent("c_b at 0.1/L", gamma, 1),
            made[0].bent("pure curve", gamma, 2),
        ];
        let library = made[1].bent("curve from 1.7/m on", gamma, 0);
        let scene = made[2].bent("default of scenes", gamma, 0);
        master.push([gamma, pure.ratio, library.ratio, scene.ratio]);
        for bent in [&soft, &firm, &pure, &library, &scene] {
            ledger.row(bent, None);
        }
        ledger.checks.push(Check::new(
            format!("{}: error of H/W (%)", pure.name()),
            pure.error_percent(),
            Band::Between(-2.0, 2.0),
        ));
        ledger.checks.push(Check::new(
            format!("{}: force left, as a share of the weight", pure.name()),
            pure.residual,
            Band::AtMost(1e-4),
        ));
    }
    Ok(charts(&strips, &master))
}

/// Share of the sheet's rigidity that a strip has: its diagonals are two rows long, so a strip of
/// n rows has n − 2 of them for its n − 1 cells.
fn edge_share(rows: usize) -> f64 {
    let cells = rows as f64 - 1.0;
    (1.5 * cells + 0.75 * (cells - 1.0)) / (2.25 * cells)
}

fn bend(gamma: f64, make: Make) -> Result<Strip, Error> {
    let (stages, most_iterations): (Vec<ClothSpec>, u32) = match make {
        Make::Ideal(curves) => (curves.iter().map(|c| strip(gamma, *c)).collect(), 1500),
        // Light and limp: what is left of its forces moves it far.
        Make::Scene => (vec![scene_strip(gamma)], 15_000),
    };
    let mut grid = specimen::rectangle(&stages[0]).grid;
    let mut rest = statics::Rest {
        positions: unstretched(&theory::bend(gamma).1, &grid),
        residual: f64::NAN,
    };
    let mut found = Vec::new();
    let mut middle = Vec::new();
    for stage in stages {
        let cloth = specimen::held(stage, |_, along| along < 2);
        grid = specimen::rectangle(&cloth).grid;
        let mut probe = Probe::new(specimen::model(cloth, GRAVITY)?);
        rest = statics::rest(&mut probe, rest.positions, 0.5 * SPACING_M, most_iterations);
        let at = |along: usize| rest.positions[grid.index(ACROSS / 2, along)];
        let clamp = 0.5 * (at(0) + at(1));
        middle = (1..ALONG)
            .map(|along| (at(along) - clamp) / FREE_M)
            .collect();
        let tip: DVec3 = middle[ALONG - 2];
        found.push((-tip.y / tip.x, rest.residual));
    }
    Ok(Strip {
        stages: found,
        middle: middle.iter().map(|p| [p.x, p.y]).collect(),
    })
}

/// The strip of weight number Γ; its rows run across, which keeps the matrix's band narrow.
fn strip(gamma: f64, curve: Curve) -> ClothSpec {
    let rigidity = AREA_DENSITY * GRAVITY * FREE_M.powi(3) / gamma;
    let material_rigidity = rigidity / edge_share(ACROSS);
    // Every row carries two bending links' buckling load, 12 k_b/(2h)² each with k_b = B h/2.25.
    let stretch = 8.0 / 3.0 * rigidity / (SPACING_M * SPACING_M) / curve.prestrain;
    let material = Material {
        area_density_kg_per_m2: AREA_DENSITY,
        stretch_warp_n_per_m: stretch,
        stretch_weft_n_per_m: stretch,
        shear_n_per_m: 0.5 * stretch,
        bending_warp_n_m: material_rigidity,
        bending_weft_n_m: material_rigidity,
        compression: Compression::CurvatureThreshold(curve.threshold_per_m),
        damping_n_s_per_m: 0.0,
        jacobian: Jacobian::Exact,
        slack_factor: 0.0,
        ..Material::default()
    };
    cut(material)
}

fn cut(material: Material) -> ClothSpec {
    let cloth = specimen::sheet(ACROSS, ALONG, SPACING_M, material);
    specimen::turned(cloth, -DVec3::Z, DVec3::X)
}

/// The fabric of scenes that name none.
fn scene_material() -> Material {
    Material {
        damping_n_s_per_m: 0.0,
        jacobian: Jacobian::Exact,
        slack_factor: 0.0,
        ..fabric::all()[0].material()
    }
}

/// The same strip of the default fabric of scenes, as heavy as Γ asks for.
fn scene_strip(gamma: f64) -> ClothSpec {
    let material = scene_material();
    let rigidity = material.bending_weft_n_m * edge_share(ACROSS);
    cut(Material {
        area_density_kg_per_m2: gamma * rigidity / (GRAVITY * FREE_M.powi(3)),
        ..material
    })
}

/// The theory's shape as a polygon of unstretched links: a start that leaves little to do. Where
/// the search ends is the model's own equilibrium.
fn unstretched(shape: &[[f64; 2]], grid: &QuadGrid) -> Vec<DVec3> {
    let slope_at = |arc: f64| {
        let k = ((arc / FREE_M) * (shape.len() - 1) as f64) as usize;
        let k = k.min(shape.len() - 2);
        let [a, b] = [shape[k], shape[k + 1]];
        DVec3::new(b[0] - a[0], b[1] - a[1], 0.0).normalize()
    };
    // The first two rows stay where the clamp holds them.
    let rows =
        [0.0, SPACING_M].map(|x| DVec3::new(x - 0.5 * SPACING_M * (ALONG - 1) as f64, 0.0, 0.0));
    let mut spine = rows.to_vec();
    for along in 2..ALONG {
        let middle = (along as f64 - 1.0) * SPACING_M;
        spine.push(spine[along - 1] + SPACING_M * slope_at(middle));
    }
    let across =
        |column: usize| -(column as f64 - 0.5 * (ACROSS - 1) as f64) * SPACING_M * DVec3::Z;
    let cells = (0..grid.len()).map(|i| grid.cell_of(i));
    cells
        .map(|(column, along)| spine[along] + across(column))
        .collect()
}

/// Shapes of the strips, and their drop over reach.
fn charts(strips: &[Strip], master: &[[f64; 4]]) -> [Chart; 2] {
    let mut shapes = Chart::new("Strips (points) and the heavy elastica")
        .x("reach", "L")
        .y("height", "L");
    for (index, gamma) in WEIGHTS.into_iter().enumerate() {
        shapes = shapes.series(Series::line(format!("Γ = {gamma}"), theory::bend(gamma).1));
        let every_other = strips[index * strips.len() / WEIGHTS.len()]
            .middle
            .iter()
            .copied()
            .step_by(3);
        shapes = shapes.series(Series::points("", every_other).color(0x333333));
    }
    let weights = (0..60).map(|k| 10_f64.powf(-0.5 + 3.0 * f64::from(k) / 59.0));
    let exact = weights.map(|gamma| (gamma, theory::bend(gamma).0));
    let measured = |column: usize| master.iter().map(move |row| [row[0], row[column]]);
    let ratios = Chart::new("Drop over reach")
        .x("Γ = ρ g L³/B", "")
        .y("H/W", "")
        .log_x()
        .log_y()
        .series(Series::line(
            "theory",
            exact.map(|(gamma, tip)| [gamma, tip.drop / tip.reach]),
        ))
        .series(Series::points("pure curve", measured(1)))
        .series(Series::points("curve from 1.7/m on", measured(2)))
        .series(Series::points("default of scenes", measured(3)));
    [shapes, ratios]
}

pub fn notes() -> String {
    let scene = scene_material();
    // Where c_b = 12 k_b/(κ² h⁵), k_b = B h/2.25, is half of a stretch link's stiffness.
    let ratio = 24.0 * scene.bending_weft_n_m / (2.25 * scene.stretch_weft_n_per_m);
    let raised = (ratio.sqrt() / SPACING_M.powi(2)).max(1.7);
    format!(
        "Grid: a strip of {ACROSS} × {ALONG} particles, {SPACING_M} m apart, two rows clamped: the clamp acts midway \
         between them, so L = {FREE_M} m. B follows from Γ = ρ g L³/B, corrected by {:.4} because a strip of \
         {ACROSS} rows lacks one row of diagonal bending links (the border's links are already halved). \
         The search starts at the theory's \
         shape and ends where the model is at rest. Links are stiff enough that the bending links' own \
         load stretches them by 1e-7 (pure) and 1e-6 (from 1.7/m on) only: more would swallow small \
         curvatures.\n\
         'Pure' is the limit of large c_b: curvature thresholds of 0.3, 0.1 and 0.03 over L, each \
         search starting where the one before came to rest; the error falls about as the square of \
         the threshold. The first of them lies far from the theory's shape, so the start does not decide the end. \
         c_b = ∞ itself cannot be searched this way, and not for want of a bent start: a link at \
         its rest length may then carry anything from nothing to its buckling load, so the energy \
         has a kink there, and the rest state lies on kinks, in every link across the strip and \
         in those along it near the tip, where the curvature vanishes. From the theory's shape \
         that search hardly stirs, with 2 to 380 times the strip's weight left as force: it would \
         agree to 0.1 % only because it was started there.\n\
         The curve from 1.7/m on, the library's default, begins as a spring and has no bending stiffness below \
         a curvature of 1.7 1/m, that is 1.7 L = {:.2} here: stiff strips (small Γ) bend less than that everywhere \
         and hang far too low. Scenes raise that threshold on fine grids, so that no bending link is stiffer \
         in compression than the two links it spans are in extension (c_b ≤ k/2): for their default fabric, {:.1e} N·m \
         and {:.0} N/m, at {SPACING_M} m to {:.1} 1/m, {:.1} over L. Its strips weigh what Γ asks for. It \
         is made for wrinkles, not for beams; with the pure curve (c_b → ∞) the model is a beam.",
        edge_share(ACROSS),
        1.7 * FREE_M,
        scene.bending_weft_n_m,
        scene.stretch_weft_n_per_m,
        raised,
        raised * FREE_M
    )
}
