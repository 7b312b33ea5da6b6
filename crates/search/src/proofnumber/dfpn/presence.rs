//! Where the threads of a search are, so that they keep apart.
//!
//! Now and then each thread writes the line in which it stands to a board of its own, and the others read it at the
//! nodes that they have in common. Nothing is counted up and down at every node, and nobody writes where others do:
//! what a board says of deep nodes is out of date soon, and nobody stays there for long; near the root, where
//! threads stay for long, it is seldom written, so that reading it costs nothing.
//!
//! Boards only steer the search; no result rests on what they say.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use zermelo_game::Key;

/// Threads keep apart down to this ply.
const PLIES: usize = 64;

/// The line of a thread, on cache lines of its own: a word for each position, 0 for none.
#[repr(align(128))]
pub struct ThreadPath([AtomicU64; PLIES]);

impl ThreadPath {
    /// A thread that has not begun.
    pub fn new() -> ThreadPath {
        ThreadPath([const { AtomicU64::new(0) }; PLIES])
    }

    /// Writes down a line. What stays as it was is not written, and remains in the caches of others.
    pub fn write<K: Key>(&self, line: impl Iterator<Item = K>) {
        for (place, word) in self.0.iter().zip(line.map(word).chain([0])) {
            if place.load(Relaxed) != word {
                place.store(word, Relaxed);
            }
        }
    }

    /// Whether this is where a line goes on from a position at a ply; if so, the word of the position that follows.
    #[inline(always)]
    pub fn after(&self, ply: usize, position: u64) -> Option<u64> {
        let next = self.0.get(ply + 1)?;
        (self.0[ply].load(Relaxed) == position).then(|| next.load(Relaxed))
    }
}

/// The word of a position. Two may share one, which does no harm.
#[inline(always)]
pub fn word<K: Key>(key: K) -> u64 {
    let wide = key.digest();
    (wide as u64 ^ (wide >> 64) as u64).wrapping_add(1)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_board_tells_the_line() {
        let board = ThreadPath::new();
        board.write([7u64, 8, 9].into_iter());
        assert_eq!(board.after(0, word(7u64)), Some(word(8u64)));
        assert_eq!(board.after(1, word(8u64)), Some(word(9u64)));
        assert_eq!(board.after(1, word(7u64)), None);
        assert_eq!(board.after(2, word(9u64)), Some(0));
        board.write([7u64].into_iter());
        assert_eq!(board.after(0, word(7u64)), Some(0));
        board.write(0..1000u64);
        assert_eq!(board.after(PLIES - 1, word(PLIES as u64 - 1)), None);
    }
}
