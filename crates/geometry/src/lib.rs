//! Meshes and grids, bounding volume trees, and exact intersection tests.
//!
//! Lengths are metres. Meshes are indexed triangles; particle and vertex order is never changed.

pub mod bounds;
pub mod grid;
pub mod mesh;

pub use bounds::Bounds;
pub use grid::QuadGrid;
pub use mesh::{MeshError, TriMesh};
