//! Go on small boards: area scoring, two passes end the game, no suicide, positional superko.
//!
//! A position holds the stones, the turn, whether the last move was a pass, and the ko: the point that
//! may not be played because that would bring the board before back. All other boards that may not
//! come back belong to the line of play ([`zermelo_game::History`]). As the ko says what the board
//! before was, it is part of that line too, for a position given as text.
//!
//! [`knowledge`] says what is certain about stones that nobody can capture.

pub mod knowledge;
mod notation;
#[cfg(test)]
mod tests;

use crate::blocks::Blocks;
use crate::registry::{Args, Entry, Visitor};
use crate::stones::{Board, Stones};
use crate::symmetry::Symmetry;
use zermelo_game::{
    Bits, Bounds, Claim, Footprint, Game, Grid, Guard, Images, MoveList, ParseError, Picture,
    Player, Style, Value,
};

/// The catalogue's line.
pub const ENTRY: Entry = Entry {
    name: "go",
    usage: "go ROWSxCOLS [komi NUMBER]",
    example: "go 3x3",
    summary: "area scoring, positional superko; without komi the value is the score",
};

/// The most points a board may have.
pub const MAX_POINTS: u32 = 25;

/// Opens `go ROWSxCOLS [komi NUMBER]`.
pub fn open<V: Visitor>(mut args: Args, visitor: V) -> Result<V::Output, ParseError> {
    let usage = "a number of points for the second player, such as 8.5";
    let komi = match args.option("komi", usage)? {
        None => None,
        Some((at, word)) => {
            Some(notation::read_komi(word).ok_or_else(|| args.error_at(at, usage))?)
        }
    };
    let usage = format!("ROWSxCOLS, up to {MAX_POINTS} points, such as 3x3");
    let fits =
        |[rows, cols]: [u32; 2]| (1..=MAX_POINTS).contains(&rows.checked_mul(cols).unwrap_or(0));
    let [rows, cols] = args.need_size(&usage, fits)?;
    args.end(ENTRY.usage)?;
    Ok(visitor.visit(Go::new(rows, cols, komi)))
}

/// The number that stands for a pass among the moves.
pub const PASS: u8 = u8::MAX;
/// No ko.
const NO_KO: u8 = u8::MAX;

/// A position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// The stones and whose turn it is.
    pub stones: Stones,
    /// Passes in a row just before: 0, 1, or 2 where the game is over.
    pub passes: u8,
    /// The point where the player to move would bring the board before back.
    ko: u8,
}

impl Position {
    fn fresh(stones: Stones) -> Position {
        Position { stones, passes: 0, ko: NO_KO }
    }

    /// The point that the ko forbids, as a set.
    #[inline(always)]
    fn ko_set(&self) -> u64 {
        if self.ko == NO_KO { 0 } else { 1 << self.ko }
    }
}

/// Go on a board.
#[derive(Clone, Debug)]
pub struct Go {
    board: Board<u64>,
    symmetry: Symmetry,
    /// In thousandths of a point.
    komi: Option<i32>,
}

impl Go {
    /// The game on `rows` x `cols`, with komi in thousandths of a point.
    #[must_use]
    pub fn new(rows: u32, cols: u32, komi: Option<i32>) -> Go {
        let board = Board::new(rows, cols);
        Go { symmetry: Symmetry::new(&board.grid), board, komi }
    }

    fn grid(&self) -> &Grid<u64> {
        &self.board.grid
    }

    /// The points on which the player to move may put a stone, superko apart.
    #[inline]
    fn legal(&self, p: &Position) -> u64 {
        let (grid, Stones { me, you, .. }) = (self.grid(), p.stones);
        let empty = grid.full() & !(me | you);
        // Beside an empty point, beside a block with a liberty to spare, or where it takes one.
        let open = grid.neighbours(empty) & empty;
        let spare = Blocks::of(grid, me, empty).liberties().spare;
        (open | spare | Blocks::of(grid, you, empty).liberties().last) & !p.ko_set()
    }

    /// The position after a stone on point `m`.
    #[inline]
    fn put(&self, p: &Position, m: u8) -> Position {
        let (grid, Stones { me, you, turn }) = (self.grid(), p.stones);
        let stone = 1u64 << m;
        let me = me | stone;
        let taken = captured(grid, stone, me, you);
        let you = you & !taken;
        let empty = grid.full() & !(me | you);
        let beside = grid.neighbours(stone);
        // One stone taken by one that stands alone and can only be taken from there.
        let is_ko = taken.count() == 1 && beside & me == 0 && beside & empty == taken;
        let ko = if is_ko { taken.lowest() as u8 } else { NO_KO };
        Position { stones: Stones { me, you, turn }.swapped(), passes: 0, ko }
    }

    /// The points of both players by area, first less second.
    #[must_use]
    pub fn score(&self, stones: &Stones) -> Value {
        let grid = self.grid();
        let (first, second) = (stones.of(Player::First), stones.of(Player::Second));
        let empty = grid.full() & !stones.all();
        let reach = |s: u64| grid.flood(grid.neighbours(s) & empty, empty);
        let (by_first, by_second) = (reach(first), reach(second));
        let area = |s: u64, mine: u64, other: u64| (s | (mine & !other)).count() as Value;
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

    fn worth_of(&self, bounds: Bounds) -> Bounds {
        Bounds { lo: self.worth(bounds.lo), hi: self.worth(bounds.hi) }
    }

    /// The image under a symmetry.
    fn image(&self, p: &Position, which: u8) -> Position {
        let Stones { me, you, turn } = p.stones;
        let x = self.symmetry.image(which, me | you << 32);
        let ko = match p.ko {
            NO_KO => NO_KO,
            _ => self.symmetry.image(which, p.ko_set()).lowest() as u8,
        };
        Position { stones: Stones { me: x & 0xFFFF_FFFF, you: x >> 32, turn }, ko, ..*p }
    }
}

/// The opponent's blocks that have no liberty once `stone` is among the stones of `me`.
#[inline]
fn captured(grid: &Grid<u64>, stone: u64, me: u64, you: u64) -> u64 {
    let mut taken = 0;
    let mut beside = grid.neighbours(stone) & you;
    while beside != 0 {
        let block = grid.flood(beside & beside.wrapping_neg(), you);
        if grid.neighbours(block) & !(me | you) & grid.full() == 0 {
            taken |= block;
        }
        beside &= !block;
    }
    taken
}

impl Game for Go {
    type Position = Position;
    type Move = u8;
    type Key = u64;

    const SUPERKO: bool = true;

    fn name(&self) -> String {
        let size = format!("go {}x{}", self.grid().rows(), self.grid().cols());
        match self.komi {
            None => size,
            Some(komi) => format!("{size} komi {}", notation::write_komi(komi)),
        }
    }

    fn rules(&self) -> String {
        "The players put stones on empty points in turn, or pass. Stones of one colour that are linked \
         along the lines form a block; its liberties are the empty points beside it. A move that takes \
         the last liberty of opposing blocks captures them. A move may not leave one's own block \
         without a liberty (no suicide), and it may not bring back a board that stood before, whoever \
         was to move then (positional superko); passing is always allowed. Two passes in a row end the \
         game. A player's score is the number of points with a stone of their colour and of empty \
         points from which only their colour can be reached (area); all stones that are left on the \
         board count. Without komi the value is the first player's score less the second's; with komi, \
         which is added to the second player's score, it is who has more. A position given as text \
         comes without a history: only its own board, and the board before where it names a ko, \
         may not come back. Moves that follow make a history."
            .into()
    }

    fn start(&self) -> Position {
        Position::fresh(Stones::new(0, 0, Player::First))
    }

    fn turn(&self, p: &Position) -> Player {
        p.stones.turn
    }

    fn values(&self) -> Bounds {
        let cells = self.grid().cells() as Value;
        if self.komi.is_some() { Bounds::new(-1, 1) } else { Bounds::new(-cells, cells) }
    }

    fn outcome(&self, p: &Position) -> Option<Value> {
        (p.passes == 2).then(|| self.worth(self.score(&p.stones)))
    }

    fn moves(&self, p: &Position, out: &mut MoveList<u8>) {
        self.legal(p).cells().for_each(|c| out.push(c as u8));
        out.push(PASS);
    }

    #[inline]
    fn play(&self, p: &Position, m: u8) -> Position {
        if m == PASS {
            Position { stones: p.stones.swapped(), passes: p.passes + 1, ko: NO_KO }
        } else {
            self.put(p, m)
        }
    }

    /// The key of the stones, then passes and ko.
    fn key(&self, p: &Position) -> u64 {
        let more = u64::from(p.ko.wrapping_add(1)) << 2 | u64::from(p.passes);
        self.board.key(&p.stones) | more << self.board.key_bits()
    }

    fn key_bits(&self) -> u32 {
        self.board.key_bits() + 2 + (self.grid().cells() + 1).next_power_of_two().ilog2()
    }

    fn code(&self, m: u8) -> usize {
        if m == PASS { self.grid().cells() as usize } else { m.into() }
    }

    fn codes(&self) -> usize {
        self.grid().cells() as usize + 1
    }

    fn move_text(&self, _: &Position, m: u8) -> String {
        if m == PASS { "pass".into() } else { self.grid().cell_name(m.into()) }
    }

    fn position_text(&self, p: &Position) -> String {
        notation::write(self, p)
    }

    fn parse_position(&self, text: &str) -> Result<Position, ParseError> {
        notation::read(self, text)
    }

    fn picture(&self, p: &Position) -> Picture {
        self.board.picture(&p.stones, Style::Crossings)
    }

    fn footprint(&self, _: &Position, m: u8) -> Option<Footprint> {
        (m != PASS).then_some(Footprint::at(m.into()))
    }

    fn images(&self, p: &Position) -> Images<Position> {
        (0..self.symmetry.count()).map(|which| self.image(p, which)).collect()
    }

    fn canonical(&self, p: &Position) -> Position {
        self.framed(p).0
    }

    fn static_bounds(&self, p: &Position) -> Bounds {
        match self.outcome(p) {
            Some(value) => Bounds::exact(value),
            None => self.worth_of(knowledge::certain(self.grid(), p)),
        }
    }

    fn board(&self, p: &Position) -> u64 {
        p.stones.of(Player::First) | p.stones.of(Player::Second) << 32
    }

    /// The stone on the ko point takes back the one that took it.
    fn board_before(&self, p: &Position) -> Option<u64> {
        (p.ko != NO_KO).then(|| {
            let Stones { me, you, turn } = p.stones;
            let me = me | p.ko_set();
            let you = you & !captured(self.grid(), p.ko_set(), me, you);
            self.board(&Position::fresh(Stones { me, you, turn }))
        })
    }

    fn claim(&self, p: &Position, claimant: Player) -> Claim {
        let sign = claimant.sign();
        match self.outcome(p) {
            Some(value) => Claim { value: value * sign, guard: Guard::default() },
            None => {
                let Claim { value, guard } = knowledge::claim(self.grid(), p, claimant);
                Claim { value: self.worth(value * sign) * sign, guard }
            }
        }
    }

    #[inline]
    fn framed(&self, p: &Position) -> (Position, u8) {
        let (_, mut which) = self.symmetry.smallest(self.board(p));
        if p.ko != NO_KO {
            // The board may have symmetries of its own that move the ko.
            let images = 0..self.symmetry.count();
            which = images
                .min_by_key(|&i| {
                    let image = self.symmetry.image(i, self.board(p));
                    (image, self.symmetry.image(i, p.ko_set()))
                })
                .unwrap_or(which);
        }
        (self.image(p, which), which)
    }

    #[inline]
    fn canonical_board(&self, board: u64) -> u64 {
        self.symmetry.smallest(board).0
    }

    #[inline]
    fn mapped(&self, board: u64, symmetry: u8, inverse: bool) -> u64 {
        if inverse {
            self.symmetry.preimage(symmetry, board)
        } else {
            self.symmetry.image(symmetry, board)
        }
    }

    fn relevant(&self, p: &Position, out: &mut MoveList<u8>) -> Value {
        knowledge::order(self.grid(), p, self.legal(p), out);
        self.values().seen_by(p.stones.turn).lo
    }
}
