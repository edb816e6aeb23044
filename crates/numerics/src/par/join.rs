//! A fork that waits awake.

use std::sync::atomic::{AtomicBool, Ordering};

/// Turns of waiting, about a tenth of a millisecond; beyond that, sleeping is the polite thing.
const PATIENCE: u32 = 5_000;

/// Runs both, `high` on another thread if one comes for it, and waits for it awake: a thread that
/// waits for long is put to sleep, and a loop that lasts microseconds is not worth a sleep.
pub fn join<A: Send, B: Send>(
    low: impl FnOnce() -> A + Send,
    high: impl FnOnce() -> B + Send,
) -> (A, B) {
    let [taken, done] = [false, false].map(AtomicBool::new);
    rayon::join(
        || {
            let low = low();
            let mut turns = 0;
            while taken.load(Ordering::Acquire) && !done.load(Ordering::Acquire) && turns < PATIENCE
            {
                std::hint::spin_loop();
                turns += 1;
            }
            low
        },
        || {
            taken.store(true, Ordering::Release);
            let high = high();
            done.store(true, Ordering::Release);
            high
        },
    )
}
