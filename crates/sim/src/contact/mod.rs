//! Cloth that meets cloth and bodies: nothing passes through anything.
//!
//! Before a step, [`proximity`] finds the pairs of features that touch; their [`touch`] energies are
//! part of the implicit solve. After it, the [`guard`] makes sure that nothing has passed through
//! anything on the way. Between the two, [`untangle`] frees cloth that starts crossed, and
//! [`impulses`] are there to be chosen instead of energies in the solve, or those of [`particles`] alone.

mod balance;
mod chosen;
pub mod contour;
mod glance;
pub mod guard;
pub mod impact;
pub mod impulses;
pub mod inelastic;
pub mod listing;
pub mod memory;
pub mod part;
pub mod particles;
pub mod pinch;
pub mod planes;
pub mod proximity;
pub mod rubbing;
pub mod stage;
pub mod surfaces;
pub mod tangent;
pub mod touch;
pub mod untangle;
pub mod zones;

pub use guard::{Crushed, Guard, Guarded, Movable};
pub use impulses::{Impulses, Struck};
pub use inelastic::Inelastic;
pub use listing::Listing;
pub use memory::Remembered;
pub use particles::Particles;
pub use pinch::Pinches;
pub use rubbing::Rubbing;
pub use stage::Stages;
pub use surfaces::{Pair, Surfaces};
pub use touch::Touch;
pub use untangle::Untangler;
