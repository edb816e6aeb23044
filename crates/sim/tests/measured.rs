//! The measured membrane: its derivatives, its symmetries, its tensile curves.

use glam::{DMat3, DVec3};
use proptest::prelude::*;
use toile_sim::forces::measured::{MEASURED_STRAIN, Measured, Pull, Table};

/// A stretch denim, a knit, and a sweater knit with rows that are no stiffness.
const TABLES: [Table; 3] = [
    [
        [205.352005, 10.234077, 1013.88629, 53.387184],
        [232.027634, 40.646339, 1052.84289, 64.980499],
        [224.592209, 40.384563, 1054.43444, 67.184807],
        [225.951050, 62.095657, 1059.59741, 83.992020],
        [226.039566, 40.502792, 1058.27771, 75.118423],
        [225.767487, 40.917892, 1051.55712, 71.810631],
    ],
    [
        [43.067627, 54.373299, 171.424835, 14.314700],
        [75.151695, 82.195221, 236.163773, -7.230383],
        [57.548206, 89.637825, 224.553848, 3.932043],
        [107.244377, 124.801788, 364.583557, 41.386868],
        [178.734039, 178.488907, 371.764618, -30.898058],
        [227.028687, -21.865427, 404.867188, 62.636021],
    ],
    [
        [12.486332, -19.875324, 3.272434, 17.616289],
        [32.172089, 56.012760, 283.466370, -2.438436],
        [48.565407, 94.126335, 180.101227, 4.439080],
        [77.093796, 2.958664, 91.251160, 6.107700],
        [126.205986, 84.471718, 305.131531, 38.495132],
        [92.343170, 117.527084, 243.264908, 47.338436],
    ],
];

fn laws() -> [Measured; 3] {
    TABLES.map(|table| Measured::new(&table).0)
}

/// Principal strains and their direction as a strain.
fn strain(e1: f64, e2: f64, degrees: f64) -> DVec3 {
    let (sine, cosine) = degrees.to_radians().sin_cos();
    DVec3::new(
        e1 * cosine * cosine + e2 * sine * sine,
        e1 * sine * sine + e2 * cosine * cosine,
        2.0 * (e1 - e2) * sine * cosine,
    )
}

fn any_strain() -> impl Strategy<Value = DVec3> {
    (-0.3..0.6, -0.3..0.6, -0.6..0.6).prop_map(|(u, v, s)| DVec3::new(u, v, s))
}

/// Whether the law is smooth around here: the weight has a kink at the end of the measured range.
fn smooth(e: DVec3) -> bool {
    let (mean, half) = (0.5 * (e.x + e.y), (0.5 * (e.x - e.y)).hypot(0.5 * e.z));
    let limit = 0.5 * ((1.0 + MEASURED_STRAIN).powi(2) - 1.0);
    let z = half / mean;
    let magnitude = if mean > 0.0 && z < 0.5 {
        let y = 2.0 * z;
        mean * (19.0 + 6.0 * y * y - y.powi(4)) / 16.0
    } else {
        mean + half
    };
    (magnitude - limit).abs() > 1e-3 && magnitude.abs() > 1e-3
}

proptest! {
    #[test]
    fn stress_is_the_gradient_of_the_energy(e in any_strain()) {
        for law in laws() {
            let found = law.exact(e).stress_n_per_m;
            for k in 0..3 {
                let h = 1e-5 * DVec3::AXES[k];
                let energy = |e| law.exact(e).energy_j_per_m2;
                let expected = (energy(e + h) - energy(e - h)) / 2e-5;
                prop_assert!((found[k] - expected).abs() < 1e-5 * (1.0 + found.length()), "{e} {k}");
            }
        }
    }

    #[test]
    fn the_tangent_is_the_gradient_of_the_stress(e in any_strain()) {
        prop_assume!(smooth(e));
        for law in laws() {
            let found = law.exact(e).tangent_n_per_m;
            let size = found.to_cols_array().iter().fold(1.0_f64, |m, x| m.max(x.abs()));
            for k in 0..3 {
                let h = 1e-6 * DVec3::AXES[k];
                let stress = |e| law.exact(e).stress_n_per_m;
                let expected = (stress(e + h) - stress(e - h)) / 2e-6;
                prop_assert!((found.col(k) - expected).length() < 1e-4 * size, "{e} {k}: {found} {expected}");
            }
        }
    }

    /// The exact tangent is indefinite somewhere; what `respond` gives never is, and is the exact
    /// one wherever that is definite.
    #[test]
    fn the_projected_tangent_is_definite(e in any_strain()) {
        for law in laws() {
            let (exact, found) = (law.exact(e), law.respond(e));
            prop_assert_eq!(exact.stress_n_per_m, found.stress_n_per_m);
            let least = |m: DMat3| {
                nalgebra::Matrix3::from_column_slice(&m.to_cols_array()).symmetric_eigenvalues().min()
            };
            let size = found.tangent_n_per_m.to_cols_array().iter().fold(1.0_f64, |m, x| m.max(x.abs()));
            prop_assert!(least(found.tangent_n_per_m) > -1e-9 * size);
            prop_assert_eq!(found.tangent_n_per_m.transpose(), found.tangent_n_per_m);
            if least(exact.tangent_n_per_m) > 1e-9 * size {
                prop_assert_eq!(exact.tangent_n_per_m, found.tangent_n_per_m);
            }
        }
    }

    #[test]
    fn shear_to_either_side_is_the_same(e in any_strain()) {
        let mirror = DVec3::new(1.0, 1.0, -1.0);
        for law in laws() {
            let (a, b) = (law.exact(e), law.exact(e * mirror));
            prop_assert_eq!(a.energy_j_per_m2, b.energy_j_per_m2);
            prop_assert_eq!(a.stress_n_per_m, b.stress_n_per_m * mirror);
        }
    }

    /// The work along a ray is the published law's, whatever the direction, up to the end of the
    /// measured range and beyond.
    #[test]
    fn stress_along_the_strain_is_the_tables(e1 in 0.0..0.4, degrees in prop::sample::select(vec![0.0, 22.5, 45.0, 67.5, 90.0]), ratio in -1.0..0.0) {
        let e = strain(e1, ratio * e1, degrees);
        let weight = (6.0 * ((1.0 + 2.0 * e1).sqrt() - 1.0)).min(1.0);
        let [c, from] = [1 + (degrees / 22.5) as usize, 0].map(|row| TABLES[0][row]);
        let c: [f64; 4] = std::array::from_fn(|k| from[k] + weight * (c[k] - from[k]));
        let expected = 2.0 * c[0] * e.x * e.x + 4.0 * c[1] * e.x * e.y + 2.0 * c[2] * e.y * e.y + c[3] * e.z * e.z;
        let found = laws()[0].exact(e).stress_n_per_m.dot(e);
        prop_assert!((found - expected).abs() < 1e-9 * (1e-3 + expected), "{found} {expected}");
    }
}

#[test]
fn the_tangent_is_indefinite_somewhere() {
    // Otherwise the projection would not be tested.
    let law = laws()[2];
    let e = strain(0.1, -0.05, 10.0);
    assert_ne!(law.exact(e), law.respond(e));
}

#[test]
fn at_rest_nothing_pulls_and_row_zero_is_the_stiffness() {
    for (law, table) in laws().iter().zip(TABLES).take(2) {
        let found = law.respond(DVec3::ZERO);
        assert_eq!(found.energy_j_per_m2, 0.0);
        assert_eq!(found.stress_n_per_m, DVec3::ZERO);
        let t = found.tangent_n_per_m;
        assert_eq!(
            t.x_axis,
            DVec3::new(2.0 * table[0][0], 2.0 * table[0][1], 0.0)
        );
        assert_eq!(t.z_axis, DVec3::new(0.0, 0.0, table[0][3]));
        // Compression is linear with the same stiffness.
        let pressed = DVec3::new(-0.2, -0.1, 0.05);
        let stress = law.respond(pressed).stress_n_per_m;
        assert!((stress - t * pressed).length() < 1e-12);
    }
}

#[test]
fn every_strain_has_a_finite_answer() {
    let sizes = [
        0.0, 1e-300, 1e-160, 1e-21, 1e-19, 1e-12, 1e-3, 0.18, 1.0, 1e6, 1e100,
    ];
    let mut tried = 0;
    for law in laws() {
        for u in sizes {
            for v in sizes {
                for (a, b, s) in [
                    (1.0, 1.0, 0.0),
                    (1.0, -1.0, v),
                    (-1.0, 1.0, u),
                    (1.0, 1.0, 1e-18),
                ] {
                    let found = law.respond(DVec3::new(a * u, b * v, s));
                    assert!(found.energy_j_per_m2.is_finite(), "{u} {v}");
                    assert!(found.stress_n_per_m.is_finite(), "{u} {v} {s}");
                    assert!(found.tangent_n_per_m.is_finite(), "{u} {v} {s}");
                    tried += 1;
                }
            }
        }
    }
    assert_eq!(tried, 3 * 4 * sizes.len() * sizes.len());
}

/// The published law jumps where both principal strains are equal; this one does not.
#[test]
fn stress_is_continuous_where_no_direction_is() {
    for law in laws() {
        let at = law.exact(strain(0.1, 0.1, 0.0)).stress_n_per_m;
        for degrees in [0.0, 30.0, 45.0, 90.0, 130.0] {
            let near = law
                .exact(strain(0.1 + 1e-7, 0.1 - 1e-7, degrees))
                .stress_n_per_m;
            assert!((near - at).length() < 1e-3, "{degrees}: {near} {at}");
        }
    }
}

#[test]
fn rows_that_are_no_stiffness_are_listed_and_replaced() {
    assert!(Measured::new(&TABLES[0]).1.is_empty());
    let repairs = Measured::new(&TABLES[1]).1;
    // A negative coupling is none of them as long as the row is a stiffness.
    assert_eq!(repairs.iter().map(|r| r.row).collect::<Vec<_>>(), [1, 4]);
    let repairs = Measured::new(&TABLES[2]).1;
    assert_eq!(repairs.iter().map(|r| r.row).collect::<Vec<_>>(), [0, 1, 2]);
    // Row 1 has a negative shear modulus alone.
    assert_eq!(
        repairs[1].used_n_per_m[..3],
        repairs[1].measured_n_per_m[..3]
    );
    assert_eq!(repairs[1].used_n_per_m[3], 0.0);
    for repair in repairs {
        let [a, b, c, s] = repair.used_n_per_m;
        assert!(a >= 0.0 && c >= 0.0 && s >= 0.0);
        assert!(a * c - b * b >= -1e-9 * a * c);
    }
}

/// Hooke's law with lateral contraction in closed form: a table without any dependence on strain.
#[test]
fn a_constant_table_gives_a_straight_tensile_curve() {
    let row = [300.0, 60.0, 500.0, 40.0];
    let (law, repairs) = Measured::new(&[row; 6]);
    assert!(repairs.is_empty());
    for strain in [0.001_f64, 0.05, 0.3] {
        let green = 0.5 * strain * (2.0 + strain);
        let found = law.tension(Pull::Warp, strain);
        let modulus = 2.0 * (300.0 - 60.0 * 60.0 / 500.0);
        let expected = (1.0 + strain) * modulus * green;
        assert!((found.force_n_per_m / expected - 1.0).abs() < 1e-9);
        let across = (1.0 - 2.0 * green * 60.0 / 500.0).sqrt() - 1.0;
        assert!((found.lateral_strain - across).abs() < 1e-9);
        let weft = law.tension(Pull::Weft, strain).force_n_per_m;
        let modulus = 2.0 * (500.0 - 60.0 * 60.0 / 300.0);
        assert!((weft / ((1.0 + strain) * modulus * green) - 1.0).abs() < 1e-9);
    }
}

/// A strip in tension has one width: across it, stress rises through zero once.
#[test]
fn a_strip_in_tension_has_one_width() {
    for law in laws() {
        for strain in [0.01, 0.05, 0.1, 1.0 / 6.0, 0.3] {
            for pull in [Pull::Warp, Pull::Weft] {
                let width = 1.0 + law.tension(pull, strain).lateral_strain;
                let rest = 0.5 * (width * width - 1.0);
                let along = 0.5 * strain * (2.0 + strain);
                let across = |e: f64| match pull {
                    Pull::Warp => law.exact(DVec3::new(along, e, 0.0)).stress_n_per_m.y,
                    Pull::Weft => law.exact(DVec3::new(e, along, 0.0)).stress_n_per_m.x,
                };
                assert!(across(rest).abs() < 1e-9, "{}", across(rest));
                for share in (1..=40).map(|k| f64::from(k) / 40.0) {
                    let [wider, narrower] = [(along - rest) * share, (-0.5 - rest) * share];
                    assert!(across(rest + wider) > 0.0, "{pull:?} {strain} {share}");
                    assert!(across(rest + narrower) < 0.0, "{pull:?} {strain} {share}");
                }
            }
        }
    }
}
