//! The angle between two triangles: its value, its gradient, and what the gradient leaves alone.

use glam::{DQuat, DVec3};
use proptest::prelude::*;
use std::f64::consts::PI;
use toile_geometry::dihedral::Hinge;

/// Two triangles folded by `angle` about the edge from the origin to `edge_m` along z.
fn folded(angle: f64, edge_m: f64, heights_m: [f64; 2], feet_m: [f64; 2]) -> Hinge {
    let fold = DQuat::from_rotation_z(angle);
    Hinge {
        opposite: [
            DVec3::new(heights_m[0], 0.0, feet_m[0]),
            fold * DVec3::new(-heights_m[1], 0.0, feet_m[1]),
        ],
        edge: [DVec3::ZERO, DVec3::new(0.0, 0.0, edge_m)],
    }
}

fn vertices(hinge: &Hinge) -> [DVec3; 4] {
    [
        hinge.opposite[0],
        hinge.opposite[1],
        hinge.edge[0],
        hinge.edge[1],
    ]
}

fn of(x: [DVec3; 4]) -> Hinge {
    Hinge {
        opposite: [x[0], x[1]],
        edge: [x[2], x[3]],
    }
}

/// Folds of any angle, shape and place, short of folding shut.
fn hinges() -> impl Strategy<Value = (f64, Hinge)> {
    let angle = (-0.95 * PI)..(0.95 * PI);
    let height = || 0.2..2.0_f64;
    let foot = || -1.0..2.0_f64;
    let turn = prop::array::uniform4(-1.0..1.0_f64)
        .prop_filter("a rotation", |q| q.iter().map(|c| c * c).sum::<f64>() > 0.1);
    let shift = prop::array::uniform3(-3.0..3.0_f64);
    (
        angle,
        0.3..2.0_f64,
        height(),
        height(),
        foot(),
        foot(),
        turn,
        shift,
    )
        .prop_map(|(angle, edge_m, h1, h2, f1, f2, turn, shift)| {
            let hinge = folded(angle, edge_m, [h1, h2], [f1, f2]);
            let turn = DQuat::from_array(turn).normalize();
            (
                angle,
                of(vertices(&hinge).map(|x| turn * x + DVec3::from(shift))),
            )
        })
}

#[test]
fn a_flat_pair_has_angle_zero_and_a_shut_one_half_a_turn() {
    let flat = folded(0.0, 1.0, [0.7, 0.4], [0.2, 0.9]);
    assert_eq!(flat.angle(), Some(0.0));
    let shut = folded(PI - 1e-9, 1.0, [0.7, 0.4], [0.2, 0.9]);
    assert!((shut.angle().unwrap().abs() - PI).abs() < 1e-8);
}

/// Near flat the angle keeps its digits, which an arc cosine would lose.
#[test]
fn tiny_angles_keep_their_digits() {
    let turned = folded(1e-9, 1.0, [0.7, 0.4], [0.2, 0.9]).angle().unwrap();
    assert!((turned.abs() / 1e-9 - 1.0).abs() < 1e-6, "{turned:e}");
}

proptest! {
    /// The angle is the fold, up to one sign for all of them, and turns with the orientation.
    #[test]
    fn the_angle_is_the_fold((angle, hinge) in hinges()) {
        let sign = folded(1.0, 1.0, [1.0; 2], [0.5; 2]).angle().unwrap().signum();
        let measured = hinge.angle().unwrap();
        prop_assert!((measured - sign * angle).abs() < 1e-11, "{measured} {angle}");
        let [x1, x2, x3, x4] = vertices(&hinge);
        let from_behind = of([x2, x1, x3, x4]).angle().unwrap();
        prop_assert!((from_behind + measured).abs() < 1e-11);
        let other_way = of([x2, x1, x4, x3]).angle().unwrap();
        prop_assert!((other_way - measured).abs() < 1e-11);
    }

    /// Property 8: the source's u is minus the gradient. With the opposite sign the two would
    /// differ by twice their size.
    #[test]
    fn the_gradient_is_the_derivative_of_the_angle((_, hinge) in hinges()) {
        let gradient = hinge.angle_gradient().unwrap();
        let x = vertices(&hinge);
        let size = gradient.iter().map(|g| g.length()).fold(0.0, f64::max);
        prop_assert!(size > 0.1);
        let h = 1e-4;
        for vertex in 0..4 {
            for axis in 0..3 {
                let at = |shift: f64| {
                    let mut moved = x;
                    moved[vertex][axis] += shift;
                    of(moved).angle().unwrap()
                };
                // A fold near ±π may jump by a whole turn between two samples.
                let samples = [-2.0, -1.0, 1.0, 2.0].map(|s| at(s * h));
                prop_assume!(samples.iter().all(|s| (s - samples[0]).abs() < 1.0));
                let [a, b, c, d] = samples;
                let measured = (8.0 * (c - b) - (d - a)) / (12.0 * h);
                let error = (measured - gradient[vertex][axis]).abs() / size;
                prop_assert!(error < 1e-8, "vertex {vertex}: {error:e}");
            }
        }
    }

    #[test]
    fn the_gradient_moves_neither_place_nor_direction((_, hinge) in hinges()) {
        let gradient = hinge.angle_gradient().unwrap();
        let size = gradient.iter().map(|g| g.length()).fold(0.0, f64::max);
        let sum: DVec3 = gradient.iter().sum();
        let turn: DVec3 = vertices(&hinge).iter().zip(&gradient).map(|(x, g)| x.cross(*g)).sum();
        prop_assert!(sum.length() < 1e-13 * size, "{sum}");
        prop_assert!(turn.length() < 1e-12 * size, "{turn}");
    }
}

#[test]
fn pairs_without_extent_have_no_angle() {
    let good = folded(0.4, 1.0, [0.7, 0.4], [0.2, 0.9]);
    let [x1, x2, x3, x4] = vertices(&good);
    let middle = 0.5 * (x3 + x4);
    for bad in [
        of([x1, x2, x3, x3]),
        of([middle, x2, x3, x4]),
        of([x1, middle, x3, x4]),
        of([x1, x2, x3, DVec3::NAN]),
    ] {
        assert_eq!((bad.angle(), bad.angle_gradient()), (None, None), "{bad:?}");
    }
    assert!(good.angle().is_some());
}
