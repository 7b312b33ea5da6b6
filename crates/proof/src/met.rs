//! The positions that a walk has met: a set of keys of which the largest size is known from the start.
//!
//! Keys lie in one array, each at the place that its hash names or in the first free one after it (linear
//! probing). A walk asks for all replies to a move at once, and [`Met::touch`] lets it fetch their places
//! from memory side by side before it looks at the first.
//!
//! Who writes a proof does not know how much there will be: [`Growing`] is a set that takes a larger array when it is full,
//! [`Shelves`] many of those, so that one at a time is copied and memory for all keys twice is never needed.

use zermelo_game::Key;

/// A set of keys.
pub(crate) struct Met<K> {
    places: Vec<K>,
    /// Stands for "free"; if it is a member, `has_free` says so.
    free: K,
    has_free: bool,
}

/// Bytes for so many keys: a third of the places stays free.
pub(crate) const fn bytes<K>(most: u64) -> u64 {
    (most + most / 2 + 1).saturating_mul(size_of::<K>() as u64)
}

impl<K: Key> Met<K> {
    /// Room for so many keys.
    pub(crate) fn new(most: usize) -> Met<K> {
        let free = K::join(u64::MAX, u64::MAX, 64 % K::BITS);
        Met { places: vec![free; most + most / 2 + 1], free, has_free: false }
    }

    /// Where a key would like to be.
    #[inline(always)]
    pub(crate) fn place(&self, key: K) -> usize {
        let wide = key.wide();
        let x = wide as u64 ^ ((wide >> 64) as u64).wrapping_mul(0xBB67_AE85_84CA_A73B);
        let hash = (x ^ x >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        ((u128::from(hash) * self.places.len() as u128) >> 64) as usize
    }

    /// Looks at places for nothing but to have them at hand: nothing waits for one before the next.
    #[inline(always)]
    pub(crate) fn touch(&self, places: impl Iterator<Item = usize>) {
        std::hint::black_box(places.map(|place| self.places[place]).max());
    }

    /// Where the key is, or could be put.
    #[inline(always)]
    fn find(&self, key: K, mut at: usize) -> usize {
        loop {
            let there = self.places[at];
            if there == key || there == self.free {
                return at;
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
        if key == self.free {
            return self.has_free;
        }
        self.places[self.find(key, place)] == key
    }

    /// Adds a key.
    #[inline(always)]
    pub(crate) fn insert(&mut self, key: K, place: usize) {
        if key == self.free {
            self.has_free = true;
            return;
        }
        let at = self.find(key, place);
        self.places[at] = key;
    }
}

/// A set of keys that grows.
pub(crate) struct Growing<K> {
    set: Met<K>,
    len: usize,
    most: usize,
}

impl<K: Key> Growing<K> {
    /// An empty set that has room for so many keys.
    pub(crate) fn new(most: usize) -> Growing<K> {
        Growing { set: Met::new(most), len: 0, most }
    }

    /// How many keys there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The set as it is, to look keys up.
    #[inline(always)]
    pub(crate) fn set(&self) -> &Met<K> {
        &self.set
    }

    /// Adds a key that is not there.
    #[inline(always)]
    pub(crate) fn insert(&mut self, key: K) {
        if self.len == self.most {
            self.grow();
        }
        self.set.insert(key, self.set.place(key));
        self.len += 1;
    }

    #[cold]
    fn grow(&mut self) {
        self.most += self.most / 2 + 8;
        let old = std::mem::replace(&mut self.set, Met::new(self.most));
        for &key in old.places.iter().filter(|&&key| key != old.free) {
            self.set.insert(key, self.set.place(key));
        }
        self.set.has_free = old.has_free;
    }

    fn bytes(&self) -> u64 {
        bytes::<K>(self.most as u64)
    }
}

/// Many sets of keys, each small enough to be filled near at hand.
pub(crate) struct Shelves<K> {
    /// None as long as there is no key.
    shelves: Vec<Growing<K>>,
    bytes: u64,
}

/// How many.
pub(crate) const SHELVES: usize = 1 << 9;

/// Where a key lies: the set, and its place there.
pub(crate) type Spot = (usize, usize);

impl<K: Key> Shelves<K> {
    /// Empty sets.
    pub(crate) fn new() -> Shelves<K> {
        Shelves { shelves: Vec::new(), bytes: 0 }
    }

    /// The set of a key.
    #[inline(always)]
    pub(crate) fn shelf(key: K) -> usize {
        key.mix(K::BITS).split(K::BITS - SHELVES.ilog2()).0
    }

    /// Whether there is no key.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.shelves.is_empty()
    }

    /// Adds keys of one set that are not there.
    pub(crate) fn insert(&mut self, shelf: usize, keys: impl Iterator<Item = K>) {
        if self.shelves.is_empty() {
            self.shelves = (0..SHELVES).map(|_| Growing::new(0)).collect();
        }
        let shelf = &mut self.shelves[shelf];
        let before = shelf.bytes();
        keys.for_each(|key| shelf.insert(key));
        self.bytes += shelf.bytes() - before;
    }

    /// Where a key would be; there must be keys.
    #[inline(always)]
    pub(crate) fn spot(&self, key: K) -> Spot {
        let shelf = Self::shelf(key);
        (shelf, self.shelves[shelf].set.place(key))
    }

    /// Looks at spots for nothing but to have them at hand, as [`Met::touch`] does.
    #[inline(always)]
    pub(crate) fn touch(&self, spots: impl Iterator<Item = Spot>) {
        std::hint::black_box(spots.map(|(s, at)| self.shelves[s].set.places[at]).max());
    }

    /// Whether a key is there, looked for from its spot.
    #[inline(always)]
    pub(crate) fn contains_at(&self, key: K, (shelf, place): Spot) -> bool {
        self.shelves[shelf].set.contains(key, place)
    }

    /// Whether a key is there.
    #[inline(always)]
    pub(crate) fn contains(&self, key: K) -> bool {
        !self.is_empty() && self.contains_at(key, self.spot(key))
    }

    /// Bytes of all sets, and of the copy of one that is growing.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes + 2 * self.bytes / SHELVES as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn as_a_set<K: Key>(keys: &[K]) {
        let mut met = Met::new(keys.len());
        let mut set = HashSet::new();
        for &key in keys {
            let place = met.place(key);
            met.touch([place].into_iter());
            assert_eq!(met.contains(key, place), set.contains(&key), "{key:?}");
            met.insert(key, place);
            set.insert(key);
            assert!(met.contains(key, place), "{key:?}");
        }
        let (mut growing, mut shelves) = (Growing::new(0), Shelves::new());
        for (i, &key) in keys.iter().enumerate() {
            let new = !keys[..i].contains(&key);
            let set = growing.set();
            assert_eq!(set.contains(key, set.place(key)), !new, "{key:?}");
            assert_eq!(shelves.contains(key), !new, "{key:?}");
            if new {
                growing.insert(key);
                shelves.insert(Shelves::shelf(key), [key].into_iter());
            }
        }
        assert!(shelves.bytes() >= (set.len() * size_of::<K>()) as u64);
    }

    #[test]
    fn it_is_a_set() {
        as_a_set::<u64>(&[0, u64::MAX, 0, 7, u64::MAX, 7, 8, 1 << 63, 8]);
        as_a_set::<u128>(&[0, u128::MAX, 0, u64::MAX.into(), 1 << 64, 1, 1 << 64, u128::MAX]);
        let keys: Vec<u64> = (0..4_000u64).map(|i| (i * i % 3331) << (i % 5)).collect();
        as_a_set(&keys);
    }
}
