//! Cloth: an immutable [`Model`], a small [`State`], and a step.
//!
//! SI units, right-handed, y up.

pub mod assembly;
pub mod bodies;
pub mod colliders;
pub mod config;
pub mod constraints;
pub mod contact;
pub mod error;
pub mod forces;
pub mod model;
pub mod report;
pub mod solve;
pub mod state;
pub mod step;
pub mod wrinkles;

/// Parameters of integrators.
pub mod integrators {
    pub use toile_numerics::integrate::Rates;
    pub use toile_numerics::integrate::newmark::{BadNewmark, Newmark};
}

pub use config::{ClothContact, Integrator, Preconditioner, Response, Solve, StepConfig};
pub use constraints::motion::{Interpolation, Keyframe, Keyframes, Motion};
pub use constraints::strain_limit::{self, Limited, StrainLimit};
pub use error::{BuildError, StepError};
pub use forces::curve::{Evaluation, Shape as CurveShape};
pub use forces::hinge::Form as HingeForm;
pub use forces::{DampingKind, Jacobian};
pub use model::Model;
pub use model::keyed::{Key, KeyedScalar};
pub use model::material::{Compression, Material};
pub use model::spec::{
    AirSpec, AttachSpec, Bending, BodyMotion, BodySpec, Border, ClothModel, ClothSpec,
    ColliderSpec, Corner, Cut, Frames, FrictionLaw, Map, Mapped, Membrane, ModelSpec, PairFriction,
    PinHold, PinRegion, PinSpec, Puppet, RestAngles, RodSpec, Sequence, Sheet, SolidSpec,
    StickSpec, Thing, WeightSpec, WindSpec,
};
pub use solve::dump::SystemDump;
pub use solve::form::{Fallback, Form};
pub use state::State;
pub use step::{Adaptive, Control, FrameReport, Simulation, Watch};
