//! Order of accuracy of the integrators, measured on a particle that a nonlinear spring pushes
//! outwards while it circles: the transverse part of the spring's Jacobian matters at once.

mod support;

use nalgebra::{DMatrix, DVector};
use support::{Dense, Law, Run, Scheme};
use toile_numerics::integrate::{Method, NewtonParams};

/// Tension `T(r) = k (r − 1) + q (r − 1)³` towards the origin, and a weak damper to the ground.
#[derive(Clone, Copy)]
struct CentralSpring {
    stiffness: f64,
    cubic: f64,
    damping: f64,
    keep_transverse: bool,
}

impl CentralSpring {
    fn tension(&self, r: f64) -> (f64, f64) {
        let e = r - 1.0;
        (
            self.stiffness * e + self.cubic * e.powi(3),
            self.stiffness + 3.0 * self.cubic * e * e,
        )
    }
}

impl Law for CentralSpring {
    fn force(&self, x: &DVector<f64>, v: &DVector<f64>) -> DVector<f64> {
        let r = x.norm();
        -(self.tension(r).0 / r) * x - self.damping * v
    }

    fn jacobians(&self, x: &DVector<f64>) -> (DMatrix<f64>, DMatrix<f64>) {
        let identity = DMatrix::identity(2, 2);
        let r = x.norm();
        let (tension, slope) = self.tension(r);
        let along = x * x.transpose() / (r * r);
        let across = &identity - &along;
        let kept = if self.keep_transverse {
            tension / r
        } else {
            0.0
        };
        (-slope * along - kept * across, -self.damping * identity)
    }

    fn potential(&self, x: &DVector<f64>, v: &DVector<f64>, alpha_s: f64) -> f64 {
        let e = x.norm() - 1.0;
        0.5 * self.stiffness * e * e
            + 0.25 * self.cubic * e.powi(4)
            + alpha_s * 0.5 * self.damping * v.norm_squared()
    }
}

const SPRING: CentralSpring = CentralSpring {
    stiffness: 8.0,
    cubic: 5.0,
    damping: 0.3,
    keep_transverse: true,
};
const DROPPED: CentralSpring = CentralSpring {
    keep_transverse: false,
    ..SPRING
};
const START: ([f64; 2], [f64; 2]) = ([0.5, 0.0], [0.0, 0.9]);
const MASS: f64 = 0.7;
const END_S: f64 = 1.0;
const NEWTON: Method = Method::Newton(NewtonParams {
    tolerance_m: 1e-13,
    max_move_m: 1.0,
    max_iterations: 200,
});

/// The state at [`END_S`] by the classical Runge–Kutta method with tiny steps: nothing in common
/// with what is tested.
fn reference() -> Vec<f64> {
    let steps = 20_000;
    let h = END_S / f64::from(steps);
    let rate = |s: &DVector<f64>| {
        let (x, v) = (s.rows(0, 2).into_owned(), s.rows(2, 2).into_owned());
        let a = SPRING.force(&x, &v) / MASS;
        DVector::from_column_slice(&[v[0], v[1], a[0], a[1]])
    };
    let (x, v) = START;
    let mut s = DVector::from_column_slice(&[x[0], x[1], v[0], v[1]]);
    for _ in 0..steps {
        let k1 = rate(&s);
        let k2 = rate(&(&s + 0.5 * h * &k1));
        let k3 = rate(&(&s + 0.5 * h * &k2));
        let k4 = rate(&(&s + h * &k3));
        s += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
    s.as_slice().to_vec()
}

/// Lengths that fill [`END_S`]: all alike, or alternating 2 : 1.
fn steps(count: usize, alternating: bool) -> Vec<f64> {
    let mean = END_S / count as f64;
    let share = |k: usize| match (alternating, k % 2) {
        (false, _) => 1.0,
        (true, 0) => 4.0 / 3.0,
        _ => 2.0 / 3.0,
    };
    (0..count).map(|k| mean * share(k)).collect()
}

/// Errors at the end for 200, 400 and 800 steps.
fn errors(law: CentralSpring, scheme: Scheme, method: Method, alternating: bool) -> [f64; 3] {
    let exact = reference();
    [200, 400, 800].map(|count| {
        let mut system = Dense::new(law, vec![MASS; 2]);
        let mut run = Run {
            system: &mut system,
            scheme,
            method,
        };
        let states = run.through(&START.0, &START.1, steps(count, alternating));
        let (x, v) = states.last().unwrap();
        let end = x.iter().chain(v);
        end.zip(&exact)
            .map(|(a, b)| (a - b).powi(2))
            .sum::<f64>()
            .sqrt()
    })
}

fn assert_order(errors: [f64; 3], order: f64, within: f64) {
    for (coarse, fine) in errors.iter().zip(&errors[1..]) {
        let measured = (coarse / fine).log2();
        assert!(
            (measured - order).abs() <= within,
            "order {measured:.3}, errors {errors:?}"
        );
    }
}

#[test]
fn bdf2_has_order_two_with_the_exact_jacobian() {
    assert_order(errors(SPRING, Scheme::Bdf2, Method::Once, false), 2.0, 0.1);
}

#[test]
fn bdf2_keeps_order_two_when_steps_alternate() {
    assert_order(errors(SPRING, Scheme::Bdf2, Method::Once, true), 2.0, 0.1);
    assert_order(errors(DROPPED, Scheme::Bdf2, NEWTON, true), 2.0, 0.1);
}

/// The source calls its scheme second order although its matrix lacks the transverse terms.
#[test]
fn errata_05_one_solve_with_dropped_terms_has_order_one() {
    let dropped = errors(DROPPED, Scheme::Bdf2, Method::Once, false);
    assert_order(dropped, 1.0, 0.15);
    let exact = errors(SPRING, Scheme::Bdf2, Method::Once, false);
    assert!(dropped[2] > 50.0 * exact[2], "{dropped:?} {exact:?}");
}

#[test]
fn newton_restores_order_two_with_dropped_terms() {
    let newton = errors(DROPPED, Scheme::Bdf2, NEWTON, false);
    assert_order(newton, 2.0, 0.1);
    // Converged Newton does not depend on the matrix it used.
    let exact = errors(SPRING, Scheme::Bdf2, NEWTON, false);
    for (a, b) in newton.iter().zip(&exact) {
        assert!((a - b).abs() < 1e-3 * b, "{a:e} {b:e}");
    }
}

#[test]
fn backward_euler_has_order_one_either_way() {
    for law in [SPRING, DROPPED] {
        let once = errors(law, Scheme::BackwardEuler, Method::Once, false);
        assert_order(once, 1.0, 0.15);
    }
    let newton = errors(SPRING, Scheme::BackwardEuler, NEWTON, false);
    assert_order(newton, 1.0, 0.15);
}

/// Equation 20 of the source prints a second derivative of the force for the Jacobian; a matrix
/// without the Jacobian is an explicit step in disguise.
#[test]
fn errata_02_the_jacobian_is_what_makes_a_large_step_stable() {
    #[derive(Clone, Copy)]
    struct Printed(CentralSpring);
    impl Law for Printed {
        fn force(&self, x: &DVector<f64>, v: &DVector<f64>) -> DVector<f64> {
            self.0.force(x, v)
        }
        fn jacobians(&self, x: &DVector<f64>) -> (DMatrix<f64>, DMatrix<f64>) {
            (DMatrix::zeros(2, 2), self.0.jacobians(x).1)
        }
        fn potential(&self, x: &DVector<f64>, v: &DVector<f64>, alpha_s: f64) -> f64 {
            self.0.potential(x, v, alpha_s)
        }
    }
    fn farthest<L: Law>(law: L) -> f64 {
        let mut system = Dense::new(law, vec![MASS; 2]);
        let mut run = Run {
            system: &mut system,
            scheme: Scheme::Bdf2,
            method: Method::Once,
        };
        // ωΔt = 20 for the linear part.
        let states = run.through(&[1.2, 0.0], &[0.0, 0.0], vec![0.6; 40]);
        let radius = |(x, _): &(Vec<f64>, Vec<f64>)| x[0].hypot(x[1]);
        states.iter().map(radius).fold(0.0, f64::max)
    }
    let stiff = CentralSpring {
        stiffness: 800.0,
        cubic: 0.0,
        ..SPRING
    };
    assert!(farthest(stiff) < 2.0);
    let printed = farthest(Printed(stiff));
    assert!(!printed.is_finite() || printed > 1e6, "{printed}");
}
