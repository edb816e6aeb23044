//! Solids as signed distances, sampled on grids: negative inside, positive outside.
//!
//! A [`Solid`] is a closed mesh, with small holes closed for it. A [`Grid`] is its field in a pose:
//! exact within a few cells of the surface, and marched from there. An [`Octree`] says nearly the same
//! in less memory. [`Stored`] is one or the other.
//!
//! Every [`Field`] can be [`Placed`] as a rigid body, joined with others into [`Parts`], and put in a
//! [`Sequence`] for an animation, which [`cache`] keeps in files. [`Depths`] measures against the mesh itself.
//!
//! Verified by: `tests/levelset.rs`, `tests/levelset_gradient.rs`, `tests/levelset_octree.rs`,
//! `tests/levelset_moving.rs`, `tests/levelset_depth.rs`, `tests/levelset_cover.rs`.

mod band;
pub mod cache;
mod columns;
mod cover;
mod depth;
mod error;
mod exact;
mod field;
mod gradient;
mod grid;
mod lattice;
mod march;
mod octree;
mod parts;
mod placed;
mod sequence;
mod solid;
mod stored;

pub use depth::Depths;
pub use error::{CacheError, LevelSetError};
pub use exact::Exact;
pub use field::{Field, Sample};
pub use gradient::Stencil;
pub use grid::{Grid, Settings};
pub use lattice::Lattice;
pub use octree::{Coarsening, Octree};
pub use parts::{PartSample, Parts};
pub use placed::{Placed, RigidMotion};
pub use sequence::{Moment, Sequence};
pub use solid::{Hole, Solid};
pub use stored::{Storage, Stored};
