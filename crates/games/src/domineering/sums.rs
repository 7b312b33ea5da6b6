//! Sums of strips: who wins a board that one player has cut up.
//!
//! **Cutting.** A player who promises never to play across some line only hurts itself. So let the
//! owner of upright dominoes ("Left") cut the board along lines between rows: the other's dominoes
//! never cross such a line, and what remains is a sum of strips, each a small game whose walls are
//! tabulated ([`strips`](super::strips)). What Left can get from the sum, Left can get from the board.
//! On the turned board the same holds for the other player.
//!
//! The cut need not be straight. A *run* is a maximal row of free cells; each run goes with the row
//! above it or with the row below, and a line is cut wherever two runs do not go with each other.
//! A strip is made of the runs of one row that go up and those of the next that go down. The best cut
//! is found by going from row to row, keeping the best sum for each way of sharing out the runs of
//! the last row; for each temperature on its own, for each may have its own cut.
//!
//! **Deciding a sum.** At temperature t let r be the sum of the right walls, and l the same with the
//! left wall in place of the right one for one of the strips.
//!
//! - If r > t, Left wins when the other moves: after any move, in a strip whose right wall is at
//!   most the new left wall plus t, there is l > 0.
//! - If l > 0, Left wins when moving. If the left wall of the strip is above its right wall, some
//!   move there gives up no more than t: r > t afterwards. If all strips are at their masts, the
//!   same holds at the highest temperature at which some strip is not, as masts do not change up
//!   to there; and if there is none all strips are whole numbers with a sum above 0.
//!
//! By induction both hold to the end of the game, where the other is the one who cannot move. This
//! is the strategy of answering where the other has moved (*thermostrat* in *Winning Ways*), taken
//! down to temperature -1. Lachmann, Moore and Rapaport ("Who wins Domineering on rectangular
//! boards?", 2000) settle whole boards by cutting them into strips that are games of known value.

use super::strips::{SHARES, Shares, Strips, TEMP, TEMPS, Walls};
use zermelo_game::{Bits, Grid};

/// Sums of walls, lanes as in [`Walls`]: right walls only, then with one left wall among them.
#[derive(Clone, Copy)]
#[repr(align(16))]
pub(super) struct Sum([i16; 2 * TEMPS]);

const ZERO: Sum = Sum([0; 2 * TEMPS]);

impl Sum {
    #[inline(always)]
    fn max(self, other: Sum) -> Sum {
        let mut out = ZERO;
        for k in 0..2 * TEMPS {
            out.0[k] = self.0[k].max(other.0[k]);
        }
        out
    }

    /// With one more strip.
    #[inline(always)]
    fn plus(self, walls: &Walls) -> Sum {
        let mut out = ZERO;
        for k in 0..2 * TEMPS {
            let keep = self.0[k] + walls.0[k % TEMPS];
            let here = self.0[k % TEMPS] + walls.0[k];
            out.0[k] = keep.max(here);
        }
        out
    }

    /// Two sums over different strips together.
    #[inline(always)]
    fn join(self, other: Sum) -> Sum {
        let mut out = ZERO;
        for k in 0..2 * TEMPS {
            let left = self.0[k] + other.0[k % TEMPS];
            let right = self.0[k % TEMPS] + other.0[k];
            out.0[k] = left.max(right);
        }
        out
    }

    /// Whether the owner of the strips wins when the other moves.
    #[inline(always)]
    pub(super) fn wins_second(&self) -> bool {
        (0..TEMPS).any(|k| self.0[k] > TEMP[k])
    }

    /// How far the owner is ahead when the other moves.
    #[inline(always)]
    pub(super) fn margin(&self) -> i16 {
        (0..TEMPS).fold(i16::MIN, |best, k| best.max(self.0[k] - TEMP[k]))
    }

    /// Whether the owner of the strips wins when moving.
    #[inline(always)]
    pub(super) fn wins_first(&self) -> bool {
        self.lead() > 0
    }

    /// The lane in which the owner is ahead most when moving.
    #[inline(always)]
    pub(super) fn best_lane(&self) -> usize {
        (TEMPS..2 * TEMPS).max_by_key(|&k| self.0[k]).unwrap_or(TEMPS)
    }

    /// How far the owner is ahead when moving.
    #[inline(always)]
    pub(super) fn lead(&self) -> i16 {
        (0..TEMPS).fold(i16::MIN, |best, k| best.max(self.0[TEMPS + k]))
    }
}

/// The best sums for each way to share out a row.
#[derive(Clone, Copy)]
pub(super) struct Layer {
    sums: [Sum; SHARES],
    shares: Shares,
}

/// No row.
pub(super) const NOTHING: Layer = Layer { sums: [ZERO; SHARES], shares: [0; SHARES] };

impl Layer {
    /// The best sum with one more strip, whose walls are told by the way.
    #[inline(always)]
    fn plus<'w>(&self, walls: impl Fn(usize) -> &'w Walls) -> Sum {
        let with = |i: usize| self.sums[i].plus(walls(i));
        with(0).max(with(1)).max(with(2).max(with(3)))
    }
}

/// The most rows of a board for which there are strips.
pub(super) const MAX_ROWS: usize = 10;

/// The board as the owner of upright dominoes sees it.
#[derive(Clone, Copy)]
pub(super) struct UprightBoard<'g, B> {
    pub(super) grid: &'g Grid<B>,
    pub(super) strips: &'static Strips,
    pub(super) free: B,
}

impl<B: Bits> UprightBoard<'_, B> {
    /// The cells of one row.
    #[inline(always)]
    fn row(&self, free: B, row: u32) -> u16 {
        let cols = self.grid.cols();
        (free >> (row * cols)).word(0) as u16 & ((1 << cols) - 1)
    }

    /// The ways to share out a row of the board.
    #[inline(always)]
    fn shares(&self, row: u32) -> Shares {
        let above = if row + 1 == self.grid.rows() { 0 } else { self.row(self.free, row + 1) };
        let below = if row == 0 { 0 } else { self.row(self.free, row - 1) };
        self.strips.shares(below, self.row(self.free, row), above)
    }

    /// The sums for each way to share out a row. Most rows have one way, or two that come twice.
    #[inline(always)]
    fn layer(shares: Shares, sum: impl Fn(u16) -> Sum) -> Layer {
        let first = sum(shares[0]);
        if shares[0] == shares[3] {
            return Layer { sums: [first; SHARES], shares };
        }
        let last = sum(shares[3]);
        let (second, third) = match shares[0] == shares[2] {
            true => (last, first),
            false => (sum(shares[1]), sum(shares[2])),
        };
        Layer { sums: [first, second, third, last], shares }
    }

    /// The first row: the sums of the strips below, that is of what goes down.
    #[inline(always)]
    fn bottom(&self, row: u16, shares: Shares) -> Layer {
        Self::layer(shares, |up| ZERO.plus(self.strips.walls(0, row & !up)))
    }

    /// The last row: the sums of the strips above, that is of what goes up.
    #[inline(always)]
    fn top(&self, shares: Shares) -> Layer {
        Self::layer(shares, |up| ZERO.plus(self.strips.walls(up, 0)))
    }

    /// From the best sums below a row to those below the next row.
    #[inline(always)]
    fn up(&self, below: &Layer, next: u16, shares: Shares) -> Layer {
        Self::layer(shares, |up| below.plus(|i| self.strips.walls(below.shares[i], next & !up)))
    }

    /// From the best sums above a row to those above the row before.
    #[inline(always)]
    fn down(&self, above: &Layer, row: u16, shares: Shares) -> Layer {
        Self::layer(shares, |up| above.plus(|i| self.strips.walls(up, row & !above.shares[i])))
    }

    /// The best sum, from those below and above a row.
    #[inline(always)]
    fn meet(below: &Layer, above: &Layer) -> Sum {
        let joined = |i: usize| below.sums[i].join(above.sums[i]);
        (1..SHARES).fold(joined(0), |best, i| best.max(joined(i)))
    }

    /// The best sums below every row.
    #[inline(never)]
    pub(super) fn all_below(&self, out: &mut [Layer; MAX_ROWS]) {
        out[0] = self.bottom(self.row(self.free, 0), self.shares(0));
        for r in 1..self.grid.rows() as usize {
            out[r] = self.up(&out[r - 1], self.row(self.free, r as u32), self.shares(r as u32));
        }
    }

    /// The best sums above every row, from those below for the shares.
    #[inline(never)]
    pub(super) fn all_above(&self, below: &[Layer; MAX_ROWS], out: &mut [Layer; MAX_ROWS]) {
        let last = self.grid.rows() as usize - 1;
        out[last] = self.top(below[last].shares);
        for r in (0..last).rev() {
            out[r] = self.down(&out[r + 1], self.row(self.free, r as u32 + 1), below[r].shares);
        }
    }

    /// The best sum, from the sums below the last row.
    #[inline(always)]
    pub(super) fn total_of(&self, below: &[Layer; MAX_ROWS]) -> Sum {
        let last = &below[self.grid.rows() as usize - 1];
        Self::meet(last, &self.top(last.shares))
    }

    /// The best sum.
    pub(super) fn total(&self) -> Sum {
        let mut below = [NOTHING; MAX_ROWS];
        self.all_below(&mut below);
        self.total_of(&below)
    }

    /// The sums below a row, from those below the rows before it.
    #[inline(always)]
    fn start(&self, below: &[Layer; MAX_ROWS], from: u32) -> Layer {
        let (row, shares) = (self.row(self.free, from), self.shares(from));
        match from {
            0 => self.bottom(row, shares),
            _ => self.up(&below[from as usize - 1], row, shares),
        }
    }

    /// The best sum after the rows `from` to `to` have become those of `free`.
    #[inline(never)]
    pub(super) fn changed(
        &self,
        below: &[Layer; MAX_ROWS],
        above: &[Layer; MAX_ROWS],
        free: B,
        from: u32,
        to: u32,
    ) -> Sum {
        let after = UprightBoard { free, ..*self };
        let mut here = after.start(below, from);
        for r in from + 1..=to {
            here = self.up(&here, self.row(free, r), after.shares(r));
        }
        if to + 1 == self.grid.rows() {
            Self::meet(&here, &self.top(here.shares))
        } else {
            let above = &above[to as usize + 1];
            let next = self.up(&here, self.row(self.free, to + 1), above.shares);
            Self::meet(&next, above)
        }
    }

    /// The same as [`changed`](Self::changed) without sums from above: for single questions.
    #[inline(never)]
    pub(super) fn changed_alone(
        &self,
        below: &[Layer; MAX_ROWS],
        free: B,
        from: u32,
        to: u32,
    ) -> Sum {
        let after = UprightBoard { free, ..*self };
        let mut here = after.start(below, from);
        for r in from + 1..self.grid.rows() {
            let shares = if r <= to { after.shares(r) } else { below[r as usize].shares };
            here = self.up(&here, self.row(free, r), shares);
        }
        Self::meet(&here, &self.top(here.shares))
    }
}

/// One cut of a board, with the walls of its strips. Most moves that leave a decided sum do so with the
/// cut of the position before; only the strips they touch need a look.
pub(super) struct Cut {
    /// What goes up of each row.
    up: [u16; MAX_ROWS],
    /// The walls of the strip below each row, and above the last.
    walls: [Walls; MAX_ROWS + 1],
    /// The sum of all right walls.
    right: [i16; TEMPS],
    /// The largest excess of a left wall over the right one, of the strips below each row ...
    excess_below: [[i16; TEMPS]; MAX_ROWS + 1],
    /// ... and of the strips above it.
    excess_above: [[i16; TEMPS]; MAX_ROWS + 1],
}

/// Adds the walls to the sum of right walls, and to the largest excess.
#[inline(always)]
fn gather(walls: &Walls, right: &mut [i16; TEMPS], excess: &mut [i16; TEMPS]) {
    for k in 0..TEMPS {
        right[k] += walls.0[k];
        excess[k] = excess[k].max(walls.0[TEMPS + k] - walls.0[k]);
    }
}

impl<B: Bits> UprightBoard<'_, B> {
    /// The cut that is best in one lane of sums.
    pub(super) fn cut(
        &self,
        below: &[Layer; MAX_ROWS],
        above: &[Layer; MAX_ROWS],
        lane: usize,
    ) -> Cut {
        let rows = self.grid.rows() as usize;
        let mut cut = Cut {
            up: [0; MAX_ROWS],
            walls: [Walls([0; 2 * TEMPS]); MAX_ROWS + 1],
            right: [0; TEMPS],
            excess_below: [[0; TEMPS]; MAX_ROWS + 1],
            excess_above: [[0; TEMPS]; MAX_ROWS + 1],
        };
        let (mut lower, mut excess) = (0, [0; TEMPS]);
        for r in 0..rows {
            let row = self.row(self.free, r as u32);
            let (below, above) = (&below[r], &above[r]);
            let best = (0..SHARES).max_by_key(|&i| below.sums[i].join(above.sums[i]).0[lane]);
            cut.up[r] = best.map_or(0, |i| below.shares[i]);
            cut.excess_below[r] = excess;
            cut.walls[r] = *self.strips.walls(lower, row & !cut.up[r]);
            gather(&cut.walls[r], &mut cut.right, &mut excess);
            lower = cut.up[r];
        }
        cut.walls[rows] = *self.strips.walls(lower, 0);
        gather(&cut.walls[rows], &mut cut.right, &mut excess);
        let (mut excess, mut unused) = ([0; TEMPS], [0; TEMPS]);
        for r in (0..rows).rev() {
            cut.excess_above[r + 1] = excess;
            gather(&cut.walls[r + 1], &mut unused, &mut excess);
        }
        cut
    }

    /// The sum of the cut after the rows `from` to `to` have become those of `free`.
    #[inline(always)]
    pub(super) fn cut_changed(&self, cut: &Cut, free: B, from: u32, to: u32) -> Sum {
        let rows = self.grid.rows();
        let (first, last) = (from as usize, to as usize);
        let mut right = cut.right;
        let mut excess = [0; TEMPS];
        for (k, excess) in excess.iter_mut().enumerate() {
            *excess = cut.excess_below[first][k].max(cut.excess_above[last + 1][k]);
        }
        for walls in &cut.walls[first..=last + 1] {
            for (right, wall) in right.iter_mut().zip(&walls.0) {
                *right -= wall;
            }
        }
        let mut lower = if from == 0 { 0 } else { cut.up[first - 1] };
        for r in from..=to {
            let row = self.row(free, r);
            let up = cut.up[r as usize] & row;
            gather(self.strips.walls(lower, row & !up), &mut right, &mut excess);
            lower = up;
        }
        let upper =
            if to + 1 == rows { 0 } else { self.row(self.free, to + 1) & !cut.up[last + 1] };
        gather(self.strips.walls(lower, upper), &mut right, &mut excess);
        let mut sum = ZERO;
        for k in 0..TEMPS {
            sum.0[k] = right[k];
            sum.0[TEMPS + k] = right[k] + excess[k];
        }
        sum
    }
}
