//! A hunt: capture one block on a wide board. The game of the capture problems of [`captures`](crate::captures).
//!
//! The first player, the *hunter*, who moves first, wants to capture the marked block of the second, the *target*.
//! The rules are those of Go but for what keeps a problem of this kind short, as in Yoshizoe's experiments
//! (2008): the target has escaped when it has [`ESCAPED`] liberties, or when the hunter has put [`STONES`]
//! stones; and any other capture by the hunter counts as much as the target's. The second player may capture
//! stones of the hunter, too; that is an answer to an atari like others. All moves are there, on boards of up
//! to 121 points, except those of the second player after which the hunter captures at once. Nothing else is
//! known of the game: which moves matter is for the search to find out.
//!
//! **Why replies may be left out.** A hunter who can take a last liberty wins at once. So a move of the second
//! player loses that leaves a block of its own with one liberty, unless it ends the game, as the escape
//! of the target does. A stone that captures nothing changes no block of its own side but the one it makes: with a
//! block in atari it has to be put on the last liberty, and otherwise it is fine if the block it makes has two
//! liberties. Stones that capture are tried out.
//!
//! **The key** lists the stones that were put, seven bits each, first the second player's, which never leave the
//! board while the game goes on and so count the plies, then the hunter's; then a bit for each of the hunter's
//! stones at the start, which may have been captured, and one for the turn. A board never comes back, as the second
//! player's stones only grow in number.

use arrayvec::ArrayVec;
use zermelo_game::{
    Bits, Bounds, Cell, Footprint, Game, Grid, MoveList, ParseError, Picture, Player, Style, Value,
};

/// A target with so many liberties has escaped.
pub const ESCAPED: u32 = 5;
/// The hunter has so many stones to put.
pub const STONES: u32 = 8;
/// The hunter starts with so many at most.
pub const GIVEN: u32 = 15;
/// Bits of a stone in a key.
const STONE_BITS: u32 = 7;
/// The most blocks of one side.
const MOST: usize = 64;

/// The stones of both players; index by [`Player::index`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    stones: [u128; 2],
    turn: Player,
}

/// A hunt that begins with some stones on the board.
#[derive(Clone, Debug)]
pub struct Hunt {
    grid: Grid<u128>,
    /// The stones at the start.
    given: [u128; 2],
    /// One stone of the target.
    target: u128,
    /// Whether the hunter keeps near the target.
    near: bool,
}

/// The liberties of the blocks of one side.
type Blocks = ArrayVec<u128, MOST>;

impl Hunt {
    /// The hunt for the block of the second player that holds the point `target`. `None` if there is
    /// none, the board has more than 121 points, the hunter more than [`GIVEN`] stones, a block has no liberty, or the target has escaped.
    #[must_use]
    pub fn new(rows: u32, cols: u32, given: [u128; 2], target: u32) -> Option<Hunt> {
        if rows * cols > 121 || given[0].count() > GIVEN {
            return None;
        }
        let game = Hunt { grid: Grid::new(rows, cols), given, target: 1 << target, near: false };
        let p = game.start();
        let sane = given[0] & given[1] == 0 && game.target & given[1] != 0;
        let alive = |player| game.blocks(&p, player).iter().all(|l| *l != 0);
        let ok = sane
            && alive(Player::First)
            && alive(Player::Second)
            && game.liberties_of_target(&p).count() < ESCAPED;
        ok.then_some(game)
    }

    /// The same hunt, in which the hunter plays only within three steps of the target: a win of such a hunter
    /// is a win of any, and found with much less effort.
    #[must_use]
    pub fn selective(&self) -> Hunt {
        Hunt { near: true, ..self.clone() }
    }

    /// The points within three steps of the target.
    fn around(&self, p: &Position) -> u128 {
        let block = self.grid.flood(self.target, p.stones[Player::Second.index()]);
        (0..3).fold(block, |near, _| near | self.grid.neighbours(near))
    }

    /// The board.
    #[must_use]
    pub fn grid(&self) -> &Grid<u128> {
        &self.grid
    }

    /// The point that was marked.
    #[must_use]
    pub fn target(&self) -> u32 {
        self.target.lowest()
    }

    fn empty(&self, p: &Position) -> u128 {
        self.grid.full() & !(p.stones[0] | p.stones[1])
    }

    fn blocks(&self, p: &Position, player: Player) -> Blocks {
        let (mut rest, empty) = (p.stones[player.index()], self.empty(p));
        let mut blocks = Blocks::new();
        while rest != 0 {
            let block = self.grid.flood(rest & rest.wrapping_neg(), rest);
            rest &= !block;
            blocks.push(self.grid.neighbours(block) & empty);
        }
        blocks
    }

    /// The smallest number of liberties of a block of this player other than the target.
    #[must_use]
    pub fn weakest(&self, p: &Position, player: Player) -> u32 {
        let stones = p.stones[player.index()];
        let others = stones & !self.grid.flood(self.target, stones);
        let q = Position { stones: [others, others], turn: p.turn };
        let empty = self.empty(p);
        self.blocks(&q, player).iter().map(|l| (l & empty).count()).min().unwrap_or(ESCAPED)
    }

    /// The liberties of the target.
    #[must_use]
    pub fn liberties_of_target(&self, p: &Position) -> u128 {
        let stones = p.stones[Player::Second.index()];
        self.grid.neighbours(self.grid.flood(self.target, stones)) & self.empty(p)
    }

    /// The liberties of the block that a stone on `cell` makes.
    #[inline(always)]
    fn joined(&self, blocks: &Blocks, empty: u128, cell: u128) -> u128 {
        let beside = self.grid.neighbours(cell) & empty;
        blocks.iter().fold(beside, |all, l| if l & cell == 0 { all } else { all | l }) & !cell
    }

    /// How many stones the hunter has put.
    fn put(&self, p: &Position) -> u32 {
        (p.stones[1] & !self.given[1]).count() + p.turn.index() as u32
    }

    /// The last liberties of blocks that have only one.
    fn last(blocks: &Blocks) -> u128 {
        blocks.iter().filter(|l| l.without_lowest() == 0).fold(0, |all, l| all | l)
    }

    /// What the rules and one capture ahead say for the player to move.
    fn read(&self, p: &Position) -> Reading {
        let mine = self.blocks(p, p.turn);
        if mine.contains(&0) {
            return Reading::Lost;
        }
        let hunts = p.turn == Player::First;
        let free = self.liberties_of_target(p);
        let out_of_stones = self.put(p) == STONES;
        if out_of_stones || free.count() >= ESCAPED {
            return if hunts { Reading::Lost } else { Reading::Over };
        }
        let captures = Hunt::last(&self.blocks(p, p.turn.other()));
        match hunts {
            true => self.hunting(p, &mine, captures),
            false => self.fleeing(p, &mine, free, captures),
        }
    }

    fn hunting(&self, p: &Position, mine: &Blocks, captures: u128) -> Reading {
        if captures != 0 {
            return Reading::Won(captures.lowest());
        }
        if self.put(p) == STONES - 1 {
            return Reading::Moves(0);
        }
        let empty = self.empty(p);
        let places = if self.near { empty & self.around(p) } else { empty };
        let roomy = self.grid.neighbours(empty) & places;
        let tight = (places & !roomy).cells().filter(|&c| self.joined(mine, empty, 1 << c) != 0);
        Reading::Moves(tight.fold(roomy, |all, c| all | 1 << c))
    }

    fn fleeing(&self, p: &Position, mine: &Blocks, free: u128, captures: u128) -> Reading {
        let empty = self.empty(p);
        let frees = |&c: &u32| match captures.has(c) {
            true => self.liberties_of_target(&self.play(p, c as u8)).count() >= ESCAPED,
            false => self.joined(mine, empty, 1 << c).count() >= ESCAPED,
        };
        if let Some(cell) = (free | captures).cells().find(frees) {
            return Reading::Won(cell);
        }
        let sound = |cell: u32| match captures.has(cell) {
            true => {
                let next = self.play(p, cell as u8);
                self.blocks(&next, p.turn).iter().all(|l| l.without_lowest() != 0)
            }
            false => self.joined(mine, empty, 1 << cell).without_lowest() != 0,
        };
        let collect =
            |cells: u128| cells.cells().filter(|&c| sound(c)).fold(0, |all: u128, c| all | 1 << c);
        let saves = Hunt::last(mine);
        if saves != 0 {
            let only = if saves.without_lowest() == 0 { saves } else { 0 };
            return Reading::Moves(collect(captures | only));
        }
        let g = &self.grid;
        let (n, s, e, w) = (g.north(empty), g.south(empty), g.east(empty), g.west(empty));
        let wide = ((n & s) | (e & w) | ((n | s) & (e | w))) & empty & !captures;
        Reading::Moves(wide | collect(empty & !wide))
    }

    /// The points on which the player to move may put a stone.
    fn legal(&self, p: &Position) -> u128 {
        let empty = self.empty(p);
        let (mine, yours) = (self.blocks(p, p.turn), self.blocks(p, p.turn.other()));
        let captures = Hunt::last(&yours);
        let fine = |&c: &u32| captures.has(c) || self.joined(&mine, empty, 1 << c) != 0;
        empty.cells().filter(fine).fold(0, |all, c| all | 1 << c)
    }
}

/// What is known of a position, for the player to move.
enum Reading {
    /// The game is over and won.
    Over,
    /// The game is over and lost.
    Lost,
    /// A move wins.
    Won(u32),
    /// The moves worth a look; without any the position is lost.
    Moves(u128),
}

impl Game for Hunt {
    type Position = Position;
    type Move = u8;
    type Key = u128;

    const SIFTED: bool = true;

    fn name(&self) -> String {
        let g = &self.grid;
        format!("hunt {}x{} {}", g.rows(), g.cols(), g.cell_name(self.target()))
    }

    fn rules(&self) -> String {
        format!(
            "The players put stones on empty points in turn, as in Go; suicide is forbidden. The first player \
             wins by a capture of any block. The second takes captured stones off the board, and wins when \
             the block with the stone {} has {ESCAPED} liberties or the first has put {STONES} stones. A \
             player without a legal move loses.",
            self.grid.cell_name(self.target())
        )
    }

    fn start(&self) -> Position {
        Position { stones: self.given, turn: Player::First }
    }

    fn turn(&self, p: &Position) -> Player {
        p.turn
    }

    fn outcome(&self, p: &Position) -> Option<Value> {
        match self.read(p) {
            Reading::Over => Some(p.turn.sign()),
            Reading::Lost => Some(-p.turn.sign()),
            _ => (self.legal(p) == 0).then_some(-p.turn.sign()),
        }
    }

    fn moves(&self, p: &Position, out: &mut MoveList<u8>) {
        self.legal(p).cells().for_each(|c| out.push(c as u8));
    }

    fn play(&self, p: &Position, m: u8) -> Position {
        let mut stones = p.stones;
        stones[p.turn.index()] |= 1 << m;
        let mut next = Position { stones, turn: p.turn.other() };
        // A capture by the hunter ends the game: the stones are left to show it.
        if p.turn == Player::Second && self.grid.neighbours(1 << m) & stones[0] != 0 {
            let beside = self.grid.neighbours(self.empty(&next)) & stones[0];
            next.stones[0] = self.grid.flood(beside, stones[0]);
        }
        next
    }

    fn key(&self, p: &Position) -> u128 {
        let list = |i: usize| {
            let put = p.stones[i] & !self.given[i];
            put.cells().fold(0, |key, c| key << STONE_BITS | u128::from(c + 1))
        };
        let there =
            self.given[0].cells().fold(0, |key, c| key << 1 | u128::from(p.stones[0].has(c)));
        let lists = list(1) << (STONE_BITS * STONES) | list(0);
        (lists << GIVEN | there) << 1 | p.turn.index() as u128
    }

    fn key_bits(&self) -> u32 {
        2 * STONE_BITS * STONES + GIVEN + 1
    }

    fn code(&self, m: u8) -> usize {
        m.into()
    }

    fn codes(&self) -> usize {
        self.grid.cells() as usize
    }

    fn move_text(&self, _: &Position, m: u8) -> String {
        self.grid.cell_name(m.into())
    }

    fn position_text(&self, p: &Position) -> String {
        self.grid.write(p.turn, |c| match p.stones.map(|s| s.has(c)) {
            [true, _] => 'x',
            [_, true] => 'o',
            _ => '.',
        })
    }

    /// The second player's stones of the start have to be there, with others that tell how many the hunter
    /// has put; and no block without a liberty but of a second player who is to move.
    fn parse_position(&self, text: &str) -> Result<Position, ParseError> {
        let mut stones = [0u128; 2];
        let turn = self.grid.read(text, ".xo", |cell, glyph| {
            match glyph {
                'x' => stones[0] |= 1 << cell,
                'o' => stones[1] |= 1 << cell,
                _ => {}
            }
            true
        })?;
        let p = Position { stones, turn };
        let error = |expected: &str| Err(ParseError::new("position", text, 0, expected));
        if self.given[1] & !stones[1] != 0 {
            return error("the second player's stones of the start, and others");
        }
        if self.put(&p) > STONES || (stones[0] & !self.given[0]).count() > self.put(&p) {
            return error(
                "as many stones put by the first as by the second, or one more if that is to move",
            );
        }
        let whole = |player| !self.blocks(&p, player).contains(&0);
        let caught = turn == Player::Second && !whole(Player::Second);
        let fine = caught || whole(Player::First) && whole(Player::Second);
        if !fine {
            return error(
                "blocks with liberties, unless the second player is to move and captured",
            );
        }
        Ok(p)
    }

    fn picture(&self, p: &Position) -> Picture {
        Picture::board(self.grid.rows(), self.grid.cols(), Style::Crossings, |c| {
            match p.stones.map(|s| s.has(c)) {
                [true, _] => Cell::First,
                [_, true] => Cell::Second,
                _ => Cell::Empty,
            }
        })
    }

    fn footprint(&self, _: &Position, m: u8) -> Option<Footprint> {
        Some(Footprint::at(m.into()))
    }

    fn static_bounds(&self, p: &Position) -> Bounds {
        match self.read(p) {
            Reading::Over | Reading::Won(_) => Bounds::exact(p.turn.sign()),
            Reading::Lost | Reading::Moves(0) => Bounds::exact(-p.turn.sign()),
            Reading::Moves(_) => Bounds::new(-1, 1),
        }
    }

    fn relevant(&self, p: &Position, out: &mut MoveList<u8>) -> Value {
        match self.read(p) {
            Reading::Over => 1,
            Reading::Lost => -1,
            Reading::Won(cell) => {
                out.push(cell as u8);
                1
            }
            Reading::Moves(moves) => {
                moves.cells().for_each(|c| out.push(c as u8));
                -1
            }
        }
    }

    fn plies_left(&self, p: &Position) -> u32 {
        2 * (STONES - self.put(p)) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use zermelo_game::{Limits, Stop, conformance};
    use zermelo_search::minimax;
    use zermelo_search::proofnumber::dfpn::{Config, Dfpn};

    fn hunt(rows: u32, cols: u32, target: u32, text: &str) -> Hunt {
        let mut given = [0; 2];
        let read = |cell, glyph| {
            match glyph {
                'x' => given[0] |= u128::cell(cell),
                'o' => given[1] |= u128::cell(cell),
                _ => {}
            }
            true
        };
        Grid::<u128>::new(rows, cols).read(text, ".xo", read).unwrap();
        Hunt::new(rows, cols, given, target).unwrap()
    }

    #[test]
    fn conforms() {
        for (rows, cols, target, text) in [
            (3, 4, 6, "...x/..o./.x.. first"),
            (4, 4, 9, ".x../.o../.x.x/.... first"),
            (3, 3, 4, ".../.o./..x first"),
            (5, 5, 11, "...../.x.../.ox../.xo../...o. first"),
        ] {
            conformance::check(&hunt(rows, cols, target, text));
        }
    }

    #[test]
    fn a_ladder_and_an_escape() {
        // One step from the edge: atari after atari.
        let caught = hunt(5, 5, 6, "...../...../.x.../.ox../.x... first");
        let p = caught.start();
        assert_eq!(caught.liberties_of_target(&p).count(), 1);
        assert_eq!(caught.static_bounds(&p), Bounds::exact(1));
        // In the open, two stones in a row have six liberties.
        let free = hunt(5, 5, 12, "...../...../..o../...../x.... first");
        let p = free.play(&free.start(), free.parse_move(&free.start(), "a2").unwrap());
        assert_eq!(free.static_bounds(&p), Bounds::exact(-1));
    }

    #[test]
    fn a_capture_answers_an_atari() {
        // b1 is in atari; a1 takes the hunter's a2 (its last liberty) and so makes room.
        let game = hunt(4, 4, 1, "..../o.../xox./.ox. first");
        let p = Position { turn: Player::Second, ..game.start() };
        let after = game.play(&p, game.parse_move(&p, "a1").unwrap());
        assert_eq!(after.stones[0] & 0b1_0000, 0, "a2 is gone");
        assert_eq!(game.turn(&after), Player::First);
    }

    /// Random hunts on small boards, random positions of them: what is known without search, and what is left
    /// of the moves, against minimax by the rules alone.
    #[test]
    fn knowledge_agrees_with_minimax() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        let few = Limits { nodes: Some(300), ..Limits::default() };
        let small = Limits { memory: 1 << 20, ..Limits::default() };
        let mut compared = 0;
        while compared < 20_000 {
            let (rows, cols) = [(3, 3), (3, 4), (4, 4), (2, 6), (5, 5)][compared % 5];
            let mut given = [0; 2];
            for cell in 0..rows * cols {
                if let side @ 0..2 = rng.random_range(0..4) {
                    given[side] |= 1 << cell;
                }
            }
            let Some(target) = given[1].cells().next() else { continue };
            let Some(game) = Hunt::new(rows, cols, given, target) else { continue };
            let mut p = game.start();
            while game.outcome(&p).is_none() {
                let truth = minimax::solve(&game, &p, &few, &|_| {});
                if truth.stop == Stop::Solved {
                    let what = game.name() + " " + &game.position_text(&p);
                    assert!(game.static_bounds(&p).contains(truth.bounds.lo), "{what}");
                    let mut solver = Dfpn::new(&game, Config::default(), small.clone());
                    let found = solver.solve(&p, &|_| {});
                    assert_eq!(found.bounds, truth.bounds, "{what}");
                    compared += 1;
                }
                let mut list = MoveList::new();
                game.moves(&p, &mut list);
                p = game.play(&p, list.scored()[rng.random_range(0..list.len())].mv);
            }
        }
    }
}
