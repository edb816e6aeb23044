//! Every one-step scheme on a damped oscillator: order, limits of stability, and what strong
//! damping does.

mod support;

use support::{MIXED, Run, Scheme, oscillator};
use toile_numerics::integrate::Method;
use toile_numerics::integrate::newmark::{BadNewmark, Newmark};

const END_S: f64 = 1.0;
const OMEGA: f64 = 7.0;
const DAMPING: f64 = 2.0;
const START: (f64, f64) = (0.4, -1.3);

/// How a run is cut into steps.
#[derive(Clone, Copy, Debug)]
enum Steps {
    Equal,
    /// Long and short in the ratio 3 : 1.
    Alternating,
    /// Lengths that look random, within a factor of 3.
    Random,
}

impl Steps {
    fn lengths(self, count: usize) -> Vec<f64> {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut shares: Vec<f64> = (0..count)
            .map(|k| match self {
                Self::Equal => 1.0,
                Self::Alternating => [1.5, 0.5][k % 2],
                Self::Random => {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    0.5 + (state >> 11) as f64 / (1_u64 << 53) as f64
                }
            })
            .collect();
        let sum: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share *= END_S / sum);
        shares
    }
}

/// Positions and velocities of a run.
fn run(scheme: Scheme, (omega, c): (f64, f64), steps_s: Vec<f64>) -> Vec<(f64, f64)> {
    let mut system = oscillator(omega, c);
    let mut run = Run {
        system: &mut system,
        scheme,
        method: Method::Once,
    };
    let states = run.through(&[START.0], &[START.1], steps_s);
    states.iter().map(|(x, v)| (x[0], v[0])).collect()
}

/// The underdamped oscillator at a time.
fn exact((omega, c): (f64, f64), t: f64) -> (f64, f64) {
    let (x, v) = START;
    let w = (omega * omega - 0.25 * c * c).sqrt();
    let (a, b) = (x, (v + 0.5 * c * x) / w);
    let (sin, cos) = (w * t).sin_cos();
    let decay = (-0.5 * c * t).exp();
    let place = decay * (a * cos + b * sin);
    let speed = decay * w * (b * cos - a * sin) - 0.5 * c * place;
    (place, speed)
}

fn error(scheme: Scheme, steps: Steps, count: usize) -> f64 {
    let states = run(scheme, (OMEGA, DAMPING), steps.lengths(count));
    let (x, v) = states[count];
    let (place, speed) = exact((OMEGA, DAMPING), END_S);
    (OMEGA * (x - place)).hypot(v - speed)
}

/// The order between two halvings of the steps; `count` is the coarsest.
fn order(scheme: Scheme, steps: Steps, count: usize) -> f64 {
    (error(scheme, steps, 2 * count) / error(scheme, steps, 4 * count)).log2()
}

fn newmark(beta: f64, gamma: f64) -> Scheme {
    Scheme::Newmark(Newmark::new(beta, gamma).unwrap())
}

#[test]
fn every_scheme_has_its_order_with_equal_steps() {
    for (scheme, theory, count) in [
        (Scheme::BackwardEuler, 1.0, 2000),
        (Scheme::Bdf2, 2.0, 200),
        (Scheme::Trapezoidal, 2.0, 100),
        (Scheme::Newmark(Newmark::AVERAGE_ACCELERATION), 2.0, 100),
        (newmark(1.0 / 6.0, 0.5), 2.0, 100),
        (newmark(0.3025, 0.6), 1.0, 2000),
        (Scheme::SymplecticEuler, 1.0, 1000),
        (Scheme::CentralDifference, 2.0, 100),
        (Scheme::Rk4, 4.0, 40),
        (Scheme::LeapfrogTrapezoid, 2.0, 100),
        (Scheme::CentralNewmark, 2.0, 100),
        (Scheme::ImprovedVariableStep, 2.0, 100),
    ] {
        let measured = order(scheme, Steps::Equal, count);
        assert!((measured - theory).abs() < 0.1, "{scheme:?}: {measured}");
    }
}

/// Errata 36: the source warns that its second scheme loses accuracy when the step varies. It does
/// not: both of its half steps belong to the same step.
#[test]
fn errata_36_the_mixed_schemes_keep_order_two_with_variable_steps() {
    for scheme in MIXED {
        for (steps, within) in [(Steps::Alternating, 0.1), (Steps::Random, 0.1)] {
            let measured = order(scheme, steps, 400);
            assert!(
                (measured - 2.0).abs() < within,
                "{scheme:?} {steps:?}: {measured}"
            );
        }
    }
}

/// The printed last line of the second scheme has the end velocity on its right: no longer
/// explicit, and first order.
#[test]
fn errata_34_the_printed_central_newmark_has_order_one() {
    let (o, c) = (OMEGA * OMEGA, DAMPING);
    let end = |count: usize, printed: bool| {
        let h = END_S / count as f64;
        let (mut x, mut v) = START;
        for _ in 0..count {
            let half = (v - 0.5 * h * o * x) / (1.0 + 0.5 * h * c);
            x += h * half;
            v = if printed {
                (half - 0.5 * h * o * x) / (1.0 + 0.5 * h * c)
            } else {
                half - 0.5 * h * (o * x + c * half)
            };
        }
        (x, v)
    };
    let (place, speed) = exact((OMEGA, DAMPING), END_S);
    let error = |count| {
        let (x, v) = end(count, true);
        (OMEGA * (x - place)).hypot(v - speed)
    };
    let printed = (error(400) / error(800)).log2();
    assert!((printed - 1.0).abs() < 0.1, "{printed}");

    let states = run(
        Scheme::CentralNewmark,
        (OMEGA, DAMPING),
        Steps::Equal.lengths(50),
    );
    let (x, v) = end(50, false);
    assert!((states[50].0 - x).abs() < 1e-13 && (states[50].1 - v).abs() < 1e-12);
}

/// Whether the motion is bounded after many steps that alternate in the given ratio.
fn is_stable(scheme: Scheme, (omega, c): (f64, f64), longest_s: f64, ratio: f64) -> bool {
    let steps = (0..6000).map(|k| {
        if k % 2 == 0 {
            longest_s
        } else {
            longest_s / ratio
        }
    });
    let states = run(scheme, (omega, c), steps.collect());
    let size = |&(x, v): &(f64, f64)| x.abs() + v.abs() / omega;
    let largest = states.iter().map(size).fold(0.0, f64::max);
    largest < 1e3 * size(&states[0])
}

/// The longest stable step times the frequency, to three digits.
fn measured_limit(scheme: Scheme, damping_ratio: f64, ratio: f64, at_most: f64) -> f64 {
    let (mut low, mut high) = (0.1, at_most);
    while high - low > 1e-3 {
        let middle = 0.5 * (low + high);
        if is_stable(scheme, (1.0, 2.0 * damping_ratio), middle, ratio) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[test]
fn without_damping_the_limits_are_where_theory_has_them() {
    for (scheme, theory) in [
        (Scheme::SymplecticEuler, 2.0),
        (Scheme::CentralDifference, 2.0),
        (Scheme::LeapfrogTrapezoid, 2.0),
        (Scheme::CentralNewmark, 2.0),
        (Scheme::ImprovedVariableStep, 2.0),
        (newmark(0.1, 0.5), 1.0 / 0.15_f64.sqrt()),
    ] {
        let found = measured_limit(scheme, 0.0, 1.0, 10.0);
        assert!((found - theory).abs() < 3e-3, "{scheme:?}: {found}");
        assert!((scheme.limit_s(1.0, 0.0) - theory).abs() < 1e-12);
    }
    // Nothing unstable to be found.
    for scheme in [
        Scheme::BackwardEuler,
        Scheme::Bdf2,
        Scheme::Trapezoidal,
        newmark(0.3025, 0.6),
    ] {
        assert!(measured_limit(scheme, 0.0, 1.0, 50.0) > 49.9, "{scheme:?}");
        assert_eq!(scheme.limit_s(1.0, 0.0), f64::INFINITY);
    }
}

/// Errata 46: that RK4 was stable says nothing about stiffness; its limit is `2√2/ω`.
#[test]
fn errata_46_rk4_has_a_limit() {
    let found = measured_limit(Scheme::Rk4, 0.0, 1.0, 10.0);
    assert!((found - 8.0_f64.sqrt()).abs() < 3e-3, "{found}");
    assert!((Scheme::Rk4.limit_s(1.0, 0.0) - 8.0_f64.sqrt()).abs() < 1e-12);
}

/// A limit is safe for whatever is slower or less damped, too.
#[test]
fn explicit_limits_hold_with_damping() {
    for scheme in [
        Scheme::SymplecticEuler,
        Scheme::CentralDifference,
        Scheme::Rk4,
    ] {
        for c in [0.05, 0.3, 0.7, 1.0, 1.9, 2.5, 6.0, 40.0] {
            let limit = scheme.limit_s(1.0, c);
            for (omega_share, c_share) in [(1.0, 1.0), (1.0, 0.5), (0.9, 1.0), (0.3, 0.8)] {
                let motion = (omega_share, c_share * c);
                assert!(
                    is_stable(scheme, motion, 0.999 * limit, 1.0),
                    "{scheme:?}, c = {c}, {motion:?}"
                );
            }
            // Nor is it much too careful: something within these bounds is unstable soon after.
            let motions = [(1.0, c), (1.0, 0.5 * c), (1.0, 0.0), (0.01, c)];
            assert!(
                motions
                    .into_iter()
                    .any(|motion| !is_stable(scheme, motion, 1.2 * limit, 1.0)),
                "{scheme:?}, c = {c}"
            );
        }
    }
}

/// The mixed schemes' limits as measured in the study of them: damping never lowers them, and
/// raises that of the third.
#[test]
fn the_mixed_schemes_bear_any_damping() {
    for scheme in [Scheme::LeapfrogTrapezoid, Scheme::CentralNewmark] {
        for damping_ratio in [0.1, 1.0, 10.0] {
            let found = measured_limit(scheme, damping_ratio, 1.0, 12.0);
            assert!((found - 2.0).abs() < 0.02, "{scheme:?}: {found}");
        }
    }
    for (damping_ratio, expected) in [(0.1, 2.2), (1.0, 4.8), (10.0, 12.0)] {
        let found = measured_limit(Scheme::ImprovedVariableStep, damping_ratio, 1.0, 12.0);
        assert!((found - expected).abs() < 0.1, "{damping_ratio}: {found}");
    }
    for scheme in MIXED {
        // Beyond the first unstable steps there are stable ones again, so the first are looked for.
        let turns = (100..).map(|k| 0.01 * f64::from(k));
        let found = turns
            .into_iter()
            .find(|&turn| !is_stable(scheme, (1.0, 0.0), turn, 2.0));
        let found = found.unwrap();
        assert!((found - 1.63).abs() < 0.02, "{scheme:?}: {found}");
    }
}

/// Errata 35 and 37: with a damper alone and cΔt = 10, positions of the second and third scheme
/// move a sixth of the way, those of the first overshoot fourfold; the third would, too, were its
/// first line not implicit in the velocity it defines. All end velocities change sign: only the
/// positions are monotone.
#[test]
fn errata_35_and_37_only_positions_are_monotone_under_strong_damping() {
    for (scheme, expected) in [
        (Scheme::LeapfrogTrapezoid, -4.0),
        (Scheme::CentralNewmark, 1.0 / 6.0),
        (Scheme::ImprovedVariableStep, 1.0 / 6.0),
    ] {
        let states = run(scheme, (0.0, 10.0), vec![1.0]);
        let moved = (states[1].0 - START.0) / START.1;
        assert!((moved - expected).abs() < 1e-12, "{scheme:?}: {moved}");
        let kept = states[1].1 / START.1;
        assert!((kept + 2.0 / 3.0).abs() < 1e-12, "{scheme:?}: {kept}");
    }
}

/// Errata 52: the trapezoidal rule's matrix has `−¼Δt² K`. With the printed `−½Δt² K` an oscillator
/// would lose energy; with the right one it loses none, however long the step.
#[test]
fn errata_52_the_trapezoidal_rule_keeps_an_oscillators_energy() {
    for turn in [0.1, 1.0, 30.0] {
        let energy = |&(x, v): &(f64, f64)| 0.5 * (v * v + x * x);
        for scheme in [
            Scheme::Trapezoidal,
            Scheme::Newmark(Newmark::AVERAGE_ACCELERATION),
        ] {
            let states = run(scheme, (1.0, 0.0), vec![turn; 50]);
            for state in &states {
                let share = energy(state) / energy(&states[0]);
                assert!((share - 1.0).abs() < 1e-11, "{turn}: {share}");
            }
        }
        // One step by the printed matrix: (1 + ½h²) Δv = −h x − ½h² v.
        let (x, v) = START;
        let change = (-turn * x - 0.5 * turn * turn * v) / (1.0 + 0.5 * turn * turn);
        let printed = (x + turn * v + 0.5 * turn * change, v + change);
        assert!((energy(&printed) / energy(&START) - 1.0).abs() > 1e-4);
    }
}

#[test]
fn free_fall_is_exact_but_for_the_first_order_schemes() {
    use nalgebra::DMatrix;
    let law = support::Linear {
        constant: support::vector(&[-9.81 * 2.0]),
        stiffness: DMatrix::zeros(1, 1),
        damping: DMatrix::zeros(1, 1),
    };
    let (step_s, count) = (0.1, 20);
    let time = step_s * count as f64;
    let exact = 5.0 + 2.0 * time - 0.5 * 9.81 * time * time;
    for (scheme, late) in [
        (Scheme::Trapezoidal, 0.0),
        (newmark(0.3, 0.5), 0.0),
        (Scheme::SymplecticEuler, 0.5 * 9.81 * step_s * time),
        (Scheme::CentralDifference, 0.0),
        (Scheme::Rk4, 0.0),
        (Scheme::LeapfrogTrapezoid, 0.0),
        (Scheme::CentralNewmark, 0.0),
        (Scheme::ImprovedVariableStep, 0.0),
    ] {
        let mut system = support::Dense::new(law.clone(), vec![2.0]);
        let mut run = Run {
            system: &mut system,
            scheme,
            method: Method::Once,
        };
        let states = run.through(&[5.0], &[2.0], vec![step_s; count]);
        let (x, v) = &states[count];
        assert!((exact - x[0] - late).abs() < 1e-12, "{scheme:?}");
        assert!((v[0] - (2.0 - 9.81 * time)).abs() < 1e-12, "{scheme:?}");
    }
}

#[test]
fn members_of_newmarks_family_that_cannot_work_are_refused() {
    for beta in [0.0, -0.1, f64::NAN, f64::INFINITY] {
        let refused = Newmark::new(beta, 0.5);
        assert!(matches!(refused, Err(BadNewmark::Beta(_))), "{refused:?}");
    }
    for gamma in [0.49, 0.0, f64::NAN] {
        let refused = Newmark::new(0.25, gamma);
        assert!(matches!(refused, Err(BadNewmark::Gamma(_))), "{refused:?}");
    }
}
