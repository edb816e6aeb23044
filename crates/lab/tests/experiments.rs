//! The quickest experiments hold and leave their files, and the standard bench moves as it should.

use std::sync::Arc;
use toile_lab::bench::{self, FPS};
use toile_lab::experiments;
use toile_sim::report::Stretch;
use toile_sim::{ClothModel, Model, Simulation};

fn carry_out(name: &str) {
    let mut all = experiments().iter();
    let experiment = all.find(|e| e.name == name).expect("an experiment");
    let findings = (experiment.run)().unwrap();
    assert!(!findings.checks.is_empty(), "{name} checks nothing");
    for check in &findings.checks {
        assert!(check.holds(), "{name}: {check}");
    }
    let folder = tempfile::tempdir().unwrap();
    findings.write(folder.path(), name).unwrap();
    let read = |kind: &str| std::fs::read(folder.path().join(format!("{name}.{kind}"))).unwrap();
    let lines = read("csv").iter().filter(|byte| **byte == b'\n').count();
    assert!(lines > 5, "{name}: {lines} lines");
    assert!(read("png").starts_with(b"\x89PNG"), "{name}");
}

#[test]
fn the_buckling_curve_is_that_of_theory() {
    carry_out("curve");
}

#[test]
fn every_matrix_is_the_derivative_it_says() {
    carry_out("jacobian");
}

#[test]
fn implicit_steps_filter_what_theory_says() {
    carry_out("filtering");
}

/// The sheet falls, swings through and swings back, and hardly stretches. Its heights are those of a
/// reference of 32 steps a frame.
#[test]
fn the_hanging_sheet_swings_back_as_it_should() {
    let scene = bench::scene("hang", 51, ClothModel::QuadBuckling).expect("a bench");
    let model = Arc::new(Model::build(&scene.model).unwrap());
    let mut simulation = Simulation::new(model.clone(), scene.config);
    let mut worst = Stretch::default();
    for frame in 1..=120 {
        simulation.advance(1.0 / FPS, scene.max_step_s).unwrap();
        let state = simulation.state();
        let stretch = Stretch::of(&model, state);
        worst.max = worst.max.max(stretch.max);
        worst.p99 = worst.p99.max(stretch.p99);
        let height = state.positions.iter().map(|x| x.y).sum::<f64>() / model.particles() as f64;
        let expected = match frame {
            60 => (0.958, 0.06),
            120 => (0.814, 0.12),
            _ => continue,
        };
        assert!(
            (height - expected.0).abs() <= expected.1,
            "{height} m after {frame} frames"
        );
    }
    assert!(worst.max <= bench::STRETCH_MAX_LIMIT, "{}", worst.max);
    assert!(worst.p99 <= bench::STRETCH_P99_LIMIT, "{}", worst.p99);
}
