//! The buckled arc and the bending link made of it.

mod support;

use proptest::prelude::*;
use std::f64::consts::PI;
use support::lattice::inverse_sinc;
use toile_sim::forces::buckling_link::{GammaTooSmall, MIN_GAMMA};
use toile_sim::forces::{AxialLaw, BucklingLink, arc};

/// `(ε, a², f̂, f̂')`, computed with 60 digits.
#[allow(clippy::excessive_precision)]
const TABLE: [(f64, f64, f64, f64); 12] = [
    (
        1e-12,
        6.0000000000017998793e-12,
        -12.0000000000072,
        7.2000000000098742857,
    ),
    (
        1e-06,
        6.0000018000008225861e-6,
        -12.000007200004937146,
        7.2000098742964114392,
    ),
    (
        0.001,
        0.0060018008233031222987,
        -12.007204940711222071,
        7.2098849934617185359,
    ),
    (
        0.01,
        0.060180827340940093516,
        -12.072497306688199136,
        7.2998232670456253024,
    ),
    (
        0.05,
        0.30460572832334129442,
        -12.372805776184381748,
        7.7218470570374168549,
    ),
    (
        0.1,
        0.61887025584878567117,
        -12.773223695382405127,
        8.3060969958029078373,
    ),
    (
        0.25,
        1.6274056660234401538,
        -14.177051787626815275,
        10.553381542231561451,
    ),
    (
        0.5,
        3.59289851635868867,
        -17.547251317025056231,
        17.280965951500353056,
    ),
    (
        0.75,
        6.1235302765895839484,
        -23.650478310107871103,
        34.752691720042083752,
    ),
    (
        0.9,
        8.1358542828351381069,
        -30.746067989336465515,
        64.816172238749542606,
    ),
    (
        0.99,
        9.6751032965089623997,
        -38.335606655004447685,
        110.28330311773880057,
    ),
    (
        0.999999,
        9.8695846619101646138,
        -39.478299169536304992,
        118.43438944077757885,
    ),
];

fn assert_relative(value: f64, expected: f64, within: f64, what: &str) {
    let error = (value / expected - 1.0).abs();
    assert!(error <= within, "{what}: {value} for {expected}, {error:e}");
}

#[test]
fn agrees_with_sixty_digit_arithmetic() {
    for (e, b, force, slope) in TABLE {
        let arc = arc::at(e);
        assert_relative(arc.angle_squared, b, 2e-15, &format!("a² at {e}"));
        assert_relative(arc.force, force, 4e-15, &format!("force at {e}"));
        assert_relative(arc.slope, slope, 1e-14, &format!("slope at {e}"));
    }
}

/// At the onset of buckling the load is 12, the arc's, not π², the true column's.
#[test]
fn errata_07_limits_are_those_of_the_circular_arc() {
    let straight = arc::at(0.0);
    assert_eq!(straight.angle_squared, 0.0);
    assert_relative(straight.force, -12.0, 1e-15, "force");
    assert_relative(straight.slope, 7.2, 1e-15, "slope");
    let closed = arc::at(1.0);
    assert_relative(closed.angle_squared, PI * PI, 1e-14, "a²");
    assert_relative(closed.force, -4.0 * PI * PI, 1e-14, "force");
    assert_relative(closed.slope, 12.0 * PI * PI, 1e-14, "slope");

    let (k_b, length_m) = (1.5e-7, 0.04);
    let pure = BucklingLink::new(k_b, length_m, f64::INFINITY).unwrap();
    let onset = pure.respond(length_m * (1.0 - 1e-12)).tension_n;
    assert_relative(onset, -12.0 * k_b / length_m.powi(2), 1e-9, "onset");
    assert!((onset / (-PI * PI * k_b / length_m.powi(2)) - 1.216).abs() < 1e-3);
}

#[test]
fn compressions_out_of_range_are_clamped() {
    assert_eq!(arc::at(-0.1), arc::at(0.0));
    assert_eq!(arc::at(1.5), arc::at(1.0));
}

#[test]
fn follows_its_taylor_series() {
    for e in [1e-4, 1e-3, 1e-2_f64] {
        let powers: [f64; 6] = std::array::from_fn(|k| e.powi(k as i32));
        let sum = |c: &[f64]| c.iter().zip(powers).map(|(c, p)| c * p).sum::<f64>();
        let force = sum(&[
            -12.0,
            -36.0 / 5.0,
            -864.0 / 175.0,
            -624.0 / 175.0,
            -178_452.0 / 67_375.0,
            -6_264_756.0 / 3_128_125.0,
        ]);
        let slope = sum(&[
            36.0 / 5.0,
            1728.0 / 175.0,
            1872.0 / 175.0,
            713_808.0 / 67_375.0,
        ]);
        let b = e * sum(&[6.0, 1.8, 144.0 / 175.0, 78.0 / 175.0, 89_226.0 / 336_875.0]);
        let arc = arc::at(e);
        assert_relative(arc.force, force, 1e-14 + 0.2 * e.powi(6), "force");
        assert_relative(arc.slope, slope, 1e-14 + 2.0 * e.powi(4), "slope");
        assert_relative(arc.angle_squared, b, 1e-14 + 0.1 * e.powi(5), "a²");
    }
}

proptest! {
    /// Force and stiffness are finite and grow with compression, all the way (errata 10); only
    /// the force over the length, which is left out of the matrix, does not stay finite.
    #[test]
    fn errata_10_force_and_slope_are_finite_positive_and_monotone(
        e in 0.0..1.0_f64,
        more in 1e-6..1.0_f64,
    ) {
        let (less, more) = (arc::at(e), arc::at((e + more).min(1.0)));
        prop_assume!(e < 1.0 - 1e-5);
        prop_assert!(-4.0 * PI * PI - 1e-12 <= more.force && more.force < less.force);
        prop_assert!(less.force <= -12.0 + 1e-14);
        prop_assert!(7.2 - 1e-13 <= less.slope && less.slope < more.slope);
        prop_assert!(more.slope <= 12.0 * PI * PI + 1e-11);
    }

    /// The angle solves the unnormalised `sin a / a = 1 − ε`, not `sin πa / πa` (errata 17).
    #[test]
    fn errata_17_the_angle_is_that_of_the_unnormalised_sinc(e in 1e-3..1.0_f64) {
        let arc = arc::at(e);
        let a = inverse_sinc(1.0 - e);
        prop_assert!((arc.angle_squared.sqrt() - a).abs() < 1e-12);
        let d = a.cos() - a.sin() / a;
        prop_assert!((arc.force / (4.0 * a * a / d) - 1.0).abs() < 1e-9);
        prop_assert!((arc.slope / (4.0 * a * a * (3.0 * d + a * a.sin()) / d.powi(3)) - 1.0).abs() < 1e-6);
    }

    /// Energy and force are continuous where the linear branch meets the arc, and the force is
    /// the energy's derivative on both sides.
    #[test]
    fn the_link_is_smooth_across_its_switch(log_gamma in 1.61..6.0_f64, length_m in 0.01..0.2_f64) {
        let k_b = 2e-7;
        let c_b = 10.0_f64.powf(log_gamma) * k_b / length_m.powi(3);
        let link = BucklingLink::new(k_b, length_m, c_b).unwrap();
        let switch = link.crossover();
        prop_assert!(switch > 0.0 && switch < 0.45);
        let at = |e: f64| link.respond(length_m * (1.0 - e));
        let (below, above) = (at(switch * (1.0 - 1e-8)), at(switch * (1.0 + 1e-8)));
        prop_assert!((below.slope_n_per_m - c_b).abs() < 1e-12 * c_b);
        prop_assert!(above.slope_n_per_m < c_b);
        prop_assert!(below.energy_j > 0.0);
        prop_assert!((above.energy_j / below.energy_j - 1.0).abs() < 1e-7);
        prop_assert!((above.tension_n / below.tension_n - 1.0).abs() < 1e-7);
        for (e, h) in [(0.5 * switch, 0.1 * switch), (0.5 + 0.5 * switch, 1e-4)] {
            let force = (at(e - h).energy_j - at(e + h).energy_j) / (2.0 * h * length_m);
            let response = at(e);
            prop_assert!((force / response.tension_n - 1.0).abs() < 1e-6);
            let slope = (at(e - h).tension_n - at(e + h).tension_n) / (2.0 * h * length_m);
            prop_assert!((slope / response.slope_n_per_m - 1.0).abs() < 1e-5);
        }
    }
}

/// `f/r` grows without bound as the ends meet while `f` does not.
#[test]
fn errata_10_the_dropped_term_is_unbounded() {
    let link = BucklingLink::new(1.5e-7, 0.04, f64::INFINITY).unwrap();
    let limit = -4.0 * PI * PI * 1.5e-7 / 0.04_f64.powi(2);
    let mut before = 0.0;
    for length_m in [1e-4, 1e-6, 1e-9] {
        let response = link.respond(length_m);
        assert!(response.tension_n.is_finite() && response.tension_n >= limit * (1.0 + 1e-12));
        assert!(response.slope_n_per_m.is_finite());
        let dropped = (response.tension_n / length_m).abs();
        assert!(dropped > 50.0 * before);
        before = dropped;
    }
    assert_relative(link.respond(0.0).tension_n, limit, 1e-14, "closed");
}

#[test]
fn crossovers_are_where_they_belong() {
    let table = [
        (40.0, 0.3998, 1e-4),
        (50.0, 0.2930, 1e-4),
        (100.0, 0.1303, 1e-4),
        (500.0, 0.02436, 1e-5),
        (1e3, 0.012_088, 1e-6),
        (1e4, 0.001_200_87, 1e-8),
    ];
    for (gamma, expected, within) in table {
        let length_m: f64 = 0.04;
        let link = BucklingLink::new(1e-6, length_m, gamma * 1e-6 / length_m.powi(3)).unwrap();
        let switch = link.crossover();
        assert!((switch - expected).abs() < within, "γ = {gamma}: {switch}");
        let residual = gamma * switch + arc::at(switch).force;
        assert!(residual.abs() < 1e-11 * gamma, "γ = {gamma}: {residual:e}");
    }
}

/// The group is `c_b L³/k_b`: with `L²` the threshold would move with the size of the link.
#[test]
fn errata_08_the_threshold_scales_with_the_cube_of_the_length() {
    let k_b = 1.5e-7;
    for length_m in [0.01, 0.04, 1.0, 3.0_f64] {
        let least = MIN_GAMMA * k_b / length_m.powi(3);
        assert!(BucklingLink::new(k_b, length_m, 1.001 * least).is_ok());
        let Err(GammaTooSmall { gamma }) = BucklingLink::new(k_b, length_m, 0.9 * least) else {
            panic!("γ = 36 passed at L = {length_m}");
        };
        assert!((gamma - 36.0).abs() < 1e-12);
    }
    assert!(BucklingLink::new(k_b, 0.04, f64::NAN).is_err());
}

/// Why 40: between 31.4712 and 4π² the curves meet twice, below they never do.
#[test]
fn errata_08_below_the_least_gamma_the_arc_is_lost_or_met_twice() {
    let crossings = |gamma: f64| {
        let gap = |k: i32| gamma * f64::from(k) / 1e5 + arc::at(f64::from(k) / 1e5).force;
        (0..100_000).filter(|&k| gap(k) * gap(k + 1) < 0.0).count()
    };
    assert_eq!(crossings(31.45), 0);
    assert_eq!(crossings(31.49), 2);
    assert_eq!(crossings(39.4), 2);
    assert_eq!(crossings(39.6), 1);
    assert_eq!(crossings(MIN_GAMMA), 1);
}
