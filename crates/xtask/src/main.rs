//! The developer's commands: `cargo xtask ci | bench | hashes | doccheck | interop | peers`.

mod bench;
mod ci;
mod doccheck;
mod hashes;
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
  hashes    the bits in which all scenes end, beside those they ended in; with --accept REASON
            what has changed is taken over
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
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["ci"] => ci::run(&root),
        ["bench"] => bench::run(&root),
        ["hashes"] => hashes::run(&root, None),
        ["hashes", "--accept", reason] => hashes::run(&root, Some(reason)),
        ["doccheck"] => doccheck(&root),
        ["interop"] => interop::run(&root),
        ["peers"] => peers::run(&root),
        ["help" | "--help" | "-h"] => {
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
