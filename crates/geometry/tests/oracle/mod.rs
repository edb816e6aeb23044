//! An independent judge of triangle pairs, in exact rational arithmetic.
//!
//! Two triangles have the points in common that solve `Σ λᵢ aᵢ = Σ μⱼ bⱼ` with weights that are
//! not negative and sum to one on both sides. The solutions form a polytope; its corners are the
//! solutions with a support on which they are the only one, and all 63 supports are tried. No
//! orientation test, no projection and no special case appears here.

use glam::DVec3;
use num_rational::{BigRational, Ratio};
use std::ops::{Add, Div, Mul, Sub};
use toile_geometry::Meeting;

/// A rational number type that can hold the coordinates.
pub trait Exact:
    Clone
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
{
    /// Without rounding.
    fn exactly(x: f64) -> Self;
}

/// For small whole numbers only, but fast.
impl Exact for Ratio<i64> {
    fn exactly(x: f64) -> Self {
        assert!(x.fract() == 0.0 && x.abs() < 100.0);
        Ratio::from_integer(x as i64)
    }
}

impl Exact for BigRational {
    fn exactly(x: f64) -> Self {
        BigRational::from_float(x).expect("finite")
    }
}

type Point<T> = [T; 3];

fn point<T: Exact>(p: DVec3) -> Point<T> {
    p.to_array().map(T::exactly)
}

fn minus<T: Exact>(p: &Point<T>, q: &Point<T>) -> Point<T> {
    std::array::from_fn(|k| p[k].clone() - q[k].clone())
}

fn dot<T: Exact>(p: &Point<T>, q: &Point<T>) -> T {
    (0..3).fold(T::exactly(0.0), |s, k| s + p[k].clone() * q[k].clone())
}

/// How two triangles meet that have their first `shared` corners in common.
pub fn judge<T: Exact>(a: [DVec3; 3], b: [DVec3; 3], shared: usize) -> Option<Meeting> {
    assert_eq!(a[..shared], b[..shared]);
    let corners: Vec<Point<T>> = a.into_iter().chain(b).map(point).collect();
    let zero = T::exactly(0.0);
    let mut supported = [false; 6];
    let mut beyond = shared == 0;
    let mut found = false;
    for support in 1u32..64 {
        let columns: Vec<usize> = (0..6).filter(|i| support >> i & 1 == 1).collect();
        let Some(weights) = only_solution(&corners, &columns) else {
            continue;
        };
        if weights.iter().any(|w| *w <= zero) {
            continue;
        }
        found = true;
        columns.iter().for_each(|&i| supported[i] = true);
        // The common point, from its weights in the first triangle.
        let common: Point<T> = std::array::from_fn(|k| {
            (columns.iter().zip(&weights))
                .filter(|(i, _)| **i < 3)
                .fold(zero.clone(), |s, (&i, w)| {
                    s + w.clone() * corners[i][k].clone()
                })
        });
        beyond |= !match shared {
            0 => false,
            1 => common == corners[0],
            _ => is_between(&common, &corners[0], &corners[1]),
        };
    }
    if shared == 3 {
        return Some(Meeting::Duplicate);
    }
    (found && beyond).then(|| {
        if lie_in_one_plane(&corners) {
            Meeting::Coplanar
        } else if supported.iter().all(|&s| s) {
            // The mean of the polytope's corners has only positive weights: an inside point of
            // both triangles.
            Meeting::Crossing
        } else {
            Meeting::Touching
        }
    })
}

/// The weights on `columns` that solve the five equations, if there are and they are unique.
fn only_solution<T: Exact>(corners: &[Point<T>], columns: &[usize]) -> Option<Vec<T>> {
    let (zero, one) = (T::exactly(0.0), T::exactly(1.0));
    let entry = |row: usize, i: usize| match (row, i < 3) {
        (0..3, true) => corners[i][row].clone(),
        (0..3, false) => zero.clone() - corners[i][row].clone(),
        (3, first) | (4, first) if first == (row == 3) => one.clone(),
        _ => zero.clone(),
    };
    let right = |row: usize| if row < 3 { zero.clone() } else { one.clone() };
    let n = columns.len();
    let mut rows: Vec<Vec<T>> = (0..5)
        .map(|row| {
            let left = columns.iter().map(|&i| entry(row, i));
            left.chain([right(row)]).collect()
        })
        .collect();
    if eliminate(&mut rows, n) < n || rows[n..].iter().any(|row| row[n] != zero) {
        return None;
    }
    Some((0..n).map(|i| rows[i][n].clone()).collect())
}

/// Gauss–Jordan elimination of the first `columns` columns; the rank, after which rows are zero.
fn eliminate<T: Exact>(rows: &mut [Vec<T>], columns: usize) -> usize {
    let zero = T::exactly(0.0);
    let mut rank = 0;
    for column in 0..columns {
        let Some(pivot) = (rank..rows.len()).find(|&r| rows[r][column] != zero) else {
            continue;
        };
        rows.swap(rank, pivot);
        let lead = rows[rank][column].clone();
        rows[rank]
            .iter_mut()
            .for_each(|x| *x = x.clone() / lead.clone());
        let pivot_row = rows[rank].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(r, _)| *r != rank) {
            let factor = row[column].clone();
            if factor != zero {
                for (x, p) in row.iter_mut().zip(&pivot_row) {
                    *x = x.clone() - factor.clone() * p.clone();
                }
            }
        }
        rank += 1;
    }
    rank
}

fn lie_in_one_plane<T: Exact>(corners: &[Point<T>]) -> bool {
    let mut rows: Vec<Vec<T>> = (corners[1..].iter())
        .map(|p| minus(p, &corners[0]).to_vec())
        .collect();
    eliminate(&mut rows, 3) < 3
}

/// Whether `p` lies on the closed segment `uv`: Cauchy–Schwarz with equality, and within reach.
fn is_between<T: Exact>(p: &Point<T>, u: &Point<T>, v: &Point<T>) -> bool {
    let (up, uv) = (minus(p, u), minus(v, u));
    let along = dot(&up, &uv);
    let collinear = along.clone() * along.clone() == dot(&up, &up) * dot(&uv, &uv);
    if dot(&uv, &uv) == T::exactly(0.0) {
        return p == u;
    }
    collinear && along >= T::exactly(0.0) && along <= dot(&uv, &uv)
}
