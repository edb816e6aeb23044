//! Smooth motions with an answer: a damped oscillator and a cloth in a frame.

use crate::experiment::Error;
use crate::specimen;
use crate::taut::Taut;
use glam::DVec3;
use std::sync::Arc;
use toile_sim::{
    AirSpec, ClothModel, DampingKind, Integrator, Jacobian, Material, Model, ModelSpec, PinRegion,
    PinSpec, Preconditioner, Simulation, Solve, State, StepConfig,
};

/// How a run is cut into steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// All alike.
    Equal,
    /// Long and short in the ratio 2 : 1.
    Alternating,
    /// Sixteen lengths that look random, within a factor of 7/3, over and over.
    Random,
}

impl Steps {
    /// All of them, by name.
    pub const ALL: [(Self, &str); 3] = [
        (Self::Equal, "equal"),
        (Self::Alternating, "alternating"),
        (Self::Random, "pseudo-random"),
    ];

    /// Lengths of `count` steps that take `duration_s` together, s.
    pub fn lengths_s(self, count: usize, duration_s: f64) -> Vec<f64> {
        let mut noise = specimen::noise(7);
        let pattern: Vec<f64> = match self {
            Self::Equal => vec![1.0],
            Self::Alternating => vec![2.0, 1.0],
            // Neighbours in the ratio 2.4 make BDF2 start again.
            Self::Random => (0..16).map(|_| 1.0 + 0.4 * noise()).collect(),
        };
        let shares = || pattern.iter().cycle().take(count);
        let sum: f64 = shares().sum();
        shares().map(|share| share * duration_s / sum).collect()
    }
}

/// A start, an end, and what moves in between.
pub struct Problem {
    /// What moves.
    pub model: Arc<Model>,
    /// Where it starts.
    pub start: State,
    /// For how long, s.
    pub duration_s: f64,
    /// Where it would be at rest.
    pub rest: Vec<DVec3>,
    /// A frequency of the motion, rad/s, to weigh positions against velocities.
    pub frequency_per_s: f64,
}

/// Where a run ended and what it took.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Positions, m.
    pub positions: Vec<DVec3>,
    /// Velocities, m/s.
    pub velocities: Vec<DVec3>,
    /// Linear solves.
    pub solves: u32,
    /// Linear iterations.
    pub iterations: u32,
    /// Time the steps took, s.
    pub time_s: f64,
    /// The smallest extension of any link on the way, as a share of its length.
    pub least_stretch: f64,
}

impl Problem {
    /// Runs through steps of these lengths.
    pub fn run(&self, config: StepConfig, steps_s: &[f64]) -> Result<Outcome, Error> {
        let mut simulation = Simulation::new(self.model.clone(), config);
        simulation.restore(self.start.clone());
        let mut outcome = Outcome {
            least_stretch: f64::INFINITY,
            ..Outcome::default()
        };
        let mut stretch = Vec::new();
        for step_s in steps_s {
            let report = simulation.step(*step_s)?;
            outcome.solves += report.integration.solves;
            outcome.iterations += report.integration.linear_iterations;
            outcome.time_s += report.phases.total_s;
            stretch.clear();
            for family in &self.model.materials.stretch {
                family.stretch(&simulation.state().positions, &mut stretch);
            }
            outcome.least_stretch = stretch
                .iter()
                .copied()
                .fold(outcome.least_stretch, f64::min);
        }
        let state = simulation.state();
        outcome.positions.clone_from(&state.positions);
        outcome.velocities.clone_from(&state.velocities);
        Ok(outcome)
    }

    /// Distance between two ends in the norm of energy, as a share of the second's distance from
    /// rest.
    pub fn error(&self, end: &Outcome, exact: &Outcome) -> f64 {
        let square =
            |x: DVec3, v: DVec3| (self.frequency_per_s * x).length_squared() + v.length_squared();
        let (mut apart, mut size) = (0.0, 0.0);
        for i in 0..self.rest.len() {
            let (x, v) = (exact.positions[i], exact.velocities[i]);
            apart += square(end.positions[i] - x, end.velocities[i] - v);
            size += square(x - self.rest[i], v);
        }
        (apart / size).sqrt()
    }
}

/// Every solve to rounding.
pub fn exactly(integrator: Integrator, solve: Solve) -> StepConfig {
    StepConfig {
        integrator,
        solve,
        preconditioner: Preconditioner::Direct,
        newton_tolerance: 1e-12,
        newton_max_iterations: 60,
        ..StepConfig::default()
    }
}

/// An oscillator of this frequency and damping rate, both 1/s: four particles on soft pins in thick
/// air, which move alike, so that their links do nothing. Along x they start displaced, along z
/// with a velocity, along y with both.
pub fn oscillator(
    frequency_per_s: f64,
    damping_per_s: f64,
    duration_s: f64,
) -> Result<Problem, Error> {
    let material = Material {
        area_density_kg_per_m2: 4.0,
        ..Taut::limp(1e-12, 0.0)
    };
    // A quarter of four kilograms each; the first is at rest in the origin, so that its motion may
    // die away to any size.
    let mut cloth = specimen::sheet(2, 2, 1.0, material);
    if let Some(sheet) = cloth.sheet_mut() {
        sheet.center = DVec3::new(0.5, 0.0, -0.5);
    }
    cloth.pins.push(PinSpec {
        soft_n_per_m: Some(frequency_per_s * frequency_per_s),
        ..PinSpec::fixed(PinRegion::Indices((0..4).collect()))
    });
    let model = Arc::new(Model::build(&ModelSpec {
        air: AirSpec {
            damping_per_s,
            wind: None,
        },
        cloths: vec![cloth],
        ..ModelSpec::default()
    })?);
    let mut start = State::start(&model);
    let rest = start.positions.clone();
    let (x, v) = oscillator_start(frequency_per_s);
    start
        .positions
        .iter_mut()
        .for_each(|position| *position += x);
    start.velocities.fill(v);
    Ok(Problem {
        model,
        start,
        duration_s,
        rest,
        frequency_per_s,
    })
}

/// Displacement, m, and velocity, m/s, of the oscillator at the start.
fn oscillator_start(frequency_per_s: f64) -> (DVec3, DVec3) {
    (
        DVec3::new(0.1, 0.04, 0.0),
        0.1 * frequency_per_s * DVec3::new(0.0, -0.9, 1.0),
    )
}

/// The end of [`oscillator`] in closed form, for less than critical damping.
pub fn oscillator_end(problem: &Problem, damping_per_s: f64) -> Outcome {
    let (omega, c, t) = (problem.frequency_per_s, damping_per_s, problem.duration_s);
    let (x, v) = oscillator_start(omega);
    let w = (omega * omega - 0.25 * c * c).sqrt();
    let (a, b) = (x, (v + 0.5 * c * x) / w);
    let (sin, cos) = (w * t).sin_cos();
    let decay = (-0.5 * c * t).exp();
    let place = decay * (a * cos + b * sin);
    let speed = decay * w * (b * cos - a * sin) - 0.5 * c * place;
    Outcome {
        positions: problem.rest.iter().map(|rest| *rest + place).collect(),
        velocities: vec![speed; problem.rest.len()],
        ..Outcome::default()
    }
}

/// What an implicit step of the framed cloth knows of its forces' derivatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knowledge {
    /// Links along which dampers act; the matrix lacks how these turn. With Newton this does not
    /// matter.
    Usual,
    /// Isotropic dampers and the exact Jacobian: nothing is missing.
    Exact,
    /// Springs whose transverse stiffness is dropped, as that of everything is that can push.
    Dropped,
}

/// A cloth in a frame, stretched by a tenth and struck, in its plane and out of it, so that no link
/// goes slack.
pub fn framed_cloth(knowledge: Knowledge) -> Result<Problem, Error> {
    let material = Material {
        damping_n_s_per_m: 1e-2,
        damping: match knowledge {
            Knowledge::Exact => DampingKind::Isotropic,
            Knowledge::Usual | Knowledge::Dropped => DampingKind::Axial,
        },
        jacobian: match knowledge {
            Knowledge::Exact => Jacobian::Exact,
            Knowledge::Usual | Knowledge::Dropped => Jacobian::DropOrthogonal,
        },
        ..Taut::limp(20.0, 10.0)
    };
    let taut = Taut {
        cells: 4,
        spacing_m: 0.05,
        strain: 0.1,
        laws: match knowledge {
            Knowledge::Dropped => ClothModel::QuadHookean,
            Knowledge::Usual | Knowledge::Exact => ClothModel::QuadBuckling,
        },
        material,
    };
    let (model, mut start) = taut.build()?;
    let rest = start.positions.clone();
    let frequency_per_s = taut.frequency_per_s(1, 1, true);
    let (first, second, third) = (taut.mode(1, 1), taut.mode(2, 1), taut.mode(1, 2));
    for (i, v) in start.velocities.iter_mut().enumerate() {
        *v = DVec3::new(
            0.25 * second[i],
            0.7 * first[i] + 0.2 * third[i],
            0.2 * third[i],
        );
    }
    Ok(Problem {
        model,
        start,
        duration_s: 0.05,
        rest,
        frequency_per_s,
    })
}
