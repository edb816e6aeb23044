//! The equations of a step: the model as the integrator sees it, and the forms of its linear systems.

pub mod assembled;
mod contact_assembly;
pub mod damping;
pub mod dump;
mod external;
pub mod form;
pub mod grid;
pub mod held;
pub mod mesh;
mod refine;
pub mod single;
pub mod system;
pub mod workspace;

pub use system::ClothSystem;
pub use workspace::Workspace;
