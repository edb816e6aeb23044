//! Filtered conjugate gradients against a dense Cholesky factorisation.

#[path = "support/cases.rs"]
mod cases;

use cases::{Case, TIGHT, cases};
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;
use toile_numerics::operator::{Identity, NoFilter};
use toile_numerics::pcg::{Error, Info, Params, Problem, Workspace, solve};
use toile_numerics::{Filter, Hold, Operator, ParticleFilter, Preconditioner};

proptest! {
    #[test]
    fn agrees_with_cholesky_under_every_kind_of_hold(case in cases()) {
        let answer = case.answer();
        let scale = 1.0 + answer.amax();
        for preconditioner in [
            &mut Identity as &mut dyn Preconditioner<f64>,
            &mut case.block_diagonal(),
        ] {
            let (info, x) = case.solve(preconditioner, &TIGHT).unwrap();
            prop_assert!(info.converged && info.relative_residual <= TIGHT.tolerance);
            let error = (DVector::from_column_slice(&x) - &answer).amax();
            prop_assert!(error < 1e-9 * scale, "error {error:e}");
        }
    }

    #[test]
    fn of_a_guess_only_the_direction_counts(mut case in cases()) {
        let s = case.projection();
        let start = DVector::from_column_slice(&case.start);
        let held = &start - &s * &start;
        let along = &s * DVector::from_element(case.rhs.len(), 1.0);
        prop_assume!(along.amax() > 1e-3);
        let untouched = Params { max_iterations: 0, ..TIGHT };
        let mut guesses = [1.0, -1e6].map(|size| {
            case.start = (&held + size * &along).as_slice().to_vec();
            let (_, x) = case.solve(&mut Identity, &untouched).unwrap();
            DVector::from_column_slice(&x)
        });
        // One of the two points away from the answer and is dropped; the other is scaled so that
        // nothing is left to gain along it.
        guesses.sort_by(|a, b| (a - &held).norm().total_cmp(&(b - &held).norm()));
        prop_assert!((&guesses[0] - &held).amax() < 1e-8);
        let answer = case.answer();
        let slope = (&case.dense * (&answer - &guesses[1])).dot(&along);
        prop_assert!(slope.abs() < 1e-8 * (1.0 + case.dense.norm() * answer.norm()), "{slope:e}");
    }

    #[test]
    fn a_good_guess_saves_all_iterations(mut case in cases()) {
        case.start = case.answer().as_slice().to_vec();
        let loose = Params { tolerance: 1e-6, ..TIGHT };
        let (info, x) = case.solve(&mut Identity, &loose).unwrap();
        prop_assert_eq!(info.iterations, 0);
        prop_assert!(info.converged);
        prop_assert_eq!(x, case.start);
    }
}

/// `diag(values)` over one particle.
struct Diagonal([f64; 3]);

impl Operator<f64> for Diagonal {
    fn len(&self) -> usize {
        3
    }
    fn apply(&self, x: &[f64], y: &mut [f64]) {
        for i in 0..3 {
            y[i] = self.0[i] * x[i];
        }
    }
}

fn solve_diagonal(
    diagonal: [f64; 3],
    rhs: &[f64],
    x: &mut [f64],
    params: &Params,
) -> Result<Info, Error> {
    let problem = Problem {
        operator: &Diagonal(diagonal),
        filter: &NoFilter,
        rhs,
        doubt: None,
    };
    solve(
        &problem,
        &mut Identity,
        params,
        x,
        &mut Workspace::default(),
    )
}

/// A guess and a doubt whose best combination is the answer leave nothing to iterate for; a doubt that
/// says the same as the guess changes nothing.
#[test]
fn a_guess_is_corrected_along_what_is_in_doubt() {
    let diagonal = [3.0, 5.0, 7.0];
    let (guess, doubt) = ([1.0, -2.0, 0.5], [0.0, 1.0, 1.0]);
    let answer: Vec<f64> = (0..3).map(|i| 2.0 * guess[i] - 3.0 * doubt[i]).collect();
    let rhs: Vec<f64> = (0..3).map(|i| diagonal[i] * answer[i]).collect();
    let iterations = |doubt: Option<&[f64]>| {
        let problem = Problem {
            operator: &Diagonal(diagonal),
            filter: &NoFilter,
            rhs: &rhs,
            doubt,
        };
        let mut x = guess;
        let mut work = Workspace::default();
        let info = solve(&problem, &mut Identity, &TIGHT, &mut x, &mut work).unwrap();
        assert!(info.converged);
        assert!((0..3).all(|i| (x[i] - answer[i]).abs() < 1e-12), "{x:?}");
        info.iterations
    };
    assert_eq!(iterations(Some(&doubt)), 0);
    assert_eq!(iterations(Some(&guess)), iterations(None));
    assert!(iterations(None) > 0);
}

/// Two unit masses on a unit spring, the first one held: solving freely and then holding the
/// answer gives 2/3 where 1/2 is right.
#[test]
fn a_hold_belongs_inside_the_solve() {
    let dense = DMatrix::from_fn(6, 6, |i, j| match (i % 3 == j % 3, i == j) {
        (_, true) => 2.0,
        (true, false) => -1.0,
        _ => 0.0,
    });
    let mut case = Case {
        dense,
        pairs: vec![[0, 1]],
        rhs: vec![0.0, 0.0, 0.0, 1.0, 1.0, 1.0],
        start: vec![0.0; 6],
        filter: ParticleFilter::default(),
    };
    let (_, mut after) = case.solve(&mut Identity, &TIGHT).unwrap();
    case.filter.push(0, Hold::Fixed);
    let (_, inside) = case.solve(&mut Identity, &TIGHT).unwrap();
    case.filter.project(&mut after);
    for k in 0..3 {
        assert_eq!((inside[k], after[k]), (0.0, 0.0));
        assert!((inside[3 + k] - 0.5).abs() < 1e-12);
        assert!((after[3 + k] - 2.0 / 3.0).abs() < 1e-12);
    }
}

#[test]
fn indefinite_matrices_are_refused() {
    let mut x = [0.0; 3];
    let refused = solve_diagonal([1.0, 1.0, -1.0], &[0.0, 0.0, 1.0], &mut x, &TIGHT);
    assert_eq!(
        refused,
        Err(Error::Indefinite {
            iteration: 0,
            curvature: -1.0
        })
    );
    // A negative direction that the first steps do not meet.
    let refused = solve_diagonal([4.0, 1.0, -0.1], &[1.0, 1.0, 0.1], &mut [0.0; 3], &TIGHT);
    assert!(
        matches!(refused, Err(Error::Indefinite { .. })),
        "{refused:?}"
    );
}

#[test]
fn an_indefinite_preconditioner_is_refused() {
    struct Negative;
    impl Preconditioner<f64> for Negative {
        fn apply(&mut self, r: &[f64], z: &mut [f64]) {
            z.iter_mut().zip(r).for_each(|(z, r)| *z = -r);
        }
    }
    let problem = Problem {
        operator: &Diagonal([1.0; 3]),
        filter: &NoFilter,
        rhs: &[2.0, 0.0, 0.0],
        doubt: None,
    };
    let refused = solve(
        &problem,
        &mut Negative,
        &TIGHT,
        &mut [0.0; 3],
        &mut Workspace::default(),
    );
    assert_eq!(
        refused,
        Err(Error::Indefinite {
            iteration: 0,
            curvature: -4.0
        })
    );
}

#[test]
fn what_is_not_finite_is_refused() {
    let mut x = [0.0; 3];
    let refused = solve_diagonal([1.0; 3], &[f64::NAN, 0.0, 0.0], &mut x, &TIGHT);
    assert_eq!(refused, Err(Error::NonFinite { iteration: 0 }));
    let refused = solve_diagonal([f64::NAN, 1.0, 1.0], &[1.0; 3], &mut [0.0; 3], &TIGHT);
    assert_eq!(refused, Err(Error::NonFinite { iteration: 0 }));
    let refused = solve_diagonal([1.0; 3], &[f64::INFINITY, 0.0, 0.0], &mut x, &TIGHT);
    assert_eq!(refused, Err(Error::NonFinite { iteration: 0 }));
    let refused = solve_diagonal([1.0; 3], &[1.0; 3], &mut [f64::NAN; 3], &TIGHT);
    assert_eq!(refused, Err(Error::NonFinite { iteration: 0 }));
}

#[test]
fn vectors_of_the_wrong_length_are_refused() {
    let wrong = |found| Err(Error::Length { expected: 3, found });
    assert_eq!(
        solve_diagonal([1.0; 3], &[1.0; 6], &mut [0.0; 3], &TIGHT),
        wrong(6)
    );
    assert_eq!(
        solve_diagonal([1.0; 3], &[1.0; 3], &mut [0.0; 2], &TIGHT),
        wrong(2)
    );
}

#[test]
fn an_exact_guess_needs_no_iteration() {
    let mut x = [2.0, 1.0, 4.0];
    let info = solve_diagonal([2.0, 4.0, 0.5], &[4.0, 4.0, 2.0], &mut x, &TIGHT).unwrap();
    assert_eq!((info.iterations, info.relative_residual), (0, 0.0));
    assert!(info.converged);
    assert_eq!(x, [2.0, 1.0, 4.0]);
}

#[test]
fn zero_is_the_answer_to_zero_whatever_the_guess() {
    for guess in [[0.0; 3], [1.0, -2.0, 3.0]] {
        let mut x = guess;
        let info = solve_diagonal([2.0, 4.0, 0.5], &[0.0; 3], &mut x, &TIGHT).unwrap();
        assert_eq!((info.iterations, info.converged), (0, true));
        assert_eq!(x, [0.0; 3]);
    }
}

#[test]
fn running_out_of_iterations_is_reported_not_an_error() {
    let params = Params {
        max_iterations: 1,
        ..TIGHT
    };
    let mut x = [0.0; 3];
    let info = solve_diagonal([1.0, 10.0, 100.0], &[1.0; 3], &mut x, &params).unwrap();
    assert_eq!((info.iterations, info.converged), (1, false));
    assert!(info.relative_residual > 0.1);
    assert!(x.iter().all(|x| *x > 0.0));
    // Three different eigenvalues: done in three iterations.
    let info = solve_diagonal([1.0, 10.0, 100.0], &[1.0; 3], &mut [0.0; 3], &TIGHT).unwrap();
    assert_eq!((info.iterations, info.converged), (3, true));
}

#[test]
fn exhausted_precision_ends_the_iteration_where_the_matrix_is_known_to_be_definite() {
    let rhs = [0.1, 0.1, 1.0];
    let mut x = [0.0; 3];
    let failed = solve_diagonal([1.0, 2.0, -3.0], &rhs, &mut x, &TIGHT);
    assert!(matches!(failed, Err(Error::Indefinite { .. })));
    let trusting = Params {
        definite: true,
        ..TIGHT
    };
    let mut x = [0.0; 3];
    let info = solve_diagonal([1.0, 2.0, -3.0], &rhs, &mut x, &trusting).unwrap();
    assert!(!info.converged && x.iter().all(|x| x.is_finite()));
}
