//! Continuous collision detection against exact arithmetic, and against distances at many moments.

use glam::DVec3;
use proptest::prelude::*;
use toile_geometry::ccd;
use toile_geometry::ccd::exact::Moment;

type Corners = [DVec3; 4];
type Fast = fn(&Corners, &Corners, f64) -> Option<f64>;
type Exact = fn(&Corners, &Corners) -> Option<Moment>;

const KINDS: [(Fast, Exact); 2] = [
    (ccd::point_triangle, ccd::exact::point_triangle),
    (ccd::edge_edge, ccd::exact::edge_edge),
];

fn corners(rows: [[f64; 3]; 4]) -> Corners {
    rows.map(DVec3::from_array)
}

/// Whole numbers: all the special positions, again and again.
fn on_a_lattice(reach: i32) -> impl Strategy<Value = Corners> {
    prop::array::uniform4(prop::array::uniform3(-reach..=reach))
        .prop_map(|rows| corners(rows.map(|row| row.map(f64::from))))
}

fn anywhere() -> impl Strategy<Value = Corners> {
    prop::array::uniform4(prop::array::uniform3(-1.0..1.0_f64)).prop_map(corners)
}

/// `x` moved by `steps` representable numbers.
fn nudged(x: f64, steps: i32) -> f64 {
    let step = |x: f64| {
        if steps > 0 {
            x.next_up()
        } else {
            x.next_down()
        }
    };
    (0..steps.abs()).fold(x, |x, _| step(x))
}

/// Rotates a lattice and moves it away from the origin, which leaves special positions within
/// rounding.
fn disturbed(x: Corners, angle: f64, shift: f64) -> Corners {
    let turn = glam::DQuat::from_euler(glam::EulerRot::XYZ, angle, 0.7 * angle, 0.3);
    x.map(|p| turn * p + DVec3::splat(shift))
}

/// Not missed, not later than the exact time, and near it; nothing where there is nothing.
fn judge(start: Corners, end: Corners) -> Result<usize, TestCaseError> {
    let mut contacts = 0;
    for (kind, (fast, exact)) in KINDS.into_iter().enumerate() {
        let (answer, truth) = (fast(&start, &end, 0.0), exact(&start, &end));
        let Some(truth) = truth else {
            prop_assert_eq!(answer, None, "kind {} {:?} {:?}", kind, start, end);
            continue;
        };
        contacts += 1;
        prop_assert!(answer.is_some(), "missed: {kind} {start:?} {end:?}");
        let time = answer.unwrap_or(f64::NAN);
        prop_assert!(
            truth.is_no_earlier_than(time) && truth.rounded() - time < 1e-6,
            "{time} for {}: {kind} {start:?} {end:?}",
            truth.rounded()
        );
    }
    Ok(contacts)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn special_positions(start in on_a_lattice(2), end in on_a_lattice(2)) {
        judge(start, end)?;
    }

    #[test]
    fn special_positions_within_rounding(
        start in on_a_lattice(2), end in on_a_lattice(2), angle in 0.0..3.0_f64, shift in -9.0..9.0_f64
    ) {
        judge(disturbed(start, angle, shift), disturbed(end, angle, shift))?;
    }

    #[test]
    fn special_positions_nudged(
        start in on_a_lattice(2), end in on_a_lattice(2), corner in 0..4_usize, steps in -3..=3_i32
    ) {
        let mut start = start;
        start[corner] = start[corner].map(|x| nudged(x, steps));
        judge(start, end)?;
    }

    #[test]
    fn any_position(start in anywhere(), end in anywhere()) {
        judge(start, end)?;
    }

    #[test]
    fn motion_in_one_plane(start in on_a_lattice(3), end in on_a_lattice(3), angle in 0.0..3.0_f64) {
        let flat = |x: Corners| x.map(|p| DVec3::new(p.x, p.y, 0.0));
        judge(flat(start), flat(end))?;
        let tilted = |x: Corners| disturbed(flat(x), angle, 0.0);
        judge(tilted(start), tilted(end))?;
    }

    #[test]
    fn little_motion_far_from_the_origin(
        start in anywhere(), motion in anywhere(), size in 1e-6..1e-2_f64, shift in -1e3..1e3_f64
    ) {
        let start = start.map(|p| p * 0.01 + shift);
        let end = std::array::from_fn(|i| start[i] + motion[i] * size);
        judge(start, end)?;
    }

    /// Powers of two change nothing but the unit.
    #[test]
    fn any_scale(start in anywhere(), end in anywhere(), exponent in -900..900_i32) {
        for (fast, _) in KINDS {
            let scaled = |x: Corners| x.map(|p| p * 2.0_f64.powi(exponent));
            let (here, there) = (fast(&start, &end, 0.0), fast(&scaled(start), &scaled(end), 0.0));
            prop_assert_eq!(here.is_some(), there.is_some());
            if let (Some(here), Some(there)) = (here, there) {
                prop_assert!((here - there).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn separations_are_kept(
        start in anywhere(), end in anywhere(), separation in 1e-3..0.5_f64, angle in 0.0..0.5_f64
    ) {
        // Nearby, and half of the motion in common, so that answers of all kinds occur.
        let end = disturbed(std::array::from_fn(|i| start[i].lerp(end[i], 0.3)), angle, 0.2);
        for (kind, (fast, _)) in KINDS.into_iter().enumerate() {
            let distance = |t: f64| distance(kind, std::array::from_fn(|i| start[i].lerp(end[i], t)));
            let found = fast(&start, &end, separation);
            let free_until = found.unwrap_or(1.0);
            for k in 0..=200 {
                let t = f64::from(k) / 200.0;
                prop_assert!(t >= free_until || distance(t) > separation - 1e-12);
            }
            if let Some(t) = found {
                // The distance where it stopped is the separation, to within what is approached in
                // the shortest piece of time.
                prop_assert!(distance(t) < separation + 1e-8, "{} {}", distance(t), separation);
            }
        }
    }
}

/// Distance of a point and a triangle or of two edges, from all pairs of features.
fn distance(kind: usize, [a, b, c, d]: Corners) -> f64 {
    let to_edge = |p: DVec3, q: DVec3, r: DVec3| {
        let s = (p - q).dot(r - q) / (r - q).length_squared();
        p.distance(q.lerp(r, s.clamp(0.0, 1.0)))
    };
    if kind == 0 {
        let normal = (c - b).cross(d - b);
        let above = [(b, c), (c, d), (d, b)]
            .iter()
            .all(|(p, q)| (*q - *p).cross(a - *p).dot(normal) >= 0.0);
        let plane = if above {
            (a - b).dot(normal).abs() / normal.length()
        } else {
            f64::INFINITY
        };
        plane
            .min(to_edge(a, b, c))
            .min(to_edge(a, c, d))
            .min(to_edge(a, d, b))
    } else {
        let normal = (b - a).cross(d - c);
        // Seen along the normal the edges cross if each has the other's ends on both sides.
        let sides = |p: DVec3, q: DVec3, x: DVec3| (q - p).cross(x - p).dot(normal);
        let cross =
            sides(a, b, c) * sides(a, b, d) <= 0.0 && sides(c, d, a) * sides(c, d, b) <= 0.0;
        let lines = if cross {
            (c - a).dot(normal).abs() / normal.length()
        } else {
            f64::INFINITY
        };
        lines
            .min(to_edge(a, c, d))
            .min(to_edge(b, c, d))
            .min(to_edge(c, a, b))
            .min(to_edge(d, a, b))
    }
}

/// Every motion of a point with small whole coordinates over a fixed triangle, and of an edge over an
/// edge; the sweep must meet contacts and misses alike.
#[test]
fn all_motions_over_a_small_lattice() {
    let lattice: Vec<DVec3> = (0..27)
        .map(|i| DVec3::new(f64::from(i % 3), f64::from(i / 3 % 3), f64::from(i / 9)))
        .collect();
    let (mut contacts, mut cases) = (0, 0);
    for from in &lattice {
        for to in &lattice {
            let fixed = [
                DVec3::X,
                DVec3::new(2.0, 1.0, 1.0),
                DVec3::new(0.0, 2.0, 2.0),
            ];
            let at = |p: DVec3| [p, fixed[0], fixed[1], fixed[2]];
            contacts += judge(at(*from), at(*to)).unwrap();
            cases += 2;
        }
    }
    assert!(
        contacts > 100 && cases - contacts > 100,
        "{contacts} of {cases}"
    );
}

#[test]
fn known_answers() {
    let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let with = |p: [f64; 3]| [DVec3::from_array(p), triangle[0], triangle[1], triangle[2]];
    let fall = |from: [f64; 3], to: [f64; 3]| ccd::point_triangle(&with(from), &with(to), 0.0);
    // Through a corner, along a side, from a touch, to a touch, past it, and short of it.
    assert!((fall([0.0, 0.0, 1.0], [0.0, 0.0, -3.0]).unwrap() - 0.25).abs() < 1e-12);
    assert!((fall([-1.0, 0.0, 0.0], [3.0, 0.0, 0.0]).unwrap() - 0.25).abs() < 1e-12);
    assert_eq!(fall([0.2, 0.2, 0.0], [0.2, 0.2, 1.0]), Some(0.0));
    assert!(fall([0.2, 0.2, 1.0], [0.2, 0.2, 0.0]).unwrap() > 1.0 - 1e-12);
    assert_eq!(fall([0.6, 0.6, 1.0], [0.6, 0.6, -1.0]), None);
    assert_eq!(fall([0.2, 0.2, 1.0], [0.2, 0.2, 1e-300]), None);

    // Parallel edges that slide into each other on one line, and side by side.
    let edges = |x: f64, y: f64| {
        [
            DVec3::ZERO,
            DVec3::X,
            DVec3::new(x, y, 0.0),
            DVec3::new(x + 1.0, y, 0.0),
        ]
    };
    let slide = |from: Corners, to: Corners| ccd::edge_edge(&from, &to, 0.0);
    assert!((slide(edges(2.0, 0.0), edges(0.0, 0.0)).unwrap() - 0.5).abs() < 1e-12);
    assert!((slide(edges(0.5, 1.0), edges(0.5, -1.0)).unwrap() - 0.5).abs() < 1e-12);
    assert_eq!(slide(edges(2.0, 0.5), edges(-2.0, 0.5)), None);
    // Points instead of edges, that meet and that miss.
    let dots = |x: f64| [DVec3::ZERO, DVec3::ZERO, DVec3::splat(x), DVec3::splat(x)];
    assert!((slide(dots(1.0), dots(-1.0)).unwrap() - 0.5).abs() < 1e-12);
    assert_eq!(slide(dots(2.0), dots(1.0)), None);
}

#[test]
fn what_is_at_rest_in_contact_is_in_contact_at_once() {
    let x = corners([[0.0; 3]; 4]);
    for (fast, _) in KINDS {
        assert_eq!(fast(&x, &x, 0.0), Some(0.0));
        assert_eq!(fast(&x, &x, 0.1), Some(0.0));
    }
}
