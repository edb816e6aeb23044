//! A step's linear system as files: Matrix Market for every tool, NPZ for NumPy and SciPy.

mod inspect;
mod matrix_market;
mod npz;

pub use inspect::{SystemInfo, inspect};

use crate::atomic;
use std::io::Write;
use std::path::{Path, PathBuf};
use thiserror::Error;
use toile_sim::SystemDump;

/// Why a system could not be written.
#[derive(Debug, Error)]
#[error("{path} cannot be written: {message}")]
pub struct Error {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub message: String,
}

/// Writes `system-STEP-A.mtx`, `-b.mtx`, `-x.mtx` and `system-STEP.npz` into `folder`; returns what
/// was written.
///
/// The NPZ file holds the matrix as `scipy.sparse.load_npz` reads it, and beside it `rhs`,
/// `solution`, `residuals` (one an iteration), the weights `alpha_s` of dampers and `stiffness_s2`
/// of springs in it, and `free`, the projection of every particle onto its free directions.
pub fn write(folder: &Path, system: &SystemDump) -> Result<Vec<PathBuf>, Error> {
    let stem = format!("system-{}", system.step);
    let files = [
        (
            format!("{stem}-A.mtx"),
            matrix_market::symmetric(&system.matrix),
        ),
        (format!("{stem}-b.mtx"), matrix_market::vector(&system.rhs)),
        (
            format!("{stem}-x.mtx"),
            matrix_market::vector(&system.solution),
        ),
    ];
    let mut written = Vec::new();
    let mut put = |name: String, bytes: &[u8]| {
        let path = folder.join(name);
        let result = atomic::write(&path, |file| file.write_all(bytes)).map_err(|e| Error {
            path: path.clone(),
            message: e.to_string(),
        });
        written.push(path);
        result
    };
    for (name, text) in files {
        put(name, text.as_bytes())?;
    }
    let name = format!("{stem}.npz");
    let archive = npz::archive(system).map_err(|e| Error {
        path: folder.join(&name),
        message: e.to_string(),
    })?;
    put(name, &archive)?;
    Ok(written)
}
