//! What holds particles: pins and contact with colliders.

pub mod contact;
pub mod end;
mod forecast;
mod friction;
mod meeting;
pub mod motion;
pub mod pin;
pub mod strain_limit;
