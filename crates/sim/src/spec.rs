//! What a model is built from: plain descriptions, validated by [`crate::Model::build`].

use crate::colliders::Shape;
use crate::material::Material;
use glam::DVec3;
use toile_geometry::{Bounds, QuadGrid};

/// Everything a model is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelSpec {
    /// Gravity, m/s².
    pub gravity_m_per_s2: DVec3,
    /// The cloths; their particles are numbered one after the other in this order.
    pub cloths: Vec<ClothSpec>,
    /// What the cloths meet.
    pub colliders: Vec<ColliderSpec>,
}

/// The set of energies of a cloth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClothModel {
    /// Tension-only stretch and shear links, immediately buckling bending links, on a grid.
    #[default]
    QuadBuckling,
}

/// One rectangular cloth.
#[derive(Clone, Debug, PartialEq)]
pub struct ClothSpec {
    /// Name, for messages and files.
    pub name: String,
    /// Particles and size in pattern coordinates.
    pub grid: QuadGrid,
    /// World position of the middle of the rectangle, m.
    pub center: DVec3,
    /// World direction of u; unit length.
    pub u_axis: DVec3,
    /// World direction of v; unit length, orthogonal to `u_axis`.
    pub v_axis: DVec3,
    /// Velocity of every particle at the start, m/s.
    pub velocity_m_per_s: DVec3,
    /// Its energies.
    pub model: ClothModel,
    /// What it is made of.
    pub material: Material,
    /// Where it is held.
    pub pins: Vec<PinSpec>,
}

/// A group of particles held where they start.
#[derive(Clone, Debug, PartialEq)]
pub struct PinSpec {
    /// Which particles.
    pub region: PinRegion,
}

/// How pinned particles are chosen.
#[derive(Clone, Debug, PartialEq)]
pub enum PinRegion {
    /// By index within the cloth.
    Indices(Vec<u32>),
    /// All that start inside a world-space box.
    Box(Bounds),
    /// Square patches at corners: all particles within `patch_m` of the corner along u and v.
    Corners {
        /// Which corners.
        corners: Vec<Corner>,
        /// Side of the patch, m; 0 pins the corner particle alone.
        patch_m: f64,
    },
    /// Whole border rows.
    Borders(Vec<Border>),
}

/// A corner of a grid, by its pattern coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corner {
    /// Lowest u, lowest v.
    UMinVMin,
    /// Highest u, lowest v.
    UMaxVMin,
    /// Lowest u, highest v.
    UMinVMax,
    /// Highest u, highest v.
    UMaxVMax,
}

/// A side of a grid, by its pattern coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Border {
    /// Lowest u.
    UMin,
    /// Highest u.
    UMax,
    /// Lowest v.
    VMin,
    /// Highest v.
    VMax,
}

/// A thing cloth meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColliderSpec {
    /// Its surface.
    pub shape: Shape,
    /// Coulomb friction coefficient against cloth.
    pub friction: f64,
}
