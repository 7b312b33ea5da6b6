//! What is known of a NoGo position without search, and in which order moves are tried.
//!
//! All moves of a node are looked at one by one: what each side may play afterwards is cheap to say
//! from what was known before, and tells whether the last points decide ([`super::endgame`]).

use super::endgame::{self, Endgame};
use crate::blocks::Blocks;
use crate::stones::Stones;
use arrayvec::ArrayVec;
use zermelo_game::{Bits, Bounds, Grid, MoveList, Value};

/// Numbers for the order of moves on one board.
#[derive(Clone, Debug)]
pub struct Weights {
    /// The points on the edge.
    edge: u64,
    /// Those that have two neighbours.
    corners: u64,
}

impl Weights {
    /// The numbers for a board of this shape.
    #[must_use]
    pub fn new(grid: &Grid<u64>) -> Weights {
        let edge =
            grid.row(0) | grid.row(grid.rows() - 1) | grid.col(0) | grid.col(grid.cols() - 1);
        let two = |c: &u32| grid.neighbours(1 << c).count() == 2;
        let corners = grid.full().cells().filter(two).fold(0, |s, c| s | 1 << c);
        Weights { edge, corners }
    }
}

/// What the rules say of a position.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// The stones of the player to move and of the opponent.
    pub stones: [u64; 2],
    /// The points without a stone.
    pub empty: u64,
    /// Where each side may play.
    pub legal: [u64; 2],
    /// Blocks without a liberty, which cannot be.
    pub dead: u64,
    /// The blocks of each side.
    blocks: [Blocks; 2],
}

impl View {
    /// Looks at a position.
    #[inline]
    pub fn of(grid: &Grid<u64>, p: &Stones) -> View {
        let empty = grid.full() & !p.all();
        let stones = [p.me, p.you];
        View::new(grid, stones, empty, stones.map(|s| Blocks::of(grid, s, empty)))
    }

    #[inline]
    fn new(grid: &Grid<u64>, stones: [u64; 2], empty: u64, blocks: [Blocks; 2]) -> View {
        let [mine, yours] = &blocks;
        let legal = [mine.room(grid, empty) & !yours.atari, yours.room(grid, empty) & !mine.atari];
        View { stones, empty, legal, dead: mine.dead | yours.dead, blocks }
    }

    /// The view after a stone of mine on `cell`, a legal point; sides keep their places. Only the
    /// block it joins and the opposing blocks beside it change.
    #[inline]
    fn after(&self, grid: &Grid<u64>, cell: u64) -> View {
        let [me, you] = [self.stones[0] | cell, self.stones[1]];
        let empty = self.empty & !cell;
        let [mut mine, mut yours] = self.blocks;
        mine.atari &= !cell;
        mine.change(grid, grid.flood(cell, me), empty);
        let mut beside = grid.neighbours(cell) & you;
        while beside != 0 {
            let block = grid.flood(beside & beside.wrapping_neg(), you);
            beside &= !block;
            yours.change(grid, block, empty);
        }
        View::new(grid, [me, you], empty, [mine, yours])
    }

    /// Whether one side wins when it moves, if few enough points are left to say so.
    #[inline]
    fn endgame(&self, grid: &Grid<u64>, mover: usize) -> Option<bool> {
        let open = self.legal[0] | self.legal[1];
        if open.count() > endgame::MOST {
            return None;
        }
        let sides = [self.stones[mover], self.stones[1 - mover]];
        Endgame::new(grid, open, self.empty & !open, sides).map(|(e, near)| e.wins(near))
    }
}

/// Bounds without search: the end of the game, and the last few points.
#[inline]
pub fn bounds(grid: &Grid<u64>, p: &Stones) -> Bounds {
    let view = View::of(grid, p);
    if view.legal[0] == 0 {
        return Bounds::exact(-p.turn.sign());
    }
    match view.endgame(grid, 0) {
        Some(true) => Bounds::exact(p.turn.sign()),
        Some(false) => Bounds::exact(-p.turn.sign()),
        None => Bounds::new(-1, 1),
    }
}

/// The moves after which the last few points do not decide yet; the win if they do. First the moves
/// that leave the opponent few points and me many: numbers found by trying, on boards of 15 to 21
/// points.
#[inline]
pub fn relevant(grid: &Grid<u64>, weights: &Weights, p: &Stones, out: &mut MoveList<u8>) -> Value {
    let n = |set: u64| set.count() as i32;
    let now = View::of(grid, p);
    let mut last: ArrayVec<(i32, u32, View), 63> = ArrayVec::new();
    for c in now.legal[0].cells() {
        let cell = 1u64 << c;
        let next = now.after(grid, cell);
        let [me, you] = next.legal;
        if you == 0 {
            out.clear();
            out.push(c as u8);
            return 1;
        }
        let near = grid.neighbours(cell);
        let (above, below) = (grid.north(cell), grid.south(cell));
        let diagonal = grid.east(above | below) | grid.west(above | below);
        let score = 5 * n(me) - 9 * n(you)
            + 4 * n(me ^ you)
            + 7 * n(next.empty & !me & !you)
            + 2 * n(near & you)
            + 2 * n(now.legal[1] & cell)
            + n(diagonal & now.stones[0])
            - 2 * i32::from(near & now.stones[0] != 0)
            - 14 * n(cell & weights.edge)
            + n(cell & weights.corners);
        if (me | you).count() <= endgame::MOST {
            last.push((score, c, next));
        } else {
            out.push_scored(c as u8, score);
        }
    }
    while !last.is_empty() {
        let best = (0..last.len()).fold(0, |b, i| if last[i].0 > last[b].0 { i } else { b });
        let (score, c, next) = last.swap_remove(best);
        match next.endgame(grid, 1) {
            Some(true) => {}
            Some(false) => {
                out.clear();
                out.push(c as u8);
                return 1;
            }
            None => out.push_scored(c as u8, score),
        }
    }
    -1
}
