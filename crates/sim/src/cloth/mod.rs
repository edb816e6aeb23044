//! Cloth models: which elements a cloth is made of, and how its fabric sets their parameters.

pub mod quad;
pub mod weight;
