//! What a search found, and how it went.

use crate::{Bounds, Stop};
use std::time::Duration;

/// How much was solved, in the words of the field.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Level {
    /// The value of the position.
    UltraWeak,
    /// The value and a strategy from the position.
    Weak,
    /// The value and a strategy of every position that can arise.
    Strong,
}

impl Level {
    /// A word for reports and files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Level::UltraWeak => "ultra-weak",
            Level::Weak => "weak",
            Level::Strong => "strong",
        }
    }
}

/// What a search did. Counts are over all threads.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Stats {
    /// Positions the search entered (generated the moves of, or found in the table).
    pub nodes: u64,
    /// Positions judged by the game's static bounds without being entered.
    pub evaluations: u64,
    /// Table look-ups.
    pub probes: u64,
    /// Look-ups that found the position.
    pub hits: u64,
    /// Entries written.
    pub stores: u64,
    /// The deepest ply reached.
    pub depth: u32,
    /// Bytes of table in use at the end.
    pub table_bytes: u64,
    /// Share of the table's slots in use, 0 to 1000.
    pub table_permille: u32,
    /// Monte-Carlo playouts, and the time spent on them (part of `elapsed`).
    pub playouts: u64,
    /// See `playouts`.
    pub playout_time: Duration,
    /// Wall-clock time.
    pub elapsed: Duration,
}

impl Stats {
    /// Adds another thread's counts.
    pub fn merge(&mut self, other: &Stats) {
        self.nodes += other.nodes;
        self.evaluations += other.evaluations;
        self.probes += other.probes;
        self.hits += other.hits;
        self.stores += other.stores;
        self.depth = self.depth.max(other.depth);
        self.table_bytes = self.table_bytes.max(other.table_bytes);
        self.table_permille = self.table_permille.max(other.table_permille);
        self.playouts += other.playouts;
        self.playout_time += other.playout_time;
        self.elapsed = self.elapsed.max(other.elapsed);
    }
}

/// The result of a search. A search that stopped early still tells what it has: `bounds` is always
/// true of the position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report<M> {
    /// What is proved of the position's value.
    pub bounds: Bounds,
    /// A move that keeps the value, where it is known; otherwise the most promising one so far.
    pub best: Option<M>,
    /// Where the value is known: play in which every position has the value of the first (below the line that led
    /// there), as far as moves are proved to keep it, which may be less than the whole game; it begins with `best`.
    /// Where the value is open: `best` alone, what the engine would play, which is proved to keep what is proved or
    /// at least not known to lose it.
    pub line: Vec<M>,
    /// Why the search ended.
    pub stop: Stop,
    /// How much is solved; `None` while the value is open.
    pub level: Option<Level>,
    /// Whether the result may depend on boards that stood before the position and must not be repeated: with
    /// another history the value may be another. Only in games under [`Superko`](crate::Superko).
    pub rests_on_history: bool,
    /// Which of several engines settled it; `None` where one worked alone, or none has.
    pub by: Option<&'static str>,
    /// What it cost.
    pub stats: Stats,
}

impl<M> Report<M> {
    /// The same with other moves.
    #[must_use]
    pub fn map<N>(self, to: impl Fn(M) -> N) -> Report<N> {
        Report {
            bounds: self.bounds,
            best: self.best.map(&to),
            line: self.line.into_iter().map(&to).collect(),
            stop: self.stop,
            level: self.level,
            rests_on_history: self.rests_on_history,
            by: self.by,
            stats: self.stats,
        }
    }
}

/// A look at a running search.
#[derive(Clone, Debug)]
pub struct Progress<M> {
    /// What is proved so far.
    pub bounds: Bounds,
    /// What it has cost so far (nodes, depth, table, time).
    pub stats: Stats,
    /// The moves the search is looking at now, from the root.
    pub line: Vec<M>,
    /// What is still to be done to show that the first player gets what is asked about, and that it does not:
    /// proof and disproof number of the root, where the search has such. An infinite one is `None`.
    pub proof: Option<[Option<u32>; 2]>,
}
