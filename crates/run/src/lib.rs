//! What drives a run of Toile, for the program, the studio and whoever else shows one.
//!
//! A [`Runner`] takes a [`Job`], which is a scene ready to run, through its frames. Every frame is
//! proved, measured, and handed to each [`FrameSink`]: the files of the run's folder, and those that
//! a caller brings. An [`Observer`] hears how it goes, and a [`Stop`] ends it early. What was saved
//! is found again by [`saved`], and drawn on its [`set`] in the colours of [`coloring`].
//!
//! ```
//! use toile_io::scene::Source;
//! use toile_run::{Job, Options, Runner, Stop};
//!
//! let text = r#"
//!     frames = 3
//!     output = { film = false }
//!     [[cloth]]
//!     grid = { size_m = [0.5, 0.5], particles = [11, 11] }
//! "#;
//! let source = Source::parse(text, "napkin.toml", &[])?;
//! let job = Job::new(source.scene()?, &source)?;
//! let folder = tempfile::tempdir()?;
//! let runner = Runner::start(job, Options::new(folder.path()), &mut ())?;
//! let finished = runner.run(&Stop::default(), &mut ())?;
//! assert_eq!(finished.report.frames, 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod checkpoint;
pub mod coloring;
mod error;
pub mod evidence;
mod film;
mod job;
mod observer;
mod outputs;
pub mod overview;
mod proof;
pub mod recorder;
mod rows;
mod runner;
pub mod saved;
pub mod set;
mod sink;
mod stop;
mod tally;
pub mod threads;
mod warnings;

pub use error::{Cause, RunError};
pub use job::Job;
pub use observer::Observer;
pub use runner::{Ending, Finished, Options, Runner};
pub use sink::{Frame, FrameSink};
pub use stop::Stop;
