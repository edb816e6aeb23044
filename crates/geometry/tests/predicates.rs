//! Orientation tests against rational determinants, at both ends of their range.

use glam::{DVec2, DVec3};
use num_rational::BigRational;
use proptest::prelude::*;
use toile_geometry::predicates::{
    MAX_MAGNITUDE, MIN_MAGNITUDE, Projection, Sign, orient2d, orient3d,
};

fn exact(x: f64) -> BigRational {
    BigRational::from_float(x).expect("finite")
}

fn sign(x: BigRational) -> Sign {
    let zero = exact(0.0);
    match x.cmp(&zero) {
        std::cmp::Ordering::Less => Sign::Negative,
        std::cmp::Ordering::Equal => Sign::Zero,
        std::cmp::Ordering::Greater => Sign::Positive,
    }
}

/// `(b−a) × (c−a) · (d−a)`
fn exact_orient3d(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> Sign {
    let [u, v, w] = [b, c, d].map(|p| [0, 1, 2].map(|k| exact(p[k]) - exact(a[k])));
    let minor = |i: usize, j: usize| &u[i] * &v[j] - &u[j] * &v[i];
    sign(minor(1, 2) * &w[0] + minor(2, 0) * &w[1] + minor(0, 1) * &w[2])
}

fn exact_orient2d(a: DVec2, b: DVec2, c: DVec2) -> Sign {
    let [u, v] = [b, c].map(|p| [0, 1].map(|k| exact(p[k]) - exact(a[k])));
    sign(&u[0] * &v[1] - &u[1] * &v[0])
}

/// Coordinates that invite trouble: the ends of the range, a hair inside them, and between.
fn coordinate() -> impl Strategy<Value = f64> {
    let size = prop::sample::select(vec![
        0.0,
        MIN_MAGNITUDE,
        MIN_MAGNITUDE.next_up(),
        3.0 * MIN_MAGNITUDE,
        1e-20,
        1.0,
        1.0_f64.next_up(),
        0.1,
        MAX_MAGNITUDE.next_down(),
        MAX_MAGNITUDE,
    ]);
    (size, any::<bool>()).prop_map(|(x, negative)| if negative { -x } else { x })
}

fn point() -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(coordinate()).prop_map(DVec3::from_array)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn orientations_are_exact_over_the_whole_range(
        a in point(), b in point(), c in point(), d in point(),
    ) {
        prop_assert_eq!(orient3d(a, b, c, d), exact_orient3d(a, b, c, d));
        let [p, q, r] = [a, b, c].map(|p| p.truncate());
        prop_assert_eq!(orient2d(p, q, r), exact_orient2d(p, q, r));
    }

    /// All four points a hair off the plane x + y + z = 1, all of them minute.
    #[test]
    fn smallest_points_near_a_plane(hair in prop::array::uniform12(0..4u64)) {
        let near = |k: usize| {
            let corner = DVec3::AXES[k % 3] * (MIN_MAGNITUDE * 3.0) + DVec3::splat(MIN_MAGNITUDE);
            let nudge = |i: usize| f64::from_bits(corner[i].to_bits() + hair[3 * k + i]);
            DVec3::new(nudge(0), nudge(1), nudge(2))
        };
        let [a, b, c, d] = [0, 1, 2, 3].map(near);
        prop_assert_eq!(orient3d(a, b, c, d), exact_orient3d(a, b, c, d));
    }
}

#[test]
fn positive_is_above_and_counter_clockwise() {
    let [o, x, y, z] = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    assert_eq!(orient3d(o, x, y, z), Sign::Positive);
    assert_eq!(orient3d(o, y, x, z), Sign::Negative);
    assert_eq!(orient3d(o, x, y, x + y), Sign::Zero);
    assert_eq!(orient2d(DVec2::ZERO, DVec2::X, DVec2::Y), Sign::Positive);
    for (projection, a, b) in [
        (Projection::AlongX, y, z),
        (Projection::AlongY, z, x),
        (Projection::AlongZ, x, y),
    ] {
        assert_eq!(Projection::of(o, a, b), Some(projection));
        assert_eq!(projection.turn(o, a, b), Sign::Positive);
    }
    assert_eq!(Projection::of(o, x + y, 3.0 * (x + y)), None);
}
