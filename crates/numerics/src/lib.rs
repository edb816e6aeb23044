//! Block-sparse matrices, filtered conjugate gradients, order-stable parallel loops, and time
//! integrators over a [`integrate::System`].
//!
//! Vectors are flat slices, so everything but the 3×3 blocks works in two and in three
//! dimensions.

pub mod block_csr;
pub mod cholesky;
pub mod constrain;
pub mod coupled;
pub mod csr;
pub mod direct;
pub mod filter;
pub mod integrate;
pub mod lattice;
pub mod operator;
pub mod par;
pub mod pcg;
pub mod precond;
pub mod scalar;
pub mod single_csr;
pub mod single_sum;

pub use block_csr::{BlockCsr, Pattern};
pub use cholesky::Cholesky;
pub use coupled::{Coupled, Coupling};
pub use csr::Csr;
pub use filter::{Hold, ParticleFilter};
pub use operator::{Filter, Operator, Preconditioner};
pub use scalar::Scalar;
