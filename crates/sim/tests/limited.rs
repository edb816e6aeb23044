//! What `Compression::Limited` makes of a curvature threshold on coarse and on fine grids.

mod support;

use glam::DVec3;
use support::*;
use toile_sim::{Compression, Material};

const BENDING_N_M: f64 = 2e-5;
const KAPPA_PER_M: f64 = 1.7;

fn material(stretch_warp_n_per_m: f64, stretch_weft_n_per_m: f64) -> Material {
    Material {
        stretch_warp_n_per_m,
        stretch_weft_n_per_m,
        bending_warp_n_m: BENDING_N_M,
        bending_weft_n_m: BENDING_N_M,
        compression: Compression::Limited(KAPPA_PER_M),
        ..Material::default()
    }
}

/// `c_b` of a whole axis link, from the energy of a sheet's middle row pressed together by far less
/// than it takes to buckle.
fn compression_n_per_m(spacing_m: f64, material: Material) -> f64 {
    // Three columns and two rows have two bending links, each of half strength on the border.
    let model = weightless(sheet(3, 2, spacing_m, material));
    let pressed = 1e-7;
    let x: Vec<DVec3> = model
        .start_positions
        .iter()
        .map(|x| *x * (1.0 - pressed))
        .collect();
    let shortening_m = 2.0 * spacing_m * pressed;
    2.0 * model.materials.bending[0].energy(&x, &[]) / (shortening_m * shortening_m)
}

fn assert_close(value: f64, expected: f64) {
    let error = (value / expected - 1.0).abs();
    assert!(error < 1e-6, "{value:e} for {expected:e}");
}

/// `k_b` of an axis link, N·m².
fn rigidity(spacing_m: f64) -> f64 {
    BENDING_N_M * spacing_m / 2.25
}

#[test]
fn coarse_grids_keep_the_rigidity_down_to_the_threshold() {
    let h: f64 = 0.04;
    let c_b = 12.0 * rigidity(h) / (KAPPA_PER_M.powi(2) * h.powi(5));
    assert!(c_b < 500.0, "softer than half a stretch link");
    assert_close(compression_n_per_m(h, material(1000.0, 2000.0)), c_b);
}

#[test]
fn on_fine_grids_a_bending_link_is_as_stiff_as_the_two_stretch_links_it_spans() {
    for h in [0.005, 0.01] {
        assert_close(compression_n_per_m(h, material(3000.0, 2000.0)), 1000.0);
        assert_close(compression_n_per_m(h, material(3000.0, 5000.0)), 1500.0);
    }
}

#[test]
fn on_the_finest_grids_links_stay_just_stiff_enough_to_buckle() {
    // γ = 96/(κℓ)² = 40 on the diagonals, kept by 0.1 %; axis links are half as long squared.
    let h: f64 = 1e-4;
    let least = 2.0 * 40.0 * rigidity(h) / (2.0 * h).powi(3) / 0.999_f64.powi(2);
    assert!(least > 1000.0, "stiffer than half a stretch link");
    assert_close(compression_n_per_m(h, material(2000.0, 2000.0)), least);
}
