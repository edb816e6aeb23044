//! `cargo xtask peers`: continuous collision detection beside that of other programs, in one run.
//!
//! `toile lab ccd` says how many queries a second it answers on the pairs of `drape-self` at 101 × 101
//! particles; the script in `peers` beside `src` asks the IPC Toolkit the same of that motion. Times depend on
//! the machine, so they are printed, never judged.

use crate::interop::{self, setup};
use crate::shell;
use anyhow::Result;
use std::fs;
use std::path::Path;
use std::process::Command;

const PYTHON: setup::Python = setup::Python {
    packages: &["numpy", "ipctk"],
    modules: "numpy, ipctk",
};

/// Sets up, runs both, and prints what they say.
pub fn run(root: &Path) -> Result<()> {
    let target = interop::target_folder(root);
    let folder = target.join("peers");
    fs::create_dir_all(&folder)?;
    let python = PYTHON.set_up(&folder)?;
    shell::run(root, &["build", "--release"])?;
    let lab = ["run", "--release", "--quiet", "--", "lab", "ccd"];
    let told = shell::output(root, &lab)?;
    for line in told.lines().filter(|line| line.starts_with("Speed")) {
        println!("\nToile: {line}\n");
    }
    let script = root.join("crates/xtask/peers/ccd.py");
    let program = target.join("release/toile");
    interop::shown(Command::new(python).args([&script, &program, &folder]))
}
