//! Peirce's test: a strip is pushed over an edge until its tip is seen at 41.5° below the level,
//! and its rigidity follows from the length that hangs over.

use crate::cantilever::{AREA_DENSITY, Overhang};
use crate::check::{Band, Check};
use crate::experiment::{Error, Findings};
use crate::specimen::GRAVITY;
use crate::strip::Kind;
use crate::table::Table;
use crate::theory::cantilever as theory;
use rayon::prelude::*;
use toile_view::plot::{Chart, Series};

const KINDS: [Kind; 3] = [Kind::BUCKLING, Kind::SINE, Kind::BARAFF_WITKIN];
const ANGLE_DEG: f64 = 41.5;
/// Chosen so that about five sixths of the strip hang over at that angle.
const RIGIDITY_N_M: f64 = 8.5e-4;
/// Rows that lie on the table in each measurement.
const ROWS_HELD: [usize; 3] = [5, 8, 11];

/// One overhang.
struct Measured {
    length_m: f64,
    angle_deg: f64,
    residual: f64,
}

/// Measures strips of every kind.
pub fn run() -> Result<Findings, Error> {
    let cases: Vec<(Kind, usize)> = KINDS
        .into_iter()
        .flat_map(|kind| ROWS_HELD.map(|rows| (kind, rows)))
        .collect();
    let overhangs: Vec<Measured> = cases
        .par_iter()
        .map(|(kind, rows)| hang(*kind, *rows))
        .collect::<Result<_, Error>>()?;
    let gamma = theory::weight_number(ANGLE_DEG.to_radians());
    let mut table = Table::new([
        "laws",
        "overhang at 41.5° (m)",
        "B (N·m)",
        "error (%)",
        "error of ρ g (l/2)³ (%)",
        "force left",
    ]);
    let mut checks = Vec::new();
    let length_at = |gamma: f64| (gamma * RIGIDITY_N_M / (AREA_DENSITY * GRAVITY)).cbrt();
    let curve = (10..=150).map(|k| 0.1 * f64::from(k)).map(|gamma| {
        let (tip, _) = theory::bend(gamma);
        [length_at(gamma), tip.drop.atan2(tip.reach).to_degrees()]
    });
    let mut chart = Chart::new("Angle of the tip over the overhang")
        .x("overhang", "m")
        .y("angle", "°")
        .series(Series::line("heavy elastica", curve));
    for (kind, found) in KINDS.into_iter().zip(overhangs.chunks(ROWS_HELD.len())) {
        let length = length_at_angle(found);
        let rigidity = AREA_DENSITY * GRAVITY * length.powi(3) / gamma;
        let rule = AREA_DENSITY * GRAVITY * (0.5 * length).powi(3);
        let error = |b: f64| 100.0 * (b / RIGIDITY_N_M - 1.0);
        let residual = found.iter().map(|o| o.residual).fold(0.0, f64::max);
        table.row([
            kind.name.to_owned(),
            format!("{length:.5}"),
            format!("{rigidity:.4e}"),
            format!("{:+.2}", error(rigidity)),
            format!("{:+.2}", error(rule)),
            format!("{residual:.1e}"),
        ]);
        checks.push(Check::new(
            format!("{}: error of B (%)", kind.name),
            error(rigidity),
            Band::Between(-2.0, 2.0),
        ));
        checks.push(Check::new(
            format!("{}: force left, as a share of the weight", kind.name),
            residual,
            // So stiff a sheet as pairs need leaves some to rounding.
            Band::AtMost(if kind == Kind::BUCKLING { 1e-2 } else { 1e-4 }),
        ));
        let points = found.iter().map(|o| [o.length_m, o.angle_deg]);
        chart = chart.series(Series::points(kind.name, points.collect::<Vec<_>>()));
    }
    Ok(Findings {
        table,
        checks,
        figure: Box::new(chart),
        notes: format!(
            "A strip of B = {RIGIDITY_N_M:e} N·m on equilateral triangles is held flat over {ROWS_HELD:?} rows; \
             the clamp acts half a row before the last of them. The overhang at {ANGLE_DEG}° is interpolated between the two nearest, along \
             ln tan of the angle over ln of the length, and B = ρ g l³/Γ with Γ = {gamma:.4} of the heavy \
             elastica; Peirce's rule has 8 in its place. Pairs are near the pure curve, as in `cantilever`."
        ),
    })
}

/// The overhang at which the angle is reached, m.
fn length_at_angle(found: &[Measured]) -> f64 {
    let log = |o: &Measured| (o.angle_deg.to_radians().tan().ln(), o.length_m.ln());
    let wanted = ANGLE_DEG.to_radians().tan().ln();
    for pair in found.windows(2) {
        let [(a, x), (b, y)] = [log(&pair[0]), log(&pair[1])];
        if (a - wanted) * (b - wanted) <= 0.0 {
            return (x + (y - x) * (wanted - a) / (b - a)).exp();
        }
    }
    f64::NAN
}

fn hang(kind: Kind, rows: usize) -> Result<Measured, Error> {
    let hung = Overhang::settle(kind, RIGIDITY_N_M, rows)?;
    Ok(Measured {
        length_m: Overhang::length_m(kind, rows),
        angle_deg: (-hung.tip.y).atan2(hung.tip.x).to_degrees(),
        residual: hung.residual,
    })
}
