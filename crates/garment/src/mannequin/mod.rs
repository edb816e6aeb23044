//! The mannequin: a human figure made from measurements.

pub mod cage;
pub mod fit;
pub mod measurements;
pub mod sculpt;
pub mod surface;

pub use measurements::{MeasureError, Measurements, Sex, Size};
