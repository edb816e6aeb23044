//! The same drape on coarser and finer meshes: a limp and a stiff fabric at 1, 4 and 16 times as many
//! triangles.

use crate::check::{Band, Check};
use crate::drape::{Draped, SEEDS, SETTING, Setting, Summary, drape, weight_number};
use crate::experiment::{Error, Findings};
use crate::table::Table;
use rayon::prelude::*;
use toile_geometry::Flat;
use toile_io::fabric;
use toile_sim::Material;
use toile_view::plot::{Chart, Panel, Series};

/// A limp and a stiff fabric.
const FABRICS: [&str; 2] = ["satin", "denim"];
/// Rings of the discs: four times as many triangles each time.
const RINGS: [usize; 3] = [10, 20, 40];
/// What the mean may still change by on the finest mesh, points of the drape coefficient.
const SETTLED_POINTS: f64 = 3.0;

/// Drapes both fabrics five times on every mesh.
pub fn run() -> Result<Findings, Error> {
    let fabrics: Vec<(&str, Material)> = FABRICS
        .iter()
        .filter_map(|name| Some((*name, fabric::find(name)?.material())))
        .collect();
    let mut tasks = Vec::new();
    for (_, material) in &fabrics {
        for rings in RINGS {
            let setting = Setting { rings, ..SETTING };
            tasks.extend((1..=SEEDS).map(|seed| (material, setting, seed)));
        }
    }
    let drapes: Vec<Draped> = tasks
        .into_par_iter()
        .map(|(material, setting, seed)| drape(material, setting, seed))
        .collect::<Result<_, _>>()?;
    let summaries: Vec<Summary> = drapes.chunks(SEEDS as usize).map(Summary::of).collect();

    let mut table = Table::new([
        "fabric",
        "Γ",
        "triangles",
        "edge (mm)",
        "DC mean (%)",
        "lowest",
        "highest",
        "folds",
        "change (points)",
        "fastest at the end (mm/s)",
    ]);
    let mut checks = Vec::new();
    let mut panel = Panel::new(2);
    for ((name, material), summaries) in fabrics.iter().zip(summaries.chunks(RINGS.len())) {
        let mut before: Option<f64> = None;
        let mut means = Vec::new();
        let mut chart = Chart::new(*name)
            .x("triangles", "")
            .y("drape coefficient", "%")
            .log_x()
            .y_range(0.0, 100.0);
        for (rings, summary) in RINGS.into_iter().zip(summaries) {
            let triangles = Flat::disc(1.0, rings).faces.len();
            let change = before.map(|before| summary.mean - before);
            table.row([
                (*name).to_owned(),
                format!("{:.1}", weight_number(material)),
                triangles.to_string(),
                format!("{:.1}", 150.0 / rings as f64 / 0.75_f64.sqrt()),
                format!("{:.1}", summary.mean),
                format!("{:.1}", summary.range[0]),
                format!("{:.1}", summary.range[1]),
                format!("{:.1}", summary.folds),
                change.map_or_else(|| "-".into(), |change| format!("{change:+.1}")),
                format!("{:.2}", 1e3 * summary.speed_m_per_s),
            ]);
            let [low, high] = summary.range;
            let spread = [[triangles as f64, low], [triangles as f64, high]];
            chart = chart.series(Series::line("", spread).color(0x888888));
            means.push([triangles as f64, summary.mean]);
            if rings == RINGS[2] {
                checks.push(Check::new(
                    format!("{name}: change from 4 to 16 times the triangles (points)"),
                    change.map_or(f64::NAN, f64::abs),
                    Band::AtMost(SETTLED_POINTS),
                ));
            }
            before = Some(summary.mean);
        }
        panel = panel.with(chart.series(Series::points("mean of five, and range", means)));
    }
    Ok(Findings {
        table,
        checks,
        figure: Box::new(panel),
        notes: notes(),
    })
}

fn notes() -> String {
    "The discs and steps of the experiment 'drape'. Limp cloth comes down with refinement: flat \
     triangles fold along their edges only, which stiffens a coarse mesh against double curvature. \
     Stiff cloth goes up: its bend is sharpest at the support, and a coarse mesh has few edges \
     there. Pairs that buckle are not shown: see the notes of 'drape'."
        .into()
}
