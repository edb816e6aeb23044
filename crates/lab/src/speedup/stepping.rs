//! Advancing by a frame with a fixed step, or with steps that adapt to what the cloth will bear.
//!
//! The adaptive control is the usual one of its time. A step is taken back and halved when it
//! fails (a matrix that is not positive definite, a position that is not finite) or changes the
//! strain of a link too much; after a few good steps in a row the next is twice as long again, up to a
//! whole frame.

use std::time::Instant;
use toile_sim::{Simulation, State, StepError};

/// Shortest steps in a frame: a power of two, so that halves of halves meet its end.
const TICKS: u32 = 256;
/// Good steps in a row before a longer one is tried.
const PATIENCE: u32 = 4;

/// How a frame is divided.
#[derive(Clone, Copy, PartialEq)]
pub enum Stepping {
    /// Not at all: one step.
    Fixed,
    /// As far as needed to change no link's strain by more than this in a step.
    Adaptive(f64),
}

/// The work of a run.
#[derive(Clone, Copy, Default)]
pub struct Work {
    /// Steps that were kept.
    pub steps: u32,
    /// Steps taken back because they failed.
    pub failed: u32,
    /// Steps taken back because they changed a strain too much.
    pub strained: u32,
    /// Linear solves; a failed step does not tell its own.
    pub solves: u32,
    /// Iterations of these.
    pub iterations: u64,
    /// The shortest step, s.
    pub shortest_s: f64,
    /// Time spent in steps, s.
    pub wall_s: f64,
}

impl Work {
    /// Steps that were kept or taken back.
    pub fn tried(&self) -> u32 {
        self.steps + self.failed + self.strained
    }
}

/// A simulation and how it is stepped.
pub struct Stepper {
    simulation: Simulation,
    stepping: Stepping,
    frame_s: f64,
    /// Length of the next step.
    ticks: u32,
    good: u32,
    /// What it took so far.
    pub work: Work,
}

impl Stepper {
    /// Frames of `frame_s` of `simulation`.
    pub fn new(simulation: Simulation, stepping: Stepping, frame_s: f64) -> Self {
        Self {
            simulation,
            stepping,
            frame_s,
            ticks: TICKS,
            good: 0,
            work: Work {
                shortest_s: frame_s,
                ..Work::default()
            },
        }
    }

    /// Where it is now.
    pub fn state(&self) -> &State {
        self.simulation.state()
    }

    /// Advances by a frame. Fails when the shortest step, or a fixed one, does.
    pub fn frame(&mut self) -> Result<(), StepError> {
        let mut at = 0;
        while at < TICKS {
            let longer = 2 * self.ticks;
            if self.good >= PATIENCE && longer <= TICKS && at % longer == 0 {
                (self.ticks, self.good) = (longer, 0);
            }
            if self.step()? {
                at += self.ticks;
                self.good += 1;
            } else {
                self.ticks /= 2;
                self.good = 0;
            }
        }
        Ok(())
    }

    /// Tries a step; says whether it was kept.
    fn step(&mut self) -> Result<bool, StepError> {
        let step_s = self.frame_s * f64::from(self.ticks) / f64::from(TICKS);
        let divisible = self.stepping != Stepping::Fixed && self.ticks > 1;
        let before = divisible.then(|| self.state().clone());
        let clock = Instant::now();
        let taken = self.simulation.step(step_s);
        self.work.wall_s += clock.elapsed().as_secs_f64();
        let report = match taken {
            Err(_) if divisible => {
                self.work.failed += 1;
                return Ok(false);
            }
            other => other?,
        };
        self.work.solves += report.integration.solves;
        self.work.iterations += u64::from(report.integration.linear_iterations);
        if let (Stepping::Adaptive(limit), Some(before)) = (self.stepping, before)
            && self.strain_change(&before) > limit
        {
            self.simulation.restore(before);
            self.work.strained += 1;
            return Ok(false);
        }
        self.work.steps += 1;
        self.work.shortest_s = self.work.shortest_s.min(step_s);
        Ok(true)
    }

    /// The largest change of a link's strain since `before`.
    fn strain_change(&self, before: &State) -> f64 {
        let [then, now] = [before, self.state()].map(|state| {
            let mut strains = Vec::new();
            for family in &self.simulation.model().materials.stretch {
                family.stretch(&state.positions, &mut strains);
            }
            strains
        });
        let changes = then.iter().zip(&now).map(|(a, b)| (a - b).abs());
        changes.fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::specimen;
    use toile_sim::{Material, StepConfig};

    fn steps_of_a_frame(stepping: Stepping) -> (Work, f64) {
        let sheet = specimen::sheet(6, 6, 0.02, Material::default());
        let held = specimen::held(sheet, |column, row| column == 0 && row == 0);
        let model = specimen::model(held, specimen::GRAVITY).unwrap();
        let mut simulation = Simulation::new(model, StepConfig::default());
        // A blow that stretches the links around the middle at once.
        let mut state = simulation.state().clone();
        state.velocities[14].y = 2.0;
        simulation.restore(state);
        let mut stepper = Stepper::new(simulation, stepping, 0.01);
        stepper.frame().unwrap();
        (stepper.work, stepper.state().time_s)
    }

    #[test]
    fn steps_adapt_and_still_end_with_the_frame() {
        let (fixed, end_s) = steps_of_a_frame(Stepping::Fixed);
        assert_eq!((fixed.steps, fixed.tried()), (1, 1));
        assert!((end_s - 0.01).abs() < 1e-12);
        let (careful, end_s) = steps_of_a_frame(Stepping::Adaptive(1e-3));
        assert!((end_s - 0.01).abs() < 1e-12, "{end_s}");
        assert!(careful.strained > 0 && careful.steps > 1);
        assert!(careful.shortest_s < 0.01);
        let (easy, _) = steps_of_a_frame(Stepping::Adaptive(1e3));
        assert_eq!(easy.tried(), 1);
    }
}
