//! Which features are near each other: broad phase, filters of pairs, and what becomes a contact.

pub(crate) mod chosen;
pub mod f32_reject;
pub mod listing;
pub mod particles;
pub mod proximity;

pub use listing::Listing;
pub use particles::Particles;
