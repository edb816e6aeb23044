//! The scene file as written. Doc comments here are what `toile schema` prints.
//!
//! Types are strict: an unknown key is an error. Everything with a good default has it here;
//! what depends on other keys (names, materials) stays optional until it is resolved.

use super::strict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toile_sim::StepConfig;

/// A scene: cloths, what they meet, how they are stepped and what is written.
///
/// SI units everywhere; right-handed, y up.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(title = "Toile scene", extend("required" = ["cloth"]))]
pub struct File {
    /// Name of the scene and of its output folder. Default: the name of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Frames per second of simulated time.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub fps: f64,
    /// Number of frames to simulate.
    #[schemars(range(min = 1))]
    pub frames: u32,
    /// Gravity, m/s².
    pub gravity_m_per_s2: [f64; 3],
    /// How the cloth is stepped.
    #[serde(deserialize_with = "strict::table")]
    pub solver: Solver,
    /// The cloths.
    #[schemars(length(min = 1))]
    #[serde(deserialize_with = "strict::tables")]
    pub cloth: Vec<Cloth>,
    /// What the cloths meet.
    #[serde(deserialize_with = "strict::tables")]
    pub collider: Vec<Collider>,
    /// What is written.
    #[serde(deserialize_with = "strict::table")]
    pub output: Output,
}

impl Default for File {
    fn default() -> Self {
        Self {
            name: None,
            fps: 60.0,
            frames: 240,
            gravity_m_per_s2: [0.0, -9.81, 0.0],
            solver: Solver::default(),
            cloth: Vec::new(),
            collider: Vec::new(),
            output: Output::default(),
        }
    }
}

/// How the cloth is stepped.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Solver {
    /// Time integrator.
    pub integrator: Integrator,
    /// How the equations of a step are solved.
    pub solve: Solve,
    /// A frame is split into equal steps no longer than this, s.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub max_step_s: f64,
    /// Relative residual at which the linear solver stops.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub linear_tolerance: f64,
    /// Iterations after which the linear solver stops in any case.
    #[schemars(range(min = 1))]
    pub linear_max_iterations: u32,
    /// Newton stops when no particle moves further than this share of the shortest link.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub newton_tolerance: f64,
    /// Newton iterations after which the step is taken as it is.
    #[schemars(range(min = 1))]
    pub newton_max_iterations: u32,
    /// When the exact intersection checker is run.
    pub verify: Verify,
}

impl Default for Solver {
    fn default() -> Self {
        let config = StepConfig::default();
        Self {
            integrator: Integrator::default(),
            solve: Solve::default(),
            max_step_s: 1.0 / 90.0,
            linear_tolerance: config.linear_tolerance,
            linear_max_iterations: config.linear_max_iterations,
            newton_tolerance: config.newton_tolerance,
            newton_max_iterations: config.newton_max_iterations,
            verify: Verify::default(),
        }
    }
}

/// Time integrator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Integrator {
    /// Second order, little damping.
    #[default]
    Bdf2,
    /// First order, strongly damping.
    BackwardEuler,
}

/// How the equations of a step are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Solve {
    /// One linearisation, one linear solve: fast.
    #[default]
    Once,
    /// Newton iterations with a line search: for large steps.
    Newton,
}

/// When the exact intersection checker is run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verify {
    /// Never.
    #[default]
    Off,
    /// On every frame.
    Frame,
}

/// One rectangular cloth.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cloth {
    /// Name of the cloth. Default: `cloth`, then `cloth-2` and so on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its size, particles and place.
    #[serde(deserialize_with = "strict::table")]
    pub grid: Grid,
    /// Its energies.
    #[serde(default)]
    pub model: Model,
    /// Built-in fabric it is made of; `toile fabrics` lists them.
    #[serde(default = "default_fabric")]
    pub fabric: String,
    /// Velocity of every particle at the start, m/s.
    #[serde(default)]
    pub velocity_m_per_s: [f64; 3],
    /// Values that replace those of the fabric.
    #[serde(default, deserialize_with = "strict::table")]
    pub material: Material,
    /// Where it is held.
    #[serde(default, deserialize_with = "strict::tables")]
    pub pin: Vec<Pin>,
}

fn default_fabric() -> String {
    crate::fabric::DEFAULT.to_owned()
}

/// Size, particles and place of a rectangular cloth. u is warp, v is weft.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    /// Extent along u and v, m.
    pub size_m: [f64; 2],
    /// Particles along u and v; at least 2 each.
    pub particles: [u32; 2],
    /// World position of the middle, m.
    #[serde(default)]
    pub center: [f64; 3],
    /// The plane it starts in.
    #[serde(default)]
    pub plane: Plane,
    /// Turned about its middle by these angles around world x, then y, then z, degrees.
    #[serde(default)]
    pub rotation_deg: [f64; 3],
}

/// The plane a cloth starts in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Plane {
    /// u along +x, v along −z; the front looks up.
    #[default]
    Horizontal,
    /// u along +x, v along +y; the front looks along +z.
    Vertical,
}

/// The energies of a cloth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Model {
    /// Tension-only stretch and shear links, immediately buckling bending links.
    #[default]
    QuadBuckling,
}

/// Values that replace those of the fabric.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Material {
    /// Mass per area, kg/m².
    #[serde(skip_serializing_if = "Option::is_none")]
    pub area_density_kg_per_m2: Option<f64>,
    /// Stretch stiffness along warp, N/m; also along weft unless that is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretch_n_per_m: Option<f64>,
    /// Stretch stiffness along weft, N/m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretch_weft_n_per_m: Option<f64>,
    /// Shear stiffness, N/m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shear_n_per_m: Option<f64>,
    /// Flexural rigidity of the sheet along warp, N·m; also along weft unless that is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bending_n_m: Option<f64>,
    /// Flexural rigidity of the sheet along weft, N·m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bending_weft_n_m: Option<f64>,
    /// Damper along every link, N·s/m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damping_n_s_per_m: Option<f64>,
    /// Share of a slack link's stiffness kept in the solver's matrix, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slack_factor: Option<f64>,
    /// Distance the cloth keeps from what it touches, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thickness_m: Option<f64>,
    /// Curvature down to which the sheet keeps its bending rigidity, 1/m; 0 keeps it always.
    /// Excludes `compression_n_per_m`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub curvature_threshold_per_m: Option<f64>,
    /// Stiffness of a bending link before it buckles, N/m. Excludes `curvature_threshold_per_m`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compression_n_per_m: Option<f64>,
}

/// A group of particles held where they start: exactly one of `indices`, `box`, `corners` and
/// `borders`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    { "required": ["indices"] },
    { "required": ["box"] },
    { "required": ["corners"] },
    { "required": ["borders"] }
]))]
pub struct Pin {
    /// Particles by index: row · columns + column, from the corner of lowest u and v.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indices: Option<Vec<u32>>,
    /// All particles that start inside this box.
    #[serde(
        rename = "box",
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub region: Option<Region>,
    /// Corners of the cloth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub corners: Option<Vec<Corner>>,
    /// With `corners`: side of the square held at each corner, m; 0 holds one particle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch_m: Option<f64>,
    /// Whole sides of the cloth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub borders: Option<Vec<Border>>,
}

/// A world-space box.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// Lowest corner, m.
    pub min: [f64; 3],
    /// Highest corner, m.
    pub max: [f64; 3],
}

/// A corner of a cloth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[expect(
    clippy::enum_variant_names,
    reason = "a corner is one end of u and one of v"
)]
pub enum Corner {
    UMinVMin,
    UMaxVMin,
    UMinVMax,
    UMaxVMax,
}

/// A side of a cloth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Border {
    UMin,
    UMax,
    VMin,
    VMax,
}

/// A thing cloth meets.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Collider {
    /// Its surface.
    #[serde(deserialize_with = "strict::table")]
    pub shape: Shape,
    /// Coulomb friction coefficient. Default: that of the first cloth's fabric.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub friction: Option<f64>,
}

/// The surface of a collider: exactly one of the shapes.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
pub struct Shape {
    /// A half space, such as a floor.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub plane: Option<HalfSpace>,
    /// A ball.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub sphere: Option<Sphere>,
}

/// A half space: everything behind a plane is solid.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HalfSpace {
    /// Direction of the free side; any length.
    pub normal: [f64; 3],
    /// Distance of the plane from the origin along the normal, m.
    #[serde(default)]
    pub offset_m: f64,
}

/// A solid ball.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sphere {
    /// Middle, m.
    pub center: [f64; 3],
    /// Radius, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius_m: f64,
}

/// What is written.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Output {
    /// Mesh formats; a file a frame.
    pub formats: Vec<Format>,
    /// Whether a film and a poster are made.
    pub film: bool,
}

impl Default for Output {
    fn default() -> Self {
        Self {
            formats: vec![Format::Obj],
            film: true,
        }
    }
}

/// A mesh format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Wavefront OBJ.
    Obj,
}

impl std::str::FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "obj" => Ok(Self::Obj),
            _ => Err(format!("`{name}` is not a mesh format: expected obj")),
        }
    }
}
