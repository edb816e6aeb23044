//! Extra mass: how much, and where it hangs.

mod support;

use glam::DVec3;
use support::*;
use toile_sim::{Border, BuildError, ClothSpec, Material, Model, WeightSpec};

/// 6 × 4 cells of 2 cm × 2 cm.
fn weighted(weights: Vec<WeightSpec>) -> ClothSpec {
    let mut cloth = sheet(7, 5, 0.02, Material::default());
    cloth.weights = weights;
    cloth
}

fn masses(weights: Vec<WeightSpec>) -> Vec<f64> {
    weightless(weighted(weights)).masses.clone()
}

fn refused(weight: WeightSpec) -> BuildError {
    let good = WeightSpec::Points {
        indices: vec![0],
        kg: 0.0,
    };
    match Model::build(&spec(weighted(vec![good, weight]), DVec3::ZERO, Vec::new())) {
        Err(error) => error,
        Ok(_) => panic!("accepted"),
    }
}

#[test]
fn a_hem_adds_its_length_times_its_weight() {
    let sheet_kg = Material::default().area_density_kg_per_m2 * 0.12 * 0.08;
    for (borders, length_m) in [
        (vec![Border::VMin], 0.12),
        (vec![Border::VMax], 0.12),
        (vec![Border::UMin], 0.08),
        (vec![Border::UMax, Border::VMin], 0.2),
    ] {
        let total: f64 = masses(vec![WeightSpec::Hem {
            borders,
            kg_per_m: 0.05,
        }])
        .iter()
        .sum();
        assert!((total - sheet_kg - 0.05 * length_m).abs() < 1e-15);
    }
}

#[test]
fn a_hem_hangs_on_its_border_alone() {
    let plain = masses(Vec::new());
    let hemmed = masses(vec![WeightSpec::Hem {
        borders: vec![Border::UMax],
        kg_per_m: 0.1,
    }]);
    for (i, (with, without)) in hemmed.iter().zip(&plain).enumerate() {
        let links = match (i % 7, i / 7) {
            (6, 0 | 4) => 0.5,
            (6, _) => 1.0,
            _ => 0.0,
        };
        assert!((with - without - links * 0.1 * 0.02).abs() < 1e-16, "{i}");
    }
}

#[test]
fn points_add_to_single_particles() {
    let plain = masses(Vec::new());
    let point = |index, kg| WeightSpec::Points {
        indices: vec![index],
        kg,
    };
    let weighted = masses(vec![point(3, 0.01), point(34, 0.02), point(3, 0.001)]);
    for (i, (with, without)) in weighted.iter().zip(&plain).enumerate() {
        let extra = match i {
            3 => 0.011,
            34 => 0.02,
            _ => 0.0,
        };
        assert!((with - without - extra).abs() < 1e-16);
    }
}

#[test]
fn impossible_weights_are_refused() {
    let hem = |kg_per_m| WeightSpec::Hem {
        borders: vec![Border::UMin],
        kg_per_m,
    };
    assert_eq!(refused(hem(-0.1)).key, "cloth[0].weight[1].kg_per_m");
    assert_eq!(refused(hem(f64::NAN)).key, "cloth[0].weight[1].kg_per_m");
    let points = |index, kg| WeightSpec::Points {
        indices: vec![index],
        kg,
    };
    assert_eq!(refused(points(0, -1.0)).key, "cloth[0].weight[1].kg");
    let error = refused(points(35, 1.0));
    assert_eq!(error.key, "cloth[0].weight[1].indices");
    assert!(error.message.contains("0 to 34"), "{error}");
}
