//! NPZ archives: NumPy arrays in a zip file, stored without compression.

use crate::npy;
use std::io::{Cursor, Write};
use toile_sim::SystemDump;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// The system as an archive. The names `format`, `shape`, `data`, `indices` and `indptr` are those
/// of SciPy's block-sparse-row matrices.
pub fn archive(system: &SystemDump) -> Result<Vec<u8>, zip::result::ZipError> {
    let matrix = &system.matrix;
    let pattern = matrix.pattern();
    let (rows, blocks) = (pattern.rows(), pattern.blocks());
    let size = 3 * rows as i64;
    let row_starts: Vec<i64> = (0..rows)
        .map(|row| pattern.row(row).start as i64)
        .chain([blocks as i64])
        .collect();
    let columns: Vec<i64> = (0..blocks)
        .map(|place| i64::from(pattern.column(place)))
        .collect();
    // NumPy wants rows, glam stores columns.
    let by_rows = |m: &glam::DMat3| m.transpose().to_cols_array();
    let data: Vec<f64> = matrix.blocks().iter().flat_map(by_rows).collect();
    let free: Vec<f64> = system.projections().iter().flat_map(by_rows).collect();

    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let mut put = |name: &str, kind: &str, shape: &[usize], bytes: &[u8]| {
        let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        zip.start_file(format!("{name}.npy"), stored)?;
        zip.write_all(&npy::header(kind, shape))?;
        zip.write_all(bytes)?;
        Ok::<(), zip::result::ZipError>(())
    };
    put("format", "|S3", &[], b"bsr")?;
    put(
        "shape",
        "<i8",
        &[2],
        &bytes([size, size].map(i64::to_le_bytes)),
    )?;
    put("data", "<f8", &[blocks, 3, 3], &floats(&data))?;
    put("indices", "<i8", &[blocks], &integers(&columns))?;
    put("indptr", "<i8", &[rows + 1], &integers(&row_starts))?;
    put("rhs", "<f8", &[3 * rows], &floats(&system.rhs))?;
    put("solution", "<f8", &[3 * rows], &floats(&system.solution))?;
    let iterates = system.residuals.len();
    put("residuals", "<f8", &[iterates], &floats(&system.residuals))?;
    put("free", "<f8", &[rows, 3, 3], &floats(&free))?;
    put("alpha_s", "<f8", &[], &floats(&[system.alpha_s]))?;
    put("stiffness_s2", "<f8", &[], &floats(&[system.stiffness_s2]))?;
    Ok(zip.finish()?.into_inner())
}

fn floats(values: &[f64]) -> Vec<u8> {
    bytes(values.iter().map(|v| v.to_le_bytes()))
}

fn integers(values: &[i64]) -> Vec<u8> {
    bytes(values.iter().map(|v| v.to_le_bytes()))
}

fn bytes(words: impl IntoIterator<Item = [u8; 8]>) -> Vec<u8> {
    words.into_iter().flatten().collect()
}
