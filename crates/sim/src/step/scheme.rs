//! Which scheme takes the step, and what it needs to know beforehand.

use crate::config::{Integrator, Solve};
use crate::error::StepError;
use crate::solve::system::ClothSystem;
use crate::state::State;
use crate::step::simulation::Simulation;
use crate::step::stability;
use glam::DVec3;
use toile_numerics::integrate::bdf2::{self, History};
use toile_numerics::integrate::multistep::{self, Coefficients};
use toile_numerics::integrate::{
    Info, Method, NewtonParams, Rates, Start, System, backward_euler, central_difference,
    central_newmark, improved_variable_step, leapfrog_trapezoid, rk4, symplectic_euler,
    trapezoidal,
};

/// Newton iterations of a solve with a blow.
const BLOW_ITERATIONS: u32 = 8;

impl Simulation {
    /// Takes the step with the scheme asked for; the candidate end is in the scratch vectors.
    /// It is searched for from `guess`, if there is one.
    pub(crate) fn integrate(
        &mut self,
        step_s: f64,
        guess: Option<&[DVec3]>,
    ) -> Result<Info, StepError> {
        let ghost = self.ghost_history(step_s);
        let history = ghost.as_ref().or(self.state.history.as_ref());
        let (coefficients, history) = self.coefficients(history, step_s);
        let start = &Start {
            x: bytemuck::cast_slice(&self.state.positions),
            v: bytemuck::cast_slice(&self.state.velocities),
            history,
            acceleration: self.state.acceleration.as_deref().map(bytemuck::cast_slice),
            guess: guess.map(bytemuck::cast_slice),
        };
        let method = self.method();
        let system = &mut ClothSystem::new(&self.model, &self.config, &self.holds, &mut self.work)
            .remembering(&self.state.memory);
        let scratch = &mut self.scratch;
        match self.config.integrator {
            Integrator::BackwardEuler | Integrator::Bdf2 => {
                multistep::step(system, start, step_s, coefficients, method, scratch)
            }
            Integrator::Trapezoidal => {
                trapezoidal::MEMBER.step(system, start, step_s, method, scratch)
            }
            Integrator::Newmark(member) => member.step(system, start, step_s, method, scratch),
            Integrator::SymplecticEuler => symplectic_euler::step(system, start, step_s, scratch),
            Integrator::CentralDifference => {
                central_difference::step(system, start, step_s, scratch)
            }
            Integrator::Rk4 => rk4::step(system, start, step_s, scratch),
            Integrator::LeapfrogTrapezoid => {
                leapfrog_trapezoid::step(system, start, step_s, scratch)
            }
            Integrator::CentralNewmark => central_newmark::step(system, start, step_s, scratch),
            Integrator::ImprovedVariableStep => {
                improved_variable_step::step(system, start, step_s, scratch)
            }
        }
    }

    /// The fastest motions that a scheme with a limit must follow, estimated anew every so often.
    /// A step above its longest stable one is refused.
    pub(crate) fn check_stability(&mut self, step_s: f64) -> Result<Option<Rates>, StepError> {
        let integrator = self.config.integrator;
        if !integrator.needs_rates() {
            return Ok(None);
        }
        let State {
            steps,
            bonds,
            time_s,
            ..
        } = &self.state;
        let has_changed = self.holds.bonds.count() > bonds.len()
            || self.model.changes_between(*time_s, time_s + step_s);
        let due = steps.is_multiple_of(stability::STEPS_BETWEEN_ESTIMATES) || has_changed;
        let rates = match self.state.rates {
            Some(rates) if !due => rates,
            _ => {
                let x = bytemuck::cast_slice(&self.state.positions);
                let v = bytemuck::cast_slice(&self.state.velocities);
                ClothSystem::new(&self.model, &self.config, &self.holds, &mut self.work)
                    .remembering(&self.state.memory)
                    .rates(x, v)
            }
        };
        let limit_s = integrator.longest_step_s(&rates);
        stability::check_step(integrator.name(), step_s, limit_s)?;
        Ok(Some(rates))
    }

    /// The past of the very first BDF2 step: the one constant acceleration would have left, or none
    /// (a backward Euler start) where that acceleration would throw particles further than a
    /// link is long.
    fn ghost_history(&mut self, step_s: f64) -> Option<History> {
        if self.config.integrator != Integrator::Bdf2 || self.state.steps > 0 {
            return None;
        }
        let x: &[f64] = bytemuck::cast_slice(&self.state.positions);
        let v: &[f64] = bytemuck::cast_slice(&self.state.velocities);
        let mut acceleration = vec![0.0; x.len()];
        let mut system = ClothSystem::new(&self.model, &self.config, &self.holds, &mut self.work)
            .remembering(&self.state.memory);
        system.force(x, v, &mut acceleration);
        for (a, m) in acceleration.iter_mut().zip(&self.model.coordinate_masses) {
            *a /= m;
        }
        system.project(&mut acceleration);
        let vectors: &[DVec3] = bytemuck::cast_slice(&acceleration);
        // Falling together tears nothing apart, however far.
        let gravity = self.model.gravity_m_per_s2;
        let from_free_fall = |a: &DVec3| a.length().min((*a - gravity).length());
        let farthest = vectors.iter().map(from_free_fall).fold(0.0, f64::max);
        let gentle = 0.5 * step_s * step_s * farthest <= self.model.shortest_link_m;
        gentle.then(|| History::ghost(x, v, &acceleration, step_s))
    }

    fn coefficients<'a>(
        &self,
        history: Option<&'a History>,
        step_s: f64,
    ) -> (Coefficients, Option<&'a History>) {
        match (self.config.integrator, history) {
            (Integrator::Bdf2, Some(past)) if step_s / past.step_s <= bdf2::MAX_STEP_RATIO => {
                (bdf2::coefficients(step_s / past.step_s), Some(past))
            }
            _ => (backward_euler::COEFFICIENTS, None),
        }
    }

    fn method(&self) -> Method {
        let params = |max_iterations| NewtonParams {
            tolerance_m: self.config.newton_tolerance * self.model.shortest_link_m,
            max_move_m: 5.0 * self.model.shortest_link_m,
            max_iterations,
        };
        let most = self.config.newton_max_iterations;
        match self.config.solve {
            // A blow takes cloth further than one linearisation holds.
            Solve::Newton => Method::Newton(params(most)),
            // A blow takes cloth further than one linearisation holds.
            _ if self.is_struck() => Method::Newton(params(BLOW_ITERATIONS)),
            Solve::Auto => Method::Trusted(params(most)),
            Solve::Once => Method::Once,
        }
    }
}
