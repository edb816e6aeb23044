//! Whether the documents say what the code does.

mod arrows;
mod headers;
mod length;
mod markdown;

use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// Everything that is wrong in the workspace at `root`, a line each.
pub fn problems(root: &Path) -> Result<Vec<String>> {
    let sources = sources(root)?;
    let mut problems = headers::problems(root, &sources);
    let architecture = read(&root.join("ARCHITECTURE.md"))?;
    problems.extend(markdown::path_problems(
        "ARCHITECTURE.md",
        &architecture,
        &|path| root.join(path).exists(),
    ));
    for name in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = read(&root.join(name))?;
        let exists = |path: &str| root.join(path).exists();
        problems.extend(markdown::link_problems(name, &text, &exists));
    }
    problems.extend(arrows::problems(&architecture, &manifests(root)?));
    problems.extend(length::problems(&sources));
    Ok(problems)
}

/// A Rust file: its path from the root, with `/`, and its text.
struct Source {
    path: String,
    text: String,
}

/// All Rust files under `crates`, by path.
fn sources(root: &Path) -> Result<Vec<Source>> {
    let mut files = Vec::new();
    collect(&root.join("crates"), &mut files)?;
    files.sort();
    files
        .into_iter()
        .map(|file| {
            let parts = file.strip_prefix(root).unwrap_or(&file).iter();
            let parts: Vec<_> = parts.map(|part| part.to_string_lossy()).collect();
            Ok(Source {
                path: parts.join("/"),
                text: read(&file)?,
            })
        })
        .collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for path in entries(folder)? {
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// Folder name and manifest of every crate.
fn manifests(root: &Path) -> Result<Vec<(String, String)>> {
    let mut manifests = Vec::new();
    for folder in entries(&root.join("crates"))? {
        let manifest = folder.join("Cargo.toml");
        if manifest.exists() {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            manifests.push((name.into_owned(), read(&manifest)?));
        }
    }
    manifests.sort();
    Ok(manifests)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect())
        .with_context(|| format!("cannot list {}", folder.display()))
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}
