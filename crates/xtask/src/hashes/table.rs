//! The table of hashes: a row a run, columns separated by blanks.

use anyhow::{Context, Result, bail};
use std::fmt::Write;

/// A run and what it ended in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The hash of the state at its end.
    pub hash: String,
    /// Frames that are run.
    pub frames: u32,
    /// The scene.
    pub scene: String,
    /// What is set otherwise than in the scene's file, as for `--set`.
    pub settings: Vec<String>,
}

impl Row {
    /// What is run, without what it ended in.
    pub fn run(&self) -> String {
        let words = [self.frames.to_string(), self.scene.clone()];
        let words: Vec<String> = words
            .into_iter()
            .chain(self.settings.iter().cloned())
            .collect();
        words.join(" ")
    }
}

/// The rows of a table; lines that begin with `#` are words about it.
pub fn parse(text: &str) -> Result<Vec<Row>> {
    let lines = text.lines().map(str::trim).enumerate();
    let rows = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    rows.map(|(k, line)| row(line).with_context(|| format!("line {}", k + 1)))
        .collect()
}

fn row(line: &str) -> Result<Row> {
    let mut words = line.split_whitespace();
    let (Some(hash), Some(frames), Some(scene)) = (words.next(), words.next(), words.next()) else {
        bail!("expected hash, frames and scene");
    };
    let settings: Vec<String> = words.map(str::to_owned).collect();
    if let Some(odd) = settings.iter().find(|setting| !setting.contains('=')) {
        bail!("expected settings such as fps=30, found `{odd}`");
    }
    Ok(Row {
        hash: hash.to_owned(),
        frames: frames.parse().context("expected a number of frames")?,
        scene: scene.to_owned(),
        settings,
    })
}

/// The table as text.
pub fn print(rows: &[Row]) -> String {
    let mut text = String::from("# state_hash                       frames scene settings\n");
    for row in rows {
        let words = [vec![row.scene.clone()], row.settings.clone()].concat();
        // Writing into a string cannot fail.
        let _ = writeln!(
            text,
            "{:<32} {:>6} {}",
            row.hash,
            row.frames,
            words.join(" ")
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_as_it_was_written() {
        let text =
            "# words\n\n0123456789abcdef 8 stack solver.solve=\"once\" fps=30\nnew 3 twist\n";
        let rows = parse(text).unwrap();
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0].settings, ["solver.solve=\"once\"", "fps=30"]);
        assert_eq!(rows[1].run(), "3 twist");
        assert_eq!(parse(&print(&rows)).unwrap(), rows);
    }

    #[test]
    fn wrong_rows_are_named() {
        for wrong in ["0123 8", "0123 many stack", "0123 8 stack odd"] {
            let error = format!("{:#}", parse(&format!("\n{wrong}")).unwrap_err());
            assert!(error.starts_with("line 2: expected"), "{error}");
        }
    }
}
