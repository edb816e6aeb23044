//! Pins: which particles they choose, and that they hold inside the solve.

mod support;

use glam::{DVec2, DVec3};
use support::*;
use toile_geometry::Bounds;
use toile_sim::{
    Border, BuildError, ClothSpec, Corner, Integrator, Material, Model, PinRegion, PinSpec, Solve,
};

/// A grid of 6 × 4 particles, 2 cm apart, around the origin.
fn cloth(regions: impl IntoIterator<Item = PinRegion>) -> ClothSpec {
    let mut cloth = sheet(6, 4, 0.02, Material::default());
    cloth.pins = regions.into_iter().map(PinSpec::fixed).collect();
    cloth
}

fn chosen(region: PinRegion) -> Vec<u32> {
    weightless(cloth([region])).pins.clone()
}

fn refused(region: PinRegion) -> BuildError {
    // A good pin first, so that the index in the key is not 0 by accident.
    let cloth = cloth([PinRegion::Indices(vec![0]), region]);
    match Model::build(&spec(cloth, DVec3::ZERO, Vec::new())) {
        Err(error) => error,
        Ok(model) => panic!("holds {:?}", model.pins),
    }
}

#[test]
fn indices_are_taken_once_and_sorted() {
    assert_eq!(chosen(PinRegion::Indices(vec![7, 3, 7, 23])), [3, 7, 23]);
    let error = refused(PinRegion::Indices(vec![2, 24]));
    assert_eq!(error.key, "cloth[0].pin[1].indices");
    assert!(
        error.message.contains("24") && error.message.contains("0 to 23"),
        "{error}"
    );
}

#[test]
fn boxes_choose_by_starting_place() {
    // u from −5 to 5 cm, v from −3 to 3 cm: the columns at ±1 cm, the rows below −1 cm.
    let bounds = Bounds {
        min: DVec3::new(-0.015, -1.0, -0.04),
        max: DVec3::new(0.015, 1.0, -0.005),
    };
    assert_eq!(chosen(PinRegion::Box(bounds)), [2, 3, 8, 9]);
    let above = Bounds {
        min: bounds.min + DVec3::Y * 2.0,
        max: bounds.max + DVec3::Y * 2.0,
    };
    assert_eq!(refused(PinRegion::Box(above)).key, "cloth[0].pin[1].box");
}

#[test]
fn corners_choose_patches() {
    let corners = |corners: &[Corner], patch_m| PinRegion::Corners {
        corners: corners.to_vec(),
        patch_m,
    };
    let all = [
        Corner::UMinVMin,
        Corner::UMaxVMin,
        Corner::UMinVMax,
        Corner::UMaxVMax,
    ];
    for (corner, index) in all.into_iter().zip([0, 5, 18, 23]) {
        assert_eq!(chosen(corners(&[corner], 0.0)), [index]);
    }
    // A patch of exactly one cell holds four particles in spite of rounding.
    assert_eq!(chosen(corners(&[Corner::UMaxVMin], 0.02)), [4, 5, 10, 11]);
    assert_eq!(chosen(corners(&all, 0.019)), [0, 5, 18, 23]);
    assert_eq!(refused(corners(&[], 0.1)).key, "cloth[0].pin[1].corners");
}

#[test]
fn borders_choose_whole_rows() {
    let borders = |borders: &[Border]| PinRegion::Borders(borders.to_vec());
    assert_eq!(chosen(borders(&[Border::UMin])), [0, 6, 12, 18]);
    assert_eq!(chosen(borders(&[Border::UMax])), [5, 11, 17, 23]);
    assert_eq!(chosen(borders(&[Border::VMin])), [0, 1, 2, 3, 4, 5]);
    assert_eq!(
        chosen(borders(&[Border::VMax, Border::UMin])),
        [0, 6, 12, 18, 19, 20, 21, 22, 23]
    );
    assert_eq!(refused(borders(&[])).key, "cloth[0].pin[1].borders");
}

/// A strip one cell wide and `rows` long, hanging from its first row, without shear or bending:
/// two chains side by side.
fn strip(rows: usize) -> ClothSpec {
    let material = Material {
        area_density_kg_per_m2: 0.5,
        stretch_warp_n_per_m: 40.0,
        stretch_weft_n_per_m: 40.0,
        shear_n_per_m: 0.0,
        bending_warp_n_m: 0.0,
        bending_weft_n_m: 0.0,
        damping_n_s_per_m: 0.03,
        ..Material::default()
    };
    let mut cloth = sheet_of_cells(2, rows, DVec2::splat(0.2), material);
    support::rectangle(&mut cloth).v_axis = DVec3::NEG_Y;
    pinned(cloth, [0, 1])
}

/// Property 12: a weight on a spring hangs `m g / k` lower, whatever the step. Were the pin
/// applied to the answer of a free solve, it would hang `2 g Δt²` lower still.
#[test]
fn a_hanging_strip_stretches_by_its_weight_whatever_the_step() {
    for rows in [2, 4] {
        let cloth = strip(rows);
        let model = build(&spec(cloth, DVec3::new(0.0, -G, 0.0), Vec::new()));
        let masses = &model.masses;
        for integrator in [Integrator::BackwardEuler, Integrator::Bdf2] {
            for (step_s, steps) in [(0.001, 4000), (0.01, 2000), (0.1, 400), (1.0, 400)] {
                for solve in [Solve::Once, Solve::Newton] {
                    // Longer strips swing longer, and Newton takes its time.
                    if (solve == Solve::Newton || rows > 2) && step_s < 0.01 {
                        continue;
                    }
                    let mut simulation = simulation(model.clone(), integrator, solve);
                    for _ in 0..steps {
                        simulation.step(step_s).unwrap();
                    }
                    // Newton stops when nothing moves by more than 1e-4 of a link.
                    let within = if solve == Solve::Once { 1e-6 } else { 2e-5 };
                    let x = &simulation.state().positions;
                    for i in 2..x.len() {
                        // All that hangs below the link, on half a strip's stiffness.
                        let below: f64 = masses[i..].iter().step_by(2).sum();
                        let expected = G * below / (0.5 * 40.0);
                        assert!(expected > 1e-3);
                        let stretch = x[i].distance(x[i - 2]) - 0.2;
                        assert!(
                            (stretch - expected).abs() < within,
                            "{rows} rows, {integrator:?} {solve:?} {step_s} s: {stretch} {expected}"
                        );
                    }
                }
            }
        }
    }
}

/// Pinned particles do not move by one bit, and carry no velocity.
#[test]
fn pins_hold_exactly() {
    let cloth = pinned(sheet(8, 8, 0.02, Material::default()), [0, 7, 27]);
    let model = build(&spec(cloth, DVec3::new(0.0, -G, 0.0), Vec::new()));
    for integrator in [Integrator::BackwardEuler, Integrator::Bdf2] {
        for solve in [Solve::Once, Solve::Newton] {
            let mut simulation = simulation(model.clone(), integrator, solve);
            for _ in 0..10 {
                simulation.step(1.0 / 60.0).unwrap();
            }
            let state = simulation.state();
            for pin in [0, 7, 27] {
                assert_eq!(state.positions[pin], model.start_positions[pin]);
                assert_eq!(state.velocities[pin], DVec3::ZERO);
            }
            let fallen = (state.positions[63] - model.start_positions[63]).length();
            assert!(fallen > 0.01, "{fallen}");
        }
    }
}
