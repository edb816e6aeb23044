//! The commands that only print or write a little: `new`, `schema`, `fabrics`, `scenes`.

use crate::args::NewArgs;
use crate::exit::{Failure, Outcome};
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;
use toile::io::{builtin, fabric, scene};

/// `toile new`: never overwrites.
pub fn new(args: &NewArgs) -> Outcome {
    let name = &args.name;
    if name.is_empty() || name.contains(['/', '\\', '\0']) {
        return Err(Failure::input(format!(
            "`{name}` cannot be the name of a scene: expected a plain name without slashes"
        )));
    }
    let name = name.strip_suffix(".toml").unwrap_or(name);
    let path = format!("{name}.toml");
    let file = OpenOptions::new().write(true).create_new(true).open(&path);
    file.and_then(|mut file| file.write_all(scene::starter(name).as_bytes()))
        .map_err(|e| match e.kind() {
            ErrorKind::AlreadyExists => Failure::input(format!("{path} exists already")),
            _ => Failure::input(format!("{path} cannot be written: {e}")),
        })?;
    println!("wrote {path}; run it with: toile run {path}");
    Ok(ExitCode::SUCCESS)
}

/// `toile schema`.
pub fn schema() -> Outcome {
    println!("{:#}", scene::schema());
    Ok(ExitCode::SUCCESS)
}

/// `toile scenes`.
pub fn scenes() -> Outcome {
    for scene in builtin::scenes() {
        println!("{:<16} {}", scene.name, scene.description());
    }
    Ok(ExitCode::SUCCESS)
}

/// `toile fabrics`.
pub fn fabrics() -> Outcome {
    println!(
        "{:<20} {:>9} {:>9} {:>9} {:>10} {:>10} {:>9}",
        "fabric", "density", "stretch", "shear", "bending", "(weft)", "thickness"
    );
    println!(
        "{:<20} {:>9} {:>9} {:>9} {:>10} {:>10} {:>9}",
        "", "kg/m²", "N/m", "N/m", "N·m", "N·m", "mm"
    );
    for fabric in fabric::all() {
        let m = fabric.material();
        println!(
            "{:<20} {:>9} {:>9} {:>9} {:>10.2e} {:>10.2e} {:>9.2}",
            fabric.name,
            m.area_density_kg_per_m2,
            m.stretch_warp_n_per_m,
            m.shear_n_per_m,
            m.bending_warp_n_m,
            m.bending_weft_n_m,
            1e3 * m.thickness_m
        );
    }
    println!();
    for fabric in fabric::all() {
        println!("{}: {}", fabric.name, fabric.source);
    }
    Ok(ExitCode::SUCCESS)
}
