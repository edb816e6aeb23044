//! What holds particles: pins and contact with colliders.

pub mod contact;
pub mod pin;
