//! What a benchmark costs.

/// User CPU seconds of this process.
pub fn user_seconds() -> f64 {
    // SAFETY: getrusage fills the struct it is given; all zeroes are a valid one.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    usage.ru_utime.tv_sec as f64 + usage.ru_utime.tv_usec as f64 / 1e6
}
