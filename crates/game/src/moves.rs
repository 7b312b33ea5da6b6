//! Move lists: arrays on the stack as long as they are short, each move with a score for ordering.

use crate::inline::InlineVec;

/// So many moves fit into a list on the stack; positions that have more cost an allocation.
pub const INLINE_MOVES: usize = 256;

/// The most moves a position may have: trees count them in 16 bits.
pub const MAX_MOVES: usize = u16::MAX as usize;

/// A move and how promising it looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scored<M> {
    /// The move.
    pub mv: M,
    /// Larger is tried earlier. Solvers break ties by what they have learned; a score of 0
    /// everywhere leaves the order to them.
    pub score: i32,
}

/// The moves of a position. Allocates nothing for up to [`INLINE_MOVES`].
#[derive(Clone, Debug)]
pub struct MoveList<M> {
    items: InlineVec<Scored<M>, INLINE_MOVES>,
}

impl<M: Copy> MoveList<M> {
    /// An empty list.
    #[must_use]
    #[inline]
    pub fn new() -> Self {
        MoveList { items: InlineVec::new() }
    }

    /// Adds a move without an opinion on it.
    #[inline]
    pub fn push(&mut self, mv: M) {
        self.push_scored(mv, 0);
    }

    /// Adds a move with an opinion: larger is tried earlier.
    #[inline]
    pub fn push_scored(&mut self, mv: M, score: i32) {
        self.items.push(Scored { mv, score });
    }

    /// Forgets the moves.
    #[inline]
    pub fn clear(&mut self) {
        self.items.clear();
    }

    /// Gives every move another score: what `score` makes of it and of the one it has.
    #[inline]
    pub fn rescore(&mut self, mut score: impl FnMut(M, i32) -> i32) {
        self.items.iter_mut().for_each(|s| s.score = score(s.mv, s.score));
    }

    /// Puts the most promising first; equal ones stay in the order in which they were added.
    #[inline]
    pub fn sort(&mut self) {
        sort_by_score(&mut self.items, |s| s.score);
    }

    /// How many there are.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is none.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The moves, in the order in which they were added.
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = M> + DoubleEndedIterator + '_ {
        self.items.iter().map(|s| s.mv)
    }

    /// The moves with their scores.
    #[must_use]
    #[inline]
    pub fn scored(&self) -> &[Scored<M>] {
        &self.items
    }
}

impl<M: Copy> Default for MoveList<M> {
    fn default() -> Self {
        Self::new()
    }
}

/// Puts the highest scores first; equal ones keep their order. Lists of moves are short and often in order already, and
/// the library's sort is much code for each of many types.
#[inline]
pub fn sort_by_score<T: Copy>(items: &mut [T], score: impl Fn(&T) -> i32) {
    for i in 1..items.len() {
        let (item, mut at) = (items[i], i);
        let own = score(&item);
        while at > 0 && score(&items[at - 1]) < own {
            items[at] = items[at - 1];
            at -= 1;
        }
        items[at] = item;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_first_and_equal_ones_in_order() {
        let mut items = [(3, 0), (1, 1), (3, 2), (7, 3), (-2, 4), (7, 5), (1, 6)];
        sort_by_score(&mut items, |item| item.0);
        assert_eq!(items, [(7, 3), (7, 5), (3, 0), (3, 2), (1, 1), (1, 6), (-2, 4)]);
        sort_by_score(&mut items[..0], |item| item.0);
    }
}
