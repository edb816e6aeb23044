//! Preconditioners built from an assembled matrix.
//!
//! Each is rebuilt by `refresh` at every linearisation and applied once an iteration. Those that
//! couple particles are built from the [constrained](crate::constrain) matrix, so that held
//! particles do not appear to give way.

mod block_diagonal;
mod diagonal;
mod incomplete_cholesky;
mod incomplete_lu;
mod pivot;

pub use block_diagonal::BlockDiagonal;
pub use diagonal::Diagonal;
pub use incomplete_cholesky::IncompleteCholesky;
pub use incomplete_lu::IncompleteLu;
