//! Cholesky factors of a sparse symmetric matrix of plain numbers, for many right sides.
//!
//! For matrices of 3×3 blocks with held particles there is [`direct`](crate::direct). Sequential,
//! so no result depends on threads. Source: approximate minimum degree and supernodal Cholesky of
//! `faer`.

use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::Llt;
use faer::sparse::{SparseColMat, Triplet};
use faer::{MatMut, Side};
use thiserror::Error;

/// Why there are no factors.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error(
    "the matrix of {size} rows is not positive definite, or there is no memory for its factors"
)]
pub struct NoFactors {
    /// Rows of the matrix.
    pub size: usize,
}

/// Factors of a matrix.
pub struct Cholesky {
    size: usize,
    factors: Llt<usize, f64>,
}

impl Cholesky {
    /// Factors the matrix with these entries on and below its diagonal: row, column, value. Entries
    /// of one place are added up, those above the diagonal are not looked at.
    pub fn new(size: usize, entries: &[(usize, usize, f64)]) -> Result<Self, NoFactors> {
        let entries: Vec<_> = { entries.iter() }
            .map(|&(row, col, val)| Triplet { row, col, val })
            .collect();
        let refused = NoFactors { size };
        let matrix = SparseColMat::try_new_from_triplets(size, size, &entries);
        let matrix = matrix.map_err(|_| refused)?;
        let factors = matrix.sp_cholesky(Side::Lower).map_err(|_| refused)?;
        Ok(Self { size, factors })
    }

    /// Solves for every column of `x`, one after the other; `x` has a whole number of them.
    pub fn solve(&self, x: &mut [f64]) {
        let columns = x.len().checked_div(self.size).unwrap_or(0);
        let x = &mut x[..columns * self.size];
        let x = MatMut::from_column_major_slice_mut(x, self.size, columns);
        self.factors.solve_in_place(x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_right_sides_at_once() {
        // [4 2 0; 2 5 1; 0 1 3], its middle in two halves.
        let entries = [
            (0, 0, 4.0),
            (1, 0, 2.0),
            (1, 1, 2.5),
            (1, 1, 2.5),
            (2, 1, 1.0),
            (2, 2, 3.0),
        ];
        let factors = Cholesky::new(3, &entries).unwrap();
        let mut x = [8.0, 15.0, 11.0, 4.0, 2.0, 0.0];
        factors.solve(&mut x);
        for (x, expected) in x.iter().zip([1.0, 2.0, 3.0, 1.0, 0.0, 0.0]) {
            assert!((x - expected).abs() < 1e-14, "{x} for {expected}");
        }
    }

    #[test]
    fn an_indefinite_matrix_has_no_factors() {
        let entries = [(0, 0, 1.0), (1, 0, 2.0), (1, 1, 1.0)];
        assert_eq!(
            Cholesky::new(2, &entries).err(),
            Some(NoFactors { size: 2 })
        );
        assert!(Cholesky::new(2, &[(5, 0, 1.0)]).is_err());
    }
}
