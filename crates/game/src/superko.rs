//! Games in which no board may be repeated (positional superko), and the boards of a line of play.
//!
//! There the legal moves depend on the line that led to a position. The position stays a small value; the boards of the
//! line are kept in a [`History`], and whoever plays, counts or searches asks it. In all other games a history is empty and
//! allows everything.

use crate::{Bits, Bounds, Game, Knowledge, MoveList, Player, Rules, Value};
use std::fmt;

/// Rules by which no board may be repeated, whoever was to move: a move that changes the board to one that stood earlier in the
/// line is forbidden. [`Rules::moves`] lists such moves all the same, as a position does not know its line; [`History`]
/// does. One listed move leaves the board as it is (a pass), so that a player is never without a move.
///
/// A board has the type of keys, as what holds a position holds its board.
///
/// A row of the catalogue enables it.
pub trait Superko: Rules<Key: Bits> {
    /// The board without turn and the like: what must not be repeated. The stones of the first player in the low half of the
    /// bits, those of the second in the high half.
    fn board(&self, p: &Self::Position) -> Self::Key;

    /// The board before this one, where the position tells it. Without it: a position by itself has no
    /// past.
    fn board_before(&self, p: &Self::Position) -> Option<Self::Key> {
        let _ = p;
        None
    }
}

/// Knowledge about a game under [`Superko`].
pub trait SuperkoKnowledge<R: Superko>: Knowledge<R> {
    /// What a player gets at least from here, without search: true unless a board of the history meets
    /// the guard. Without it: what [`static_bounds`](Knowledge::static_bounds) says, which must hold after
    /// every history.
    #[inline]
    fn claim(&self, rules: &R, p: &R::Position, claimant: Player) -> GuardedClaim<R::Key> {
        let value = self.static_bounds(rules, p).seen_by(claimant).lo;
        GuardedClaim { value, guard: Guard::NONE }
    }

    /// The canonical position, and the number of the symmetry that leads to it, by which
    /// [`map_board`](Self::map_board) maps boards. Without it: no symmetry is used.
    #[inline]
    fn canonical_with_transform(&self, rules: &R, p: &R::Position) -> (R::Position, u8) {
        let _ = rules;
        (*p, 0)
    }

    /// The same board for all images of a board: that of the canonical position.
    #[inline]
    fn canonical_board(&self, rules: &R, board: R::Key) -> R::Key {
        let _ = rules;
        board
    }

    /// The image of a board, or of two sets of points in its halves, under a symmetry named by
    /// [`canonical_with_transform`](Self::canonical_with_transform), or under its inverse.
    #[inline]
    fn map_board(&self, rules: &R, board: R::Key, symmetry: u8, inverse: bool) -> R::Key {
        let _ = (rules, symmetry, inverse);
        board
    }
}

impl<R: Superko> SuperkoKnowledge<R> for () {}

impl<R: Superko, K: SuperkoKnowledge<R>> Game<'_, R, K> {
    /// See [`SuperkoKnowledge::claim`].
    #[must_use]
    #[inline(always)]
    pub fn claim(&self, p: &R::Position, claimant: Player) -> GuardedClaim<R::Key> {
        self.knowledge().claim(self.rules(), p, claimant)
    }

    /// See [`SuperkoKnowledge::canonical_with_transform`].
    #[must_use]
    #[inline(always)]
    pub fn canonical_with_transform(&self, p: &R::Position) -> (R::Position, u8) {
        self.knowledge().canonical_with_transform(self.rules(), p)
    }

    /// See [`SuperkoKnowledge::canonical_board`].
    #[must_use]
    #[inline(always)]
    pub fn canonical_board(&self, board: R::Key) -> R::Key {
        self.knowledge().canonical_board(self.rules(), board)
    }

    /// See [`SuperkoKnowledge::map_board`].
    #[must_use]
    #[inline(always)]
    pub fn map_board(&self, board: R::Key, symmetry: u8, inverse: bool) -> R::Key {
        self.knowledge().map_board(self.rules(), board, symmetry, inverse)
    }

    /// What is known of `p`, the last position of a line, without search: the players' claims
    /// where the history does not speak against them.
    #[must_use]
    pub fn bounds_after(&self, history: &History<R>, p: &R::Position) -> Bounds {
        let always = self.static_bounds(p);
        let claimed = |player: Player| {
            let GuardedClaim { value, guard } = self.claim(p, player);
            let met = history.boards.iter().any(|&board| guard.meets(stones(board, player)));
            if met { always.seen_by(player).lo } else { value }
        };
        Bounds { lo: claimed(Player::First), hi: -claimed(Player::Second) }
    }
}

/// [`Superko`] as a value: what a row of the catalogue records, and what those use who do not know at compile time whether
/// boards may be repeated. The only implementation is [`BySuperko`].
pub trait Boards<R: Rules>: Sync {
    /// See [`Superko::board`].
    fn board(&self, rules: &R, p: &R::Position) -> R::Key;
    /// See [`Superko::board_before`].
    fn board_before(&self, rules: &R, p: &R::Position) -> Option<R::Key>;
}

/// The boards of rules that implement [`Superko`].
pub struct BySuperko;

impl<R: Superko> Boards<R> for BySuperko {
    fn board(&self, rules: &R, p: &R::Position) -> R::Key {
        rules.board(p)
    }

    fn board_before(&self, rules: &R, p: &R::Position) -> Option<R::Key> {
        rules.board_before(p)
    }
}

/// Which boards must not be repeated; `None` where any may.
pub type SuperkoRule<R> = Option<&'static dyn Boards<R>>;

/// The boards of a line of play, the present one last.
pub struct History<R: Rules> {
    superko: SuperkoRule<R>,
    boards: Vec<R::Key>,
}

impl<R: Rules> History<R> {
    /// For games in which boards may be repeated: it allows everything.
    #[must_use]
    pub fn free() -> History<R> {
        History { superko: None, boards: Vec::new() }
    }

    /// The history of a position that comes without one: its own board and, where the position tells
    /// it, the board before.
    #[must_use]
    pub fn of(rules: &R, superko: SuperkoRule<R>, p: &R::Position) -> History<R> {
        let mut boards = Vec::new();
        if let Some(superko) = superko {
            boards.extend(superko.board_before(rules, p));
            boards.push(superko.board(rules, p));
        }
        History { superko, boards }
    }

    /// A line that has made these boards, the present one last.
    #[must_use]
    pub fn from_boards(superko: SuperkoRule<R>, boards: &[R::Key]) -> History<R> {
        History { superko, boards: boards.to_vec() }
    }

    /// Which boards must not be repeated.
    #[must_use]
    pub fn rule(&self) -> SuperkoRule<R> {
        self.superko
    }

    /// Whether the line may go on from `p`, its last position, to `next`: the board is the same (as
    /// after a pass) or has not stood before.
    #[must_use]
    pub fn allows(&self, rules: &R, p: &R::Position, next: &R::Position) -> bool {
        let Some(superko) = self.superko else { return true };
        let board = superko.board(rules, next);
        board == superko.board(rules, p) || !self.boards.contains(&board)
    }

    /// Adds the legal moves of `p`, the last position of the line; none if the game is over.
    pub fn moves(&self, rules: &R, p: &R::Position, out: &mut MoveList<R::Move>) {
        if rules.outcome(p).is_some() {
            return;
        }
        if self.superko.is_none() {
            return rules.moves(p, out);
        }
        let mut list = MoveList::new();
        rules.moves(p, &mut list);
        let allowed = list.iter().filter(|&m| self.allows(rules, p, &rules.play(p, m)));
        allowed.for_each(|m| out.push(m));
    }

    /// The line goes on to `p`.
    #[inline]
    pub fn push(&mut self, rules: &R, p: &R::Position) {
        if let Some(superko) = self.superko {
            self.boards.push(superko.board(rules, p));
        }
    }

    /// Takes the last [`push`](Self::push) back.
    #[inline]
    pub fn pop(&mut self) {
        self.boards.pop();
    }

    /// The boards, oldest first.
    #[must_use]
    pub fn boards(&self) -> &[R::Key] {
        &self.boards
    }
}

impl<R: Rules> Clone for History<R> {
    fn clone(&self) -> Self {
        History { superko: self.superko, boards: self.boards.clone() }
    }
}

impl<R: Rules> PartialEq for History<R> {
    fn eq(&self, other: &Self) -> bool {
        self.boards == other.boards
    }
}

impl<R: Rules> Eq for History<R> {}

impl<R: Rules> fmt::Debug for History<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("History").field(&self.boards).finish()
    }
}

/// The stones of one player on a [`Superko::board`], as points from the lowest bit on.
#[must_use]
#[inline(always)]
pub fn stones<B: Bits>(board: B, player: Player) -> B {
    match player {
        Player::First => board & B::first(B::CELLS / 2),
        Player::Second => board >> (B::CELLS / 2),
    }
}

/// Boards that a claim about the future could run into: those on which the claimant has all stones of
/// `all` and at least one of `any`. The claim holds where no such board is in the history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Guard<B> {
    /// Stones that every board in question has.
    pub all: B,
    /// Stones of which every board in question has one; empty if the claim holds always.
    pub any: B,
}

impl<B: Bits> Guard<B> {
    /// That of a claim that holds always.
    pub const NONE: Guard<B> = Guard { all: B::EMPTY, any: B::EMPTY };

    /// Whether a board with these stones of the claimant speaks against the claim.
    #[must_use]
    #[inline(always)]
    pub fn meets(self, stones: B) -> bool {
        stones & self.all == self.all && !(stones & self.any).is_empty()
    }
}

/// What a player gets at least, unless the history speaks against it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GuardedClaim<B> {
    /// The value for the claimant.
    pub value: Value,
    /// The boards that speak against it.
    pub guard: Guard<B>,
}
