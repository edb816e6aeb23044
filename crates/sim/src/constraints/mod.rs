//! What holds particles: pins, contact with colliders, and what they stick to.

pub mod end;
pub mod motion;
pub mod pin;
pub mod step_constraints;
pub mod stick;
pub mod strain_limit;

pub use end::End;
pub use step_constraints::{StepConstraints, Target, free_particles};
