//! A hunt: capture one block on a wide board, as in the experiments of Yoshizoe (2008).
//!
//! The first player, the *hunter*, who moves first, wants to capture the marked block of the second, the *target*.
//! The rules are those of Go, all other stones may be captured by either, but for what keeps a problem
//! finite: the target has escaped when it has [`ESCAPED`] liberties, or when the hunter has put [`STONES`] stones and it
//! is still there; and the hunter may not take a ko (the second player may). All legal moves are there, on boards of
//! up to 121 points, unless the target is in atari.
//!
//! **Why replies to an atari may be left out.** The hunter takes a last liberty and wins. So the second player has
//! to put a stone there, or to capture a block of the hunter beside the target; nothing else gives it
//! a liberty.
//!
//! **Promising moves** are those within three steps of the target and on liberties of the hunter's blocks beside
//! it, about twenty, as many as the source's own generator of promising moves lists. Leaves start as in the source with
//! 1 and 2^(n-1), where n is the category of the move that leads there (df-pn+): 1 for promising moves and [`FAR`] for
//! others. That is all the knowledge there is.
//!
//! **The key** is a hash of 128 bits, as board and ply take 250: what is proved here is as good as that hash.
//! No position is repeated, as plies are counted.

use zermelo_game::{
    Bits, Bounds, Cell, Footprint, Grid, Knowledge, MoveList, Notation, ParseError, Picture,
    Player, Rules, Style, Value,
};

/// A target with so many liberties has escaped.
pub const ESCAPED: u32 = 5;
/// The hunter has so many stones to put.
pub const STONES: u8 = 30;
/// The category of moves that are not promising. (The source's figure that shows its categories is lost to us. Its windows
/// help up to about 20 children, so that it must weigh such moves with more.)
pub const FAR: u32 = 6;
/// No move led here.
const NONE: u8 = u8::MAX;

/// The stones of both players; index by [`Player::index`].
#[derive(Clone, Copy, Debug)]
pub struct Position {
    stones: [u128; 2],
    /// The stones of the target.
    block: u128,
    /// How many moves were made; the hunter is to move if even.
    ply: u8,
    /// The move that led here: a hint for the numbers of leaves, no part of the position.
    last: u8,
}

impl PartialEq for Position {
    fn eq(&self, other: &Position) -> bool {
        (self.stones, self.ply) == (other.stones, other.ply)
    }
}

impl Eq for Position {}

/// A hunt that begins with some stones on the board.
#[derive(Clone, Debug)]
pub struct Hunt {
    grid: Grid<u128>,
    /// The stones at the start.
    given: [u128; 2],
    /// One stone of the target.
    target: u128,
}

/// What solvers are told about hunts.
#[derive(Clone, Copy, Default, Debug)]
pub struct HuntKnowledge {
    /// Whether the hunter plays promising moves only: a win of such a hunter is a win of any, and found with less effort, but
    /// an escape from it says nothing.
    selective: bool,
}

impl HuntKnowledge {
    /// What holds for all moves.
    pub const ALL_MOVES: HuntKnowledge = HuntKnowledge { selective: false };
    /// For a hunter who plays promising moves only.
    pub const SELECTIVE: HuntKnowledge = HuntKnowledge { selective: true };
}

impl Hunt {
    /// The hunt for the block of the second player that holds the point `target`. `None` if there is
    /// none, the board has more than 121 points, a block has no liberty, or the target has escaped.
    #[must_use]
    pub fn new(rows: u32, cols: u32, given: [u128; 2], target: u32) -> Option<Hunt> {
        if rows * cols > 121 || given[0] & given[1] != 0 || !given[1].has(target) {
            return None;
        }
        let game = Hunt { grid: Grid::new(rows, cols), given, target: 1 << target };
        let p = game.start();
        (game.whole(&p) && game.liberties(&p).count() < ESCAPED).then_some(game)
    }

    /// The point that was marked.
    #[must_use]
    pub fn target(&self) -> u32 {
        self.target.lowest()
    }

    #[inline(always)]
    fn empty(&self, p: &Position) -> u128 {
        self.grid.full() & !(p.stones[0] | p.stones[1])
    }

    /// The liberties of the target.
    #[must_use]
    #[inline(always)]
    pub fn liberties(&self, p: &Position) -> u128 {
        self.grid.neighbours(p.block) & self.empty(p)
    }

    /// The liberties of each of the hunter's blocks beside the target.
    pub fn attackers(&self, p: &Position) -> impl Iterator<Item = u128> {
        let (grid, empty, stones) = (self.grid, self.empty(p), p.stones[0]);
        let mut rest = grid.neighbours(p.block) & stones;
        std::iter::from_fn(move || {
            let block = grid.flood(rest & rest.wrapping_neg(), stones);
            rest &= !block;
            (block != 0).then(|| grid.neighbours(block) & empty)
        })
    }

    /// Whether every block has a liberty.
    fn whole(&self, p: &Position) -> bool {
        let beside = self.grid.neighbours(self.empty(p));
        p.stones.iter().all(|&s| self.grid.flood(beside & s, s) == s)
    }

    /// Points within three steps of the target, and around the hunter's blocks beside it.
    fn promising(&self, p: &Position) -> u128 {
        let g = &self.grid;
        let attackers = g.flood(g.neighbours(p.block) & p.stones[0], p.stones[0]);
        let near = (0..3).fold(p.block, |near, _| near | g.neighbours(near));
        near | attackers | g.neighbours(attackers)
    }

    /// Whether a stone on an empty point without empty neighbours is legal.
    fn fits(&self, p: &Position, cell: u32) -> bool {
        let me = self.turn(p).index();
        let next = self.play(p, cell as u8);
        let block = self.grid.flood(1 << cell, next.stones[me]);
        let free = (self.grid.neighbours(block) & self.empty(&next)).count();
        let taken = (p.stones[1 - me] & !next.stones[1 - me]).count();
        let ko = taken == 1 && block.count() == 1 && free == 1;
        free > 0 && !(ko && me == 0 && next.stones[1] & self.target != 0)
    }

    /// Those of some empty points on which the player to move may put a stone.
    fn legal(&self, p: &Position, points: u128) -> u128 {
        let roomy = self.grid.neighbours(self.empty(p)) & points;
        let tight = (points & !roomy).cells().filter(|&c| self.fits(p, c));
        tight.fold(roomy, |all, c| all | 1 << c)
    }

    /// Whether the player to move can move at all.
    fn can_move(&self, p: &Position) -> bool {
        let empty = self.empty(p);
        self.grid.neighbours(empty) & empty != 0 || self.legal(p, empty) != 0
    }

    /// The points that save a target in atari, unless they are forbidden: its last liberty, and those of the
    /// hunter's blocks beside it.
    fn saving(&self, p: &Position, last: u128) -> u128 {
        self.attackers(p).filter(|l| l.without_lowest() == 0).fold(last, |all, l| all | l)
    }
}

impl Rules for Hunt {
    type Position = Position;
    type Move = u8;
    type Key = u128;

    fn start(&self) -> Position {
        let block = self.grid.flood(self.target, self.given[1]);
        Position { stones: self.given, block, ply: 0, last: NONE }
    }

    fn turn(&self, p: &Position) -> Player {
        if p.ply.is_multiple_of(2) { Player::First } else { Player::Second }
    }

    fn outcome(&self, p: &Position) -> Option<Value> {
        if p.stones[1] & self.target == 0 {
            return Some(1);
        }
        if p.ply >= 2 * STONES - 1 || self.liberties(p).count() >= ESCAPED {
            return Some(-1);
        }
        (!self.can_move(p)).then(|| -self.turn(p).sign())
    }

    fn moves(&self, p: &Position, out: &mut MoveList<u8>) {
        self.legal(p, self.empty(p)).cells().for_each(|c| out.push(c as u8));
    }

    fn play(&self, p: &Position, m: u8) -> Position {
        let (me, stone) = (self.turn(p).index(), 1 << m);
        let mut next = Position { ply: p.ply + 1, last: m, ..*p };
        next.stones[me] |= stone;
        let empty = self.empty(&next);
        let mut rest = self.grid.neighbours(stone) & next.stones[1 - me];
        while rest != 0 {
            let block = self.grid.flood(rest & rest.wrapping_neg(), next.stones[1 - me]);
            rest &= !block;
            if self.grid.neighbours(block) & empty == 0 {
                next.stones[1 - me] &= !block;
            }
        }
        if me == 1 && self.grid.neighbours(p.block) & stone != 0 {
            next.block = self.grid.flood(p.block, next.stones[1]);
        }
        next
    }

    fn key(&self, p: &Position) -> u128 {
        const ODD: u128 = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835;
        [p.ply.into(), p.stones[0], p.stones[1]].into_iter().fold(0, |hash: u128, word| {
            [word as u64, (word >> 64) as u64].into_iter().fold(hash, |hash, half| {
                let mixed = (hash ^ u128::from(half)).wrapping_add(1).wrapping_mul(ODD);
                mixed ^ mixed >> 71
            })
        })
    }

    fn key_bits(&self) -> u32 {
        128
    }

    fn code(&self, m: u8) -> usize {
        m.into()
    }

    fn codes(&self) -> usize {
        self.grid.cells() as usize
    }
}

impl Notation for Hunt {
    fn name(&self) -> String {
        let g = &self.grid;
        format!("hunt {}x{} {}", g.rows(), g.cols(), g.cell_name(self.target()))
    }

    fn rules_text(&self) -> String {
        format!(
            "Go without passes; suicide is forbidden, and so is it for the first player to take a ko (one stone by \
             one that is left with one liberty). The first player wins by capturing the block with the stone {}. The \
             second wins when that has {ESCAPED} liberties or is there when the first has put {STONES} stones. \
             A player without a legal move loses.",
            self.grid.cell_name(self.target())
        )
    }

    fn move_text(&self, _: &Position, m: u8) -> String {
        self.grid.cell_name(m.into())
    }

    /// The board, whose turn it is, how many moves were made.
    fn position_text(&self, p: &Position) -> String {
        let board = self.grid.write(self.turn(p), |c| match p.stones.map(|s| s.has(c)) {
            [true, _] => 'x',
            [_, true] => 'o',
            _ => '.',
        });
        format!("{board} {}", p.ply)
    }

    /// The target may be missing if the second player is to move. Every block has a liberty.
    fn parse_position(&self, text: &str) -> Result<Position, ParseError> {
        let error = |expected: &str| Err(ParseError::new("position", text, 0, expected));
        let Some((board, Ok(ply))) = text.rsplit_once(' ').map(|(b, ply)| (b, ply.parse())) else {
            return error("a board, whose turn it is and the number of moves made");
        };
        let (turn, stones) = read(&self.grid, board)?;
        let block = self.grid.flood(self.target, stones[1]);
        let p = Position { stones, block, ply, last: NONE };
        if ply >= 2 * STONES || self.turn(&p) != turn {
            return error("a number of moves that fits whose turn it is");
        }
        if turn == Player::First && block == 0 || !self.whole(&p) {
            return error("blocks with liberties, and the target unless it was just captured");
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
}

impl Knowledge<Hunt> for HuntKnowledge {
    fn static_bounds(&self, hunt: &Hunt, p: &Position) -> Bounds {
        match hunt.outcome(p) {
            Some(value) => Bounds::exact(value),
            None if p.ply.is_multiple_of(2) && hunt.liberties(p).count() == 1 => Bounds::exact(1),
            None => Bounds::new(-1, 1),
        }
    }

    fn candidate_moves(&self, hunt: &Hunt, p: &Position, out: &mut MoveList<u8>) -> Value {
        let free = hunt.liberties(p);
        let points = match hunt.turn(p) {
            Player::Second if free.count() == 1 => hunt.saving(p, free),
            Player::First if self.selective => hunt.empty(p) & hunt.promising(p),
            _ => hunt.empty(p),
        };
        hunt.legal(p, points).cells().for_each(|c| out.push(c as u8));
        -1
    }

    fn leaf_numbers(&self, hunt: &Hunt, p: &Position, _: u32) -> Option<(u32, u32)> {
        let near = p.last == NONE || hunt.promising(p).has(p.last.into());
        Some((1, if near { 1 } else { 1 << (FAR - 1) }))
    }

    fn plies_left(&self, _: &Hunt, p: &Position) -> u32 {
        u32::from(2 * STONES - 1).saturating_sub(p.ply.into())
    }
}

/// Whose turn it is, and the stones of a board.
pub fn read(grid: &Grid<u128>, text: &str) -> Result<(Player, [u128; 2]), ParseError> {
    let mut stones = [0u128; 2];
    let turn = grid.read(text, ".xo", |cell, glyph| {
        match glyph {
            'x' => stones[0] |= 1 << cell,
            'o' => stones[1] |= 1 << cell,
            _ => {}
        }
        true
    })?;
    Ok((turn, stones))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use zermelo_game::{Game, Limits, Stop, conformance};
    use zermelo_search::minimax;
    use zermelo_search::proofnumber::dfpn::{Config, Dfpn};

    fn hunt(rows: u32, cols: u32, target: u32, text: &str) -> Hunt {
        let (_, given) = read(&Grid::new(rows, cols), text).unwrap();
        Hunt::new(rows, cols, given, target).unwrap()
    }

    fn known(game: &Hunt, p: &Position) -> Bounds {
        HuntKnowledge::ALL_MOVES.static_bounds(game, p)
    }

    fn after(game: &Hunt, moves: &str) -> Position {
        let play = |p, m: &str| game.play(&p, game.parse_move(&p, m).unwrap());
        moves.split(' ').fold(game.start(), play)
    }

    #[test]
    fn conforms() {
        for (rows, cols, target, text) in [
            (3, 4, 6, "...x/..o./.x.. first"),
            (4, 4, 9, ".x../.o../.x.x/.... first"),
            (3, 3, 4, ".../.o./..x first"),
            (5, 5, 11, "...../.x.../.ox../.xo../...o. first"),
        ] {
            conformance::check(&hunt(rows, cols, target, text), &HuntKnowledge::ALL_MOVES);
        }
    }

    #[test]
    fn a_capture_and_an_escape() {
        let caught = hunt(5, 5, 6, "...../...../.x.../.ox../.x... first");
        assert_eq!(caught.liberties(&caught.start()).count(), 1);
        assert_eq!(known(&caught, &caught.start()), Bounds::exact(1));
        assert_eq!(caught.outcome(&after(&caught, "a2")), Some(1));
        // In the open, two stones in a row have six liberties.
        let free = hunt(5, 5, 12, "...../...../..o../...../x.... first");
        assert_eq!(free.outcome(&after(&free, "a2")), None);
        assert_eq!(free.outcome(&after(&free, "a2 d3")), Some(-1));
    }

    #[test]
    fn stones_are_captured_by_both() {
        // b1, b2 is in atari; a1 takes the hunter's a2 and so makes room.
        let game = hunt(4, 4, 1, "..../ox../xox./.o.. first");
        let p = after(&game, "c1");
        let mut list = MoveList::new();
        HuntKnowledge::ALL_MOVES.candidate_moves(&game, &p, &mut list);
        let texts: Vec<String> = list.iter().map(|m| game.move_text(&p, m)).collect();
        assert_eq!(texts, ["a1"]);
        let p = after(&game, "c1 a1");
        assert_eq!(game.position_text(&p), "..../ox../.ox./oox. first 2");
        // The hunter takes another block than the target: the game goes on.
        let game = hunt(4, 4, 15, "...o/..../x.../o... first");
        let p = after(&game, "b1");
        assert_eq!(game.position_text(&p), "...o/..../x.../.x.. second 1");
        assert_eq!(game.outcome(&p), None);
    }

    #[test]
    fn the_hunter_may_not_take_a_ko() {
        let game = hunt(4, 5, 19, "....o/.xo../xo.o./.xo.. first");
        let p = game.start();
        assert!(game.parse_move(&p, "c2").is_err());
        let game = hunt(4, 5, 19, "....o/.ox../ox.x./.ox.. first");
        assert!(game.parse_move(&after(&game, "e1"), "c2").is_ok());
    }

    #[test]
    fn moves_far_away_weigh_more() {
        let game = hunt(
            9,
            9,
            0,
            "........./........./........./........./........./........./........./........./o........ first",
        );
        let numbers = |p| HuntKnowledge::ALL_MOVES.leaf_numbers(&game, &p, 0);
        assert_eq!(numbers(game.start()), Some((1, 1)));
        assert_eq!(numbers(after(&game, "b2")), Some((1, 1)));
        assert_eq!(numbers(after(&game, "d3")), Some((1, 32)));
    }

    /// Random hunts on small boards, random positions of them: what is known without search, and what is left
    /// of the moves, against minimax by the rules alone; a selective hunter wins no more.
    #[test]
    fn knowledge_agrees_with_minimax() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        let few = Limits { nodes: Some(300), ..Limits::default() };
        let small = Limits { memory: 1 << 20, ..Limits::default() };
        let mut compared = 0;
        while compared < 2_000 {
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
                    assert!(known(&game, &p).contains(truth.bounds.lo), "{what}");
                    let solve = |knowledge: &HuntKnowledge| {
                        let game = Game::new(&game, knowledge);
                        Dfpn::new(game, Config::default(), small.clone()).solve(&p, &|_| {}).bounds
                    };
                    assert_eq!(solve(&HuntKnowledge::ALL_MOVES), truth.bounds, "{what}");
                    assert!(solve(&HuntKnowledge::SELECTIVE).lo <= truth.bounds.lo, "{what}");
                    compared += 1;
                }
                let mut list = MoveList::new();
                game.moves(&p, &mut list);
                p = game.play(&p, list.scored()[rng.random_range(0..list.len())].mv);
            }
        }
    }
}
