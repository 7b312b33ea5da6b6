//! Races to the far row: Breakthrough and Knightthrough, and their misere forms.
//!
//! Both games are one game with two sets of steps: pieces only ever go forward, take by
//! displacement, and the first to arrive wins. Here are the rules; what can be said without search is in
//! `knowledge`.
//!
//! A step is a shift of a bitboard. The second player's steps are the first player's turned by
//! 180 degrees, so a step "up" from cell `c` to `c + s` is a step "down" from `c + s` to `c`, and
//! the cells a step up may start from are the cells the same step down may end on. All
//! functions take `up` (whether the side moves up the board) and are inlined for both values.

pub mod breakthrough;
pub mod knightthrough;
mod knowledge;
mod notation;
#[cfg(test)]
mod tests;

pub use breakthrough::Pawns;
pub use knightthrough::Knights;
pub use knowledge::ThroughKnowledge;

use crate::registry::Visitor;
use crate::stones::{Board, MAX_CELLS, Stones, Width, stones_methods};
use std::fmt::Debug;
use std::marker::PhantomData;
use zermelo_game::{
    Args, Bits, GameEntry, Images, Key, MoveList, ParseError, Player, Rules, Value,
};

/// One step of a piece of the first player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceStep {
    /// Rows up, at least one.
    pub rows: u32,
    /// Columns to the right (negative: to the left).
    pub cols: i32,
    /// Whether the step may take an enemy piece; otherwise it needs an empty cell.
    pub takes: bool,
}

impl PieceStep {
    /// A step that may take.
    #[must_use]
    pub const fn taking(rows: u32, cols: i32) -> PieceStep {
        PieceStep { rows, cols, takes: true }
    }
}

/// The pieces of a race: how they step.
///
/// The knowledge needs one property of them: from a cell from which some step reaches the far row
/// on the board, some *taking* step does so too. Then a piece there cannot be blocked.
pub trait PieceSteps: Copy + Debug + Send + Sync + 'static {
    /// The first word of the game's name.
    const GAME: &'static str;
    /// At most four steps.
    const STEPS: &'static [PieceStep];
    /// Whether the order of moves looks at who controls the cell they end on. It saves three quarters
    /// of the nodes with knights and costs nodes with pawns.
    const CONTROL: bool;
    /// Whether few people search the game.
    const RARE: bool;
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
fn open<S: PieceSteps, V: Visitor>(
    mut args: Args,
    entry: &GameEntry,
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
    Ok(if Width::of(rows, cols) == Width::U64 {
        visit(Through::<S, u64>::new(rows, cols, misere), visitor)
    } else {
        visit_wide(Through::<S, u128>::new(rows, cols, misere), visitor)
    })
}

/// Hands the game with its knowledge to the visitor.
fn visit<S: PieceSteps, K: Key, V: Visitor>(rules: Through<S, K>, visitor: V) -> V::Output {
    let knowledge = ThroughKnowledge::new(&rules);
    // The condition is constant: a visitor is compiled for one of the two.
    if const { S::RARE } {
        visitor.visit_rare(rules, knowledge)
    } else {
        visitor.visit(rules, knowledge)
    }
}

/// The same on a wide board.
fn visit_wide<S: PieceSteps, K: Key, V: Visitor>(rules: Through<S, K>, visitor: V) -> V::Output {
    let knowledge = ThroughKnowledge::new(&rules);
    visitor.visit_wide(rules, knowledge)
}

impl<S: PieceSteps, K: Key> Through<S, K> {
    /// The game on `rows` x `cols`.
    ///
    /// # Panics
    /// If the board is smaller than [`MIN_ROWS`] x [`MIN_COLS`] or too large for `K`.
    #[must_use]
    pub fn new(rows: u32, cols: u32, misere: bool) -> Self {
        assert!(rows >= MIN_ROWS && cols >= MIN_COLS, "{rows}x{cols} is too small");
        let board = Board::<K>::new(rows, cols);
        let g = board.grid;
        let far = [g.row(0), g.row(rows - 1)];
        let mut lanes = [Lane::default(); 4];
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
        }
        let packed_sides = g.cells() <= 32;
        let mut mirror = [(0, 0); 8];
        for left in 0..cols / 2 {
            let cells = g.col(left);
            let both = if packed_sides { cells << 32 | cells } else { cells };
            mirror[left as usize] = (cols - 1 - 2 * left, both);
        }
        Through { board, misere, lanes, far, mirror, packed_sides, steps: PhantomData }
    }

    /// Where `pieces` can go by step `i`, whatever stands there.
    #[inline(always)]
    fn shifted(&self, up: bool, pieces: u64, i: usize) -> u64 {
        let lane = &self.lanes[i];
        if up { (pieces & lane.low) << lane.shift } else { (pieces & lane.high) >> lane.shift }
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

    /// The smaller of the position and its mirror image, the stones of the player to move compared first.
    #[inline(always)]
    fn canonical_image(&self, p: &Stones) -> Stones {
        if self.packed_sides {
            let word = p.me << 32 | p.you;
            let least = word.min(self.mirrored(word));
            return Stones { me: least >> 32, you: least & 0xFFFF_FFFF, turn: p.turn };
        }
        let q = p.map(|b| self.mirrored(b));
        if (q.me, q.you) < (p.me, p.you) { q } else { *p }
    }
}

impl<S: PieceSteps, K: Key> Rules for Through<S, K> {
    type Position = Stones;
    type Move = Move;
    type Key = K;

    stones_methods!(turn, key, key_bits, code);

    fn start(&self) -> Stones {
        let g = &self.board.grid;
        let (bottom, top) = (g.row(0) | g.row(1), g.row(g.rows() - 1) | g.row(g.rows() - 2));
        Stones::new(bottom, top, Player::First)
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

    fn codes(&self) -> usize {
        self.board.grid.cells() as usize * 16
    }

    fn images(&self, p: &Stones) -> Images<Stones> {
        [*p, p.map(|b| self.mirrored(b))].into_iter().collect()
    }

    #[inline]
    fn symmetry_key(&self, p: &Stones) -> K {
        self.board.key(&self.canonical_image(p))
    }

    #[inline(always)]
    fn map_move_code(&self, p: &Stones, symmetry_key: K, code: usize) -> Option<usize> {
        if self.board.key(p) == symmetry_key {
            return Some(code);
        }
        let (m, cols) = (code as Move, self.board.grid.cols());
        let (row, col) = (origin(m) / cols, origin(m) % cols);
        let start = self.board.grid.at(row, cols - 1 - col) as Move;
        let PieceStep { rows, cols, .. } = S::STEPS[step(m)];
        let mirrored = S::STEPS.iter().position(|s| (s.rows, s.cols) == (rows, -cols))?;
        Some(usize::from(start << 4 | (mirrored as Move) << 1 | m & (DOWN | TAKES)))
    }
}
