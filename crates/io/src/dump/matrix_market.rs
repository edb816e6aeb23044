//! Matrix Market exchange files: text, indices from 1, numbers that read back to the same bits.

use std::fmt::Write;
use toile_numerics::BlockCsr;

/// The lower triangle of a symmetric matrix, entry by entry.
pub fn symmetric(matrix: &BlockCsr) -> String {
    let pattern = matrix.pattern();
    let rows = pattern.rows();
    // Each block left of the diagonal has 9 entries, each one on it 6.
    let entries = 9 * (pattern.blocks() - rows) / 2 + 6 * rows;
    let mut text = String::from("%%MatrixMarket matrix coordinate real symmetric\n");
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{0} {0} {entries}", 3 * rows);
    for row in 0..rows {
        for axis in 0..3 {
            let i = 3 * row + axis;
            for place in pattern.row(row).start..=pattern.diagonal(row) {
                let first = 3 * pattern.column(place) as usize;
                let values = matrix.blocks()[place].row(axis).to_array();
                for (k, value) in values.iter().enumerate() {
                    let j = first + k;
                    if j <= i {
                        let _ = writeln!(text, "{} {} {value:e}", i + 1, j + 1);
                    }
                }
            }
        }
    }
    text
}

/// A vector as an array of one column.
pub fn vector(values: &[f64]) -> String {
    let mut text = String::from("%%MatrixMarket matrix array real general\n");
    let _ = writeln!(text, "{} 1", values.len());
    for value in values {
        let _ = writeln!(text, "{value:e}");
    }
    text
}
