//! The exact triangle test against rational arithmetic.

mod oracle;

use glam::DVec3;
use num_rational::{BigRational, Ratio};
use oracle::judge;
use proptest::prelude::*;
use std::collections::HashMap;
use toile_geometry::Meeting;
use toile_geometry::predicates::MIN_MAGNITUDE;
use toile_geometry::triangle_pair::{Shared, Triangle};

type Corners = [DVec3; 3];

/// What the first `shared` corners being in common means for two triangles.
fn leading(shared: usize) -> Shared {
    match shared {
        0 => Shared::Nothing,
        1 => Shared::Corner { a: 0, b: 0 },
        2 => Shared::Edge { a: 2, b: 2 },
        _ => Shared::All,
    }
}

fn meets(a: Corners, b: Corners, shared: usize) -> Option<Meeting> {
    Triangle::new(a).meets(&Triangle::new(b), leading(shared))
}

/// `b` with its first `shared` corners taken from `a`.
fn joined(a: Corners, mut b: Corners, shared: usize) -> Corners {
    b[..shared].copy_from_slice(&a[..shared]);
    b
}

fn small_corners(reach: i32) -> impl Strategy<Value = Corners> {
    let corner = move || {
        prop::array::uniform3(-reach..=reach).prop_map(|c| DVec3::from_array(c.map(f64::from)))
    };
    [corner(), corner(), corner()]
}

/// `x` moved by `steps` representable numbers, or, from zero, by something as small.
fn nudged(x: f64, steps: i32) -> f64 {
    if x == 0.0 {
        return f64::from(steps) * f64::EPSILON * f64::EPSILON;
    }
    (0..steps.abs()).fold(x, |x, _| {
        if steps > 0 {
            x.next_up()
        } else {
            x.next_down()
        }
    })
}

/// Every pair of triangles, degenerate ones too, with corners on the unit cube.
#[test]
fn all_triangles_of_a_cube() {
    let corner = |i: usize| DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64);
    let mut triangles = Vec::new();
    for i in 0..8 {
        for j in i..8 {
            triangles.extend((j..8).map(|k| [i, j, k].map(corner)));
        }
    }
    let mut seen = HashMap::new();
    for (n, &a) in triangles.iter().enumerate() {
        for &b in &triangles[n..] {
            let expected = judge::<Ratio<i64>>(a, b, 0);
            assert_eq!(meets(a, b, 0), expected, "{a:?} {b:?}");
            *seen.entry(expected).or_insert(0) += 1;
        }
    }
    // The sweep must have met every case often.
    use Meeting::{Coplanar, Crossing, Touching};
    for case in [None, Some(Crossing), Some(Touching), Some(Coplanar)] {
        assert!(seen[&case] > 50, "{seen:?}");
    }
}

/// A fixed proper triangle against every choice of the free corners on a small lattice.
#[test]
fn all_neighbours_of_a_triangle() {
    let lattice: Vec<DVec3> = (0..75)
        .map(|i| DVec3::new((i % 5) as f64, (i / 5 % 5) as f64, (i / 25) as f64 - 1.0))
        .collect();
    let a =
        [(1, 1, 0), (3, 1, 0), (1, 3, 0)].map(|(x, y, z)| DVec3::new(x as f64, y as f64, z as f64));
    let mut seen = HashMap::new();
    for (n, &p) in lattice.iter().enumerate() {
        let edge_pair = joined(a, [p; 3], 2);
        let expected = judge::<Ratio<i64>>(a, edge_pair, 2);
        assert_eq!(meets(a, edge_pair, 2), expected, "{edge_pair:?}");
        *seen.entry((2, expected)).or_insert(0) += 1;
        for &q in &lattice[n..] {
            let corner_pair = joined(a, [p, p, q], 1);
            let expected = judge::<Ratio<i64>>(a, corner_pair, 1);
            assert_eq!(meets(a, corner_pair, 1), expected, "{corner_pair:?}");
            *seen.entry((1, expected)).or_insert(0) += 1;
        }
    }
    use Meeting::{Coplanar, Crossing, Touching};
    for case in [None, Some(Crossing), Some(Touching), Some(Coplanar)] {
        assert!(seen[&(1, case)] > 20, "{seen:?}");
    }
    // Triangles with a common edge can only overlap in a common plane.
    assert!(seen[&(2, Some(Coplanar))] > 5, "{seen:?}");
    assert!(!seen.contains_key(&(2, Some(Crossing))), "{seen:?}");
    assert!(!seen.contains_key(&(2, Some(Touching))), "{seen:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn small_whole_coordinates(a in small_corners(2), b in small_corners(2)) {
        for shared in 0..=2 {
            let b = joined(a, b, shared);
            prop_assert_eq!(meets(a, b, shared), judge::<Ratio<i64>>(a, b, shared), "{}", shared);
        }
    }

    /// In one plane or on one line, tilted so that no coordinate plane is special.
    #[test]
    fn flat_configurations(
        axes in small_corners(2),
        weights in prop::array::uniform6((-2..=2, -2..=2)),
        on_a_line in any::<bool>(),
    ) {
        let [origin, u, v] = axes;
        let corner = |(s, t): (i32, i32)| {
            origin + f64::from(s) * u + if on_a_line { DVec3::ZERO } else { f64::from(t) * v }
        };
        let [a, b, c, d, e, f] = weights.map(corner);
        for shared in 0..=2 {
            let (a, b) = ([a, b, c], joined([a, b, c], [d, e, f], shared));
            prop_assert_eq!(meets(a, b, shared), judge::<Ratio<i64>>(a, b, shared), "{}", shared);
        }
    }

    /// The order of the triangles and of their corners does not matter.
    #[test]
    fn order_does_not_matter(
        a in small_corners(2),
        b in small_corners(2),
        shared in 0..=3usize,
        turns in (0..6usize, 0..6usize),
    ) {
        const ORDERS: [[usize; 3]; 6] =
            [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let b = joined(a, b, shared);
        let ids_b = [[3, 4, 5], [0, 4, 5], [0, 1, 5], [0, 1, 2]][shared];
        let (p, q) = (ORDERS[turns.0], ORDERS[turns.1]);
        let (turned_a, face_a) = (Triangle::new(p.map(|i| a[i])), p.map(|i| i as u32));
        let (turned_b, face_b) = (Triangle::new(q.map(|i| b[i])), q.map(|i| ids_b[i]));
        let expected = meets(a, b, shared);
        prop_assert_eq!(turned_a.meets(&turned_b, Shared::of(face_a, face_b)), expected);
        prop_assert_eq!(turned_b.meets(&turned_a, Shared::of(face_b, face_a)), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Degenerate configurations scaled to numbers that do not fit, then moved by single units
    /// in the last place: rounded arithmetic has no chance here.
    #[test]
    fn a_hair_off_degenerate(
        a in small_corners(2),
        b in small_corners(2),
        shared in 0..=2usize,
        scale in prop::sample::select(vec![0.1, 1.0 / 3.0, 1e-9, 1e9]),
        offset in prop::sample::select(vec![0.0, 0.7, 1e3]),
        hair in prop::array::uniform32(-1..=1i32),
    ) {
        let mut steps = hair.into_iter();
        let mut tilt = |p: DVec3| {
            let move_one = |x: f64| nudged(x * scale + offset, steps.next().unwrap_or(0));
            DVec3::from_array(p.to_array().map(move_one))
        };
        let (a, b) = (a.map(&mut tilt), b.map(&mut tilt));
        let b = joined(a, b, shared);
        prop_assert_eq!(meets(a, b, shared), judge::<BigRational>(a, b, shared));
    }
}

#[test]
fn one_unit_in_the_last_place_decides() {
    let a = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let above = |z: f64| {
        [
            DVec3::new(0.1, 0.1, z),
            DVec3::new(0.3, 0.1, 1.0),
            DVec3::new(0.1, 0.3, 1.0),
        ]
    };
    assert_eq!(meets(a, above(0.0), 0), Some(Meeting::Touching));
    assert_eq!(meets(a, above(MIN_MAGNITUDE), 0), None);
    assert_eq!(meets(a, above(-MIN_MAGNITUDE), 0), Some(Meeting::Crossing));
}

/// A triangle without area is a needle: it stands on the other one, or runs through it.
#[test]
fn needles_touch_or_cross() {
    let a = [DVec3::ZERO, 4.0 * DVec3::X, 4.0 * DVec3::Y];
    for (foot, expected) in [
        (-1.0, Some(Meeting::Crossing)),
        (0.0, Some(Meeting::Touching)),
        (1.0, None),
    ] {
        let needle = [foot, 2.0, 3.0].map(|z| DVec3::new(1.0, 1.0, z));
        assert_eq!(judge::<Ratio<i64>>(a, needle, 0), expected);
        assert_eq!(meets(a, needle, 0), expected);
        assert_eq!(meets(needle, a, 0), expected);
    }
}

#[test]
fn copies_in_the_same_place_touch() {
    let a = [DVec3::ZERO, DVec3::X, DVec3::Y];
    assert_eq!(meets(a, a, 0), Some(Meeting::Coplanar));
    assert_eq!(meets(a, a, 1), Some(Meeting::Coplanar));
    assert_eq!(meets(a, a, 2), Some(Meeting::Coplanar));
    assert_eq!(meets(a, a, 3), Some(Meeting::Duplicate));
}

#[test]
fn shared_corners_are_found_by_index() {
    assert_eq!(Shared::of([1, 2, 3], [4, 5, 6]), Shared::Nothing);
    assert_eq!(
        Shared::of([1, 2, 3], [4, 3, 6]),
        Shared::Corner { a: 2, b: 1 }
    );
    assert_eq!(
        Shared::of([1, 2, 3], [3, 5, 1]),
        Shared::Edge { a: 1, b: 1 }
    );
    assert_eq!(Shared::of([1, 2, 3], [3, 1, 2]), Shared::All);
}
