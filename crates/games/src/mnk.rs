//! (m,n,k) games: k in a row on a board of m x n; tic-tac-toe is (3,3,3).
//!
//! A win is one in which the player who has just moved completes a line, so only the opponent's
//! stones need a look. A player who can complete a line does so; a player facing two such cells of
//! the opponent has lost, facing one must take it: those rules settle most lines two plies early.

use crate::registry::{Args, Entry, Visitor};
use crate::stones::{Board, MAX_CELLS, Stones, fits_u64};
use zermelo_game::{
    Bits, Bounds, Footprint, Game, Images, Key, MoveList, ParseError, Picture, Player, Style, Value,
};

/// The catalogue's line for tic-tac-toe.
pub const TICTACTOE: Entry = Entry {
    name: "tictactoe",
    usage: "tictactoe",
    example: "tictactoe",
    summary: "three in a row on three by three",
};

/// The catalogue's line for (m,n,k) games.
pub const MNK: Entry = Entry {
    name: "mnk",
    usage: "mnk ROWSxCOLSxLINE",
    example: "mnk 5x6x4",
    summary: "the first with so many in a row wins; a full board is a draw",
};

/// Opens `tictactoe`.
pub fn open_tictactoe<V: Visitor>(args: Args, visitor: V) -> Result<V::Output, ParseError> {
    args.end(TICTACTOE.usage)?;
    Ok(visitor.visit(Mnk::<u64>::new(3, 3, 3)))
}

/// Opens `mnk ROWSxCOLSxLINE`.
pub fn open<V: Visitor>(mut args: Args, visitor: V) -> Result<V::Output, ParseError> {
    let usage = format!("ROWSxCOLSxLINE, up to {MAX_CELLS} cells, such as 5x6x4");
    let fits = |[rows, cols, line]: [u32; 3]| {
        let cells = rows.checked_mul(cols).unwrap_or(0);
        (1..=MAX_CELLS).contains(&cells) && line >= 1
    };
    let [rows, cols, line] = args.need_size(&usage, fits)?;
    args.end(MNK.usage)?;
    Ok(if fits_u64(rows, cols) {
        visitor.visit(Mnk::<u64>::new(rows, cols, line))
    } else {
        visitor.visit(Mnk::<u128>::new(rows, cols, line))
    })
}

/// An (m,n,k) game.
#[derive(Clone, Debug)]
pub struct Mnk<K> {
    board: Board<K>,
    line: u32,
    /// For each of the four directions: the step between cells, and the cells from which a step in
    /// that direction stays on the board.
    rays: [(u32, u64); 4],
}

impl<K: Key> Mnk<K> {
    /// The game of `line` in a row on `rows` x `cols`.
    #[must_use]
    pub fn new(rows: u32, cols: u32, line: u32) -> Mnk<K> {
        let board = Board::new(rows, cols);
        let g = &board.grid;
        let (right, up, left) = (!g.col(cols - 1), !g.row(rows - 1), !g.col(0));
        let full = g.full();
        let rays = [
            (1, full & right),
            (cols, full & up),
            (cols + 1, full & up & right),
            (cols - 1, full & up & left),
        ];
        Mnk { board, line, rays }
    }

    /// Whether these stones hold a line.
    fn has_line(&self, stones: u64) -> bool {
        self.rays.iter().any(|&(step, from)| {
            let linked = stones & from & (stones >> step);
            let mut run = stones;
            for _ in 1..self.line {
                run = linked & (run >> step);
            }
            run != 0
        })
    }

    /// The empty cells on which these stones would complete a line.
    fn completions(&self, stones: u64, empty: u64) -> u64 {
        empty.cells().filter(|&c| self.has_line(stones | u64::cell(c))).fold(0, |s, c| s | 1 << c)
    }
}

impl<K: Key> Game for Mnk<K> {
    type Position = Stones;
    type Move = u8;
    type Key = K;

    fn name(&self) -> String {
        let g = &self.board.grid;
        if (g.rows(), g.cols(), self.line) == (3, 3, 3) {
            return "tictactoe".into();
        }
        format!("mnk {}x{}x{}", g.rows(), g.cols(), self.line)
    }

    fn rules(&self) -> String {
        format!(
            "The players put stones on empty cells in turn. Who first has {} or more in a row \
             (across, up or diagonally) wins; a full board without such a line is a draw.",
            self.line
        )
    }

    fn start(&self) -> Stones {
        Stones::new(0, 0, Player::First)
    }

    fn turn(&self, p: &Stones) -> Player {
        p.turn
    }

    fn outcome(&self, p: &Stones) -> Option<Value> {
        if self.has_line(p.you) {
            Some(-p.turn.sign())
        } else {
            (p.all() == self.board.grid.full()).then_some(0)
        }
    }

    fn moves(&self, p: &Stones, out: &mut MoveList<u8>) {
        (self.board.grid.full() & !p.all()).cells().for_each(|c| out.push(c as u8));
    }

    fn play(&self, p: &Stones, m: u8) -> Stones {
        Stones { me: p.me | 1 << m, ..*p }.swapped()
    }

    fn key(&self, p: &Stones) -> K {
        self.board.key(p)
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
        if self.has_line(p.me) {
            let at = text.chars().count() - p.turn.to_string().len();
            let expected = format!("'{}': the other side has a line already", p.turn.other());
            return Err(ParseError::new("position", text, at, expected));
        }
        Ok(p)
    }

    fn picture(&self, p: &Stones) -> Picture {
        self.board.picture(p, Style::Squares)
    }

    fn footprint(&self, _: &Stones, m: u8) -> Option<Footprint> {
        Some(Footprint { from: None, to: m.into() })
    }

    fn images(&self, p: &Stones) -> Images<Stones> {
        self.board.images(p)
    }

    fn static_bounds(&self, p: &Stones) -> Bounds {
        if let Some(value) = self.outcome(p) {
            return Bounds::exact(value);
        }
        let empty = self.board.grid.full() & !p.all();
        if self.completions(p.me, empty) != 0 {
            return Bounds::exact(p.turn.sign());
        }
        if self.completions(p.you, empty).count() > 1 {
            return Bounds::exact(-p.turn.sign());
        }
        self.values()
    }

    /// Where the opponent threatens to complete a line, every other move loses.
    fn relevant(&self, p: &Stones, out: &mut MoveList<u8>) -> Value {
        let empty = self.board.grid.full() & !p.all();
        let threats = self.completions(p.you, empty);
        let useful = if threats == 0 { empty } else { threats };
        useful.cells().for_each(|c| out.push(c as u8));
        -1
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
        conformance::check(&Mnk::<u64>::new(3, 3, 3));
        conformance::check(&Mnk::<u64>::new(4, 5, 3));
        conformance::check(&Mnk::<u128>::new(6, 6, 4));
        conformance::check(&Mnk::<u64>::new(1, 4, 5));
    }

    #[test]
    fn lines_do_not_wrap() {
        let game = Mnk::<u64>::new(3, 3, 3);
        for (text, outcome) in [
            ("xxx/oo./... second", Some(1)),
            ("ooo/xx./x.. first", Some(-1)),
            ("..x/.x./x.. second", Some(1)),
            ("x../.x./..x second", Some(1)),
            (".xx/x../... second", None),
            ("xx./..x/... second", None),
            ("xox/xox/oxo second", Some(0)),
        ] {
            let p = game.parse_position(text).unwrap();
            assert_eq!(game.outcome(&p), outcome, "{text}");
        }
    }
}
