//! What a model is built from: plain descriptions, validated by [`crate::Model::build`].

pub use crate::bodies::{BodyMotion, BodySpec, Frames, Puppet, Sequence};
pub use crate::colliders::{ColliderSpec, FrictionLaw};
use crate::constraints::motion::Motion;
pub use crate::constraints::stick::{AttachSpec, StickSpec};
use crate::error::BuildError;
use crate::forces::hinge::Form;
use crate::forces::measured::Measured;
use crate::model::keyed::KeyedScalar;
use crate::model::material::Material;
pub use crate::model::rod::RodSpec;
pub use crate::model::shell::map::{Map, Mapped};
pub use crate::model::solid::SolidSpec;
use glam::DVec3;
use std::sync::Arc;
use toile_geometry::{Bounds, QuadGrid, Surface, TriMesh};

/// Everything a model is made of; the default is nothing, without gravity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelSpec {
    /// Gravity, m/s².
    pub gravity_m_per_s2: DVec3,
    /// What all that deforms moves through.
    pub air: AirSpec,
    /// The cloths; their particles are numbered one after the other in this order.
    pub cloths: Vec<ClothSpec>,
    /// The rods, whose particles come after those of the cloths.
    pub rods: Vec<RodSpec>,
    /// The solids, whose particles come last.
    pub solids: Vec<SolidSpec>,
    /// What they meet.
    pub colliders: Vec<ColliderSpec>,
    /// Solids made of triangles that they meet.
    pub bodies: Vec<BodySpec>,
    /// Friction of pairs that have their own.
    pub friction: Vec<PairFriction>,
}

impl ModelSpec {
    /// How many things deform: cloths, then rods, then solids.
    pub fn deformables(&self) -> usize {
        self.cloths.len() + self.rods.len() + self.solids.len()
    }

    /// Number of particles.
    pub fn particles(&self) -> usize {
        let cloths = self.cloths.iter().map(ClothSpec::particles);
        let rods = self.rods.iter().map(|rod| rod.points.len());
        let solids = self.solids.iter().map(|solid| solid.points.len());
        cloths.chain(rods).chain(solids).sum()
    }
}

/// Friction between two things, instead of what would otherwise hold for them: the coefficient of the
/// collider or of the body, or between cloths that of [`crate::ClothContact`].
#[derive(Clone, Debug, PartialEq)]
pub struct PairFriction {
    /// The two; at least one deforms.
    pub between: [Thing; 2],
    /// The coefficient over time; for a collider in the units of its law.
    pub friction: KeyedScalar,
}

impl PairFriction {
    /// Refuses what is no friction of two things of `spec`.
    pub(crate) fn validate(&self, spec: &ModelSpec) -> Result<(), BuildError> {
        let error = |key: &str, message: &str| {
            Err(BuildError {
                key: key.into(),
                message: message.into(),
            })
        };
        let exists = |thing: &Thing| match *thing {
            Thing::Deformable(k) => k < spec.deformables(),
            Thing::Collider(k) => k < spec.colliders.len(),
            Thing::Body(k) => k < spec.bodies.len(),
        };
        let deforms = |thing: &Thing| matches!(thing, Thing::Deformable(_));
        if !self.between.iter().all(exists) {
            return error("between", "expected two things that exist");
        }
        if !self.between.iter().any(deforms) {
            return error("between", "expected at least one cloth");
        }
        let mut coefficients = self.friction.values();
        if !coefficients.all(|friction| friction.is_finite() && friction >= 0.0) {
            return error("friction", "expected a number of at least 0");
        }
        self.friction.validate()
    }
}

/// Something that can be rubbed against, by its place in the model's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thing {
    /// Something that deforms: cloths are numbered first, then rods, then solids.
    Deformable(usize),
    /// A collider.
    Collider(usize),
    /// A body.
    Body(usize),
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
    /// A membrane and hinges or pairs of triangles that bend, on any mesh.
    Triangles(Membrane, Bending),
}

impl ClothModel {
    /// Tension-only membrane with immediately buckling pairs.
    pub const TRIANGLE_BUCKLING: Self = Self::Triangles(Membrane::Tension, Bending::Pairs);
    /// Two-sided stretch and angle shear with hinges.
    pub const BARAFF_WITKIN: Self =
        Self::Triangles(Membrane::BaraffWitkin, Bending::Hinges(Form::Quadratic));
    /// A measured membrane with hinges.
    pub const MEASURED: Self =
        Self::Triangles(Membrane::Measured, Bending::Hinges(Form::Quadratic));
}

/// How triangles resist stretch and shear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Membrane {
    /// Tension along warp, weft and the diagonals; nothing in compression.
    #[default]
    Tension,
    /// Stretch along warp and weft in both senses, shear by the angle between them.
    BaraffWitkin,
    /// The law of [`ClothSpec::measured`].
    Measured,
}

/// How triangles resist bending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bending {
    /// Not at all.
    Limp,
    /// Immediately buckling links across the edges.
    #[default]
    Pairs,
    /// Hinges with angles at rest.
    Hinges(Form),
}

/// The shape a cloth is cut to, and where it starts.
#[derive(Clone, Debug, PartialEq)]
pub enum Cut {
    /// A rectangle.
    Sheet(Sheet),
    /// Triangles of any shape.
    Mesh(Arc<Surface>),
}

/// A rectangle placed in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sheet {
    /// Particles and size in pattern coordinates.
    pub grid: QuadGrid,
    /// World position of the middle of the rectangle, m.
    pub center: DVec3,
    /// World direction of u; unit length.
    pub u_axis: DVec3,
    /// World direction of v; unit length, orthogonal to `u_axis`.
    pub v_axis: DVec3,
    /// Curvature it starts with along u, 1/m; positive bends its front outwards.
    pub curvature_per_m: f64,
}

impl Sheet {
    /// Where its particles start, m.
    pub fn positions(&self) -> Vec<DVec3> {
        let flat = self.grid.positions(self.center, self.u_axis, self.v_axis);
        if self.curvature_per_m == 0.0 {
            return flat;
        }
        let front = self.u_axis.cross(self.v_axis);
        let bend = |p: DVec3| {
            let along = (p - self.center).dot(self.u_axis);
            let angle = self.curvature_per_m * along;
            // Versine and sine over the curvature, which may be small.
            let half = (0.5 * angle).sin();
            let outwards = -2.0 * half * half / self.curvature_per_m;
            let forwards = angle.sin() / self.curvature_per_m;
            p + (forwards - along) * self.u_axis + outwards * front
        };
        flat.into_iter().map(bend).collect()
    }

    /// The same as triangles.
    pub fn surface(&self) -> Surface {
        let faces = self.grid.faces();
        let pattern = |particle: u32| {
            let (column, row) = self.grid.cell_of(particle as usize);
            self.grid.pattern(column, row)
        };
        Surface {
            rest: faces.iter().map(|face| face.map(pattern)).collect(),
            mesh: TriMesh {
                positions: self.positions(),
                faces,
            },
        }
    }
}

/// Angles at which hinges rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RestAngles {
    /// Whether the shape the cloth starts in is its own; it is flat at rest otherwise.
    pub as_started: bool,
    /// Angles given for single edges by their particles within the cloth, rad. A positive angle
    /// folds the fronts of the two faces away from each other.
    pub painted: Vec<([u32; 2], KeyedScalar)>,
}

/// One cloth.
#[derive(Clone, Debug, PartialEq)]
pub struct ClothSpec {
    /// Name, for messages and files.
    pub name: String,
    /// Its shape and place.
    pub cut: Cut,
    /// Velocity of every particle at the start, m/s.
    pub velocity_m_per_s: DVec3,
    /// Its energies.
    pub model: ClothModel,
    /// What it is made of.
    pub material: Material,
    /// The measured membrane of its fabric, for cloths that ask for it.
    pub measured: Option<Measured>,
    /// How some of its values differ from face to face and over time.
    pub maps: Vec<Map>,
    /// Angles at which hinges rest.
    pub rest_angles: RestAngles,
    /// Where it is held.
    pub pins: Vec<PinSpec>,
    /// Where it sticks to things that come near.
    pub sticks: Vec<StickSpec>,
    /// Where it is fastened to things.
    pub attachments: Vec<AttachSpec>,
    /// What is sewn into it.
    pub weights: Vec<WeightSpec>,
}

impl ClothSpec {
    /// A free cloth at rest, with the model its cut can have.
    pub fn new(name: impl Into<String>, cut: Cut, material: Material) -> Self {
        Self {
            name: name.into(),
            model: match cut {
                Cut::Sheet(_) => ClothModel::QuadBuckling,
                Cut::Mesh(_) => ClothModel::TRIANGLE_BUCKLING,
            },
            cut,
            velocity_m_per_s: DVec3::ZERO,
            material,
            measured: None,
            maps: Vec::new(),
            rest_angles: RestAngles::default(),
            pins: Vec::new(),
            sticks: Vec::new(),
            attachments: Vec::new(),
            weights: Vec::new(),
        }
    }

    /// Number of particles.
    pub fn particles(&self) -> usize {
        match &self.cut {
            Cut::Sheet(sheet) => sheet.grid.len(),
            Cut::Mesh(surface) => surface.mesh.positions.len(),
        }
    }

    /// The rectangle it is cut as, if it is one.
    pub fn sheet(&self) -> Option<&Sheet> {
        match &self.cut {
            Cut::Sheet(sheet) => Some(sheet),
            Cut::Mesh(_) => None,
        }
    }

    /// The same, to be changed.
    pub fn sheet_mut(&mut self) -> Option<&mut Sheet> {
        match &mut self.cut {
            Cut::Sheet(sheet) => Some(sheet),
            Cut::Mesh(_) => None,
        }
    }

    /// Where its particles start, m.
    pub fn positions(&self) -> Vec<DVec3> {
        match &self.cut {
            Cut::Sheet(sheet) => sheet.positions(),
            Cut::Mesh(surface) => surface.mesh.positions.clone(),
        }
    }
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
    /// All that start inside a ball.
    Ball {
        /// Its middle, m.
        center: DVec3,
        /// Its radius, m.
        radius_m: f64,
    },
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
