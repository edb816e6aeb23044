//! Ending a run early.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Asks a run to end. Clones share one count, so that any thread may ask.
///
/// What is computed is kept. Asked once, the simulation ends with the frame it is in, and what there
/// is becomes a film; asked again, the film ends too.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicUsize>);

impl Stop {
    /// Asks.
    pub fn ask(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    /// How often it was asked.
    pub fn times(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }

    /// Whether it was asked.
    pub fn is_asked(&self) -> bool {
        self.times() > 0
    }
}
