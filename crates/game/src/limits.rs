//! How much a search may use, and why it ended.

use crate::Stats;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What a search may spend. The default has no limit but memory: 1 GiB.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Wall-clock time.
    pub time: Option<Duration>,
    /// Nodes, over all threads together.
    pub nodes: Option<u64>,
    /// Bytes for tables. They start small and grow to this at most.
    pub memory: u64,
    /// Set it from anywhere (a signal handler, another thread) to stop the search.
    pub cancel: Option<Arc<AtomicBool>>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { time: None, nodes: None, memory: 1 << 30, cancel: None }
    }
}

impl Limits {
    /// What is left of the limits after this much work, or which of them is spent.
    pub fn after(&self, used: &Stats) -> Result<Limits, Stop> {
        let time = self.time.map(|time| time.saturating_sub(used.elapsed));
        let nodes = self.nodes.map(|nodes| nodes.saturating_sub(used.nodes));
        if self.cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            Err(Stop::Interrupted)
        } else if time == Some(Duration::ZERO) {
            Err(Stop::OutOfTime)
        } else if nodes == Some(0) {
            Err(Stop::OutOfNodes)
        } else {
            Ok(Limits { time, nodes, ..self.clone() })
        }
    }
}

/// Why a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stop {
    /// The value is known.
    Solved,
    /// [`Limits::time`] is spent.
    OutOfTime,
    /// [`Limits::nodes`] is spent.
    OutOfNodes,
    /// [`Limits::memory`] does not hold what the solver cannot do without.
    OutOfMemory,
    /// [`Limits::cancel`] was set.
    Interrupted,
    /// The search goes round in circles and finds nothing new (plain df-pn on some cyclic graphs).
    Stalled,
    /// The solver has tried all that it may and cannot tell: the value is open though nothing ran out
    /// (lambda search, which knows only of threats).
    Exhausted,
}

impl Stop {
    /// A word for reports and files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Stop::Solved => "solved",
            Stop::OutOfTime => "out of time",
            Stop::OutOfNodes => "out of nodes",
            Stop::OutOfMemory => "out of memory",
            Stop::Interrupted => "interrupted",
            Stop::Stalled => "stalled",
            Stop::Exhausted => "exhausted",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_of_limits() {
        let second = Duration::from_secs(1);
        let limits = Limits { nodes: Some(10), time: Some(second), ..Limits::default() };
        let after = |nodes, elapsed| limits.after(&Stats { nodes, elapsed, ..Stats::default() });
        assert_eq!(after(4, second / 2).map(|l| l.nodes), Ok(Some(6)));
        assert_eq!(after(10, second / 2).map(|l| l.nodes), Err(Stop::OutOfNodes));
        assert_eq!(after(4, second).map(|l| l.nodes), Err(Stop::OutOfTime));
    }
}
