//! Cloth that meets cloth, bodies and colliders: nothing passes through anything.
//!
//! Before a step, [`collect`] finds the pairs of features that touch; each is a [`stencil`] whose [`potential`] is
//! part of the implicit solve as far as it is [`active`]. After it, the [`guard`] makes sure that nothing has
//! passed through anything on the way. Between the two, [`untangle`] frees cloth that starts crossed. Which
//! [`response`] answers contact is chosen: those potentials, [`impulses`], or particles alone.
//! Contact with a [`collider`], which has a signed distance, is held in the solver's filter instead.
//! [`feature_contact`] says in which order a step calls all of this, and [`tuning`] holds its numbers.

pub mod active;
mod balance;
pub mod collect;
pub mod collider;
pub mod common_normal;
pub mod feature_contact;
pub mod first_guess;
pub mod friction_table;
pub mod guard;
pub mod impulses;
pub mod memory;
pub mod movable;

pub mod pinch;
pub mod potential;
pub mod response;
pub mod stencil;
mod step_contacts;
pub mod surfaces;
pub mod tuning;
pub mod untangle;
mod wall;

pub use active::ActiveContacts;
pub use collect::{Listing, Particles};
pub use feature_contact::FeatureContact;
pub use friction_table::FrictionTable;
pub use guard::{Crushed, Guard, GuardReport};
pub use impulses::{Impulses, Inelastic, Struck};
pub use memory::Remembered;
pub use movable::Movable;
pub use pinch::Pinches;
pub use potential::ContactPotential;
pub use response::ContactResponse;
pub use stencil::{ContactLaw, ContactStart, ContactStencil};
pub use step_contacts::{StepContacts, StepMotion, StepPath};
pub use surfaces::{Pair, Surfaces};
pub use untangle::Untangler;
