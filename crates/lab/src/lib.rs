//! Experiments with a known answer, and the standard benchmark scenes.

pub mod bench;
mod body;
mod buckling;
mod cantilever;
mod catenary;
mod ccd;
mod check;
mod contact;
mod couple;
mod curve;
mod damping;
mod drape;
mod experiment;
mod filtering;
pub mod fit;
mod free_fall;
mod friction;
mod hanging;
mod integrators;
mod jacobian;

mod lateral;
mod ledger;
mod levelset;
mod meshes;
mod peirce;
mod pendulum;
mod pinched;
mod preconditioners;
mod probe;
mod report_table;
mod schemes;
mod specimen;
mod speedup;
mod stability;
mod statics;
mod strip;
mod table;
mod taut;
mod tensile;
mod theory;
mod worn;
mod wrinkles;

pub use check::{Band, Check};
pub use experiment::{Error, Experiment, Findings, experiments};
pub use table::Table;
