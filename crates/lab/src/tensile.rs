//! Tensile tests: strips pulled along warp, weft and bias, force per width against what the law
//! itself says.

use crate::check::{Band, Check, number};
use crate::experiment::{Error, Findings};
use crate::probe::Probe;
use crate::specimen;
use crate::statics;
use crate::strip::{self, Kind, Mesh, Strip};
use crate::table::Table;
use glam::{DVec2, DVec3};
use rayon::prelude::*;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};
use toile_io::fabric;
use toile_sim::forces::measured::{Measured, Pull};
use toile_sim::{Bending, ClothModel, Jacobian, Material, Membrane, PinHold};
use toile_view::plot::{Chart, Panel, Series};

/// Up to the stretch of 7/6 to which fabrics were measured.
const STRAINS: [f64; 6] = [0.01, 0.02, 0.05, 0.08, 0.12, 0.16];
const SIZE_M: DVec2 = DVec2::new(0.04, 0.1);
const SPACING_M: f64 = 0.01;
const STRETCH_N_PER_M: f64 = 2000.0;
const SHEAR_N_PER_M: f64 = 300.0;

/// Direction of the pull.
#[derive(Clone, Copy, PartialEq)]
enum Direction {
    Warp,
    Weft,
    Bias,
}

impl Direction {
    fn name(self) -> &'static str {
        match self {
            Self::Warp => "warp",
            Self::Weft => "weft",
            Self::Bias => "bias",
        }
    }

    fn grain_rad(self) -> f64 {
        match self {
            Self::Warp => 0.0,
            Self::Weft => FRAC_PI_2,
            Self::Bias => FRAC_PI_4,
        }
    }
}

/// A law with its answer.
#[derive(Clone)]
struct Case {
    name: String,
    membrane: Membrane,
    measured: Option<Measured>,
    direction: Direction,
}

/// One test: strain, force per width found and expected, N/m, and what was left.
struct Pulled {
    curve: Vec<[f64; 3]>,
    residual: f64,
}

/// Pulls strips of every law.
pub fn run() -> Result<Findings, Error> {
    let cases = cases();
    let pulled: Vec<Pulled> = cases.par_iter().map(pull).collect::<Result<_, Error>>()?;
    let mut table = Table::new([
        "law",
        "direction",
        "at 1 % (N/m)",
        "law (N/m)",
        "at 16 % (N/m)",
        "law (N/m)",
        "largest error (%)",
        "force left",
    ]);
    let mut checks = Vec::new();
    let mut models = Chart::new("Models")
        .x("strain", "")
        .y("force per width", "N/m");
    let mut fabrics = Chart::new("Measured fabrics, along warp")
        .x("strain", "")
        .y("force per width", "N/m")
        .log_y();
    for (case, pulled) in cases.iter().zip(&pulled) {
        let error = |row: &[f64; 3]| 100.0 * (row[1] / row[2] - 1.0);
        let worst = pulled.curve.iter().map(error);
        let worst = worst.fold(0.0_f64, |a, b| if b.abs() > a.abs() { b } else { a });
        let (first, last) = (pulled.curve[0], pulled.curve[STRAINS.len() - 1]);
        table.row([
            case.name.clone(),
            case.direction.name().to_owned(),
            format!("{:.3}", first[1]),
            format!("{:.3}", first[2]),
            format!("{:.2}", last[1]),
            format!("{:.2}", last[2]),
            format!("{worst:+.3}"),
            format!("{:.1e}", pulled.residual),
        ]);
        let name = format!("{} along {}", case.name, case.direction.name());
        checks.push(Check::new(
            format!("{name}: largest error of the force (%)"),
            worst,
            Band::Between(-1.0, 1.0),
        ));
        checks.push(Check::new(
            format!("{name}: force left, as a share of the largest"),
            pulled.residual,
            Band::AtMost(1e-5),
        ));
        let points = |column: usize| pulled.curve.iter().map(move |row| [row[0], row[column]]);
        if case.measured.is_none() {
            models = models
                .series(Series::line(name, points(2)))
                .series(Series::points("", points(1)).color(0x333333));
        } else if case.direction == Direction::Warp {
            fabrics = fabrics
                .series(Series::line(case.name.clone(), points(2)))
                .series(Series::points("", points(1)).color(0x333333));
        }
    }
    Ok(Findings {
        table,
        checks,
        figure: Box::new(Panel::new(2).with(models).with(fabrics)),
        notes: format!(
            "A flat strip of {} × {} m of jittered triangles is pulled between two ends along which it \
             may contract, but which do not pass each other, and the force on one end is read. Lines are the laws, \
             points the strips. triangle-buckling: Y ε along threads (diagonals and the threads across contract \
             until they are slack) and 2 G ε along bias, where the threads turn until they are. baraff-witkin: \
             Y ε along threads; along bias the width that makes the law's energy least. measured: the law's own \
             tensile curve, for threads only. Y = {} N/m, G = {} N/m.",
            SIZE_M.x,
            SIZE_M.y,
            number(STRETCH_N_PER_M),
            number(SHEAR_N_PER_M)
        ),
    })
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, membrane) in [
        ("triangle-buckling", Membrane::Tension),
        ("baraff-witkin", Membrane::BaraffWitkin),
    ] {
        for direction in [Direction::Warp, Direction::Weft, Direction::Bias] {
            cases.push(Case {
                name: name.to_owned(),
                membrane,
                measured: None,
                direction,
            });
        }
    }
    for fabric in fabric::all() {
        let Some((law, _)) = fabric.measured() else {
            continue;
        };
        for direction in [Direction::Warp, Direction::Weft] {
            cases.push(Case {
                name: fabric.name.clone(),
                membrane: Membrane::Measured,
                measured: Some(law),
                direction,
            });
        }
    }
    cases
}

/// Force per width that the law answers a strain with, N/m.
fn expected_n_per_m(case: &Case, strain: f64) -> f64 {
    if let Some(law) = &case.measured {
        let pull = match case.direction {
            Direction::Weft => Pull::Weft,
            _ => Pull::Warp,
        };
        return law.tension(pull, strain).force_n_per_m;
    }
    match (case.direction, case.membrane) {
        (Direction::Bias, Membrane::BaraffWitkin) => bias_baraff_witkin(1.0 + strain),
        (Direction::Bias, _) => 2.0 * SHEAR_N_PER_M * strain,
        _ => STRETCH_N_PER_M * strain,
    }
}

/// `ψ = Y (s − 1)² + ½ G ((λ² − μ²)/2)²`, `s² = (λ² + μ²)/2`, at the width μ where `∂ψ/∂μ = 0`;
/// the force is `∂ψ/∂λ`.
fn bias_baraff_witkin(along: f64) -> f64 {
    let slope = |of: f64, across: f64, sign: f64| {
        let s = (0.5 * (along * along + across * across)).sqrt();
        let angle = 0.5 * (along * along - across * across);
        of * (STRETCH_N_PER_M * (s - 1.0) / s + sign * SHEAR_N_PER_M * angle)
    };
    let (mut low, mut high) = (0.0, along);
    for _ in 0..100 {
        let across = 0.5 * (low + high);
        if slope(1.0, across, -1.0) > 0.0 {
            high = across;
        } else {
            low = across;
        }
    }
    slope(along, 0.5 * (low + high), 1.0)
}

fn pull(case: &Case) -> Result<Pulled, Error> {
    let strip = Strip {
        kind: Kind {
            name: "strip",
            laws: ClothModel::Triangles(case.membrane, Bending::Limp),
            mesh: Mesh::Jittered,
        },
        size_m: SIZE_M,
        spacing_m: SPACING_M,
        across: DVec3::X,
        along: DVec3::Y,
        grain_rad: case.direction.grain_rad(),
    };
    let material = Material {
        stretch_warp_n_per_m: STRETCH_N_PER_M,
        stretch_weft_n_per_m: STRETCH_N_PER_M,
        shear_n_per_m: SHEAR_N_PER_M,
        jacobian: Jacobian::Exact,
        slack_factor: 0.0,
        ..Material::default()
    };
    let mut cloth = strip.cloth(material);
    cloth.measured = case.measured;
    let flat = cloth.positions();
    let at_start = |x: DVec3| strip.arc_m(x) < 1e-9;
    let at_end = |x: DVec3| strip.arc_m(x) > SIZE_M.y - 1e-9;
    // The middles of the ends are fixed, the rest of the ends slides across, all stays in the plane.
    let cloth = strip::held(cloth, PinHold::All, |x| {
        (at_start(x) || at_end(x)) && x.x.abs() < 1e-9
    });
    let cloth = strip::held(cloth, PinHold::FreeAxis(DVec3::X), |x| {
        at_start(x) || at_end(x)
    });
    let cloth = strip::held(cloth, PinHold::Normal(DVec3::Z), |_| true);
    let mut probe = Probe::new(specimen::model(cloth, 0.0)?);
    let still = vec![DVec3::ZERO; flat.len()];
    let mut pulled = Pulled {
        curve: Vec::new(),
        residual: 0.0,
    };
    let mut positions = flat.clone();
    let mut before = 0.0;
    for strain in STRAINS {
        let factor = (1.0 + strain) / (1.0 + before);
        positions.iter_mut().for_each(|x| x.y *= factor);
        let rest = statics::rest(&mut probe, positions, 0.2 * SPACING_M, 400);
        let force = probe.force(&rest.positions, &still);
        let end = flat.iter().zip(&force).filter(|(x, _)| at_end(**x));
        let total: f64 = end.map(|(_, force)| -force.y).sum();
        let expected = expected_n_per_m(case, strain);
        pulled.curve.push([strain, total / SIZE_M.x, expected]);
        pulled.residual = pulled.residual.max(rest.residual);
        positions = rest.positions;
        before = strain;
    }
    Ok(pulled)
}
