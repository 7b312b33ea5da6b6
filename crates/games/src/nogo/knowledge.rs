//! What is known of a NoGo position without search.

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

/// The points where each side may play.
#[derive(Clone, Copy, Debug)]
struct Legal {
    me: u64,
    you: u64,
}

impl Legal {
    #[inline]
    fn of(grid: &Grid<u64>, p: &Stones) -> Legal {
        let empty = grid.full() & !p.all();
        let (mine, yours) = (Blocks::of(grid, p.me, empty), Blocks::of(grid, p.you, empty));
        Legal {
            me: mine.room(grid, empty) & !yours.atari,
            you: yours.room(grid, empty) & !mine.atari,
        }
    }
}

/// Bounds without search.
#[inline]
pub fn bounds(grid: &Grid<u64>, p: &Stones) -> Bounds {
    let legal = Legal::of(grid, p);
    if legal.me == 0 {
        return Bounds::exact(-p.turn.sign());
    }
    if legal.you == 0 {
        return Bounds::exact(p.turn.sign());
    }
    Bounds::new(-1, 1)
}

/// All moves, ordered.
#[inline]
pub fn relevant(grid: &Grid<u64>, weights: &Weights, p: &Stones, out: &mut MoveList<u8>) -> Value {
    let now = Legal::of(grid, p);
    for c in now.me.cells() {
        let next = Legal::of(grid, &Stones { me: p.me | 1 << c, ..*p });
        let mut score = 32 * next.me.count() as i32 - 64 * next.you.count() as i32;
        score += 32 * (next.me & !next.you).count() as i32;
        if weights.edge.has(c) {
            score -= 16;
        }
        if grid.neighbours(1 << c) & p.me != 0 {
            score -= 16;
        }
        out.push_scored(c as u8, score);
    }
    -1
}
