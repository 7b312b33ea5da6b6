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
        let legal = [
            mine.room(grid, liberties) & empty & !yours.atari,
            yours.room(grid, liberties) & empty & !mine.atari,
        ];
        let holes = holes | (empty & !legal[0] & !legal[1]);
        View { stones: [me, you], legal, dead: mine.dead | yours.dead, holes }
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
/// and one for the move that was no sure point.
#[inline]
pub fn bounds(grid: &Grid<u64>, p: &Stones) -> Bounds {
    let view = View::of(grid, p);
    let sure = view.sure(grid).map(|s| s.count() as i32);
    let moves = view.legal.map(|s| s.count() as i32);
    let contact = i32::from(view.legal[0] & view.legal[1] != 0);
    if moves[0] <= sure[1] {
        Bounds::exact(-p.turn.sign())
    } else if sure[0] > moves[1] - 2 * contact {
        Bounds::exact(p.turn.sign())
    } else {
        Bounds::new(-1, 1)
    }
}

/// All moves, but of the sure points only one: the others are equal to it.
#[inline]
pub fn relevant(grid: &Grid<u64>, weights: &Weights, p: &Stones, out: &mut MoveList<u8>) -> Value {
    static W: std::sync::LazyLock<Vec<i32>> = std::sync::LazyLock::new(|| {
        std::env::var("W").map_or(vec![-72, 32, 32, 32, -32, -16, 0, 0, 0, 0, 0, 0, 0, 0], |s| {
            s.split(',').map(|x| x.parse().unwrap()).collect()
        })
    });
    let w = &*W;
    let now = View::of(grid, p);
    let sure = now.sure(grid)[0];
    if sure != 0 {
        out.push_scored(sure.lowest() as u8, i32::MIN);
    }
    for c in (now.legal[0] & !sure).cells() {
        let next = View::of(grid, &Stones { me: p.me | 1 << c, ..*p });
        let [me, you] = next.legal;
        let near = grid.neighbours(1 << c);
        let n = |b: u64| b.count() as i32;
        let mut score = w[0] * n(you) + w[1] * n(me) + w[2] * n(me & !you) + w[3] * n(you & !me);
        if weights.edge.has(c) {
            score += w[4];
        }
        score += w[5] * i32::from(near & p.me != 0);
        score += w[6] * n(near & p.you);
        score += w[7] * i32::from(now.legal[1].has(c));
        let diag = grid.east(grid.north(1 << c) | grid.south(1 << c))
            | grid.west(grid.north(1 << c) | grid.south(1 << c));
        score += w[8] * n(diag & p.me) + w[9] * n(diag & p.you) + w[10] * i32::from(n(near) == 2);
        score += w[11] * n(next.holes)
            + w[12] * n(grid.neighbours(me & !you) & me & !you)
            + w[13] * n(near & next.legal[1]);
        out.push_scored(c as u8, score);
    }
    -1
}
