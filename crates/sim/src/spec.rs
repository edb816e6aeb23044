//! What a model is built from: plain descriptions, validated by [`crate::Model::build`].

use crate::colliders::Shape;
use crate::constraints::motion::Motion;
use crate::material::Material;
use glam::DVec3;
use toile_geometry::{Bounds, QuadGrid};

/// Everything a model is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelSpec {
    /// Gravity, m/s².
    pub gravity_m_per_s2: DVec3,
    /// What the cloths move through.
    pub air: AirSpec,
    /// The cloths; their particles are numbered one after the other in this order.
    pub cloths: Vec<ClothSpec>,
    /// What the cloths meet.
    pub colliders: Vec<ColliderSpec>,
}

/// What cloths move through; the default is nothing at all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AirSpec {
    /// Rate at which all motion dies away, 1/s.
    pub damping_per_s: f64,
    /// Air that presses on the faces.
    pub wind: Option<WindSpec>,
}

/// Moving or still air that presses on the faces of cloths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindSpec {
    /// Mean velocity, m/s; zero is still air, which still resists.
    pub velocity_m_per_s: DVec3,
    /// Root mean square of the gusts on top of it, m/s.
    pub gust_m_per_s: f64,
    /// Distance over which gusts differ, m.
    pub gust_size_m: f64,
    /// Time in which gusts change, s.
    pub gust_period_s: f64,
    /// Chooses the gusts.
    pub seed: u32,
    /// Drag coefficient of a face that meets the air squarely.
    pub drag: f64,
    /// Lift coefficient of an inclined face, at most `drag`.
    pub lift: f64,
}

impl Default for WindSpec {
    /// Still air around a flat plate, whose drag coefficient is about 1.2; a little of it is left
    /// where the air passes along the face.
    fn default() -> Self {
        Self {
            velocity_m_per_s: DVec3::ZERO,
            gust_m_per_s: 0.0,
            gust_size_m: 1.0,
            gust_period_s: 1.0,
            seed: 0,
            drag: 1.2,
            lift: 1.1,
        }
    }
}

/// The set of energies of a cloth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClothModel {
    /// Tension-only stretch and shear links, immediately buckling bending links, on a grid.
    #[default]
    QuadBuckling,
    /// Two-sided springs in the same places, for comparison.
    QuadHookean,
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
    /// What is sewn into it.
    pub weights: Vec<WeightSpec>,
}

/// Extra mass of a cloth.
#[derive(Clone, Debug, PartialEq)]
pub enum WeightSpec {
    /// A cord or chain in hems.
    Hem {
        /// The borders it runs along.
        borders: Vec<Border>,
        /// Its mass per length, kg/m.
        kg_per_m: f64,
    },
    /// Weights at single particles.
    Points {
        /// The particles, by index within the cloth.
        indices: Vec<u32>,
        /// Mass of each, kg.
        kg: f64,
    },
}

/// A group of particles held, all in the same way.
#[derive(Clone, Debug, PartialEq)]
pub struct PinSpec {
    /// Which particles. One that several pins name belongs to the first of them.
    pub region: PinRegion,
    /// How they are moved.
    pub motion: Motion,
    /// The directions they are held in.
    pub hold: PinHold,
    /// Stiffness of a spring that draws each to its place, N/m; `None` holds it there exactly.
    pub soft_n_per_m: Option<f64>,
    /// When they are let go, s.
    pub release_s: Option<f64>,
}

impl PinSpec {
    /// Held where they start, for ever.
    pub fn fixed(region: PinRegion) -> Self {
        Self {
            region,
            motion: Motion::Still,
            hold: PinHold::All,
            soft_n_per_m: None,
            release_s: None,
        }
    }
}

/// The directions a pin holds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum PinHold {
    /// Every one.
    #[default]
    All,
    /// All but this: the particle slides along an axis. Any length but 0.
    FreeAxis(DVec3),
    /// Only this: the particle slides in the plane it is normal to. Any length but 0.
    Normal(DVec3),
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
