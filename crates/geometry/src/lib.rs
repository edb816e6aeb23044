//! Meshes and grids, bounding volume trees, and exact intersection tests.
//!
//! Lengths are metres. Meshes are indexed triangles; particle and vertex order is never changed.

pub mod bounds;
pub mod broad;
pub mod bvh;
pub mod ccd;
pub mod character;
pub mod dihedral;
pub mod distance;
pub mod flatten;
pub mod generate;
pub mod grid;
pub mod intersections;
pub mod levelset;
pub mod mesh;
pub mod polygon;
pub mod predicates;
pub mod repair;
mod sides;
pub mod subdivide;
pub mod surface;
pub mod timing;
pub mod triangle_pair;

pub use bounds::Bounds;
pub use bvh::BoxTree;
pub use flatten::{FlattenError, flatten_charts, from_shape, from_uvs};
pub use generate::{Flat, Tiling};
pub use grid::QuadGrid;
pub use intersections::{
    CheckError, FacePair, Findings, Kinds, PairCheckError, intersections_between,
    self_intersections,
};
pub use mesh::{MeshError, TriMesh};
pub use repair::{RepairError, Repairs, Soup, Triangles};
pub use subdivide::{Pieces, Subdivision};
pub use surface::{Hinge, Surface, SurfaceError};
pub use triangle_pair::Meeting;
