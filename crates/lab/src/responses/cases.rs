//! The same scenes with each answer to contact.

use crate::contact::scenes::{self, Judged, Scene};
use crate::contact::trial::Trial;
use crate::experiment::Error;
use crate::friction::slope::{HELD_S, On, SETTLING_S, Slope, creep_m_per_s};
use glam::DVec3;
use toile_sim::{Preconditioner, Response, Simulation, Solve, StepConfig};

/// The answers and their names in scene files.
pub const RESPONSES: [(&str, Response); 3] = [
    ("solver", Response::Solver),
    ("impulses", Response::Impulses { restitution: 0.0 }),
    ("particles", Response::Particles),
];

/// A slope that friction holds: its tangent is 0.364.
pub const SLOPE: Slope = Slope {
    on: On::Cloth,
    angle_deg: 20.0,
    friction: 0.5,
    step_s: 1.0 / 120.0,
    solve: Solve::Auto,
};
/// What has slid as far as this will not be held any more, m; the slope ends 0.28 m further down.
const SLID_M: f64 = 0.5;

/// What is looked at in a scene besides contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Whether cloth that friction holds creeps.
    Creep,
    /// What the answer does to the motion.
    Motion,
    /// The same, and to the momentum of everything.
    Momentum,
}

/// A scene and what is asked of it.
pub struct Case {
    /// The scene.
    pub scene: Scene,
    /// The question.
    pub asked: Asked,
}

/// What one answer did in a scene.
pub struct Outcome {
    /// Its name.
    pub response: &'static str,
    /// What was seen.
    pub trial: Trial,
    /// Speed of creep, m/s.
    pub creep_m_per_s: f64,
    /// Change of the momentum of everything at each moment, as a share of what all particles have at the
    /// start.
    pub momentum: Vec<[f64; 2]>,
    /// The largest change in a frame beyond what the guard says that it has changed.
    pub momentum_own: f64,
    /// The way down the slope at each moment, m.
    pub way: Vec<[f64; 2]>,
}

/// All of them.
pub fn all() -> Vec<Case> {
    let slope = Scene {
        name: "slope",
        size: "9²".into(),
        model: SLOPE.model(),
        config: SLOPE.config(),
        step_s: SLOPE.step_s,
        duration_s: SETTLING_S + HELD_S,
        judged: Judged::LED,
    };
    let impact = scenes::impact(17);
    // Momentum is exact where the linear system is solved exactly.
    let exact = StepConfig {
        preconditioner: Preconditioner::Direct,
        linear_tolerance: 1e-12,
        ..impact.config
    };
    let impact = Scene {
        config: exact,
        ..impact
    };
    let drape = scenes::standard("drape-self", 26, 1.0 / 120.0, 2.0);
    let mut cases = vec![
        Case::new(slope, Asked::Creep),
        Case::new(scenes::stack(17), Asked::Motion),
        Case::new(impact, Asked::Momentum),
    ];
    cases.extend(drape.map(|scene| Case::new(scene, Asked::Motion)));
    cases
}

impl Case {
    fn new(scene: Scene, asked: Asked) -> Self {
        Self { scene, asked }
    }

    /// Carries the scene out with every answer.
    pub fn outcomes(&self) -> Result<Vec<Outcome>, Error> {
        let each = RESPONSES.iter();
        each.map(|(name, response)| self.outcome(name, *response))
            .collect()
    }

    fn outcome(&self, name: &'static str, response: Response) -> Result<Outcome, Error> {
        let scene = Scene {
            config: StepConfig {
                response,
                ..self.scene.config
            },
            ..self.scene.clone()
        };
        let mut way: Vec<[f64; 2]> = Vec::new();
        let mut start_m = None;
        let mut ledger = Ledger::default();
        let mut look = |simulation: &Simulation| {
            let state = simulation.state();
            if self.asked == Asked::Creep {
                let place_m = SLOPE.along(&state.positions);
                way.push([state.time_s, place_m - *start_m.get_or_insert(place_m)]);
            }
            if self.asked == Asked::Momentum {
                ledger.add(simulation);
            }
            way.last().is_none_or(|last| last[1] < SLID_M)
        };
        let trial = Trial::observed(&scene, &mut look)?;
        Ok(Outcome {
            response: name,
            trial,
            creep_m_per_s: creep_m_per_s(&way),
            momentum: ledger.changes,
            momentum_own: ledger.own,
            way,
        })
    }
}

/// The momentum of everything from frame to frame.
#[derive(Default)]
struct Ledger {
    /// That at the end of the first frame, in which nothing meets, and of all particles then, N s.
    start: Option<(DVec3, f64)>,
    last: DVec3,
    changes: Vec<[f64; 2]>,
    own: f64,
}

impl Ledger {
    fn add(&mut self, simulation: &Simulation) {
        let (now, all) = momentum_n_s(simulation);
        let (start, all) = match self.start {
            Some(start) => {
                let by_guard = simulation.last_frame().guard.momentum_n_s;
                self.own = self.own.max((now.distance(self.last) - by_guard) / start.1);
                start
            }
            None => *self.start.insert((now, all)),
        };
        self.last = now;
        let change = now.distance(start) / all;
        self.changes.push([simulation.state().time_s, change]);
    }
}

/// Momentum of everything, and the sum of that of all particles without their directions.
fn momentum_n_s(simulation: &Simulation) -> (DVec3, f64) {
    let masses = simulation.model().masses.iter();
    let each = masses.zip(&simulation.state().velocities);
    each.fold((DVec3::ZERO, 0.0), |(sum, all), (mass, velocity)| {
        (sum + *mass * *velocity, all + mass * velocity.length())
    })
}

impl Outcome {
    /// Energy that contact adds in a step, as a share of the largest kinetic energy.
    pub fn energy_rise(&self) -> f64 {
        (self.trial.energy_rise - self.trial.rise_without).max(0.0)
    }

    /// Energy lost from start to end, as a share of the largest kinetic energy.
    pub fn energy_lost(&self) -> f64 {
        self.trial.energy.first().map_or(0.0, |start| start[1])
    }

    /// The largest change of momentum, as a share of what all particles have at the start.
    pub fn momentum_change(&self) -> f64 {
        self.momentum.iter().map(|p| p[1]).fold(0.0, f64::max)
    }

    /// Time of a frame, s.
    pub fn frame_time_s(&self) -> f64 {
        self.trial.time_s() / (self.trial.simulated_s * crate::bench::FPS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_one_of_the_answers() {
        let defaults = RESPONSES.iter().filter(|r| r.1 == Response::default());
        assert_eq!(defaults.count(), 1);
    }

    #[test]
    fn every_scene_is_there_and_has_contact() {
        let cases = all();
        assert_eq!(cases.len(), 4);
        assert!(cases.iter().all(|case| case.scene.config.contact.is_some()));
    }
}
