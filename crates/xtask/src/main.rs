//! The developer's commands: `cargo xtask ci | bench | doccheck | interop | peers`.

mod bench;
mod ci;
mod doccheck;
mod interop;
mod peers;
mod shell;

use anyhow::{Result, bail};
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  ci        the whole gate: format, lints, tests, documents; stops at the first failure
  bench     the standard measurements, in release mode; prints, judges nothing
  doccheck  only the documents: force headers, paths, dependency arrows, file lengths
  interop   opens a run in NumPy, USD, Blender and three.js; installs what that needs
  peers     continuous collision detection beside the IPC Toolkit's; installs what that needs";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let root = shell::workspace_root();
    let mut args = std::env::args().skip(1);
    match (args.next().as_deref(), args.next()) {
        (Some("ci"), None) => ci::run(&root),
        (Some("bench"), None) => bench::run(&root),
        (Some("doccheck"), None) => doccheck(&root),
        (Some("interop"), None) => interop::run(&root),
        (Some("peers"), None) => peers::run(&root),
        (Some("help" | "--help" | "-h"), None) => {
            println!("{USAGE}");
            Ok(())
        }
        _ => bail!("{USAGE}"),
    }
}

fn doccheck(root: &Path) -> Result<()> {
    let problems = doccheck::problems(root)?;
    for problem in &problems {
        eprintln!("{problem}");
    }
    match problems.len() {
        0 => Ok(()),
        1 => bail!("doccheck found a problem"),
        count => bail!("doccheck found {count} problems"),
    }
}
