//! The step: from one [`crate::State`] to the next.

mod adaptive;
mod advance;
mod energy_check;
mod scheme;
mod simulation;
mod stability;
mod stretch;
pub(crate) mod watch;

pub use adaptive::{Adaptive, Control};
pub use advance::FrameReport;
pub use simulation::Simulation;
pub use watch::Watch;
