//! The commands that only print or write a little: `new`, `schema`, `scenes`.

use crate::args::NewArgs;
use crate::exit::{Failure, Outcome};
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;
use toile::io::{builtin, scene};

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
