//! Why a run, or a picture of one, did not come about.

use std::error::Error;
use std::fmt::Write as _;

/// What is behind an error; whoever needs it can downcast it.
pub type Cause = Box<dyn Error + Send + Sync>;

/// What went wrong, by what must change before it goes right.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// What was asked for cannot be: a scene with a mistake, a file that is not there.
    #[error(transparent)]
    Input(Cause),
    /// A file cannot be written.
    #[error(transparent)]
    Output(Cause),
    /// The linear system of a step was asked for, and there was none.
    #[error("{0}")]
    NoSystem(String),
    /// The simulation came to something that cannot be judged.
    #[error(transparent)]
    Simulation(Cause),
}

impl RunError {
    /// What was asked for cannot be.
    pub fn input(cause: impl Into<Cause>) -> Self {
        Self::Input(cause.into())
    }

    /// A file cannot be written.
    pub fn output(cause: impl Into<Cause>) -> Self {
        Self::Output(cause.into())
    }

    pub(crate) fn simulation(cause: impl Into<Cause>) -> Self {
        Self::Simulation(cause.into())
    }

    /// A picture or film cannot be written, or a picture not be read.
    pub fn picture(error: impl Error) -> Self {
        Self::output(explained(error))
    }
}

/// An error with its causes, on one line.
fn explained(error: impl Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        // Writing to a string cannot fail.
        let _ = write!(text, ": {error}");
        cause = error.source();
    }
    text
}
