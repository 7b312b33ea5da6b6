//! What the writer of a proof knows of positions: which the block at hand has met, and which are proved.
//!
//! One set of keys for all blocks, with a byte beside each: the number of the block that met it last, and whether some block has
//! proved it. So one look tells both, and a block that is full costs nothing. The keys lie on shelves by their hash,
//! each a [`Met`] that takes a larger array when it is full: one at a time is copied, in the order of places, and memory for
//! all keys twice is never needed.

use crate::met::{Met, free, hash};
use zermelo_game::Key;

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Mark {
    /// Whether the block at hand has met it.
    pub(crate) met: bool,
    /// Whether it is proved, in whatever block.
    pub(crate) proved: bool,
}

/// Keys with marks.
pub(crate) struct Marks<K> {
    shelves: Vec<Shelf<K>>,
    /// The number of the block at hand, from 1 to [`LAST`].
    block: u8,
}

/// How many shelves, in bits.
const SHELF_BITS: u32 = 2;
/// Numbers of blocks are given again after this one.
const LAST: u8 = 127;
/// Room on a shelf at first.
const FIRST: usize = 1 << 10;

/// Keys whose hashes begin alike, each with its tag: twice the number of a block, and 1 for "proved".
struct Shelf<K> {
    keys: Met<K, 1>,
    tag_of_free: u8,
    len: usize,
    most: usize,
}

/// Where a key lies: the shelf, and its place there.
type Spot = (usize, usize);

impl<K: Key> Marks<K> {
    /// Nothing is met, nothing proved.
    pub(crate) fn new() -> Marks<K> {
        Marks { shelves: (0..1 << SHELF_BITS).map(|_| Shelf::new(FIRST)).collect(), block: 1 }
    }

    /// Where a key would like to be, as long as nothing is added.
    #[inline(always)]
    fn spot(&self, key: K) -> Spot {
        let hash = hash(key);
        let shelf = (hash >> (64 - SHELF_BITS)) as usize;
        (shelf, self.shelves[shelf].place(hash))
    }

    /// Fetches what is known of a key from memory, without waiting for it.
    #[inline(always)]
    pub(crate) fn fetch(&self, key: K) {
        let (shelf, at) = self.spot(key);
        self.shelves[shelf].keys.fetch(at);
    }

    /// What is known of a key, and the place where it is or would be.
    #[inline(always)]
    pub(crate) fn look(&self, key: K) -> (Mark, Spot) {
        let (shelf, at) = self.spot(key);
        let (at, is_there) = self.shelves[shelf].keys.find(key, at);
        let tag = if is_there { self.shelves[shelf].tag(key, at) } else { 0 };
        (Mark { met: tag >> 1 == self.block, proved: tag & 1 != 0 }, (shelf, at))
    }

    /// The block at hand has met a position, and perhaps proves it; what was known of it, and where, has just been
    /// [looked](Self::look) up.
    #[inline(always)]
    pub(crate) fn meet(&mut self, key: K, known: (Mark, Spot), proved: bool) {
        let (mark, (shelf, mut at)) = known;
        let shelf = &mut self.shelves[shelf];
        if !shelf.holds(key, at) {
            if shelf.len == shelf.most {
                shelf.grow();
                at = shelf.keys.find(key, shelf.place(hash(key))).0;
            }
            shelf.len += 1;
            shelf.keys.put(key, at);
        }
        *shelf.tag_mut(key, at) = self.block << 1 | u8::from(mark.proved || proved);
    }

    /// The next block has met nothing yet.
    pub(crate) fn next_block(&mut self) {
        if self.block == LAST {
            self.shelves.iter_mut().for_each(Shelf::forget_blocks);
            self.block = 0;
        }
        self.block += 1;
    }

    /// Bytes of all shelves, and of the copy of one that is growing.
    pub(crate) fn bytes(&self) -> u64 {
        let bytes = || self.shelves.iter().map(|shelf| shelf.keys.bytes());
        bytes().sum::<u64>() + 2 * bytes().max().unwrap_or(0)
    }
}

impl<K: Key> Shelf<K> {
    fn new(most: usize) -> Shelf<K> {
        Shelf { keys: Met::new(most), tag_of_free: 0, len: 0, most }
    }

    /// Where a key of this hash would like to be.
    #[inline(always)]
    fn place(&self, hash: u64) -> usize {
        self.keys.place_of(hash << SHELF_BITS)
    }

    /// Whether a key is there where it was looked for.
    #[inline(always)]
    fn holds(&self, key: K, at: usize) -> bool {
        self.keys.find(key, at).1
    }

    #[inline(always)]
    fn tag(&self, key: K, at: usize) -> u8 {
        if key == free() { self.tag_of_free } else { self.keys.beside(at)[0] }
    }

    #[inline(always)]
    fn tag_mut(&mut self, key: K, at: usize) -> &mut u8 {
        if key == free() { &mut self.tag_of_free } else { &mut self.keys.beside_mut(at)[0] }
    }

    /// Keeps of all keys whether they are proved.
    fn forget_blocks(&mut self) {
        (0..self.keys.len()).for_each(|at| self.keys.beside_mut(at)[0] &= 1);
        self.tag_of_free &= 1;
    }

    /// Makes room for twice as many keys. Keys go over in the order of places, which is that of hashes: memory is
    /// gone through from one end to the other.
    #[cold]
    fn grow(&mut self) {
        let old = std::mem::replace(self, Shelf::new(2 * self.most));
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

    fn tells_what_it_was_told<K: Key>(keys: &[K]) {
        let mut marks = Marks::new();
        // Of every key the block that met it last, and whether it is proved.
        let mut truth: HashMap<K, (usize, bool)> = HashMap::new();
        for (i, &key) in keys.iter().enumerate() {
            let block = i / 20;
            if i > 0 && i % 20 == 0 {
                marks.next_block();
            }
            let (met, proved) = truth.get(&key).map_or((false, false), |t| (t.0 == block, t.1));
            marks.fetch(key);
            let known = marks.look(key);
            assert_eq!(known.0, Mark { met, proved }, "{key:?}");
            let proves = i % 3 == 0;
            marks.meet(key, known, proves);
            assert_eq!(marks.look(key).0, Mark { met: true, proved: proved || proves }, "{key:?}");
            truth.insert(key, (block, proved || proves));
        }
        let block = (keys.len() - 1) / 20;
        for (&key, &(last, proved)) in &truth {
            assert_eq!(marks.look(key).0, Mark { met: last == block, proved }, "{key:?}");
        }
        assert!(marks.bytes() >= (truth.len() * size_of::<K>()) as u64);
    }

    #[test]
    fn it_tells_what_it_was_told() {
        tells_what_it_was_told::<u64>(&[0, u64::MAX, 0, 7, u64::MAX, 7, 8, 1 << 63, 8]);
        tells_what_it_was_told::<u128>(&[0, u128::MAX, 0, 1 << 64, 1, 1 << 64, u128::MAX]);
        // More blocks than there are numbers for, and shelves that grow.
        let keys: Vec<u64> = (0..40_000u64).map(|i| (i * i % 33_331) << (i % 5)).collect();
        tells_what_it_was_told(&keys);
        let wide: Vec<u128> = keys.iter().map(|&key| u128::from(key) << (key % 60)).collect();
        tells_what_it_was_told(&wide);
    }
}
