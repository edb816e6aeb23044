//! Whoever wants to know how a run goes.

use toile_io::FrameMetrics;

/// Is told how a run goes, on the thread that drives it. Nothing is asked of it: all methods may be
/// left as they are, and `()` is an observer that looks away.
pub trait Observer {
    /// The simulation begins, of `total` frames of which `done` exist already.
    fn simulating(&mut self, _total: u64, _done: u64) {}

    /// A frame is simulated, and with all its sinks.
    fn frame(&mut self, _number: u64, _metrics: &FrameMetrics) {}

    /// The film begins, of `total` pictures.
    fn filming(&mut self, _total: u64) {}

    /// So many pictures of the film are drawn.
    fn filmed(&mut self, _drawn: u64) {}

    /// What began last, simulation or film, has ended.
    fn ended(&mut self) {}

    /// Something may be wrong.
    fn warning(&mut self, _message: &str) {}

    /// Something is good to know.
    fn note(&mut self, _message: &str) {}
}

impl Observer for () {}
