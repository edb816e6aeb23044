//! Exit codes: part of the program's contract with scripts.

use std::fmt::Display;
use std::process::ExitCode;
use toile::run::RunError;

/// The work ran and the answer is no.
pub const NO: u8 = 1;
/// Bad input or usage.
pub const BAD_INPUT: u8 = 2;
/// The simulation failed; what was computed is kept.
pub const SIMULATION_FAILED: u8 = 3;
/// Ended by Ctrl-C, as shells report it; what was computed is kept.
pub const INTERRUPTED: u8 = 130;

/// An error and the exit code it ends with.
pub struct Failure {
    /// Exit code.
    pub code: ExitCode,
    /// What is printed on stderr.
    pub error: String,
}

impl Failure {
    /// The input was bad, or files could not be read or written.
    pub fn input(error: impl Display) -> Self {
        Self {
            code: ExitCode::from(BAD_INPUT),
            error: prefixed(error),
        }
    }

    /// The simulation could not go on.
    pub fn simulation(error: impl Display) -> Self {
        Self {
            code: ExitCode::from(SIMULATION_FAILED),
            error: prefixed(error),
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Input(_) | RunError::Output(_) => Self::input(error),
            RunError::NoSystem(_) => Self::input(format!("--dump-system: {error}")),
            RunError::Simulation(_) => Self::simulation(error),
        }
    }
}

fn prefixed(error: impl Display) -> String {
    let text = error.to_string();
    if text.starts_with("error") {
        text
    } else {
        format!("error: {text}")
    }
}

/// What every command returns.
pub type Outcome = Result<ExitCode, Failure>;
