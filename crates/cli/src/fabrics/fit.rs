//! `toile fabrics fit`.

use super::args::FitArgs;
use crate::exit::{Failure, Outcome};
use serde_json::json;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;
use toile::io::fabric;
use toile::lab::fit::{self, Fit, Readings};

/// Fits, says how well, and prints or writes the fabric.
pub fn fit(args: &FitArgs) -> Outcome {
    let readings = Readings {
        name: args.name.clone(),
        area_density_kg_per_m2: 1e-3 * args.weight_g_per_m2,
        overhang_m: [1e-3 * args.overhang_warp_mm, 1e-3 * args.overhang_weft_mm],
        angle_deg: args.angle_deg,
        reading_error_m: 1e-3 * args.reading_error_mm,
        drape_percent: args.drape_percent,
        tensile: args.tensile.clone(),
    };
    let fit = fit::fit(&readings).map_err(Failure::input)?;
    fit.fabric.check().map_err(Failure::input)?;
    let text = fabric::to_toml(std::slice::from_ref(&fit.fabric)).map_err(Failure::input)?;
    if let Some(path) = &args.out {
        write(path, &text)?;
    }
    if args.json {
        println!("{:#}", as_json(&fit));
        return Ok(ExitCode::SUCCESS);
    }
    say(&readings, &fit);
    match &args.out {
        Some(path) => println!(
            "\nwrote {}; a scene uses it with fabric_files = [\"{}\"] and fabric = \"{}\"",
            path.display(),
            path.display(),
            fit.fabric.name
        ),
        None => print!("\n{text}"),
    }
    Ok(ExitCode::SUCCESS)
}

/// Never over a file that is there.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => {
                Failure::input(format!("{} exists already", path.display()))
            }
            _ => Failure::input(format!("{} cannot be written: {error}", path.display())),
        })
}

fn say(readings: &Readings, fit: &Fit) {
    println!(
        "bending, by the elastica (Γ = {:.4} at {}°), read to {} mm:",
        fit.weight_number,
        readings.angle_deg,
        1e3 * readings.reading_error_m
    );
    for (thread, found) in ["warp", "weft"].iter().zip(fit.bending) {
        let [low, high] = found
            .bounds_n_m
            .map(|b| 100.0 * (b / found.bending_n_m - 1.0));
        println!(
            "  {thread}: {:.3e} N·m ({low:+.0} % to {high:+.0} %), bending length {:.1} mm",
            found.bending_n_m,
            1e3 * found.length_m
        );
    }
    println!("stretch, by least squares:");
    for (thread, line) in ["warp", "weft"].iter().zip(fit.stretch) {
        match line {
            Some(line) => println!(
                "  {thread}: {:.0} N/m{}, {} points, {:.2} N/m off the line",
                line.stretch_n_per_m,
                line.error_n_per_m
                    .map_or_else(String::new, |error| format!(" ± {error:.0}")),
                line.points,
                line.residual_n_per_m
            ),
            None => println!("  {thread}: not measured"),
        }
    }
    println!(
        "drape: strips alone would give {:.0} %, a whole disc gives more",
        fit.strip_drape_percent
    );
    if let Some(measured) = readings.drape_percent {
        println!(
            "  measured: {measured} %{}; `toile lab drape` simulates the test",
            if measured < fit.strip_drape_percent {
                ", which is less: the readings do not agree"
            } else {
                ""
            }
        );
    }
}

fn as_json(fit: &Fit) -> serde_json::Value {
    let [warp, weft] = fit.bending.map(|found| {
        json!({
            "bending_n_m": found.bending_n_m,
            "bounds_n_m": found.bounds_n_m,
            "bending_length_m": found.length_m,
        })
    });
    let [stretch_warp, stretch_weft] = fit.stretch.map(|line| {
        line.map(|line| {
            json!({
                "stretch_n_per_m": line.stretch_n_per_m,
                "points": line.points,
                "residual_n_per_m": line.residual_n_per_m,
                "error_n_per_m": line.error_n_per_m,
            })
        })
    });
    json!({
        "fabric": fit.fabric,
        "weight_number": fit.weight_number,
        "bending": { "warp": warp, "weft": weft },
        "stretch": { "warp": stretch_warp, "weft": stretch_weft },
        "strip_drape_percent": fit.strip_drape_percent,
    })
}
