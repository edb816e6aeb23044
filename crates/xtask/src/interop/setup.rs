//! What other programs need: a Python environment, Node packages, a browser. Everything but the
//! browser goes under the target folder and is set up once.

use super::shown;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const NODE_PACKAGES: [&str; 3] = ["three", "playwright-core", "gltf-validator"];
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// Packages of Python, and the modules that they are for.
pub struct Python {
    pub packages: &'static [&'static str],
    pub modules: &'static str,
}

impl Python {
    /// The interpreter of an environment that has them.
    pub fn set_up(&self, folder: &Path) -> Result<PathBuf> {
        let environment = folder.join("venv");
        let python = environment.join("bin/python");
        if works(Command::new(&python).args(["-c", &format!("import {}", self.modules)])) {
            return Ok(python);
        }
        // Some packages are built for a few versions of Python; `PYTHON` may name one of those.
        let base = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
        shown(Command::new(base).args(["-m", "venv"]).arg(&environment))?;
        let install = ["-m", "pip", "install", "--quiet"];
        shown(Command::new(&python).args(install).args(self.packages)).context(
            "the packages could not be installed: if one is missing for this Python, name one of \
             another version in the variable PYTHON",
        )?;
        Ok(python)
    }
}

/// A folder with all Node packages.
pub fn node(folder: &Path) -> Result<PathBuf> {
    let node = folder.join("node");
    let there = |package: &str| node.join("node_modules").join(package).is_dir();
    if !NODE_PACKAGES.iter().all(|package| there(package)) {
        std::fs::create_dir_all(&node)?;
        let install = ["install", "--no-audit", "--no-fund", "--prefix"];
        let mut npm = Command::new("npm");
        shown(npm.args(install).arg(&node).args(NODE_PACKAGES))?;
    }
    Ok(node)
}

/// A browser: the one `CHROMIUM` names, one there is, or the system's package.
pub fn browser() -> Result<PathBuf> {
    if let Some(named) = std::env::var_os("CHROMIUM") {
        return Ok(named.into());
    }
    if let Some(found) = find() {
        return Ok(found);
    }
    shown(Command::new("apt-get").args(["install", "--yes", "--quiet", "chromium"]))
        .context("there is no Chromium, and apt cannot install it; CHROMIUM may name a browser")?;
    match find() {
        Some(found) => Ok(found),
        None => bail!("Chromium was installed, but is not on the path"),
    }
}

fn find() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&folders).collect();
    let files = BROWSERS
        .iter()
        .flat_map(|name| folders.iter().map(move |f| f.join(name)));
    { files }.find(|file| file.is_file())
}

fn works(command: &mut Command) -> bool {
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}
