//! How cloths are built: particles, masses and elements.

mod build;
pub mod keyed;
pub mod map;
pub mod outline;
pub mod quad;
pub mod triangles;
mod unfolded;
pub mod weight;
