//! The fast path for cloth on rectangular grids: a matrix-free operator and a multilevel
//! preconditioner in single precision, inside a double-precision Newton residual.
//!
//! Every link's block is `H = c I + q qᵀ`, so four numbers stand for nine, nothing is assembled,
//! and one row of the grid is multiplied eight columns at a time.

mod background;
mod banded;
mod coarse;
mod fine;
mod layout;
mod multilevel;
mod operator;
mod symmetric;
mod transfer;

pub use background::{Background, CELL_LINKS, CORNERS, Cell, SymmetricBlock};
pub use layout::{LANES, Layout};
pub use multilevel::Multilevel;
pub use operator::{DIRECTIONS, LatticeOperator, LinkCoefficients, LinkRow, Parts};
