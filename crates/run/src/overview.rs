//! A run at a glance: its numbers over time as plots, and one picture of everything.

use crate::error::RunError;
use std::path::{Path, PathBuf};
use toile_io::{FrameMetrics, Report, metrics};
use toile_view::Image;
use toile_view::plot::{Chart, Facts, Figure, Panel, Series};

/// Width of the overview, and how much of it is poster.
const WIDTH: usize = 1920;
const POSTER: [usize; 2] = [1280, 720];
/// Height of the plots in the overview.
const PLOTS: usize = 880;

/// Writes `plots.png`, `plots.svg` and `overview.png` of a run into its folder.
pub fn write(
    folder: &Path,
    rows: &[FrameMetrics],
    report: &Report,
    poster: &Image,
) -> Result<Vec<PathBuf>, RunError> {
    let files = ["plots.png", "plots.svg", "overview.png"].map(|name| folder.join(name));
    let [png, svg, overview] = &files;
    plots(rows).write(png).map_err(RunError::picture)?;
    plots(rows).write_svg(svg).map_err(RunError::picture)?;
    let picture = compose(rows, report, poster);
    picture.write_png(overview).map_err(RunError::picture)?;
    Ok(files.into())
}

/// The same, from what a finished run has left in its folder.
pub fn write_of(folder: &Path, poster: &Image) -> Result<Vec<PathBuf>, RunError> {
    let rows = metrics::read(&folder.join("metrics.csv")).map_err(RunError::input)?;
    let path = folder.join("report.json");
    let unreadable =
        |e: &dyn std::fmt::Display| RunError::input(format!("{}: {e}", path.display()));
    let text = std::fs::read_to_string(&path).map_err(|e| unreadable(&e))?;
    let report: Report = serde_json::from_str(&text).map_err(|e| unreadable(&e))?;
    write(folder, &rows, &report, poster)
}

/// The poster, the key numbers beside it and the plots below.
fn compose(rows: &[FrameMetrics], report: &Report, poster: &Image) -> Image {
    let [left, top] = POSTER;
    let mut picture = Image::filled(WIDTH, top + PLOTS, [255; 3]);
    picture.paste(poster, 0, 0);
    let beside = [(WIDTH - left) as u32, top as u32];
    let facts = facts(report).sized(beside[0], beside[1]).image();
    picture.paste(&facts, left, 0);
    let plots = plots(rows).sized(WIDTH as u32, PLOTS as u32).image();
    picture.paste(&plots, 0, top);
    picture
}

/// Charts of everything that is measured frame by frame.
fn plots(rows: &[FrameMetrics]) -> Panel {
    let line = |name: &str, of: fn(&FrameMetrics) -> f64| {
        Series::line(name, rows.iter().map(move |row| [row.time_s, of(row)]))
    };
    // The start has taken no step: nothing was solved and no time has passed.
    let stepped = |name: &str, of: fn(&FrameMetrics) -> f64| {
        let rows = rows.iter().filter(|row| row.steps > 0);
        Series::line(name, rows.map(move |row| [row.time_s, of(row)]))
    };
    let chart =
        |title: &str, name: &str, unit: &str| Chart::new(title).x("time", "s").y(name, unit);
    let start = rows.first().cloned().unwrap_or_default();
    let change = |of: fn(&FrameMetrics) -> f64| {
        let first = of(&start);
        rows.iter().map(move |row| [row.time_s, of(row) - first])
    };
    let most_contacts = rows.iter().map(|row| row.contacts).max().unwrap_or(0);
    let total = |row: &FrameMetrics| row.kinetic_j + row.elastic_j + row.gravitational_j;
    Panel::new(3)
        .with(
            chart("Energy", "energy", "J")
                .series(line("kinetic", |row| row.kinetic_j))
                .series(line("elastic", |row| row.elastic_j))
                .series(Series::line(
                    "gravity, from the start",
                    change(|row| row.gravitational_j),
                ))
                .series(Series::dashed("all, from the start", change(total))),
        )
        .with(
            chart("Stretch of edges", "stretch", "%")
                .series(line("largest", |row| 100.0 * row.stretch_max))
                .series(line("99 % below", |row| 100.0 * row.stretch_p99))
                .series(line("mean", |row| 100.0 * row.stretch_mean)),
        )
        .with(
            chart("Height", "height", "m")
                .series(line("mean", |row| row.mean_height_m))
                .series(line("lowest", |row| row.lowest_height_m)),
        )
        .with(
            chart("Particles in contact", "contacts", "")
                .y_range(0.0, 1.05 * most_contacts.max(1) as f64)
                .series(line("", |row| row.contacts as f64)),
        )
        .with(
            chart("Iterations of a solve", "iterations", "")
                .series(stepped("most", |row| row.pcg_iterations_max as f64))
                .series(stepped("mean", |row| row.pcg_iterations_mean)),
        )
        .with(
            chart("Time of a frame", "time", "ms")
                .series(stepped("all", |row| 1e3 * row.wall_s))
                .series(stepped("solve", |row| 1e3 * row.solve_s))
                .series(stepped("assembly", |row| 1e3 * row.assembly_s))
                .series(stepped("contact", |row| 1e3 * row.contact_s)),
        )
}

/// The key numbers of a run.
fn facts(report: &Report) -> Facts {
    let percent = |share: f64| format!("{:.2} %", 100.0 * share);
    let mut facts = Facts::new(&report.scene)
        .with("frames", report.frames.to_string())
        .with("steps", report.steps.to_string())
        .with("particles", report.particles.to_string())
        .with("triangles", report.triangles.to_string())
        .with(
            "time of a frame",
            format!("{:.1} ms", 1e3 * report.wall_s_per_frame),
        )
        .with("time of the run", format!("{:.1} s", report.wall_s))
        .with("threads", report.threads.to_string())
        .with("largest stretch", percent(report.stretch_max))
        .with("99 % of edges below", percent(report.stretch_p99))
        .with("most contacts", report.contacts_max.to_string())
        .with(
            "deepest in a collider",
            format!("{:.3} mm", 1e3 * report.collider_penetration_max_m),
        )
        .with(
            "iterations, mean and most",
            format!(
                "{:.1}, {}",
                report.pcg_iterations_mean, report.pcg_iterations_max
            ),
        );
    if let Some(count) = report.self_intersections_max {
        facts = facts.with("crossing pairs of faces", count.to_string());
    }
    if let Some(count) = report.body_intersections_max {
        facts = facts.with("faces of cloth crossing bodies", count.to_string());
    }
    if report.retries > 0 {
        facts = facts.with("steps taken again", report.retries.to_string());
    }
    if report.interrupted {
        facts = facts.with("ended", "by the user");
    }
    if report.error.is_some() {
        facts = facts.with("ended", "with an error");
    }
    facts.with("Toile", report.toile_version.clone())
}
