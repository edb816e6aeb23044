//! The step: from one [`crate::State`] to the next.
//!
//! [`Simulation`] is what a user holds. A driver ([`advance`]) decides how long the next step is, and has it tried
//! ([`attempt`]): constraints, contacts, solve, corrections. A try leaves the state as it is; whether its end becomes
//! the state, or the step is taken shorter, is decided by one table of rules ([`accept`]).

mod accept;
mod adaptive;
mod advance;
mod attempt;
mod corrections;
mod energy_check;
mod frame_report;
mod scheme;
mod simulation;
mod stability;
mod start;
mod stretch;
pub(crate) mod watch;

pub use adaptive::{Adaptive, Control};
pub use frame_report::{ContactCounts, Crossings, FrameReport, GuardWork, SolverWork};
pub use simulation::Simulation;
pub use start::StepStart;
pub use watch::Watch;
