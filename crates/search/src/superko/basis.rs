//! What a proof rests on, where boards may not come back.
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
//! So a [`Basis`] has two sides. It remembers boards that the claimant makes, in a way that may take
//! other boards for one of them but never misses one: a box (stones that all of them have), a filter of
//! hashes, and the guard of what was claimed without search. And it remembers the boards above `P`
//! that the proof *needs*, exactly; `P`'s own board and what lies below stand in every history.
//!
//! Symmetry: `P`, `H` and the proof may be mapped together. Box, guard and needed boards are mapped
//! between the frame of the line and that of the table. The hashes are those of boards in their
//! canonical form, the same for all images, and need no mapping.

use zermelo_game::superko::stones;
use zermelo_game::{Game, Guard, Player};

/// Needed boards that are remembered; a proof that needs more is never kept.
pub const NEEDS: usize = 2;

/// What a proof of one claimant rests on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Basis {
    /// Stones that all boards made by the claimant have: all ones if there is no such board.
    common: u64,
    /// A filter of their hashes.
    filter: [u64; 2],
    /// The guard of claims without search, merged: boards with all of the low half and one of the high
    /// half among the claimant's stones.
    guard: u64,
    /// The boards it needs, 0 where there are fewer (nobody needs the empty board: see [`Basis::need`]).
    needs: [u64; NEEDS],
    /// Whether it needs more boards than there is room for.
    crowded: bool,
}

/// A board of the line of play, as the tests need it.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// The board.
    pub board: u64,
    /// The hash of its canonical form.
    pub hash: u64,
}

impl Basis {
    /// Of a proof in which the claimant makes no board and nothing is forbidden.
    pub const FREE: Basis =
        Basis { common: !0, filter: [0; 2], guard: 0xFFFF_FFFF, needs: [0; NEEDS], crowded: false };

    /// Of a claim without search.
    pub fn of_guard(guard: Guard) -> Basis {
        if guard.any == 0 {
            return Basis::FREE;
        }
        Basis { guard: u64::from(guard.all) | u64::from(guard.any) << 32, ..Basis::FREE }
    }

    /// The claimant makes this board.
    #[inline]
    pub fn make(&mut self, made: Seen) {
        self.common &= made.board;
        let [a, b] = bits(made.hash);
        self.filter[0] |= a;
        self.filter[1] |= b;
    }

    /// A move of the opponent is forbidden by this board. The empty board is not made by any move, so
    /// it forbids nothing.
    #[inline]
    pub fn need(&mut self, board: u64) {
        if self.crowded || self.needs.contains(&board) {
            return;
        }
        match self.needs.iter_mut().find(|n| **n == 0) {
            Some(free) => *free = board,
            None => self.crowded = true,
        }
    }

    /// Adds what another part of the same proof rests on.
    #[inline]
    pub fn add(&mut self, other: &Basis) {
        self.common &= other.common;
        self.filter[0] |= other.filter[0];
        self.filter[1] |= other.filter[1];
        let (all, any) = (self.guard & other.guard & 0xFFFF_FFFF, (self.guard | other.guard) >> 32);
        self.guard = all | any << 32;
        for &board in other.needs.iter().filter(|b| **b != 0) {
            self.need(board);
        }
        self.crowded |= other.crowded;
    }

    /// Forgets needed boards that `stands` says of that they stand whatever the history.
    #[inline]
    pub fn settle(&mut self, stands: impl Fn(u64) -> bool) {
        for n in &mut self.needs {
            if *n != 0 && stands(*n) {
                *n = 0;
            }
        }
    }

    /// Forgets all needed boards: none of them lies above.
    #[inline]
    pub fn settle_all(&mut self) {
        self.needs = [0; NEEDS];
        self.crowded = false;
    }

    /// The needed boards.
    pub fn needs(&self) -> impl Iterator<Item = u64> + '_ {
        self.needs.iter().copied().filter(|b| *b != 0)
    }

    /// Whether the proof needs no board above.
    #[inline]
    pub fn is_free(&self) -> bool {
        !self.crowded && self.needs == [0; NEEDS]
    }

    /// Whether it can be kept for other histories.
    #[inline]
    pub fn can_be_kept(&self) -> bool {
        !self.crowded
    }

    /// Whether a move of the claimant may make this board of the history.
    #[inline]
    pub fn meets(&self, seen: &Seen, claimant: Player) -> bool {
        let made = seen.board & self.common == self.common && {
            let [a, b] = bits(seen.hash);
            self.filter[0] & a != 0 && self.filter[1] & b != 0
        };
        let guard = Guard { all: self.guard as u32, any: (self.guard >> 32) as u32 };
        made || guard.meets(stones(seen.board, claimant))
    }

    /// The same in the frame that a symmetry leads to, or back.
    #[inline]
    pub fn mapped<G: Game>(&self, game: &G, symmetry: u8, inverse: bool) -> Basis {
        let map = |x: u64| if x == 0 { 0 } else { game.mapped(x, symmetry, inverse) };
        let common = if self.common == !0 { !0 } else { map(self.common) };
        let guard = if self.guard == 0xFFFF_FFFF { self.guard } else { map(self.guard) };
        Basis { common, guard, needs: self.needs.map(map), ..*self }
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
    use zermelo_game::Key;

    fn seen(board: u64) -> Seen {
        Seen { board, hash: board.mix(64) }
    }

    #[test]
    fn no_board_that_was_made_is_missed() {
        let mut basis = Basis::FREE;
        let made: Vec<Seen> = (1..200u64).map(|i| seen(i.mix(64) | 5)).collect();
        assert!(!made.iter().any(|m| basis.meets(m, Player::First)));
        for m in &made {
            basis.make(*m);
        }
        assert!(made.iter().all(|m| basis.meets(m, Player::First)));
        assert!(!basis.meets(&seen(2), Player::First), "all that were made have stones 0 and 2");
        let mut sum = Basis::of_guard(Guard { all: 0b11, any: 0b100 });
        assert!(!sum.meets(&seen(0b11), Player::First) && sum.meets(&seen(0b111), Player::First));
        assert!(!sum.meets(&seen(0b111), Player::Second));
        sum.add(&basis);
        assert!(made.iter().chain([&seen(0b111)]).all(|m| sum.meets(m, Player::First)));
    }

    #[test]
    fn needs_are_exact() {
        let mut basis = Basis::FREE;
        [7, 9, 7].into_iter().for_each(|b| basis.need(b));
        assert!(!basis.is_free() && basis.can_be_kept());
        basis.settle(|b| b == 7);
        assert_eq!(basis.needs().collect::<Vec<_>>(), [9]);
        (20..30).for_each(|b| basis.need(b));
        basis.settle(|_| true);
        assert!(!basis.can_be_kept() && !basis.is_free(), "it has lost count");
        basis.settle_all();
        assert_eq!(basis, Basis::FREE);
    }
}
