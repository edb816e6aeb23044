//! Block rows against the same matrix written out in full.

use glam::{DMat3, DVec3};
use proptest::prelude::*;
use std::sync::Arc;
use toile_numerics::{BlockCsr, Operator, Pattern};

/// A block with nine different entries that depend on its place: a transposed or misplaced block
/// cannot pass for the right one.
fn block(row: usize, column: usize) -> DMat3 {
    let seed = (31 * row + 7 * column) as f64;
    DMat3::from_cols_array(&std::array::from_fn(|k| (seed + 1.7 * k as f64).sin()))
}

fn matrix(rows: usize, pairs: &[[u32; 2]]) -> BlockCsr {
    let pattern = Arc::new(Pattern::symmetric(rows, pairs.iter().copied()));
    let mut matrix = BlockCsr::zeros(pattern.clone());
    matrix.for_each_row(|row, blocks| {
        let first = pattern.row(row).start;
        for (k, out) in blocks.iter_mut().enumerate() {
            *out = block(row, pattern.column(first + k) as usize);
        }
    });
    matrix
}

proptest! {
    #[test]
    fn apply_is_the_full_product(
        rows in 1_usize..12,
        seeds in prop::collection::vec((0_u32..1000, 0_u32..1000), 0..30),
        x in prop::collection::vec(-1.0..1.0_f64, 36),
    ) {
        let of = |k: u32| k % rows as u32;
        let pairs: Vec<[u32; 2]> = seeds.iter().map(|&(a, b)| [of(a), of(b)]).collect();
        let matrix = matrix(rows, &pairs);
        let coupled = |i: usize, j: usize| {
            i == j || pairs.iter().any(|p| {
                let p = p.map(|k| k as usize);
                p == [i, j] || p == [j, i]
            })
        };
        let x = &x[..3 * rows];
        let xs: &[DVec3] = bytemuck::cast_slice(x);
        let mut y = vec![f64::NAN; 3 * rows];
        matrix.apply(x, &mut y);
        let ys: &[DVec3] = bytemuck::cast_slice(&y);
        let dense = matrix.to_dense();
        for i in 0..rows {
            let mut expected = DVec3::ZERO;
            for j in 0..rows {
                let b = if coupled(i, j) { block(i, j) } else { DMat3::ZERO };
                expected += b * xs[j];
                prop_assert_eq!(coupled(i, j), matrix.pattern().place(i, j as u32).is_some());
                for a in 0..3 {
                    for c in 0..3 {
                        prop_assert_eq!(dense[3 * i + a][3 * j + c], b.col(c)[a]);
                    }
                }
            }
            prop_assert!((ys[i] - expected).length() < 1e-13);
            prop_assert_eq!(matrix.diagonal_block(i), block(i, i));
        }
    }
}

#[test]
fn assembly_and_product_have_the_same_bits_for_any_thread_count() {
    let rows = 700;
    let pairs: Vec<[u32; 2]> = (0..rows as u32 - 3)
        .flat_map(|i| [[i, i + 1], [i, i + 3]])
        .collect();
    let x: Vec<f64> = (0..3 * rows).map(|i| (i as f64 * 0.37).sin()).collect();
    let product = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            let mut y = vec![0.0; 3 * rows];
            matrix(rows, &pairs).apply(&x, &mut y);
            y
        })
    };
    let one = product(1);
    assert!(one.iter().any(|y| *y != 0.0));
    for threads in 2..4 {
        let many = product(threads);
        let same = one
            .iter()
            .zip(&many)
            .all(|(a, b)| a.to_bits() == b.to_bits());
        assert!(same, "{threads} threads");
    }
}
