//! Pivots of incomplete factors, and what to do when one fails.

use glam::DMat3;

/// Shifts of the diagonal to try, as shares of it. Dropping fill can make a pivot indefinite
/// although the matrix is not; a stiffer diagonal repairs that. At the last of these any positive
/// definite matrix of up to 33 blocks a row is dominated by its diagonal, and cannot fail.
pub(super) const SHIFTS: [f64; 7] = [0.0, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0];

/// A pivot smaller than this share of the block it came from has lost its digits.
const LEAST: f64 = 1e-12;

/// Lower Cholesky factor of a symmetric block, or `None` where it is not safely positive definite.
pub(super) fn cholesky(block: &DMat3) -> Option<DMat3> {
    let least = LEAST * (block.x_axis.x.abs() + block.y_axis.y.abs() + block.z_axis.z.abs());
    let root = |pivot: f64| (pivot > least).then(|| pivot.sqrt());
    let mut l = DMat3::ZERO;
    l.x_axis.x = root(block.x_axis.x)?;
    l.x_axis.y = block.x_axis.y / l.x_axis.x;
    l.x_axis.z = block.x_axis.z / l.x_axis.x;
    l.y_axis.y = root(block.y_axis.y - l.x_axis.y * l.x_axis.y)?;
    l.y_axis.z = (block.y_axis.z - l.x_axis.y * l.x_axis.z) / l.y_axis.y;
    let last = block.z_axis.z - l.x_axis.z * l.x_axis.z - l.y_axis.z * l.y_axis.z;
    l.z_axis.z = root(last)?;
    Some(l)
}
