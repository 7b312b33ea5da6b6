//! Races to the far row: Breakthrough and Knightthrough, and their misere forms.
//!
//! Both games are one game with two sets of steps: pieces only ever go forward, take by
//! displacement, and the first to arrive wins. Here are the rules, moves and notation; what
//! can be said without search is in `knowledge` (normal play) and `misere`.
//!
//! A step is a shift of a bitboard. The second player's steps are the first player's turned by
//! 180 degrees, so a step "up" from cell `c` to `c + s` is a step "down" from `c + s` to `c`, and
//! the cells a step up may start from are the cells the same step down may end on. All
//! functions take `up` (whether the side moves up the board) and are inlined for both values.

pub mod breakthrough;
mod effort;
pub mod knightthrough;
mod knowledge;
mod misere;

pub use breakthrough::Pawns;
pub use knightthrough::Knights;

use crate::registry::{Args, Entry, Visitor};
use crate::stones::{Board, MAX_CELLS, Stones, fits_u64};
use std::fmt::Debug;
use std::marker::PhantomData;
use zermelo_game::{
    Bits, Bounds, Footprint, Game, Images, Key, MoveList, ParseError, Picture, Player, Style, Value,
};

/// One step of a piece of the first player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// Rows up, at least one.
    pub rows: u32,
    /// Columns to the right (negative: to the left).
    pub cols: i32,
    /// Whether the step may take an enemy piece; otherwise it needs an empty cell.
    pub takes: bool,
}

impl Step {
    /// A step that may take.
    #[must_use]
    pub const fn taking(rows: u32, cols: i32) -> Step {
        Step { rows, cols, takes: true }
    }
}

/// The pieces of a race: how they step.
///
/// The knowledge needs one property of them: from a cell from which some step reaches the far row
/// on the board, some *taking* step does so too. Then a piece there cannot be blocked.
pub trait Steps: Copy + Debug + Send + Sync + 'static {
    /// The first word of the game's name.
    const GAME: &'static str;
    /// At most four steps.
    const STEPS: &'static [Step];
    /// Whether the order of moves looks at who controls the cell they end on. It saves three quarters
    /// of the nodes with knights and costs nodes with pawns.
    const CONTROL: bool;
    /// The sentence of the rules on how a piece moves.
    const RULE: &'static str;
}

/// The fewest rows: two of pieces for each side.
pub const MIN_ROWS: u32 = 4;
/// The fewest columns: on a single one, pawns could be blocked on the last step and knights not
/// move at all.
pub const MIN_COLS: u32 = 2;

/// A step on a board of a given width.
#[derive(Clone, Copy, Default, Debug)]
struct Lane {
    /// Cell numbers from start to end.
    shift: u32,
    /// Where the step up may start, and the step down end.
    low: u64,
    /// Where the step up may end, and the step down start.
    high: u64,
}

/// A race to the far row with pieces that move by `S`.
#[derive(Clone, Debug)]
pub struct Through<S, K> {
    board: Board<K>,
    misere: bool,
    lanes: [Lane; 4],
    /// The far row of the side that moves down, and of the side that moves up.
    far: [u64; 2],
    /// From where a side that moves down, and one that moves up, reaches its far row in one step.
    zone: [u64; 2],
    /// The part of the zone in the last row but one.
    rim: [u64; 2],
    /// The last row but one as seen by the side that moves down, and by the one that moves up.
    last_safe: [u64; 2],
    /// Whether a side that has pieces and has not arrived always has a move.
    always_moves: bool,
    /// The largest sum of rows, counted from a side's own first row, that so many of its pieces can
    /// have before one arrives.
    packed: [u16; 64],
    /// The row of each cell as seen by the side that moves down, and by the one that moves up.
    advance: [[u8; 64]; 2],
    /// Bit `i` of the number of a cell's row, for counting steps that are left.
    row_bits: [u64; 4],
    /// Swaps that mirror the board left to right: a distance and the cells on the left of each, in
    /// both halves of a word where both sides fit one.
    mirror: [(u32, u64); 8],
    /// Whether both sides fit one word.
    packed_sides: bool,
    steps: PhantomData<S>,
}

/// A move in one number: from the lowest bit, whether it takes, the step (two bits), whether it goes
/// down, and the cell it starts from. It is its own code.
pub type Move = u16;

const TAKES: Move = 1;
const DOWN: Move = 8;

/// The cell a move starts from.
#[inline(always)]
fn origin(m: Move) -> u32 {
    u32::from(m >> 4)
}

/// The step a move makes.
#[inline(always)]
fn step(m: Move) -> usize {
    usize::from(m >> 1 & 3)
}

/// Opens `GAME ROWSxCOLS [misere]`.
fn open<S: Steps, V: Visitor>(
    mut args: Args,
    entry: &Entry,
    visitor: V,
) -> Result<V::Output, ParseError> {
    let usage = format!(
        "ROWSxCOLS, at least {MIN_ROWS}x{MIN_COLS} and up to {MAX_CELLS} cells, such as 5x5"
    );
    let fits = |[rows, cols]: [u32; 2]| {
        rows >= MIN_ROWS
            && cols >= MIN_COLS
            && rows.checked_mul(cols).is_some_and(|n| n <= MAX_CELLS)
    };
    let [rows, cols] = args.need_size(&usage, fits)?;
    let misere = args.flag("misere");
    args.end(entry.usage)?;
    Ok(if fits_u64(rows, cols) {
        visitor.visit(Through::<S, u64>::new(rows, cols, misere))
    } else {
        visitor.visit(Through::<S, u128>::new(rows, cols, misere))
    })
}

impl<S: Steps, K: Key> Through<S, K> {
    /// The game on `rows` x `cols`.
    ///
    /// # Panics
    /// If the board is smaller than [`MIN_ROWS`] x [`MIN_COLS`] or too large for `K`.
    #[must_use]
    pub fn new(rows: u32, cols: u32, misere: bool) -> Self {
        assert!(rows >= MIN_ROWS && cols >= MIN_COLS, "{rows}x{cols} is too small");
        let board = Board::new(rows, cols);
        let g = board.grid;
        let far = [g.row(0), g.row(rows - 1)];
        let (mut lanes, mut zone) = ([Lane::default(); 4], [0; 2]);
        for (lane, step) in lanes.iter_mut().zip(S::STEPS) {
            for cell in g.full().cells() {
                let (row, col) = (cell / cols + step.rows, (cell % cols) as i32 + step.cols);
                if row < rows && (0..cols as i32).contains(&col) {
                    let end = g.at(row, col as u32);
                    lane.shift = end - cell;
                    lane.low |= 1 << cell;
                    lane.high |= 1 << end;
                }
            }
            if step.takes {
                zone[0] |= (far[0] & lane.low) << lane.shift;
                zone[1] |= (far[1] & lane.high) >> lane.shift;
            }
        }
        let rim = [zone[0] & g.row(1), zone[1] & g.row(rows - 2)];
        let last_safe = [g.row(1), g.row(rows - 2)];
        let always_moves = g.full().cells().all(|cell| {
            let one_row =
                |step: &Step, lane: &Lane| step.takes && step.rows == 1 && lane.low.has(cell);
            far[1].has(cell) || S::STEPS.iter().zip(&lanes).any(|(step, lane)| one_row(step, lane))
        });
        let mut packed = [0; 64];
        for n in 1..packed.len() {
            let full_rows = (n as u32 - 1) / cols;
            packed[n] = packed[n - 1] + (rows - 2).saturating_sub(full_rows) as u16;
        }
        let (mut row_bits, mut advance) = ([0; 4], [[0; 64]; 2]);
        for cell in g.full().cells() {
            advance[0][cell as usize] = (rows - 1 - cell / cols) as u8;
            advance[1][cell as usize] = (cell / cols) as u8;
            for (i, bits) in row_bits.iter_mut().enumerate() {
                *bits |= u64::from((cell / cols) >> i & 1) << cell;
            }
        }
        let packed_sides = g.cells() <= 32;
        let mut mirror = [(0, 0); 8];
        for left in 0..cols / 2 {
            let cells = g.col(left);
            let both = if packed_sides { cells << 32 | cells } else { cells };
            mirror[left as usize] = (cols - 1 - 2 * left, both);
        }
        Through {
            advance,
            board,
            misere,
            lanes,
            far,
            zone,
            rim,
            last_safe,
            always_moves,
            packed,
            row_bits,
            mirror,
            packed_sides,
            steps: PhantomData,
        }
    }

    /// Where `pieces` can go by step `i`, whatever stands there.
    #[inline(always)]
    fn shifted(&self, up: bool, pieces: u64, i: usize) -> u64 {
        let lane = &self.lanes[i];
        if up { (pieces & lane.low) << lane.shift } else { (pieces & lane.high) >> lane.shift }
    }

    /// The cells on which `pieces` could take.
    #[inline(always)]
    fn attacks(&self, up: bool, pieces: u64) -> u64 {
        let mut out = 0;
        for (i, step) in S::STEPS.iter().enumerate() {
            if step.takes {
                out |= self.shifted(up, pieces, i);
            }
        }
        out
    }

    /// The cells from which a piece could take on one of `cells`.
    #[inline(always)]
    fn attackers(&self, up: bool, cells: u64) -> u64 {
        self.attacks(!up, cells)
    }

    /// The cells to which `pieces` could go if nothing stood in the way.
    #[inline(always)]
    fn span(&self, up: bool, pieces: u64) -> u64 {
        (0..S::STEPS.len()).fold(0, |set, i| set | self.shifted(up, pieces, i))
    }

    /// The cells to which `pieces` can go, with `others` on the board.
    #[inline(always)]
    fn reach(&self, up: bool, pieces: u64, others: u64) -> u64 {
        let mut out = 0;
        for i in 0..S::STEPS.len() {
            out |= self.ends(up, pieces, others, i);
        }
        out
    }

    /// The cells to which `pieces` can go by step `i`, with `others` on the board.
    #[inline(always)]
    fn ends(&self, up: bool, pieces: u64, others: u64, i: usize) -> u64 {
        let closed = if S::STEPS[i].takes { pieces } else { pieces | others };
        self.shifted(up, pieces, i) & !closed
    }

    /// Adds the moves that end in `allowed`, with the score that `score(start, end, takes)` gives (two sets of
    /// one cell, and whether a piece is taken).
    #[inline(always)]
    fn list(
        &self,
        up: bool,
        p: &Stones,
        allowed: u64,
        out: &mut MoveList<Move>,
        score: impl Fn(u64, u64, bool) -> i32,
    ) {
        for i in 0..S::STEPS.len() {
            for end in (self.ends(up, p.me, p.you, i) & allowed).cells() {
                let m = self.to(up, p, i, end);
                out.push_scored(m, score(1 << origin(m), 1 << end, m & TAKES != 0));
            }
        }
    }

    /// The move by step `i` that ends on a cell.
    #[inline(always)]
    fn to(&self, up: bool, p: &Stones, i: usize, end: u32) -> Move {
        let shift = self.lanes[i].shift;
        let start = if up { end - shift } else { end + shift };
        let takes = S::STEPS[i].takes && p.you.has(end);
        (start as Move) << 4
            | if up { 0 } else { DOWN }
            | (i as Move) << 1
            | if takes { TAKES } else { 0 }
    }

    /// The first move that ends in `allowed`.
    #[inline(always)]
    fn first_to(&self, up: bool, p: &Stones, allowed: u64) -> Option<Move> {
        (0..S::STEPS.len()).find_map(|i| {
            let ends = self.ends(up, p.me, p.you, i) & allowed;
            (ends != 0).then(|| self.to(up, p, i, ends.lowest()))
        })
    }

    /// The cell a move ends on.
    #[inline(always)]
    fn target(&self, m: Move) -> u32 {
        let shift = self.lanes[step(m)].shift;
        if m & DOWN == 0 { origin(m) + shift } else { origin(m) - shift }
    }

    /// The set mirrored left to right, or two of them in the halves of a word.
    #[inline(always)]
    fn mirrored(&self, mut set: u64) -> u64 {
        for &(distance, left) in &self.mirror {
            if left == 0 {
                break;
            }
            let swap = (set ^ set >> distance) & left;
            set ^= swap | swap << distance;
        }
        set
    }

    /// The sum of the row numbers of the cells.
    #[inline(always)]
    fn rows_of(&self, set: u64) -> u32 {
        (0..4).map(|i| (set & self.row_bits[i]).count() << i).sum()
    }
}

impl<S: Steps, K: Key> Game for Through<S, K> {
    type Position = Stones;
    type Move = Move;
    type Key = K;

    fn name(&self) -> String {
        let g = &self.board.grid;
        let misere = if self.misere { " misere" } else { "" };
        format!("{} {}x{}{misere}", S::GAME, g.rows(), g.cols())
    }

    fn rules(&self) -> String {
        let (arrives, stuck) =
            if self.misere { ("loses", "has won") } else { ("wins", "has lost") };
        format!(
            "Each side has two rows of pieces; the first player (x) moves up from the bottom, the \
             second (o) down. {} Who reaches the far row {arrives}. A player who is to move and \
             cannot, with or without pieces left, {stuck}.",
            S::RULE
        )
    }

    fn start(&self) -> Stones {
        let g = &self.board.grid;
        let (bottom, top) = (g.row(0) | g.row(1), g.row(g.rows() - 1) | g.row(g.rows() - 2));
        Stones::new(bottom, top, Player::First)
    }

    fn turn(&self, p: &Stones) -> Player {
        p.turn
    }

    fn outcome(&self, p: &Stones) -> Option<Value> {
        let up = p.turn == Player::First;
        let arrived = if p.you & self.far[usize::from(!up)] != 0 {
            -1
        } else if p.me & self.far[usize::from(up)] != 0 {
            1
        } else if self.reach(up, p.me, p.you) == 0 {
            -1
        } else {
            return None;
        };
        Some(if self.misere { -arrived } else { arrived } * p.turn.sign())
    }

    fn moves(&self, p: &Stones, out: &mut MoveList<Move>) {
        self.list(p.turn == Player::First, p, u64::MAX, out, |_, _, _| 0);
    }

    #[inline(always)]
    fn play(&self, p: &Stones, m: Move) -> Stones {
        let end = 1 << self.target(m);
        Stones { me: p.me ^ 1 << origin(m) | end, you: p.you & !end, turn: p.turn }.swapped()
    }

    #[inline(always)]
    fn key(&self, p: &Stones) -> K {
        self.board.key(p)
    }

    #[inline]
    fn class(&self, p: &Stones) -> K {
        self.board.key(&self.canonical(p))
    }

    #[inline(always)]
    fn code_here(&self, p: &Stones, class: K, code: usize) -> Option<usize> {
        if self.board.key(p) == class {
            return Some(code);
        }
        let (m, cols) = (code as Move, self.board.grid.cols());
        let (row, col) = (origin(m) / cols, origin(m) % cols);
        let start = self.board.grid.at(row, cols - 1 - col) as Move;
        let Step { rows, cols, .. } = S::STEPS[step(m)];
        let mirrored = S::STEPS.iter().position(|s| (s.rows, s.cols) == (rows, -cols))?;
        Some(usize::from(start << 4 | (mirrored as Move) << 1 | m & (DOWN | TAKES)))
    }

    fn key_bits(&self) -> u32 {
        self.board.key_bits()
    }

    #[inline(always)]
    fn code(&self, m: Move) -> usize {
        m.into()
    }

    fn codes(&self) -> usize {
        self.board.grid.cells() as usize * 16
    }

    /// The code tells it all: where from, where to, whether it takes, and whose move it is.
    #[inline(always)]
    fn pattern(&self, _: &Stones, m: Move) -> usize {
        m.into()
    }

    fn patterns(&self) -> usize {
        self.codes()
    }

    /// `a2-b3`, or `a2xb3` where a piece is taken.
    fn move_text(&self, _: &Stones, m: Move) -> String {
        let g = &self.board.grid;
        let sign = if m & TAKES == 0 { '-' } else { 'x' };
        format!("{}{sign}{}", g.cell_name(origin(m)), g.cell_name(self.target(m)))
    }

    fn position_text(&self, p: &Stones) -> String {
        self.board.text(p)
    }

    fn parse_position(&self, text: &str) -> Result<Stones, ParseError> {
        let p = self.board.parse(text)?;
        let (first, second) = (p.of(Player::First), p.of(Player::Second));
        let both = first & self.far[1] != 0 && second & self.far[0] != 0;
        if both {
            let at = self.board.text_column((second & self.far[0]).lowest());
            let expected = "no 'o' in the bottom row: x has reached the top row already";
            return Err(ParseError::new("position", text, at, expected));
        }
        Ok(p)
    }

    fn picture(&self, p: &Stones) -> Picture {
        self.board.picture(p, Style::Chequered)
    }

    fn footprint(&self, _: &Stones, m: Move) -> Option<Footprint> {
        Some(Footprint::step(origin(m), self.target(m)))
    }

    fn images(&self, p: &Stones) -> Images<Stones> {
        [*p, p.map(|b| self.mirrored(b))].into_iter().collect()
    }

    #[inline(always)]
    fn canonical(&self, p: &Stones) -> Stones {
        if self.packed_sides {
            let word = p.me << 32 | p.you;
            let least = word.min(self.mirrored(word));
            return Stones { me: least >> 32, you: least & 0xFFFF_FFFF, turn: p.turn };
        }
        let q = p.map(|b| self.mirrored(b));
        if (q.me, q.you) < (p.me, p.you) { q } else { *p }
    }

    #[inline]
    fn static_bounds(&self, p: &Stones) -> Bounds {
        let seen = match (p.turn, self.misere) {
            (Player::First, false) => self.judge(true, p),
            (Player::Second, false) => self.judge(false, p),
            (Player::First, true) => self.judge_misere(true, p),
            (Player::Second, true) => self.judge_misere(false, p),
        };
        match seen {
            0 => self.values(),
            value => Bounds::exact(value * p.turn.sign()),
        }
    }

    #[inline]
    fn sure_move(&self, p: &Stones, _: Value) -> Option<Move> {
        match (p.turn, self.misere) {
            (Player::First, false) => self.sure(true, p),
            (Player::Second, false) => self.sure(false, p),
            (Player::First, true) => self.sure_misere(true, p),
            (Player::Second, true) => self.sure_misere(false, p),
        }
    }

    #[inline]
    fn relevant(&self, p: &Stones, out: &mut MoveList<Move>) -> Value {
        match (p.turn, self.misere) {
            (Player::First, false) => self.useful(true, p, out),
            (Player::Second, false) => self.useful(false, p, out),
            (Player::First, true) => self.useful_misere(true, p, out),
            (Player::Second, true) => self.useful_misere(false, p, out),
        }
        -1
    }

    #[inline]
    fn leaf_numbers(&self, p: &Stones, place: u32) -> Option<(u32, u32)> {
        Some(match p.turn {
            Player::First => self.effort(true, p, place),
            Player::Second => self.effort(false, p, place),
        })
    }

    /// Every move brings a piece at least one row nearer to its far row.
    #[inline]
    fn plies_left(&self, p: &Stones) -> u32 {
        let (first, second) = (p.of(Player::First), p.of(Player::Second));
        let last = self.board.grid.rows() - 1;
        last * first.count() - self.rows_of(first) + self.rows_of(second)
    }
}

#[cfg(test)]
mod tests;
