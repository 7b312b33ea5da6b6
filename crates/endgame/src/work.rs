//! Work shared out among threads, piece by piece.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// Calls `work(state, n)` for each piece `n` below `pieces`, by so many threads, each with a state of its own,
/// and returns the states. Pieces are taken in order, and no more once `stop` is set.
pub fn share<S: Send>(
    threads: usize,
    pieces: usize,
    stop: &AtomicBool,
    make: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) + Sync,
) -> Vec<S> {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut state = make();
        while !stop.load(Ordering::Relaxed) {
            let piece = next.fetch_add(1, Ordering::Relaxed);
            if piece >= pieces {
                break;
            }
            work(&mut state, piece);
        }
        state
    };
    // Starting threads costs more than a piece or two.
    if threads <= 1 || pieces <= 2 {
        return vec![run()];
    }
    thread::scope(|scope| {
        let handles: Vec<_> = (1..threads.min(pieces)).map(|_| scope.spawn(run)).collect();
        let mut states = vec![run()];
        for handle in handles {
            match handle.join() {
                Ok(state) => states.push(state),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        states
    })
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
