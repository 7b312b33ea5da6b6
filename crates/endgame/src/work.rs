//! Work shared out among threads, piece by piece.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Calls `work(state, n)` for each piece `n` below `pieces`, by so many threads, each with a state of its own,
/// and returns the states, in no order. Pieces are taken in order, and no more once `stop` is set.
pub fn share<S: Send>(
    threads: usize,
    pieces: usize,
    stop: &AtomicBool,
    make: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) + Sync,
) -> Vec<S> {
    let next = AtomicUsize::new(0);
    let states = Mutex::new(Vec::new());
    let run = || {
        let mut state = make();
        while !stop.load(Ordering::Relaxed) {
            let piece = next.fetch_add(1, Ordering::Relaxed);
            if piece >= pieces {
                break;
            }
            work(&mut state, piece);
        }
        states.lock().unwrap_or_else(PoisonError::into_inner).push(state);
    };
    // Starting threads costs more than a piece or two.
    on_threads(if pieces <= 2 { 1 } else { threads.min(pieces) }, &run);
    states.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Does the same on so many threads, this one among them. (Apart from what is done, as a thread is a good deal of code.)
fn on_threads(threads: usize, run: &(dyn Fn() + Sync)) {
    if threads <= 1 {
        return run();
    }
    thread::scope(|scope| {
        let handles: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        run();
        for handle in handles {
            handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_once() {
        for threads in [1, 2, 5] {
            for pieces in [0, 1, 2, 3, 1000] {
                let stop = AtomicBool::new(false);
                let states = share(threads, pieces, &stop, Vec::new, |list, n| list.push(n));
                let mut all: Vec<usize> = states.into_iter().flatten().collect();
                all.sort_unstable();
                assert_eq!(all, (0..pieces).collect::<Vec<_>>());
            }
        }
        let stop = AtomicBool::new(true);
        assert!(share(2, 9, &stop, || 0, |n, _| *n += 1).iter().all(|n| *n == 0));
    }
}
