//! (m,n,k) games: k in a row on a board of m x n; tic-tac-toe is (3,3,3).
//!
//! A win is one in which the player who has just moved completes a line, so only the opponent's
//! stones need a look. A player who can complete a line does so; a player facing two such cells of
//! the opponent has lost, facing one must take it: those rules settle most lines two plies early.
//! A player without a line that is free of enemy stones cannot win any more.
//!
//! Lines are never looked at one by one: all lines of a direction are known by the cell they start
//! from, and the stones shifted along the direction count their stones side by side.

use crate::registry::{Args, Entry, Visitor};
use crate::stones::{Board, MAX_CELLS, Stones, fits_u64};
use crate::symmetry::Symmetry;
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
    symmetry: Symmetry,
    line: u32,
    /// The lines of each direction: across, up, and the two diagonals.
    lines: Lines,
    /// The number of lines through each cell: large in the middle.
    centre: [u8; 64],
}

/// Four sets of cells, one for each direction, which processors shift and combine at once.
type Four = [u64; 4];

/// All lines, by direction.
#[derive(Clone, Copy, Default, Debug)]
struct Lines {
    /// From a cell of a line to the next.
    steps: Four,
    /// The first cells of the lines; none where no line fits.
    starts: Four,
    /// Cells of a line; 1 where none fits at all, so that nobody counts far for nothing.
    length: u32,
}

/// What `f` makes of each direction.
#[inline(always)]
fn each(f: impl FnMut(usize) -> u64) -> Four {
    std::array::from_fn(f)
}

/// All four sets together.
#[inline(always)]
fn union(sets: Four) -> u64 {
    (sets[0] | sets[1]) | (sets[2] | sets[3])
}

/// What a new threat is worth beside the lines through a cell, and what it is worth to keep the
/// opponent from one.
const THREAT: i32 = 8;
const DENIAL: i32 = 4;

impl<K: Key> Mnk<K> {
    /// The game of `line` in a row on `rows` x `cols`.
    #[must_use]
    pub fn new(rows: u32, cols: u32, line: u32) -> Mnk<K> {
        let board = Board::new(rows, cols);
        let g = &board.grid;
        let mut lines = Lines { length: 1, ..Lines::default() };
        // A single stone is a line in one direction: once is enough.
        let all = [(0, 1), (1, 0), (1, 1), (1, -1)];
        let all = if line == 1 { &all[..1] } else { &all[..] };
        for (d, &(up, right)) in all.iter().enumerate() {
            let reach = i64::from(line) - 1;
            let fits = |cell: &u32| {
                let row = i64::from(cell / cols) + up * reach;
                let col = i64::from(cell % cols) + right * reach;
                row < i64::from(rows) && (0..i64::from(cols)).contains(&col)
            };
            let starts = g.full().cells().filter(fits).fold(0, |s, c| s | u64::cell(c));
            if starts != 0 {
                lines.steps[d] = (up * i64::from(cols) + right) as u64;
                (lines.starts[d], lines.length) = (starts, line);
            }
        }
        let symmetry = Symmetry::new(g);
        let mut game = Mnk { board, symmetry, line, lines, centre: [0; 64] };
        for cell in g.full().cells() {
            let through = |d: usize| {
                let starts = |i: &u32| {
                    let start = cell.checked_sub(i * lines.steps[d] as u32);
                    start.is_some_and(|start| lines.starts[d].has(start))
                };
                (0..lines.length).filter(starts).count()
            };
            game.centre[cell as usize] = (0..4).map(through).sum::<usize>() as u8;
        }
        game
    }

    /// Whether these stones hold a line. Runs of one stone, two, four and so on, and then the length
    /// that is left.
    #[inline(always)]
    fn has_line(&self, stones: u64) -> bool {
        let Lines { steps, starts, length: whole } = &self.lines;
        let (mut run, mut length) = ([stones; 4], 1);
        while 2 * length <= *whole {
            run = each(|d| run[d] & run[d] >> (u64::from(length) * steps[d]));
            length *= 2;
        }
        let left = u64::from(whole - length);
        union(each(|d| run[d] & run[d] >> (left * steps[d]) & starts[d])) != 0
    }

    /// The empty cells on which these stones would complete a line, and those on which they would
    /// threaten to: the empty cells of lines that lack one stone, and of lines that lack two and
    /// hold no stone of the opponent.
    #[inline(always)]
    fn wanted(&self, stones: u64, empty: u64) -> (u64, u64) {
        let steps = &self.lines.steps;
        // Lines by how many of the cells so far hold no stone: none, one, two. In the last two
        // cases those cells are empty, or the line is dropped.
        let (mut full, mut lack1, mut lack2) = (self.lines.starts, [0; 4], [0; 4]);
        let (mut s, mut e) = ([stones; 4], [empty; 4]);
        for _ in 0..self.lines.length {
            lack2 = each(|d| (lack2[d] & s[d]) | (lack1[d] & e[d]));
            lack1 = each(|d| (lack1[d] & s[d]) | (full[d] & e[d]));
            full = each(|d| full[d] & s[d]);
            (s, e) = (each(|d| s[d] >> steps[d]), each(|d| e[d] >> steps[d]));
        }
        let (mut one, mut two) = ([0; 4], [0; 4]);
        for _ in 0..self.lines.length {
            (one, two) = (each(|d| one[d] | lack1[d]), each(|d| two[d] | lack2[d]));
            (lack1, lack2) = (each(|d| lack1[d] << steps[d]), each(|d| lack2[d] << steps[d]));
        }
        (union(one) & empty, union(two) & empty)
    }
}

impl<K: Key> Game for Mnk<K> {
    type Position = Stones;
    type Move = u8;
    type Key = K;

    const THREATS: bool = true;

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

    #[inline(always)]
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

    #[inline(always)]
    fn play(&self, p: &Stones, m: u8) -> Stones {
        Stones { me: p.me | 1 << m, ..*p }.swapped()
    }

    #[inline(always)]
    fn key(&self, p: &Stones) -> K {
        self.board.key(p)
    }

    #[inline]
    fn class(&self, p: &Stones) -> K {
        self.board.key(&self.symmetry.canonical(p))
    }

    fn key_bits(&self) -> u32 {
        self.board.key_bits()
    }

    #[inline(always)]
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
        let seen = |lo, hi| Bounds { lo, hi }.seen_by(p.turn);
        if self.has_line(p.you) {
            return seen(-1, -1);
        }
        let empty = self.board.grid.full() & !p.all();
        let (threats, _) = self.wanted(p.you, empty);
        let (chances, _) = self.wanted(p.me, empty);
        if chances != 0 {
            return seen(1, 1);
        }
        if threats.without_lowest() != 0 {
            return seen(-1, -1);
        }
        // Who has no line left that is free of enemy stones cannot win. With a threat about, there
        // is such a line.
        let you_may = threats != 0 || self.has_line(p.you | empty);
        let me_may = self.has_line(p.me | empty);
        seen(if you_may { -1 } else { 0 }, if me_may { 1 } else { 0 })
    }

    /// Where the opponent threatens to complete a line, every other move loses. Otherwise new
    /// threats come first, then cells where the opponent would make one, then those on many lines.
    #[inline]
    fn relevant(&self, p: &Stones, out: &mut MoveList<u8>) -> Value {
        let empty = self.board.grid.full() & !p.all();
        let (threats, yours) = self.wanted(p.you, empty);
        let (_, mine) = self.wanted(p.me, empty);
        let useful = if threats == 0 { empty } else { threats };
        for cell in useful.cells() {
            let score = i32::from(self.centre[cell as usize])
                + if mine.has(cell) { THREAT } else { 0 }
                + if yours.has(cell) { DENIAL } else { 0 };
            out.push_scored(cell as u8, score);
        }
        -1
    }

    #[inline]
    fn pass(&self, p: &Stones) -> Option<Stones> {
        Some(p.swapped())
    }

    /// So many moves have to fail, and those that stand late in the order mostly take more (df-pn takes half of
    /// the nodes on 4x5x4; counted threats add nothing).
    #[inline]
    fn leaf_numbers(&self, p: &Stones, place: u32) -> Option<(u32, u32)> {
        Some((1, self.plies_left(p) + 2 * place))
    }

    #[inline(always)]
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
