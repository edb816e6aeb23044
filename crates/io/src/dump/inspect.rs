//! What is in a file of a linear system, without reading its numbers.

use crate::npy;
use serde::Serialize;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// A matrix or a vector of a linear system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SystemInfo {
    /// Rows.
    pub rows: u64,
    /// Columns; 1 for a vector.
    pub columns: u64,
    /// Numbers in the file.
    pub entries: u64,
}

impl fmt::Display for SystemInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            rows,
            columns,
            entries,
        } = self;
        write!(f, "linear system: {rows} × {columns}, {entries} numbers")
    }
}

/// Looks into a Matrix Market file, or an archive as [`super::write`] makes them; nothing if it is
/// neither.
pub fn inspect(path: &Path) -> Option<SystemInfo> {
    let file = File::open(path).ok()?;
    match path.extension()?.to_str()? {
        "mtx" => matrix_market(BufReader::new(file)),
        _ => archive(file),
    }
}

fn matrix_market(file: impl BufRead) -> Option<SystemInfo> {
    // The counts stand on the first line that is no comment, a few lines into the file.
    let mut lines = file.take(1 << 16).lines().map_while(Result::ok);
    if !lines.next()?.starts_with("%%MatrixMarket matrix") {
        return None;
    }
    let counts = lines.find(|line| !line.starts_with('%'))?;
    let counts: Vec<u64> = counts.split_whitespace().flat_map(str::parse).collect();
    match counts[..] {
        [rows, columns] => Some(SystemInfo {
            rows,
            columns,
            entries: rows.checked_mul(columns)?,
        }),
        [rows, columns, entries] => Some(SystemInfo {
            rows,
            columns,
            entries,
        }),
        _ => None,
    }
}

fn archive(file: File) -> Option<SystemInfo> {
    let mut archive = zip::ZipArchive::new(file).ok()?;
    let mut shape = |name: &str| {
        let mut bytes = Vec::new();
        let entry = archive.by_name(name).ok()?;
        entry.take(npy::MAX_HEADER).read_to_end(&mut bytes).ok()?;
        Some(npy::parse(&bytes).ok()?.shape)
    };
    let (starts, data) = (shape("indptr.npy")?, shape("data.npy")?);
    let rows = 3 * starts.first()?.checked_sub(1)?;
    Some(SystemInfo {
        rows,
        columns: rows,
        entries: data
            .iter()
            .try_fold(1u64, |n, length| n.checked_mul(*length))?,
    })
}
