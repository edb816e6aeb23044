//! How the cost of self-contact grows with the number of particles.

use super::scenes;
use crate::experiment::Error;
use std::sync::Arc;
use toile_sim::{Model, Simulation};

/// Particles along a side.
pub const SIDES: [usize; 3] = [51, 101, 201];
const STEP_S: f64 = 1.0 / 120.0;
/// Steps that are counted: a second, in which the cloth falls, folds and swings.
const STEPS: usize = 120;

/// The cost of one step, as a mean.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// Particles along a side.
    pub side: usize,
    /// Pairs whose boxes overlap: each is looked at by the guard, and those of them that are near by
    /// the forces.
    pub pairs: f64,
    /// Contacts.
    pub touches: f64,
    /// Time of finding contacts and of the guard, s.
    pub contact_s: f64,
    /// Time of the whole step, s.
    pub step_s: f64,
}

impl Cost {
    /// Drapes a cloth with this many particles along a side.
    pub fn of(side: usize) -> Result<Self, Error> {
        let mut cost = Self {
            side,
            ..Self::default()
        };
        let Some(scene) = scenes::standard("drape-self", side, STEP_S, 0.0) else {
            return Ok(cost);
        };
        let model = Arc::new(Model::build(&scene.model)?);
        let mut simulation = Simulation::new(model, scene.config);
        for _ in 0..STEPS {
            let report = simulation.advance(STEP_S, STEP_S)?;
            let share = (STEPS as f64).recip();
            cost.pairs += share * report.contact.pairs_max as f64;
            cost.touches += share * report.contact.touches_max as f64;
            cost.contact_s += share * (report.phases.proximity_s + report.phases.guard_s);
            cost.step_s += share * report.phases.total_s;
        }
        Ok(cost)
    }

    /// `n log n`.
    pub fn yardstick(&self) -> f64 {
        let particles = (self.side * self.side) as f64;
        particles * particles.ln()
    }
}
