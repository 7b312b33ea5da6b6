//! How much of a batch is held at once: results are written in the order of the input, so those that are quicker than one
//! before them have to wait, and the input waits for them.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Lines that are held at once.
const LINES: usize = 4096;
/// Bytes of them.
const BYTES: usize = 8 << 20;

#[derive(Default)]
struct Held {
    lines: usize,
    bytes: usize,
}

/// What has been read and not been written.
#[derive(Default)]
pub struct Window {
    held: Mutex<Held>,
    less: Condvar,
}

impl Window {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is room for a line of so many bytes.
    pub fn enter(&self, bytes: usize) {
        let full =
            |held: &mut Held| held.lines >= LINES || held.lines > 0 && held.bytes + bytes > BYTES;
        let mut held =
            self.less.wait_while(self.held(), full).unwrap_or_else(PoisonError::into_inner);
        held.lines += 1;
        held.bytes += bytes;
    }

    /// A line of so many bytes has been written.
    pub fn leave(&self, bytes: usize) {
        let mut held = self.held();
        held.lines -= 1;
        held.bytes -= bytes;
        self.less.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::thread;
    use std::time::Duration;

    #[test]
    fn no_more_is_held_than_fits() {
        for (bytes, fits) in [(1, LINES), (BYTES / 3, 3), (2 * BYTES, 1)] {
            let (window, entered) = (Window::default(), AtomicUsize::new(0));
            thread::scope(|scope| {
                scope.spawn(|| {
                    for _ in 0..fits + 2 {
                        window.enter(bytes);
                        entered.fetch_add(1, SeqCst);
                    }
                });
                for out in 0..=fits + 1 {
                    while entered.load(SeqCst) < (fits + out).min(fits + 2) {
                        thread::yield_now();
                    }
                    thread::sleep(Duration::from_millis(1));
                    assert_eq!(entered.load(SeqCst), (fits + out).min(fits + 2));
                    window.leave(bytes);
                    if out > 2 {
                        break;
                    }
                }
            });
        }
    }
}
