//! Ctrl-C: what is computed is kept.

use toile::run::Stop;

/// What Ctrl-C asks for from now on.
pub fn stop() -> Stop {
    let stop = Stop::default();
    let signal = stop.clone();
    // A handler that cannot be set only means that Ctrl-C ends the program at once.
    let _ = ctrlc::set_handler(move || signal.ask());
    stop
}
