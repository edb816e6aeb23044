//! What holds particles: pins, contact with colliders, and what they stick to.

pub mod contact;
pub mod end;
mod forecast;
mod friction;
mod meeting;
pub mod motion;
pub mod pin;
mod squeeze;
pub mod stick;
pub mod strain_limit;
