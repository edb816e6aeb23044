//! `cargo xtask interop`: a real run in every format, opened by the programs it is for.
//!
//! NumPy, Pixar's USD library, Blender and three.js in a browser read what Toile writes, and the
//! scripts in `interop` beside `src` compare what they find with the OBJ files, read line by line.
//! Not part of the gate: it installs a few hundred megabytes and needs the network once.

pub mod setup;

use crate::shell;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PYTHON: setup::Python = setup::Python {
    packages: &["numpy", "usd-core", "bpy"],
    modules: "numpy, pxr, bpy",
};

/// A small tablecloth: half a second of its fall.
const SCENE: [&str; 11] = [
    "run",
    "--quiet",
    "--",
    "run",
    "scenes/tablecloth.toml",
    "--set",
    "cloth.grid.particles=[17, 17]",
    "--frames",
    "30",
    "--no-film",
    "--quiet",
];

/// One thing one program found.
struct Check {
    fields: [String; 4],
    passed: bool,
    found: String,
}

/// Sets up, writes, checks, and prints a table; fails if any check does.
pub fn run(root: &Path) -> Result<()> {
    let folder = target_folder(root).join("interop");
    let [run, turned, pictures] = ["run", "turned", "pictures"].map(|name| folder.join(name));
    fs::create_dir_all(&pictures)?;
    let python = PYTHON.set_up(&folder)?;
    let node = setup::node(&folder)?;
    let browser = setup::browser()?;

    simulate(root, &run, &["--format", "obj,ply,pc2,mdd,npz,usda,glb"])?;
    let settings = [
        "up_axis=\"z\"",
        "metres_per_unit=0.01",
        "pre_roll_frames=5",
        "first_frame=-4",
    ]
    .map(|setting| format!("output.cache.{setting}"));
    let mut arguments = vec!["--format", "usda"];
    arguments.extend(settings.iter().flat_map(|setting| ["--set", setting]));
    simulate(root, &turned, &arguments)?;

    let script = |name: &str| root.join("crates/xtask/interop").join(name);
    let mut checks = Vec::new();
    let arrays = [&script("arrays.py"), &run, &turned];
    checks.extend(ask(Command::new(&python).args(arrays))?);
    checks.extend(ask(
        Command::new(&python).args([&script("blender.py"), &run])
    )?);
    let page = [&script("browser.mjs"), &run, &node, &browser, &pictures];
    checks.extend(ask(Command::new("node").args(page))?);
    report(&checks, &pictures)
}

pub fn target_folder(root: &Path) -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root.join(folder),
        None => root.join("target"),
    }
}

fn simulate(root: &Path, out: &Path, more: &[&str]) -> Result<()> {
    let out = out
        .to_str()
        .context("the target folder's name is no text")?;
    shell::run(root, &[&SCENE[..], &["--out", out], more].concat())
}

/// Runs a command that is shown; fails if it does.
pub fn shown(command: &mut Command) -> Result<()> {
    println!("→ {}", words(command));
    let status = command.status();
    let status = status.with_context(|| format!("cannot start `{}`", words(command)))?;
    if !status.success() {
        bail!("`{}` failed ({status})", words(command));
    }
    Ok(())
}

/// Runs a script; returns its checks. One that ends early has failed, whatever it found before.
fn ask(command: &mut Command) -> Result<Vec<Check>> {
    println!("→ {}", words(command));
    let output = command
        // The scripts' folder stays as it is in the repository.
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start `{}`", words(command)))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut checks: Vec<Check> = text.lines().filter_map(check).collect();
    if !output.status.success() || checks.is_empty() {
        let name = words(command);
        checks.push(Check {
            fields: ["-", "-", "the script", ""].map(str::to_owned),
            passed: false,
            found: format!("`{name}` ended with {}", output.status),
        });
    }
    Ok(checks)
}

/// The check a line tells of; programs print other lines, too.
fn check(line: &str) -> Option<Check> {
    let fields: Vec<&str> = line.split('\t').collect();
    match fields[..] {
        ["check", format, program, what, verdict, found] => Some(Check {
            fields: [format, program, what, verdict].map(str::to_owned),
            passed: verdict == "ok",
            found: found.to_owned(),
        }),
        _ => None,
    }
}

fn report(checks: &[Check], pictures: &Path) -> Result<()> {
    println!();
    for Check {
        fields,
        passed,
        found,
    } in checks
    {
        let [format, program, what, _] = fields;
        let verdict = if *passed { "ok" } else { "FAIL" };
        println!("{verdict:<5} {format:<10} {program:<15} {what:<32} {found}");
    }
    println!("\npictures of the browser are in {}", pictures.display());
    match checks.iter().filter(|check| !check.passed).count() {
        0 => Ok(()),
        failed => bail!("{failed} of {} checks failed", checks.len()),
    }
}

fn words(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_is_a_line_of_six_fields() {
        let found = check("check\tPC2\tBlender\tpositions\tok\t1e-7").unwrap();
        assert!(found.passed);
        assert_eq!(found.fields[..3], ["PC2", "Blender", "positions"]);
        assert!(
            !check("check\tPC2\tBlender\tpositions\tFAIL\t1")
                .unwrap()
                .passed
        );
        assert!(check("Info: 12 objects").is_none());
    }

    #[test]
    fn a_script_that_ends_early_has_failed() {
        let checks =
            ask(Command::new("sh").args(["-c", "printf 'check\\ta\\tb\\tc\\tok\\td\\n'; exit 3"]));
        let checks = checks.unwrap();
        assert_eq!(
            checks.iter().map(|c| c.passed).collect::<Vec<_>>(),
            [true, false]
        );
        assert!(
            !ask(&mut Command::new("true")).unwrap()[0].passed,
            "no check at all"
        );
    }
}
