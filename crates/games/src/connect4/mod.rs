//! Connect Four: stones fall to the bottom of a column, four in a row win.
//!
//! The board is one word, column after column from the left, each column from the bottom with one
//! guard bit above it that stays empty (Tromp's layout). A line in any of the four directions is
//! then a constant stride that cannot wrap, and three shifts test all lines of a direction at once.
//! The stones of the player to move plus all stones, added as numbers, are a key: within a column
//! of `h` stones the sum lies between `2^h - 1` and `2^(h+1) - 2`, so it tells the height, and then
//! the colours; whose turn it is follows from the number of stones.

mod knowledge;

use crate::registry::{Args, Entry, Visitor};
use crate::stones::{Board, Stones};
use zermelo_game::grid::col_name;
use zermelo_game::{
    Bits, Bounds, Footprint, Game, Images, MoveList, ParseError, Picture, Player, Style, Value,
};

/// The catalogue's line.
pub const ENTRY: Entry = Entry {
    name: "connect4",
    usage: "connect4 [ROWSxCOLS]",
    example: "connect4 6x7",
    summary: "stones fall down columns; four in a row win, a full board is a draw",
};

/// Swaps of columns that mirror up to nine of them.
const USUAL: usize = 4;

/// The most rows: three diagonal steps must stay within a shift of a word.
const MAX_ROWS: u32 = 19;

/// Opens `connect4 [ROWSxCOLS]`.
pub fn open<V: Visitor>(mut args: Args, visitor: V) -> Result<V::Output, ParseError> {
    let usage = format!(
        "ROWSxCOLS of at most {MAX_ROWS} rows and (rows + 1) x columns of at most 64, such as 6x7"
    );
    let fits = |[rows, cols]: [u32; 2]| {
        (1..=MAX_ROWS).contains(&rows) && (1..=64 / (rows + 1)).contains(&cols)
    };
    let [rows, cols] = args.size(&usage, fits)?.unwrap_or([6, 7]);
    args.end(ENTRY.usage)?;
    // The usual heights are compiled apart: strides become constants.
    Ok(match rows {
        6 => visitor.visit(Connect4::<6>::new(rows, cols)),
        _ => visitor.visit(Connect4::<0>::new(rows, cols)),
    })
}

/// The stones, as the player to move sees them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// The stones of the player to move.
    pub me: u64,
    /// All stones. First has as many as second, or one more: so their number tells the turn.
    pub all: u64,
}

impl Position {
    /// The stones of the player who has just moved.
    #[must_use]
    #[inline(always)]
    pub fn you(&self) -> u64 {
        self.all ^ self.me
    }
}

/// Connect Four. `ROWS` is the number of rows where that is known to the compiler, or 0.
#[derive(Clone, Debug)]
pub struct Connect4<const ROWS: u32> {
    rows: u32,
    cols: u32,
    /// The lowest cell of every column.
    bottom: u64,
    /// All cells; guard bits are not cells.
    cells: u64,
    /// The guard bits.
    guards: u64,
    /// The top row, and every second row below it.
    tops: u64,
    /// For each cell, the number of lines of four through it: large in the middle.
    centre: [u8; 64],
    /// From a cell to the next in the four directions: up, right and down, right, right and up.
    steps: [u64; 4],
    /// The same twice.
    twice: [u64; 4],
    /// Swaps of columns that mirror the board: a distance and the column on the left of each.
    mirror: [(u32, u64); 32],
}

impl<const ROWS: u32> Connect4<ROWS> {
    /// The game on `rows` x `cols`.
    ///
    /// # Panics
    /// If the size does not fit a word, or contradicts `ROWS`.
    #[must_use]
    pub fn new(rows: u32, cols: u32) -> Self {
        assert!(ROWS == 0 || ROWS == rows);
        assert!((1..=MAX_ROWS).contains(&rows) && cols > 0 && (rows + 1) * cols <= 64);
        let stride = rows + 1;
        let bottom = (0..cols).fold(0, |b, c| b | 1u64 << (c * stride));
        let row = |r: u32| bottom << r;
        let cells = (0..rows).fold(0, |b, r| b | row(r));
        let tops = (0..rows).filter(|r| r % 2 == (rows - 1) % 2).fold(0, |b, r| b | row(r));
        let guards = row(rows);
        let steps = [1, stride - 1, stride, stride + 1].map(u64::from);
        let mut mirror = [(0, 0); 32];
        for left in 0..cols / 2 {
            let column = ((1 << stride) - 1) << (left * stride);
            mirror[left as usize] = ((cols - 1 - 2 * left) * stride, column);
        }
        let (twice, centre) = (steps.map(|step| 2 * step), [0; 64]);
        let mut game =
            Connect4 { rows, cols, bottom, cells, guards, tops, centre, steps, twice, mirror };
        game.centre = game.lines_through();
        game
    }

    /// The number of rows.
    #[inline(always)]
    fn rows(&self) -> u32 {
        if ROWS == 0 { self.rows } else { ROWS }
    }

    /// From a cell to its right neighbour.
    #[inline(always)]
    fn stride(&self) -> u32 {
        self.rows() + 1
    }

    /// From a cell to the next in the four directions, which processors take at once.
    #[inline(always)]
    fn steps(&self) -> [u64; 4] {
        let s = u64::from(ROWS + 1);
        if ROWS == 0 { self.steps } else { [1, s - 1, s, s + 1] }
    }

    /// Whether these stones hold four in a row.
    #[inline(always)]
    fn has_four(&self, stones: u64) -> bool {
        let steps = self.steps();
        let twice = if ROWS == 0 { self.twice } else { steps.map(|step| 2 * step) };
        let two: [u64; 4] = std::array::from_fn(|d| stones & (stones >> steps[d]));
        let [a, b, c, d] = std::array::from_fn(|d| two[d] & (two[d] >> twice[d]));
        (a | b) | (c | d) != 0
    }

    /// The cells on which the next stones land.
    #[inline(always)]
    fn landings(&self, all: u64) -> u64 {
        (all + self.bottom) & self.cells
    }

    /// The set mirrored left to right.
    #[inline(always)]
    fn mirrored(&self, set: u64) -> u64 {
        let swap = |set: u64, &(distance, left): &(u32, u64)| {
            let swap = (set ^ set >> distance) & left;
            set ^ (swap | swap << distance)
        };
        // Those of the usual widths without a loop; one that is missing changes nothing.
        let (usual, wider) = self.mirror.split_at(USUAL);
        let set = usual.iter().fold(set, swap);
        if self.cols as usize / 2 <= USUAL { set } else { wider.iter().fold(set, swap) }
    }

    /// The bit of a cell of the row-major grid that text and pictures use.
    fn of_grid(&self, set: u64) -> u64 {
        set.cells().fold(0, |b, c| b | 1 << (c % self.cols * self.stride() + c / self.cols))
    }

    /// The cell of the row-major grid.
    fn grid_cell(&self, cell: u32) -> u32 {
        cell % self.stride() * self.cols + cell / self.stride()
    }

    fn to_grid(&self, set: u64) -> u64 {
        set.cells().fold(0, |b, c| b | 1 << self.grid_cell(c))
    }

    fn board(&self) -> Board<u128> {
        Board::new(self.rows, self.cols)
    }

    fn stones(&self, p: &Position) -> Stones {
        Stones { me: self.to_grid(p.me), you: self.to_grid(p.you()), turn: self.turn(p) }
    }
}

impl<const ROWS: u32> Game for Connect4<ROWS> {
    type Position = Position;
    /// The cell on which the stone comes to rest.
    type Move = u8;
    type Key = u64;

    fn name(&self) -> String {
        format!("connect4 {}x{}", self.rows, self.cols)
    }

    fn rules(&self) -> String {
        format!(
            "The players drop stones in turn into one of {} columns of {} cells, where they come \
             to rest on the stones below. Who first has four or more in a row (across, up or \
             diagonally) wins; a full board without such a line is a draw. A move is written as \
             the letter of its column.",
            self.cols, self.rows
        )
    }

    fn start(&self) -> Position {
        Position { me: 0, all: 0 }
    }

    #[inline(always)]
    fn turn(&self, p: &Position) -> Player {
        Player::from_index((p.all.count_ones() & 1) as usize)
    }

    fn outcome(&self, p: &Position) -> Option<Value> {
        if self.has_four(p.you()) {
            Some(-self.turn(p).sign())
        } else {
            (p.all == self.cells).then_some(0)
        }
    }

    fn moves(&self, p: &Position, out: &mut MoveList<u8>) {
        self.landings(p.all).cells().for_each(|c| out.push(c as u8));
    }

    #[inline(always)]
    fn play(&self, p: &Position, m: u8) -> Position {
        Position { me: p.you(), all: p.all | 1 << m }
    }

    #[inline(always)]
    fn key(&self, p: &Position) -> u64 {
        // A full board of 64 bits has no carry: the guard bit of every column takes it.
        p.me + p.all
    }

    #[inline]
    fn class(&self, p: &Position) -> u64 {
        self.key(&self.canonical(p))
    }

    #[inline(always)]
    fn code_here(&self, p: &Position, class: u64, code: usize) -> Option<usize> {
        if self.key(p) == class {
            return Some(code);
        }
        let (stride, last) = (self.stride() as usize, self.cols as usize - 1);
        Some((last - code / stride) * stride + code % stride)
    }

    fn key_bits(&self) -> u32 {
        self.stride() * self.cols
    }

    #[inline(always)]
    fn code(&self, m: u8) -> usize {
        m.into()
    }

    fn codes(&self) -> usize {
        (self.stride() * self.cols) as usize
    }

    fn move_text(&self, _: &Position, m: u8) -> String {
        col_name(u32::from(m) / self.stride())
    }

    fn position_text(&self, p: &Position) -> String {
        self.board().text(&self.stones(p))
    }

    fn parse_position(&self, text: &str) -> Result<Position, ParseError> {
        let board = self.board();
        let read = board.parse(text)?;
        let error = |at: usize, expected: String| ParseError::new("position", text, at, expected);
        let p = Position {
            me: self.of_grid(read.me),
            all: self.of_grid(read.me) | self.of_grid(read.you),
        };
        // Highest first, as the text runs; a stone stands on the bottom row or on another stone.
        let floating = p.all & !self.bottom & !(p.all << 1);
        if let Some(cell) =
            floating.cells().map(|c| self.grid_cell(c)).max_by_key(|c| c / self.cols)
        {
            let below = board.grid.cell_name(cell - self.cols);
            let expected = format!("'.': a stone needs one below it, and {below} is empty");
            return Err(error(board.text_column(cell), expected));
        }
        let turn_at = text.chars().count() - read.turn.to_string().len();
        let [x, o] = [Player::First, Player::Second].map(|player| read.of(player).count());
        if x != o + read.turn.index() as u32 {
            let expected = if x == o {
                "'first': there are as many 'x' as 'o'".to_owned()
            } else if x == o + 1 {
                "'second': there is one 'x' more than 'o'".to_owned()
            } else {
                format!("as many 'x' as 'o' (first to move) or one more (second), not {x} and {o}")
            };
            return Err(error(turn_at, expected));
        }
        if self.has_four(p.me) {
            let expected = "a position in which the player to move has no four in a row yet";
            return Err(error(turn_at, expected.to_owned()));
        }
        Ok(p)
    }

    fn picture(&self, p: &Position) -> Picture {
        self.board().picture(&self.stones(p), Style::Squares)
    }

    fn footprint(&self, _: &Position, m: u8) -> Option<Footprint> {
        Some(Footprint::at(self.grid_cell(m.into())))
    }

    fn images(&self, p: &Position) -> Images<Position> {
        let mut images = Images::new();
        images.push(*p);
        images.push(Position { me: self.mirrored(p.me), all: self.mirrored(p.all) });
        images
    }

    /// The smaller key: the outermost columns that differ, seen as numbers, decide.
    #[inline]
    fn canonical(&self, p: &Position) -> Position {
        let (s, key) = (self.stride(), self.key(p));
        let column = |c: u32| (key >> (c * s)) & ((1 << s) - 1);
        for c in 0..self.cols / 2 {
            let (left, right) = (column(c), column(self.cols - 1 - c));
            if left < right {
                return Position { me: self.mirrored(p.me), all: self.mirrored(p.all) };
            } else if left > right {
                break;
            }
        }
        *p
    }

    #[inline]
    fn static_bounds(&self, p: &Position) -> Bounds {
        self.known(p)
    }

    #[inline]
    fn sure_move(&self, p: &Position, value: Value) -> Option<u8> {
        self.sure(p, value)
    }

    #[inline]
    fn relevant(&self, p: &Position, out: &mut MoveList<u8>) -> Value {
        self.list(p, out)
    }

    /// So many moves have to fail, and those that stand late in the order mostly take more (df-pn takes half of
    /// the nodes on 5x5).
    #[inline]
    fn leaf_numbers(&self, p: &Position, place: u32) -> Option<(u32, u32)> {
        Some((1, self.landings(p.all).count() + 4 * place))
    }

    #[inline]
    fn plies_left(&self, p: &Position) -> u32 {
        (self.cells & !p.all).count_ones()
    }
}

#[cfg(test)]
mod tests;
