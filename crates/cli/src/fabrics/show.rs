//! Fabrics as text, within a hundred columns.

use toile::io::fabric::Fabric;
use toile::sim::forces::measured::{MEASURED_STRAIN, Pull};

/// One line a fabric.
pub fn list(fabrics: &[Fabric]) {
    println!(
        "{:<20} {:>6} {:>13} {:>6} {:>12} {:>5} {:>8} {:>7}  tables",
        "fabric", "weight", "stretch", "shear", "bending", "thick", "friction", "drape"
    );
    println!(
        "{:<20} {:>6} {:>13} {:>6} {:>12} {:>5} {:>8} {:>7}",
        "", "g/m²", "N/m", "N/m", "µN·m", "mm", "", "%"
    );
    for fabric in fabrics {
        let drape = fabric.drape.as_ref().map_or_else(String::new, |drape| {
            range(drape.min_percent, drape.max_percent)
        });
        let line = format!(
            "{:<20} {:>6} {:>13} {:>6} {:>12} {:>5} {:>8} {:>7}  {}",
            fabric.name,
            short(1e3 * fabric.area_density_kg_per_m2),
            pair(fabric.stretch_n_per_m, fabric.stretch_weft()),
            short(fabric.shear_n_per_m),
            pair(1e6 * fabric.bending_n_m, 1e6 * fabric.bending_weft()),
            short(1e3 * fabric.thickness_m),
            short(fabric.friction),
            drape,
            if fabric.table.is_some() {
                "measured"
            } else {
                ""
            },
        );
        println!("{}", line.trim_end());
    }
    println!("\nStretch and bending along warp / weft. Where the numbers come from:");
    for fabric in fabrics {
        println!();
        for (i, (source, labels)) in by_source(fabric).iter().enumerate() {
            let name = if i == 0 { fabric.name.as_str() } else { "" };
            row(name, 20, &labels.join(", "), source);
        }
    }
}

/// The sources of a fabric, each with what comes from it.
fn by_source(fabric: &Fabric) -> Vec<(&str, Vec<&'static str>)> {
    let columns = [
        ("weight", "area_density_kg_per_m2"),
        ("stretch", "stretch_n_per_m"),
        ("shear", "shear_n_per_m"),
        ("bending", "bending_n_m"),
        ("thickness", "thickness_m"),
        ("friction", "friction"),
    ];
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    let drape = fabric
        .drape
        .as_ref()
        .map(|drape| ("drape", drape.source.as_str()));
    let named = columns.map(|(label, key)| (label, fabric.source_of(key)));
    for (label, source) in named.into_iter().chain(drape) {
        match groups.iter_mut().find(|(known, _)| *known == source) {
            Some((_, labels)) => labels.push(label),
            None => groups.push((source, vec![label])),
        }
    }
    groups
}

/// Everything about one fabric.
pub fn one(fabric: &Fabric) {
    println!("{}: {}", fabric.name, fabric.description);
    for (what, text) in [("fibre", &fabric.fibre), ("used for", &fabric.used_for)] {
        if let Some(text) = text {
            println!("{what}: {text}");
        }
    }
    println!();
    let values = [
        (
            "area_density_kg_per_m2",
            Some(fabric.area_density_kg_per_m2),
        ),
        ("stretch_n_per_m", Some(fabric.stretch_n_per_m)),
        ("stretch_weft_n_per_m", Some(fabric.stretch_weft())),
        ("poisson", fabric.poisson),
        ("shear_n_per_m", Some(fabric.shear_n_per_m)),
        ("bending_n_m", Some(fabric.bending_n_m)),
        ("bending_weft_n_m", Some(fabric.bending_weft())),
        ("bending_bias_n_m", fabric.bending_bias_n_m),
        ("thickness_m", Some(fabric.thickness_m)),
        ("friction", Some(fabric.friction)),
    ];
    for (key, value) in values {
        if let Some(value) = value {
            row(
                key,
                24,
                &format!("{:>10}", number(value)),
                fabric.source_of(key),
            );
        }
    }
    if let Some(drape) = &fabric.drape {
        row(
            "drape, %",
            24,
            &format!("{:>10}", range(drape.min_percent, drape.max_percent)),
            &drape.source,
        );
    }
    tables(fabric);
}

/// The tables, what was repaired in them, and the tensile curves they give.
fn tables(fabric: &Fabric) {
    let (Some(table), Some((law, repairs))) = (&fabric.table, fabric.measured()) else {
        return;
    };
    println!("\nStretching tables C11, C12, C22, C33 over FᵀF − I, N/m:");
    for (row, label) in table.stretch_n_per_m.iter().zip(ROWS) {
        println!("  {label:<20} {}", columns(row));
    }
    for repair in &repairs {
        println!(
            "  {:<20} {}",
            format!("in place of row {}", repair.row),
            columns(&repair.used_n_per_m)
        );
    }
    if let Some(rows) = &table.hinge_n_m {
        println!("\nHinge stiffness, µN·m, at curvatures of 0, 10, 20, 30, 40 per metre:");
        for (row, label) in rows.iter().zip(["along warp", "at 45°", "along weft"]) {
            let row = row.map(|value| 1e6 * value);
            println!("  fold line {label:<10} {}", columns(&row));
        }
    }
    println!("\nTension, N/m (and strain across the pull):");
    println!("  {:>8} {:>20} {:>20}", "strain", "warp", "weft");
    for share in [0.1, 0.25, 0.5, 0.75, 1.0] {
        let strain = share * MEASURED_STRAIN;
        let [warp, weft] = [Pull::Warp, Pull::Weft].map(|pull| {
            let found = law.tension(pull, strain);
            format!(
                "{:.1} ({:.1} %)",
                found.force_n_per_m,
                100.0 * found.lateral_strain
            )
        });
        println!("  {:>6.1} % {warp:>20} {weft:>20}", 100.0 * strain);
    }
}

/// The rows of a stretching table.
const ROWS: [&str; 6] = [
    "row 0, unstretched",
    "row 1, along warp",
    "row 2, at 22.5°",
    "row 3, at 45°",
    "row 4, at 67.5°",
    "row 5, along weft",
];

fn columns(values: &[f64]) -> String {
    values
        .iter()
        .map(|value| format!("{value:>10.2}"))
        .collect()
}

/// A key in a column of its own, what is said of it, and the source, broken into lines.
fn row(key: &str, column: usize, said: &str, source: &str) {
    const WIDTH: usize = 98;
    let left = column + 1 + said.chars().count() + 2;
    let mut lines = vec![String::new()];
    for word in source.split_whitespace() {
        let last = lines.last_mut().expect("never empty");
        if !last.is_empty() && left + last.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(word.to_owned());
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    for (i, line) in lines.iter().enumerate() {
        if i == 0 {
            println!("{}", format!("{key:<column$} {said}  {line}").trim_end());
        } else {
            println!("{:left$}{line}", "");
        }
    }
}

/// Three digits at least, and no more than needed.
fn short(value: f64) -> String {
    let places = if value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    let text = format!("{value:.places$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

fn pair(warp: f64, weft: f64) -> String {
    format!("{} / {}", short(warp), short(weft))
}

fn range(min: f64, max: f64) -> String {
    if min == max {
        short(min)
    } else {
        format!("{}–{}", short(min), short(max))
    }
}

fn number(value: f64) -> String {
    match value.abs() {
        size if size > 0.0 && size < 1e-2 => format!("{value:.2e}"),
        size if size < 1.0 => format!("{value:.3}").trim_end_matches('0').to_owned(),
        _ => short(value),
    }
}
