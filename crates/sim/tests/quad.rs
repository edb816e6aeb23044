//! Calibration of the quad cloth: the sheet the user asked for, at every resolution and in every
//! direction.

mod support;

use glam::{DVec2, DVec3};
use support::*;
use toile_sim::{BuildError, ClothSpec, Compression, Material, Model};

/// Bending only matters here: the arc from the first compression on.
fn bending(warp_n_m: f64, weft_n_m: f64) -> Material {
    Material {
        bending_warp_n_m: warp_n_m,
        bending_weft_n_m: weft_n_m,
        compression: Compression::Rigid,
        ..Material::default()
    }
}

/// Energy of one more cell in the middle of the sheet, per area: the mixed difference of the
/// energies of four sheets takes out the four borders.
fn density(cell_m: DVec2, material: Material, place: impl Fn(DVec2) -> DVec3) -> f64 {
    let energy_of = |columns: usize, rows: usize| {
        let model = weightless(sheet_of_cells(columns, rows, cell_m, material));
        let bent: Vec<DVec3> = model
            .pattern_positions()
            .iter()
            .map(|p| place(*p))
            .collect();
        model.materials.bending[0].energy(&bent, &[])
    };
    let cell = energy_of(8, 8) - energy_of(7, 8) - energy_of(8, 7) + energy_of(7, 7);
    cell / (cell_m.x * cell_m.y)
}

/// A cylinder of curvature `kappa` around the axis orthogonal to `angle`, without any stretch.
fn cylinder(kappa: f64, angle: f64) -> impl Fn(DVec2) -> DVec3 {
    move |p| {
        let along = DVec2::from_angle(angle);
        let (s, t) = (along.dot(p), along.perp_dot(p));
        DVec3::new(
            (kappa * s).sin() / kappa,
            (1.0 - (kappa * s).cos()) / kappa,
            t,
        )
    }
}

/// A prism whose edges of length `side_m` turn by `kappa · side_m` at every particle: what a cloth
/// of inextensible half-links does when bent along one of its axes.
fn prism(kappa: f64, side_m: f64, along_u: bool) -> impl Fn(DVec2) -> DVec3 {
    let radius_m = 0.5 * side_m / (0.5 * kappa * side_m).sin();
    move |p| {
        let (s, t) = if along_u { (p.x, p.y) } else { (p.y, p.x) };
        let turn = kappa * s;
        DVec3::new(radius_m * turn.sin(), radius_m * (1.0 - turn.cos()), t)
    }
}

const KAPPA_PER_M: f64 = 1.0;

fn assert_close(value: f64, expected: f64, within: f64, what: &str) {
    let error = (value / expected - 1.0).abs();
    assert!(error < within, "{what}: {value:e} for {expected:e}");
}

/// Bent with rigid half-links, the sheet stores `½ B κ²`, with `B` the rigidity asked for and
/// not the 2.25 k_b/h = B of one link's k_b taken for the fabric's.
#[test]
fn errata_11_a_bent_sheet_has_the_rigidity_asked_for() {
    let b = 3e-5;
    for h in [0.01, 0.02, 0.04] {
        for along_u in [true, false] {
            let measured = density(
                DVec2::splat(h),
                bending(b, b),
                prism(KAPPA_PER_M, h, along_u),
            );
            assert_close(
                measured,
                0.5 * b * KAPPA_PER_M.powi(2),
                1e-3,
                &format!("h = {h}, u {along_u}"),
            );
        }
    }
}

/// On a smooth cylinder every chord is that of an arc, so the energy is 4/3 of the prism's, and
/// equally so in every direction: the diagonals are k_b/√2.
#[test]
fn errata_11_an_isotropic_sheet_bends_alike_in_every_direction() {
    let b = 3e-5;
    for degrees in [0.0, 20.0, 45.0, 70.0, 90.0_f64] {
        let place = cylinder(KAPPA_PER_M, degrees.to_radians());
        let measured = density(DVec2::splat(0.02), bending(b, b), place);
        let expected = 4.0 / 3.0 * 0.5 * b * KAPPA_PER_M.powi(2);
        assert_close(measured, expected, 1e-3, &format!("{degrees}°"));
    }
}

#[test]
fn cells_of_any_shape_and_two_rigidities_follow_the_orthotropic_sheet() {
    for (cell_m, warp, weft) in [
        (DVec2::new(0.03, 0.02), 2e-5, 2e-5),
        (DVec2::new(0.02, 0.033), 2e-5, 2e-5),
        (DVec2::splat(0.02), 4e-5, 1e-5),
        (DVec2::new(0.02, 0.025), 3e-5, 2e-5),
    ] {
        for degrees in [0.0, 30.0, 45.0, 60.0, 90.0_f64] {
            let place = cylinder(KAPPA_PER_M, degrees.to_radians());
            let measured = density(cell_m, bending(warp, weft), place);
            let (s, c) = degrees.to_radians().sin_cos();
            let twist = (warp * weft).sqrt();
            let b = warp * c.powi(4) + weft * s.powi(4) + 2.0 * twist * c * c * s * s;
            let expected = 4.0 / 3.0 * 0.5 * b * KAPPA_PER_M.powi(2);
            let what = format!("{cell_m} {warp:e} {weft:e} {degrees}°");
            assert_close(measured, expected, 2e-3, &what);
        }
        for (along_u, side_m, b) in [(true, cell_m.x, warp), (false, cell_m.y, weft)] {
            let place = prism(KAPPA_PER_M, side_m, along_u);
            let measured = density(cell_m, bending(warp, weft), place);
            let diagonal_m = cell_m.length();
            // Diagonal half-links of oblong cells are longer than the side that is kept rigid, by
            // an amount of higher order only.
            assert!(side_m < diagonal_m);
            assert_close(measured, 0.5 * b * KAPPA_PER_M.powi(2), 2e-3, "prism");
        }
    }
}

/// A strip of the bending model is too thin for oblong cells beyond a factor of √3.
#[test]
fn cells_too_oblong_to_bend_are_refused() {
    let cloth = |cell_m| sheet_of_cells(5, 5, cell_m, bending(2e-5, 2e-5));
    assert!(try_build(cloth(DVec2::new(0.02 * 1.7, 0.02))).is_ok());
    let error = try_build(cloth(DVec2::new(0.02 * 1.8, 0.02)))
        .err()
        .unwrap();
    assert_eq!(error.key, "cloth[0].grid.particles");
    assert!(error.message.contains("1.732"), "{error}");
}

/// What links along the diagonals carry is shared by both directions: beyond a factor of nine on square
/// cells nothing is left for the limper one, which is named with what is possible.
#[test]
fn rigidities_too_different_are_refused_by_name() {
    let refused = |warp, weft| {
        let cloth = sheet_of_cells(5, 5, DVec2::splat(0.02), bending(warp, weft));
        try_build(cloth)
            .err()
            .map(|error| (error.key, error.message))
    };
    assert_eq!(refused(8.9e-5, 1e-5), None);
    assert_eq!(refused(1e-5, 8.9e-5), None);
    for limp in [1e-5, 0.0] {
        let (key, message) = refused(9.1e-5, limp).unwrap();
        assert_eq!(key, "cloth[0].material.bending_weft_n_m");
        assert!(message.contains("more than 1.011e-5"), "{message}");
        let (key, _) = refused(limp, 9.1e-5).unwrap();
        assert_eq!(key, "cloth[0].material.bending_n_m");
    }
}

/// Stretched evenly, the sheet stores the energy of a membrane over its whole area: border links
/// count half, oblong cells have their own link stiffness.
#[test]
fn stretch_and_border_halving_give_the_membrane_energy() {
    let material = Material {
        stretch_warp_n_per_m: 700.0,
        stretch_weft_n_per_m: 300.0,
        shear_n_per_m: 0.0,
        ..Material::default()
    };
    for cell_m in [DVec2::splat(0.02), DVec2::new(0.03, 0.02)] {
        let cloth = sheet_of_cells(6, 9, cell_m, material);
        let area = cloth
            .sheet()
            .map_or(0.0, |s| s.grid.size_m.x * s.grid.size_m.y);
        let model = weightless(cloth);
        for (stretch, stiffness) in [(DVec3::X, 700.0), (DVec3::Z, 300.0)] {
            let strain = 0.01;
            let x: Vec<DVec3> = model
                .start_positions
                .iter()
                .map(|x| *x + strain * stretch * *x)
                .collect();
            let expected = 0.5 * stiffness * strain * strain * area;
            // The unstretched direction is at rest but for rounding.
            assert_close(
                model.materials.stretch[0].energy(&x, &[]),
                expected,
                1e-9,
                "membrane",
            );
        }
    }
}

/// Sheared by a small angle, only one diagonal is taut: half the modulus is at work.
#[test]
fn shear_has_half_its_modulus_with_one_diagonal_slack() {
    let material = Material {
        stretch_warp_n_per_m: 1e-6,
        stretch_weft_n_per_m: 1e-6,
        shear_n_per_m: 400.0,
        ..Material::default()
    };
    for cell_m in [DVec2::splat(0.02), DVec2::new(0.03, 0.02)] {
        let cloth = sheet_of_cells(6, 9, cell_m, material);
        let area = cloth
            .sheet()
            .map_or(0.0, |s| s.grid.size_m.x * s.grid.size_m.y);
        let model = weightless(cloth);
        let angle = 1e-4;
        let x: Vec<DVec3> = model
            .start_positions
            .iter()
            .map(|x| *x + DVec3::X * angle * x.z)
            .collect();
        let expected = 0.5 * (0.5 * 400.0) * angle * angle * area;
        assert_close(
            model.materials.stretch[0].energy(&x, &[]),
            expected,
            1e-3,
            "shear",
        );
    }
}

#[test]
fn masses_add_up_and_follow_the_cells_they_touch() {
    let cell_m = DVec2::new(0.03, 0.02);
    let cloth = sheet_of_cells(5, 4, cell_m, Material::default());
    let area = cloth
        .sheet()
        .map_or(0.0, |s| s.grid.size_m.x * s.grid.size_m.y);
    let model = weightless(cloth);
    let total: f64 = model.masses.iter().sum();
    assert_close(total, 0.15 * area, 1e-14, "total");
    let whole = 0.15 * cell_m.x * cell_m.y;
    assert_close(model.masses[0], 0.25 * whole, 1e-14, "corner");
    assert_close(model.masses[2], 0.5 * whole, 1e-14, "border");
    assert_close(model.masses[7], whole, 1e-14, "inside");
    assert_eq!(model.coordinate_masses.len(), 60);
    assert_eq!(model.coordinate_masses[21..24], [model.masses[7]; 3]);
}

fn try_build(cloth: ClothSpec) -> Result<Model, BuildError> {
    Model::build(&spec(cloth, DVec3::ZERO, Vec::new()))
}

fn refused(material: Material) -> BuildError {
    match try_build(sheet(5, 5, 0.02, material)) {
        Err(error) => error,
        Ok(_) => panic!("{material:?} passed"),
    }
}

/// Property 7: a bad γ names its key and the admissible range, and that range is the true one.
#[test]
fn a_compression_stiffness_too_soft_to_buckle_is_refused() {
    let b = 2e-5;
    let with = |compression| Material {
        compression,
        ..bending(b, b)
    };
    // γ = c_b L³/k_b = 40 on an axis link; the diagonals need less.
    let k_b = b * 0.02 / 2.25;
    let least = 40.0 * k_b / 0.04_f64.powi(3);
    let error = refused(with(Compression::Stiffness(0.99 * least)));
    assert_eq!(error.key, "cloth[0].material.compression_n_per_m");
    assert!(error.message.contains(&format!("{least:.4e}")), "{error}");
    assert!(error.message.contains("at least 40"), "{error}");
    let enough = with(Compression::Stiffness(1.001 * least));
    assert!(try_build(sheet(5, 5, 0.02, enough)).is_ok());
}

#[test]
fn a_curvature_threshold_too_large_for_the_grid_is_refused() {
    let with = |compression| Material {
        compression,
        ..bending(2e-5, 2e-5)
    };
    // γ = 96/(κ ℓ)² = 40 on a diagonal half-link.
    let most = (96.0_f64 / 40.0).sqrt() / (0.02 * 2.0_f64.sqrt());
    let error = refused(with(Compression::CurvatureThreshold(1.01 * most)));
    assert_eq!(error.key, "cloth[0].material.curvature_threshold_per_m");
    assert!(error.message.contains(&format!("{most:.4}")), "{error}");
    let enough = with(Compression::CurvatureThreshold(0.999 * most));
    assert!(try_build(sheet(5, 5, 0.02, enough)).is_ok());
}

#[test]
fn impossible_materials_and_grids_are_refused_by_key() {
    let good = Material::default();
    let cases = [
        (
            "material.area_density_kg_per_m2",
            Material {
                area_density_kg_per_m2: -0.1,
                ..good
            },
        ),
        (
            "material.stretch_n_per_m",
            Material {
                stretch_warp_n_per_m: 0.0,
                ..good
            },
        ),
        (
            "material.bending_n_m",
            Material {
                bending_warp_n_m: f64::NAN,
                ..good
            },
        ),
        (
            "material.damping_n_s_per_m",
            Material {
                damping_n_s_per_m: f64::INFINITY,
                ..good
            },
        ),
        (
            "material.slack_factor",
            Material {
                slack_factor: 1.5,
                ..good
            },
        ),
    ];
    for (key, material) in cases {
        assert_eq!(refused(material).key, format!("cloth[0].{key}"));
    }

    let key_of = |cloth| try_build(cloth).err().map(|e| e.key);
    let huge = sheet(100_000, 10_000, 0.02, good);
    assert_eq!(key_of(huge).as_deref(), Some("cloth[0].grid.particles"));
    let mut thin = sheet(5, 5, 0.02, good);
    support::rectangle(&mut thin).grid.columns = 1;
    assert_eq!(key_of(thin).as_deref(), Some("cloth[0].grid.particles"));
    let mut flat = sheet(5, 5, 0.02, good);
    support::rectangle(&mut flat).grid.size_m.y = 0.0;
    assert_eq!(key_of(flat).as_deref(), Some("cloth[0].grid.size_m"));
}
