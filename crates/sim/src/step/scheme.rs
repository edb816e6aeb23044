//! Which scheme takes the step, and what it needs to know beforehand.

use super::accept;
use super::attempt::{Attempt, CONTACT};
use super::stability;
use crate::config::{Integrator, Solve};
use crate::error::StepError;
use crate::solve::ClothSystem;
use glam::DVec3;
use toile_numerics::integrate::bdf2::{self, History};
use toile_numerics::integrate::multistep::{self, Coefficients};
use toile_numerics::integrate::{
    Method, NewtonParams, Rates, Scratch, Start, System, backward_euler, central_difference,
    central_newmark, improved_variable_step, leapfrog_trapezoid, rk4, symplectic_euler,
    trapezoidal,
};
use toile_numerics::par;

/// Newton iterations of a solve with a blow.
const BLOW_ITERATIONS: u32 = 8;

impl Attempt<'_> {
    /// Takes the step with the scheme asked for; the candidate end is in the scratch vectors.
    /// It is searched for from `guess`, if there is one.
    pub fn solve(
        &mut self,
        scratch: &mut Scratch,
        guess: Option<&[DVec3]>,
    ) -> Result<(), StepError> {
        let (state, step_s) = (self.start.state, self.start.step_s);
        let ghost = self.ghost_history();
        let (coefficients, history) = self.coefficients(ghost.as_ref().or(state.history.as_ref()));
        let start = &Start {
            x: bytemuck::cast_slice(&state.positions),
            v: bytemuck::cast_slice(&state.velocities),
            history,
            acceleration: state.acceleration.as_deref().map(bytemuck::cast_slice),
            guess: guess.map(bytemuck::cast_slice),
        };
        let method = self.method();
        let integrator = self.config.integrator;
        let deserves_attention = self.start.model.deserves_attention();
        let system = &mut self.system();
        let mut step = || match integrator {
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
        };
        let info = if deserves_attention {
            par::attentively(step)
        } else {
            step()
        };
        let (square_s2, limited) = (system.weights.stiffness_s2, system.limited);
        self.square_s2 = integrator.is_implicit().then_some(square_s2);
        self.limited += limited;
        self.solves += info?;
        Ok(())
    }

    /// The model as the scheme sees it.
    fn system(&mut self) -> ClothSystem<'_> {
        ClothSystem::new(self.start.model, self.config, self.constraints, self.work)
            .made_of(self.start.materials)
            .remembering(&self.start.state.memory)
            .pushed_by(&self.impulse_forces_n)
            .recorded_by(self.recorder.as_deref_mut())
    }

    /// The fastest motions that a scheme with a limit or an advice must follow, estimated anew every so often.
    /// A step above its longest stable one is refused.
    pub fn check_stability(&mut self) -> Result<Option<Rates>, StepError> {
        let integrator = &self.config.integrator;
        if !integrator.needs_rates() {
            return Ok(None);
        }
        let state = self.start.state;
        let before = self.start.model.materials_at(state.time_s);
        let has_changed = self.constraints.bonds.count() > state.bonds.len()
            || self.start.materials.differ_in_shells(&before);
        let due = state
            .steps
            .is_multiple_of(stability::STEPS_BETWEEN_ESTIMATES)
            || has_changed;
        let rates = match state.rates {
            Some(rates) if !due => rates,
            _ => {
                let x = bytemuck::cast_slice(&state.positions);
                let v = bytemuck::cast_slice(&state.velocities);
                self.timed(CONTACT, |step| step.system().rates(x, v))
            }
        };
        accept::refuse_unstable(integrator, &rates, self.start.step_s)?;
        Ok(Some(rates))
    }

    /// The past of the very first BDF2 step: the one constant acceleration would have left, or none
    /// (a backward Euler start) where that acceleration would throw particles further than a
    /// link is long.
    fn ghost_history(&mut self) -> Option<History> {
        let (model, state, step_s) = (self.start.model, self.start.state, self.start.step_s);
        if self.config.integrator != Integrator::Bdf2 || state.steps > 0 {
            return None;
        }
        let x: &[f64] = bytemuck::cast_slice(&state.positions);
        let v: &[f64] = bytemuck::cast_slice(&state.velocities);
        let mut acceleration = vec![0.0; x.len()];
        let mut system = self.system();
        system.force(x, v, &mut acceleration);
        for (a, m) in acceleration.iter_mut().zip(&model.coordinate_masses) {
            *a /= m;
        }
        system.project(&mut acceleration);
        let vectors: &[DVec3] = bytemuck::cast_slice(&acceleration);
        // Falling together tears nothing apart, however far.
        let gravity = model.gravity_m_per_s2;
        let from_free_fall = |a: &DVec3| a.length().min((*a - gravity).length());
        let farthest = vectors.iter().map(from_free_fall).fold(0.0, f64::max);
        let gentle = 0.5 * step_s * step_s * farthest <= model.shortest_link_m;
        gentle.then(|| History::ghost(x, v, &acceleration, step_s))
    }

    fn coefficients<'a>(
        &self,
        history: Option<&'a History>,
    ) -> (Coefficients, Option<&'a History>) {
        let step_s = self.start.step_s;
        match (self.config.integrator, history) {
            (Integrator::Bdf2, Some(past)) if step_s / past.step_s <= bdf2::MAX_STEP_RATIO => {
                (bdf2::coefficients(step_s / past.step_s), Some(past))
            }
            _ => (backward_euler::COEFFICIENTS, None),
        }
    }

    fn method(&self) -> Method {
        let shortest_m = self.start.model.shortest_link_m;
        let params = |max_iterations| NewtonParams {
            tolerance_m: self.config.newton_tolerance * shortest_m,
            max_move_m: 5.0 * shortest_m,
            max_iterations,
        };
        let most = self.config.newton_max_iterations;
        match self.config.solve.in_step(self.start.step_s) {
            Solve::Newton => Method::Newton(params(most)),
            // A blow takes cloth further than one linearisation holds.
            _ if self.is_struck() => Method::Newton(params(BLOW_ITERATIONS)),
            Solve::Auto => Method::Trusted(params(most)),
            Solve::Once => Method::Once,
        }
    }
}
