//! Quantities shown in colour, against closed forms.

use glam::{DMat3, DVec2, DVec3};
use proptest::prelude::*;
use toile_view::field::{Gradient, Pattern, Stiffness, curvatures_per_m, speeds_m_per_s};

const COLUMNS: u32 = 12;
const ROWS: u32 = 9;
const SIZE_M: DVec2 = DVec2::new(1.1, 0.8);

/// A sheet of triangles whose diagonals alternate, so that no direction is special.
fn sheet() -> (Vec<DVec2>, Vec<[u32; 3]>) {
    let mut uv = Vec::new();
    for j in 0..ROWS {
        for i in 0..COLUMNS {
            let share = |k: u32, count: u32| f64::from(k) / f64::from(count - 1);
            uv.push(SIZE_M * DVec2::new(share(i, COLUMNS), share(j, ROWS)));
        }
    }
    let mut faces = Vec::new();
    for j in 0..ROWS - 1 {
        for i in 0..COLUMNS - 1 {
            let a = j * COLUMNS + i;
            let (b, c, d) = (a + 1, a + COLUMNS, a + COLUMNS + 1);
            faces.extend(if (i + j) % 2 == 0 {
                [[a, b, d], [a, d, c]]
            } else {
                [[a, b, c], [b, d, c]]
            });
        }
    }
    (uv, faces)
}

/// The sheet with warp and weft turned into these vectors, somewhere in space.
fn mapped(warp: DVec3, weft: DVec3) -> Vec<DVec3> {
    let turn = DMat3::from_rotation_y(0.7) * DMat3::from_rotation_x(-0.4);
    let place = |p: &DVec2| DVec3::new(3.0, -2.0, 1.0) + turn * (warp * p.x + weft * p.y);
    sheet().0.iter().map(place).collect()
}

fn everywhere(positions: &[DVec3], of: impl Fn(&Gradient) -> f64, expected: f64) {
    let (uv, faces) = sheet();
    let pattern = Pattern {
        faces: &faces,
        uv: &uv,
    };
    let values = pattern.at_vertices(positions, of);
    assert_eq!(values.len(), positions.len());
    for value in values {
        assert!((value - expected).abs() < 1e-12, "{value}, not {expected}");
    }
}

#[test]
fn uniform_stretch_is_found_along_each_thread() {
    let positions = mapped(1.03 * DVec3::X, 0.96 * DVec3::Y);
    everywhere(&positions, Gradient::strain_warp, 0.03);
    everywhere(&positions, Gradient::strain_weft, -0.04);
    everywhere(&positions, Gradient::shear_rad, 0.0);
}

#[test]
fn simple_shear_turns_weft_and_lengthens_it() {
    let slope: f64 = 0.2;
    let positions = mapped(DVec3::X, DVec3::new(slope, 1.0, 0.0));
    everywhere(&positions, Gradient::strain_warp, 0.0);
    let length = (1.0 + slope * slope).sqrt();
    everywhere(&positions, Gradient::strain_weft, length - 1.0);
    everywhere(&positions, Gradient::shear_rad, slope.atan());
    let other_way = mapped(DVec3::X, DVec3::new(-slope, 1.0, 0.0));
    everywhere(&other_way, Gradient::shear_rad, -slope.atan());
}

proptest! {
    #[test]
    fn rigid_motion_strains_nothing(
        turn in prop::array::uniform3(-3.0..3.0f64),
        shift in prop::array::uniform3(-10.0..10.0f64),
    ) {
        let (uv, faces) = sheet();
        let turn = DMat3::from_rotation_x(turn[0])
            * DMat3::from_rotation_y(turn[1])
            * DMat3::from_rotation_z(turn[2]);
        let positions: Vec<DVec3> = uv
            .iter()
            .map(|p| turn * p.extend(0.0) + DVec3::from(shift))
            .collect();
        let pattern = Pattern { faces: &faces, uv: &uv };
        let stiffness = Stiffness {
            warp_n_per_m: 2000.0,
            weft_n_per_m: 1500.0,
            shear_n_per_m: 400.0,
            pushes: true,
        };
        for of in [
            &Gradient::strain_warp as &dyn Fn(&Gradient) -> f64,
            &Gradient::strain_weft,
            &Gradient::shear_rad,
            &|g: &Gradient| stiffness.density_j_per_m2(g),
        ] {
            for value in pattern.at_vertices(&positions, of) {
                prop_assert!(value.abs() < 1e-12);
            }
        }
        for value in curvatures_per_m(&positions, &faces) {
            prop_assert!(value.abs() < 1e-6, "{value}");
        }
    }
}

/// The sheet rolled around the y axis, its front outside.
fn rolled(radius_m: f64) -> Vec<DVec3> {
    let place = |p: &DVec2| {
        let (sin, cos) = (p.x / radius_m).sin_cos();
        DVec3::new(radius_m * sin, p.y, radius_m * cos)
    };
    sheet().0.iter().map(place).collect()
}

#[test]
fn a_cylinder_has_the_curvature_of_its_radius() {
    let (_, faces) = sheet();
    for radius_m in [0.4, 1.0, 25.0] {
        let positions = rolled(radius_m);
        // Facets are chords: what is found is off by an order of the square of their angle.
        let angle = SIZE_M.x / f64::from(COLUMNS - 1) / radius_m;
        let allowed = angle * angle / radius_m + 1e-9;
        for value in curvatures_per_m(&positions, &faces) {
            let error = (value - 1.0 / radius_m).abs();
            assert!(error < allowed, "{value} for a radius of {radius_m}");
        }
        let backwards: Vec<[u32; 3]> = faces.iter().map(|&[a, b, c]| [a, c, b]).collect();
        for value in curvatures_per_m(&positions, &backwards) {
            assert!((value + 1.0 / radius_m).abs() < allowed, "hollow: {value}");
        }
    }
}

#[test]
fn a_sphere_has_the_curvature_of_its_radius_on_average() {
    let ball = toile_view::shapes::sphere(DVec3::new(1.0, 2.0, 3.0), 0.25);
    let values = curvatures_per_m(&ball.positions, &ball.faces);
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    assert!((mean / 4.0 - 1.0).abs() < 0.05, "{mean}");
}

#[test]
fn a_translation_has_its_speed() {
    let from = mapped(DVec3::X, DVec3::Y);
    let step = DVec3::new(0.03, -0.04, 0.12);
    let to: Vec<DVec3> = from.iter().map(|p| *p + step).collect();
    for speed in speeds_m_per_s(&from, &to, 1.0 / 60.0) {
        assert!((speed - 60.0 * 0.13).abs() < 1e-12, "{speed}");
    }
}

#[test]
fn energy_is_that_of_the_links_of_a_square_cell() {
    let stiffness = Stiffness {
        warp_n_per_m: 2000.0,
        weft_n_per_m: 1200.0,
        shear_n_per_m: 700.0,
        pushes: false,
    };
    let (stretch, h_m) = (1.05f64, 0.02);
    // One link along warp, one along weft and two diagonals belong to each cell.
    let link = |k: f64, rest: f64, length: f64| 0.5 * k * (length - rest).max(0.0).powi(2);
    let [x, y] = [stretch * h_m, 0.98 * h_m];
    let cell = link(2000.0, h_m, x)
        + link(1200.0, h_m, y)
        + 2.0 * link(700.0, std::f64::consts::SQRT_2 * h_m, x.hypot(y));
    let positions = mapped(stretch * DVec3::X, 0.98 * DVec3::Y);
    let density = |s: Stiffness| move |g: &Gradient| s.density_j_per_m2(g);
    everywhere(&positions, density(stiffness), cell / (h_m * h_m));
    // Two-sided springs also store the compression along weft.
    let springs = Stiffness {
        pushes: true,
        ..stiffness
    };
    let more = cell / (h_m * h_m) + 0.5 * 1200.0 * 0.02 * 0.02;
    everywhere(&positions, density(springs), more);
}

#[test]
fn what_has_no_value_is_not_a_number_and_does_no_harm() {
    let (uv, mut faces) = sheet();
    let mut positions = mapped(DVec3::X, DVec3::Y);
    positions[0] = DVec3::NAN;
    // A vertex without a face, a face without area, a face of a vertex that is missing.
    positions.push(DVec3::ONE);
    faces.extend([[3, 3, 4], [0, 1, 10_000]]);
    let pattern = Pattern {
        faces: &faces,
        uv: &uv,
    };
    let strains = pattern.at_vertices(&positions, Gradient::strain_warp);
    assert!(strains[0].is_nan() && strains[strains.len() - 1].is_nan());
    assert!(strains[30].abs() < 1e-12);
    let curvatures = curvatures_per_m(&positions, &faces);
    assert_eq!(curvatures.len(), positions.len());
    assert!(curvatures[30].abs() < 1e-6);
    assert!(pattern.at_vertices(&[], Gradient::strain_warp).is_empty());
}
