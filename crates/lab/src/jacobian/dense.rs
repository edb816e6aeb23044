//! Small dense matrices: sums, assembly and finite differences.

use glam::{DMat3, DVec3};

/// Rows of a matrix.
pub type Dense = Vec<Vec<f64>>;

/// A matrix of zeros.
pub fn zeros(particles: usize) -> Dense {
    vec![vec![0.0; 3 * particles]; 3 * particles]
}

/// `a + factor · b`.
pub fn combine(a: &Dense, factor: f64, b: &Dense) -> Dense {
    let row =
        |(a, b): (&Vec<f64>, &Vec<f64>)| a.iter().zip(b).map(|(a, b)| a + factor * b).collect();
    a.iter().zip(b).map(row).collect()
}

/// The largest entry, without its sign.
pub fn largest(matrix: &Dense) -> f64 {
    let entries = matrix.iter().flatten();
    entries.fold(0.0, |most, entry| most.max(entry.abs()))
}

/// `∂f/∂x` of links with `∂f_i/∂x_j = H`.
pub fn assemble(links: impl Iterator<Item = ([usize; 2], DMat3)>, particles: usize) -> Dense {
    let mut sum = zeros(particles);
    for ([i, j], block) in links {
        for (row, column, sign) in [(i, j, 1.0), (j, i, 1.0), (i, i, -1.0), (j, j, -1.0)] {
            for (a, b) in (0..3).flat_map(|a| (0..3).map(move |b| (a, b))) {
                sum[3 * row + a][3 * column + b] += sign * block.col(b)[a];
            }
        }
    }
    sum
}

/// Derivative by every coordinate, by central differences of fourth order.
pub fn differences(at: &[DVec3], shift: f64, mut f: impl FnMut(&[DVec3]) -> Vec<DVec3>) -> Dense {
    let mut moved = at.to_vec();
    let mut sum = zeros(at.len());
    let coordinates = (0..at.len()).flat_map(|i| (0..3).map(move |axis| (i, axis)));
    for (particle, axis) in coordinates {
        for (place, weight) in [(-2.0, 1.0), (-1.0, -8.0), (1.0, 8.0), (2.0, -1.0)] {
            moved[particle][axis] = at[particle][axis] + place * shift;
            for (i, force) in f(&moved).iter().enumerate() {
                for a in 0..3 {
                    sum[3 * i + a][3 * particle + axis] += weight / (12.0 * shift) * force[a];
                }
            }
        }
        moved[particle][axis] = at[particle][axis];
    }
    sum
}
