//! Where the frames of a run go.

use crate::error::RunError;
use toile_io::FrameMetrics;
use toile_sim::Simulation;

/// A frame, when it has been simulated and proved.
#[derive(Clone, Copy)]
pub struct Frame<'a> {
    /// Counted from the start, which is frame 0.
    pub number: u64,
    /// The model, and the state that it is in.
    pub simulation: &'a Simulation,
    /// What was measured of it.
    pub metrics: &'a FrameMetrics,
}

/// Receives every frame of a run: writes it, shows it, sends it on. The simulation waits meanwhile,
/// so that what takes long belongs on another thread.
///
/// A run that begins hands over its start; one that is resumed, the frames after its checkpoint.
pub trait FrameSink: Send {
    /// Takes a frame. An error ends the run.
    fn frame(&mut self, frame: &Frame<'_>) -> Result<(), RunError>;

    /// There are no more frames.
    fn finish(&mut self) -> Result<(), RunError> {
        Ok(())
    }
}
