//! Connect Four: stones fall to the bottom of a column, four in a row win.
//!
//! The board is one word, column after column from the left, each column from the bottom with one
//! guard bit above it that stays empty (Tromp's layout). A line in any of the four directions is
//! then a constant stride that cannot wrap, and three shifts test all lines of a direction at once.
//! The stones of the player to move plus all stones, added as numbers, are a key: within a column
//! of `h` stones the sum lies between `2^h - 1` and `2^(h+1) - 2`, so it tells the height, and then
//! the colours; whose turn it is follows from the number of stones.

mod knowledge;
mod notation;

use crate::registry::Visitor;
pub use knowledge::Connect4Knowledge;
use zermelo_game::{Args, Bits, GameEntry, Images, MoveList, ParseError, Player, Rules, Value};

/// The catalogue's line.
pub const ENTRY: GameEntry = GameEntry {
    name: "connect4",
    usage: "connect4 [ROWSxCOLS]",
    example: "connect4 6x7",
    summary: "stones fall down columns; four in a row win, a full board is a draw",
    help: "ROWSxCOLS is the board; without it, the usual one of 6x7.",
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
        6 => visit(Connect4::<6>::new(rows, cols), visitor),
        _ => visit(Connect4::<0>::new(rows, cols), visitor),
    })
}

fn visit<const ROWS: u32, V: Visitor>(rules: Connect4<ROWS>, visitor: V) -> V::Output {
    let knowledge = Connect4Knowledge::new(&rules);
    visitor.visit(rules, knowledge)
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
        let cells = (0..rows).fold(0, |b, r| b | bottom << r);
        let steps = [1, stride - 1, stride, stride + 1].map(u64::from);
        let mut mirror = [(0, 0); 32];
        for left in 0..cols / 2 {
            let column = ((1 << stride) - 1) << (left * stride);
            mirror[left as usize] = ((cols - 1 - 2 * left) * stride, column);
        }
        let twice = steps.map(|step| 2 * step);
        Connect4 { rows, cols, bottom, cells, steps, twice, mirror }
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

    /// The image with the smaller key: the outermost columns that differ, seen as numbers, decide.
    #[inline(always)]
    fn canonical_image(&self, p: &Position) -> Position {
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
}

impl<const ROWS: u32> Rules for Connect4<ROWS> {
    type Position = Position;
    /// The cell on which the stone comes to rest.
    type Move = u8;
    type Key = u64;

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

    fn images(&self, p: &Position) -> Images<Position> {
        let mut images = Images::new();
        images.push(*p);
        images.push(Position { me: self.mirrored(p.me), all: self.mirrored(p.all) });
        images
    }

    #[inline(always)]
    fn symmetry_key(&self, p: &Position) -> u64 {
        self.key(&self.canonical_image(p))
    }

    #[inline(always)]
    fn map_move_code(&self, p: &Position, symmetry_key: u64, code: usize) -> Option<usize> {
        if self.key(p) == symmetry_key {
            return Some(code);
        }
        let (stride, last) = (self.stride() as usize, self.cols as usize - 1);
        Some((last - code / stride) * stride + code % stride)
    }
}

#[cfg(test)]
mod tests;
