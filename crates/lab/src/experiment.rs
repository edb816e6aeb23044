//! What an experiment is, and the list of all.

use crate::check::Check;
use crate::free_fall;
use crate::table::Table;
use std::path::{Path, PathBuf};
use thiserror::Error;
use toile_sim::{BuildError, StepError};

/// An experiment with a known answer.
#[derive(Clone, Copy)]
pub struct Experiment {
    /// Name on the command line.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// Carries it out.
    pub run: fn() -> Result<Findings, Error>,
}

/// What an experiment found.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The numbers.
    pub table: Table,
    /// What must hold of them.
    pub checks: Vec<Check>,
}

/// Why an experiment could not be carried out or written down.
#[derive(Debug, Error)]
pub enum Error {
    /// A model could not be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A file could not be written.
    #[error("{path} cannot be written: {message}")]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        message: String,
    },
}

impl Findings {
    /// Writes `NAME.csv` into `folder`; returns what was written.
    pub fn write(&self, folder: &Path, name: &str) -> Result<Vec<PathBuf>, Error> {
        let write_error = |path: &Path, message: String| Error::Write {
            path: path.to_owned(),
            message,
        };
        std::fs::create_dir_all(folder).map_err(|e| write_error(folder, e.to_string()))?;
        let path = folder.join(format!("{name}.csv"));
        self.table
            .write_csv(&path)
            .map_err(|e| write_error(&path, e.to_string()))?;
        Ok(vec![path])
    }
}

/// All experiments.
pub fn experiments() -> &'static [Experiment] {
    &[Experiment {
        name: "free-fall",
        about: "a free sheet against ½ g t²: what each integrator loses",
        run: free_fall::run,
    }]
}
