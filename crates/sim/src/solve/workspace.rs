//! Scratch memory of a simulation, and its linear system in one of its forms.

use crate::config::StepConfig;
use crate::constraints::StepConstraints;
use crate::constraints::strain_limit;
use crate::forces::Terms;
use crate::forces::air::FrozenAir;
use crate::model::{Materials, Model};
use crate::report::Phases;
use crate::solve::contact_assembly::ContactAssembly;
use crate::solve::damping::VelocitySolver;
use crate::solve::form::{self, LinearForm, Parts};
use glam::{DMat3, DVec3};

/// Scratch memory, reused from step to step; it carries nothing from one to the next.
pub struct Workspace {
    pub(crate) form: Box<dyn LinearForm>,
    /// What each family of elements left when last linearised, where the form does not do that by itself.
    pub(crate) terms: Vec<Terms>,
    pub(crate) air: FrozenAir,
    /// What air, soft pins, what sticks and contacts add to the diagonal of `M − α D − s K`: a symmetric positive
    /// semidefinite block a particle, or nothing at all. Every linearisation sets it to the first three
    /// (`refresh_diagonal`) and then adds contacts (`assemble_contacts`), which alone are exchanged when the active set
    /// changes.
    pub diagonal: Vec<DMat3>,
    /// Contacts of cloth with cloth and bodies in this step.
    pub contacts: ContactAssembly,
    /// Force that contacts and led pins exert on each particle, N; zero elsewhere.
    pub reactions: Vec<DVec3>,
    pub(crate) damping: VelocitySolver,
    pub(crate) strain_limit: strain_limit::Workspace,
    /// Where the time of this step has gone so far.
    pub phases: Phases,
}

impl Workspace {
    /// Memory for `model`, solved as `config` says.
    pub fn new(model: &Model, config: &StepConfig) -> Self {
        Self {
            form: form::make(model, config),
            terms: model
                .materials
                .families()
                .map(|_| Terms::default())
                .collect(),
            air: FrozenAir::default(),
            diagonal: Vec::new(),
            contacts: ContactAssembly::default(),
            reactions: vec![DVec3::ZERO; model.particles()],
            damping: VelocitySolver::default(),
            strain_limit: strain_limit::Workspace::default(),
            phases: Phases::default(),
        }
    }

    /// The form of the linear system, and what its matrix is made of.
    pub(crate) fn form_and_parts<'a>(
        &'a mut self,
        (model, materials): (&'a Model, &'a Materials),
        constraints: &'a StepConstraints,
    ) -> (&'a mut dyn LinearForm, Parts<'a>) {
        let Self {
            form,
            terms,
            diagonal,
            contacts,
            ..
        } = self;
        let parts = Parts {
            model,
            materials,
            constraints,
            terms,
            diagonal,
            couplings: &contacts.couplings,
        };
        (&mut **form, parts)
    }

    /// `A p` with the matrix of the last linearisation, in the form the solver uses.
    pub fn product(&mut self, p: &[f64]) -> Vec<f64> {
        let mut image = vec![0.0; p.len()];
        self.form.product(&self.contacts.couplings, p, &mut image);
        image
    }

    /// From now on, solves keep their residuals, or not.
    pub fn record_residuals(&mut self, record: bool) {
        self.form.record(record);
    }

    /// Relative residual of the last solve at its start and after every iteration; empty unless
    /// recorded.
    pub fn residuals(&self) -> &[f64] {
        self.form.residuals()
    }
}
