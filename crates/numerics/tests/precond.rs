//! Preconditioners and the direct solver against dense factorisations.

#[path = "support/cases.rs"]
mod cases;

use cases::{Case, TIGHT, cases, numbers};
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;
use toile_numerics::constrain::constrain;
use toile_numerics::direct::Direct;
use toile_numerics::operator::Identity;
use toile_numerics::pcg::{Error, Problem, Workspace, solve};
use toile_numerics::precond::{BlockDiagonal, Diagonal, IncompleteCholesky, IncompleteLu};
use toile_numerics::{BlockCsr, ParticleFilter, Preconditioner};

/// The matrix with its held directions taken out.
fn constrained(case: &Case) -> BlockCsr {
    let matrix = case.matrix();
    let mut out = matrix.clone();
    constrain(&matrix, &case.filter, &mut Vec::new(), &mut out);
    out
}

/// All preconditioners of a case, by name.
fn all(case: &Case) -> Vec<(&'static str, Box<dyn Preconditioner<f64>>)> {
    let (matrix, constrained) = (case.matrix(), constrained(case));
    let mut diagonal = Diagonal::default();
    diagonal.refresh(&matrix);
    let mut blocks = BlockDiagonal::default();
    blocks.refresh(&matrix);
    let mut cholesky = IncompleteCholesky::default();
    cholesky.refresh(&constrained);
    let mut lu = IncompleteLu::default();
    lu.refresh(&constrained);
    vec![
        ("none", Box::new(Identity)),
        ("diagonal", Box::new(diagonal)),
        ("block-diagonal", Box::new(blocks)),
        ("incomplete-cholesky", Box::new(cholesky)),
        ("incomplete-lu", Box::new(lu)),
    ]
}

/// `P⁻¹` written out column by column.
fn inverse(preconditioner: &mut dyn Preconditioner<f64>, n: usize) -> DMatrix<f64> {
    let mut columns = Vec::new();
    for k in 0..n {
        let mut unit = vec![0.0; n];
        unit[k] = 1.0;
        let mut column = vec![0.0; n];
        preconditioner.apply(&unit, &mut column);
        columns.push(DVector::from_vec(column));
    }
    DMatrix::from_columns(&columns)
}

/// Every particle coupled with every other: no fill is dropped.
fn full(mut case: Case) -> Case {
    let rows = case.rhs.len() as u32 / 3;
    case.pairs = (0..rows)
        .flat_map(|i| (0..i).map(move |j| [j, i]))
        .collect();
    case
}

proptest! {
    /// Symmetric and positive definite, as conjugate gradients needs them.
    #[test]
    fn every_preconditioner_is_symmetric_positive_definite(case in cases()) {
        for (name, mut preconditioner) in all(&case) {
            let inverse = inverse(&mut *preconditioner, case.rhs.len());
            let scale = inverse.amax();
            prop_assert!((&inverse - inverse.transpose()).amax() < 1e-10 * scale, "{}", name);
            let symmetric = 0.5 * (&inverse + inverse.transpose());
            prop_assert!(symmetric.symmetric_eigenvalues().min() > 0.0, "{}", name);
        }
    }

    #[test]
    fn every_preconditioner_leads_to_the_same_answer(case in cases()) {
        let answer = case.answer();
        for (name, mut preconditioner) in all(&case) {
            let (info, x) = case.solve(&mut *preconditioner, &TIGHT).unwrap();
            prop_assert!(info.converged, "{}", name);
            let error = (DVector::from_column_slice(&x) - &answer).amax();
            prop_assert!(error < 1e-9 * (1.0 + answer.amax()), "{}: {:e}", name, error);
        }
    }

    /// Where the pattern has room for all fill, incomplete factors are complete.
    #[test]
    fn with_a_full_pattern_incomplete_factors_are_exact(case in cases()) {
        let case = full(case);
        let matrix = constrained(&case);
        let n = case.rhs.len();
        let dense = matrix.to_dense();
        let exact = DMatrix::from_fn(n, n, |i, j| dense[i][j]).cholesky().unwrap().inverse();
        let mut cholesky = IncompleteCholesky::default();
        cholesky.refresh(&matrix);
        let mut lu = IncompleteLu::default();
        lu.refresh(&matrix);
        prop_assert_eq!((cholesky.shift(), lu.shift()), (0.0, 0.0));
        for factors in [&mut cholesky as &mut dyn Preconditioner<f64>, &mut lu] {
            let error = (inverse(factors, n) - &exact).amax();
            prop_assert!(error < 1e-9 * exact.amax(), "{:e}", error);
        }
    }

    /// On a symmetric matrix both incomplete factorisations are the same one.
    #[test]
    fn incomplete_lu_of_a_symmetric_matrix_is_incomplete_cholesky(case in cases()) {
        let matrix = constrained(&case);
        let mut cholesky = IncompleteCholesky::default();
        cholesky.refresh(&matrix);
        let mut lu = IncompleteLu::default();
        lu.refresh(&matrix);
        prop_assume!(cholesky.shift() == lu.shift());
        let n = case.rhs.len();
        let (a, b) = (inverse(&mut cholesky, n), inverse(&mut lu, n));
        prop_assert!((&a - &b).amax() < 1e-9 * a.amax());
    }

    #[test]
    fn the_direct_solver_agrees_with_dense_cholesky(case in cases()) {
        let matrix = case.matrix();
        let mut direct = Direct::new(&matrix);
        // The second time with the symbolic part of the first, and other holds.
        for filter in [&ParticleFilter::default(), &case.filter] {
            let case = Case { filter: filter.clone(), ..case.clone() };
            direct.refresh(&matrix, filter);
            let mut x = case.start.clone();
            let info = direct.solve(&matrix, filter, &case.rhs, &mut x).unwrap();
            prop_assert!(info.converged);
            let answer = case.answer();
            let error = (DVector::from_column_slice(&x) - &answer).amax();
            prop_assert!(error < 1e-9 * (1.0 + answer.amax()), "{:e}", error);
        }
    }

    #[test]
    fn the_direct_solver_refuses_an_indefinite_matrix(mut case in cases(), seed in numbers(1)) {
        case.filter = ParticleFilter::default();
        let worst = case.dense.amax();
        for k in 0..3 {
            case.dense[(k, k)] -= (2.0 + seed[0]) * worst;
        }
        let matrix = case.matrix();
        let mut direct = Direct::new(&matrix);
        direct.refresh(&matrix, &case.filter);
        let answer = direct.solve(&matrix, &case.filter, &case.rhs, &mut case.start.clone());
        prop_assert_eq!(answer, Err(Error::NoFactors));
    }

    /// One entry at the start and one an iteration, ending with the residual that is reported.
    #[test]
    fn residuals_are_recorded_when_asked(case in cases()) {
        let matrix = case.matrix();
        let problem = Problem { operator: &matrix, filter: &case.filter, rhs: &case.rhs, doubt: None };
        let mut work = Workspace::default();
        let mut x = case.start.clone();
        solve(&problem, &mut Identity, &TIGHT, &mut x, &mut work).unwrap();
        prop_assert!(work.history().is_empty());
        work.record(true);
        for _ in 0..2 {
            let mut x = case.start.clone();
            let info = solve(&problem, &mut Identity, &TIGHT, &mut x, &mut work).unwrap();
            prop_assert_eq!(work.history().len() as u32, info.iterations + 1);
            prop_assert_eq!(*work.history().last().unwrap(), info.relative_residual);
        }
    }
}

/// A positive definite matrix whose incomplete factors break down: Kershaw's, with scalar blocks.
#[test]
fn a_breakdown_is_repaired_by_shifting_the_diagonal() {
    let kershaw = [
        [3.0, -2.0, 0.0, 2.0],
        [-2.0, 3.0, -2.0, 0.0],
        [0.0, -2.0, 3.0, -2.0],
        [2.0, 0.0, -2.0, 3.0],
    ];
    let dense = DMatrix::from_fn(12, 12, |i, j| {
        if i % 3 == j % 3 {
            kershaw[i / 3][j / 3]
        } else {
            0.0
        }
    });
    let case = Case {
        dense,
        pairs: vec![[0, 1], [1, 2], [2, 3], [0, 3]],
        rhs: (0..12).map(f64::from).collect(),
        start: vec![0.0; 12],
        filter: ParticleFilter::default(),
    };
    let matrix = case.matrix();
    let mut cholesky = IncompleteCholesky::default();
    cholesky.refresh(&matrix);
    let mut lu = IncompleteLu::default();
    lu.refresh(&matrix);
    assert!(cholesky.shift() > 0.0 && lu.shift() > 0.0);
    let answer = case.answer();
    for factors in [&mut cholesky as &mut dyn Preconditioner<f64>, &mut lu] {
        let lowest = inverse(factors, 12).symmetric_eigenvalues().min();
        assert!(lowest > 0.0, "{lowest}");
        let (info, x) = case.solve(factors, &TIGHT).unwrap();
        assert!(info.converged);
        assert!((DVector::from_vec(x) - &answer).amax() < 1e-9 * answer.amax());
    }
}
