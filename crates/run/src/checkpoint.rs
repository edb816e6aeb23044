//! The checkpoint in a run's folder: written with every frame, so that nothing computed is lost.

use crate::error::RunError;
use crate::job::Job;
use crate::sink::{Frame, FrameSink};
use std::path::{Path, PathBuf};
use toile_io::checkpoint::{self, Snapshot};
use toile_sim::Simulation;

/// Where the state is kept, and of which scene it is.
pub struct Checkpoint {
    path: PathBuf,
    fingerprint: u64,
}

impl Checkpoint {
    /// In the folder of a run.
    pub fn of(job: &Job, out: &Path) -> Self {
        Self {
            path: out.join("checkpoint"),
            fingerprint: job.scene.fingerprint(),
        }
    }

    /// Takes over the state that was written last; returns the frame it is of.
    pub fn restore(&self, job: &Job, simulation: &mut Simulation) -> Result<u64, RunError> {
        let read = checkpoint::read(&self.path, self.fingerprint);
        let snapshot = read.map_err(RunError::input)?;
        let state = snapshot
            .state(&job.model)
            .map_err(|e| RunError::input(format!("{}: {e}", self.path.display())))?;
        if snapshot.frame > job.last_frame() {
            return Err(RunError::input(format!(
                "{}: the checkpoint is at frame {}, but the scene ends at frame {}",
                self.path.display(),
                snapshot.frame,
                job.last_frame()
            )));
        }
        simulation.restore(state);
        Ok(snapshot.frame)
    }
}

impl FrameSink for Checkpoint {
    fn frame(&mut self, frame: &Frame<'_>) -> Result<(), RunError> {
        let snapshot = Snapshot::of(frame.simulation.state(), frame.number);
        checkpoint::write(&self.path, self.fingerprint, &snapshot).map_err(RunError::output)
    }
}
