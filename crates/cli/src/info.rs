//! `toile info`: what is in a file.

use crate::exit::{Failure, Outcome};
use clap::Args;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use toile::io::formats::{self, Info};

/// `toile info`.
#[derive(Args, Debug)]
pub struct InfoArgs {
    /// Meshes, mesh caches, scenes, a run's folder or any file in it
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print what was found as JSON
    #[arg(long)]
    json: bool,
}

/// Describes every file. The first that cannot be read ends it: what is printed is about all.
pub fn info(args: &InfoArgs) -> Outcome {
    let mut found = Vec::with_capacity(args.files.len());
    for path in &args.files {
        let info = formats::describe(path).map_err(Failure::input)?;
        found.push((path.as_path(), info));
    }
    if args.json {
        let all: Vec<Value> = found.iter().map(as_json).collect();
        println!("{:#}", json!({ "files": all }));
        return Ok(ExitCode::SUCCESS);
    }
    for (path, info) in found {
        match info {
            // Says its own name: a sequence may have been found under another.
            Info::Sequence(info) => print!("{info}"),
            info => print!("{}: {info}", path.display()),
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn as_json((path, info): &(&Path, Info)) -> Value {
    // Plain structs of numbers, strings and lists: nothing in them can fail to serialise.
    let mut value = serde_json::to_value(info).unwrap_or_default();
    value["file"] = json!(path.display().to_string());
    value
}
