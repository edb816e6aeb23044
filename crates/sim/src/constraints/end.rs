//! The end of a step: what constraints change in it, and in the memory of a multistep scheme.

use glam::DVec3;
use toile_numerics::Hold;
use toile_numerics::integrate::bdf2::History;

/// The end of a step, with the past that the next step will remember.
pub struct End<'a> {
    /// New positions.
    pub positions: &'a mut [DVec3],
    /// New velocities.
    pub velocities: &'a mut [DVec3],
    /// The past, as seen by the next step.
    pub history: Option<&'a mut History>,
}

impl End<'_> {
    /// Makes the held part of a particle's motion zero, now and in memory.
    pub fn settle(&mut self, particle: usize, hold: Hold) {
        self.follow(particle, hold, DVec3::ZERO, 0.0);
    }

    /// Makes the held part of a particle's velocity `velocity`, now and in memory: as if it had
    /// come that way for ever.
    pub fn follow(&mut self, particle: usize, hold: Hold, velocity: DVec3, step_s: f64) {
        let velocity = hold.held_part(velocity);
        self.velocities[particle] = hold.free_part(self.velocities[particle]) + velocity;
        if let Some((past_position, past_velocity)) = self.past(particle) {
            let moved = self.positions[particle] - past_position;
            let past_position = past_position + (hold.held_part(moved) - step_s * velocity);
            let past_velocity = hold.free_part(past_velocity) + velocity;
            self.remember(particle, past_position, past_velocity);
        }
    }

    /// Makes the held part of a particle's memory that of free flight, so that it leaves without
    /// a kick.
    pub fn let_go(&mut self, particle: usize, hold: Hold, gravity: DVec3) {
        let step_s = self.history.as_ref().map_or(0.0, |history| history.step_s);
        if let Some((past_position, past_velocity)) = self.past(particle) {
            let change = step_s * hold.held_part(gravity);
            self.remember(
                particle,
                past_position + 0.5 * step_s * change,
                past_velocity - change,
            );
        }
    }

    fn past(&self, particle: usize) -> Option<(DVec3, DVec3)> {
        let range = 3 * particle..3 * particle + 3;
        self.history.as_ref().map(|history| {
            (
                DVec3::from_slice(&history.positions[range.clone()]),
                DVec3::from_slice(&history.velocities[range]),
            )
        })
    }

    fn remember(&mut self, particle: usize, position: DVec3, velocity: DVec3) {
        let range = 3 * particle..3 * particle + 3;
        if let Some(history) = &mut self.history {
            position.write_to_slice(&mut history.positions[range.clone()]);
            velocity.write_to_slice(&mut history.velocities[range]);
        }
    }

    /// Changes a particle's velocity and position suddenly, transporting its memory along.
    pub fn jump(&mut self, particle: usize, velocity_change: DVec3, position_change: DVec3) {
        self.velocities[particle] += velocity_change;
        self.positions[particle] += position_change;
        if let Some(history) = &mut self.history {
            for axis in 0..3 {
                history.transport(
                    3 * particle + axis,
                    velocity_change[axis],
                    position_change[axis],
                );
            }
        }
    }
}
