//! The estimate of the fastest motion against dense eigenvalues.

use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;
use toile_numerics::integrate::stability::largest_eigenvalue;

fn estimate(masses: &[f64], c: &DMatrix<f64>) -> f64 {
    largest_eigenvalue(masses, |p, image| {
        image.copy_from_slice((c * DVector::from_column_slice(p)).as_slice());
    })
}

fn exact(masses: &[f64], c: &DMatrix<f64>) -> f64 {
    let n = masses.len();
    let scaled = DMatrix::from_fn(n, n, |i, j| c[(i, j)] / (masses[i] * masses[j]).sqrt());
    scaled.symmetric_eigenvalues().max()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn small_systems_are_exact(
        g in prop::collection::vec(-1.0..1.0_f64, 36),
        masses in prop::collection::vec(0.1..3.0_f64, 6),
    ) {
        let g = DMatrix::from_column_slice(6, 6, &g);
        let c = g.transpose() * g;
        let (found, true_one) = (estimate(&masses, &c), exact(&masses, &c));
        prop_assert!((found / true_one - 1.0).abs() < 1e-6, "{} {}", found, true_one);
    }
}

/// A long chain has its eigenvalues crowded at the top: the hardest case for the iteration, and
/// that of cloth.
#[test]
fn a_chain_is_estimated_from_above_within_a_few_per_cent() {
    for n in [50, 400] {
        let c = DMatrix::from_fn(n, n, |i, j| match i.abs_diff(j) {
            0 => 2.0,
            1 => -1.0,
            _ => 0.0,
        });
        let masses: Vec<f64> = (0..n).map(|i| 0.5 + 0.3 * (i as f64).sin()).collect();
        let (found, true_one) = (estimate(&masses, &c), exact(&masses, &c));
        assert!(
            found > 0.999 * true_one && found < 1.08 * true_one,
            "{n}: {found} {true_one}"
        );
    }
}

#[test]
fn nothing_moves_without_forces_and_nothing_is_made_of_what_is_no_number() {
    assert_eq!(estimate(&[1.0; 9], &DMatrix::zeros(9, 9)), 0.0);
    assert_eq!(estimate(&[], &DMatrix::zeros(0, 0)), 0.0);
    let bad = DMatrix::from_element(9, 9, f64::NAN);
    assert!(estimate(&[1.0; 9], &bad).is_nan());
}
