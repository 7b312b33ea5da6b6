//! Results that hang on the line that led to them, kept apart from the facts of the table (after the twin
//! entries of Kishimoto and Mueller 2004).
//!
//! There a twin is found by a code of its path. Here it carries the positions it rests on, so that no
//! result rests on a hash:
//!
//! - Where a repetition has a fixed value, the positions of the line to which lines below the node came
//!   back. One side alone gains by a repetition, and that side gains whatever else the line holds: so
//!   the result holds below every line that has these positions.
//! - Under any other rule, the whole line. Where the rule looks at the length of the cycle the order counts,
//!   else the positions do.

use crate::proofnumber::numbers::Numbers;
use arrayvec::ArrayVec;
use rustc_hash::FxHashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use zermelo_game::{Key, Repetition};

/// Parts that are locked by themselves.
const SHARDS: usize = 64;
/// The most twins of one position; a new one takes the place of the oldest.
const MOST: usize = 64;

/// The positions of the line that a result rests on, where a repetition has a fixed value; `None` if
/// they are too many to be told.
pub type Basis<K> = Option<ArrayVec<K, NEEDS>>;

/// Positions that a basis can name.
pub const NEEDS: usize = 6;

/// What a line must have for a result to hold below it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Match {
    /// The positions of the twin.
    Holds,
    /// They and no others.
    Same,
    /// They and no others, in the same order.
    Equal,
}

impl Match {
    /// What is asked of a line under a rule of repetition.
    pub fn under(rule: Repetition) -> Match {
        match rule {
            Repetition::Worth(_) => Match::Holds,
            Repetition::Loses | Repetition::Forbidden(_) => Match::Same,
            Repetition::Parity => Match::Equal,
        }
    }
}

/// A result and the positions it rests on.
struct Twin<K> {
    line: Box<[K]>,
    numbers: Numbers,
}

type Shard<K> = Mutex<FxHashMap<K, Vec<Twin<K>>>>;

/// Results by position.
pub struct Twins<K> {
    shards: Vec<Shard<K>>,
    matching: Match,
    /// Bytes in use, about, and the most there may be.
    used: AtomicU64,
    room: u64,
}

impl<K: Key> Twins<K> {
    /// None yet, and at most so many bytes of them.
    pub fn new(matching: Match, room: u64) -> Twins<K> {
        let shards = (0..SHARDS).map(|_| Shard::default()).collect();
        Twins { shards, matching, used: AtomicU64::new(0), room }
    }

    fn shard(&self, key: K) -> &Shard<K> {
        &self.shards[(key.wide() % SHARDS as u128) as usize]
    }

    /// The result for a position below a line, what it rests on, and the first ply of the line that it
    /// rests on.
    pub fn find(
        &self,
        key: K,
        line: impl ExactSizeIterator<Item = K> + Clone,
    ) -> Option<(Numbers, Basis<K>, i32)> {
        if self.used.load(Relaxed) == 0 {
            return None;
        }
        let shard = self.shard(key).lock().unwrap_or_else(|e| e.into_inner());
        let twins = shard.get(&key)?;
        twins.iter().rev().find_map(|twin| {
            let same = twin.line.len() == line.len();
            match self.matching {
                Match::Holds => {
                    let ply = |k: &K| line.clone().position(|other| other == *k);
                    let mut first = usize::MAX;
                    for key in &twin.line {
                        first = first.min(ply(key)?);
                    }
                    Some((
                        twin.numbers,
                        twin.line.iter().copied().collect::<ArrayVec<_, _>>().into(),
                        first as i32,
                    ))
                }
                Match::Same => {
                    let known = |k: K| twin.line.binary_search(&k).is_ok();
                    (same && line.clone().all(known)).then_some((twin.numbers, None, 0))
                }
                Match::Equal => {
                    let equal = same && line.clone().eq(twin.line.iter().copied());
                    equal.then_some((twin.numbers, None, 0))
                }
            }
        })
    }

    /// Whether some line made the player to move at a position win, or lose.
    pub fn hints_at(&self, key: K, wins: bool) -> bool {
        if self.used.load(Relaxed) == 0 {
            return false;
        }
        let shard = self.shard(key).lock().unwrap_or_else(|e| e.into_inner());
        let hints = |twins: &Vec<Twin<K>>| twins.iter().any(|t| t.numbers.solved() == Some(wins));
        shard.get(&key).is_some_and(hints)
    }

    /// Keeps a result for a position and the positions that it rests on. Returns whether it is new.
    pub fn put(&self, key: K, line: &[K], numbers: Numbers) -> bool {
        let mut line: Box<[K]> = line.into();
        if self.matching != Match::Equal {
            line.sort_unstable();
        }
        let bytes = (size_of::<Twin<K>>() + size_of_val(&*line) + 2 * size_of::<K>()) as u64;
        if self.used.load(Relaxed) + bytes > self.room {
            self.clear();
        }
        let mut shard = self.shard(key).lock().unwrap_or_else(|e| e.into_inner());
        let twins = shard.entry(key).or_default();
        if let Some(old) = twins.iter_mut().find(|t| t.line == line) {
            old.numbers = numbers;
            return false;
        }
        if twins.len() == MOST {
            twins.remove(0);
        }
        twins.push(Twin { line, numbers });
        self.used.fetch_add(bytes, Relaxed);
        true
    }

    /// Forgets all.
    pub fn clear(&self) {
        for shard in &self.shards {
            *shard.lock().unwrap_or_else(|e| e.into_inner()) = FxHashMap::default();
        }
        self.used.store(0, Relaxed);
    }
}
