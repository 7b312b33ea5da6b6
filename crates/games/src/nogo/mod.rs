//! NoGo: Go in which nobody may capture. Who cannot move loses.
//!
//! A point that is illegal for a player stays so. If a stone there would capture, it takes the last
//! liberty of a block that can grow nowhere else; if it would be suicide, all blocks around it have
//! no other liberty either, and none of them can ever get one. So both sides only ever lose points,
//! a point that is illegal for both stays empty for ever, and the blocks beside it are safe for ever.
//! [`endgame`] makes use of that.

pub mod endgame;
pub mod knowledge;
pub mod view;

use crate::blocks::{Liberties, dead};
use crate::registry::{Args, Entry, Visitor};
use crate::stones::{Board, MAX_CELLS, Stones, fits_u64};
use crate::symmetry::Symmetry;
use zermelo_game::{
    Bits, Bounds, Footprint, Game, Images, Key, MoveList, ParseError, Picture, Player, Style, Value,
};

/// The catalogue's line.
pub const ENTRY: Entry = Entry {
    name: "nogo",
    usage: "nogo ROWSxCOLS",
    example: "nogo 4x4",
    summary: "Go without captures; who cannot move loses",
};

/// Opens `nogo ROWSxCOLS`.
pub fn open<V: Visitor>(mut args: Args, visitor: V) -> Result<V::Output, ParseError> {
    let [rows, cols] = args.need_size(&size_usage("5x4"), fits)?;
    args.end(ENTRY.usage)?;
    Ok(if fits_u64(rows, cols) {
        visitor.visit(NoGo::<u64>::new(rows, cols))
    } else {
        visitor.visit(NoGo::<u128>::new(rows, cols))
    })
}

/// What a size must look like, for errors.
pub(crate) fn size_usage(example: &str) -> String {
    format!("ROWSxCOLS, up to {MAX_CELLS} cells, such as {example}")
}

/// Whether a board of stones has room for it.
pub(crate) fn fits([rows, cols]: [u32; 2]) -> bool {
    (1..=MAX_CELLS).contains(&rows.checked_mul(cols).unwrap_or(0))
}

/// NoGo on a board.
#[derive(Clone, Debug)]
pub struct NoGo<K> {
    board: Board<K>,
    symmetry: Symmetry,
    weights: knowledge::Weights,
}

impl<K: Key> NoGo<K> {
    /// The game on `rows` x `cols`.
    #[must_use]
    pub fn new(rows: u32, cols: u32) -> NoGo<K> {
        let board = Board::new(rows, cols);
        let symmetry = Symmetry::new(&board.grid);
        NoGo { weights: knowledge::Weights::new(&board.grid), board, symmetry }
    }

    /// The points on which the player to move may put a stone.
    #[inline]
    fn legal(&self, p: &Stones) -> u64 {
        let grid = &self.board.grid;
        let empty = grid.full() & !p.all();
        let [mine, yours] = [p.me, p.you].map(|stones| Liberties::of(grid, stones, empty));
        view::legal(grid, empty, mine, yours)[0]
    }
}

impl<K: Key> Game for NoGo<K> {
    type Position = Stones;
    type Move = u8;
    type Key = K;

    const SIFTED: bool = true;
    const NAMED_WINS: bool = true;

    fn name(&self) -> String {
        format!("nogo {}x{}", self.board.grid.rows(), self.board.grid.cols())
    }

    fn rules(&self) -> String {
        "The players put stones on empty points in turn. Stones of one colour that are linked along \
         the lines form a block; its liberties are the empty points beside it. A move may not take \
         the last liberty of any block, the opponent's (capture) or one's own (suicide). There is no \
         passing: who cannot move loses."
            .into()
    }

    fn start(&self) -> Stones {
        Stones::new(0, 0, Player::First)
    }

    fn turn(&self, p: &Stones) -> Player {
        p.turn
    }

    fn outcome(&self, p: &Stones) -> Option<Value> {
        (self.legal(p) == 0).then_some(-p.turn.sign())
    }

    fn moves(&self, p: &Stones, out: &mut MoveList<u8>) {
        self.legal(p).cells().for_each(|c| out.push(c as u8));
    }

    #[inline]
    fn expand(&self, p: &Stones, out: &mut MoveList<u8>) -> Option<Value> {
        let legal = self.legal(p);
        legal.cells().for_each(|c| out.push(c as u8));
        (legal == 0).then_some(-p.turn.sign())
    }

    #[inline]
    fn play(&self, p: &Stones, m: u8) -> Stones {
        Stones { me: p.me | 1 << m, ..*p }.swapped()
    }

    fn key(&self, p: &Stones) -> K {
        self.board.key(p)
    }

    #[inline]
    fn class(&self, p: &Stones) -> K {
        self.board.key(&self.symmetry.canonical(p))
    }

    #[inline]
    fn code_here(&self, p: &Stones, class: K, code: usize) -> Option<usize> {
        match self.board.key(p) == class {
            true => Some(code),
            false => self.symmetry.cell_before(p, code as u32).map(|cell| cell as usize),
        }
    }

    fn key_bits(&self) -> u32 {
        self.board.key_bits()
    }

    fn code(&self, m: u8) -> usize {
        m.into()
    }

    fn codes(&self) -> usize {
        self.board.grid.cells() as usize
    }

    fn move_text(&self, _: &Stones, m: u8) -> String {
        self.board.grid.cell_name(m.into())
    }

    fn position_text(&self, p: &Stones) -> String {
        self.board.text(p)
    }

    fn parse_position(&self, text: &str) -> Result<Stones, ParseError> {
        let p = self.board.parse(text)?;
        let dead = |stones| dead(&self.board.grid, stones, self.board.grid.full() & !p.all());
        match self.board.first_in_text(dead(p.me) | dead(p.you)) {
            Some(at) => {
                let expected = "a block with a liberty: nothing is ever captured";
                Err(ParseError::new("position", text, at, expected))
            }
            None => Ok(p),
        }
    }

    fn picture(&self, p: &Stones) -> Picture {
        self.board.picture(p, Style::Crossings)
    }

    fn footprint(&self, _: &Stones, m: u8) -> Option<Footprint> {
        Some(Footprint::at(m.into()))
    }

    fn images(&self, p: &Stones) -> Images<Stones> {
        self.symmetry.images(p)
    }

    #[inline]
    fn canonical(&self, p: &Stones) -> Stones {
        self.symmetry.canonical(p)
    }

    #[inline]
    fn static_bounds(&self, p: &Stones) -> Bounds {
        knowledge::bounds(&self.board.grid, p)
    }

    #[inline]
    fn sure_move(&self, p: &Stones, _: Value) -> Option<u8> {
        knowledge::sure(&self.board.grid, p)
    }

    #[inline]
    fn relevant(&self, p: &Stones, out: &mut MoveList<u8>) -> Value {
        knowledge::relevant(&self.board.grid, &self.weights, p, out)
    }

    /// So many moves have to fail, and those that stand late in the order mostly take more (df-pn takes a
    /// half to a third of the nodes; counted liberties or points of one's own add nothing).
    #[inline]
    fn leaf_numbers(&self, p: &Stones, place: u32) -> Option<(u32, u32)> {
        Some((1, self.legal(p).count() + 2 * place))
    }

    fn plies_left(&self, p: &Stones) -> u32 {
        (self.board.grid.full() & !p.all()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_game::conformance;

    #[test]
    fn conforms() {
        for (rows, cols) in [(1, 1), (1, 2), (2, 3), (3, 3), (4, 4), (5, 4), (3, 7)] {
            conformance::check(&NoGo::<u64>::new(rows, cols));
        }
        conformance::check(&NoGo::<u128>::new(7, 9));
    }

    #[test]
    fn knowledge_agrees_with_minimax() {
        let mut compared = 0;
        for rows in 1..=4 {
            for cols in rows..=7 {
                let games = if rows * cols < 10 { 60 } else { 250 };
                compared += crate::truth::compare(&NoGo::<u64>::new(rows, cols), games, 9);
            }
        }
        compared += crate::truth::compare(&NoGo::<u64>::new(5, 5), 1000, 9);
        assert!(compared > 25_000, "{compared}");
    }

    #[test]
    fn neither_capture_nor_suicide() {
        let game = NoGo::<u64>::new(3, 3);
        for (text, moves) in [
            // b1 would capture a1 for second and is suicide for first.
            (".../oo./x.o first", "a3 b3 c3 c2"),
            (".../oo./x.o second", "a3 b3 c3 c2"),
            // An own block with a second liberty makes b1 legal.
            ("o../xx./x.o second", "b3 c3 c2 b1"),
        ] {
            let p = game.parse_position(text).unwrap();
            let mut list = MoveList::new();
            game.moves(&p, &mut list);
            let mut got: Vec<String> = list.iter().map(|m| game.move_text(&p, m)).collect();
            let mut want: Vec<&str> = moves.split(' ').collect();
            got.sort();
            want.sort();
            assert_eq!(got, want, "{text}");
        }
    }

    #[test]
    fn positions_that_cannot_be() {
        let game = NoGo::<u64>::new(3, 3);
        for (text, column) in [("xo./o../... first", 1), ("xo./xo./xo. second", 1), ("... ", 4)] {
            let error = game.parse_position(text).unwrap_err();
            assert_eq!(error.column(), column, "{text}: {error}");
        }
    }
}
