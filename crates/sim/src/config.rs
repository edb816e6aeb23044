//! How a model is stepped.

use crate::constraints::strain_limit::StrainLimit;

/// Time integrator, by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integrator {
    /// First order, strongly damping.
    BackwardEuler,
    /// Second order, little damping: the default.
    #[default]
    Bdf2,
}

/// How the implicit equations of a step are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solve {
    /// One linearisation, one linear solve.
    #[default]
    Once,
    /// Newton iterations with a line search on the step's potential.
    Newton,
}

/// What speeds up conjugate gradients, and with it the form of the matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preconditioner {
    /// None: plain conjugate gradients on the assembled double-precision matrix.
    None,
    /// Inverse diagonal of the assembled matrix.
    Diagonal,
    /// Inverse 3×3 diagonal blocks of the assembled matrix: the reference.
    BlockDiagonal,
    /// Incomplete Cholesky factors of the assembled matrix, without fill.
    IncompleteCholesky,
    /// Incomplete LU factors of the assembled matrix, without fill.
    IncompleteLu,
    /// No iteration at all: complete sparse Cholesky factors of the assembled matrix.
    Direct,
    /// Matrix-free single-precision operator with block-Jacobi plus a multigrid cycle: the
    /// default. A tolerance out of its reach, or an indefinite Jacobian, falls back to the
    /// reference.
    #[default]
    Multilevel,
}

/// Settings of the step; constant during a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepConfig {
    /// Time integrator.
    pub integrator: Integrator,
    /// One solve or Newton.
    pub solve: Solve,
    /// Preconditioner and form of the matrix.
    pub preconditioner: Preconditioner,
    /// Relative residual at which the linear solver stops.
    pub linear_tolerance: f64,
    /// Iterations after which the linear solver gives up improving (reported, not an error).
    pub linear_max_iterations: u32,
    /// Newton stops when no particle moves further than this share of the shortest link.
    pub newton_tolerance: f64,
    /// Newton iterations after which the step is taken as it is (the potential only falls, so
    /// this is safe).
    pub newton_max_iterations: u32,
    /// Limit on the stretch a step may leave behind, if any.
    pub strain_limit: Option<StrainLimit>,
}

impl Default for StepConfig {
    fn default() -> Self {
        Self {
            integrator: Integrator::Bdf2,
            solve: Solve::Once,
            preconditioner: Preconditioner::Multilevel,
            linear_tolerance: 1e-3,
            linear_max_iterations: 2000,
            newton_tolerance: 1e-4,
            newton_max_iterations: 30,
            strain_limit: None,
        }
    }
}
