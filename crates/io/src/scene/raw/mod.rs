//! The scene file as written. Doc comments here are what `toile schema` prints.
//!
//! Types are strict: an unknown key is an error. Everything with a good default has it here;
//! what depends on other keys (names, materials) stays optional until it is resolved.

mod body;
mod character;
mod cloth;
mod collider;
mod contact;
mod control;
mod cut;
mod generated;
mod mannequin;
mod map;
mod output;
mod pin;
mod repeat;
mod stick;
mod wind;

pub use body::{BodyMesh, FieldStorage, MetAs};
pub use character::{Character, ClipChoice};
pub use cloth::{
    Bending, Cloth, Curve, Damping, Evaluation, Jacobian, Material, Membrane, Model, RestAngles,
    Weight,
};
pub use collider::{Collider, Cuboid, Cylinder, FrictionLaw, Shape, Torus, Union};
pub use contact::{Contact, ContactPair, Response};
pub use control::{Adaptive, Control, Order, StrainLimit};
pub use cut::{Disc, Grid, Mesh, Plane, Rest};
pub use generated::{Lathe, Ribbon, Tube};
pub use mannequin::{Mannequin, Sex, Size};
pub use map::{Channel, Crease, Map, Mapped};
pub use output::{Cache, KeepWrinkles, Output, Prop};
pub use pin::{Border, Corner, Interpolation, Keyframe, Pin, Region};
pub use repeat::Repeat;
pub use stick::{Attach, Stick};
pub use wind::Wind;

use super::strict;
use crate::fabric::Fabric;
use crate::formats::UpAxis;
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
    /// Rate at which the air makes all motion die away, 1/s.
    #[schemars(range(min = 0))]
    pub air_damping_per_s: f64,
    /// Air that presses on the faces of the cloths; without it there is none.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub wind: Option<Wind>,
    /// How the cloth is stepped.
    #[serde(deserialize_with = "strict::table")]
    pub solver: Solver,
    /// Files with fabrics, relative to this one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fabric_files: Vec<String>,
    /// Fabrics of this scene. A cloth's fabric is looked for here first, then in `fabric_files`,
    /// then among those that `toile fabrics` lists.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "strict::tables"
    )]
    pub fabric: Vec<Fabric>,
    /// The cloths.
    #[schemars(length(min = 1))]
    #[serde(deserialize_with = "strict::tables")]
    pub cloth: Vec<Cloth>,
    /// What the cloths meet.
    #[serde(deserialize_with = "strict::tables")]
    pub collider: Vec<Collider>,
    /// How cloth meets cloth, and what rubs how.
    #[serde(deserialize_with = "strict::table")]
    pub contact: Contact,
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
            air_damping_per_s: 0.0,
            wind: None,
            solver: Solver::default(),
            fabric_files: Vec::new(),
            fabric: Vec::new(),
            cloth: Vec::new(),
            collider: Vec::new(),
            contact: Contact::default(),
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
    /// Weight β of the end of a step in its positions, for `newmark` alone. Default: 1/4.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub newmark_beta: Option<f64>,
    /// Weight γ of the end of a step in its velocities, for `newmark` alone; above 1/2 it damps.
    /// Default: 1/2.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 0.5))]
    pub newmark_gamma: Option<f64>,
    /// How the equations of a step are solved.
    pub solve: Solve,
    /// What speeds up the linear solver, and with it the form of the matrix.
    pub preconditioner: Preconditioner,
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
    /// Limits on the strain a step may leave behind; none unless given.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub strain_limit: Option<StrainLimit>,
    /// A step of an implicit integrator that stretches something further by more than this share of its
    /// length is taken again in halves, up to six times.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub max_stretch_step: f64,
    /// Steps that choose their own length up to `max_step_s`; equal steps unless given.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub adaptive: Option<Adaptive>,
    /// When the exact intersection checker is run.
    pub verify: Verify,
}

impl Default for Solver {
    fn default() -> Self {
        let config = StepConfig::default();
        Self {
            integrator: Integrator::default(),
            newmark_beta: None,
            newmark_gamma: None,
            solve: Solve::default(),
            preconditioner: Preconditioner::default(),
            max_step_s: 1.0 / 90.0,
            linear_tolerance: config.linear_tolerance,
            linear_max_iterations: config.linear_max_iterations,
            newton_tolerance: config.newton_tolerance,
            newton_max_iterations: config.newton_max_iterations,
            strain_limit: None,
            max_stretch_step: config.max_stretch_step,
            adaptive: None,
            verify: Verify::default(),
        }
    }
}

/// Time integrator. Implicit ones take any step; explicit and mixed ones are refused a step above
/// their limit of stability.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Integrator {
    /// Implicit, second order, little damping.
    #[default]
    Bdf2,
    /// Implicit, first order, strongly damping.
    BackwardEuler,
    /// Implicit, second order, no damping.
    Trapezoidal,
    /// Implicit: Newmark's family, with `newmark_beta` and `newmark_gamma`.
    Newmark,
    /// Implicit, second order, no damping: Newmark's member β = 1/4, γ = 1/2.
    AverageAcceleration,
    /// Explicit, first order.
    SymplecticEuler,
    /// Explicit, second order.
    CentralDifference,
    /// Explicit, fourth order: the classical Runge–Kutta method.
    Rk4,
    /// Mixed, second order: dampers by the trapezoidal rule.
    LeapfrogTrapezoid,
    /// Mixed, second order: dampers implicit in the first half of a step, explicit in the second.
    CentralNewmark,
    /// Mixed, second order: positions that do not overshoot under strong damping.
    ImprovedVariableStep,
}

/// How the equations of a step are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Solve {
    /// One linear solve where its linearisation holds as far as it leads, else Newton iterations from its
    /// end; for steps longer than 1/60 s, `newton`.
    #[default]
    Auto,
    /// One linearisation, one linear solve, whatever comes of it: the way of the papers.
    Once,
    /// Newton iterations with a line search: for large steps.
    Newton,
}

/// What speeds up the linear solver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Preconditioner {
    /// A multigrid cycle on a matrix-free single-precision operator: fast.
    #[default]
    Multilevel,
    /// Inverse 3×3 blocks of the assembled double-precision matrix: the reference.
    BlockDiagonal,
    /// The inverse diagonal of the assembled matrix.
    Diagonal,
    /// Nothing: plain conjugate gradients.
    None,
    /// Incomplete Cholesky factors of the assembled matrix, without fill.
    IncompleteCholesky,
    /// Incomplete LU factors of the assembled matrix, without fill.
    IncompleteLu,
    /// No iteration: complete Cholesky factors of the assembled matrix.
    Direct,
}

/// When the exact intersection checker is run. Where cloth meets cloth and was clean before, what it
/// finds ends the run; elsewhere it is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verify {
    /// Never.
    #[default]
    Off,
    /// On every frame.
    Frame,
    /// After every step.
    Step,
}
