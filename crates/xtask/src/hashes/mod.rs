//! The net under every change of the engine: the bits in which scenes end, beside those they ended in.
//!
//! `table.txt`, beside this file, has a row a run: hash, frames, scene and settings. A change that means to
//! change nothing leaves all of them as they are. One that means to is accepted with its reason, which goes
//! into `log.md` with the rows it changed. Hashes are those of x86-64 machines with the flags of
//! `.cargo/config.toml`, for any number of threads.

mod table;

use crate::shell;
use anyhow::{Context, Result, anyhow, bail};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use table::Row;

const TABLE: &str = "crates/xtask/src/hashes/table.txt";
const LOG: &str = "crates/xtask/src/hashes/log.md";

/// Runs every row of the table and compares; with a `reason`, takes over what has changed.
pub fn run(root: &Path, reason: Option<&str>) -> Result<()> {
    let text = fs::read_to_string(root.join(TABLE)).with_context(|| format!("no {TABLE}"))?;
    let mut rows = table::parse(&text).with_context(|| TABLE.to_owned())?;
    refuse_missing_scenes(root, &rows)?;
    shell::run(root, &["build", "--release", "--quiet"])?;
    let program = shell::own_copy_of_toile(root, "out/hashes")?;
    let found = hashes(root, &program, &rows)?;
    let mut changes = String::new();
    for (row, found) in rows.iter_mut().zip(found) {
        if row.hash != found {
            writeln!(changes, "- `{}`: {} → {found}", row.run(), row.hash)?;
            row.hash = found;
        }
    }
    print!("{}", table::print(&rows));
    if changes.is_empty() {
        println!("all {} as before", rows.len());
        return Ok(());
    }
    println!("\nchanged:\n{changes}");
    let Some(reason) = reason else {
        bail!("hashes changed: if they are meant to, `cargo xtask hashes --accept REASON`");
    };
    fs::write(root.join(TABLE), table::print(&rows))?;
    let mut log = fs::read_to_string(root.join(LOG)).unwrap_or_default();
    write!(log, "\n## {reason}\n\n{changes}")?;
    fs::write(root.join(LOG), log)?;
    Ok(())
}

/// Every scene that comes with the program has a row, or it would be changed unseen.
fn refuse_missing_scenes(root: &Path, rows: &[Row]) -> Result<()> {
    for entry in fs::read_dir(root.join("scenes"))? {
        let path = entry?.path();
        let is_scene = path
            .extension()
            .is_some_and(|extension| extension == "toml");
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        if is_scene && !rows.iter().any(|row| row.scene == name) {
            bail!("{TABLE}: scene `{name}` has no row; add `new 8 {name}` and accept");
        }
    }
    Ok(())
}

/// What every row ends in now, several at a time.
fn hashes(root: &Path, program: &Path, rows: &[Row]) -> Result<Vec<String>> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let found = Mutex::new(vec![String::new(); rows.len()]);
    let work = || -> Result<()> {
        loop {
            let k = next.fetch_add(1, Ordering::Relaxed);
            let Some(row) = rows.get(k) else {
                return Ok(());
            };
            let hash = hash(root, program, row, k)?;
            found.lock().map_err(|_| anyhow!("a run was lost"))?[k] = hash;
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let mut ends = workers.into_iter().map(|worker| worker.join());
        ends.try_for_each(|end| end.map_err(|_| anyhow!("a run was lost"))?)
    })?;
    found.into_inner().map_err(|_| anyhow!("a run was lost"))
}

/// What one row ends in now.
fn hash(root: &Path, program: &Path, row: &Row, number: usize) -> Result<String> {
    let clock = Instant::now();
    let frames = row.frames.to_string();
    let out = format!("out/hashes/{number}");
    let scene = format!("scenes/{}.toml", row.scene);
    let mut args = vec![
        "run",
        &scene,
        "--frames",
        &frames,
        "--threads",
        "1",
        "--no-film",
    ];
    args.extend(["--format", "", "--out", &out]);
    for setting in &row.settings {
        args.extend(["--set", setting]);
    }
    args.push("--json");
    let json = shell::output_of(program, root, &args)?;
    let hash = text(&json, "state_hash").with_context(|| format!("{}: no hash", row.run()))?;
    eprintln!("{:>7.2} s  {}", clock.elapsed().as_secs_f64(), row.run());
    Ok(hash)
}

/// The text at the first `"key":`.
fn text(json: &str, key: &str) -> Option<String> {
    let (_, rest) = json.split_once(&format!("\"{key}\":"))?;
    let value = rest.trim_start().strip_prefix('"')?;
    Some(value.split_once('"')?.0.to_owned())
}
