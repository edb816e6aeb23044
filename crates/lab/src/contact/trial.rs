//! One scene from start to end, with everything that contact can be asked for after every step.

use super::scenes::Scene;
use crate::experiment::Error;
use std::sync::Arc;
use toile_sim::contact::Remembered;
use toile_sim::report::{Energy, Phases, Stretch, collider_penetration_m};
use toile_sim::{FrameReport, Model, Simulation, State, StepConfig, Watch};

/// What was seen.
#[derive(Default)]
pub struct Trial {
    /// Steps taken, and those that failed and were taken again in halves.
    pub steps: u32,
    /// See above.
    pub retries: u32,
    /// Most pairs of triangles that met after any step.
    pub crossings: usize,
    /// Most contacts of cloth with cloth after a step.
    pub touches: usize,
    /// The deepest particle in a collider after any step, m.
    pub penetration_m: f64,
    /// The largest rise of the energy in one step, as a share of the largest kinetic energy.
    pub energy_rise: f64,
    /// The same of the same scene without contact of cloth with cloth: what the integrator, the
    /// colliders and the strain limit do.
    pub rise_without: f64,
    /// Motion that the guard changed, as a share of all motion.
    pub guarded: f64,
    /// Kinetic energy that the guard took, as a share of the largest.
    pub guard_took: f64,
    /// Where the time went.
    pub phases: Phases,
    /// Pairs whose boxes overlapped, the sum over steps.
    pub pairs: usize,
    /// Energy in shares of the largest kinetic energy at each moment, 0 at the end.
    pub energy: Vec<[f64; 2]>,
    /// The share of all motion so far that the guard changed, at each moment.
    pub guarded_so_far: Vec<[f64; 2]>,
    /// Iterations of all linear solves.
    pub iterations: u64,
    /// The largest stretch of any edge after any step.
    pub stretch_max: f64,
    /// Simulated time, s.
    pub simulated_s: f64,
}

/// Energy of motion, deformation, height, and contact of cloth with cloth, J.
fn energy_j(model: &Model, state: &State) -> f64 {
    let contacts = state.touches.iter();
    Energy::of(model, state).total_j() + contacts.map(Remembered::energy_j).sum::<f64>()
}

impl Trial {
    /// Carries out a scene, with and without contact of cloth with cloth.
    pub fn of(scene: &Scene) -> Result<Self, Error> {
        Self::observed(scene, &mut |_| true)
    }

    /// The same with a look at the end of every step, as long as `look` says yes.
    pub fn observed(
        scene: &Scene,
        look: &mut dyn FnMut(&Simulation) -> bool,
    ) -> Result<Self, Error> {
        let mut trial = Self::carried_out(scene, true, look)?;
        if scene.judged.energy {
            trial.rise_without = Self::carried_out(scene, false, &mut |_| true)?.energy_rise;
        }
        Ok(trial)
    }

    fn carried_out(
        scene: &Scene,
        in_contact: bool,
        look: &mut dyn FnMut(&Simulation) -> bool,
    ) -> Result<Self, Error> {
        let config = StepConfig {
            contact: scene.config.contact.filter(|_| in_contact),
            ..scene.config
        };
        let mut simulation = Simulation::new(Arc::new(Model::build(&scene.model)?), config);
        if in_contact {
            simulation.watch(Watch::Count);
        }
        let mut trial = Self::default();
        let (mut change_m, mut motion_m, mut took_j) = (0.0, 0.0, 0.0);
        let mut kinetic_j = 0.0_f64;
        let start = energy_j(simulation.model(), simulation.state());
        let mut energies = vec![[0.0, start]];
        for _ in 0..(scene.duration_s / scene.step_s).round() as usize {
            let report = simulation.advance(scene.step_s, scene.step_s)?;
            let (model, state) = (simulation.model(), simulation.state());
            trial.add(&report);
            change_m += report.guard.change_m;
            motion_m += report.guard.motion_m;
            took_j += report.guard.energy_j;
            let penetration_m = collider_penetration_m(model, state);
            trial.penetration_m = trial.penetration_m.max(penetration_m);
            kinetic_j = kinetic_j.max(Energy::of(model, state).kinetic_j);
            trial.stretch_max = trial.stretch_max.max(Stretch::of(model, state).max);
            trial.simulated_s = state.time_s;
            energies.push([state.time_s, energy_j(model, state)]);
            trial.guarded = change_m / f64::max(motion_m, f64::MIN_POSITIVE);
            trial.guarded_so_far.push([state.time_s, trial.guarded]);
            if !look(&simulation) {
                break;
            }
        }
        trial.guard_took = took_j / kinetic_j;
        let rises = energies.windows(2).map(|pair| pair[1][1] - pair[0][1]);
        trial.energy_rise = rises.fold(0.0, f64::max) / kinetic_j;
        let end = energies.last().map_or(0.0, |last| last[1]);
        trial.energy = (energies.into_iter())
            .map(|[time_s, joule]| [time_s, (joule - end) / kinetic_j])
            .collect();
        Ok(trial)
    }

    fn add(&mut self, report: &FrameReport) {
        self.steps += report.steps;
        self.retries += report.retries;
        self.iterations += report.solver.iterations;
        self.crossings = self.crossings.max(report.crossings.cloth_max.unwrap_or(0));
        self.touches = self.touches.max(report.contact.touches_max);
        self.pairs += report.contact.pairs_max;
        self.phases += &report.phases;
    }

    /// Time of all steps without the exact test, which is no part of a simulation, s.
    pub fn time_s(&self) -> f64 {
        self.phases.total_s - self.phases.verify_s
    }

    /// The same of a step, s.
    pub fn step_time_s(&self) -> f64 {
        self.time_s() / f64::from(self.steps.max(1))
    }
}
