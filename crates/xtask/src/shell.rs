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
    printed(cargo(root, args), &format!("cargo {}", args.join(" ")))
}

/// What `program ARGS` prints; its errors are shown.
pub fn output_of(program: &Path, root: &Path, args: &[&str]) -> Result<String> {
    let mut command = Command::new(program);
    command.args(args).current_dir(root);
    printed(command, &format!("toile {}", args.join(" ")))
}

fn printed(mut command: Command, shown: &str) -> Result<String> {
    let output = command
        .stderr(std::process::Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start `{shown}`"))?;
    if !output.status.success() {
        bail!("`{shown}` failed ({})", output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{shown}` printed no text"))
}

/// A copy of the released program, so that a long measurement goes on with what it began with.
pub fn own_copy_of_toile(root: &Path, folder: &str) -> Result<PathBuf> {
    let own = std::env::current_exe().context("where is xtask?")?;
    // This program is in `debug` of the folder in whose `release` the other one is.
    let built = own
        .ancestors()
        .nth(2)
        .unwrap_or(root)
        .join(format!("release/toile{}", std::env::consts::EXE_SUFFIX));
    let copy = root.join(folder).join("toile");
    std::fs::create_dir_all(root.join(folder))?;
    std::fs::copy(&built, &copy).with_context(|| format!("{} is not there", built.display()))?;
    Ok(copy)
}

/// What `toile ARGS --json` prints, built as it is released.
pub fn toile(root: &Path, args: &[&str]) -> Result<String> {
    let cargo = ["run", "--release", "--quiet", "--"];
    output(root, &[&cargo[..], args, &["--json"]].concat())
}
