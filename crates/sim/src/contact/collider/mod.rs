//! Contact of particles with colliders: solids with a signed distance.

pub mod approach;
pub mod forecast;
pub mod friction;
pub mod squeeze;
