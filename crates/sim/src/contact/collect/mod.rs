//! Which features are near each other: broad phase, filters of pairs, and what becomes a contact.

pub(crate) mod chosen;
mod closest_points;
pub mod f32_reject;
pub mod listing;
mod nearest;
pub mod particles;
pub mod proximity;

pub use closest_points::ClosestPoints;
pub use listing::Listing;
pub use particles::Particles;
