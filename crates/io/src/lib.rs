//! Scene files, mesh formats, checkpoints and reports.
//!
//! Every file is written whole or not at all, and everything read is checked before it is
//! trusted.

mod atomic;
pub mod builtin;
pub mod character;
pub mod checkpoint;
pub mod dump;
pub mod fabric;
mod finite;
pub mod formats;
mod hash;
pub mod metrics;
mod npy;
pub mod obj;
pub mod report;
pub mod scene;
mod snapshot;
pub mod surface;
mod texture;

pub use hash::state_hash;
pub use metrics::FrameMetrics;
pub use report::Report;
pub use scene::{Error as SceneError, Scene, Source as SceneSource};
pub use snapshot::Misfit;
