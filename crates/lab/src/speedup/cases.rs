//! The curtain, the ways to simulate it, and what is measured.

use super::stepping::{Stepper, Stepping, Work};
use crate::experiment::Error;
use crate::specimen;
use glam::DVec3;
use std::sync::Arc;
use toile_sim::report::Stretch;
use toile_sim::{
    AirSpec, ClothModel, ClothSpec, Compression, DampingKind, Integrator, Interpolation, Jacobian,
    Keyframe, Keyframes, Material, Model, ModelSpec, Motion, PinRegion, PinSpec, Preconditioner,
    Simulation, StepConfig, WindSpec,
};
use toile_view::field::curvatures_per_m;

const SIDE: usize = 51;
const SPACING_M: f64 = 0.02;
/// Columns from hook to hook.
const HOOK_EVERY: usize = 5;
/// The course's step, s.
pub const FRAME_S: f64 = 1.0 / 90.0;
/// Frames in a run.
pub const FRAMES: usize = 300;
/// Frames between two pictures.
const SHOT_EVERY: usize = 75;
/// The cloth is flat at the start to this, m: a perfect one would not know where to fold.
const ROUGHNESS_M: f64 = 1e-3;
/// Root mean square curvature of the folds, 1/m.
const FOLDS_PER_M: f64 = 28.0;
/// The largest change of a strain that an adaptive step may make.
const STRAIN_CHANGE: f64 = 0.02;

/// A way to simulate the curtain.
pub struct Case {
    /// In words.
    pub name: &'static str,
    model: ClothModel,
    jacobian: Jacobian,
    /// Dampers in every direction in place of the fabric's own, N·s/m.
    fictitious_n_s_per_m: Option<f64>,
    stepping: Stepping,
    preconditioner: Preconditioner,
}

impl Case {
    /// Springs as they were used.
    const fn springs(name: &'static str, fictitious_n_s_per_m: f64) -> Self {
        Self {
            name,
            model: ClothModel::QuadHookean,
            jacobian: Jacobian::Exact,
            fictitious_n_s_per_m: Some(fictitious_n_s_per_m),
            stepping: Stepping::Adaptive(STRAIN_CHANGE),
            preconditioner: Preconditioner::BlockDiagonal,
        }
    }

    /// Definite matrices, fixed steps and the fabric's own dampers.
    const fn fixed(name: &'static str, model: ClothModel, preconditioner: Preconditioner) -> Self {
        Self {
            name,
            model,
            jacobian: Jacobian::DropOrthogonal,
            fictitious_n_s_per_m: None,
            stepping: Stepping::Fixed,
            preconditioner,
        }
    }
}

/// All ways.
pub const CASES: [Case; 6] = [
    Case::springs("springs, 0.1 N·s/m", 0.1),
    Case::springs("springs, 0.01 N·s/m", 0.01),
    Case::springs("springs, 0.001 N·s/m", 0.001),
    Case::fixed(
        "springs, definite",
        ClothModel::QuadHookean,
        Preconditioner::BlockDiagonal,
    ),
    Case::fixed(
        "buckling",
        ClothModel::QuadBuckling,
        Preconditioner::BlockDiagonal,
    ),
    Case::fixed(
        "buckling, multilevel",
        ClothModel::QuadBuckling,
        Preconditioner::Multilevel,
    ),
];

/// What came of a run. Lists have a number for each frame.
#[derive(Default)]
pub struct Outcome {
    /// What it took.
    pub work: Work,
    strains: Vec<f64>,
    /// Steps kept.
    pub steps: Vec<f64>,
    /// Root mean square distance from the hooks' plane, m.
    pub folds_m: Vec<f64>,
    /// How far the middle of the hem is behind that of the hooks, m.
    pub lags_m: Vec<f64>,
    /// Root mean square of the larger principal curvature at the last picture, 1/m.
    pub curvature_per_m: f64,
    /// Time, s, and positions, m, of every picture.
    pub shots: Vec<(f64, Vec<DVec3>)>,
}

impl Outcome {
    /// Frames done: all, unless it failed.
    pub fn frames(&self) -> usize {
        self.steps.len()
    }

    /// The largest strain of all.
    pub fn peak_strain(&self) -> f64 {
        self.strains.iter().copied().fold(0.0, f64::max)
    }

    /// The mean of the largest strains of all frames.
    pub fn mean_strain(&self) -> f64 {
        self.strains.iter().sum::<f64>() / self.strains.len().max(1) as f64
    }

    /// The largest lag.
    pub fn swing_m(&self) -> f64 {
        self.lags_m.iter().map(|lag| lag.abs()).fold(0.0, f64::max)
    }
}

fn curtain(case: &Case) -> ClothSpec {
    let fabric = Material::default();
    let material = Material {
        jacobian: case.jacobian,
        damping_n_s_per_m: case
            .fictitious_n_s_per_m
            .unwrap_or(fabric.damping_n_s_per_m),
        damping: match case.fictitious_n_s_per_m {
            Some(_) => DampingKind::Isotropic,
            None => DampingKind::Axial,
        },
        compression: match case.model {
            // An arc of curvature κ stores ½ k_b κ² L and shortens its chord by κ² L³/24; a spring
            // that stores as much has the stiffness 18 k_b/κ² ℓ⁵, and 12 k_b/κ² ℓ⁵ is what a
            // threshold of κ means.
            ClothModel::QuadHookean => {
                Compression::CurvatureThreshold(FOLDS_PER_M * (12.0_f64 / 18.0).sqrt())
            }
            _ => fabric.compression,
        },
        ..fabric
    };
    let cloth = specimen::sheet(SIDE, SIDE, SPACING_M, material);
    let mut cloth = specimen::turned(cloth, DVec3::X, -DVec3::Y);
    cloth.model = case.model;
    let gathered = |time_s: f64, x_m: f64| Keyframe {
        time_s,
        offset_m: DVec3::new(x_m, 0.0, 0.0),
        scale: DVec3::new(0.5, 1.0, 1.0),
        ..Keyframe::START
    };
    let hooks = (0..SIDE).step_by(HOOK_EVERY).map(|column| column as u32);
    cloth.pins.push(PinSpec {
        motion: Motion::Keyframes(Keyframes {
            keys: vec![
                gathered(1.0, 0.0),
                gathered(1.5, 0.4),
                gathered(2.3, -0.4),
                gathered(2.8, 0.0),
            ],
            pivot: None,
            interpolation: Interpolation::Smooth,
        }),
        ..PinSpec::fixed(PinRegion::Indices(hooks.collect()))
    });
    cloth
}

/// Triangles of the curtain.
pub fn faces() -> Vec<[u32; 3]> {
    specimen::rectangle(&curtain(&CASES[0])).grid.faces()
}

/// Simulates the curtain. A run that fails ends there: that is its outcome.
pub fn simulate(case: &Case) -> Result<Outcome, Error> {
    let model = Arc::new(Model::build(&ModelSpec {
        gravity_m_per_s2: DVec3::new(0.0, -specimen::GRAVITY, 0.0),
        air: AirSpec {
            damping_per_s: 0.0,
            wind: Some(WindSpec::default()),
        },
        cloths: vec![curtain(case)],
        ..ModelSpec::default()
    })?);
    let config = StepConfig {
        integrator: Integrator::BackwardEuler,
        preconditioner: case.preconditioner,
        ..StepConfig::default()
    };
    let mut simulation = Simulation::new(model.clone(), config);
    let mut state = simulation.state().clone();
    let mut random = specimen::noise(1);
    for (x, i) in state.positions.iter_mut().zip(0..) {
        if !model.pins.contains(&i) {
            x.z += ROUGHNESS_M * random();
        }
    }
    simulation.restore(state);
    let mut stepper = Stepper::new(simulation, case.stepping, FRAME_S);
    let mut outcome = Outcome::default();
    let faces = faces();
    while outcome.frames() < FRAMES {
        let before = stepper.work.steps;
        if stepper.frame().is_err() {
            break;
        }
        let state = stepper.state();
        let x = &state.positions;
        let hem = SIDE * (SIDE - 1);
        outcome.steps.push(f64::from(stepper.work.steps - before));
        outcome.strains.push(Stretch::of(&model, state).max);
        outcome
            .folds_m
            .push(root_mean_square(x.iter().map(|x| x.z)));
        outcome.lags_m.push(x[SIDE / 2].x - x[hem + SIDE / 2].x);
        if outcome.frames().is_multiple_of(SHOT_EVERY) {
            let curvatures = curvatures_per_m(x, &faces);
            outcome.curvature_per_m = root_mean_square(curvatures.into_iter());
            outcome.shots.push((state.time_s, x.clone()));
        }
    }
    outcome.work = stepper.work;
    Ok(outcome)
}

fn root_mean_square(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len().max(1) as f64;
    (values.map(|value| value * value).sum::<f64>() / count).sqrt()
}
