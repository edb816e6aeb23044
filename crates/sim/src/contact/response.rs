//! Which way contact of cloth with cloth and bodies is answered: one of three, chosen by name.
//!
//! - [`Solver`]: contacts are potentials in the implicit solve.
//! - [`Impulses`]: the solver knows of none; impulses are handed to it as forces after it has led somewhere.
//! - [`Particles`]: the solver knows of particles that are near each other, instead of features of cloth.
//!
//! Whatever the response leaves is the business of the guard.

use crate::config::{Response, StepConfig};
use crate::constraints::End;
use crate::contact::collect::proximity::Ahead;
use crate::contact::impulses::Step;
use crate::contact::stencil::ContactStencil;
use crate::contact::{Impulses, Listing, Particles, Struck, Surfaces};

/// What the solver knows of contact between features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolverKnows {
    /// All of it, as potentials. Only then may it help to solve again from a safe place, and only then do contacts
    /// have an energy to be balanced from step to step.
    Features,
    /// Potentials of particles, in the place of those of features of cloth.
    Particles,
    /// Nothing but the impulses that it is given as forces. Contacts are pairs to be pushed apart to their whole
    /// distance, where potentials keep the distance that is left where they are seen late.
    Nothing,
}

/// A response to contact. What it does not say is as for contacts that are potentials in the solve.
pub trait ContactResponse: Send + Sync {
    /// What the solver knows.
    fn solver_knows(&self) -> SolverKnows {
        SolverKnows::Features
    }

    /// Makes of the contacts of features what the response works with.
    fn select(
        &mut self,
        _surfaces: &Surfaces,
        _ahead: &Ahead<'_>,
        _stencils: &mut Vec<ContactStencil>,
    ) {
    }

    /// What the solver is told of the contacts found where a step begins.
    fn tell_solver(&mut self, found: Vec<ContactStencil>) -> Vec<ContactStencil> {
        found
    }

    /// Changes the `end` of a solve by impulses that the next one is to know of; returns what they did.
    fn strike(
        &mut self,
        _surfaces: &Surfaces,
        _listing: &mut Listing,
        _step: &Step<'_>,
        _end: &mut End<'_>,
    ) -> Struck {
        Struck::default()
    }

    /// Changes the `end` of the last solve of a step; returns what that did.
    fn settle(
        &mut self,
        _surfaces: &Surfaces,
        _listing: &mut Listing,
        _step: &Step<'_>,
        _end: &mut End<'_>,
    ) -> Struck {
        Struck::default()
    }
}

/// The one that `config` asks for. Particles push each other only: where cloth does not meet cloth, contacts with
/// bodies are potentials as ever.
pub(crate) fn chosen(config: &StepConfig, surfaces: &Surfaces) -> Box<dyn ContactResponse> {
    match config.response {
        Response::Impulses { restitution } => Box::new(Impulses::new(restitution)),
        Response::Particles if config.contact.is_some() => Box::new(Particles::new(surfaces)),
        Response::Particles | Response::Solver => Box::new(Solver),
    }
}

/// Contacts of features are potentials in the solve.
pub struct Solver;

impl ContactResponse for Solver {}

impl ContactResponse for Particles {
    fn solver_knows(&self) -> SolverKnows {
        SolverKnows::Particles
    }

    fn select(
        &mut self,
        surfaces: &Surfaces,
        ahead: &Ahead<'_>,
        stencils: &mut Vec<ContactStencil>,
    ) {
        self.find(surfaces, ahead, stencils);
    }
}

impl ContactResponse for Impulses {
    fn solver_knows(&self) -> SolverKnows {
        SolverKnows::Nothing
    }

    fn tell_solver(&mut self, found: Vec<ContactStencil>) -> Vec<ContactStencil> {
        self.begin(found);
        Vec::new()
    }

    fn strike(
        &mut self,
        surfaces: &Surfaces,
        listing: &mut Listing,
        step: &Step<'_>,
        end: &mut End<'_>,
    ) -> Struck {
        self.respond(surfaces, listing, step, end)
    }

    fn settle(
        &mut self,
        surfaces: &Surfaces,
        listing: &mut Listing,
        step: &Step<'_>,
        end: &mut End<'_>,
    ) -> Struck {
        Impulses::settle(self, surfaces, listing, step, end)
    }
}
