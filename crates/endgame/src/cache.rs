//! Unpacked blocks in memory: as many as were allowed, on huge pages, read without a lock.
//!
//! A block has a word that says in which slot it lies, and a number that grows with each block that is put into one. A reader
//! looks at the word before and after: if a slot has been given to another block in between, the word has changed, and nothing
//! was read. So readers never wait, and a probe of a block that is here touches its word, its slot and nothing else. When all
//! slots are taken, those not asked for lately are evicted (second chance, the clock algorithm).

use crate::format::BLOCK_BYTES;
use crate::large::LargeArray;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use std::sync::{Mutex, PoisonError};

/// Words of eight bytes that a block takes.
const WORDS: usize = BLOCK_BYTES / 8;

/// Where a block is: 0, or the number of the putting and one more than the number of the slot.
#[derive(Debug, Default)]
pub(crate) struct Held(AtomicU64);

/// Who has the slots.
#[derive(Default)]
struct Owners {
    /// File and block.
    of: Vec<(u32, u32)>,
    hand: usize,
    puts: u32,
}

pub(crate) struct Cache {
    words: LargeArray<AtomicU64>,
    /// Whether a slot was asked for since the hand passed.
    used: Vec<AtomicBool>,
    owners: Mutex<Owners>,
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "room for {} blocks", self.used.len())
    }
}

impl Cache {
    /// Room for so many bytes, for one block at least.
    pub fn new(bytes: u64) -> Cache {
        let slots = (bytes / BLOCK_BYTES as u64).max(1);
        Cache {
            words: LargeArray::new(slots * WORDS as u64),
            used: (0..slots).map(|_| AtomicBool::new(false)).collect(),
            owners: Mutex::default(),
        }
    }

    /// Two bytes of a block, the first at `at`; one and a 0 at the end of it. `None` if it is not here.
    #[inline(always)]
    pub fn get(&self, held: &Held, at: usize) -> Option<[u8; 2]> {
        let now = held.0.load(Ordering::Acquire);
        let slot = (now as u32).checked_sub(1)? as usize;
        let word = self.words[slot * WORDS + at / 8].load(Ordering::Relaxed);
        // If the word is another block's, this sees that the slot was taken away before.
        fence(Ordering::Acquire);
        if held.0.load(Ordering::Relaxed) != now {
            return None;
        }
        // Written only where it changes: the line is shared by all threads.
        if !self.used[slot].load(Ordering::Relaxed) {
            self.used[slot].store(true, Ordering::Relaxed);
        }
        let bytes = word >> (at % 8 * 8);
        Some([bytes as u8, (bytes >> 8) as u8])
    }

    /// Keeps a block; `held` finds the words of all.
    pub fn put<'h>(
        &self,
        (n, block): (u32, u32),
        bytes: &[u8],
        held: impl Fn(u32, u32) -> &'h Held,
    ) {
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        let place = held(n, block);
        if place.0.load(Ordering::Relaxed) != 0 {
            return;
        }
        let slot = if owners.of.len() < self.used.len() {
            owners.of.push((n, block));
            owners.of.len() - 1
        } else {
            while self.used[owners.hand].swap(false, Ordering::Relaxed) {
                owners.hand = (owners.hand + 1) % self.used.len();
            }
            let slot = owners.hand;
            owners.hand = (slot + 1) % self.used.len();
            let (n, block) = std::mem::replace(&mut owners.of[slot], (n, block));
            held(n, block).0.store(0, Ordering::Relaxed);
            slot
        };
        // Before anything of the slot changes it is nobody's.
        fence(Ordering::Release);
        let words = &self.words[slot * WORDS..(slot + 1) * WORDS];
        let (eights, rest) = bytes.as_chunks::<8>();
        for (word, eight) in words.iter().zip(eights) {
            word.store(u64::from_le_bytes(*eight), Ordering::Relaxed);
        }
        if !rest.is_empty() {
            let mut eight = [0; 8];
            eight[..rest.len()].copy_from_slice(rest);
            words[eights.len()].store(u64::from_le_bytes(eight), Ordering::Relaxed);
        }
        self.used[slot].store(true, Ordering::Relaxed);
        owners.puts = owners.puts.wrapping_add(1);
        let now = u64::from(owners.puts) << 32 | (slot as u64 + 1);
        place.0.store(now, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    /// Blocks of one file, each full of its own number.
    #[test]
    fn nobody_reads_what_belongs_to_another() {
        for slots in [1, 2, 7, 100] {
            let cache = Cache::new(slots * BLOCK_BYTES as u64);
            let held: Vec<Held> = (0..50).map(|_| Held::default()).collect();
            let run = |seed: u32| {
                let (mut word, mut found) = (seed, 0);
                for _ in 0..20_000 {
                    word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    let (block, at) = (word >> 8 & 31, (word >> 16) as usize % BLOCK_BYTES);
                    match cache.get(&held[block as usize], at) {
                        Some([a, b]) => {
                            found += 1;
                            assert_eq!(a, block as u8 + 1);
                            assert_eq!(b, if at % 8 == 7 { 0 } else { a });
                        }
                        None => {
                            let bytes = [block as u8 + 1; BLOCK_BYTES];
                            cache.put((0, block), &bytes, |_, b| &held[b as usize]);
                        }
                    }
                }
                found
            };
            let found: u32 = thread::scope(|scope| {
                let others: Vec<_> = (1..3).map(|seed| scope.spawn(move || run(seed))).collect();
                others.into_iter().map(|t| t.join().unwrap()).sum()
            });
            assert!(found > 500, "{slots} slots: {found}");
            if slots > 50 {
                assert!(found > 39_000);
            }
        }
    }
}
