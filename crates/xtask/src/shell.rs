//! Where the workspace is, and running cargo in it.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the workspace.
pub fn workspace_root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}

/// `cargo ARGS` in `root`.
fn cargo(root: &Path, args: &[&str]) -> Command {
    // The cargo that runs this program, so that toolchain overrides hold.
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(args).current_dir(root);
    command
}

/// Shows and runs `cargo ARGS`; fails if it does.
pub fn run(root: &Path, args: &[&str]) -> Result<()> {
    let shown = format!("cargo {}", args.join(" "));
    println!("→ {shown}");
    let status = cargo(root, args)
        .status()
        .with_context(|| format!("cannot start `{shown}`"))?;
    if !status.success() {
        bail!("`{shown}` failed ({status})");
    }
    Ok(())
}

/// What `cargo ARGS` prints; its errors are shown.
pub fn output(root: &Path, args: &[&str]) -> Result<String> {
    let shown = format!("cargo {}", args.join(" "));
    let output = cargo(root, args)
        .stderr(std::process::Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start `{shown}`"))?;
    if !output.status.success() {
        bail!("`{shown}` failed ({})", output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{shown}` printed no text"))
}
