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

use crate::blocks::Blocks;
use crate::stones::Stones;
use zermelo_game::{Bits, Bounds, Grid, MoveList, Value};

/// Numbers for the order of moves on one board.
#[derive(Clone, Debug)]
pub struct Weights {
    /// The points on the edge.
    edge: u64,
}

impl Weights {
    /// The numbers for a board of this shape.
    #[must_use]
    pub fn new(grid: &Grid<u64>) -> Weights {
        let edge =
            grid.row(0) | grid.row(grid.rows() - 1) | grid.col(0) | grid.col(grid.cols() - 1);
        Weights { edge }
    }
}

/// The moves worth playing, or who wins.
enum Reading {
    Won,
    /// Facts 2 to 4: the points where it makes sense to play, maybe none.
    Moves(u64),
}

/// Whether a stone of `me` on `cell` belongs to a block with two liberties or more.
#[inline]
fn sound(grid: &Grid<u64>, me: u64, empty: u64, cell: u64) -> bool {
    let block = grid.flood(cell, me | cell);
    (grid.neighbours(block) & empty & !cell).without_lowest() != 0
}

#[inline]
fn read(grid: &Grid<u64>, p: &Stones) -> Reading {
    let empty = grid.full() & !p.all();
    let mine = Blocks::of(grid, p.me, empty);
    if mine.dead != 0 {
        return Reading::Moves(0);
    }
    if Blocks::of(grid, p.you, empty).atari != 0 {
        return Reading::Won;
    }
    if mine.atari != 0 {
        let only = mine.atari.without_lowest() == 0 && sound(grid, p.me, empty, mine.atari);
        return Reading::Moves(if only { mine.atari } else { 0 });
    }
    let (n, s) = (grid.north(empty), grid.south(empty));
    let (e, w) = (grid.east(empty), grid.west(empty));
    let two = (n & s) | (e & w) | ((n | s) & (e | w));
    let mut moves = empty & two;
    for c in (empty & !two & grid.neighbours(p.me)).cells() {
        if sound(grid, p.me, empty, 1 << c) {
            moves |= 1 << c;
        }
    }
    Reading::Moves(moves)
}

/// Bounds without search: facts 1 to 4.
#[inline]
pub fn bounds(grid: &Grid<u64>, p: &Stones) -> Bounds {
    match read(grid, p) {
        Reading::Won => Bounds::exact(p.turn.sign()),
        Reading::Moves(0) => Bounds::exact(-p.turn.sign()),
        Reading::Moves(_) => Bounds::new(-1, 1),
    }
}

/// The sound moves; the others lose. First those that touch opposing stones and leave them few
/// liberties, away from the edge: numbers found by trying, on boards of 20 to 25 points.
#[inline]
pub fn relevant(grid: &Grid<u64>, weights: &Weights, p: &Stones, out: &mut MoveList<u8>) -> Value {
    let Reading::Moves(moves) = read(grid, p) else { return 1 };
    let n = |set: u64| set.count() as i32;
    let empty = grid.full() & !p.all();
    let yours = grid.neighbours(p.you);
    for c in moves.cells() {
        let cell = 1u64 << c;
        let near = grid.neighbours(cell);
        let left = empty & !cell;
        let touched = grid.flood(near & p.you, p.you);
        let score = 21 * n(near & p.you) + 3 * n(near & empty)
            - 8 * n(cell & weights.edge)
            - 4 * n(grid.neighbours(touched) & left).min(6)
            - 8 * n(yours & left)
            + n(grid.neighbours(p.me | cell) & left);
        out.push_scored(c as u8, score);
    }
    -1
}
