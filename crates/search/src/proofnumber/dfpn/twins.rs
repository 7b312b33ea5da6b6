//! Results that depend on the line that led to them, kept apart from the facts of the table (after the twin
//! entries of Kishimoto and Mueller 2004).
//!
//! There a twin is found by a code of its whole path. Here it carries what it asks of a line, so that it
//! serves below many lines and no result rests on a hash:
//!
//! - the positions that the line must *have*: those to which the proof below the node comes back;
//! - the positions that it must *not* have: those that the proof goes through. Where a repetition has a
//!   fixed value nothing of the kind is asked. One side alone gains by a repetition there, so that a
//!   proof that rests on one gains by more of them. Under other rules these positions are kept as a
//!   set of bits, each position having one of [`MARKS`]; a line that shares a bit is refused, rightly
//!   or not. Facts of the table that the proof goes through are not among them: below a line that has
//!   been at one of those, nothing depends on the result (see `worker`);
//! - where the rule looks at the length of the cycle, how far back the former are, in plies modulo 4.

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
/// Bytes that a position takes besides, at most.
const ENTRY: usize = 64;
/// Positions that a basis can name.
const NEEDS: usize = 16;
/// Bits of a set of positions.
const MARKS: u128 = 127;

/// What a result asks of the line above its node.
#[derive(Clone, Debug)]
pub struct PathBasis<K> {
    /// Positions that must be there; `None` if they are too many to be told.
    needs: Option<ArrayVec<K, NEEDS>>,
    /// Marks of positions that must not.
    avoids: u128,
}

/// The bit of a position in a set.
fn mark<K: Key>(key: K) -> u128 {
    1 << (key.digest() % MARKS)
}

impl<K: Key> PathBasis<K> {
    /// What nothing is asked for.
    pub fn new() -> PathBasis<K> {
        PathBasis { needs: Some(ArrayVec::new()), avoids: 0 }
    }

    /// The line must have a position.
    pub fn need(&mut self, key: K) {
        let known = self.needs.as_ref().is_none_or(|needs| needs.contains(&key));
        if !known {
            self.needs = self.needs.take().filter(|needs| !needs.is_full());
            self.needs.iter_mut().for_each(|needs| needs.push(key));
        }
    }

    /// Whatever the other asks is asked too.
    pub fn join(&mut self, other: &PathBasis<K>) {
        self.avoids |= other.avoids;
        match &other.needs {
            Some(needs) => needs.iter().for_each(|key| self.need(*key)),
            None => self.needs = None,
        }
    }

    /// The proof goes through a position, which the line above need not have any more.
    pub fn pass(&mut self, key: K) {
        self.avoids |= mark(key);
        self.needs.iter_mut().for_each(|needs| needs.retain(|k| *k != key));
    }
}

/// A result and what it asks for.
struct Twin<K> {
    /// Positions with the plies since, modulo 4.
    needs: ArrayVec<(K, u8), NEEDS>,
    avoids: u128,
    numbers: Numbers,
}

type Shard<K> = Mutex<FxHashMap<K, Vec<Twin<K>>>>;

/// Results by position.
pub struct Twins<K> {
    shards: Vec<Shard<K>>,
    rule: Repetition,
    /// Bytes in use, about, and the most there may be.
    used: AtomicU64,
    room: u64,
}

impl<K: Key> Twins<K> {
    /// None yet, and at most so many bytes of them.
    pub fn new(rule: Repetition, room: u64) -> Twins<K> {
        let shards = (0..SHARDS).map(|_| Shard::default()).collect();
        Twins { shards, rule, used: AtomicU64::new(0), room }
    }

    fn shard(&self, key: K) -> &Shard<K> {
        &self.shards[(key.digest() % SHARDS as u128) as usize]
    }

    /// A result that holds for a position below a line, with what it asks for, and the first ply of the
    /// line that it needs.
    pub fn find(
        &self,
        key: K,
        line: impl ExactSizeIterator<Item = K> + Clone,
    ) -> Option<(Numbers, PathBasis<K>, i32)> {
        if self.used.load(Relaxed) == 0 {
            return None;
        }
        let shard = self.shard(key).lock().unwrap_or_else(|e| e.into_inner());
        let twins = shard.get(&key)?;
        let marks = match self.rule {
            Repetition::Worth(_) => 0,
            _ => line.clone().fold(0, |marks, key| marks | mark(key)),
        };
        twins.iter().rev().filter(|twin| twin.avoids & marks == 0).find_map(|twin| {
            let mut first = usize::MAX;
            for &(key, plies) in &twin.needs {
                let at = line.clone().position(|other| other == key)?;
                if self.rule == Repetition::Parity && (line.len() - at) % 4 != usize::from(plies) {
                    return None;
                }
                first = first.min(at);
            }
            let needs = Some(twin.needs.iter().map(|&(key, _)| key).collect());
            let first = if first == usize::MAX { 0 } else { first as i32 };
            Some((twin.numbers, PathBasis { needs, avoids: twin.avoids }, first))
        })
    }

    /// Keeps a result for a position below a line. Returns whether it is new.
    pub fn put(
        &self,
        key: K,
        line: impl ExactSizeIterator<Item = K> + Clone,
        basis: &PathBasis<K>,
        numbers: Numbers,
    ) -> bool {
        let Some(needs) = &basis.needs else { return false };
        let back = |k: &K| line.clone().position(|other| other == *k).map(|at| line.len() - at);
        let needs = needs.iter().filter_map(|k| Some((*k, (back(k)? % 4) as u8))).collect();
        let twin = Twin { needs, avoids: basis.avoids, numbers };
        let bytes = (size_of::<Twin<K>>() + ENTRY) as u64;
        if bytes > self.room {
            return false;
        }
        if self.used.load(Relaxed) + bytes > self.room {
            self.clear();
        }
        let mut shard = self.shard(key).lock().unwrap_or_else(|e| e.into_inner());
        let twins = shard.entry(key).or_default();
        if twins.iter().any(|t| t.needs == twin.needs && t.avoids == twin.avoids) {
            return false;
        }
        if twins.len() == MOST {
            twins.remove(0);
            self.used.fetch_sub(bytes, Relaxed);
        }
        twins.push(twin);
        self.used.fetch_add(bytes, Relaxed);
        true
    }

    /// Bytes in use, about.
    pub fn bytes(&self) -> u64 {
        self.used.load(Relaxed)
    }

    /// Forgets all.
    fn clear(&self) {
        for shard in &self.shards {
            *shard.lock().unwrap_or_else(|e| e.into_inner()) = FxHashMap::default();
        }
        self.used.store(0, Relaxed);
    }
}
