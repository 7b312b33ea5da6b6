//! The table of proved facts: for each canonical position, what either player can claim and on what
//! the proof rests ([`Basis`]).
//!
//! Keys are stored whole, so positions are never confused. Four slots make a bucket; where all are
//! taken, the one that cost least work gives way. The table starts small and doubles. It also holds what
//! a search with a depth limit has given up, which is no fact and only saves trying it twice.

use super::basis::Basis;
use zermelo_game::{Key, Value};

/// One player's claim: at least `value` for that player.
#[derive(Clone, Copy, Debug)]
pub struct Fact {
    pub value: Value,
    pub basis: Basis,
}

/// All that is known of a position.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// The key; only of meaning where there is a fact or a hint.
    key: u64,
    /// The claims of the first and the second player.
    pub facts: [Option<Fact>; 2],
    /// A hash of the best child's key, to try it first; 0 for none.
    pub hint: u32,
    /// The logarithm of the work behind it; 0 in an empty slot.
    work: u8,
    /// The depth with which the prover of a search has failed here, and which search that was.
    failed: u8,
    epoch: u16,
}

impl Slot {
    /// The depth with which the prover of this search has failed here, 0 if it has not.
    #[inline]
    pub fn failed_in(&self, epoch: u16) -> u32 {
        if self.epoch == epoch { u32::from(self.failed) } else { 0 }
    }
}

const EMPTY: Slot = Slot { key: 0, facts: [None; 2], hint: 0, work: 0, failed: 0, epoch: 0 };
const BUCKET: usize = 4;
/// Slots of the smallest table.
const SMALLEST: usize = 1 << 10;

/// The table.
pub struct Facts {
    slots: Vec<Slot>,
    filled: usize,
    most: usize,
    epoch: u16,
}

impl Facts {
    /// A table of at most this many bytes; `None` if that is less than the smallest.
    pub fn new(memory: u64) -> Option<Facts> {
        let fits = usize::try_from(memory).unwrap_or(usize::MAX) / size_of::<Slot>();
        (fits >= BUCKET).then(|| {
            let most = 1 << fits.ilog2();
            Facts { slots: vec![EMPTY; SMALLEST.min(most)], filled: 0, most, epoch: 0 }
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
        (self.slots.len() * size_of::<Slot>()) as u64
    }

    /// Share of the slots that are taken.
    pub fn permille(&self) -> u32 {
        (self.filled * 1000 / self.slots.len()) as u32
    }

    #[inline]
    fn bucket(&self, key: u64) -> usize {
        let buckets = self.slots.len() / BUCKET;
        (key.mix(64) >> 32) as usize % buckets * BUCKET
    }

    /// What is known of a position.
    #[inline]
    pub fn get(&self, key: u64) -> Option<&Slot> {
        let at = self.bucket(key);
        self.slots[at..at + BUCKET].iter().find(|s| s.work != 0 && s.key == key)
    }

    /// Keeps a fact of a player (0 or 1) and a hint.
    pub fn put(&mut self, key: u64, player: usize, fact: Fact, hint: u32, work: u8) {
        let slot = self.take(key, hint, work);
        // A fact that holds after more histories stays.
        let stays =
            |old: &Fact| old.value >= fact.value && old.basis.is_free() && !fact.basis.is_free();
        if !slot.facts[player].as_ref().is_some_and(stays) {
            slot.facts[player] = Some(fact);
        }
    }

    /// Keeps that the prover of a search has failed with this depth.
    pub fn put_failed(&mut self, key: u64, epoch: u16, depth: u32, hint: u32, work: u8) {
        let slot = self.take(key, hint, work);
        (slot.epoch, slot.failed) = (epoch, depth.min(255) as u8);
    }

    /// The slot of a position, with this hint if it is not 0.
    fn take(&mut self, key: u64, hint: u32, work: u8) -> &mut Slot {
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
            *slot = Slot { key, ..EMPTY };
        }
        slot.work = slot.work.max(work.max(1));
        if hint != 0 {
            slot.hint = hint;
        }
        slot
    }

    fn grow(&mut self) {
        let bigger = vec![EMPTY; self.slots.len() * 2];
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

    #[test]
    fn facts_are_found_again() {
        let mut facts = Facts::new(1 << 24).unwrap();
        let fact = |value| Fact { value, basis: Basis::FREE };
        for key in 0..20_000u64 {
            facts.put(key * 7, key as usize % 2, fact(key as Value % 9), 1, 3);
        }
        let found = |key: u64| facts.get(key * 7).and_then(|s| s.facts[key as usize % 2]);
        assert!((0..20_000).all(|k| found(k).is_none_or(|f| f.value == k as Value % 9)));
        // Buckets of four overflow before the table grows: 17,719 by a separate count.
        assert!((0..20_000).filter(|k| found(*k).is_some()).count() > 17_500);
        assert!(facts.get(1).is_none());
        assert!(facts.bytes() <= 1 << 24);
    }

    #[test]
    fn work_stays() {
        let mut facts = Facts::new(BUCKET as u64 * size_of::<Slot>() as u64).unwrap();
        facts.put_failed(42, 1, 5, 7, 20);
        (0..1000).for_each(|key| facts.put_failed(key * 3 + 1, 1, 9, 1, 2));
        assert_eq!(facts.get(42).map(|s| s.hint), Some(7));
        assert_eq!(facts.get(42).map(|s| (s.failed_in(1), s.failed_in(2))), Some((5, 0)));
        assert!(Facts::new(10).is_none());
    }
}
