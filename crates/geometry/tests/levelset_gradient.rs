//! The orders of the three stencils, on a smooth function and on the field of a ball.

use glam::DVec3;
use toile_geometry::levelset::{Exact, Field, Stencil};

/// Error of a stencil at several lengths, largest over a few points.
fn errors(stencil: Stencil, lengths: [f64; 3], field: &Exact) -> [f64; 3] {
    lengths.map(|length| {
        let mut worst: f64 = 0.0;
        for k in 0..40 {
            let k = f64::from(k);
            let direction = DVec3::new((1.3 * k).sin(), (2.1 * k).cos(), (0.7 * k + 1.0).sin());
            let point = 0.13 * direction.normalize();
            let found = stencil.gradient(length, point, |p| field.distance_m(p));
            worst = worst.max(found.distance(field.normal(point)));
        }
        worst
    })
}

#[test]
fn each_has_the_order_it_says_and_no_more() {
    let lengths = [0.008, 0.004, 0.002];
    for shape in [
        Exact::Sphere { radius_m: 0.1 },
        Exact::Torus {
            ring_m: 0.1,
            tube_m: 0.01,
        },
    ] {
        for stencil in Stencil::ALL {
            let errors = errors(stencil, lengths, &shape);
            for pair in errors.windows(2) {
                let order = (pair[0] / pair[1]).log2();
                let expected = f64::from(stencil.order());
                assert!(
                    (order - expected).abs() < 0.25,
                    "{stencil:?} {shape:?} {order}"
                );
            }
        }
    }
}

#[test]
fn linear_fields_are_exact() {
    let slope = DVec3::new(0.3, -0.7, 0.2);
    for stencil in Stencil::ALL {
        let found = stencil.gradient(0.1, DVec3::new(1.0, 2.0, 3.0), |p| slope.dot(p) - 4.0);
        assert!(found.distance(slope) < 1e-13, "{stencil:?} {found}");
    }
}
