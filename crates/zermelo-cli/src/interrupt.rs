//! Ctrl-C, SIGTERM and SIGHUP: the first one asks the search to end, the second one ends the
//! program.

use crate::line_input;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Listens for signals as long as the program runs.
#[derive(Debug)]
pub struct Interrupt {
    cancel: Arc<AtomicBool>,
    /// Whether anybody looks at `cancel` at the moment; if not, a signal ends the program.
    heeded: Arc<AtomicBool>,
}

impl Interrupt {
    /// Starts to listen. A signal that comes at any time from now on sets the flag.
    pub fn listen() -> std::io::Result<Interrupt> {
        let interrupt = Interrupt { cancel: Arc::default(), heeded: Arc::new(true.into()) };
        let (cancel, heeded) = (interrupt.cancel.clone(), interrupt.heeded.clone());
        let mut wanted = vec![SIGINT, SIGTERM];
        // Under nohup a run outlives its terminal.
        if !is_ignored(SIGHUP) {
            wanted.push(SIGHUP);
        }
        let mut signals = Signals::new(wanted)?;
        thread::spawn(move || {
            for signal in signals.forever() {
                let first = !cancel.swap(true, Ordering::Relaxed);
                if !(first && heeded.load(Ordering::Relaxed)) {
                    line_input::restore_terminal();
                    eprintln!("\nzermelo: interrupted, ended at once");
                    std::process::exit(128 + signal);
                }
            }
        });
        Ok(interrupt)
    }

    /// The flag that signals set.
    #[must_use]
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.cancel.clone()
    }

    /// Whether a signal has come.
    #[must_use]
    pub fn came(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// Says whether somebody looks at the flag from now on; clears it where nobody did before.
    pub fn heed(&self, heeded: bool) {
        if heeded && !self.heeded.load(Ordering::Relaxed) {
            self.cancel.store(false, Ordering::Relaxed);
        }
        self.heeded.store(heeded, Ordering::Relaxed);
    }
}

/// Whether this process was started with the signal ignored, as far as the system tells.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}
