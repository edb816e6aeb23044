//! Answers found without the simulator.

pub mod cantilever;
pub mod elastica;
pub mod elliptic;
pub mod steps;
