//! How cloths are built: particles, masses and elements.

pub mod outline;
pub mod quad;
pub mod triangles;
pub mod weight;
