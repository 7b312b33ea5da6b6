//! What can be said of the misere game without search.
//!
//! Who has only moves to the far row has lost, and otherwise those moves are left out. Beyond that
//! the game is one of waiting: the first who has no safe move left (one that does not arrive) loses.
//! Count them, for a side that plays on with its *passed* pieces only and never takes. A piece is
//! passed if no enemy piece is ahead of it: enemies only come nearer to their own far row, so none
//! can ever take it or stand in its way. Call the other side's pieces the waiters.
//!
//! - The passed pieces have at least as many safe moves as some order of one-row steps that we find,
//!   and nothing the waiters do can disturb it.
//! - Each safe move of the waiters adds at least one to the sum of their rows, which is at most
//!   that of as many pieces packed into the last safe rows, as none of them is taken.
//! - The waiters never run out of pieces, and with pieces they always have a move
//!   (`always_moves`: the foremost one has a taking step of one row, and no piece of its own is there).
//!   So they do not win by being unable to move.
//!
//! Hence a side whose passed pieces have more safe moves than the waiters (as many, if the
//! waiters are to move) wins.

use super::ThroughKnowledge;
use crate::stones::Stones;
use crate::through::{Move, PieceSteps, Through};
use zermelo_game::{Bits, Key, MoveList, Value};

/// The piece nearest to its far row.
#[inline(always)]
fn foremost(up: bool, pieces: u64) -> u64 {
    if up { 1 << (63 - pieces.leading_zeros()) } else { pieces & pieces.wrapping_neg() }
}

impl<S: PieceSteps, K: Key> ThroughKnowledge<S, K> {
    /// +1 if the player to move certainly wins, -1 if it certainly loses, 0 if nothing is known.
    /// Decides every position in which the game is over.
    #[inline(always)]
    pub(super) fn judge_misere(&self, rules: &Through<S, K>, up: bool, p: &Stones) -> Value {
        let far = rules.far[usize::from(up)];
        if p.you & rules.far[usize::from(!up)] != 0 {
            return 1;
        }
        if p.me & far != 0 {
            return -1;
        }
        let ends = rules.reach(up, p.me, p.you);
        if ends == 0 {
            return 1;
        }
        if ends & !far == 0 {
            return -1;
        }
        if self.always_moves && p.you != 0 {
            if self.outlasts(rules, up, p.me, p.you, 1) {
                return 1;
            }
            if self.outlasts(rules, !up, p.you, p.me, 0) {
                return -1;
            }
        }
        0
    }

    /// Whether `mine` have at least `extra` more safe moves that nobody can disturb than `yours` can
    /// ever make.
    #[inline(always)]
    fn outlasts(&self, rules: &Through<S, K>, up: bool, mine: u64, yours: u64, extra: u32) -> bool {
        let passed = rules.passed(up, mine, yours);
        if passed & !self.last_safe[usize::from(up)] == 0 {
            return false;
        }
        let need = self.room(rules, !up, yours) + extra;
        self.room(rules, up, passed) >= need && self.undisturbed(rules, up, passed) >= need
    }

    /// The next of the moves that nobody can disturb, where there are enough of them.
    #[inline(always)]
    pub(super) fn sure_misere(&self, rules: &Through<S, K>, up: bool, p: &Stones) -> Option<Move> {
        if !self.always_moves || p.you == 0 || !self.outlasts(rules, up, p.me, p.you, 1) {
            return None;
        }
        let passed = rules.passed(up, p.me, p.you);
        let last_safe = self.last_safe[usize::from(up)];
        let (mut left, mut settled) = (passed, 0);
        while left != 0 {
            let at = foremost(up, left);
            left ^= at;
            let next = if at & last_safe == 0 { rules.one_row(up, at, settled | left) } else { 0 };
            if next != 0 {
                let alone = Stones { me: at, ..*p };
                return rules.first_to(up, &alone, next & next.wrapping_neg());
            }
            settled |= at;
        }
        None
    }

    /// How many safe moves the pieces could make if nothing but want of room stopped them.
    #[inline(always)]
    fn room(&self, rules: &Through<S, K>, up: bool, pieces: u64) -> u32 {
        let (n, rows) = (pieces.count(), self.rows_of(pieces));
        let advanced = if up { rows } else { (rules.board.grid.rows() - 1) * n - rows };
        u32::from(self.packed[n as usize]) - advanced
    }

    /// A number of safe moves of one row that the pieces can make one after the other, the
    /// foremost first.
    #[inline(never)]
    fn undisturbed(&self, rules: &Through<S, K>, up: bool, pieces: u64) -> u32 {
        let (mut left, mut settled, mut moves) = (pieces, 0, 0);
        let last_safe = self.last_safe[usize::from(up)];
        while left != 0 {
            let mut at = foremost(up, left);
            left ^= at;
            while at & last_safe == 0 {
                let next = rules.one_row(up, at, settled | left);
                if next == 0 {
                    break;
                }
                at = next & next.wrapping_neg();
                moves += 1;
            }
            settled |= at;
        }
        moves
    }

    /// The moves to look at where [`judge_misere`](Self::judge_misere) says nothing: those that do
    /// not lose at once. Takes first, of pieces with the longest way
    /// left before all, then moves that leave the enemy few safe moves, stay out of its reach and
    /// use up few rows. The weights were found by experiment.
    #[inline(always)]
    pub(super) fn useful_misere(
        &self,
        rules: &Through<S, K>,
        up: bool,
        p: &Stones,
        out: &mut MoveList<Move>,
    ) {
        let far = rules.far[usize::from(up)];
        let advance = &self.advance[usize::from(up)];
        let attacked = rules.attacks(!up, p.you);
        rules.list(up, p, !far, out, |start, end, takes| {
            let (me, you) = (p.me ^ start | end, p.you & !end);
            let (mine, yours) = (rules.safe_moves(up, me, you), rules.safe_moves(!up, you, me));
            let row = i32::from(advance[end.lowest() as usize]);
            let rows = row - i32::from(advance[start.lowest() as usize]);
            let take = if takes { 32 + 6 * row } else { 0 };
            take + mine - 3 * yours - 2 * rows - 4 * i32::from(end & attacked != 0)
        });
    }
}

impl<S: PieceSteps, K: Key> Through<S, K> {
    /// Those of `mine` that none of `yours` is ahead of.
    #[inline(always)]
    fn passed(&self, up: bool, mine: u64, yours: u64) -> u64 {
        let cols = self.board.grid.cols();
        if up {
            let row = (63 - yours.leading_zeros()) / cols * cols;
            mine >> row << row
        } else {
            let row = yours.trailing_zeros() / cols * cols + cols;
            mine & !(u64::MAX << row)
        }
    }

    /// Where a piece can go by steps of one row, with these pieces in its way.
    #[inline(always)]
    fn one_row(&self, up: bool, at: u64, others: u64) -> u64 {
        let mut next = 0;
        for (i, step) in S::STEPS.iter().enumerate() {
            if step.rows == 1 {
                next |= self.shifted(up, at, i) & !others;
            }
        }
        next
    }

    /// The number of moves that do not arrive.
    #[inline(always)]
    fn safe_moves(&self, up: bool, me: u64, you: u64) -> i32 {
        let safe = !self.far[usize::from(up)];
        (0..S::STEPS.len()).map(|i| (self.ends(up, me, you, i) & safe).count() as i32).sum()
    }
}
