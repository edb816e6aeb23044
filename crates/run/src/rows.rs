//! `metrics.csv`: a row a frame, written as the run goes on.

use crate::error::RunError;
use crate::sink::{Frame, FrameSink};
use std::path::Path;
use toile_io::FrameMetrics;
use toile_io::metrics::{self, Writer};

/// The file.
pub struct Rows(Writer);

impl Rows {
    /// Name of the file.
    pub const NAME: &'static str = "metrics.csv";

    /// Opens it in the folder of a run of which `done` frames exist; returns their rows, too.
    pub fn open(out: &Path, done: u64) -> Result<(Self, Vec<FrameMetrics>), RunError> {
        let path = out.join(Self::NAME);
        let (writer, rows) = if done == 0 {
            (Writer::create(&path), Vec::new())
        } else {
            let writer = Writer::resume(&path, done);
            (writer, metrics::read(&path).map_err(RunError::input)?)
        };
        Ok((Self(writer.map_err(RunError::output)?), rows))
    }
}

impl FrameSink for Rows {
    fn frame(&mut self, frame: &Frame<'_>) -> Result<(), RunError> {
        self.0.write(frame.metrics).map_err(RunError::output)
    }
}
