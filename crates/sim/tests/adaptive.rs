//! Adaptive steps: as accurate as asked, on the frame, and the same when resumed.

mod support;

use glam::DVec3;
use std::sync::Arc;
use support::{build, pinned, sheet, spec};
use toile_sim::{Adaptive, Control, Integrator, Material, Model, Simulation, Solve, StepConfig};

const FRAME_S: f64 = 1.0 / 30.0;

fn swinging() -> Arc<Model> {
    let cloth = pinned(sheet(6, 6, 0.05, Material::default()), [0, 5]);
    build(&spec(cloth, DVec3::new(0.0, -9.81, 0.0), Vec::new()))
}

fn config(adaptive: Option<Adaptive>) -> StepConfig {
    StepConfig {
        solve: Solve::Newton,
        linear_tolerance: 1e-5,
        adaptive,
        ..StepConfig::default()
    }
}

fn by_error(tolerance: f64) -> Adaptive {
    Adaptive {
        control: Control::Error,
        tolerance,
        min_step_s: 1e-5,
    }
}

/// Ends of a run of `frames` frames with the longest step given.
fn run(config: StepConfig, frames: u32, max_step_s: f64) -> (Simulation, u32, u32) {
    let mut simulation = Simulation::new(swinging(), config);
    let (mut steps, mut retries) = (0, 0);
    for _ in 0..frames {
        let report = simulation.advance(FRAME_S, max_step_s).unwrap();
        steps += report.steps;
        retries += report.retries;
    }
    (simulation, steps, retries)
}

fn distance(a: &Simulation, b: &Simulation) -> f64 {
    let (a, b) = (&a.state().positions, &b.state().positions);
    let each = a.iter().zip(b).map(|(a, b)| a.distance(*b));
    each.fold(0.0, f64::max)
}

#[test]
fn a_smaller_tolerance_takes_more_steps_and_comes_nearer() {
    let (reference, ..) = run(config(None), 6, FRAME_S / 512.0);
    let (rough, rough_steps, _) = run(config(Some(by_error(1e-1))), 6, FRAME_S);
    let (fine, fine_steps, _) = run(config(Some(by_error(1e-3))), 6, FRAME_S);
    assert!(
        fine_steps > 2 * rough_steps,
        "{fine_steps} and {rough_steps}"
    );
    let (rough, fine) = (distance(&rough, &reference), distance(&fine, &reference));
    assert!(fine < 0.3 * rough, "{fine} and {rough}");
}

#[test]
fn steps_end_on_the_frame_and_some_are_taken_back() {
    let (simulation, steps, retries) = run(config(Some(by_error(1e-3))), 5, FRAME_S);
    assert!((simulation.state().time_s - 5.0 * FRAME_S).abs() < 1e-15);
    assert_eq!(simulation.state().steps, u64::from(steps));
    // The first whole step of a falling sheet is far too long.
    assert!(retries > 0);
}

#[test]
fn strain_changes_no_more_than_asked() {
    let control = Adaptive {
        control: Control::Strain,
        tolerance: 2e-3,
        min_step_s: 1e-6,
    };
    let mut simulation = Simulation::new(swinging(), config(Some(control)));
    let strains = |simulation: &Simulation| -> Vec<f64> {
        let family = &simulation.model().materials.stretch[0];
        let at = &simulation.state().positions;
        let links = family.ends().iter().zip(family.class_of_links());
        links
            .map(|(ends, class)| {
                let [i, j] = ends.map(|end| at[end as usize]);
                i.distance(j) / family.class_rest_length_m(usize::from(*class))
            })
            .collect()
    };
    for _ in 0..6 {
        let (before, steps) = (strains(&simulation), simulation.state().steps);
        let report = simulation.advance(FRAME_S, FRAME_S).unwrap();
        assert_eq!(report.over_tolerance, 0);
        let steps = (simulation.state().steps - steps) as f64;
        let after = strains(&simulation);
        let changes = before.iter().zip(&after).map(|(a, b)| (a - b).abs());
        let largest = changes.fold(0.0, f64::max);
        assert!(largest <= 2e-3 * steps, "{largest} in {steps} steps");
    }
}

#[test]
fn a_resumed_run_is_the_uninterrupted_one() {
    let config = config(Some(by_error(1e-2)));
    let (whole, ..) = run(config, 6, FRAME_S);
    let (half, ..) = run(config, 3, FRAME_S);
    let mut resumed = Simulation::new(swinging(), config);
    resumed.restore(half.state().clone());
    for _ in 0..3 {
        resumed.advance(FRAME_S, FRAME_S).unwrap();
    }
    assert_eq!(whole.state(), resumed.state());
}

#[test]
fn an_explicit_scheme_finds_a_step_it_can_take() {
    let config = StepConfig {
        integrator: Integrator::SymplecticEuler,
        ..config(Some(by_error(1e-2)))
    };
    let (simulation, steps, retries) = run(config, 2, FRAME_S);
    assert!(
        steps > 20 && retries > 0,
        "{steps} steps, {retries} retries"
    );
    assert!(simulation.state().positions.iter().all(|x| x.is_finite()));
}

#[test]
fn what_fails_at_the_shortest_step_is_an_error_and_keeps_the_state() {
    let config = StepConfig {
        integrator: Integrator::SymplecticEuler,
        ..config(Some(Adaptive {
            min_step_s: 0.9 * FRAME_S,
            ..by_error(1e-2)
        }))
    };
    let mut simulation = Simulation::new(swinging(), config);
    let before = simulation.state().positions.clone();
    assert!(simulation.advance(FRAME_S, FRAME_S).is_err());
    assert_eq!(simulation.state().positions, before);
    assert_eq!(simulation.state().time_s, 0.0);
}

/// What comes after a good frame is no number, so that no step is short enough.
#[test]
fn a_frame_that_fails_says_how_often_its_steps_were_taken_again() {
    for adaptive in [None, Some(by_error(1e-2))] {
        let mut simulation = Simulation::new(swinging(), config(adaptive));
        let report = simulation.advance(FRAME_S, FRAME_S).unwrap();
        assert_eq!(*simulation.last_frame(), report);
        let mut state = simulation.state().clone();
        state.positions[7].y = f64::NAN;
        state.next_step_s = None;
        simulation.restore(state);
        assert!(simulation.advance(FRAME_S, 0.5 * FRAME_S).is_err());
        let failed = simulation.last_frame();
        assert_eq!(failed.steps, 0);
        // Six halvings, or as many as lead to the shortest adaptive step: by a fifth each.
        let expected = if adaptive.is_none() { 6 } else { 5 };
        assert_eq!(failed.retries, expected);
        assert!(failed.phases.total_s > 0.0);
    }
}

/// So loose a tolerance leaves nothing but the rules that every step is held to: they do not ask who takes it.
#[test]
fn an_adaptive_step_is_refused_for_what_any_step_is() {
    for adaptive in [None, Some(by_error(1e9))] {
        let config = StepConfig {
            max_stretch_step: 1e-5,
            ..config(adaptive)
        };
        let mut simulation = Simulation::new(swinging(), config);
        let report = simulation.advance(FRAME_S, FRAME_S).unwrap();
        assert!(report.retries > 0, "{adaptive:?}: {report:?}");
    }
}
