//! Energies and forces, one physical model a file.

pub mod air;
pub mod arc;
pub mod baraff_witkin;
pub mod buckling_link;
pub mod curve;
pub mod elastica;
pub mod fit;
pub mod green;
pub mod hinge;
pub mod hookean_link;
pub mod measured;
pub mod pair_bend;
pub mod spring;
pub mod stretch_link;
pub mod tension;
pub mod tetrahedron;
pub mod triangle;
pub mod wind;

pub use crate::assembly::family::{At, Family, Terms};
pub use crate::assembly::links::{
    AxialLaw, AxialLinks, Class, DampingKind, Jacobian, LinkFamily, LinkOptions, Response,
};
pub use buckling_link::BucklingLink;
pub use curve::Curve;
pub use hookean_link::HookeanLink;
pub use stretch_link::StretchLink;
