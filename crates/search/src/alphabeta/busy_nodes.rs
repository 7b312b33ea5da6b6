//! BusyNodes of nodes that a thread is searching, for the other threads to see.
//!
//! Two nodes may share a slot or even a tag: then one of them is put off for no reason, and nothing
//! else. No value ever rests on a mark.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use zermelo_game::Key;

/// The nodes that the threads of one search work on.
#[derive(Debug)]
pub struct BusyNodes {
    slots: Vec<AtomicU64>,
    key_bits: u32,
}

impl BusyNodes {
    /// So many slots; none at all for a search by one thread.
    pub fn new(slots: usize, key_bits: u32) -> BusyNodes {
        BusyNodes { slots: (0..slots).map(|_| AtomicU64::new(0)).collect(), key_bits }
    }

    /// Whether nobody marks anything here.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    #[inline(always)]
    fn place<K: Key>(&self, key: K) -> (&AtomicU64, u64) {
        let tag = key.mix(self.key_bits).digest() as u64;
        (&self.slots[tag as usize % self.slots.len()], tag | 1)
    }

    /// BusyNodes a node; `None` if its slot is taken.
    #[inline(always)]
    pub fn mark<K: Key>(&self, key: K) -> Option<&AtomicU64> {
        let (slot, tag) = self.place(key);
        slot.compare_exchange(0, tag, Relaxed, Relaxed).is_ok().then_some(slot)
    }

    /// Whether a node is marked.
    #[inline(always)]
    pub fn is_marked<K: Key>(&self, key: K) -> bool {
        let (slot, tag) = self.place(key);
        slot.load(Relaxed) == tag
    }
}
