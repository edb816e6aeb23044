//! The standard measurements. Times depend on the machine, so they are printed, never judged.

use crate::shell;
use anyhow::{Context, Result};
use std::path::Path;

/// Runs all of them on one thread.
pub fn run(root: &Path) -> Result<()> {
    shell::run(root, &["build", "--release"])?;
    println!("one thread; times depend on the machine\n");
    println!(
        "{:<28} {:>10} {:>10} {:>12} {:>9}",
        "scene", "ms/step", "ms/frame", "iterations", "stretch"
    );
    for n in ["51", "101", "201"] {
        let json = shell::toile(root, &["bench", "hang", "--n", n, "--threads", "1"])?;
        row(&format!("hang {n}×{n}, 1/120 s"), &json)?;
    }
    let json = shell::toile(
        root,
        &[
            "run",
            "scenes/tablecloth.toml",
            "--set",
            "fps=90",
            "--frames",
            "180",
            "--threads",
            "1",
            "--no-film",
            "--format",
            "",
            "--out",
            "out/bench/tablecloth",
        ],
    )?;
    row("tablecloth 51×51, 1/90 s", &json)?;
    assembly(root)?;
    posing(root)
}

/// Forces, matrix and coarse lattices of a cloth on triangles: the time must grow as the triangles do.
fn assembly(root: &Path) -> Result<()> {
    println!("\n{:<28} {:>10} {:>10}", "assembly", "ms/solve", "ns/face");
    for n in ["225", "389", "709"] {
        let json = shell::toile(
            root,
            &[
                "bench",
                "hang",
                "--n",
                n,
                "--model",
                "triangle-buckling",
                "--seconds",
                "0.1",
                "--threads",
                "1",
            ],
        )?;
        let value = |key| number(&json, key).with_context(|| format!("assembly: no `{key}`"));
        let (triangles, seconds) = (value("triangles")?, value("assembly_s_per_solve")?);
        println!(
            "{:<28} {:>10.2} {:>10.0}",
            format!("{triangles} triangles"),
            1e3 * seconds,
            1e9 * seconds / triangles,
        );
    }
    Ok(())
}

/// Posing and skinning a character; at most 2 ms a step are asked for.
fn posing(root: &Path) -> Result<()> {
    let example = [
        "run",
        "--release",
        "--quiet",
        "-p",
        "toile-geometry",
        "--example",
    ];
    let table = shell::output(root, &[&example[..], &["posing_speed"]].concat())?;
    print!("\n{table}");
    Ok(())
}

fn row(name: &str, json: &str) -> Result<()> {
    let value = |key| number(json, key).with_context(|| format!("{name}: no `{key}`"));
    let frame_ms = 1e3 * value("wall_s_per_frame")?;
    println!(
        "{name:<28} {:>10.2} {frame_ms:>10.2} {:>12.1} {:>7.2} %",
        frame_ms * value("frames")? / value("steps")?,
        value("pcg_iterations_mean")?,
        100.0 * value("stretch_max")?,
    );
    Ok(())
}

/// The number at the first `"key":` that has one. The program's output is flat enough for this,
/// and a parser would be the only dependency.
fn number(json: &str, key: &str) -> Option<f64> {
    let quoted = format!("\"{key}\":");
    json.match_indices(&quoted).find_map(|(at, found)| {
        let rest = json[at + found.len()..].trim_start();
        let end = rest.find([',', '\n', '}']).unwrap_or(rest.len());
        rest[..end].trim().parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_by_their_whole_key() {
        let json = "{ \"wall_s_per_frame\": 0.5,\n  \"steps\": {},\n \"wall_s\": 2e1 }";
        assert_eq!(number(json, "wall_s"), Some(20.0));
        assert_eq!(number(json, "wall_s_per_frame"), Some(0.5));
        assert_eq!(number(json, "steps"), None);
    }
}
