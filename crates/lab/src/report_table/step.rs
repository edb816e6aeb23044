//! The semi-implicit step of the student report *Numerical Methods in Cloth Simulation*, with its
//! two flaws, each of which can be left out.
//!
//! - Scheme: `(M − Δt D − Δt² K) Δv = Δt (f + Δt K v)`, `x += Δt (v + Δv)`.
//! - Masked pins: the system is solved as if nothing were held; afterwards the `Δv` of pinned
//!   particles is set to zero. Particles beside a pin were told that it falls with them, so they
//!   are held back too little: a weight `m` on a spring `k` hangs `2 g Δt²` too low.
//! - Correction: the end of the step is put back into `Δv = Δt M⁻¹ f(x + Δx, v + Δv)`. With pins
//!   in the solve and linear forces this changes nothing; otherwise it adds `Δt M⁻¹` times what
//!   the linearisation left out, which no matrix filters: an explicit step, with an explicit
//!   step's limit. It does undo most of the masking: with `q = Δt² k` the weight then hangs
//!   `2 g Δt² q/(m + q)` too high.
//! - Choices: the matrix drops the transverse part of pushing links (the report keeps it, which
//!   may leave no definite matrix; on taut cloth it makes no difference) and nothing of slack links
//!   is in it, as printed. The damper has the sign that brakes; printed is the other.
//!
//! Kept here only to be measured; no simulation uses it.

use crate::probe::Probe;
use glam::DVec3;
use std::sync::Arc;
use toile_numerics::precond::BlockDiagonal;
use toile_numerics::{Hold, ParticleFilter, pcg};
use toile_sim::{Model, State, StepError};

/// The report solves directly; this is as good.
const SOLVE: pcg::Params = pcg::Params {
    tolerance: 1e-10,
    least_reference: 0.0,
    reference: None,
    max_iterations: 10_000,
    definite: false,
};

/// Where pins are made to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pins {
    /// In the solved system.
    Solved,
    /// In the answer, as in the report.
    Masked,
}

/// The step with or without each flaw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Where pins are made to hold.
    pub pins: Pins,
    /// Whether the end of every step is corrected.
    pub corrected: bool,
}

impl Variant {
    /// As in the report.
    pub const REPORT: Self = Self {
        pins: Pins::Masked,
        corrected: true,
    };

    /// Every combination, the sound one first and the report's last.
    pub const ALL: [Self; 4] = [
        Self {
            pins: Pins::Solved,
            corrected: false,
        },
        Self {
            pins: Pins::Masked,
            corrected: false,
        },
        Self {
            pins: Pins::Solved,
            corrected: true,
        },
        Self::REPORT,
    ];

    /// In words.
    pub fn name(self) -> &'static str {
        match (self.pins, self.corrected) {
            (Pins::Solved, false) => "pins in the solve",
            (Pins::Masked, false) => "pins masked",
            (Pins::Solved, true) => "pins in the solve, corrected",
            (Pins::Masked, true) => "pins masked, corrected (the report)",
        }
    }
}

/// A cloth stepped in this way.
pub struct ReportCloth {
    variant: Variant,
    probe: Probe,
    filter: ParticleFilter,
    preconditioner: BlockDiagonal,
    work: pcg::Workspace<f64>,
    state: State,
}

impl ReportCloth {
    /// `model` at its start; its pins must stand still.
    pub fn new(model: Arc<Model>, variant: Variant) -> Self {
        let mut filter = ParticleFilter::default();
        if variant.pins == Pins::Solved {
            model.pins.iter().for_each(|i| filter.push(*i, Hold::Fixed));
        }
        Self {
            variant,
            filter,
            preconditioner: BlockDiagonal::default(),
            work: pcg::Workspace::default(),
            state: State::start(&model),
            probe: Probe::new(model),
        }
    }

    /// Where it is now.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Advances by one step.
    pub fn step(&mut self, step_s: f64) -> Result<(), StepError> {
        let mut v = self.solve(step_s)?;
        if self.variant.corrected {
            let mut x = self.state.positions.clone();
            x.iter_mut().zip(&v).for_each(|(x, v)| *x += step_s * *v);
            let forces = self.probe.force(&x, &v);
            let masses = &self.probe.model().masses;
            for (i, force) in forces.iter().enumerate() {
                v[i] = self.state.velocities[i] + step_s / masses[i] * *force;
            }
            self.mask(&mut v);
        }
        let State {
            positions,
            velocities,
            time_s,
            steps,
            ..
        } = &mut self.state;
        for (x, v) in positions.iter_mut().zip(&v) {
            *x += step_s * *v;
        }
        *velocities = v;
        *time_s += step_s;
        *steps += 1;
        let lost = positions.iter().position(|x| !x.is_finite());
        lost.map_or(Ok(()), |i| Err(StepError::NotFinite { particle: i as u32 }))
    }

    /// Velocities at the end of the semi-implicit step.
    ///
    /// Dampers are linear, so that `f(x, v) = f(x, 0) + D v` and the system for `Δv` is the same as
    /// `A v₁ = M v + Δt f(x, 0)`.
    fn solve(&mut self, step_s: f64) -> Result<Vec<DVec3>, StepError> {
        let State {
            positions: x,
            velocities: v,
            ..
        } = &self.state;
        let matrix = self.probe.matrix(x, v, step_s);
        let mut rhs = self.probe.force(x, &vec![DVec3::ZERO; x.len()]);
        let masses = &self.probe.model().masses;
        for ((b, v), m) in rhs.iter_mut().zip(v).zip(masses) {
            *b = step_s * *b + *m * *v;
        }
        self.preconditioner.refresh(&matrix);
        let mut end = v.clone();
        let problem = pcg::Problem {
            operator: &matrix,
            filter: &self.filter,
            rhs: bytemuck::cast_slice(&rhs),
            doubt: None,
        };
        pcg::solve(
            &problem,
            &mut self.preconditioner,
            &SOLVE,
            bytemuck::cast_slice_mut(&mut end),
            &mut self.work,
        )?;
        self.mask(&mut end);
        Ok(end)
    }

    fn mask(&self, v: &mut [DVec3]) {
        for i in self.probe.model().pins.iter().map(|i| *i as usize) {
            v[i] = self.state.velocities[i];
        }
    }
}
