//! The positions that a walk has met: a hash set of keys whose largest size is known from the start.
//!
//! Keys lie in one array, each at the place that its hash names or in the first free one after it (linear
//! probing). A walk has the places of all replies to a move fetched from memory ([`KeySet::fetch`]) before it looks at the first.
//!
//! The writer of a proof does not know how many there will be, and has to tell what the block at hand has met from what
//! earlier blocks have proved: `visited_map.rs` is for that.

use memmap2::MmapMut;
use std::marker::PhantomData;
use zermelo_game::{Key, fetch};

/// A set of keys, each with a tag of so many bytes.
pub(crate) struct KeySet<K, const TAG: usize = 0> {
    places: Places<K, TAG>,
    /// Whether the key that stands for "free" is a member.
    has_free: bool,
}

/// Bytes for so many keys without tags: a third of the places stays free.
pub(crate) const fn bytes<K>(most: u64) -> u64 {
    places(most).saturating_mul(size_of::<K>() as u64)
}

/// Places for so many keys.
const fn places(most: u64) -> u64 {
    most.saturating_add(most / 2 + 1)
}

/// Spreads a key over all numbers.
#[inline(always)]
pub(crate) fn hash<K: Key>(key: K) -> u64 {
    let wide = key.digest();
    let x = wide as u64 ^ ((wide >> 64) as u64).wrapping_mul(0xBB67_AE85_84CA_A73B);
    (x ^ x >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

impl<K: Key, const TAG: usize> KeySet<K, TAG> {
    /// An empty set for so many keys; `None` if there is no memory for them.
    pub(crate) fn new(most: usize) -> Option<KeySet<K, TAG>> {
        let count = usize::try_from(places(most as u64)).ok()?;
        Some(KeySet { places: Places::new(count)?, has_free: false })
    }

    /// The place that a key's hash names.
    #[inline(always)]
    pub(crate) fn place(&self, key: K) -> usize {
        self.place_of(hash(key))
    }

    /// The place that a hash names: the larger the hash, the later.
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

    /// The key at a place, or [`free`].
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

    /// Puts a key at the place where [`find`](Self::find) says that it belongs.
    #[inline(always)]
    pub(crate) fn put(&mut self, key: K, at: usize) {
        match key == free() {
            true => self.has_free = true,
            false => self.places.set(at, key),
        }
    }

    /// The tag of a key that is not [`free`], 0 before it is written.
    #[inline(always)]
    pub(crate) fn tag(&self, place: usize) -> &[u8; TAG] {
        self.places.tag(place)
    }

    /// The same, to be written.
    #[inline(always)]
    pub(crate) fn tag_mut(&mut self, place: usize) -> &mut [u8; TAG] {
        self.places.tag_mut(place)
    }
}

/// Stands for "free": the bytes of fresh memory.
#[inline(always)]
pub(crate) fn free<K: Key>() -> K {
    K::of(0)
}

/// Keys on huge pages, each with a tag of so many bytes, all 0 at first. They are looked up all over the memory, and with small
/// pages much of the time would go into finding the page (BENCHMARKS.md). They are read and written as bytes, which
/// costs nothing more and needs no promise to the compiler.
struct Places<K, const TAG: usize> {
    memory: MmapMut,
    count: usize,
    of: PhantomData<K>,
}

/// From here on huge pages are asked for.
const HUGE: usize = 2 << 20;

impl<K: Key, const TAG: usize> Places<K, TAG> {
    const SIZE: usize = size_of::<K>() + TAG;

    /// `None` if there is not so much memory.
    fn new(count: usize) -> Option<Places<K, TAG>> {
        let bytes = count.checked_mul(Self::SIZE)?;
        let memory = MmapMut::map_anon(bytes.max(1)).ok()?;
        #[cfg(target_os = "linux")]
        if bytes >= HUGE {
            // A refusal costs speed, nothing else.
            let _ = memory.advise(memmap2::Advice::HugePage);
        }
        Some(Places { memory, count, of: PhantomData })
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
        K::from_words(|i| word(8 * i))
    }

    #[inline(always)]
    fn fetch(&self, place: usize) {
        fetch(&self.memory[place * Self::SIZE]);
    }

    #[inline(always)]
    fn set(&mut self, place: usize, key: K) {
        let bytes = &mut self.memory[place * Self::SIZE..][..Self::SIZE];
        for (i, word) in bytes[..8 * K::WORDS].as_chunks_mut().0.iter_mut().enumerate() {
            *word = key.word(i).to_ne_bytes();
        }
    }

    #[inline(always)]
    fn tag(&self, place: usize) -> &[u8; TAG] {
        let bytes = &self.memory[place * Self::SIZE..][..Self::SIZE];
        bytes.last_chunk().expect("a place is as long")
    }

    #[inline(always)]
    fn tag_mut(&mut self, place: usize) -> &mut [u8; TAG] {
        let bytes = &mut self.memory[place * Self::SIZE..][..Self::SIZE];
        bytes.last_chunk_mut().expect("a place is as long")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use zermelo_game::{Wide, Words};

    fn behaves_like_a_set<K: Key>(keys: &[K]) {
        let mut set: KeySet<K> = KeySet::new(keys.len()).unwrap();
        let mut model = HashSet::new();
        for &key in keys {
            let place = set.place(key);
            set.fetch(place);
            assert_eq!(set.contains(key, place), model.contains(&key), "{key:?}");
            set.insert(key, place);
            model.insert(key);
            assert!(set.contains(key, place), "{key:?}");
        }
    }

    #[test]
    fn it_is_a_set() {
        behaves_like_a_set::<u64>(&[0, u64::MAX, 0, 7, u64::MAX, 7, 8, 1 << 63, 8]);
        behaves_like_a_set::<u128>(&[
            0,
            u128::MAX,
            0,
            u64::MAX.into(),
            1 << 64,
            1,
            1 << 64,
            u128::MAX,
        ]);
        behaves_like_a_set::<Wide<3>>(&[
            Wide([0, 0, 0]),
            Wide([u64::MAX; 3]),
            Wide([0, 0, 1]),
            Wide([0, 0, 0]),
            Wide([1, 0, 0]),
            Wide([0, 0, 1]),
            Wide([0, 1, 0]),
        ]);
        let keys: Vec<u64> = (0..4_000u64).map(|i| (i * i % 3331) << (i % 5)).collect();
        behaves_like_a_set(&keys);
        for at in [0, 100, 500] {
            let long: Vec<Wide<9>> = keys.iter().map(|&key| Wide::of(key) << at).collect();
            behaves_like_a_set(&long);
        }
    }
}
