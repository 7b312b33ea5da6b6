//! What the writer of a proof knows of positions: which the block at hand has met, and which are proved.
//!
//! One map for all blocks, with a byte for each key: the number of the block that met it last, and whether some block has
//! proved it. So one lookup tells both, and beginning a new block costs nothing. The keys are divided into shards by their
//! hash, each a [`KeySet`] that takes a larger array when it is full: one at a time is copied, in the order of places, and
//! memory for all keys twice is never needed.

use crate::key_set::{KeySet, free, hash};
use zermelo_game::Key;

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Visited {
    /// Whether the block at hand has met it.
    pub(crate) met: bool,
    /// Whether it is proved, in whatever block.
    pub(crate) proved: bool,
}

/// Keys with map.
pub(crate) struct VisitedMap<K> {
    shards: Vec<Shard<K>>,
    /// The number of the block at hand, from 1 to [`LAST`].
    block: u8,
}

/// The logarithm of the number of shards.
const SHARD_BITS: u32 = 2;
/// Numbers of blocks start again after this one.
const LAST: u8 = 127;
/// How many keys a shard can hold at first.
const FIRST: usize = 1 << 10;

/// Keys whose hashes begin alike, each with its tag: twice the number of a block, and 1 for "proved".
struct Shard<K> {
    keys: KeySet<K, 1>,
    tag_of_free: u8,
    len: usize,
    most: usize,
}

/// Where a key lies: the shard, and its place there.
type Slot = (usize, usize);

impl<K: Key> VisitedMap<K> {
    /// Nothing is met, nothing proved.
    pub(crate) fn new() -> VisitedMap<K> {
        VisitedMap { shards: (0..1 << SHARD_BITS).map(|_| Shard::new(FIRST)).collect(), block: 1 }
    }

    /// The place that a key's hash names, as long as nothing is added.
    #[inline(always)]
    fn slot(&self, key: K) -> Slot {
        let hash = hash(key);
        let shard = (hash >> (64 - SHARD_BITS)) as usize;
        (shard, self.shards[shard].place(hash))
    }

    /// Fetches what is known of a key from memory, without waiting for it.
    #[inline(always)]
    pub(crate) fn fetch(&self, key: K) {
        let (shard, at) = self.slot(key);
        self.shards[shard].keys.fetch(at);
    }

    /// What is known of a key, and the place where it is or would be.
    #[inline(always)]
    pub(crate) fn look(&self, key: K) -> (Visited, Slot) {
        let (shard, at) = self.slot(key);
        let (at, is_there) = self.shards[shard].keys.find(key, at);
        let tag = if is_there { self.shards[shard].tag(key, at) } else { 0 };
        (Visited { met: tag >> 1 == self.block, proved: tag & 1 != 0 }, (shard, at))
    }

    /// The block at hand has met a position, and perhaps proves it; what was known of it, and where, has just been
    /// [looked](Self::look) up.
    #[inline(always)]
    pub(crate) fn meet(&mut self, key: K, known: (Visited, Slot), proved: bool) {
        let (visited, (shard, mut at)) = known;
        let shard = &mut self.shards[shard];
        if !shard.holds(key, at) {
            if shard.len == shard.most {
                shard.grow();
                at = shard.keys.find(key, shard.place(hash(key))).0;
            }
            shard.len += 1;
            shard.keys.put(key, at);
        }
        *shard.tag_mut(key, at) = self.block << 1 | u8::from(visited.proved || proved);
    }

    /// The next block has met nothing yet.
    pub(crate) fn next_block(&mut self) {
        if self.block == LAST {
            self.shards.iter_mut().for_each(Shard::forget_blocks);
            self.block = 0;
        }
        self.block += 1;
    }

    /// Bytes of all shards, and of the copy of one that is growing.
    pub(crate) fn bytes(&self) -> u64 {
        let bytes = || self.shards.iter().map(|shard| shard.keys.bytes());
        bytes().sum::<u64>() + 2 * bytes().max().unwrap_or(0)
    }
}

impl<K: Key> Shard<K> {
    /// # Panics
    /// If there is not so much memory, as a vector does.
    fn new(most: usize) -> Shard<K> {
        Shard { keys: KeySet::new(most).expect("there is memory"), tag_of_free: 0, len: 0, most }
    }

    /// The place that a hash names.
    #[inline(always)]
    fn place(&self, hash: u64) -> usize {
        self.keys.place_of(hash << SHARD_BITS)
    }

    /// Whether a key is there where it was looked for.
    #[inline(always)]
    fn holds(&self, key: K, at: usize) -> bool {
        self.keys.find(key, at).1
    }

    #[inline(always)]
    fn tag(&self, key: K, at: usize) -> u8 {
        if key == free() { self.tag_of_free } else { self.keys.tag(at)[0] }
    }

    #[inline(always)]
    fn tag_mut(&mut self, key: K, at: usize) -> &mut u8 {
        if key == free() { &mut self.tag_of_free } else { &mut self.keys.tag_mut(at)[0] }
    }

    /// Keeps of all keys whether they are proved.
    fn forget_blocks(&mut self) {
        (0..self.keys.len()).for_each(|at| self.keys.tag_mut(at)[0] &= 1);
        self.tag_of_free &= 1;
    }

    /// Doubles the number of keys that fit. Keys are copied in the order of places, which is that of hashes: memory is
    /// gone through from one end to the other.
    #[cold]
    fn grow(&mut self) {
        let old = std::mem::replace(self, Shard::new(2 * self.most));
        for place in 0..old.keys.len() {
            let key = old.keys.get(place);
            if key != free() {
                let at = self.keys.find(key, self.place(hash(key))).0;
                self.keys.put(key, at);
                *self.tag_mut(key, at) = old.tag(key, place);
            }
        }
        if old.keys.contains(free(), 0) {
            self.keys.put(free(), 0);
        }
        (self.tag_of_free, self.len) = (old.tag_of_free, old.len);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use zermelo_game::{Wide, Words};

    fn tells_what_it_was_told<K: Key>(keys: &[K]) {
        let mut map = VisitedMap::new();
        // Of every key the block that met it last, and whether it is proved.
        let mut truth: HashMap<K, (usize, bool)> = HashMap::new();
        for (i, &key) in keys.iter().enumerate() {
            let block = i / 20;
            if i > 0 && i % 20 == 0 {
                map.next_block();
            }
            let (met, proved) = truth.get(&key).map_or((false, false), |t| (t.0 == block, t.1));
            map.fetch(key);
            let known = map.look(key);
            assert_eq!(known.0, Visited { met, proved }, "{key:?}");
            let proves = i % 3 == 0;
            map.meet(key, known, proves);
            assert_eq!(map.look(key).0, Visited { met: true, proved: proved || proves }, "{key:?}");
            truth.insert(key, (block, proved || proves));
        }
        let block = (keys.len() - 1) / 20;
        for (&key, &(last, proved)) in &truth {
            assert_eq!(map.look(key).0, Visited { met: last == block, proved }, "{key:?}");
        }
        assert!(map.bytes() >= (truth.len() * size_of::<K>()) as u64);
    }

    #[test]
    fn it_tells_what_it_was_told() {
        tells_what_it_was_told::<u64>(&[0, u64::MAX, 0, 7, u64::MAX, 7, 8, 1 << 63, 8]);
        tells_what_it_was_told::<u128>(&[0, u128::MAX, 0, 1 << 64, 1, 1 << 64, u128::MAX]);
        // More blocks than there are numbers for, and shards that grow.
        let keys: Vec<u64> = (0..40_000u64).map(|i| (i * i % 33_331) << (i % 5)).collect();
        tells_what_it_was_told(&keys);
        let wide: Vec<u128> = keys.iter().map(|&key| u128::from(key) << (key % 60)).collect();
        tells_what_it_was_told(&wide);
        for at in [0, 200, 500] {
            let long: Vec<Wide<9>> = keys.iter().map(|&key| Wide::of(key) << at).collect();
            tells_what_it_was_told(&long);
        }
    }
}
