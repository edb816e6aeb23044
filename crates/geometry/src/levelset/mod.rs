//! Solids as signed distances, sampled on grids: negative inside, positive outside.
//!
//! A [`Solid`] is a closed mesh, with small holes closed for it. A [`Grid`] is its field in a pose:
//! exact within a few cells of the surface, and marched from there.
//!
//! Verified by: `tests/levelset.rs`, `tests/levelset_gradient.rs`.

mod band;
mod columns;
mod error;
mod exact;
mod field;
mod gradient;
mod grid;
mod lattice;
mod march;
mod solid;

pub use error::{CacheError, LevelSetError};
pub use exact::Exact;
pub use field::{Field, Sample};
pub use gradient::Stencil;
pub use grid::{Grid, Settings};
pub use lattice::Lattice;
pub use solid::{Hole, Solid};
