//! How a run goes, told on stderr.

use crate::progress::Progress;
use toile::io::FrameMetrics;
use toile::run::Observer;

/// Shows the progress of the simulation and then that of the film.
pub struct Telling {
    quiet: bool,
    progress: Progress,
}

impl Telling {
    /// Says nothing if it is to be quiet.
    pub fn new(quiet: bool) -> Self {
        Self {
            quiet,
            progress: Progress::Quiet,
        }
    }
}

impl Observer for Telling {
    fn simulating(&mut self, total: u64, done: u64) {
        self.progress = Progress::new(self.quiet, total, done);
    }

    fn frame(&mut self, number: u64, metrics: &FrameMetrics) {
        let message = format!(
            "stretch {:.2} %, {:.0} iterations",
            100.0 * metrics.stretch_max,
            metrics.pcg_iterations_mean
        );
        self.progress.frame(number, &message);
    }

    fn filming(&mut self, total: u64) {
        self.progress = Progress::new(self.quiet, total, 0);
    }

    fn filmed(&mut self, drawn: u64) {
        self.progress.frame(drawn, "filmed");
    }

    fn ended(&mut self) {
        self.progress.finish();
    }

    fn warning(&mut self, message: &str) {
        self.progress.warn(message);
    }

    fn note(&mut self, message: &str) {
        self.progress.note(message);
    }
}
