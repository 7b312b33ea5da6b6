//! What is known of a NoGo position without search.
//!
//! **Holes.** A point that is illegal for both sides stays empty for ever (see [`super`]). It is turned
//! into a hole: a point on which nobody plays and which is a liberty for ever. Blocks beside a hole
//! are *immortal*: they never again forbid a move to anyone. A stone of an immortal block that touches
//! no open point (one that somebody may still play) and no mortal block takes part in nothing any
//! more and becomes a hole too; the stones that it linked to the old hole now touch the new one. So
//! positions that differ only in what is finished become one.
//!
//! **Sure points.** Take a connected set of points that only I may play, which touches no other open
//! point, no mortal block of the opponent, and at least one hole or immortal block of mine. I can
//! fill it whenever I like, from the immortal side, in exactly as many moves as it has points. It
//! touches the rest only by blocks of mine, and those never lack a liberty: either a point of the set
//! is still empty, or they are linked to the immortal side. So the set is a game on its own, and its
//! value is an integer. One sure point of mine and one of the opponent's cancel.

use crate::blocks::Blocks;
use crate::stones::Stones;
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
    /// The stones of the player to move and of the opponent, without holes.
    pub stones: [u64; 2],
    /// Where each of them may play.
    pub legal: [u64; 2],
    /// Blocks without a liberty, which cannot be.
    pub dead: u64,
    /// The holes of the position and the points that have become illegal for both.
    pub holes: u64,
    /// The blocks of each side.
    blocks: [Blocks; 2],
}

impl View {
    /// Looks at a position.
    #[inline]
    pub fn of(grid: &Grid<u64>, p: &Stones) -> View {
        let holes = p.me & p.you;
        let empty = grid.full() & !p.all();
        let (me, you) = (p.me & !holes, p.you & !holes);
        let liberties = empty | holes;
        let mine = Blocks::beside(grid, me, liberties, holes);
        let yours = Blocks::beside(grid, you, liberties, holes);
        View::new(grid, [me, you], empty, holes, [mine, yours])
    }

    #[inline]
    fn new(
        grid: &Grid<u64>,
        stones: [u64; 2],
        empty: u64,
        holes: u64,
        blocks: [Blocks; 2],
    ) -> View {
        let [mine, yours] = &blocks;
        let legal = [
            mine.room(grid, empty | holes) & empty & !yours.atari,
            yours.room(grid, empty | holes) & empty & !mine.atari,
        ];
        let dead = mine.dead | yours.dead;
        let holes = holes | (empty & !legal[0] & !legal[1]);
        View { stones, legal, dead, holes, blocks }
    }

    /// The view after a stone of mine on `cell`, a legal point; sides keep their places. Only the
    /// block it joins and the opposing blocks beside it change.
    #[inline]
    fn after(&self, grid: &Grid<u64>, cell: u64, holes: u64) -> View {
        let [me, you] = [self.stones[0] | cell, self.stones[1]];
        let empty = grid.full() & !me & !you & !holes;
        let [mut mine, mut yours] = self.blocks;
        mine.atari &= !cell;
        mine.change(grid, grid.flood(cell, me), empty | holes, holes);
        let mut beside = grid.neighbours(cell) & you;
        while beside != 0 {
            let block = grid.flood(beside & beside.wrapping_neg(), you);
            beside &= !block;
            yours.change(grid, block, empty | holes, holes);
        }
        View::new(grid, [me, you], empty, holes, [mine, yours])
    }

    /// The immortal blocks of each side.
    #[inline]
    fn immortal(&self, grid: &Grid<u64>) -> [u64; 2] {
        let beside = grid.neighbours(self.holes);
        self.stones.map(|s| grid.flood(beside & s, s))
    }

    /// The sure points of each side.
    #[inline]
    fn sure(&self, grid: &Grid<u64>) -> [u64; 2] {
        if self.holes == 0 {
            return [0, 0];
        }
        let immortal = self.immortal(grid);
        let one = |i: usize| {
            let j = 1 - i;
            let private = self.legal[i] & !self.legal[j];
            if private == 0 {
                return 0;
            }
            let bad = grid.neighbours(self.legal[j] | (self.stones[j] & !immortal[j]));
            let good = private & !grid.flood(private & bad, private);
            grid.flood(good & grid.neighbours(immortal[i] | self.holes), good)
        };
        [one(0), one(1)]
    }
}

/// How many moves a side can make in its own closed regions: surely, and at most. A region is a
/// connected set of points that only this side may play; it is closed if it touches no other open point
/// and no mortal block of the opponent, so that the opponent has no say in it.
///
/// All points of a closed region but one can be filled, leaf by leaf of a spanning tree: each new
/// stone touches what is left of the region, which is then a liberty of every block it joins. If
/// the blocks beside the region have no liberty outside it, the last point can never be filled.
#[inline]
fn closed(grid: &Grid<u64>, view: &View, i: usize, sure: u64, immortal: &[u64; 2]) -> (i32, i32) {
    let j = 1 - i;
    let private = view.legal[i] & !view.legal[j] & !sure;
    let (mut surely, mut at_most) = (sure.count() as i32, view.legal[i].count() as i32);
    if private == 0 {
        return (surely, at_most);
    }
    let empty = grid.full() & !view.stones[0] & !view.stones[1];
    let bad = grid.neighbours(view.legal[j] | (view.stones[j] & !immortal[j]));
    let mut rest = private & !grid.flood(private & bad, private);
    while rest != 0 {
        let region = grid.flood(rest & rest.wrapping_neg(), rest);
        rest &= !region;
        surely += region.count() as i32 - 1;
        let blocks = grid.flood(grid.neighbours(region), view.stones[i]);
        if grid.neighbours(blocks) & empty & !region == 0 {
            at_most -= 1;
        }
    }
    (surely, at_most)
}

/// The position with everything that is finished turned into holes.
#[inline]
pub fn normal(grid: &Grid<u64>, p: &Stones) -> Stones {
    let mut p = *p;
    loop {
        let mut view = View::of(grid, &p);
        if view.holes == 0 {
            return p;
        }
        let mut sure = view.sure(grid);
        let cancelled = sure[0] != 0 && sure[1] != 0;
        while sure[0] != 0 && sure[1] != 0 {
            for (sure, legal) in sure.iter_mut().zip(&mut view.legal) {
                let point = *sure & sure.wrapping_neg();
                *sure ^= point;
                *legal ^= point;
                view.holes |= point;
            }
        }
        let immortal = view.immortal(grid);
        let finished = immortal[0] | immortal[1];
        let alive = grid.full() & !view.holes & !finished;
        let holes = view.holes | (finished & !grid.neighbours(alive));
        p = Stones { me: view.stones[0] | holes, you: view.stones[1] | holes, turn: p.turn };
        if !cancelled {
            return p;
        }
    }
}

/// Bounds without search. Who has more sure points than the opponent has moves wins. A player to move
/// who can take a point from the opponent first needs two fewer: one for the point that is gone,
/// and one for the move that was no sure point. A player who can move and leaves none has won.
#[inline]
pub fn bounds(grid: &Grid<u64>, p: &Stones) -> Bounds {
    let view = View::of(grid, p);
    if view.legal[0] == 0 {
        return Bounds::exact(-p.turn.sign());
    }
    let immortal = view.immortal(grid);
    let sure = view.sure(grid);
    let (my_sure, my_most) = closed(grid, &view, 0, sure[0], &immortal);
    let (your_sure, your_most) = closed(grid, &view, 1, sure[1], &immortal);
    let contact = i32::from(view.legal[0] & view.legal[1] != 0);
    if my_most <= your_sure {
        Bounds::exact(-p.turn.sign())
    } else if your_most == 0 || my_sure > your_most - 2 * contact {
        Bounds::exact(p.turn.sign())
    } else {
        Bounds::new(-1, 1)
    }
}

/// All moves, but of the sure points only one, and that last: the others are equal to it, and there is
/// no hurry. First the moves that leave the opponent few points and me many: numbers found by
/// trying, on boards of 15 to 21 points.
#[inline]
pub fn relevant(grid: &Grid<u64>, weights: &Weights, p: &Stones, out: &mut MoveList<u8>) -> Value {
    let n = |set: u64| set.count() as i32;
    let now = View::of(grid, p);
    let sure = now.sure(grid)[0];
    if sure != 0 {
        out.push_scored(sure.lowest() as u8, i32::MIN);
    }
    for c in (now.legal[0] & !sure).cells() {
        let cell = 1u64 << c;
        let next = now.after(grid, cell, p.me & p.you);
        let [me, you] = next.legal;
        let near = grid.neighbours(cell);
        let (above, below) = (grid.north(cell), grid.south(cell));
        let diagonal = grid.east(above | below) | grid.west(above | below);
        let score = 5 * n(me) - 9 * n(you)
            + 4 * n(me ^ you)
            + 7 * n(next.holes)
            + 2 * n(near & you)
            + 2 * n(now.legal[1] & cell)
            + n(diagonal & now.stones[0])
            - 2 * i32::from(near & now.stones[0] != 0)
            - 14 * n(cell & weights.edge)
            + n(cell & weights.corners);
        out.push_scored(c as u8, score);
    }
    -1
}
