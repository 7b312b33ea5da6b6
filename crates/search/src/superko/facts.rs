//! The table of proved facts: for each canonical position, what either player can claim and on what
//! the proof rests ([`SuperkoBasis`]).
//!
//! Keys are stored whole, so positions are never confused. Four slots make a bucket; where all are
//! taken, the one that cost least work gives way. The table starts small and doubles. It also holds what
//! a search with a depth limit has given up, which is no fact and only saves trying it twice.

use super::basis::SuperkoBasis;
use zermelo_game::{Bits, Key, Value};

/// One player's claim: at least `value` for that player.
#[derive(Clone, Copy, Debug)]
pub struct SuperkoFact<B> {
    pub value: Value,
    pub basis: SuperkoBasis<B>,
}

/// All that is known of a position. Boards have the type of keys.
#[derive(Clone, Copy, Debug)]
pub struct Slot<K> {
    /// The key; only of meaning where there is a fact or a hint.
    key: K,
    /// The claims of the first and the second player.
    pub facts: [Option<SuperkoFact<K>>; 2],
    /// A hash of the best child's key, to try it first; 0 for none.
    pub hint: u32,
    /// The logarithm of the work behind it; 0 in an empty slot.
    work: u8,
    /// The depth with which the prover of a search has failed here, and which search that was.
    failed: u8,
    epoch: u16,
}

impl<K: Key + Bits> Slot<K> {
    fn new(key: K) -> Slot<K> {
        Slot { key, facts: [None; 2], hint: 0, work: 0, failed: 0, epoch: 0 }
    }

    fn empty() -> Slot<K> {
        Slot::new(K::of(0))
    }

    /// The depth with which the prover of this search has failed here, 0 if it has not.
    #[inline]
    pub fn failed_in(&self, epoch: u16) -> u32 {
        if self.epoch == epoch { u32::from(self.failed) } else { 0 }
    }
}

/// Spreads a key over all numbers.
#[inline(always)]
pub fn hash<K: Key>(key: K) -> u64 {
    key.mix(K::BITS).digest() as u64
}

const BUCKET: usize = 4;
/// Slots of the smallest table.
const SMALLEST: usize = 1 << 10;

/// The table.
pub struct ProofTable<K> {
    slots: Vec<Slot<K>>,
    filled: usize,
    most: usize,
    epoch: u16,
}

impl<K: Key + Bits> ProofTable<K> {
    /// A table of at most this many bytes; `None` if that is less than the smallest.
    pub fn new(memory: u64) -> Option<ProofTable<K>> {
        let fits = usize::try_from(memory).unwrap_or(usize::MAX) / size_of::<Slot<K>>();
        (fits >= BUCKET).then(|| {
            let most = 1 << fits.ilog2();
            let slots = vec![Slot::empty(); SMALLEST.min(most)];
            ProofTable { slots, filled: 0, most, epoch: 0 }
        })
    }

    /// A number for a new search. They come round again after a while, which may cost a search that has
    /// failed elsewhere a step of depth, and nothing else.
    pub fn next_epoch(&mut self) -> u16 {
        self.epoch = self.epoch.checked_add(1).unwrap_or(1);
        self.epoch
    }

    /// Bytes in use.
    pub fn bytes(&self) -> u64 {
        (self.slots.len() * size_of::<Slot<K>>()) as u64
    }

    /// Share of the slots that are taken.
    pub fn permille(&self) -> u32 {
        (self.filled * 1000 / self.slots.len()) as u32
    }

    #[inline]
    fn bucket(&self, key: K) -> usize {
        let buckets = self.slots.len() / BUCKET;
        (hash(key) >> 32) as usize % buckets * BUCKET
    }

    /// What is known of a position.
    #[inline]
    pub fn get(&self, key: K) -> Option<&Slot<K>> {
        let at = self.bucket(key);
        self.slots[at..at + BUCKET].iter().find(|s| s.work != 0 && s.key == key)
    }

    /// Keeps a fact of a player (0 or 1) and a hint.
    pub fn put(&mut self, key: K, player: usize, fact: SuperkoFact<K>, hint: u32, work: u8) {
        let slot = self.take(key, hint, work);
        // A fact that holds after more histories stays.
        let stays = |old: &SuperkoFact<K>| {
            old.value >= fact.value && old.basis.is_free() && !fact.basis.is_free()
        };
        if !slot.facts[player].as_ref().is_some_and(stays) {
            slot.facts[player] = Some(fact);
        }
    }

    /// Keeps that the prover of a search has failed with this depth.
    pub fn put_failed(&mut self, key: K, epoch: u16, depth: u32, hint: u32, work: u8) {
        let slot = self.take(key, hint, work);
        (slot.epoch, slot.failed) = (epoch, depth.min(255) as u8);
    }

    /// The slot of a position, with this hint if it is not 0.
    fn take(&mut self, key: K, hint: u32, work: u8) -> &mut Slot<K> {
        if self.filled * 8 > self.slots.len() * 5 && self.slots.len() * 2 <= self.most {
            self.grow();
        }
        let at = self.bucket(key);
        let bucket = &mut self.slots[at..at + BUCKET];
        let mut slot = 0;
        for (i, s) in bucket.iter().enumerate() {
            if s.work != 0 && s.key == key {
                slot = i;
                break;
            }
            if s.work < bucket[slot].work {
                slot = i;
            }
        }
        let slot = &mut bucket[slot];
        if slot.work == 0 || slot.key != key {
            self.filled += usize::from(slot.work == 0);
            *slot = Slot::new(key);
        }
        slot.work = slot.work.max(work.max(1));
        if hint != 0 {
            slot.hint = hint;
        }
        slot
    }

    fn grow(&mut self) {
        let bigger = vec![Slot::empty(); self.slots.len() * 2];
        let old = std::mem::replace(&mut self.slots, bigger);
        self.filled = 0;
        for slot in old.into_iter().filter(|s| s.work != 0) {
            let at = self.bucket(slot.key);
            let bucket = &mut self.slots[at..at + BUCKET];
            let place = bucket.iter_mut().min_by_key(|s| s.work);
            if let Some(place) = place.filter(|s| s.work <= slot.work) {
                self.filled += usize::from(place.work == 0);
                *place = slot;
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use zermelo_game::{Wide, Words};

    fn finds_facts_again<K: Key + Bits>(key: impl Fn(u64) -> K, found: usize) {
        let memory = (1 << 24) * K::WORDS as u64;
        let mut facts = ProofTable::new(memory).unwrap();
        let fact = |value| SuperkoFact { value, basis: SuperkoBasis::free() };
        for k in 0..20_000u64 {
            facts.put(key(k * 7), k as usize % 2, fact(k as Value % 9), 1, 3);
        }
        let get = |k: u64| facts.get(key(k * 7)).and_then(|s| s.facts[k as usize % 2]);
        assert!((0..20_000).all(|k| get(k).is_none_or(|f| f.value == k as Value % 9)));
        let count = (0..20_000).filter(|k| get(*k).is_some()).count();
        assert!(count > found, "{count}");
        assert!(facts.get(key(1)).is_none());
        assert!(facts.bytes() <= memory);
    }

    #[test]
    fn facts_are_found_again() {
        // Buckets of four overflow before the table grows: 17,719 by a separate count.
        finds_facts_again(|k| k, 17_500);
        for at in [0, 60, 120, 380, 500] {
            finds_facts_again(|k| Wide::<9>::of(k) << at, 17_000);
        }
    }

    #[test]
    fn work_stays() {
        let mut facts =
            ProofTable::<u64>::new(BUCKET as u64 * size_of::<Slot<u64>>() as u64).unwrap();
        facts.put_failed(42, 1, 5, 7, 20);
        (0..1000).for_each(|key| facts.put_failed(key * 3 + 1, 1, 9, 1, 2));
        assert_eq!(facts.get(42).map(|s| s.hint), Some(7));
        assert_eq!(facts.get(42).map(|s| (s.failed_in(1), s.failed_in(2))), Some((5, 0)));
        assert!(ProofTable::<u64>::new(10).is_none());
    }
}
