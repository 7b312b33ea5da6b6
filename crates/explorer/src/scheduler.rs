//! Taking turns: so many at the same time, and whoever has had its turn goes to the end of the queue.
//!
//! A search cannot be put aside, but it calls an observer ten times a second: a search whose turn is over is kept
//! waiting there.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often one who waits looks whether it is still to go on.
const LOOK: Duration = Duration::from_millis(50);

#[derive(Default)]
struct Queue {
    running: usize,
    waiting: VecDeque<u64>,
}

/// The queue of those that want a turn.
pub struct Scheduler {
    queue: Mutex<Queue>,
    changed: Condvar,
    at_once: usize,
}

impl Scheduler {
    /// So many at the same time.
    #[must_use]
    pub fn new(at_once: usize) -> Scheduler {
        Scheduler { queue: Mutex::default(), changed: Condvar::new(), at_once: at_once.max(1) }
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

/// The time that somebody has had turns.
struct Clock {
    before: Duration,
    since: Instant,
}

/// The turns of one who takes them.
pub struct Turns {
    scheduler: Arc<Scheduler>,
    who: u64,
    /// How long one is while others wait.
    turn: Duration,
    clock: Mutex<Clock>,
    has_turn: AtomicBool,
}

impl Turns {
    /// None yet. The number is nobody else's.
    #[must_use]
    pub fn new(scheduler: Arc<Scheduler>, who: u64, turn: Duration) -> Turns {
        let clock = Mutex::new(Clock { before: Duration::ZERO, since: Instant::now() });
        Turns { scheduler, who, turn, clock, has_turn: false.into() }
    }

    fn clock(&self) -> MutexGuard<'_, Clock> {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a turn; false, and none, if `wanted` says no meanwhile.
    pub fn wait(&self, wanted: impl Fn() -> bool) -> bool {
        let got = self.scheduler.wait(self.who, wanted);
        self.has_turn.store(got, Relaxed);
        self.clock().since = Instant::now();
        got
    }

    /// Ends the turn, if there is one.
    pub fn end(&self) {
        if self.has_turn.swap(false, Relaxed) {
            let mut clock = self.clock();
            let had = clock.since.elapsed();
            clock.before += had;
            clock.since = Instant::now();
            drop(clock);
            self.scheduler.end();
        }
    }

    /// How long all turns were.
    #[must_use]
    pub fn ran(&self) -> Duration {
        let clock = self.clock();
        match self.has_turn.load(Relaxed) {
            true => clock.before + clock.since.elapsed(),
            false => clock.before,
        }
    }

    /// Gives the others their turns, if this one is over and somebody waits.
    pub fn give_way(&self, wanted: impl Fn() -> bool) {
        let had = self.clock().since.elapsed();
        if had >= self.turn && self.scheduler.wanted() {
            self.end();
            self.wait(wanted);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    #[test]
    fn never_more_than_allowed_and_all_get_their_turn() {
        let scheduler = Scheduler::new(2);
        let (now, most, done) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for who in 0..8 {
                let (scheduler, now, most, done) = (&scheduler, &now, &most, &done);
                scope.spawn(move || {
                    for _ in 0..20 {
                        assert!(scheduler.wait(who, || true));
                        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        std::thread::yield_now();
                        now.fetch_sub(1, Ordering::SeqCst);
                        scheduler.end();
                    }
                    done.fetch_add(1, Ordering::SeqCst);
                });
            }
        });
        assert!(most.into_inner() <= 2 && done.into_inner() == 8 && !scheduler.wanted());
    }

    #[test]
    fn one_who_is_not_wanted_leaves_the_queue() {
        let scheduler = Scheduler::new(1);
        assert!(scheduler.wait(1, || true));
        let wanted = AtomicBool::new(true);
        std::thread::scope(|scope| {
            let second = scope.spawn(|| scheduler.wait(2, || wanted.load(Ordering::SeqCst)));
            while !scheduler.wanted() {
                std::thread::yield_now();
            }
            wanted.store(false, Ordering::SeqCst);
            assert!(!second.join().unwrap());
        });
        assert!(!scheduler.wanted());
        scheduler.end();
        assert!(scheduler.wait(3, || true));
    }
}
