//! What changes during a run: exactly what a checkpoint needs.

use crate::constraints::stick::Bond;
use crate::contact::Remembered;
use crate::contact::collider::ColliderContact;
use crate::model::Model;
use glam::DVec3;
use toile_numerics::integrate::Rates;
use toile_numerics::integrate::bdf2::History;

/// The moving part of a simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Simulated time, s.
    pub time_s: f64,
    /// Steps taken.
    pub steps: u64,
    /// Positions, m.
    pub positions: Vec<DVec3>,
    /// Velocities, m/s.
    pub velocities: Vec<DVec3>,
    /// One step earlier, for multistep schemes; `None` before the first step and after a blow.
    pub history: Option<History>,
    /// Accelerations, m/s², for schemes that remember them; `None` before the first step.
    pub acceleration: Option<Vec<DVec3>>,
    /// The fastest motions when they were last estimated, for schemes whose steps have a limit.
    pub rates: Option<Rates>,
    /// Length that an adaptive step would have next, s.
    pub next_step_s: Option<f64>,
    /// What elements remember: the angles of hinges, which go on through full folds.
    pub memory: Vec<f64>,
    /// Contacts that are held in the next step, ascending by particle.
    pub contacts: Vec<ColliderContact>,
    /// Contacts of cloth with cloth and bodies, ascending by pair.
    pub touches: Vec<Remembered>,
    /// What sticks to what, ascending by particle and stick.
    pub bonds: Vec<Bond>,
}

impl State {
    /// The start of a run.
    pub fn start(model: &Model) -> Self {
        Self {
            time_s: 0.0,
            steps: 0,
            positions: model.start_positions.clone(),
            velocities: model.start_velocities.clone(),
            history: None,
            acceleration: None,
            rates: None,
            next_step_s: None,
            memory: model.start_memory(),
            contacts: Vec::new(),
            touches: Vec::new(),
            bonds: model.fastened.clone(),
        }
    }
}
