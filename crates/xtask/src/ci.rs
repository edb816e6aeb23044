//! The gate every change passes: the same here, in `.ci/run` and on any machine.

use crate::shell;
use anyhow::{Context, Result};
use std::path::Path;
use std::time::Instant;

/// Runs everything in order; stops at the first failure.
pub fn run(root: &Path) -> Result<()> {
    let clock = Instant::now();
    shell::run(root, &["fmt", "--all", "--", "--check"])
        .context("the code is not formatted: `cargo fmt --all` does it")?;
    let lints = ["clippy", "--workspace", "--all-targets"];
    shell::run(root, &[&lints[..], &["--", "-D", "warnings"]].concat())
        .context("the lints found something")?;
    shell::run(root, &["test", "--workspace"]).context("a test failed")?;
    println!("→ xtask doccheck");
    crate::doccheck(root).context("the documents and the code disagree")?;
    println!("ci: all good in {:.0} s", clock.elapsed().as_secs_f64());
    Ok(())
}
