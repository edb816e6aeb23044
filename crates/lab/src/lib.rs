//! Experiments with a known answer, and the standard benchmark scenes.

pub mod bench;
mod check;
mod experiment;
mod free_fall;
mod table;

pub use check::{Band, Check};
pub use experiment::{Error, Experiment, Findings, experiments};
pub use table::Table;
