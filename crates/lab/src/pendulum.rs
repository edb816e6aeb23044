//! Periods of swinging strips: a weight on a strip at several amplitudes, a rigid strip, a limp
//! sheet.

use crate::check::{Band, Check, number};
use crate::experiment::{Error, Findings};
use crate::probe::Probe;
use crate::specimen::{self, GRAVITY};
use crate::statics;
use crate::strip::{self, Kind, Strip};
use crate::table::Table;
use crate::theory::pendulum as theory;
use glam::{DVec2, DVec3};
use rayon::prelude::*;
use toile_sim::{
    ClothSpec, Jacobian, Material, PinHold, Preconditioner, Simulation, Solve, State, StepConfig,
    WeightSpec,
};
use toile_view::plot::{Chart, Panel, Series};

const LENGTH_M: f64 = 1.0;
const AMPLITUDES_DEG: [f64; 5] = [5.0, 10.0, 30.0, 60.0, 90.0];
/// BDF2 turns a swing of n steps by about (2π/n)²/3 too slowly: 4e-5 here.
const STEPS_PER_PERIOD: usize = 600;
/// Small swings, as a share of the length.
const SMALL: f64 = 1e-3;

/// What swings.
#[derive(Clone, Copy, PartialEq)]
enum Case {
    /// A weight at the end of one cell, from this angle, degrees.
    Point(f64),
    /// A strip that does not bend.
    Rigid,
    /// A sheet that bends freely, in its first mode.
    Limp,
}

impl Case {
    fn name(self) -> String {
        match self {
            Self::Point(degrees) => format!("weight, {degrees}°"),
            Self::Rigid => "rigid strip".into(),
            Self::Limp => "limp sheet".into(),
        }
    }

    /// Period in units of √(L/g).
    fn theory(self) -> f64 {
        match self {
            Self::Point(degrees) => theory::point(degrees.to_radians()),
            Self::Rigid => theory::rigid_strip(),
            Self::Limp => theory::limp_sheet(),
        }
    }
}

/// A swing: its period, and its course as share of the period and of the amplitude.
struct Swing {
    period: f64,
    course: Vec<[f64; 2]>,
}

/// Swings every case with every kind that can be it.
pub fn run() -> Result<Findings, Error> {
    let mut cases = Vec::new();
    for kind in [Kind::QUAD, Kind::BUCKLING, Kind::BARAFF_WITKIN] {
        cases.extend(AMPLITUDES_DEG.map(|degrees| (Case::Point(degrees), kind)));
        cases.push((Case::Limp, kind));
    }
    cases.extend([Kind::BARAFF_WITKIN, Kind::SINE].map(|kind| (Case::Rigid, kind)));
    let swings: Vec<Swing> = cases
        .par_iter()
        .map(|(case, kind)| swing(*case, *kind))
        .collect::<Result<_, Error>>()?;

    let mut table = Table::new(["what", "laws", "T (√(L/g))", "theory", "error (%)"]);
    let mut checks = Vec::new();
    let curve = (1..=100).map(f64::from);
    let curve = curve.map(|degrees| [degrees, theory::point(degrees.to_radians())]);
    let mut periods = Chart::new("A weight on a strip")
        .x("amplitude", "°")
        .y("period", "√(L/g)")
        .series(Series::line("4 K(sin²(θ/2))", curve));
    let mut courses = Chart::new("Tip")
        .x("time", "T of theory")
        .y("place", "amplitude");
    for kind in [Kind::QUAD, Kind::BUCKLING, Kind::BARAFF_WITKIN] {
        let points = cases.iter().zip(&swings).filter_map(|((case, k), swing)| {
            let Case::Point(degrees) = case else {
                return None;
            };
            (*k == kind).then_some([*degrees, swing.period])
        });
        periods = periods.series(Series::points(kind.name, points.collect::<Vec<_>>()));
    }
    for ((case, kind), swing) in cases.into_iter().zip(swings) {
        let exact = case.theory();
        let error = 100.0 * (swing.period / exact - 1.0);
        table.row([
            case.name(),
            kind.name.to_owned(),
            format!("{:.5}", swing.period),
            format!("{exact:.5}"),
            format!("{error:+.3}"),
        ]);
        checks.push(Check::new(
            format!("{}, {}: error of the period (%)", case.name(), kind.name),
            error,
            Band::Between(-0.1, 0.1),
        ));
        if !matches!(case, Case::Point(_)) {
            let name = format!("{}, {}", case.name(), kind.name);
            courses = courses.series(Series::line(name, swing.course));
        }
    }
    Ok(Findings {
        table,
        checks,
        figure: Box::new(Panel::new(2).with(periods).with(courses)),
        notes: format!(
            "BDF2 with Newton, {STEPS_PER_PERIOD} steps a period, from rest at the amplitude; the period is the \
             time between the first and the third passage through the vertical. The weight hangs on one \
             cell of nearly weightless cloth. The limp sheet starts in its first mode J₀(j √(z/L)), the rigid \
             strip straight, both by {} of their length. \
             A rigid strip needs bending stiffness at the smallest of curvatures, which hinges have and \
             buckling links have not: below their threshold they are springs, and a flat strip of springs \
             bends freely. So the quad model and pairs have no row there.",
            number(SMALL)
        ),
    })
}

fn strip_of(case: Case, kind: Kind) -> Strip {
    let (width, spacing) = match case {
        Case::Point(_) => (LENGTH_M, LENGTH_M),
        _ => (0.05, 0.025),
    };
    Strip {
        kind,
        size_m: DVec2::new(width, LENGTH_M),
        spacing_m: spacing,
        across: DVec3::X,
        along: -DVec3::Y,
        grain_rad: 0.0,
    }
}

fn cloth_of(case: Case, strip: &Strip) -> ClothSpec {
    let stiffness = 2e5;
    let mut material = Material {
        stretch_warp_n_per_m: stiffness,
        stretch_weft_n_per_m: stiffness,
        shear_n_per_m: 0.5 * stiffness,
        bending_warp_n_m: 0.0,
        bending_weft_n_m: 0.0,
        damping_n_s_per_m: 0.0,
        bending_damping_s: 0.0,
        ..Material::default()
    };
    match case {
        Case::Point(_) => material.area_density_kg_per_m2 = 1e-9,
        Case::Rigid => {
            let weight = material.area_density_kg_per_m2 * GRAVITY * LENGTH_M.powi(3);
            (material.bending_warp_n_m, material.bending_weft_n_m) = (1e4 * weight, 1e4 * weight);
        }
        Case::Limp => {}
    }
    let mut cloth = strip.cloth(material);
    if let Case::Point(_) = case {
        let lowest = cloth.positions().into_iter().enumerate();
        let lowest = lowest.filter(|(_, x)| strip.arc_m(*x) > LENGTH_M - 1e-9);
        cloth.weights.push(WeightSpec::Points {
            indices: lowest.map(|(i, _)| i as u32).collect(),
            kg: 0.1,
        });
    }
    strip::held(cloth, PinHold::All, |x| strip.arc_m(x) < 1e-9)
}

fn swing(case: Case, kind: Kind) -> Result<Swing, Error> {
    let strip = strip_of(case, kind);
    let cloth = cloth_of(case, &strip);
    let mut still = cloth.clone();
    (still.material.jacobian, still.material.slack_factor) = (Jacobian::Exact, 0.0);
    let flat = cloth.positions();
    let mut probe = Probe::new(specimen::model(still, GRAVITY)?);
    let hung = statics::rest(&mut probe, flat.clone(), 0.01, 300).positions;
    let model = specimen::model(cloth, GRAVITY)?;
    let mut state = State::start(&model);
    let top = 0.5 * LENGTH_M;
    for (i, x) in state.positions.iter_mut().enumerate() {
        let depth = top - hung[i].y;
        *x = match case {
            Case::Point(degrees) => {
                let (sine, cosine) = degrees.to_radians().sin_cos();
                DVec3::new(hung[i].x, top - depth * cosine, depth * sine)
            }
            Case::Rigid => hung[i] + SMALL * depth * DVec3::Z,
            Case::Limp => {
                let height = 1.0 - strip.arc_m(flat[i]) / LENGTH_M;
                hung[i] + SMALL * LENGTH_M * theory::limp_mode(height) * DVec3::Z
            }
        };
    }
    let tip = flat.len() - 1;
    let amplitude = state.positions[tip].z;
    let config = StepConfig {
        solve: Solve::Newton,
        preconditioner: Preconditioner::Direct,
        newton_tolerance: 1e-9,
        ..StepConfig::default()
    };
    let mut simulation = Simulation::new(model, config);
    simulation.restore(state);
    let unit_s = (LENGTH_M / GRAVITY).sqrt();
    let step_s = case.theory() * unit_s / STEPS_PER_PERIOD as f64;
    let mut course = vec![[0.0, 1.0]];
    let mut passages = Vec::new();
    while passages.len() < 3 && course.len() < 2 * STEPS_PER_PERIOD {
        simulation.step(step_s)?;
        let place = simulation.state().positions[tip].z / amplitude;
        let [time, before] = course[course.len() - 1];
        let step = 1.0 / STEPS_PER_PERIOD as f64;
        if before * place < 0.0 {
            passages.push(time + step * before / (before - place));
        }
        course.push([time + step, place]);
    }
    let period = match passages[..] {
        [first, _, third] => (third - first) * case.theory(),
        _ => f64::NAN,
    };
    Ok(Swing { period, course })
}
