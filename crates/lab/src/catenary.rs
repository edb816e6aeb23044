//! A limp narrow strip hung between two points at the same height, against the catenary.

use crate::check::{Band, Check, number};
use crate::experiment::{Error, Findings};
use crate::probe::Probe;
use crate::specimen::{self, GRAVITY};
use crate::statics;
use crate::strip::{self, Kind, Strip};
use crate::table::Table;
use crate::theory::catenary as theory;
use glam::{DVec2, DVec3};
use rayon::prelude::*;
use toile_sim::{Jacobian, Material, PinHold};
use toile_view::plot::{Chart, Series};

const KINDS: [Kind; 3] = [Kind::QUAD, Kind::BUCKLING, Kind::BARAFF_WITKIN];
const SPANS: [f64; 4] = [0.9, 0.8, 0.5, 0.2];
const LENGTH_M: f64 = 1.0;
const SPACING_M: f64 = 0.0125;
/// So stiff that the strip's own weight stretches it by a few parts in a million.
const STIFFNESS_N_PER_M: f64 = 2e5;

/// One strip at rest.
struct Hung {
    sag_m: f64,
    residual: f64,
    points: Vec<[f64; 2]>,
}

/// Hangs strips of every kind over four spans.
pub fn run() -> Result<Findings, Error> {
    let cases: Vec<(f64, Kind)> = SPANS
        .into_iter()
        .flat_map(|span| KINDS.map(|kind| (span, kind)))
        .collect();
    let hung: Vec<Hung> = cases
        .par_iter()
        .map(|(span, kind)| hang(*kind, *span))
        .collect::<Result<_, Error>>()?;
    let mut table = Table::new([
        "span (m)",
        "laws",
        "sag (m)",
        "theory (m)",
        "error (%)",
        "force left",
    ]);
    let mut checks = Vec::new();
    let mut chart = Chart::new("Limp strips (points) and catenaries")
        .x("across", "m")
        .y("height", "m");
    for span in SPANS {
        let name = format!("span {span} m");
        chart = chart.series(Series::line(name, theory::points(span, 80)));
    }
    for ((span, kind), hung) in cases.into_iter().zip(hung) {
        let (_, exact) = theory::hang(span);
        let error = 100.0 * (hung.sag_m / exact - 1.0);
        table.row([
            number(span),
            kind.name.to_owned(),
            format!("{:.6}", hung.sag_m),
            format!("{exact:.6}"),
            format!("{error:+.3}"),
            format!("{:.1e}", hung.residual),
        ]);
        checks.push(Check::new(
            format!("{} over {span} m: error of the sag (%)", kind.name),
            error,
            Band::Between(-0.1, 0.1),
        ));
        checks.push(Check::new(
            format!("{} over {span} m: force left", kind.name),
            hung.residual,
            Band::AtMost(1e-4),
        ));
        if kind == Kind::BUCKLING {
            let sparse = hung.points.into_iter().step_by(7);
            chart = chart.series(Series::points("", sparse).color(0x333333));
        }
    }
    Ok(Findings {
        table,
        checks,
        figure: Box::new(chart),
        notes: format!(
            "Strips {LENGTH_M} m long and {} m wide with edges of {SPACING_M} m, without bending stiffness, of \
             {STIFFNESS_N_PER_M:e} N/m. Both ends are held; the search for the rest state starts from a V, which \
             has no curvature but at one place. Theory: 2a sinh(span/2a) = L, sag = a (cosh(span/2a) − 1).",
            2.0 * SPACING_M
        ),
    })
}

fn hang(kind: Kind, span: f64) -> Result<Hung, Error> {
    let strip = Strip {
        kind,
        size_m: DVec2::new(2.0 * SPACING_M, LENGTH_M),
        spacing_m: SPACING_M,
        across: DVec3::Z,
        along: DVec3::X,
        grain_rad: 0.0,
    };
    let material = Material {
        stretch_warp_n_per_m: STIFFNESS_N_PER_M,
        stretch_weft_n_per_m: STIFFNESS_N_PER_M,
        shear_n_per_m: 0.5 * STIFFNESS_N_PER_M,
        bending_warp_n_m: 0.0,
        bending_weft_n_m: 0.0,
        jacobian: Jacobian::Exact,
        slack_factor: 0.0,
        ..Material::default()
    };
    let cloth = strip.cloth(material);
    let flat = cloth.positions();
    let at_end = |x: DVec3| {
        let arc = strip.arc_m(x);
        !(1e-9..=LENGTH_M - 1e-9).contains(&arc)
    };
    let cloth = strip::held(cloth, PinHold::All, at_end);
    let depth = 0.5 * (LENGTH_M * LENGTH_M - span * span).sqrt();
    let bent = |x: &DVec3| {
        let from_middle = 2.0 * strip.arc_m(*x) / LENGTH_M - 1.0;
        let height = depth * (from_middle.abs() - 1.0);
        DVec3::new(0.5 * span * from_middle, height, x.z)
    };
    let start = flat.iter().map(bent).collect();
    let mut probe = Probe::new(specimen::model(cloth, GRAVITY)?);
    let rest = statics::rest(&mut probe, start, 0.05, 2000);
    let sag_m = -rest.positions.iter().map(|x| x.y).fold(0.0, f64::min);
    Ok(Hung {
        sag_m,
        residual: rest.residual,
        points: rest.positions.iter().map(|x| [x.x, x.y]).collect(),
    })
}
