//! The shapes of colliders: distances against points of the surface itself, normals against finite
//! differences, and the places where neither is unique.

use glam::DVec3;
use proptest::prelude::*;
use std::f64::consts::{PI, TAU};
use toile_sim::colliders::{Shape, Surface};

const AXIS: DVec3 = DVec3::new(0.48, 0.6, 0.64);

fn capsule() -> Shape {
    Shape::Capsule {
        from: DVec3::new(-0.2, 0.1, 0.3),
        to: DVec3::new(0.3, 0.4, -0.1),
        radius_m: 0.15,
    }
}

fn cuboid() -> Shape {
    Shape::Cuboid {
        center: DVec3::new(0.1, -0.1, 0.05),
        size_m: DVec3::new(0.8, 0.5, 0.3),
        radius_m: 0.04,
    }
}

fn cylinder() -> Shape {
    let middle = DVec3::new(0.05, 0.1, -0.1);
    Shape::Cylinder {
        from: middle - 0.25 * AXIS,
        to: middle + 0.25 * AXIS,
        radius_m: 0.3,
        edge_radius_m: 0.05,
    }
}

fn torus() -> Shape {
    Shape::Torus {
        center: DVec3::new(0.02, 0.1, 0.0),
        axis: AXIS,
        ring_m: 0.4,
        tube_m: 0.12,
    }
}

fn union() -> Shape {
    let ball = |x: f64| Shape::Sphere {
        center: DVec3::new(x, 0.0, 0.1),
        radius_m: 0.2,
    };
    Shape::Union {
        blend_m: 0.15,
        of: vec![ball(-0.22), ball(0.22), capsule()],
    }
}

fn plain() -> [Shape; 4] {
    [capsule(), cuboid(), cylinder(), torus()]
}

/// Points all over the surface, made without its distance.
fn points(shape: &Shape, count: u32) -> Vec<DVec3> {
    let share = |i: u32| (f64::from(i) + 0.5) / f64::from(count);
    let pairs = (0..count).flat_map(move |i| (0..count).map(move |j| (share(i), share(j))));
    // Directions, evenly enough.
    let direction = |(s, t): (f64, f64)| {
        let (polar, turn) = (PI * s, TAU * t);
        let (sin, cos) = polar.sin_cos();
        DVec3::new(sin * turn.cos(), cos, sin * turn.sin())
    };
    match *shape {
        Shape::Capsule { from, to, radius_m } => {
            let axis = (to - from).normalize();
            let (u, v) = axis.any_orthonormal_pair();
            pairs
                .flat_map(move |(s, t)| {
                    let out = (TAU * t).cos() * u + (TAU * t).sin() * v;
                    let way = direction((s, t));
                    let end = if way.dot(axis) > 0.0 { to } else { from };
                    [from.lerp(to, s) + radius_m * out, end + radius_m * way]
                })
                .collect()
        }
        Shape::Cuboid {
            center,
            size_m,
            radius_m,
        } => {
            let core = 0.5 * size_m - radius_m;
            let mut all = Vec::new();
            // Flat sides.
            for axis in 0..3 {
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                for (s, t) in pairs.clone() {
                    for side in [-1.0, 1.0] {
                        let mut p = DVec3::ZERO;
                        p[axis] = side * 0.5 * size_m[axis];
                        p[u] = (2.0 * s - 1.0) * core[u];
                        p[v] = (2.0 * t - 1.0) * core[v];
                        all.push(center + p);
                    }
                }
            }
            // Corners, and edges as balls along them.
            for way in pairs.map(direction) {
                let corner = core * DVec3::ONE.copysign(way);
                all.push(center + corner + radius_m * way);
                for axis in 0..3 {
                    let mut across = way;
                    across[axis] = 0.0;
                    let across = across.normalize();
                    for k in -12..=12 {
                        let mut on_edge = corner;
                        on_edge[axis] = f64::from(k) / 12.0 * core[axis];
                        all.push(center + on_edge + radius_m * across);
                    }
                }
            }
            all
        }
        Shape::Cylinder {
            from,
            to,
            radius_m,
            edge_radius_m,
        } => {
            let axis = (to - from).normalize();
            let (middle, half) = (from.midpoint(to), 0.5 * from.distance(to));
            let (u, v) = axis.any_orthonormal_pair();
            let around = move |t: f64| (TAU * t).cos() * u + (TAU * t).sin() * v;
            let (wide, high) = (radius_m - edge_radius_m, half - edge_radius_m);
            pairs
                .flat_map(move |(s, t)| {
                    let out = around(t);
                    let (sin, cos) = (0.5 * PI * s).sin_cos();
                    [-1.0, 1.0].into_iter().flat_map(move |end| {
                        [
                            middle + s * wide * out + end * half * axis,
                            middle + radius_m * out + end * s * high * axis,
                            middle
                                + (wide + edge_radius_m * cos) * out
                                + end * (high + edge_radius_m * sin) * axis,
                        ]
                    })
                })
                .collect()
        }
        Shape::Torus {
            center,
            axis,
            ring_m,
            tube_m,
        } => {
            let (u, v) = axis.any_orthonormal_pair();
            pairs
                .map(|(s, t)| {
                    let out = (TAU * s).cos() * u + (TAU * s).sin() * v;
                    let (sin, cos) = (TAU * t).sin_cos();
                    center + (ring_m + tube_m * cos) * out + tube_m * sin * axis
                })
                .collect()
        }
        _ => unreachable!(),
    }
}

/// The gradient by central differences.
fn slope(shape: &Shape, p: DVec3) -> DVec3 {
    let step = 1e-6;
    let along = |axis: DVec3| {
        let ahead = shape.surface(p + step * axis).distance_m;
        (ahead - shape.surface(p - step * axis).distance_m) / (2.0 * step)
    };
    DVec3::new(along(DVec3::X), along(DVec3::Y), along(DVec3::Z))
}

fn place() -> impl Strategy<Value = DVec3> {
    [-0.8..0.8, -0.8..0.8, -0.8..0.8_f64].prop_map(DVec3::from)
}

#[test]
fn distances_are_those_to_the_surface() {
    let places: Vec<DVec3> = (0..90_u32)
        .map(|k| {
            // Near and far.
            let reach = [0.8, 0.4, 0.2][k as usize % 3];
            let k = f64::from(k);
            reach
                * DVec3::new(
                    (1.7 * k).sin(),
                    (2.3 * k + 1.0).sin(),
                    (3.1 * k + 2.0).sin(),
                )
        })
        .collect();
    for shape in plain() {
        let points = points(&shape, 140);
        assert!(points.len() > 3000);
        for p in &points {
            // All are on the surface.
            let off = shape.surface(*p).distance_m;
            assert!(off.abs() < 2e-6, "{shape:?}: {p} is off by {off}");
        }
        let (mut inside, mut outside) = (0, 0);
        for p in &places {
            let nearest = points.iter().map(|q| p.distance(*q));
            let nearest = nearest.fold(f64::INFINITY, f64::min);
            let found = shape.surface(*p).distance_m;
            // The nearest point may be 2 cm from the nearest of the sample, along a surface that
            // bends away from the place.
            let slack = (nearest * nearest + 4e-4 * (1.0 + nearest / 0.1)).sqrt() - nearest;
            assert!(found.abs() <= nearest + 1e-9, "{shape:?} at {p}");
            assert!(
                nearest <= found.abs() + slack,
                "{shape:?} at {p}: {found} for {nearest}"
            );
            *if found < 0.0 {
                &mut inside
            } else {
                &mut outside
            } += 1;
        }
        assert!(inside > 3 && outside > 20, "{inside} {outside}");
    }
}

#[test]
fn the_sign_says_inside_or_outside() {
    let is = |shape: &Shape, p: DVec3| shape.surface(p).distance_m < 0.0;
    let (box_, ring) = (cuboid(), torus());
    assert!(is(&box_, DVec3::new(0.1, -0.1, 0.05)));
    assert!(is(&box_, DVec3::new(0.49, 0.0, 0.1)));
    assert!(!is(&box_, DVec3::new(0.51, 0.0, 0.1)));
    // Its corner is rounded off.
    assert!(!is(&box_, DVec3::new(0.499, 0.149, 0.199)));
    // A ring has a hole.
    assert!(!is(&ring, DVec3::new(0.02, 0.1, 0.0)));
    let across = AXIS.any_orthonormal_vector();
    assert!(is(&ring, DVec3::new(0.02, 0.1, 0.0) + 0.4 * across));
    assert!(is(&cylinder(), DVec3::new(0.05, 0.1, -0.1) + 0.24 * AXIS));
    assert!(!is(&cylinder(), DVec3::new(0.05, 0.1, -0.1) + 0.26 * AXIS));
    assert!(is(&capsule(), DVec3::new(-0.2, 0.1, 0.3)));
    // Between its balls a union has a neck that none of them has.
    let neck = Shape::Union {
        blend_m: 0.15,
        of: [-0.22, 0.22]
            .map(|x| Shape::Sphere {
                center: DVec3::new(x, 0.0, 0.0),
                radius_m: 0.2,
            })
            .to_vec(),
    };
    assert!(is(&neck, DVec3::ZERO));
    let Shape::Union { of, .. } = &neck else {
        unreachable!()
    };
    assert!(!of.iter().any(|ball| is(ball, DVec3::ZERO)));
}

/// Where directions are all as good, one is taken, and it leads out.
#[test]
fn degenerate_places_have_unit_normals() {
    let sphere = Shape::Sphere {
        center: DVec3::ONE,
        radius_m: 0.1,
    };
    let point = Shape::Capsule {
        from: DVec3::ONE,
        to: DVec3::ONE,
        radius_m: 0.1,
    };
    let (Shape::Capsule { from, to, .. }, Shape::Torus { center, axis, .. }) = (capsule(), torus())
    else {
        unreachable!()
    };
    let on_circle = center + 0.4 * axis.any_orthonormal_vector();
    let middle = DVec3::new(0.05, 0.1, -0.1);
    let between = Shape::Union {
        blend_m: 1.0,
        of: vec![
            sphere.clone(),
            Shape::Sphere {
                center: -DVec3::ONE,
                radius_m: 0.1,
            },
        ],
    };
    for (shape, p) in [
        (sphere, DVec3::ONE),
        (point, DVec3::ONE),
        (capsule(), from),
        (capsule(), from.midpoint(to)),
        (cuboid(), DVec3::new(0.1, -0.1, 0.05)),
        (cylinder(), middle),
        (cylinder(), middle + 0.1 * AXIS),
        (cylinder(), middle + 0.4 * AXIS),
        (torus(), center),
        (torus(), center + 0.3 * axis),
        (torus(), on_circle),
        (between, DVec3::ZERO),
    ] {
        let Surface { distance_m, normal } = shape.surface(p);
        assert!(distance_m.is_finite());
        assert!(
            (normal.length() - 1.0).abs() < 1e-12,
            "{shape:?} at {p}: {normal}"
        );
    }
}

proptest! {
    #[test]
    fn normals_are_the_gradient(p in place()) {
        let mut smooth = 0;
        for shape in plain() {
            let normal = shape.surface(p).normal;
            prop_assert!((normal.length() - 1.0).abs() < 1e-12);
            let slope = slope(&shape, p);
            // On the ridges inside, where two sides are equally near, there is no gradient.
            smooth += u32::from((slope.length() - 1.0).abs() < 1e-6);
            if (slope.length() - 1.0).abs() < 1e-6 {
                prop_assert!(slope.distance(normal) < 1e-5, "{shape:?}: {slope} {normal}");
            }
        }
        // No place is on the ridges of them all.
        prop_assert!(smooth >= 3);
    }

    /// One move along the normal leads to the surface, from outside and from inside.
    #[test]
    fn the_way_out_is_the_distance_along_the_normal(p in place()) {
        for shape in plain() {
            let Surface { distance_m, normal } = shape.surface(p);
            let there = shape.surface(p - distance_m * normal).distance_m;
            prop_assert!(there.abs() < 1e-12, "{shape:?}: {there}");
        }
    }

    #[test]
    fn a_union_is_a_lower_bound_with_the_gradient_of_its_formula(p in place(), q in place()) {
        let shape = union();
        let Shape::Union { blend_m, of } = &shape else { unreachable!() };
        let here = shape.surface(p);
        let nearest = of.iter().map(|s| s.surface(p).distance_m).fold(f64::INFINITY, f64::min);
        prop_assert!(here.distance_m <= nearest);
        // Every join takes at most a quarter of the blend.
        prop_assert!(here.distance_m >= nearest - 0.5 * blend_m);
        // A slope of at most 1 makes it a bound of the distance to where it vanishes.
        let there = shape.surface(q).distance_m;
        prop_assert!((here.distance_m - there).abs() <= p.distance(q) + 1e-12);
        let slope = slope(&shape, p);
        prop_assert!((here.normal.length() - 1.0).abs() < 1e-12);
        if slope.length() > 1e-2 {
            prop_assert!(slope.normalize().distance(here.normal) < 1e-3);
        }
    }

    /// Without a blend, a union is the nearest of its shapes.
    #[test]
    fn a_union_without_blend_is_the_minimum(p in place()) {
        let shape = Shape::Union { blend_m: 0.0, of: plain().to_vec() };
        let nearest = plain().map(|s| s.surface(p).distance_m);
        let nearest = nearest.into_iter().fold(f64::INFINITY, f64::min);
        prop_assert_eq!(shape.surface(p).distance_m, nearest);
    }
}
