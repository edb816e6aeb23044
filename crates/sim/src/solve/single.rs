//! What forms in single precision share: when they can be taken, what is held, what couples particles, and
//! the vectors of a solve.
//!
//! Positions, forces and the residual stay in double precision; only the correction is found in single.

use crate::config::StepConfig;
use crate::constraints::{StepConstraints, Target};
use crate::model::{Model, Structure};
use crate::solve::form::Fallback;
use crate::solve::held::{HeldPlace, HeldPlaces};
use toile_numerics::operator::{Operator, Preconditioner};
use toile_numerics::{Coupled, Coupling, Hold, pcg};

/// Single precision cannot be relied on to reach a smaller relative residual than this.
pub const TIGHTEST_TOLERANCE: f64 = 1e-5;

/// Whether single precision is enough for cloths all of whose structures are such as a form can take.
pub fn supports(
    model: &Model,
    config: &StepConfig,
    can_take: impl Fn(&Structure) -> bool,
) -> Result<(), Fallback> {
    let mut families = model.materials.families();
    if config.linear_tolerance < TIGHTEST_TOLERANCE {
        Err(Fallback::Tolerance)
    } else if !families.all(|family| family.is_definite()) {
        Err(Fallback::Indefinite)
    } else if !model.is_all_shells() {
        Err(Fallback::NoShells)
    } else if !model.shells().all(|(_, shell)| can_take(&shell.structure)) {
        Err(Fallback::Mixture)
    } else {
        Ok(())
    }
}

/// Where a particle's components are: its first, and how far the further ones.
#[derive(Clone, Copy)]
pub struct Place {
    /// Of the first component.
    pub first: usize,
    /// From each component to the next.
    pub stride: usize,
}

/// Constraints and vectors, laid out as the form has it.
#[derive(Default)]
pub struct SingleSolve {
    /// Particles that cannot move at all.
    pub held: Vec<bool>,
    filter: HeldPlaces,
    couplings: Vec<Coupling<f32>>,
    /// The right-hand side.
    pub rhs: Vec<f32>,
    /// What the solve starts from.
    pub guess: Vec<f32>,
    /// The unknowns.
    pub x: Vec<f32>,
    /// The way everything would fall.
    pub fall: Vec<f32>,
    work: pcg::Workspace<f32>,
}

impl SingleSolve {
    /// Vectors of so many numbers for so many particles.
    pub fn new(particles: usize, numbers: usize) -> Self {
        let vector = vec![0.0; numbers];
        Self {
            held: vec![false; particles],
            rhs: vector.clone(),
            guess: vector.clone(),
            x: vector.clone(),
            fall: vector,
            ..Self::default()
        }
    }

    /// Takes over what is held.
    pub fn hold(&mut self, constraints: &StepConstraints, place_of: impl Fn(usize) -> Place) {
        self.held.fill(false);
        self.filter.clear();
        for &Target { particle, hold, .. } in &constraints.targets {
            self.held[particle as usize] = hold == Hold::Fixed;
            let Place { first, stride } = place_of(particle as usize);
            self.filter.push(HeldPlace {
                place: first,
                stride,
                hold,
            });
        }
    }

    /// Takes over what couples particles besides the matrix.
    pub fn couple(&mut self, couplings: &[Coupling<f64>], place_of: impl Fn(usize) -> Place) {
        self.couplings.clear();
        self.couplings.extend(couplings.iter().map(|coupling| {
            let places = coupling.places.map(|place| place_of(place as usize / 3));
            Coupling {
                places: places.map(|place| place.first as u32),
                strides: places.map(|place| place.stride as u32),
                weights: coupling.weights.map(|weight| weight as f32),
                block: coupling.block.map(|value| value as f32),
            }
        }));
    }

    /// `rhs = A x`, and no guess.
    pub fn multiply(&mut self, operator: &dyn Operator<f32>) {
        let operator = Coupled {
            inner: operator,
            couplings: &self.couplings,
        };
        operator.apply(&self.x, &mut self.rhs);
        self.guess.fill(0.0);
    }

    /// Solves `A x = rhs`; see [`pcg::solve`].
    pub fn solve(
        &mut self,
        operator: &dyn Operator<f32>,
        preconditioner: &mut dyn Preconditioner<f32>,
        params: &pcg::Params,
        is_rough: bool,
    ) -> Result<pcg::Info, pcg::Error> {
        let problem = pcg::Problem {
            operator: &Coupled {
                inner: operator,
                couplings: &self.couplings,
            },
            filter: &self.filter,
            rhs: &self.rhs,
            doubt: is_rough.then_some(&self.fall),
        };
        pcg::solve(
            &problem,
            preconditioner,
            params,
            &mut self.x,
            &mut self.work,
        )
    }

    /// From now on, solves keep their residuals, or not.
    pub fn record(&mut self, record: bool) {
        self.work.record(record);
    }

    /// Relative residual of the last solve at its start and after every iteration; empty unless recorded.
    pub fn residuals(&self) -> &[f64] {
        self.work.history()
    }
}
