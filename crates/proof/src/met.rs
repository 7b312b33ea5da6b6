//! The positions that a walk has met: a set of keys of which the largest size is known from the start.
//!
//! Keys lie in one array, each at the place that its hash names or in the first free one after it (linear
//! probing). A walk has the places of all replies to a move fetched from memory ([`Met::fetch`]) before it looks at the first.
//!
//! Who writes a proof does not know how much there will be, and has to tell what the block at hand has met from what blocks
//! before have proved: `marks.rs` is a set for that.

use memmap2::MmapMut;
use std::marker::PhantomData;
use zermelo_game::{Key, fetch};

/// A set of keys, each with so many bytes beside it.
pub(crate) struct Met<K, const BESIDE: usize = 0> {
    places: Places<K, BESIDE>,
    /// Whether the key that stands for "free" is a member.
    has_free: bool,
}

/// Bytes for so many keys with nothing beside them: a third of the places stays free.
pub(crate) const fn bytes<K>(most: u64) -> u64 {
    places(most).saturating_mul(size_of::<K>() as u64)
}

/// Places for so many keys.
const fn places(most: u64) -> u64 {
    most + most / 2 + 1
}

/// Spreads a key over all numbers.
#[inline(always)]
pub(crate) fn hash<K: Key>(key: K) -> u64 {
    let wide = key.wide();
    let x = wide as u64 ^ ((wide >> 64) as u64).wrapping_mul(0xBB67_AE85_84CA_A73B);
    (x ^ x >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

impl<K: Key, const BESIDE: usize> Met<K, BESIDE> {
    /// Room for so many keys.
    pub(crate) fn new(most: usize) -> Met<K, BESIDE> {
        Met { places: Places::new(places(most as u64) as usize), has_free: false }
    }

    /// Where a key would like to be.
    #[inline(always)]
    pub(crate) fn place(&self, key: K) -> usize {
        self.place_of(hash(key))
    }

    /// Where a key of this hash would like to be: the larger the hash, the later.
    #[inline(always)]
    pub(crate) fn place_of(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.places.len() as u128) >> 64) as usize
    }

    /// How many places there are.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// How many bytes they take.
    pub(crate) fn bytes(&self) -> u64 {
        self.places.memory.len() as u64
    }

    /// Looks at a place.
    #[inline(always)]
    pub(crate) fn get(&self, place: usize) -> K {
        self.places.get(place)
    }

    /// Fetches a place from memory, without waiting for it.
    #[inline(always)]
    pub(crate) fn fetch(&self, place: usize) {
        self.places.fetch(place);
    }

    /// Where the key is, or could be put, and whether it is there.
    #[inline(always)]
    pub(crate) fn find(&self, key: K, mut at: usize) -> (usize, bool) {
        let free = free();
        if key == free {
            return (at, self.has_free);
        }
        loop {
            let there = self.get(at);
            if there == key || there == free {
                return (at, there == key);
            }
            at += 1;
            if at == self.places.len() {
                at = 0;
            }
        }
    }

    /// Whether a key is there, looked for from its place.
    #[inline(always)]
    pub(crate) fn contains(&self, key: K, place: usize) -> bool {
        self.find(key, place).1
    }

    /// Adds a key, looked for from its place.
    #[inline(always)]
    pub(crate) fn insert(&mut self, key: K, place: usize) {
        self.put(key, self.find(key, place).0);
    }

    /// Puts a key where it was found to belong.
    #[inline(always)]
    pub(crate) fn put(&mut self, key: K, at: usize) {
        match key == free() {
            true => self.has_free = true,
            false => self.places.set(at, key),
        }
    }

    /// The bytes beside a key that is not [`free`], 0 before they are written.
    #[inline(always)]
    pub(crate) fn beside(&self, place: usize) -> &[u8; BESIDE] {
        self.places.beside(place)
    }

    /// The same, to be written.
    #[inline(always)]
    pub(crate) fn beside_mut(&mut self, place: usize) -> &mut [u8; BESIDE] {
        self.places.beside_mut(place)
    }
}

/// Stands for "free": the bytes of fresh memory.
#[inline(always)]
pub(crate) fn free<K: Key>() -> K {
    K::join(0, 0, 0)
}

/// Keys on huge pages, each with so many bytes beside it, all 0 at first. They are looked up all over the memory, and with small
/// pages much of the time would go into finding the page (BENCHMARKS.md). They are read and written as bytes, which
/// costs nothing more and needs no promise to the compiler.
struct Places<K, const BESIDE: usize> {
    memory: MmapMut,
    count: usize,
    of: PhantomData<K>,
}

/// From here on huge pages are asked for.
const HUGE: usize = 2 << 20;

impl<K: Key, const BESIDE: usize> Places<K, BESIDE> {
    const SIZE: usize = size_of::<K>() + BESIDE;

    /// # Panics
    /// If there is not so much memory, as a vector does.
    fn new(count: usize) -> Places<K, BESIDE> {
        let bytes = count.checked_mul(Self::SIZE).expect("fewer than there are addresses");
        let memory = MmapMut::map_anon(bytes.max(1)).expect("there is memory");
        #[cfg(target_os = "linux")]
        if bytes >= HUGE {
            // A refusal costs speed, nothing else.
            let _ = memory.advise(memmap2::Advice::HugePage);
        }
        Places { memory, count, of: PhantomData }
    }

    #[inline(always)]
    fn len(&self) -> usize {
        self.count
    }

    #[inline(always)]
    fn get(&self, place: usize) -> K {
        let bytes = &self.memory[place * Self::SIZE..][..Self::SIZE];
        let word =
            |at: usize| bytes[at..].first_chunk().map_or(0, |word| u64::from_ne_bytes(*word));
        match K::BITS {
            64 => K::join(word(0), 0, 0),
            _ => K::join(word(0), word(8), 64),
        }
    }

    #[inline(always)]
    fn fetch(&self, place: usize) {
        fetch(&self.memory[place * Self::SIZE]);
    }

    #[inline(always)]
    fn set(&mut self, place: usize, key: K) {
        let wide = key.wide();
        let bytes = &mut self.memory[place * Self::SIZE..][..Self::SIZE];
        bytes[..8].copy_from_slice(&(wide as u64).to_ne_bytes());
        if K::BITS > 64 {
            bytes[8..16].copy_from_slice(&((wide >> 64) as u64).to_ne_bytes());
        }
    }

    #[inline(always)]
    fn beside(&self, place: usize) -> &[u8; BESIDE] {
        let bytes = &self.memory[place * Self::SIZE..][..Self::SIZE];
        bytes.last_chunk().expect("a place is as long")
    }

    #[inline(always)]
    fn beside_mut(&mut self, place: usize) -> &mut [u8; BESIDE] {
        let bytes = &mut self.memory[place * Self::SIZE..][..Self::SIZE];
        bytes.last_chunk_mut().expect("a place is as long")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn as_a_set<K: Key>(keys: &[K]) {
        let mut met: Met<K> = Met::new(keys.len());
        let mut set = HashSet::new();
        for &key in keys {
            let place = met.place(key);
            met.fetch(place);
            assert_eq!(met.contains(key, place), set.contains(&key), "{key:?}");
            met.insert(key, place);
            set.insert(key);
            assert!(met.contains(key, place), "{key:?}");
        }
    }

    #[test]
    fn it_is_a_set() {
        as_a_set::<u64>(&[0, u64::MAX, 0, 7, u64::MAX, 7, 8, 1 << 63, 8]);
        as_a_set::<u128>(&[0, u128::MAX, 0, u64::MAX.into(), 1 << 64, 1, 1 << 64, u128::MAX]);
        let keys: Vec<u64> = (0..4_000u64).map(|i| (i * i % 3331) << (i % 5)).collect();
        as_a_set(&keys);
    }
}
