//! Choosing the number of threads, and what the process has used so far.

use crate::error::RunError;

/// Runs `work` on `count` threads, or on all there are.
pub fn with<R: Send>(
    count: Option<u16>,
    work: impl FnOnce(usize) -> R + Send,
) -> Result<R, RunError> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(count.map_or(0, usize::from))
        .build()
        .map_err(|e| RunError::input(format!("cannot start the threads: {e}")))?;
    Ok(pool.install(|| work(rayon::current_num_threads())))
}

/// Processor time used by this process so far, s.
pub fn cpu_time_s() -> Option<f64> {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        Some(time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64)
    }
    #[cfg(not(unix))]
    None
}

/// Most memory this process has had resident so far, bytes; known on Linux only.
pub fn peak_memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024 * kib)
}
