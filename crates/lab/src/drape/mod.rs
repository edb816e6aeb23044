//! Cusick's drape test on the whole fabric library: how much of a disc's shadow is left when its
//! rim hangs down, beside what laboratories measure on fabrics of its kind.

mod disc;
mod shadow;
mod sheet;

pub use disc::{Draped, Setting, drape};

use crate::check::{Band, Check};
use crate::experiment::{Error, Findings};
use crate::specimen::GRAVITY;
use crate::table::Table;
use crate::theory::cantilever;
use disc::{
    AIR_PER_S, JITTER, PROMINENCE_M, REST_M_PER_S, ROUGHNESS_M, SPECIMEN_M, STEP_S, SUPPORT_M,
};
use rayon::prelude::*;
use sheet::{Sheet, Shot};
use toile_io::fabric::{self, Drape};
use toile_sim::{Bending, ClothModel, HingeForm, Material, Membrane};
use toile_view::plot::{Chart, Panel, Series};

/// Mesh and unevenness are chosen anew for each.
pub const SEEDS: u64 = 5;
/// How every fabric is tested.
pub const SETTING: Setting = Setting {
    rings: 20,
    model: ClothModel::BARAFF_WITKIN,
    stages: 6,
};
/// Tension only, with hinges.
const SLACK: ClothModel =
    ClothModel::Triangles(Membrane::Tension, Bending::Hinges(HingeForm::Quadratic));
/// Rims that are drawn, from limp to stiff.
const DRAWN: [&str; 4] = ["satin", "wool-suiting", "leather", "canvas"];

/// A fabric under test.
struct Case {
    name: String,
    material: Material,
    /// What is measured on fabrics of its kind, per cent.
    band: Option<[f64; 2]>,
    /// Whether somebody else did, or it is an estimate of ours.
    is_published: bool,
    setting: Setting,
}

/// What several drapes of one fabric have in common.
pub struct Summary {
    /// Mean drape coefficient, per cent.
    pub mean: f64,
    /// The lowest and the highest, per cent.
    pub range: [f64; 2],
    /// Mean number of folds.
    pub folds: f64,
    /// The fastest particle at the end of any, m/s.
    pub speed_m_per_s: f64,
    /// The largest force left in any, in weights of a particle.
    pub force_left: f64,
    /// Pairs of faces that cross, in all.
    pub crossings: usize,
}

impl Summary {
    /// Of at least one drape.
    pub fn of(drapes: &[Draped]) -> Self {
        let coefficients = || drapes.iter().map(|drape| drape.coefficient);
        let mean = |sum: f64| sum / drapes.len() as f64;
        let largest = |of: fn(&Draped) -> f64| drapes.iter().map(of).fold(0.0, f64::max);
        Self {
            mean: mean(coefficients().sum()),
            range: [
                coefficients().fold(f64::INFINITY, f64::min),
                coefficients().fold(f64::NEG_INFINITY, f64::max),
            ],
            folds: mean(drapes.iter().map(|drape| drape.folds as f64).sum()),
            speed_m_per_s: largest(|drape| drape.speed_m_per_s),
            force_left: largest(|drape| drape.force_left),
            crossings: drapes.iter().map(|drape| drape.crossings).sum(),
        }
    }
}

/// Weight number Γ = ρ g L³/B of the overhang.
pub fn weight_number(material: &Material) -> f64 {
    let rigidity = (material.bending_warp_n_m * material.bending_weft_n_m).sqrt();
    material.area_density_kg_per_m2 * GRAVITY * (SPECIMEN_M - SUPPORT_M).powi(3) / rigidity
}

/// Drapes every fabric five times.
pub fn run() -> Result<Findings, Error> {
    let cases = cases();
    let tasks: Vec<(&Case, u64)> = cases
        .iter()
        .flat_map(|case| (1..=SEEDS).map(move |seed| (case, seed)))
        .collect();
    let drapes: Vec<Draped> = tasks
        .into_par_iter()
        .map(|(case, seed)| drape(&case.material, case.setting, seed))
        .collect::<Result<_, _>>()?;
    let drapes: Vec<&[Draped]> = drapes.chunks(SEEDS as usize).collect();
    let summaries: Vec<Summary> = drapes.iter().map(|drapes| Summary::of(drapes)).collect();
    Ok(Findings {
        table: table(&cases, &summaries),
        checks: checks(&cases, &summaries),
        figure: Box::new(Sheet {
            shots: shots(&cases, &drapes),
            reach_m: SPECIMEN_M,
            charts: charts(&cases, &drapes, &summaries),
        }),
        notes: notes(),
    })
}

/// The library, and what stiff shear, a fast start and a membrane without compression do to the
/// answer.
fn cases() -> Vec<Case> {
    let case = |name: &str| {
        let fabric = fabric::find(name)?;
        Some(Case {
            name: name.to_owned(),
            material: fabric.material(),
            band: fabric
                .drape
                .as_ref()
                .map(|drape| [drape.min_percent, drape.max_percent]),
            is_published: fabric.drape.as_ref().is_some_and(Drape::is_published),
            setting: SETTING,
        })
    };
    let variant = |name: &str, how: &str, change: &dyn Fn(&mut Case)| {
        let mut case = case(name)?;
        case.name = format!("{name}, {how}");
        change(&mut case);
        Some(case)
    };
    let library = fabric::all().iter().map(|fabric| case(&fabric.name));
    let variants = [
        variant("silk", "shear of 500 N/m", &|case| {
            case.material.shear_n_per_m = 500.0;
        }),
        variant("silk", "dropped", &|case| case.setting.stages = 1),
        variant("denim", "membrane without compression", &|case| {
            case.setting.model = SLACK;
        }),
    ];
    library.chain(variants).flatten().collect()
}

fn table(cases: &[Case], summaries: &[Summary]) -> Table {
    let mut table = Table::new([
        "fabric",
        "Γ",
        "DC mean (%)",
        "lowest",
        "highest",
        "folds",
        "measured on its kind (%)",
        "verdict",
        "fastest at the end (mm/s)",
        "force left (weights)",
        "crossings",
    ]);
    for (case, summary) in cases.iter().zip(summaries) {
        let whose = if case.is_published { "" } else { ", estimate" };
        let band = case.band.map(|[low, high]| format!("{low}–{high}{whose}"));
        table.row([
            case.name.clone(),
            format!("{:.1}", weight_number(&case.material)),
            format!("{:.1}", summary.mean),
            format!("{:.1}", summary.range[0]),
            format!("{:.1}", summary.range[1]),
            format!("{:.1}", summary.folds),
            band.unwrap_or_else(|| "-".into()),
            verdict(case, summary),
            format!("{:.2}", 1e3 * summary.speed_m_per_s),
            format!("{:.0e}", summary.force_left),
            summary.crossings.to_string(),
        ]);
    }
    table
}

/// Whether the mean lies within the band, or by how much it misses it.
fn verdict(case: &Case, summary: &Summary) -> String {
    match case.band {
        None => "-".into(),
        Some([low, _]) if summary.mean < low => format!("below by {:.1}", low - summary.mean),
        Some([_, high]) if summary.mean > high => format!("above by {:.1}", summary.mean - high),
        Some(_) => "in".into(),
    }
}

fn checks(cases: &[Case], summaries: &[Summary]) -> Vec<Check> {
    let library = fabric::all().len();
    let mut checks: Vec<Check> = (cases.iter().zip(summaries).take(library))
        .filter_map(|(case, summary)| {
            let [low, high] = case.band.filter(|_| case.is_published)?;
            let what = format!("{}: drape coefficient (%)", case.name);
            Some(Check::new(what, summary.mean, Band::Between(low, high)))
        })
        .collect();
    let fastest = summaries.iter().map(|summary| summary.speed_m_per_s);
    checks.push(Check::new(
        "fastest particle of any disc at the end (m/s)",
        fastest.fold(0.0, f64::max),
        Band::AtMost(REST_M_PER_S),
    ));
    checks
}

/// The first disc of every case.
fn shots(cases: &[Case], drapes: &[&[Draped]]) -> Vec<Shot> {
    let first = cases.iter().zip(drapes);
    first
        .filter_map(|(case, drapes)| {
            let drape = drapes.first()?;
            let (share, folds) = (drape.coefficient, drape.folds);
            Some(Shot {
                caption: format!("{}: {share:.0} %, {folds} folds", case.name),
                mesh: drape.mesh.clone(),
            })
        })
        .collect()
}

fn charts(cases: &[Case], drapes: &[&[Draped]], summaries: &[Summary]) -> Panel {
    let library = fabric::all().len();
    let named = cases.iter().zip(summaries).take(library);
    let named: Vec<(f64, &Case, &Summary)> = named
        .map(|(case, summary)| (weight_number(&case.material), case, summary))
        .collect();
    let weights = (0..40).map(|k| 10_f64.powf(0.2 + 2.0 * f64::from(k) / 39.0));
    let strips = weights.map(|gamma| [gamma, strip_coefficient(gamma)]);
    let mut coefficients = Chart::new("Drape coefficients: simulated, and measured on their kind")
        .x("Γ = ρ g L³/B of the overhang", "")
        .y("drape coefficient", "%")
        .log_x()
        .y_range(0.0, 100.0);
    let mut first = true;
    for (gamma, case, _) in &named {
        if let Some([low, high]) = case.band {
            let name = if first { "measured on its kind" } else { "" };
            let band = [[*gamma, low], [*gamma, high]];
            coefficients = coefficients.series(Series::line(name, band).color(0xb8c4d0));
            first = false;
        }
    }
    let all = named
        .iter()
        .map(|(gamma, _, summary)| [*gamma, summary.mean]);
    coefficients = coefficients
        .series(Series::dashed("strips without hoops (elastica)", strips).color(0x888888))
        .series(Series::points("mean of five", all));
    for (gamma, _, summary) in &named {
        let [low, high] = summary.range;
        let spread = [[*gamma, low], [*gamma, high]];
        coefficients = coefficients.series(Series::line("", spread).color(0x333333));
    }
    let mut rims = Chart::new("Rims from above")
        .x("x", "cm")
        .y("z", "cm")
        .x_range(-16.0, 16.0)
        .y_range(-16.0, 16.0)
        .sized(800, 800);
    for name in DRAWN {
        let place = cases.iter().position(|case| case.name == name);
        let drape = place.and_then(|place| drapes[place].first());
        let outline = drape.map_or(&[][..], |drape| &drape.outline_m);
        let turn = std::f64::consts::TAU / outline.len().max(1) as f64;
        let points = outline.iter().chain(outline.first()).enumerate();
        let points = points.map(|(k, radius)| {
            let (sin, cos) = (turn * k as f64).sin_cos();
            [1e2 * radius * cos, 1e2 * radius * sin]
        });
        rims = rims.series(Series::line(name, points));
    }
    Panel::new(2).with(coefficients).with(rims)
}

/// Drape coefficient of an overhang cut into narrow strips, each bent by itself, per cent.
fn strip_coefficient(gamma: f64) -> f64 {
    let reach = SUPPORT_M + (SPECIMEN_M - SUPPORT_M) * cantilever::bend(gamma).0.reach;
    let square = |radius: f64| radius * radius;
    shadow::drape_coefficient(square(reach), square(SUPPORT_M), square(SPECIMEN_M))
}

fn notes() -> String {
    let pixel_mm = 1e3 * shadow::PIXEL_M;
    format!(
        "Ranges that are estimates of ours are printed beside the answer and not checked. \
         A disc of {:.0} cm radius held between two of {:.0} cm; {} rings of triangles. Every seed has a mesh of \
         its own: turned under the threads, its points beyond the support moved at random by up to {JITTER} of an \
         edge. It starts level, \
         uneven by {:.1} mm at random, with 1/{} of its weight, doubled each time it has calmed down: the tester lowers \
         the rim slowly, and cloth that is dropped instead folds while nearly flat, into more folds, \
         between which it then stays jammed (silk, dropped). Steps of {STEP_S} s by backward Euler with at \
         most ten Newton iterations, air taking {AIR_PER_S}/s; at rest below {:.0} mm/s five steps in a row. The \
         shadow is counted in squares of {pixel_mm} mm, right to 0.01 %. A fold stands out by {:.0} mm. Cloth does \
         not meet cloth here: crossings counts what would.\n\
         The membrane resists compression and the bending is by hinges. A membrane of tension alone has nothing \
         against the hoops getting shorter: the rim sinks as narrow strips would, without folds. Immediately \
         buckling pairs do hold the hoops, but are far stiffer before they buckle than the membrane is: on a disc of \
         30 rings denim with pairs still had forces of 900 weights of a particle where its steps had become small, \
         and silk 80, so that what it shows there is no equilibrium.\n\
         Variants below the library: shear much stiffer than such fabrics have it, a fast start, and a membrane \
         without compression.",
        1e2 * SPECIMEN_M,
        1e2 * SUPPORT_M,
        SETTING.rings,
        1e3 * ROUGHNESS_M,
        1 << (SETTING.stages - 1),
        1e3 * REST_M_PER_S,
        1e3 * PROMINENCE_M,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_library_is_tested() {
        let cases = cases();
        assert_eq!(cases.len(), fabric::all().len() + 3);
        let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
        assert!(DRAWN.iter().all(|name| names.contains(name)));
        let shear = |name: &str| {
            let case = cases.iter().find(|case| case.name == name);
            case.unwrap().material.shear_n_per_m
        };
        assert!(shear("silk, shear of 500 N/m") > 5.0 * shear("silk"));
    }

    #[test]
    fn a_miss_is_said_to_be_one() {
        let mut case = cases().swap_remove(0);
        let mut summary = Summary::of(&[]);
        case.band = Some([40.0, 60.0]);
        for (mean, expected) in [(39.0, "below by 1.0"), (40.0, "in"), (62.5, "above by 2.5")] {
            summary.mean = mean;
            assert_eq!(verdict(&case, &summary), expected);
        }
    }

    #[test]
    fn strips_drape_as_the_elastica_says() {
        assert!((strip_coefficient(1e-3) - 100.0).abs() < 0.01);
        assert!((strip_coefficient(18.8) - 40.0).abs() < 1.0);
    }
}
