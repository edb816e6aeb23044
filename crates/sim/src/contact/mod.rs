//! Cloth that meets cloth, bodies and colliders: nothing passes through anything.
//!
//! Before a step, [`collect`] finds the pairs of features that touch; the energies of their [`stencil`]s are
//! part of the implicit solve. After it, the [`guard`] makes sure that nothing has passed through
//! anything on the way. Between the two, [`untangle`] frees cloth that starts crossed, and
//! [`impulses`] are there to be chosen instead of energies in the solve, or those of particles alone.
//! Contact with a [`collider`], which has a signed distance, is held in the solver's filter instead.

mod balance;
pub mod collect;
pub mod collider;
pub mod common_normal;
pub mod feature_contact;
pub mod friction_table;
pub mod guard;
pub mod impulses;
pub mod memory;
pub mod part;
pub mod pinch;
pub mod stencil;
pub mod surfaces;
pub mod untangle;

pub use collect::{Listing, Particles};
pub use feature_contact::FeatureContact;
pub use friction_table::FrictionTable;
pub use guard::{Crushed, Guard, Guarded, Movable};
pub use impulses::{Impulses, Inelastic, Struck};
pub use memory::Remembered;
pub use pinch::Pinches;
pub use stencil::ContactStencil;
pub use surfaces::{Pair, Surfaces};
pub use untangle::Untangler;
