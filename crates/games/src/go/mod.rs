//! Go: area scoring, two passes end the game, no suicide, positional superko.
//!
//! A position holds the stones, the turn, whether the last move was a pass, and the ko: the point that
//! must not be played because that would repeat the previous board. All other boards that must not
//! be repeated belong to the line of play ([`zermelo_game::History`]). As the ko determines the previous
//! board, it is part of that line too, for a position given as text.
//!
//! [`GoKnowledge`] says what is certain about stones that nobody can capture.

pub mod knowledge;
mod notation;
#[cfg(test)]
mod tests;

pub use knowledge::GoKnowledge;

use crate::blocks::Liberties;
use crate::cells::{CellNumber, CellSet, WideKey, WideSet};
use crate::registry::Visitor;
use crate::stones::{Board, MAX_WIDE_CELLS, Stones, fits};
use crate::symmetry::Symmetry;
use zermelo_game::{
    Args, Bits, Bounds, GameEntry, Grid, Images, Key, MoveList, ParseError, Player, Rules, Superko,
    Value, superko::stones,
};

/// The catalogue's line.
pub const ENTRY: GameEntry = GameEntry {
    name: "go",
    usage: "go ROWSxCOLS [komi NUMBER]",
    example: "go 3x3",
    summary: "area scoring, positional superko; without komi the value is the score",
    help: "ROWSxCOLS is the board. With komi, a number of points for the second player such as 7.5, the value is \
           who wins; without, by how many points.",
};

/// The most points of a board whose keys have 64 bits: two bits each, the turn, two bits for passes and five for the ko.
pub const MAX_SMALL: u32 = 28;

/// Opens `go ROWSxCOLS [komi NUMBER]`.
pub fn open<V: Visitor>(mut args: Args, visitor: V) -> Result<V::Output, ParseError> {
    let usage = "a number of points for the second player, such as 8.5";
    let komi = match args.option("komi", usage)? {
        None => None,
        Some((at, word)) => {
            Some(notation::read_komi(word).ok_or_else(|| args.error_at(at, usage))?)
        }
    };
    let usage = format!("ROWSxCOLS of at most {MAX_WIDE_CELLS} points, such as 3x3");
    let [rows, cols] = args.need_size(&usage, fits)?;
    args.end(ENTRY.usage)?;
    Ok(if rows * cols <= MAX_SMALL {
        visitor.visit_superko(Go::<u64>::new(rows, cols, komi), GoKnowledge)
    } else {
        visitor.visit_wide_superko(Go::<WideKey, WideSet>::new(rows, cols, komi), GoKnowledge)
    })
}

/// A position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position<B: CellSet = u64> {
    /// The stones and whose turn it is.
    pub stones: Stones<B>,
    /// Passes in a row just before: 0, 1, or 2 where the game is over.
    pub passes: u8,
    /// The point where a stone of the player to move would repeat the previous board.
    ko: B::Cell,
}

impl<B: CellSet> Position<B> {
    /// No ko.
    const NO_KO: B::Cell = B::Cell::MAX;

    fn fresh(stones: Stones<B>) -> Position<B> {
        Position { stones, passes: 0, ko: Self::NO_KO }
    }

    /// The point that the ko forbids, as a set.
    #[inline(always)]
    fn ko_set(&self) -> B {
        if self.ko == Self::NO_KO { B::EMPTY } else { B::cell(self.ko.number()) }
    }
}

/// Go on a board. Keys are twice as wide as sets are long, so that both colours fit the halves of one.
#[derive(Clone, Debug)]
pub struct Go<K = u64, B = u64> {
    board: Board<K, B>,
    /// That of boards.
    symmetry: Symmetry<K>,
    /// In thousandths of a point.
    komi: Option<i32>,
}

impl<K: Key + Bits, B: CellSet> Go<K, B> {
    /// The move that is none.
    pub const PASS: B::Cell = B::Cell::MAX;

    /// The game on `rows` x `cols`, with komi in thousandths of a point.
    ///
    /// # Panics
    /// If the types are too small for the board.
    #[must_use]
    pub fn new(rows: u32, cols: u32, komi: Option<i32>) -> Go<K, B> {
        let go = Go {
            board: Board::new(rows, cols),
            symmetry: Symmetry::new(&Grid::new(rows, cols)),
            komi,
        };
        assert!(go.key_bits() <= K::BITS, "{rows}x{cols} needs longer keys");
        assert!(rows * cols <= K::CELLS / 2, "{rows}x{cols} needs longer boards");
        go
    }

    fn grid(&self) -> &Grid<B> {
        &self.board.grid
    }

    /// The points on which the player to move may put a stone, superko apart.
    #[inline]
    fn legal(&self, p: &Position<B>) -> B {
        let (grid, Stones { me, you, .. }) = (self.grid(), p.stones);
        let empty = grid.full() & !(me | you);
        // Beside an empty point, beside a block with a liberty to spare, or where it takes one.
        let open = grid.neighbours(empty) & empty;
        let [mine, yours] = [me, you].map(|stones| Liberties::of(grid, stones, empty));
        (open | mine.spare | yours.last) & !p.ko_set()
    }

    /// The position after a stone on point `m`.
    #[inline]
    fn put(&self, p: &Position<B>, m: B::Cell) -> Position<B> {
        let (grid, Stones { me, you, turn }) = (self.grid(), p.stones);
        let stone = B::cell(m.number());
        let me = me | stone;
        let taken = captured(grid, stone, me, you);
        let you = you & !taken;
        let empty = grid.full() & !(me | you);
        let beside = grid.neighbours(stone);
        // One stone taken by one that stands alone and can only be taken from there.
        let one = !taken.is_empty() && taken.without_lowest().is_empty();
        let is_ko = one && (beside & me).is_empty() && beside & empty == taken;
        let ko = if is_ko { B::Cell::of(taken.lowest()) } else { Position::<B>::NO_KO };
        Position { stones: Stones { me, you, turn }.swapped(), passes: 0, ko }
    }

    /// The points of both players by area, first less second.
    #[must_use]
    pub fn score(&self, stones: &Stones<B>) -> Value {
        let grid = self.grid();
        let (first, second) = (stones.of(Player::First), stones.of(Player::Second));
        let empty = grid.full() & !stones.all();
        let reach = |s: B| grid.flood(grid.neighbours(s) & empty, empty);
        let (by_first, by_second) = (reach(first), reach(second));
        let area = |s: B, mine: B, other: B| (s | (mine & !other)).count() as Value;
        area(first, by_first, by_second) - area(second, by_second, by_first)
    }

    /// What a score is worth: itself, or who wins after komi.
    #[inline]
    fn worth(&self, score: Value) -> Value {
        match self.komi {
            None => score,
            Some(komi) => (i32::from(score) * 1000 - komi).signum() as Value,
        }
    }

    /// The image under a symmetry.
    fn image(&self, p: &Position<B>, which: u8) -> Position<B> {
        let Stones { me, you, turn } = p.stones;
        let x = self.symmetry.image(which, pair(me, you));
        let [me, you] = [Player::First, Player::Second].map(|half| stones(x, half).cast());
        let ko = match p.ko == Position::<B>::NO_KO {
            true => p.ko,
            false => B::Cell::of(self.symmetry.image(which, p.ko_set().cast()).lowest()),
        };
        Position { stones: Stones { me, you, turn }, ko, ..*p }
    }
}

/// Two sets of points in the halves of a board.
#[inline(always)]
fn pair<K: Key + Bits, B: CellSet>(low: B, high: B) -> K {
    K::join(low, high, K::CELLS / 2)
}

/// The opponent's blocks that have no liberty once `stone` is among the stones of `me`.
#[inline]
fn captured<B: Bits>(grid: &Grid<B>, stone: B, me: B, you: B) -> B {
    let mut taken = B::EMPTY;
    let mut beside = grid.neighbours(stone) & you;
    while !beside.is_empty() {
        let block = grid.flood(beside.lowest_alone(), you);
        if (grid.neighbours(block) & !(me | you) & grid.full()).is_empty() {
            taken |= block;
        }
        beside &= !block;
    }
    taken
}

impl<K: Key + Bits, B: CellSet> Rules for Go<K, B> {
    type Position = Position<B>;
    type Move = B::Cell;
    type Key = K;

    const SUPERKO: bool = true;

    fn start(&self) -> Position<B> {
        Position::fresh(Stones::none())
    }

    fn turn(&self, p: &Position<B>) -> Player {
        p.stones.turn
    }

    fn outcome(&self, p: &Position<B>) -> Option<Value> {
        (p.passes == 2).then(|| self.worth(self.score(&p.stones)))
    }

    fn moves(&self, p: &Position<B>, out: &mut MoveList<B::Cell>) {
        self.legal(p).cells().for_each(|c| out.push(B::Cell::of(c)));
        out.push(Self::PASS);
    }

    #[inline]
    fn play(&self, p: &Position<B>, m: B::Cell) -> Position<B> {
        if m == Self::PASS {
            Position { stones: p.stones.swapped(), passes: p.passes + 1, ko: Position::<B>::NO_KO }
        } else {
            self.put(p, m)
        }
    }

    /// The key of the stones, then passes and ko.
    fn key(&self, p: &Position<B>) -> K {
        let ko = p.ko.number().wrapping_add(1) & B::Cell::MAX.number();
        let more = u64::from(ko << 2 | u32::from(p.passes));
        self.board.key(&p.stones) | K::of(more) << self.board.key_bits()
    }

    fn code(&self, m: B::Cell) -> usize {
        if m == Self::PASS { self.grid().cells() as usize } else { m.into() }
    }

    fn codes(&self) -> usize {
        self.grid().cells() as usize + 1
    }

    fn key_bits(&self) -> u32 {
        self.board.key_bits() + 2 + (self.grid().cells() + 1).next_power_of_two().ilog2()
    }

    fn images(&self, p: &Position<B>) -> Images<Position<B>> {
        (0..self.symmetry.count()).map(|which| self.image(p, which)).collect()
    }

    fn values(&self) -> Bounds {
        let cells = self.grid().cells() as Value;
        if self.komi.is_some() { Bounds::new(-1, 1) } else { Bounds::new(-cells, cells) }
    }
}

impl<K: Key + Bits, B: CellSet> Superko for Go<K, B> {
    fn board(&self, p: &Position<B>) -> K {
        pair(p.stones.of(Player::First), p.stones.of(Player::Second))
    }

    /// The stone on the ko point takes back the one that took it.
    fn board_before(&self, p: &Position<B>) -> Option<K> {
        (p.ko != Position::<B>::NO_KO).then(|| {
            let Stones { me, you, turn } = p.stones;
            let me = me | p.ko_set();
            let you = you & !captured(self.grid(), p.ko_set(), me, you);
            self.board(&Position::fresh(Stones { me, you, turn }))
        })
    }
}
