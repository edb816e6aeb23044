//! A field in the way it is stored: in full, or sparse.

use super::{
    CacheError, Coarsening, Field, Grid, LevelSetError, Octree, Settings, Solid, Stencil, cache,
};
use crate::Bounds;
use glam::DVec3;
use std::path::Path;

/// What an octree may miss near the surface, in cells. Below a tenth, which cloth keeps away; with much
/// less, it follows every facet and is no smaller than the grid.
const TOLERANCE: f64 = 0.05;

/// How fields are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Storage {
    /// One number a node of a uniform grid.
    #[default]
    Grid,
    /// In cells of many sizes, within a twentieth of a cell of the grid near the surface: 1.8 to 25
    /// times smaller, most so where the mesh is smooth beside its cells.
    Octree,
}

impl Storage {
    /// What a sparse field may miss.
    fn coarsening(self, settings: &Settings) -> Option<Coarsening> {
        match self {
            Self::Grid => None,
            Self::Octree => Some(Coarsening {
                tolerance_m: TOLERANCE * settings.cell_m,
                ..Coarsening::new(settings.cell_m)
            }),
        }
    }

    /// Checksum of all that a field depends on.
    pub fn key(self, solid: &Solid, poses: &[&[DVec3]], settings: &Settings) -> u64 {
        cache::key(solid, poses, settings, self.coarsening(settings).as_ref())
    }
}

/// A field, stored one way or the other.
#[derive(Clone, Debug, PartialEq)]
pub enum Stored {
    /// In full.
    Grid(Grid),
    /// Sparse.
    Octree(Octree),
}

impl Stored {
    /// The field of a solid in a pose, as [`Grid::build`] makes it, but lowered where it would have the
    /// surface outside: what keeps to it stays out of the solid. While a sparse one is made, the full one is
    /// there too.
    pub fn build(
        solid: &Solid,
        positions: &[DVec3],
        velocities: Option<&[DVec3]>,
        settings: &Settings,
        storage: Storage,
    ) -> Result<Self, LevelSetError> {
        let grid = Grid::build(solid, positions, velocities, settings)?;
        let grid = grid.covering(solid, &solid.extended(positions)?);
        match storage.coarsening(settings) {
            None => Ok(Self::Grid(grid)),
            Some(coarsening) => Octree::from_grid(&grid, &coarsening).map(Self::Octree),
        }
    }

    /// Memory it takes.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Grid(grid) => grid.bytes(),
            Self::Octree(tree) => tree.bytes(),
        }
    }

    /// Reads one from a file that [`Stored::write`] made.
    pub fn read(path: &Path, key: u64, storage: Storage) -> Result<Self, CacheError> {
        match storage {
            Storage::Grid => cache::read(path, key).map(Self::Grid),
            Storage::Octree => cache::read(path, key).map(Self::Octree),
        }
    }

    /// Writes it.
    pub fn write(&self, path: &Path, key: u64) -> Result<(), CacheError> {
        match self {
            Self::Grid(grid) => cache::write(path, grid, key),
            Self::Octree(tree) => cache::write(path, tree, key),
        }
    }

    /// How it is stored.
    pub fn storage(&self) -> Storage {
        match self {
            Self::Grid(_) => Storage::Grid,
            Self::Octree(_) => Storage::Octree,
        }
    }
}

impl Field for Stored {
    fn bounds(&self) -> Bounds {
        match self {
            Self::Grid(grid) => grid.bounds(),
            Self::Octree(tree) => tree.bounds(),
        }
    }

    fn distance_m(&self, point: DVec3) -> f64 {
        match self {
            Self::Grid(grid) => grid.distance_m(point),
            Self::Octree(tree) => tree.distance_m(point),
        }
    }

    fn velocity(&self, point: DVec3) -> DVec3 {
        match self {
            Self::Grid(grid) => grid.velocity(point),
            Self::Octree(tree) => tree.velocity(point),
        }
    }

    fn cell_m(&self, point: DVec3) -> f64 {
        match self {
            Self::Grid(grid) => grid.cell_m(point),
            Self::Octree(tree) => tree.cell_m(point),
        }
    }

    fn gradient(&self, stencil: Stencil, point: DVec3) -> DVec3 {
        match self {
            Self::Grid(grid) => grid.gradient(stencil, point),
            Self::Octree(tree) => tree.gradient(stencil, point),
        }
    }
}
