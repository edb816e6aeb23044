//! How a model is stepped.

use crate::constraints::strain_limit::StrainLimit;
use crate::step::Adaptive;
use toile_numerics::integrate::newmark::Newmark;
use toile_numerics::integrate::{
    Rates, central_difference, central_newmark, improved_variable_step, leapfrog_trapezoid, rk4,
    symplectic_euler, trapezoidal,
};

/// Time integrator, by name.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Integrator {
    /// Implicit, first order, strongly damping.
    BackwardEuler,
    /// Implicit, second order, little damping: the default.
    #[default]
    Bdf2,
    /// Implicit, second order, no damping.
    Trapezoidal,
    /// Implicit, Newmark's family.
    Newmark(Newmark),
    /// Explicit, first order, no damping.
    SymplecticEuler,
    /// Explicit, second order, no damping.
    CentralDifference,
    /// Explicit, fourth order.
    Rk4,
    /// Mixed, second order: dampers by the trapezoidal rule.
    LeapfrogTrapezoid,
    /// Mixed, second order: dampers implicit in the first half, explicit in the second.
    CentralNewmark,
    /// Mixed, second order: positions that do not overshoot under strong damping.
    ImprovedVariableStep,
}

impl Integrator {
    /// Newmark's average acceleration.
    pub const AVERAGE_ACCELERATION: Self = Self::Newmark(Newmark::AVERAGE_ACCELERATION);

    /// Its name in scene files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::BackwardEuler => "backward-euler",
            Self::Bdf2 => "bdf2",
            Self::Trapezoidal => "trapezoidal",
            Self::Newmark(_) => "newmark",
            Self::SymplecticEuler => "symplectic-euler",
            Self::CentralDifference => "central-difference",
            Self::Rk4 => "rk4",
            Self::LeapfrogTrapezoid => "leapfrog-trapezoid",
            Self::CentralNewmark => "central-newmark",
            Self::ImprovedVariableStep => "improved-variable-step",
        }
    }

    /// The longest step that is stable for every motion no faster than `rates`, s; infinite for
    /// schemes without a limit.
    pub fn longest_step_s(&self, rates: &Rates) -> f64 {
        match self {
            Self::BackwardEuler | Self::Bdf2 => f64::INFINITY,
            Self::Trapezoidal => trapezoidal::MEMBER.longest_step_s(rates),
            Self::Newmark(member) => member.longest_step_s(rates),
            Self::SymplecticEuler => symplectic_euler::longest_step_s(rates),
            Self::CentralDifference => central_difference::longest_step_s(rates),
            Self::Rk4 => rk4::longest_step_s(rates),
            Self::LeapfrogTrapezoid => leapfrog_trapezoid::longest_step_s(rates),
            Self::CentralNewmark => central_newmark::longest_step_s(rates),
            Self::ImprovedVariableStep => improved_variable_step::longest_step_s(rates),
        }
    }

    /// The longest step that is wise on cloth that folds, s: schemes that damp nothing are stable
    /// at any step for linear forces, but links that go slack and taut within a step put energy
    /// in. With `trapezoidal`, `tablecloth` is sound at `ωΔt` = 71 and stretches by 10 % at 95; a
    /// crumpled handkerchief with Newton gains energy at 32 already.
    pub fn advised_step_s(&self, rates: &Rates) -> f64 {
        const UNDAMPED: f64 = 30.0;
        match self {
            Self::Trapezoidal => UNDAMPED / rates.frequency_per_s,
            Self::Newmark(member) if member.gamma() == 0.5 => UNDAMPED / rates.frequency_per_s,
            _ => f64::INFINITY,
        }
    }

    /// Whether a step solves a linear system with the stiffness in it.
    pub fn is_implicit(&self) -> bool {
        matches!(
            self,
            Self::BackwardEuler | Self::Bdf2 | Self::Trapezoidal | Self::Newmark(_)
        )
    }

    /// Whether the step before is part of the state.
    pub fn remembers_past(&self) -> bool {
        *self == Self::Bdf2
    }

    /// Whether the acceleration is part of the state.
    pub fn remembers_acceleration(&self) -> bool {
        matches!(self, Self::Newmark(member) if member.remembers_acceleration())
    }

    /// Whether there is a longest stable step at all.
    pub fn has_limit(&self) -> bool {
        self.longest_step_s(&SOME_RATES).is_finite()
    }

    /// Whether it matters how fast the cloth's motions are.
    pub fn needs_rates(&self) -> bool {
        self.has_limit() || self.advised_step_s(&SOME_RATES).is_finite()
    }
}

/// Rates with which a limit is finite if there is one.
const SOME_RATES: Rates = Rates {
    frequency_per_s: 1.0,
    damping_per_s: 1.0,
};

/// How the implicit equations of a step are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solve {
    /// One linearisation and one linear solve where that holds as far as it leads, and Newton's
    /// iterations from its end where it does not: the default. Steps above 1/60 s are Newton's from the start.
    #[default]
    Auto,
    /// One linearisation, one linear solve; some of Newton's iterations after a blow by impulses.
    Once,
    /// Newton iterations with a line search on the step's potential.
    Newton,
}

/// Longest step that is taken with one linear solve unless another is asked for, s: one linearisation is good for
/// as long as it holds.
const LONGEST_SINGLE_SOLVE_S: f64 = (1.0 + 1e-9) / 60.0;

impl Solve {
    /// How a step of this length is solved.
    pub fn in_step(self, step_s: f64) -> Self {
        match self {
            Self::Auto if step_s > LONGEST_SINGLE_SOLVE_S => Self::Newton,
            other => other,
        }
    }
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
    /// One solve, Newton, or as needed.
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
    /// In [`crate::Simulation::advance`] a step of an implicit scheme that stretches something further
    /// by more than this share of its length is taken again in halves, as long as that may help.
    pub max_stretch_step: f64,
    /// How the length of steps is chosen; `None` is equal steps.
    pub adaptive: Option<Adaptive>,
    /// How cloth meets cloth; `None` lets it pass through.
    pub contact: Option<ClothContact>,
    /// What contact of cloth with cloth and bodies does.
    pub response: Response,
    /// Whether cloth that is crossed with what it meets is freed; otherwise it stays crossed.
    pub untangle: bool,
}

/// What contact of cloth with cloth and bodies does, by name.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Response {
    /// Forces in the implicit solve: the default.
    #[default]
    Solver,
    /// The same between particles alone, not what is between them.
    Particles,
    /// Impulses after it.
    Impulses {
        /// Share of the normal velocity of a blow that comes back, from 0 to 1.
        restitution: f64,
    },
}

/// How cloth meets cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClothContact {
    /// Coefficient of friction.
    pub friction: f64,
}

impl Default for ClothContact {
    /// Cotton on cotton, about.
    fn default() -> Self {
        Self { friction: 0.3 }
    }
}

impl Default for StepConfig {
    fn default() -> Self {
        Self {
            integrator: Integrator::Bdf2,
            solve: Solve::Auto,
            preconditioner: Preconditioner::Multilevel,
            linear_tolerance: 1e-3,
            linear_max_iterations: 2000,
            newton_tolerance: 1e-4,
            newton_max_iterations: 30,
            strain_limit: None,
            max_stretch_step: 0.05,
            adaptive: None,
            contact: None,
            response: Response::default(),
            untangle: true,
        }
    }
}
