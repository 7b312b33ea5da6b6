//! Lines of play in which no board may come back.
//!
//! In games with [`Game::SUPERKO`] the legal moves hang on the line that led to a position. The position
//! stays a small value; the boards of the line are kept in a [`History`], and whoever plays, counts or
//! searches asks it. In all other games a history is empty and allows everything.

use crate::{Bounds, Game, MoveList, Player, Value};

/// The boards of a line of play, the present one last.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct History {
    boards: Vec<u64>,
}

impl History {
    /// The history of a position that comes without one: its own board and, where the position tells
    /// it, the board before.
    #[must_use]
    pub fn of<G: Game>(game: &G, p: &G::Position) -> History {
        let mut history = History::default();
        if G::SUPERKO {
            history.boards.extend(game.board_before(p));
            history.boards.push(game.board(p));
        }
        history
    }

    /// A line that has made these boards, the present one last.
    #[must_use]
    pub fn from_boards(boards: &[u64]) -> History {
        History { boards: boards.to_vec() }
    }

    /// Whether the line may go on from `p`, its last position, to `next`: the board is the same (as
    /// after a pass) or has not stood before.
    #[must_use]
    pub fn allows<G: Game>(&self, game: &G, p: &G::Position, next: &G::Position) -> bool {
        if !G::SUPERKO {
            return true;
        }
        let board = game.board(next);
        board == game.board(p) || !self.boards.contains(&board)
    }

    /// Adds the legal moves of `p`, the last position of the line; none if the game is over.
    pub fn moves<G: Game>(&self, game: &G, p: &G::Position, out: &mut MoveList<G::Move>) {
        if game.outcome(p).is_some() {
            return;
        }
        if !G::SUPERKO {
            return game.moves(p, out);
        }
        let mut list = MoveList::new();
        game.moves(p, &mut list);
        list.iter().filter(|&m| self.allows(game, p, &game.play(p, m))).for_each(|m| out.push(m));
    }

    /// The line goes on to `p`.
    pub fn push<G: Game>(&mut self, game: &G, p: &G::Position) {
        if G::SUPERKO {
            self.boards.push(game.board(p));
        }
    }

    /// Takes the last [`push`](Self::push) back.
    pub fn pop(&mut self) {
        self.boards.pop();
    }

    /// What is known of `p`, the last position of the line, without search: the players' claims
    /// where this history does not speak against them, else what always holds.
    #[must_use]
    pub fn bounds<G: Game>(&self, game: &G, p: &G::Position) -> Bounds {
        let always = game.static_bounds(p);
        if !G::SUPERKO {
            return always;
        }
        let claimed = |player: Player| {
            let Claim { value, guard } = game.claim(p, player);
            let met = self.boards.iter().any(|&board| guard.meets(stones(board, player)));
            if met { always.seen_by(player).lo } else { value }
        };
        Bounds { lo: claimed(Player::First), hi: -claimed(Player::Second) }
    }

    /// The boards, oldest first.
    #[must_use]
    pub fn boards(&self) -> &[u64] {
        &self.boards
    }
}

/// The stones of one player on a [`Game::board`].
#[must_use]
#[inline(always)]
pub const fn stones(board: u64, player: Player) -> u32 {
    match player {
        Player::First => board as u32,
        Player::Second => (board >> 32) as u32,
    }
}

/// Boards that a claim about the future could run into: those on which the claimant has all stones of
/// `all` and at least one of `any`. The claim holds where no such board is in the history.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Guard {
    /// Stones that every board in question has.
    pub all: u32,
    /// Stones of which every board in question has one; empty if the claim holds always.
    pub any: u32,
}

impl Guard {
    /// Whether a board with these stones of the claimant speaks against the claim.
    #[must_use]
    #[inline(always)]
    pub const fn meets(self, stones: u32) -> bool {
        stones & self.all == self.all && stones & self.any != 0
    }
}

/// What a player gets at least, unless the history speaks against it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The value for the claimant.
    pub value: Value,
    /// The boards that speak against it.
    pub guard: Guard,
}
