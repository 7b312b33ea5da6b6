//! What the walk of a claim with length keeps of each position that it has met: whether its visit is over, and then its
//! height, the plies of the longest play from there.
//!
//! Keys and heights lie side by side in a [`KeySet`]. The checker knows how many there will be and makes room for all of them at
//! once, which takes memory only as it is filled; the writer lets the map grow.

use crate::key_set::{KeySet, free};
use zermelo_game::Key;

/// Bytes for a height.
const HEIGHT: usize = 4;

/// A position that has been met.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Met {
    /// Its visit is not over.
    Open,
    /// The longest play from there has so many plies.
    Height(u32),
}

/// Positions that have been met, by their keys.
pub(crate) struct HeightMap<K> {
    keys: KeySet<K, HEIGHT>,
    /// What is kept of the key that stands for "free".
    of_free: [u8; HEIGHT],
    len: usize,
    most: usize,
}

impl<K: Key> HeightMap<K> {
    /// An empty map for so many positions; `None` if there is no memory for them.
    pub(crate) fn new(most: usize) -> Option<HeightMap<K>> {
        let keys = KeySet::new(most.max(1))?;
        Some(HeightMap { keys, of_free: [0; HEIGHT], len: 0, most: most.max(1) })
    }

    /// Bytes for so many positions.
    pub(crate) const fn bytes_for(most: u64) -> u64 {
        let place = (size_of::<K>() + HEIGHT) as u64;
        crate::key_set::bytes::<u8>(most).saturating_mul(place)
    }

    /// Bytes that it takes, and those of the copy that the next growth would need.
    pub(crate) fn bytes(&self) -> u64 {
        3 * self.keys.bytes()
    }

    /// Fetches what is known of a position from memory, without waiting for it.
    #[inline]
    pub(crate) fn fetch(&self, key: K) {
        self.keys.fetch(self.keys.place(key));
    }

    /// What is known of a position, if it has been met.
    #[inline]
    pub(crate) fn get(&self, key: K) -> Option<Met> {
        let (at, is_there) = self.keys.find(key, self.keys.place(key));
        let kept = is_there.then(|| match key == free() {
            true => self.of_free,
            false => *self.keys.tag(at),
        })?;
        Some(u32::from_le_bytes(kept).checked_sub(1).map_or(Met::Open, Met::Height))
    }

    /// The visit of a position begins that has not been met before. False if there is no memory for it.
    #[inline]
    pub(crate) fn open(&mut self, key: K) -> bool {
        if self.len == self.most && !self.grow() {
            return false;
        }
        self.len += 1;
        self.keys.insert(key, self.keys.place(key));
        true
    }

    /// The visit of a position is over.
    #[inline]
    pub(crate) fn close(&mut self, key: K, height: u32) {
        let (at, _) = self.keys.find(key, self.keys.place(key));
        let kept = height.saturating_add(1).to_le_bytes();
        match key == free() {
            true => self.of_free = kept,
            false => *self.keys.tag_mut(at) = kept,
        }
    }

    /// Doubles the number of positions that fit.
    #[cold]
    fn grow(&mut self) -> bool {
        let most = self.most.saturating_mul(2);
        let Some(mut larger) = KeySet::new(most) else { return false };
        for place in 0..self.keys.len() {
            let key = self.keys.get(place);
            if key != free() {
                let at = larger.find(key, larger.place(key)).0;
                larger.put(key, at);
                *larger.tag_mut(at) = *self.keys.tag(place);
            }
        }
        if self.keys.contains(free(), 0) {
            larger.put(free(), 0);
        }
        (self.keys, self.most) = (larger, most);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn it_keeps_what_it_was_told_while_it_grows() {
        let mut map = HeightMap::<u64>::new(2).unwrap();
        let mut truth = HashMap::new();
        for i in 0..20_000u64 {
            let key = (i * i % 33_331) << (i % 5);
            map.fetch(key);
            assert_eq!(map.get(key), truth.get(&key).copied(), "{key}");
            if !truth.contains_key(&key) {
                assert!(map.open(key));
                assert_eq!(map.get(key), Some(Met::Open), "{key}");
            }
            if i % 3 > 0 {
                map.close(key, i as u32);
                truth.insert(key, Met::Height(i as u32));
            } else {
                truth.entry(key).or_insert(Met::Open);
            }
            assert_eq!(map.get(key), Some(truth[&key]), "{key}");
        }
        assert!(truth.contains_key(&0) && truth.len() > 5_000);
        assert!(truth.iter().all(|(&key, &met)| map.get(key) == Some(met)));
        assert!(map.bytes() >= HeightMap::<u64>::bytes_for(truth.len() as u64));
    }
}
