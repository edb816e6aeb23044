//! Answers found without the simulator.

pub mod cantilever;
pub mod catenary;
pub mod elastica;
pub mod elliptic;
pub mod end_force;
pub mod pendulum;
pub mod steps;
