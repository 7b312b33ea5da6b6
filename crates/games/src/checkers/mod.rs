//! Checkers (English draughts) on even boards of up to 8x8.
//!
//! A position is kept as the player to move sees it: its men go down the board, towards larger square
//! numbers, whoever it is. So the rules are written for one side, and a move ends with turning the board.

pub mod board;
mod evaluate;
mod index;
mod knowledge;
mod neighbours;
mod notation;
#[cfg(test)]
mod tests;

pub use index::Slice;
pub use knowledge::CheckersKnowledge;

use crate::registry::Visitor;
use arrayvec::ArrayVec;
use board::{Board, DIRECTIONS};
use zermelo_game::{Args, GameEntry, MoveList, ParseError, Player, Rules, Value};

/// The catalogue's line.
pub const ENTRY: GameEntry = GameEntry {
    name: "checkers",
    usage: "checkers [ROWSxCOLS]",
    example: "checkers 8x8",
    summary: "English draughts: men and kings jump diagonally, captures are forced",
    help: "ROWSxCOLS is the board; without it, the usual one of 8x8.",
};

/// Reads the words after the name.
pub(crate) fn read(mut args: Args) -> Result<Checkers, ParseError> {
    let usage = "ROWSxCOLS, both 4, 6 or 8, such as 8x8";
    let fits = |size: [u32; 2]| size.iter().all(|n| n.is_multiple_of(2) && (4..=8).contains(n));
    let [rows, cols] = args.size(usage, fits)?.unwrap_or([8, 8]);
    args.end(ENTRY.usage)?;
    Ok(Checkers::new(rows, cols))
}

/// Opens `checkers [ROWSxCOLS]`.
pub fn open<V: Visitor>(args: Args, visitor: V) -> Result<V::Output, ParseError> {
    Ok(visitor.visit_numbered(read(args)?, CheckersKnowledge))
}

/// The pieces, as the player to move sees them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// The pieces of the player to move.
    pub own: u32,
    /// The pieces of the other player.
    pub other: u32,
    /// Those of both that are kings.
    pub kings: u32,
    /// Whose turn it is.
    pub turn: Player,
}

/// A move, as the player who makes it sees the board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    /// The pieces that are taken.
    pub taken: u32,
    /// The square it starts from.
    pub from: u8,
    /// The square it ends on.
    pub to: u8,
    /// How many moves with the same start and end, but other pieces taken, stand before it in the list.
    nth: u8,
}

/// The most moves with the same start and end. A capturing king stands on one of eight squares that nine
/// diagonals join, each with an enemy piece at most: two rings of four with one diagonal in common,
/// and two loose ends. At most four sets of diagonals lead from a square to another that is a dead end.
const ALIKE: usize = 8;

/// The squares of a capturing move, the start first.
type Path = ArrayVec<u8, 12>;

/// Checkers.
#[derive(Clone, Debug)]
pub struct Checkers {
    board: Board,
    index: index::Index,
}

impl Checkers {
    /// The game on `rows` x `cols`.
    ///
    /// # Panics
    /// If one of them is odd, less than 4 or more than 8.
    #[must_use]
    pub fn new(rows: u32, cols: u32) -> Checkers {
        let board = Board::new(rows, cols);
        Checkers { board, index: index::Index::new(&board) }
    }

    /// Whether the player to move can take a piece, and so must.
    #[must_use]
    #[inline(always)]
    pub fn can_take(&self, p: &Position) -> bool {
        let (b, empty) = (&self.board, self.board.all & !(p.own | p.other));
        let kings = p.own & p.kings;
        let jump = |pieces: u32, d| b.step(b.step(pieces, d) & p.other, d) & empty;
        jump(p.own, 0) | jump(p.own, 1) | jump(kings, 2) | jump(kings, 3) != 0
    }

    /// Whether it can make a move that takes nothing, if that were allowed.
    #[inline(always)]
    fn can_step(&self, p: &Position) -> bool {
        let (b, empty) = (&self.board, self.board.all & !(p.own | p.other));
        let kings = p.own & p.kings;
        let to = b.step(p.own, 0) | b.step(p.own, 1) | b.step(kings, 2) | b.step(kings, 3);
        to & empty != 0
    }

    /// Hands every way to take pieces to `found`, with the pieces taken: the same pieces may be taken
    /// by several paths.
    fn takes(&self, p: &Position, mut found: impl FnMut(&Path, u32)) {
        let (b, mut path) = (&self.board, Path::new());
        let (free, kings) = (b.all & !(p.own | p.other), p.own & p.kings);
        let from = |pieces: u32, d: usize| b.step(b.step(free, 3 - d) & p.other, 3 - d) & pieces;
        let mut pieces = from(p.own, 0) | from(p.own, 1) | from(kings, 2) | from(kings, 3);
        while pieces != 0 {
            let piece = pieces & pieces.wrapping_neg();
            pieces ^= piece;
            path.clear();
            path.push(piece.trailing_zeros() as u8);
            self.jump(piece, p.kings & piece != 0, p.other, free | piece, 0, &mut path, &mut found);
        }
    }

    /// Goes on jumping with a piece. Pieces that it has taken are no longer among `others`, nor are their
    /// squares empty: no jump ends on one, as jumps by two rows and columns never change the parity of either.
    #[expect(clippy::too_many_arguments)]
    fn jump(
        &self,
        piece: u32,
        king: bool,
        others: u32,
        empty: u32,
        taken: u32,
        path: &mut Path,
        found: &mut impl FnMut(&Path, u32),
    ) {
        let b = &self.board;
        let mut ends = true;
        for &d in if king { &DIRECTIONS[..] } else { &DIRECTIONS[..2] } {
            let over = b.step(piece, d) & others;
            let to = b.step(over, d) & empty;
            if to == 0 {
                continue;
            }
            ends = false;
            path.push(to.trailing_zeros() as u8);
            let crowned = !king && to & b.far != 0;
            if crowned {
                found(path, taken | over);
            } else {
                self.jump(to, king, others ^ over, empty, taken | over, path, found);
            }
            path.pop();
        }
        if ends && taken != 0 {
            found(path, taken);
        }
    }

    /// Adds the moves that take.
    fn list_takes(&self, p: &Position, out: &mut MoveList<Move>) {
        self.takes(p, |path, taken| {
            let (from, to) = (path[0], path[path.len() - 1]);
            let alike = || out.iter().filter(|m| (m.from, m.to) == (from, to));
            if !alike().any(|m| m.taken == taken) {
                let nth = alike().count() as u8;
                out.push(Move { taken, from, to, nth });
            }
        });
    }

    /// Adds the moves that take nothing.
    #[inline(always)]
    fn list_steps(&self, p: &Position, out: &mut MoveList<Move>) {
        let (b, empty) = (&self.board, self.board.all & !(p.own | p.other));
        for d in DIRECTIONS {
            let pieces = if d < 2 { p.own } else { p.own & p.kings };
            let mut to = b.step(pieces, d) & empty;
            while to != 0 {
                let end = to & to.wrapping_neg();
                to ^= end;
                let start = b.step(end, 3 - d).trailing_zeros() as u8;
                let end = end.trailing_zeros() as u8;
                out.push(Move { taken: 0, from: start, to: end, nth: 0 });
            }
        }
    }

    /// The position as the other player sees it, who is to move now.
    #[inline(always)]
    fn handed_over(&self, own: u32, other: u32, kings: u32, turn: Player) -> Position {
        let b = &self.board;
        Position {
            own: b.turned(other),
            other: b.turned(own),
            kings: b.turned(kings),
            turn: turn.other(),
        }
    }

    /// The pieces of first and second and all kings, as the first player sees them.
    fn absolute(&self, p: &Position) -> [u32; 3] {
        match p.turn {
            Player::First => [p.own, p.other, p.kings],
            Player::Second => [p.other, p.own, p.kings].map(|set| self.board.turned(set)),
        }
    }

    /// A square of the player to move, as the first player sees it.
    fn absolute_square(&self, turn: Player, square: u8) -> u32 {
        match turn {
            Player::First => square.into(),
            Player::Second => self.board.turned(1 << square).trailing_zeros(),
        }
    }
}

impl Rules for Checkers {
    type Position = Position;
    type Move = Move;
    type Key = u128;

    const CYCLIC: bool = true;

    fn start(&self) -> Position {
        let rows = (self.board.rows - 2) / 2;
        let own = (0..rows).fold(0, |set, row| set | self.board.near << (4 * row));
        Position { own, other: self.board.turned(own), kings: 0, turn: Player::First }
    }

    #[inline(always)]
    fn turn(&self, p: &Position) -> Player {
        p.turn
    }

    #[inline]
    fn outcome(&self, p: &Position) -> Option<Value> {
        (!self.can_step(p) && !self.can_take(p)).then_some(-p.turn.sign())
    }

    #[inline]
    fn moves(&self, p: &Position, out: &mut MoveList<Move>) {
        if self.can_take(p) {
            self.list_takes(p, out);
        } else {
            self.list_steps(p, out);
        }
    }

    #[inline]
    fn play(&self, p: &Position, m: Move) -> Position {
        let (from, to) = (1 << m.from, 1 << m.to);
        let own = p.own ^ from | to;
        let king = p.kings & from != 0 || to & self.board.far != 0;
        let kings = p.kings & !(from | m.taken) | if king { to } else { 0 };
        self.handed_over(own, p.other & !m.taken, kings, p.turn)
    }

    #[inline]
    fn key(&self, p: &Position) -> u128 {
        let n = self.board.squares();
        let [own, other, kings] =
            [p.own, p.other, p.kings].map(|set| u128::from(self.board.squeezed(set)));
        own | other << n | kings << (2 * n) | (p.turn.index() as u128) << (3 * n)
    }

    #[inline]
    fn code(&self, m: Move) -> usize {
        usize::from(m.nth) << 10 | usize::from(m.from) << 5 | usize::from(m.to)
    }

    fn codes(&self) -> usize {
        ALIKE << 10
    }

    fn key_bits(&self) -> u32 {
        3 * self.board.squares() + 1
    }
}
