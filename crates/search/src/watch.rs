//! Limits, obeyed: one [`Watch`] is shared by all threads of a search, which report their nodes to
//! it every so often and are told when to stop.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use zermelo_game::{Limits, Stop};

/// How often, in nodes, a thread looks at the clock. Tables grow and are swept on the same occasions, so this must not depend on
/// time: then node counts would.
const INTERVAL: u64 = 1024;
/// How often a running search is shown.
const SHOW: Duration = Duration::from_millis(100);

/// The clock, the node counter and the reason to stop of one search.
#[derive(Debug)]
pub struct Watch {
    start: Instant,
    limits: Limits,
    nodes: AtomicU64,
    /// 0 while running, otherwise one more than the index in [`STOPS`].
    stop: AtomicU8,
    /// Milliseconds after the start at which the search is shown next.
    show: AtomicU64,
}

const STOPS: [Stop; 5] =
    [Stop::OutOfTime, Stop::OutOfNodes, Stop::OutOfMemory, Stop::Interrupted, Stop::Stalled];

impl Watch {
    /// Starts the clock.
    #[must_use]
    pub fn new(limits: Limits) -> Watch {
        Watch {
            start: Instant::now(),
            limits,
            nodes: AtomicU64::new(0),
            stop: AtomicU8::new(0),
            show: AtomicU64::new(0),
        }
    }

    /// Adds nodes to the count and checks all limits. Returns how many nodes the thread may visit
    /// until it asks again; 0 means stop.
    pub fn spend(&self, nodes: u64) -> u64 {
        let total = self.nodes.fetch_add(nodes, Relaxed) + nodes;
        if self.stopped().is_some() {
            return 0;
        }
        let cancelled =
            self.limits.cancel.as_ref().is_some_and(|c: &_| AtomicBool::load(c, Relaxed));
        if cancelled {
            self.stop(Stop::Interrupted);
            return 0;
        }
        if self.limits.time.is_some_and(|time| self.start.elapsed() >= time) {
            self.stop(Stop::OutOfTime);
            return 0;
        }
        match self.limits.nodes {
            Some(limit) if total >= limit => {
                self.stop(Stop::OutOfNodes);
                0
            }
            Some(limit) => INTERVAL.min(limit - total),
            None => INTERVAL,
        }
    }

    /// Stops all threads; the first reason counts.
    pub fn stop(&self, why: Stop) {
        let code = STOPS.iter().position(|s| *s == why).map_or(0, |i| i as u8 + 1);
        let _ = self.stop.compare_exchange(0, code, Relaxed, Relaxed);
    }

    /// Why the search has to end, if it has to.
    #[must_use]
    pub fn stopped(&self) -> Option<Stop> {
        match self.stop.load(Relaxed) {
            0 => None,
            code => Some(STOPS[usize::from(code) - 1]),
        }
    }

    /// Whether it is time to show the search; true for one caller about ten times a second.
    #[must_use]
    pub fn time_to_show(&self) -> bool {
        let now = self.start.elapsed().as_millis() as u64;
        let due = self.show.load(Relaxed);
        now >= due
            && self
                .show
                .compare_exchange(due, now + SHOW.as_millis() as u64, Relaxed, Relaxed)
                .is_ok()
    }

    /// Bytes the search may use.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.limits.memory
    }

    /// Nodes reported so far.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Relaxed)
    }

    /// Time since the start.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}

/// One thread's account of its nodes, settled with the [`Watch`] every so often and when dropped.
#[derive(Debug)]
pub struct Meter<'w> {
    watch: &'w Watch,
    /// Nodes since the last report, and how many may come before the next; 0 means stop.
    fresh: u64,
    quota: u64,
}

impl<'w> Meter<'w> {
    /// An empty account.
    #[must_use]
    pub fn new(watch: &'w Watch) -> Meter<'w> {
        Meter { watch, fresh: 0, quota: watch.spend(0) }
    }

    /// Counts a node; false if it must not be entered.
    #[inline]
    pub fn enter(&mut self) -> bool {
        if self.fresh >= self.quota && self.quota > 0 {
            self.quota = self.watch.spend(self.fresh);
            self.fresh = 0;
        }
        let go_on = self.quota > 0;
        self.fresh += u64::from(go_on);
        go_on
    }
}

impl Drop for Meter<'_> {
    fn drop(&mut self) {
        self.watch.spend(self.fresh);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn node_limits_are_exact() {
        let watch = Watch::new(Limits { nodes: Some(1500), ..Limits::default() });
        assert_eq!(watch.spend(0), INTERVAL);
        assert_eq!(watch.spend(INTERVAL), 1500 - INTERVAL);
        assert_eq!(watch.spend(1500 - INTERVAL), 0);
        assert_eq!(watch.stopped(), Some(Stop::OutOfNodes));
    }

    #[test]
    fn meters_stop_at_the_limit() {
        let watch = Watch::new(Limits { nodes: Some(1500), ..Limits::default() });
        let mut meter = Meter::new(&watch);
        assert_eq!((0..2000).filter(|_| meter.enter()).count(), 1500);
        drop(meter);
        assert_eq!((watch.nodes(), watch.stopped()), (1500, Some(Stop::OutOfNodes)));
        let watch = Watch::new(Limits::default());
        assert!(Meter::new(&watch).enter());
        assert_eq!(watch.nodes(), 1);
    }

    #[test]
    fn the_first_reason_counts() {
        let cancel = Arc::new(AtomicBool::new(false));
        let limits = Limits { cancel: Some(cancel.clone()), ..Limits::default() };
        let watch = Watch::new(limits);
        assert_ne!(watch.spend(1), 0);
        cancel.store(true, Relaxed);
        assert_eq!(watch.spend(1), 0);
        watch.stop(Stop::OutOfTime);
        assert_eq!(watch.stopped(), Some(Stop::Interrupted));
    }
}
