//! Atarigo one capture ahead.
//!
//! Four facts, for the player to move ("I"), none of whose blocks has been captured:
//!
//! 1. If an opposing block has one liberty, taking it wins; the rules always allow it.
//! 2. Otherwise nothing can be captured now. If my blocks in atari have two different last
//!    liberties, I lose: a stone on one of them does not touch the other's block (or it would be its
//!    liberty), so that one is captured next.
//! 3. If they have one last liberty in common, every other move loses to the capture, and so does
//!    that one if the block it makes has fewer than two liberties.
//! 4. If I have no block in atari, a move that leaves the block it belongs to with fewer than two
//!    liberties is illegal or loses to the capture. It changes no other block of mine.
//!
//! So only *sound* moves, after which the new block has two liberties or more, need be played, and
//! a player without one has lost.

use crate::blocks::{Blocks, Liberties, ones_if};
use crate::stones::{Stones, from_middle};
use zermelo_game::{Bits, Bounds, Grid, MoveList, Value};

/// What each point is worth by its place on one board: less on the edge, and among equals the nearer
/// to the middle the better.
#[derive(Clone, Debug)]
pub struct Places([i32; 64]);

impl Places {
    /// The numbers for a board of this shape.
    #[must_use]
    pub fn new(grid: &Grid<u64>) -> Places {
        let mut places = [0; 64];
        for c in grid.full().cells() {
            places[c as usize] = match grid.neighbours(1 << c).count() {
                0..=2 => -14,
                3 => -8,
                _ => 0,
            } * SCALE
                - from_middle(grid, c);
        }
        Places(places)
    }
}

/// What one point of the scores below is worth, so that the way from the middle only breaks ties.
const SCALE: i32 = 16;

/// The position as the player to move sees it.
struct View {
    empty: u64,
    mine: Blocks,
    yours: Blocks,
    /// Empty points beside two others: a stone there is sound.
    wide: u64,
}

impl View {
    #[inline(always)]
    fn of(grid: &Grid<u64>, p: &Stones) -> View {
        let empty = grid.full() & !p.all();
        let (mine, yours) = (Blocks::of(grid, p.me, empty), Blocks::of(grid, p.you, empty));
        View { empty, mine, yours, wide: wide(grid, empty) }
    }

    /// The moves worth playing, or the move that wins.
    #[inline(always)]
    fn read(&self, grid: &Grid<u64>) -> Reading {
        if self.mine.captured() {
            return Reading::Moves(0);
        }
        let targets = self.yours.liberties().last;
        if targets != 0 {
            return Reading::Won(targets.lowest());
        }
        let last = self.mine.liberties().last;
        let sound = |cell: u64| {
            let beside = grid.neighbours(cell) & self.empty;
            self.mine.joined(cell, beside).without_lowest() != 0
        };
        if last != 0 {
            let only = last.without_lowest() == 0 && sound(last);
            return Reading::Moves(if only { last } else { 0 });
        }
        let mut moves = self.wide;
        for c in (self.empty & !self.wide).cells() {
            if sound(1 << c) {
                moves |= 1 << c;
            }
        }
        Reading::Moves(moves)
    }

    /// Whether the opponent has a sound move after a sound stone of mine on `cell`. `last` are the
    /// last liberties of the opponent's blocks then.
    #[inline(always)]
    fn answered(&self, grid: &Grid<u64>, cell: u64, last: u64) -> bool {
        let empty = self.empty & !cell;
        let sound = |c: u64| {
            let beside = grid.neighbours(c) & empty;
            (self.yours.joined(c, beside) & !cell).without_lowest() != 0
        };
        if last != 0 {
            return last.without_lowest() == 0 && sound(last);
        }
        wide(grid, empty) != 0 || empty.cells().any(|c| sound(1 << c))
    }
}

/// The points of a set beside two others of it.
#[inline(always)]
fn wide(grid: &Grid<u64>, empty: u64) -> u64 {
    let (n, s) = (grid.north(empty), grid.south(empty));
    let (e, w) = (grid.east(empty), grid.west(empty));
    ((n & s) | (e & w) | ((n | s) & (e | w))) & empty
}

/// The moves worth playing, or who wins.
enum Reading {
    /// Fact 1: a move that captures.
    Won(u32),
    /// Facts 2 to 4: the points where it makes sense to play, maybe none.
    Moves(u64),
}

/// Bounds without search: facts 1 to 4.
#[inline]
pub fn bounds(grid: &Grid<u64>, p: &Stones) -> Bounds {
    match View::of(grid, p).read(grid) {
        Reading::Won(_) => Bounds::exact(p.turn.sign()),
        Reading::Moves(0) => Bounds::exact(-p.turn.sign()),
        Reading::Moves(_) => Bounds::new(-1, 1),
    }
}

/// Fact 1: a move that captures.
#[inline]
pub fn sure(grid: &Grid<u64>, p: &Stones) -> Option<u8> {
    let last = Liberties::of(grid, p.you, grid.full() & !p.all()).last;
    (last != 0).then(|| last.lowest() as u8)
}

/// The sound moves; the others lose. One that leaves the opponent without a sound move wins, by the
/// same facts: a sound stone leaves no block of mine in atari. First those that touch opposing stones
/// and leave them few liberties, a little earlier if they give atari: numbers found by coordinate
/// descent on 5x5, 6x4, 4x6, 7x3 and a position of 6x5; ties and the bonus for atari were chosen on 6x5, 5x6 and 5x5. (A logistic regression that names a winning move first in
/// 93 of 100 positions, where these do in 77, takes three times the nodes: it likes long rows of
/// ataris, which win, but late.)
#[inline]
pub fn relevant(grid: &Grid<u64>, places: &Places, p: &Stones, out: &mut MoveList<u8>) -> Value {
    let view = View::of(grid, p);
    let moves = match view.read(grid) {
        Reading::Won(c) => {
            out.push(c as u8);
            return 1;
        }
        Reading::Moves(moves) => moves,
    };
    let n = |set: u64| set.count() as i32;
    let my_reach = grid.neighbours(p.me);
    for c in moves.cells() {
        let cell = 1u64 << c;
        let near = grid.neighbours(cell);
        // The opponent's liberties then: last ones, all, those of the blocks beside the stone.
        let (mut last, mut all, mut touched) = (0, 0, 0);
        for before in view.yours.iter() {
            let l = before & !cell;
            last |= l & !ones_if(l.without_lowest());
            all |= l;
            touched |= l & ones_if(before & cell);
        }
        if !view.answered(grid, cell, last) {
            out.clear();
            out.push(c as u8);
            return 1;
        }
        let score =
            21 * n(near & p.you) + 3 * n(near & view.empty) - 8 * n(all) - 4 * n(touched).min(6)
                + n((my_reach | near) & view.empty & !cell)
                + if last != 0 { 14 } else { 0 };
        out.push_scored(c as u8, score * SCALE + places.0[c as usize]);
    }
    -1
}
