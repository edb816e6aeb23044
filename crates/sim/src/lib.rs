//! Cloth: an immutable [`Model`], a small [`State`], and a step.
//!
//! SI units, right-handed, y up.

mod adaptive;
mod assembled;
pub mod bodies;
pub mod cloth;
pub mod colliders;
pub mod config;
pub mod constraints;
pub mod contact;
pub mod course;
mod damping;
mod dump;
pub mod elements;
pub mod error;
pub mod family;
pub mod fast;
pub mod forces;
pub mod form;
pub mod frame;
mod gain;
mod incidence;
pub mod lanes;
pub mod material;
pub mod model;
mod rates;
pub mod report;
mod scheme;
pub mod simulation;
pub mod spec;
pub mod state;
mod strain;
pub mod system;
mod watch;
pub mod wrinkles;

/// Parameters of integrators.
pub mod integrators {
    pub use toile_numerics::integrate::Rates;
    pub use toile_numerics::integrate::newmark::{BadNewmark, Newmark};
}

pub use adaptive::{Adaptive, Control};
pub use config::{ClothContact, Integrator, Preconditioner, Response, Solve, StepConfig};
pub use constraints::motion::{Interpolation, Keyframe, Keyframes, Motion};
pub use constraints::strain_limit::{self, Limited, StrainLimit};
pub use course::{Course, Key};
pub use dump::SystemDump;
pub use error::{BuildError, StepError};
pub use forces::curve::{Evaluation, Shape as CurveShape};
pub use forces::hinge::Form as HingeForm;
pub use forces::{DampingKind, Jacobian};
pub use form::{Fallback, Form};
pub use frame::FrameReport;
pub use material::{Compression, Material};
pub use model::Model;
pub use simulation::Simulation;
pub use spec::{
    AirSpec, AttachSpec, Bending, BodyMotion, BodySpec, Border, ClothModel, ClothSpec,
    ColliderSpec, Corner, Cut, Frames, FrictionLaw, Map, Mapped, Membrane, ModelSpec, PairFriction,
    PinHold, PinRegion, PinSpec, Puppet, RestAngles, Sequence, Sheet, StickSpec, Thing, WeightSpec,
    WindSpec,
};
pub use state::State;
pub use watch::Watch;
