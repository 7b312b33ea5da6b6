//! Taking turns: so many at the same time, and whoever has had its turn goes to the end of the queue.
//!
//! A search cannot be put aside, but it calls an observer ten times a second: a search whose turn is over is kept
//! waiting there.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often one who waits looks whether it is still to go on.
const LOOK: Duration = Duration::from_millis(50);

#[derive(Default)]
struct Queue {
    running: usize,
    waiting: VecDeque<u64>,
}

/// The queue.
pub struct Turns {
    queue: Mutex<Queue>,
    changed: Condvar,
    at_once: usize,
}

impl Turns {
    /// So many at the same time.
    #[must_use]
    pub fn new(at_once: usize) -> Turns {
        Turns { queue: Mutex::default(), changed: Condvar::new(), at_once: at_once.max(1) }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a turn at the end of the queue. False, and no turn, if `wanted` says no meanwhile.
    pub fn wait(&self, who: u64, wanted: impl Fn() -> bool) -> bool {
        let mut queue = self.queue();
        queue.waiting.push_back(who);
        loop {
            let place = queue.waiting.iter().position(|other| *other == who);
            if !wanted() {
                place.map(|at| queue.waiting.remove(at));
                self.changed.notify_all();
                return false;
            }
            if queue.running < self.at_once && place == Some(0) {
                queue.waiting.pop_front();
                queue.running += 1;
                self.changed.notify_all();
                return true;
            }
            let waited = self.changed.wait_timeout(queue, LOOK);
            queue = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Ends a turn.
    pub fn end(&self) {
        self.queue().running -= 1;
        self.changed.notify_all();
    }

    /// Whether somebody waits.
    #[must_use]
    pub fn wanted(&self) -> bool {
        !self.queue().waiting.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    #[test]
    fn never_more_than_allowed_and_all_get_their_turn() {
        let turns = Turns::new(2);
        let (now, most, done) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for who in 0..8 {
                let (turns, now, most, done) = (&turns, &now, &most, &done);
                scope.spawn(move || {
                    for _ in 0..20 {
                        assert!(turns.wait(who, || true));
                        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        std::thread::yield_now();
                        now.fetch_sub(1, Ordering::SeqCst);
                        turns.end();
                    }
                    done.fetch_add(1, Ordering::SeqCst);
                });
            }
        });
        assert!(most.into_inner() <= 2 && done.into_inner() == 8 && !turns.wanted());
    }

    #[test]
    fn one_who_is_not_wanted_leaves_the_queue() {
        let turns = Turns::new(1);
        assert!(turns.wait(1, || true));
        let wanted = AtomicBool::new(true);
        std::thread::scope(|scope| {
            let second = scope.spawn(|| turns.wait(2, || wanted.load(Ordering::SeqCst)));
            while !turns.wanted() {
                std::thread::yield_now();
            }
            wanted.store(false, Ordering::SeqCst);
            assert!(!second.join().unwrap());
        });
        assert!(!turns.wanted());
        turns.end();
        assert!(turns.wait(3, || true));
    }
}
