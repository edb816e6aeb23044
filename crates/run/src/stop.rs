//! Ending a run early.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The wish that a run ends, which any thread may utter; clones are the same wish.
///
/// What is computed is kept. Uttered once, the simulation ends with the frame it is in, and what
/// there is becomes a film; once more, the film ends too.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicUsize>);

impl Stop {
    /// Utters it.
    pub fn ask(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    /// How often it was uttered.
    pub fn times(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }

    /// Whether it was.
    pub fn is_asked(&self) -> bool {
        self.times() > 0
    }
}
