//! How far a sheet that hangs by one edge is stretched by its own weight.

use crate::check::{Band, Check};
use crate::experiment::{Error, Findings};
use crate::probe::Probe;
use crate::specimen::{self, GRAVITY};
use crate::statics;
use crate::strip::{self, Kind, Mesh, Strip};
use crate::table::Table;
use glam::{DVec2, DVec3};
use toile_sim::{Jacobian, Material, PinHold};
use toile_view::plot::{Chart, Series};

const KINDS: [Kind; 5] = [
    Kind::QUAD,
    Kind::BUCKLING,
    Kind::BUCKLING.on(Mesh::OneDiagonal),
    Kind::BARAFF_WITKIN,
    Kind::BARAFF_WITKIN.on(Mesh::Jittered),
];
const LENGTH_M: f64 = 1.0;
const SPACING_M: f64 = 0.05;
const AREA_DENSITY: f64 = 0.15;
/// Soft, so that the stretch is large against rounding and not quite small against the sheet.
const STIFFNESS_N_PER_M: f64 = 20.0;
/// The other direction, which must not matter.
const OTHER_N_PER_M: f64 = 70.0;

/// What one sheet did.
struct Hung {
    tip_m: f64,
    residual: f64,
    /// Arc length and extension down to there, m.
    extension: Vec<[f64; 2]>,
}

/// Hangs a sheet of every kind.
pub fn run() -> Result<Findings, Error> {
    let exact = AREA_DENSITY * GRAVITY * LENGTH_M * LENGTH_M / (2.0 * STIFFNESS_N_PER_M);
    let mut table = Table::new([
        "laws",
        "mesh",
        "tip (m)",
        "theory (m)",
        "error (%)",
        "force left",
    ]);
    let mut checks = Vec::new();
    let curve = (0..=50).map(|k| f64::from(k) / 50.0 * LENGTH_M);
    let curve = curve.map(|s| [s, exact * (1.0 - (1.0 - s / LENGTH_M).powi(2))]);
    let mut chart = Chart::new("A sheet stretched by its own weight")
        .x("arc length from the top", "m")
        .y("extension", "m")
        .series(Series::line("ρ g (L s − s²/2)/Y", curve));
    for kind in KINDS {
        let hung = hang(kind)?;
        let error = 100.0 * (hung.tip_m / exact - 1.0);
        table.row([
            kind.name.to_owned(),
            kind.mesh.name().to_owned(),
            format!("{:.7}", hung.tip_m),
            format!("{exact:.7}"),
            format!("{error:+.4}"),
            format!("{:.1e}", hung.residual),
        ]);
        let name = format!("{} on {}", kind.name, kind.mesh.name());
        // Where loads and stiffness are shared among particles alike, the sum is exact.
        let band = match kind.mesh {
            Mesh::Grid | Mesh::Alternating | Mesh::OneDiagonal => 1e-3,
            Mesh::Equilateral | Mesh::Jittered => 0.5,
        };
        checks.push(Check::new(
            format!("{name}: error of the tip (%)"),
            error,
            Band::Between(-band, band),
        ));
        checks.push(Check::new(
            format!("{name}: force left, as a share of the weight"),
            hung.residual,
            Band::AtMost(1e-8),
        ));
        chart = chart.series(Series::points(name, hung.extension));
    }
    Ok(Findings {
        table,
        checks,
        figure: Box::new(chart),
        notes: format!(
            "A sheet {LENGTH_M} m long with edges of {SPACING_M} m hangs by its upper edge. Its stiffness along \
             is Y = {STIFFNESS_N_PER_M} N/m, across {OTHER_N_PER_M} N/m, and there is no shear stiffness: taut \
             diagonals would share the load. The tip sinks by ρ g L²/(2Y); lumped masses in equal rows \
             give the same sum where every particle has the same share of mass and stiffness, as on squares. The half \
             triangles along the sides of the other meshes give their corners a third of their mass each, but not a \
             third of their stiffness; without shear stiffness nothing evens that out. \
             'force left' is the largest on a free particle over the weight."
        ),
    })
}

fn hang(kind: Kind) -> Result<Hung, Error> {
    let strip = Strip {
        kind,
        size_m: DVec2::new(0.2, LENGTH_M),
        spacing_m: SPACING_M,
        across: DVec3::X,
        along: -DVec3::Y,
        grain_rad: 0.0,
    };
    // A grid has its weft along the strip, triangles their warp.
    let (warp, weft) = match kind.mesh {
        Mesh::Grid => (OTHER_N_PER_M, STIFFNESS_N_PER_M),
        _ => (STIFFNESS_N_PER_M, OTHER_N_PER_M),
    };
    let material = Material {
        area_density_kg_per_m2: AREA_DENSITY,
        stretch_warp_n_per_m: warp,
        stretch_weft_n_per_m: weft,
        shear_n_per_m: 0.0,
        bending_warp_n_m: 0.0,
        bending_weft_n_m: 0.0,
        jacobian: Jacobian::Exact,
        slack_factor: 0.0,
        ..Material::default()
    };
    let cloth = strip.cloth(material);
    let start = cloth.positions();
    let on_top = |x: DVec3| strip.arc_m(x) < 1e-9;
    let cloth = strip::held(cloth, PinHold::All, on_top);
    let mut probe = Probe::new(specimen::model(cloth, GRAVITY)?);
    let rest = statics::rest(&mut probe, start.clone(), 0.1, 300);
    let fallen = start.iter().zip(&rest.positions);
    let mut extension: Vec<[f64; 2]> = fallen
        .map(|(from, to)| [strip.arc_m(*from), from.y - to.y])
        .collect();
    extension.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let tip: Vec<f64> = extension
        .iter()
        .filter(|p| p[0] > LENGTH_M - 1e-9)
        .map(|p| p[1])
        .collect();
    Ok(Hung {
        tip_m: tip.iter().sum::<f64>() / tip.len() as f64,
        residual: rest.residual,
        extension,
    })
}
