//! Energies and forces, one physical model a file.

pub mod air;
pub mod arc;
pub mod axial;
pub mod buckling_link;
pub mod curve;
pub mod elastica;
pub mod fit;
pub mod hookean_link;
pub mod measured;
pub mod stretch_link;
pub mod wind;

pub use axial::{
    AxialLaw, AxialLinks, Class, DampingKind, Family, Jacobian, LinkOptions, Response, Term,
};
pub use buckling_link::BucklingLink;
pub use curve::Curve;
pub use hookean_link::HookeanLink;
pub use stretch_link::StretchLink;
