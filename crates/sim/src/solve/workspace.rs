//! Scratch memory of a simulation, and its linear system in one of two forms.

use crate::config::{Preconditioner, StepConfig};
use crate::constraints::StepConstraints;
use crate::constraints::strain_limit;
use crate::contact::ContactStencil;
use crate::forces::air::Drag;
use crate::forces::{Family, Terms};
use crate::model::{Materials, Model};
use crate::report::Phases;
use crate::solve::active_contacts::Settled;
use crate::solve::assembled::Assembled;
use crate::solve::damping::VelocitySolver;
use crate::solve::dump::SystemDump;
use crate::solve::form::Fallback;
use crate::solve::grid::FastSolver;
use crate::solve::mesh::MeshSolver;
use glam::{DMat3, DVec3};
use toile_numerics::{BlockCsr, Coupled, Coupling, Operator, pcg};

/// Scratch memory, reused from step to step; it carries nothing from one to the next.
pub struct Workspace {
    pub(crate) linear: Linear,
    pub(crate) terms: Vec<Terms>,
    pub(crate) panels: Vec<Drag>,
    /// The air's force on every particle, frozen; empty without air.
    pub(crate) drags: Vec<Drag>,
    /// What air and soft pins add to the diagonal of `M − α D − s K`: a symmetric positive
    /// semidefinite block a particle, or nothing at all.
    pub diagonal: Vec<DMat3>,
    /// The same without contacts of cloth with cloth, while there are any.
    pub(crate) diagonal_without_touches: Vec<DMat3>,
    /// Contacts of cloth with cloth in this step.
    pub touches: Vec<ContactStencil>,
    /// Where the last solve with them led.
    pub(crate) settled: Option<Settled>,
    /// Whether they have not been linearised in this step yet.
    pub first_look: bool,
    /// Force of the contacts on every particle when last linearised, N.
    pub(crate) touching_forces: Vec<DVec3>,
    /// What they add to the matrix off its diagonal, three coordinates a particle.
    pub(crate) couplings: Vec<Coupling<f64>>,
    /// Force that contacts and led pins exert on each particle, N; zero elsewhere.
    pub reactions: Vec<DVec3>,
    /// The step whose linear system is to be kept, while that step is taken.
    pub keep_system_of: Option<u64>,
    /// The system kept.
    pub kept_system: Option<SystemDump>,
    pub(crate) damping: VelocitySolver,
    pub(crate) limiting: strain_limit::Workspace,
    /// What the strain limit did in this step.
    pub limited: strain_limit::Limited,
    /// Where the time of this step has gone so far.
    pub phases: Phases,
}

/// The linear system in one of its forms.
pub(crate) enum Linear {
    /// Block rows: the reference.
    Assembled(Box<Assembled>),
    /// Matrix-free, on grids.
    Fast(Box<FastSolver>),
    /// Single-precision block rows, on triangles.
    Mesh(Box<MeshSolver>),
}

impl Linear {
    /// The fast form for a model, if it has one.
    fn fast(model: &Model) -> Option<Self> {
        let grids = || FastSolver::new(model).map(|fast| Self::Fast(Box::new(fast)));
        let mesh = || MeshSolver::new(model).map(|mesh| Self::Mesh(Box::new(mesh)));
        grids().or_else(mesh)
    }
}

impl Workspace {
    /// Memory for `model`, solved as `config` says.
    pub fn new(model: &Model, config: &StepConfig) -> Self {
        let fast = config.preconditioner == Preconditioner::Multilevel
            && Fallback::of(model, config).is_none();
        let assembled =
            || Linear::Assembled(Box::new(Assembled::new(model, config.preconditioner)));
        Self {
            linear: fast
                .then(|| Linear::fast(model))
                .flatten()
                .unwrap_or_else(assembled),
            terms: model
                .materials
                .families()
                .map(|_| Terms::default())
                .collect(),
            panels: Vec::new(),
            drags: Vec::new(),
            diagonal: Vec::new(),
            touches: Vec::new(),
            first_look: false,
            settled: None,
            diagonal_without_touches: Vec::new(),
            touching_forces: Vec::new(),
            couplings: Vec::new(),
            reactions: vec![DVec3::ZERO; model.particles()],
            keep_system_of: None,
            kept_system: None,
            damping: VelocitySolver::default(),
            limiting: strain_limit::Workspace::default(),
            limited: strain_limit::Limited::default(),
            phases: Phases::default(),
        }
    }

    /// Begins a step, of which the linear system is to be kept if its number is given.
    pub fn begin(&mut self, keep_system_of: Option<u64>) {
        self.limited = strain_limit::Limited::default();
        self.keep_system_of = keep_system_of;
        if keep_system_of.is_some() {
            self.kept_system = None;
        }
    }

    /// `A p` with the matrix of the last linearisation, in the form the solver uses.
    pub fn product(&mut self, p: &[f64]) -> Vec<f64> {
        let mut image = vec![0.0; p.len()];
        match &mut self.linear {
            Linear::Assembled(assembled) => Coupled {
                inner: &assembled.matrix,
                couplings: &self.couplings,
            }
            .apply(p, &mut image),
            Linear::Fast(fast) => fast.product(p, &mut image),
            Linear::Mesh(mesh) => mesh.product(p, &mut image),
        }
        image
    }

    /// Whether the correction is found in single precision.
    pub(crate) fn is_single(&self) -> bool {
        !matches!(self.linear, Linear::Assembled(_))
    }

    /// Solves `A p = b` as linearised; see [`pcg::solve`].
    pub(crate) fn solve(
        &mut self,
        holds: &StepConstraints,
        b: &[f64],
        p: &mut [f64],
        params: &pcg::Params,
        is_rough: bool,
    ) -> Result<pcg::Info, pcg::Error> {
        match &mut self.linear {
            Linear::Assembled(assembled) => assembled.solve(holds, &self.couplings, b, p, params),
            Linear::Fast(fast) => fast.solve(b, p, params, is_rough),
            Linear::Mesh(mesh) => mesh.solve(b, p, params, is_rough),
        }
    }

    /// One block row of `A p` in double precision, without what contacts add off the diagonal.
    pub(crate) fn row_product(
        &self,
        (model, materials): (&Model, &Materials),
        i: usize,
        p: &[DVec3],
    ) -> DVec3 {
        let mut own = model.masses[i] * p[i];
        if let Some(extra) = self.diagonal.get(i) {
            own += *extra * p[i];
        }
        match &self.linear {
            Linear::Mesh(mesh) => mesh.row_product(i, p),
            Linear::Fast(fast) => own + fast.row_product(i, p),
            Linear::Assembled(_) => {
                let families = materials.families().zip(&self.terms);
                let product =
                    |(family, terms): (&dyn Family, &Terms)| family.row_product(i, terms, p);
                own + families.map(product).sum::<DVec3>()
            }
        }
    }

    /// From now on, solves keep their residuals, or not.
    pub fn record_residuals(&mut self, record: bool) {
        match &mut self.linear {
            Linear::Assembled(assembled) => assembled.work.record(record),
            Linear::Fast(fast) => fast.work.record(record),
            Linear::Mesh(mesh) => mesh.work.record(record),
        }
    }

    /// Relative residual of the last solve at its start and after every iteration; empty unless
    /// recorded.
    pub fn residuals(&self) -> &[f64] {
        match &self.linear {
            Linear::Assembled(assembled) => assembled.work.history(),
            Linear::Fast(fast) => fast.work.history(),
            Linear::Mesh(mesh) => mesh.work.history(),
        }
    }

    /// Whether a linearisation must leave every element's blocks behind in double precision: the
    /// assembled form is made of them, and so is a system that is kept.
    pub(crate) fn needs_terms(&self) -> bool {
        !self.is_single() || self.keep_system_of.is_some()
    }

    /// The matrix made of the terms at hand.
    pub(crate) fn assembled_matrix(&self, model: &Model, materials: &Materials) -> BlockCsr {
        let mut assembled = Assembled::new(model, Preconditioner::None);
        assembled.assemble((model, materials), &self.terms, &self.diagonal);
        assembled.matrix.coupled(&self.couplings)
    }
}
