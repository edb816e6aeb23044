//! Threads that stay awake between short loops.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How long the work waits for others to join in.
const PATIENCE: Duration = Duration::from_micros(200);

/// Runs `work` with the pool's other threads looking out for tasks all the while.
///
/// A thread that finds nothing to do goes to sleep within microseconds, and waking it takes longer
/// than most of the loops here. So while `work` lasts each of the others spins on a task that does
/// whatever else turns up. Worth it for work that is made of very many short loops, such as a step.
pub fn attentively<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let others = rayon::current_num_threads() - 1;
    if others == 0 || rayon::current_thread_index().is_none() {
        return work();
    }
    let watch = Watch::default();
    rayon::in_place_scope(|scope| {
        for _ in 0..others {
            scope.spawn(|_| watch.keep());
        }
        watch.begin(others);
        let _end = EndOfWatch(&watch);
        work()
    })
}

/// Who is looking out.
#[derive(Default)]
struct Watch {
    /// Threads that do.
    watching: AtomicUsize,
    /// Whether it is too late to join in: a thread that did so while it waits for a part of the
    /// work would never deliver its own.
    begun: AtomicBool,
    over: AtomicBool,
}

/// Ends the watch however the work ends.
struct EndOfWatch<'a>(&'a Watch);

impl Drop for EndOfWatch<'_> {
    fn drop(&mut self) {
        self.0.over.store(true, Ordering::Release);
    }
}

impl Watch {
    /// Waits a moment for `others` to join in.
    fn begin(&self, others: usize) {
        let clock = Instant::now();
        while self.watching.load(Ordering::Acquire) < others && clock.elapsed() < PATIENCE {
            std::hint::spin_loop();
        }
        self.begun.store(true, Ordering::Release);
    }

    fn keep(&self) {
        self.watching.fetch_add(1, Ordering::AcqRel);
        if self.begun.load(Ordering::Acquire) {
            return;
        }
        while !self.over.load(Ordering::Acquire) {
            if rayon::yield_now() != Some(rayon::Yield::Executed) {
                std::hint::spin_loop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_pool<R: Send>(threads: usize, f: impl FnOnce() -> R + Send) -> R {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(f)
    }

    /// Forks all the way down, so that threads wait inside each other's work.
    fn count(depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let (a, b) = rayon::join(|| count(depth - 1), || count(depth - 1));
        a + b
    }

    #[test]
    fn work_ends_whatever_else_the_pool_does() {
        for threads in 1..6 {
            in_pool(threads, || {
                for _ in 0..50 {
                    // Two watches at a time in one pool, each with its own work.
                    let both =
                        rayon::join(|| attentively(|| count(8)), || attentively(|| count(8)));
                    assert_eq!(both, (256, 256));
                    assert_eq!(attentively(|| attentively(|| count(6))), 64);
                }
            });
        }
    }

    #[test]
    fn a_panic_ends_the_watch() {
        let failed = in_pool(3, || {
            std::panic::catch_unwind(|| attentively(|| -> u32 { panic!("as asked") }))
        });
        assert!(failed.is_err());
        assert_eq!(in_pool(3, || attentively(|| count(5))), 32);
    }
}
