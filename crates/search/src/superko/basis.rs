//! What a proof rests on, where boards must not be repeated.
//!
//! A proof shows that one player, the *claimant*, gets at least so much from a position `P` after a
//! history `H`. It is a tree: one move at each position where the claimant is to move, all moves that
//! `H` and the line below `P` allow where the opponent is. After another history `H'` the same tree is a
//! proof if
//!
//! 1. no move *of the claimant* in it makes a board of `H'`: then all of them are still legal (boards of
//!    the line below `P` are the same as before);
//! 2. every move of the opponent that is missing in it because a board of `H` forbade it is forbidden by
//!    `H'` too: then the tree still answers all of the opponent's moves (it may answer more than that).
//!
//! So a [`SuperkoBasis`] has two sides. It remembers boards that the claimant makes, in a way that may take
//! other boards for one of them but never misses one: a box (stones that all of them have), a filter of
//! hashes, and the guard of what was claimed without search. And it remembers the boards above `P`
//! that the proof *needs*, exactly; `P`'s own board and what lies below stand in every history.
//!
//! Symmetry: `P`, `H` and the proof may be mapped together. Box, guard and needed boards are mapped
//! between the frame of the line and that of the table. The hashes are those of boards in their
//! canonical form, the same for all images, and need no mapping.

use zermelo_game::superko::stones;
use zermelo_game::{Bits, Game, Guard, Player, Superko, SuperkoKnowledge};

/// Needed boards that are remembered; a proof that needs more is never kept.
pub const NEEDS: usize = 2;

/// What a proof of one claimant rests on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SuperkoBasis<B> {
    /// Stones that all boards made by the claimant have: all ones if there is no such board.
    common: B,
    /// A filter of their hashes.
    filter: [u64; 2],
    /// The guard of claims without search, merged: boards with all of the low half and one of the high
    /// half among the claimant's stones.
    guard: B,
    /// The boards it needs, empty ones where there are fewer (nobody needs the empty board: see [`SuperkoBasis::need`]).
    needs: [B; NEEDS],
    /// Whether it needs more boards than there is room for.
    crowded: bool,
}

/// A board of the line of play, as the tests need it.
#[derive(Clone, Copy, Debug)]
pub struct LineBoard<B> {
    /// The board.
    pub board: B,
    /// The hash of its canonical form.
    pub hash: u64,
}

/// The low half of a board.
#[inline(always)]
fn low_half<B: Bits>() -> B {
    B::first(B::CELLS / 2)
}

impl<B: Bits> SuperkoBasis<B> {
    /// Of a proof in which the claimant makes no board and nothing is forbidden.
    #[inline(always)]
    pub fn free() -> SuperkoBasis<B> {
        SuperkoBasis {
            common: !B::EMPTY,
            filter: [0; 2],
            guard: low_half(),
            needs: [B::EMPTY; NEEDS],
            crowded: false,
        }
    }

    /// Of a claim without search.
    pub fn of_guard(guard: Guard<B>) -> SuperkoBasis<B> {
        if guard.any.is_empty() {
            return SuperkoBasis::free();
        }
        SuperkoBasis { guard: guard.all | guard.any << (B::CELLS / 2), ..SuperkoBasis::free() }
    }

    /// The claimant makes this board.
    #[inline]
    pub fn make(&mut self, made: LineBoard<B>) {
        self.common &= made.board;
        let [a, b] = bits(made.hash);
        self.filter[0] |= a;
        self.filter[1] |= b;
    }

    /// A move of the opponent is forbidden by this board. The empty board is not made by any move, so
    /// it forbids nothing.
    #[inline]
    pub fn need(&mut self, board: B) {
        if self.crowded || self.needs.contains(&board) {
            return;
        }
        match self.needs.iter_mut().find(|n| n.is_empty()) {
            Some(free) => *free = board,
            None => self.crowded = true,
        }
    }

    /// Adds what another part of the same proof rests on.
    #[inline]
    pub fn add(&mut self, other: &SuperkoBasis<B>) {
        self.common &= other.common;
        self.filter[0] |= other.filter[0];
        self.filter[1] |= other.filter[1];
        let (all, any) = (self.guard & other.guard, self.guard | other.guard);
        self.guard = all & low_half() | any & !low_half::<B>();
        for board in other.needs() {
            self.need(board);
        }
        self.crowded |= other.crowded;
    }

    /// Forgets needed boards that `stands` says of that they stand whatever the history.
    #[inline]
    pub fn settle(&mut self, stands: impl Fn(B) -> bool) {
        for n in &mut self.needs {
            if !n.is_empty() && stands(*n) {
                *n = B::EMPTY;
            }
        }
    }

    /// Forgets all needed boards: none of them lies above.
    #[inline]
    pub fn settle_all(&mut self) {
        self.needs = [B::EMPTY; NEEDS];
        self.crowded = false;
    }

    /// The needed boards.
    pub fn needs(&self) -> impl Iterator<Item = B> + '_ {
        self.needs.iter().copied().filter(|b| !b.is_empty())
    }

    /// Whether the proof needs no board above.
    #[inline]
    pub fn is_free(&self) -> bool {
        !self.crowded && self.needs == [B::EMPTY; NEEDS]
    }

    /// Whether it can be kept for other histories.
    #[inline]
    pub fn can_be_kept(&self) -> bool {
        !self.crowded
    }

    /// Whether a move of the claimant may make this board of the history.
    #[inline]
    pub fn meets(&self, seen: &LineBoard<B>, claimant: Player) -> bool {
        let made = seen.board & self.common == self.common && {
            let [a, b] = bits(seen.hash);
            self.filter[0] & a != 0 && self.filter[1] & b != 0
        };
        let guard = Guard {
            all: stones(self.guard, Player::First),
            any: stones(self.guard, Player::Second),
        };
        made || guard.meets(stones(seen.board, claimant))
    }

    /// The same in the frame that a symmetry leads to, or back.
    #[inline]
    pub fn mapped<R: Superko<Key = B>, K: SuperkoKnowledge<R>>(
        &self,
        game: Game<R, K>,
        symmetry: u8,
        inverse: bool,
    ) -> SuperkoBasis<B> {
        let map = |x: B| if x.is_empty() { x } else { game.map_board(x, symmetry, inverse) };
        let common = if self.common == !B::EMPTY { self.common } else { map(self.common) };
        let guard = if self.guard == low_half() { self.guard } else { map(self.guard) };
        SuperkoBasis { common, guard, needs: self.needs.map(map), ..*self }
    }
}

/// The filter's bits of a hash.
#[inline(always)]
fn bits(hash: u64) -> [u64; 2] {
    [1 << (hash >> 58), 1 << (hash >> 52 & 63)]
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use zermelo_game::{Key, Wide};

    /// A board with these stones of the first and of the second player.
    fn pair<B: Bits>(first: u64, second: u64) -> B {
        B::of(first) | B::of(second) << (B::CELLS / 2)
    }

    fn seen<B: Bits>(board: B) -> LineBoard<B> {
        let hash = (0..B::WORDS).fold(0, |hash, i| (hash ^ board.word(i)).mix(64));
        LineBoard { board, hash }
    }

    fn misses_no_board_that_was_made<B: Bits>() {
        let mut basis = SuperkoBasis::free();
        let random = |i: u64| i.mix(64);
        let made: Vec<LineBoard<B>> =
            (1..200).map(|i| seen(pair(random(i) >> 32 | 5, random(i) & 0xFFFF_FFFF))).collect();
        assert!(!made.iter().any(|m| basis.meets(m, Player::First)));
        for m in &made {
            basis.make(*m);
        }
        assert!(made.iter().all(|m| basis.meets(m, Player::First)));
        let two = seen(pair(2, 0));
        assert!(!basis.meets(&two, Player::First), "all that were made have stones 0 and 2");
        let mut sum = SuperkoBasis::of_guard(Guard { all: B::of(0b11), any: B::of(0b100) });
        let three = seen(pair(0b111, 0));
        assert!(!sum.meets(&seen(pair(0b11, 0)), Player::First));
        assert!(sum.meets(&three, Player::First) && !sum.meets(&three, Player::Second));
        assert!(sum.meets(&seen(pair(0, 0b111)), Player::Second));
        sum.add(&basis);
        assert!(made.iter().chain([&three]).all(|m| sum.meets(m, Player::First)));
    }

    #[test]
    fn no_board_that_was_made_is_missed() {
        misses_no_board_that_was_made::<u64>();
        misses_no_board_that_was_made::<Wide<12>>();
    }

    fn has_exact_needs<B: Bits>() {
        let board = |n: u64| pair::<B>(n, n + 1);
        let mut basis = SuperkoBasis::free();
        [7, 9, 7].into_iter().for_each(|n| basis.need(board(n)));
        assert!(!basis.is_free() && basis.can_be_kept());
        basis.settle(|b| b == board(7));
        assert_eq!(basis.needs().collect::<Vec<_>>(), [board(9)]);
        (20..30).for_each(|n| basis.need(board(n)));
        basis.settle(|_| true);
        assert!(!basis.can_be_kept() && !basis.is_free(), "it has lost count");
        basis.settle_all();
        assert_eq!(basis, SuperkoBasis::free());
    }

    #[test]
    fn needs_are_exact() {
        has_exact_needs::<u64>();
        has_exact_needs::<Wide<12>>();
    }
}
