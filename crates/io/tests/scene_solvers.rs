//! Curves, cloth models and preconditioners by name in scene files.

use toile_io::scene::{self, Scene};
use toile_sim::{ClothModel, CurveShape, Evaluation, Model, Preconditioner};

const SCENE: &str = r#"
[[cloth]]
grid = { size_m = [0.4, 0.2], particles = [9, 5] }
"#;

fn with(sets: &[&str]) -> Result<Scene, scene::Error> {
    let sets: Vec<_> = sets.iter().map(|s| (*s).to_owned()).collect();
    scene::parse(SCENE, "solvers.toml", &sets)
}

#[test]
fn every_preconditioner_has_its_name() {
    let names = [
        ("multilevel", Preconditioner::Multilevel),
        ("none", Preconditioner::None),
        ("diagonal", Preconditioner::Diagonal),
        ("block-diagonal", Preconditioner::BlockDiagonal),
        ("incomplete-cholesky", Preconditioner::IncompleteCholesky),
        ("incomplete-lu", Preconditioner::IncompleteLu),
        ("direct", Preconditioner::Direct),
    ];
    assert_eq!(with(&[]).unwrap().config.preconditioner, names[0].1);
    for (name, expected) in names {
        let scene = with(&[&format!("solver.preconditioner=\"{name}\"")]).unwrap();
        assert_eq!(scene.config.preconditioner, expected);
        let resolved = scene::resolved_json(&scene);
        assert_eq!(resolved["solver"]["preconditioner"], name);
    }
}

#[test]
fn curves_and_models_reach_the_cloth() {
    let cloth = |sets: &[&str]| with(sets).unwrap().model.cloths[0].clone();
    let plain = cloth(&[]);
    assert_eq!(plain.model, ClothModel::QuadBuckling);
    assert_eq!(plain.material.curve, CurveShape::Arc);
    assert_eq!(plain.material.evaluation, Evaluation::Table);
    let other = cloth(&[
        "cloth.model=\"quad-hookean\"",
        "cloth.material.curve=\"elastica\"",
        "cloth.material.eval=\"newton\"",
    ]);
    assert_eq!(other.model, ClothModel::QuadHookean);
    assert_eq!(other.material.curve, CurveShape::Elastica);
    assert_eq!(other.material.evaluation, Evaluation::Newton);
    let fit = cloth(&["cloth.material.eval=\"fit\""]);
    assert_eq!(fit.material.evaluation, Evaluation::Fit);
}

/// The choices change the motion, so a checkpoint of one is not one of the other.
#[test]
fn choices_change_the_fingerprint() {
    let print = |sets: &[&str]| with(sets).unwrap().fingerprint();
    let all = [
        print(&[]),
        print(&["solver.preconditioner=\"direct\""]),
        print(&["cloth.material.curve=\"elastica\""]),
        print(&["cloth.material.eval=\"fit\""]),
        print(&["cloth.model=\"quad-hookean\""]),
    ];
    for (k, print) in all.iter().enumerate() {
        assert!(!all[..k].contains(print));
    }
}

#[test]
fn a_fit_of_the_elastica_names_its_key() {
    let sets = [
        "cloth.material.curve=\"elastica\"",
        "cloth.material.eval=\"fit\"",
    ];
    let error = Model::build(&with(&sets).unwrap().model).err().unwrap();
    assert_eq!(error.key, "cloth[0].material.eval");
    assert!(with(&["cloth.material.eval=\"guess\""]).is_err());
}
