//! Toile: cloth and garment simulation.
//!
//! This crate re-exports what a library user needs. A whole run in a few lines:
//!
//! ```
//! use std::sync::Arc;
//! use toile::{io::scene, sim::{Model, Simulation}};
//!
//! let text = r#"
//!     [[cloth]]
//!     grid = { size_m = [0.5, 0.5], particles = [11, 11], center = [0, 1, 0] }
//!       [[cloth.pin]]
//!       corners = ["u-min-v-max", "u-max-v-max"]
//! "#;
//! let scene = scene::parse(text, "napkin.toml", &[])?;
//! let model = Arc::new(Model::build(&scene.model)?);
//! let mut simulation = Simulation::new(model, scene.config);
//! simulation.advance(1.0 / scene.fps, scene.max_step_s)?;
//! assert!(simulation.state().positions.iter().all(|p| p.y <= 1.0 + 1e-9));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! With files, proofs, checkpoints and a film, a run is driven by [`run::Runner`].

pub use toile_figure as figure;
pub use toile_geometry as geometry;
pub use toile_io as io;
pub use toile_lab as lab;
pub use toile_numerics as numerics;
pub use toile_run as run;
pub use toile_sim as sim;
pub use toile_view as view;
