//! What holds particles: pins and contact with colliders.

pub mod contact;
pub mod end;
pub mod motion;
pub mod pin;
pub mod strain_limit;
